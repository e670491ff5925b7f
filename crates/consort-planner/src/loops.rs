//! The treatment of algebraic loops, and the diagnostics about them.

use crate::circle::Circle;
use crate::dependencies::{Declared, Moment};
use crate::nodes::{Names, Node};
use consort_core::{Diagnostic, Report};
use consort_system::{Iteration, LoopPolicy, ResolvedSystem};

/// How a loop is solved; `None` after an error.
pub(crate) fn judge(
    names: &Names<'_>,
    circle: &Circle<'_>,
    report: &mut Report,
) -> Option<Iteration> {
    match policy(names, circle) {
        // Connections of a loop that is to be delayed are, before there is a plan.
        LoopPolicy::Error | LoopPolicy::Delay => {
            report.push(refusal(names, circle));
            None
        }
        LoopPolicy::Iterate(iteration) => {
            let stuck = without_rollback(names, circle);
            if stuck.is_empty() {
                return Some(iteration);
            }
            report.push(no_rollback(names, circle, &stuck));
            None
        }
    }
}

/// What the first rule that names a variable of the loop says, or else what holds for all loops.
pub(crate) fn policy(names: &Names<'_>, circle: &Circle<'_>) -> LoopPolicy {
    let coupling = &names.system.coupling;
    if coupling.rules.is_empty() {
        return coupling.loops;
    }
    let mut variables: Vec<_> = circle.variables().into_iter().filter_map(variable).collect();
    variables.sort_unstable();
    let is_on = |rule: &&consort_system::ResolvedLoopRule| {
        variables.binary_search(&(rule.component, rule.variable)).is_ok()
    };
    coupling.rules.iter().find(is_on).map_or(coupling.loops, |rule| rule.policy)
}

/// Whether such a policy is asked for, for all loops or for some.
pub(crate) fn asks_for(system: &ResolvedSystem, wanted: impl Fn(LoopPolicy) -> bool) -> bool {
    let coupling = &system.coupling;
    wanted(coupling.loops) || coupling.rules.iter().any(|rule| wanted(rule.policy))
}

fn variable(node: Node) -> Option<(consort_core::ComponentId, consort_core::VariableId)> {
    match node {
        Node::Set(component, variable) | Node::Get(component, variable) => {
            Some((component, variable))
        }
        Node::Step(_) | Node::Inputs(_) => None,
    }
}

fn refusal(names: &Names<'_>, circle: &Circle<'_>) -> Diagnostic {
    let chain = circle.chain_text(names);
    let count = circle.variables().len();
    let mut refusal = Diagnostic::error(
        "plan::algebraic-loop",
        format!("values of one tag depend on each other: {chain}"),
    )
    .with_note(format!("{count} variables are on the loop"));
    refusal = circle.shown(names.system, refusal);
    for cure in cures(names, circle) {
        refusal = refusal.with_note(cure);
    }
    refusal.help(
        "write `loops = \"iterate\"` in `[experiment]` to solve the loop at every tag, \
         `loops = \"delay\"` to break it by a step of delay, or `delay = true` at a connection of it",
    )
}

/// What would break a loop, in sentences.
pub(crate) fn cures(names: &Names<'_>, circle: &Circle<'_>) -> Vec<String> {
    let breakers = circle.breakers(names.system);
    let quoted = |wires: &[consort_core::ConnectionId]| -> String {
        let wires = wires.iter().map(|&wire| format!("`{}`", names.wire(wire)));
        wires.collect::<Vec<_>>().join(", ")
    };
    let mut cures = Vec::new();
    if breakers.is_empty() {
        let unknowns = circle.unknowns(names.system);
        cures.push(format!(
            "`delay = true` at all of these connections would break it, at the price of a step \
             of delay: {}",
            quoted(&unknowns)
        ));
    } else {
        cures.push(format!(
            "`delay = true` at one of these connections would break it, at the price of a step \
             of delay: {}",
            quoted(&breakers)
        ));
    }
    if !circle.stepped().is_empty() {
        let inputs = circle.reactive_inputs().into_iter().filter_map(variable);
        let inputs =
            inputs.map(|(component, input)| format!("`{}`", names.variable(component, input)));
        cures.push(format!(
            "an input that is not reactive waits for no step; reactive on the loop: {}",
            inputs.collect::<Vec<_>>().join(", ")
        ));
    }
    cures.extend(silent_models(names, circle, Moment::Tag));
    cures
}

/// The models on a loop that do not say what their outputs depend on.
pub(crate) fn silent_models(
    names: &Names<'_>,
    circle: &Circle<'_>,
    moment: Moment,
) -> Option<String> {
    let mut list = Vec::new();
    let gets = circle.variables().into_iter().filter(|node| matches!(node, Node::Get(..)));
    let gets: Vec<_> = gets.filter_map(variable).collect();
    for of_component in gets.chunk_by(|a, b| a.0 == b.0) {
        let component = of_component[0].0;
        let model = names.models[component.index()];
        // Where only a step leads from inputs to outputs, it leads to all of them anyway.
        let matters = circle.has_all_inputs_of(component);
        let declared = Declared::of(model, moment);
        if matters && of_component.iter().any(|&(_, variable)| declared.is_silent_on(variable)) {
            list.push(format!("`{}`", model.name));
        }
    }
    list.sort();
    list.dedup();
    let says = match list.len() {
        0 => return None,
        1 => "declares no dependencies, so all of its outputs are taken to depend on all of its",
        _ => "declare no dependencies, so all of their outputs are taken to depend on all of their",
    };
    let models = list.join(", ");
    Some(format!(
        "{models} {says} inputs; a complete `ModelStructure` would show whether the loop is real"
    ))
}

/// The components that the loop steps and that cannot go back.
fn without_rollback<'a>(names: &Names<'a>, circle: &Circle<'_>) -> Vec<&'a str> {
    let stepped = circle.stepped().into_iter();
    let stuck = stepped.filter(|id| !names.models[id.index()].capabilities.save_state);
    stuck.map(|id| names.component(id)).collect()
}

fn no_rollback(names: &Names<'_>, circle: &Circle<'_>, stuck: &[&str]) -> Diagnostic {
    let list: Vec<String> = stuck.iter().map(|name| format!("`{name}`")).collect();
    Diagnostic::error(
        "plan::cannot-roll-back",
        format!("the loop cannot be iterated: {} cannot save its state", list.join(", ")),
    )
    .with_note(format!("the loop: {}", circle.chain_text(names)))
    .with_note("each evaluation of the loop is a step that is taken back before the next")
    .help("write `delay = true` at a connection of the loop, or remove its input from `reactive`")
}

/// How many names a remark has.
const NAMES_MAX: usize = 5;

pub(crate) fn shortened(names: &[String]) -> String {
    let shown = names[..names.len().min(NAMES_MAX)].join(", ");
    match names.len().checked_sub(NAMES_MAX) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}
