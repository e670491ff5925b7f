//! Components that must share a node.

use super::Group;
use crate::circle::Circle;
use crate::cycle::Cycle;
use crate::flow::Flow;
use crate::initialization;
use crate::nodes::Names;
use crate::usage::Usage;
use consort_core::{ComponentId, ConnectionId, Report};
use consort_system::{Loop, Plan, Stage, Trigger};
use std::collections::{BTreeMap, BTreeSet};

/// Why components must share a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    Loop,
    InitialLoop,
    Attempt,
    Together,
    Condition,
    Events,
    EventsAndReading,
}

impl Reason {
    fn why(self) -> &'static str {
        match self {
            Reason::Loop => "they are solved as one loop",
            Reason::InitialLoop => "their initial values are solved as one loop",
            Reason::Attempt => {
                "steps change their size: a step that is too long for one is taken back by all"
            }
            Reason::Together => "they are integrated as one",
            Reason::Condition => {
                "an intervention begins by a condition: it looks at the values of a tag, and may \
                 change them, before the tag is over"
            }
            Reason::Events => {
                "an event of one changes what the others are given before the tag is over"
            }
            Reason::EventsAndReading => {
                "at an event of one, outputs of the others that follow inputs at once are read again"
            }
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Reason::Loop | Reason::InitialLoop => {
                "place them on one node; `delay = true` at a connection of the loop breaks it"
            }
            Reason::Attempt => {
                "place all components on one node, or remove `[experiment.variable-step]`"
            }
            Reason::Together => {
                "place them on one node; `continuous = \"apart\"` in `[experiment]` integrates each \
                 alone"
            }
            Reason::Condition => {
                "place all components on one node, or let the intervention begin `at` a time"
            }
            Reason::Events | Reason::EventsAndReading => {
                "place them on one node; `delay = true` at a connection, or `event-mode = false` in \
                 a component, lets them be apart"
            }
        }
    }
}

/// Every reason with the components it concerns; groups may overlap.
pub(super) fn all(names: &Names<'_>, plan: &Plan) -> Vec<(Group, Reason)> {
    let mut found: Vec<Found> = Vec::new();
    for stage in plan.present.iter().chain(&plan.advance) {
        found.extend(of_stage(names, stage, Reason::Loop));
    }
    for stage in &plan.initialization {
        // Most loops of initial values are loops of the tags as well, and reported as such.
        let is_new = |new: &Found| found.iter().all(|known| known.0 != new.0);
        let initial = of_stage(names, stage, Reason::InitialLoop).filter(is_new);
        found.extend(initial);
    }
    let is_conditional = |trigger: &Trigger| matches!(trigger, Trigger::When(_));
    if names.system.interventions.iter().any(|it| is_conditional(&it.trigger)) {
        found.push((all_components(names), Reason::Condition, None));
    }
    found.extend(of_events(names, plan));
    let with_words = |(components, reason, more): Found| {
        let why = match more {
            Some(more) => format!("{}: {more}", reason.why()),
            None => reason.why().to_owned(),
        };
        (Group { components: components.into_iter().collect(), why }, reason)
    };
    let groups = found.into_iter().map(with_words);
    groups.filter(|(group, _)| 2 <= group.components.len()).collect()
}

type Found = (BTreeSet<ComponentId>, Reason, Option<String>);

fn all_components(names: &Names<'_>) -> BTreeSet<ComponentId> {
    (0..names.system.components.len()).map(ComponentId::from_index).collect()
}

/// `solved` says what kind of loop it is, if it is one.
fn of_stage(names: &Names<'_>, stage: &Stage, solved: Reason) -> Option<Found> {
    let mut touched = BTreeSet::new();
    match stage {
        Stage::Exchange(_) | Stage::Work(_) => None,
        Stage::Iterate(it) => {
            touch(names, std::slice::from_ref(stage), &mut touched);
            Some((touched, solved, Some(chain(names, it))))
        }
        Stage::Attempt { .. } => Some((all_components(names), Reason::Attempt, None)),
        Stage::Integrate(_) => {
            touch(names, std::slice::from_ref(stage), &mut touched);
            Some((touched, Reason::Together, None))
        }
    }
}

/// All components that stages work on, step, or move values between.
fn touch(names: &Names<'_>, stages: &[Stage], touched: &mut BTreeSet<ComponentId>) {
    for stage in stages {
        match stage {
            Stage::Exchange(connections) => {
                for id in connections {
                    let wire = &names.system.connections[id.index()];
                    touched.extend([wire.from.component, wire.to.component]);
                }
            }
            Stage::Work(tasks) => touched.extend(tasks.iter().map(|task| task.component)),
            Stage::Iterate(it) => {
                touched.extend(&it.rollback);
                touch(names, &it.stages, touched);
            }
            Stage::Attempt { components, stages } => {
                touched.extend(components);
                touch(names, stages, touched);
            }
            Stage::Integrate(it) => {
                touched.extend(&it.components);
                touch(names, &it.stages, touched);
            }
        }
    }
}

/// The shortest way round a loop; where it is cut, if the plan is not one of ours.
fn chain(names: &Names<'_>, it: &Loop) -> String {
    let (system, models) = (names.system, names.models);
    let initial = initialization::flow(system, models);
    let nothing = vec![false; initial.nodes.sets().len()];
    let usage = Usage::of(system, models);
    let cycle = Cycle::of(system, models, &usage, &mut Report::default());
    let found = way_round(names, &cycle.flow, &cycle.reactive, &it.unknowns);
    let found = found.or_else(|| way_round(names, &initial, &nothing, &it.unknowns));
    found.unwrap_or_else(|| {
        let wires: Vec<String> = it.unknowns.iter().map(|&wire| names.wire(wire)).collect();
        wires.join(", ")
    })
}

fn way_round(
    names: &Names<'_>,
    flow: &Flow,
    reactive: &[bool],
    unknowns: &[ConnectionId],
) -> Option<String> {
    let circles = flow.groups.iter().filter(|group| 1 < group.len());
    let mut circles = circles.map(|members| Circle::new(flow, members, reactive));
    let circle = circles.find(|circle| circle.unknowns(names.system) == unknowns)?;
    Some(circle.chain_text(names))
}

/// Who handles events at a tag changes what others are given at that tag. Where outputs follow inputs
/// at once, the whole of `present` is gone through again at every event, and what it reads is hashed.
fn of_events(names: &Names<'_>, plan: &Plan) -> Vec<Found> {
    let components = names.system.components.iter().enumerate();
    let eventful = components.filter(|(_, component)| component.event_mode);
    let eventful: Vec<ComponentId> =
        eventful.map(|(index, _)| ComponentId::from_index(index)).collect();
    let mut read = BTreeSet::new();
    for stage in plan.present.iter().filter(|stage| !matches!(stage, Stage::Exchange(_))) {
        touch(names, std::slice::from_ref(stage), &mut read);
    }
    if !eventful.is_empty() && !read.is_empty() {
        read.extend(eventful);
        let targets: Vec<ComponentId> =
            read.iter().flat_map(|&id| targets_within_tag(names, id)).collect();
        read.extend(targets);
        return vec![(read, Reason::EventsAndReading, None)];
    }
    let group = |id: ComponentId| {
        let mut group: BTreeSet<ComponentId> = targets_within_tag(names, id).collect();
        group.insert(id);
        (group, Reason::Events, None)
    };
    eventful.into_iter().map(group).collect()
}

/// The components that read the values of a component at the same tag.
fn targets_within_tag(
    names: &Names<'_>,
    component: ComponentId,
) -> impl Iterator<Item = ComponentId> {
    let wires = names.system.connections.iter();
    let wires = wires.filter(move |wire| !wire.delay && wire.from.component == component);
    wires.map(|wire| wire.to.component)
}

/// The same groups, with those that overlap made one.
pub(super) fn merged(names: &Names<'_>, plan: &Plan) -> Vec<Group> {
    let raw = all(names, plan);
    let mut first: Vec<usize> = (0..names.system.components.len()).collect();
    for (group, _) in &raw {
        for pair in group.components.windows(2) {
            let (one, other) = (first[pair[0].index()], first[pair[1].index()]);
            let (least, most) = (one.min(other), one.max(other));
            first.iter_mut().filter(|it| **it == most).for_each(|it| *it = least);
        }
    }
    let mut members: BTreeMap<usize, Group> = BTreeMap::new();
    for (index, &first) in first.iter().enumerate() {
        let empty = || Group { components: Vec::new(), why: String::new() };
        let group = members.entry(first).or_insert_with(empty);
        group.components.push(ComponentId::from_index(index));
    }
    for (group, _) in &raw {
        let merged = members.get_mut(&first[group.components[0].index()]);
        let why = &mut merged.expect("every component is in a group").why;
        if !why.contains(&group.why) {
            why.push_str(if why.is_empty() { "" } else { "; " });
            why.push_str(&group.why);
        }
    }
    members.into_values().filter(|group| 2 <= group.components.len()).collect()
}
