//! The system as a federation: what each federate would request, and when it would publish.
//!
//! After Chaudron et al. (2016), tables 1 to 4: an output of level k is published at
//! `n*dt + (k+1)*lk`, where lk is the lookahead. A federate whose outputs wait for inputs asks for the
//! next message (NER) once for every level at which messages come in until it has all of them, and
//! then for the next cycle (TAR).

use crate::cycle::Cycle;
use crate::nodes::{Names, Node};
use consort_core::{Causality, ComponentId, Seconds};
use serde::Serialize;

/// The system as a federation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Federation {
    /// How many levels there are; at least 1.
    pub levels: u32,
    /// The shortest step, in exact seconds: `0.01`, `1/30`.
    pub step: String,
    /// The largest lookahead with `levels * lk <= dt`, in exact seconds.
    pub lookahead_max: String,
    /// Every component as a federate.
    pub federates: Vec<Federate>,
}

/// A component as a federate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Federate {
    /// The name of the component.
    pub component: String,
    /// The request strategy: `TAR` or `NER+TAR`.
    pub strategy: String,
    /// Its outputs by level.
    pub groups: Vec<OutputGroup>,
    /// How many next event requests it makes per cycle.
    pub next_event_requests: u32,
    /// The times they are granted at: `n*dt + lk`.
    pub grants: Vec<String>,
    /// The time of its last request of a cycle.
    pub final_request: String,
    /// The level of its last grant but one: what `granted + dt` would be off by, in lookaheads.
    pub waits: u32,
}

/// Outputs that are published together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OutputGroup {
    /// The level of the outputs.
    pub level: u32,
    /// Names of variables.
    pub outputs: Vec<String>,
    /// When they are published: `n*dt + 2*lk`.
    pub published_at: String,
}

pub(super) fn of(names: &Names<'_>, cycle: &Cycle<'_>, levels: &[u32]) -> Federation {
    let components = (0..names.system.components.len()).map(ComponentId::from_index);
    let arrivals = arrivals(names, cycle, levels);
    let federates: Vec<Federate> = components
        .map(|component| federate(names, cycle, levels, component, &arrivals[component.index()]))
        .collect();
    let groups = federates.iter().flat_map(|federate| &federate.groups);
    let count = groups.map(|group| group.level + 1).max().unwrap_or(1);
    let periods = names.system.components.iter().map(|component| component.period);
    let step = periods.min().unwrap_or(names.system.experiment.step);
    let step = names.system.experiment.resolution.seconds(step);
    let text = |seconds: Option<Seconds>| {
        seconds.map_or_else(|| "too fine to be written".to_owned(), |it| it.to_string())
    };
    let divided = step.and_then(|step| {
        let below = step.denominator().checked_mul(u64::from(count))?;
        Seconds::new(step.numerator(), below)
    });
    Federation { levels: count, step: text(step), lookahead_max: text(divided), federates }
}

/// For each component the levels at which its messages are published, sorted.
fn arrivals(names: &Names<'_>, cycle: &Cycle<'_>, levels: &[u32]) -> Vec<Vec<u32>> {
    let mut arrivals = vec![Vec::new(); names.system.components.len()];
    for wire in names.system.connections.iter().filter(|wire| !wire.delay) {
        if let Some(get) = cycle.flow.nodes.get_of(wire.from) {
            arrivals[wire.to.component.index()].push(levels[get as usize]);
        }
    }
    for list in &mut arrivals {
        list.sort_unstable();
        list.dedup();
    }
    arrivals
}

fn federate(
    names: &Names<'_>,
    cycle: &Cycle<'_>,
    levels: &[u32],
    component: ComponentId,
    arrivals: &[u32],
) -> Federate {
    let groups = output_groups(names, cycle, levels, component);
    let waits = groups.last().map_or(0, |group| group.level);
    let grants: Vec<u32> =
        arrivals.iter().map(|level| level + 1).filter(|grant| *grant <= waits).collect();
    Federate {
        component: names.component(component).to_owned(),
        strategy: if grants.is_empty() { "TAR" } else { "NER+TAR" }.to_owned(),
        next_event_requests: u32::try_from(grants.len()).expect("levels fit in 32 bits"),
        grants: grants.iter().map(|&grant| timestamp(grant)).collect(),
        final_request: "(n+1)*dt".to_owned(),
        waits: grants.last().copied().unwrap_or(0),
        groups,
    }
}

fn output_groups(
    names: &Names<'_>,
    cycle: &Cycle<'_>,
    levels: &[u32],
    component: ComponentId,
) -> Vec<OutputGroup> {
    let variables = &names.models[component.index()].variables;
    let gets = cycle.flow.nodes.gets_of(component);
    let outputs = gets.filter_map(|get| match cycle.flow.nodes.node(get) {
        Node::Get(_, variable) => Some((levels[get as usize], &variables[variable.index()])),
        _ => None,
    });
    let mut outputs: Vec<_> =
        outputs.filter(|(_, variable)| variable.causality == Causality::Output).collect();
    outputs.sort_by_key(|(level, _)| *level);
    let groups = outputs.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| OutputGroup {
            level: group[0].0,
            outputs: group.iter().map(|(_, variable)| variable.name.clone()).collect(),
            published_at: timestamp(group[0].0 + 1),
        })
        .collect()
}

/// `n*dt + lookaheads*lk`.
fn timestamp(lookaheads: u32) -> String {
    match lookaheads {
        0 => "n*dt".to_owned(),
        1 => "n*dt + lk".to_owned(),
        more => format!("n*dt + {more}*lk"),
    }
}
