//! A plan cut into nodes: components that must share a node, and values that cross between nodes.

mod groups;

use crate::nodes::Names;
use consort_core::{ConnectionId, Diagnostic, ModelDescription, NodeId, Report, Time};
use consort_system::{
    Crossing, Placement, Plan, ProgramKind, Projection, ResolvedExperiment, ResolvedSystem, Stage,
};
use groups::Reason;
use std::collections::BTreeMap;

/// Components that must be on one node, because they affect each other within a tag, or take steps
/// back together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The components of the group, in id order; two at least.
    pub components: Vec<consort_core::ComponentId>,
    /// Why, for a person.
    pub why: String,
}

/// The components that must share a node: disjoint groups, in the order of their first members.
///
/// # Panics
/// If system, models and plan do not belong together.
pub fn groups(system: &ResolvedSystem, models: &[&ModelDescription], plan: &Plan) -> Vec<Group> {
    groups::merged(&Names { system, models }, plan)
}

/// Cuts a plan into nodes. Components that must share a node and do not are reported; `None`
/// then.
///
/// # Panics
/// If system, models, plan and placement do not belong together.
pub fn project(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    plan: &Plan,
    placement: &Placement,
    report: &mut Report,
) -> Option<Projection> {
    assert_eq!(system.components.len(), placement.of_component.len(), "every component has a node");
    let names = Names { system, models };
    let split: Vec<Diagnostic> = groups::all(&names, plan)
        .iter()
        .filter_map(|(group, reason)| split(&names, placement, group, reason))
        .collect();
    if !split.is_empty() {
        split.into_iter().for_each(|diagnostic| report.push(diagnostic));
        return None;
    }
    Some(Projection { placement: placement.clone(), crossings: crossings(system, plan, placement) })
}

/// At most this many names are listed in a message.
const LISTED_MAX: usize = 8;

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(LISTED_MAX);
    let rest = (0 < more).then(|| format!("{more} more"));
    names.into_iter().take(LISTED_MAX).chain(rest).collect::<Vec<_>>().join(", ")
}

/// What is said about a group that was placed on several nodes.
fn split(
    names: &Names<'_>,
    placement: &Placement,
    group: &Group,
    reason: &Reason,
) -> Option<Diagnostic> {
    let mut by_node: BTreeMap<NodeId, Vec<&str>> = BTreeMap::new();
    for &component in &group.components {
        let node = placement.of_component[component.index()];
        by_node.entry(node).or_default().push(names.component(component));
    }
    if by_node.len() < 2 {
        return None;
    }
    let all = listed(group.components.iter().map(|&id| names.component(id)));
    let nodes = listed(by_node.keys().map(|&node| placement.name(node)));
    let message = format!("{all} must be on one node, but are on {nodes}");
    let mut diagnostic =
        Diagnostic::error("plan::group-split", message).with_note(group.why.clone());
    for (&node, members) in &by_node {
        let members = listed(members.iter().copied());
        diagnostic = diagnostic.with_note(format!("on `{}`: {members}", placement.name(node)));
    }
    Some(diagnostic.help(reason.help()))
}

/// Connections that cross together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    from: NodeId,
    to: NodeId,
    period: Time,
    delay: bool,
}

fn crossings(system: &ResolvedSystem, plan: &Plan, placement: &Placement) -> Vec<Crossing> {
    let mut crossings = Vec::new();
    let mut ordinal = 0;
    for ((kind, _), (_, stages)) in ProgramKind::ALL.into_iter().zip(plan.programs()) {
        for stage in stages {
            let Stage::Exchange(connections) = stage else { continue };
            let here = Exchange { system, placement, kind, ordinal };
            let apart = here.apart(connections);
            crossings.extend(apart.into_iter().filter_map(|(key, ids)| here.crossing(&key, ids)));
            ordinal += 1;
        }
    }
    crossings.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
    crossings
}

/// One exchange of a plan.
struct Exchange<'a> {
    system: &'a ResolvedSystem,
    placement: &'a Placement,
    kind: ProgramKind,
    ordinal: u32,
}

impl Exchange<'_> {
    /// What crosses, by components that are due together: in initialization, all of them.
    fn apart(&self, connections: &[ConnectionId]) -> BTreeMap<Key, Vec<ConnectionId>> {
        let mut apart: BTreeMap<Key, Vec<ConnectionId>> = BTreeMap::new();
        for &id in connections {
            let wire = &self.system.connections[id.index()];
            let source = wire.from.component.index();
            let from = self.placement.of_component[source];
            let to = self.placement.of_component[wire.to.component.index()];
            let period = match self.kind {
                ProgramKind::Initialization => Time::ZERO,
                ProgramKind::Present | ProgramKind::Advance => {
                    self.system.components[source].period
                }
            };
            if from != to {
                apart.entry(Key { from, to, period, delay: wire.delay }).or_default().push(id);
            }
        }
        apart.values_mut().for_each(|ids| ids.sort_unstable());
        apart
    }

    /// `None` if there is no message: a previous value is handed over from the second tag on.
    fn crossing(&self, key: &Key, connections: Vec<ConnectionId>) -> Option<Crossing> {
        let ResolvedExperiment { start, stop, .. } = self.system.experiment;
        let (first, last) = match self.kind {
            ProgramKind::Initialization if key.delay => return None,
            ProgramKind::Initialization => (start, start),
            ProgramKind::Present if key.delay => (start.checked_add(key.period)?, stop),
            ProgramKind::Present => (start, stop),
            ProgramKind::Advance => (start, stop.checked_sub(key.period)?),
        };
        let is_once = self.kind == ProgramKind::Initialization;
        (first <= last).then(|| Crossing {
            name: self.name(key),
            from: key.from,
            to: key.to,
            ordinal: self.ordinal,
            program: self.kind,
            first,
            period: (!is_once).then_some(key.period),
            last,
            connections,
        })
    }

    fn name(&self, key: &Key) -> String {
        let (from, to) = (self.placement.name(key.from), self.placement.name(key.to));
        let exchange = format!("{from}>{to}/{}.{}", self.kind.name(), self.ordinal);
        if self.kind == ProgramKind::Initialization {
            return exchange;
        }
        let period = match self.system.experiment.resolution.seconds(key.period) {
            Some(seconds) => format!("{seconds}s").replace('/', ":"),
            None => format!("{}t", key.period.ticks()),
        };
        let delayed = if key.delay { "/delayed" } else { "" };
        format!("{exchange}/{period}{delayed}")
    }
}
