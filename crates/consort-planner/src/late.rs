//! What is one step late: loops that no iteration reaches, and loops that are broken by a delay.
//!
//! Outputs of a component that answers by step follow its inputs only by the next step. A loop through
//! them is no loop of one tag: each turn takes a step, and what should settle may grow instead.

use crate::circle::Circle;
use crate::cycle::Cycle;
use crate::dependencies::{Declared, Moment, feedthrough};
use crate::flow::Flow;
use crate::loops;
use crate::nodes::{Names, Node};
use crate::remarks;
use crate::usage::Usage;
use consort_core::{ComponentId, ConnectionId, Diagnostic, ModelDescription, Report};
use consort_system::{LoopPolicy, Order, ResolvedSystem};

/// Before there is a plan: delays the connections at which loops are cut that shall be broken by a delay,
/// and refuses loops that shall be iterated but turn only once per step. [`crate::plan`] itself takes
/// those as they are.
///
/// # Panics
/// If `models` has not one description per component.
pub fn settle_loops(
    system: &mut ResolvedSystem,
    models: &[&ModelDescription],
    report: &mut Report,
) {
    assert_eq!(system.components.len(), models.len(), "one description per component");
    let is_delayed = |policy: LoopPolicy| policy == LoopPolicy::Delay;
    if loops::asks_for(system, is_delayed) {
        let names = Names { system, models };
        let cycle = Cycle::of(system, models, &Usage::of(system, models), &mut Report::default());
        remarks::rules_without_loop(&names, &declared(&names, &cycle), is_delayed, report);
    }
    while loops::asks_for(system, is_delayed) {
        let wires = wires_to_delay(system, models);
        if wires.is_empty() {
            break;
        }
        wires.iter().for_each(|wire| system.connections[wire.index()].delay = true);
    }
    if loops::asks_for(system, |policy| matches!(policy, LoopPolicy::Iterate(_))) {
        refuse_iteration(&Names { system, models }, report);
    }
}

fn wires_to_delay(system: &ResolvedSystem, models: &[&ModelDescription]) -> Vec<ConnectionId> {
    let names = Names { system, models };
    let cycle = Cycle::of(system, models, &Usage::of(system, models), &mut Report::default());
    let everything = vec![true; cycle.flow.graph.len()];
    let circles =
        cycle.flow.loops(&everything).map(|it| Circle::new(&cycle.flow, it, &cycle.reactive));
    let broken = circles.filter(|circle| loops::policy(&names, circle) == LoopPolicy::Delay);
    broken.flat_map(|circle| circle.unknowns(system)).collect()
}

/// The loops of declared feedthrough, also of components that answer by step.
fn declared(names: &Names<'_>, cycle: &Cycle<'_>) -> Flow {
    let nodes = cycle.flow.nodes.clone();
    let mut edges = cycle.flow.wires.edges(names.system, &nodes);
    for (index, model) in names.models.iter().enumerate() {
        let declared = Declared::of(model, Moment::Tag);
        feedthrough(&nodes, ComponentId::from_index(index), &declared, &mut edges);
    }
    Flow::new(nodes, cycle.flow.wires.clone(), edges)
}

/// Refuses loops that are to be iterated but turn only once per step.
fn refuse_iteration(names: &Names<'_>, report: &mut Report) {
    let usage = Usage::of(names.system, names.models);
    let cycle = Cycle::of(names.system, names.models, &usage, &mut Report::default());
    let flow = &declared(names, &cycle);
    let everything = vec![true; flow.graph.len()];
    for members in flow.loops(&everything) {
        let sets = members.iter().copied().filter(|&node| flow.nodes.is_set(node));
        let late: Vec<u32> = sets.filter(|&set| cycle.is_late(names, set)).collect();
        let circle = Circle::new(flow, members, &cycle.reactive);
        let is_iterated = || matches!(loops::policy(names, &circle), LoopPolicy::Iterate(_));
        if !late.is_empty() && is_iterated() {
            report.push(refusal(names, &circle, &late));
        }
    }
}

fn refusal(names: &Names<'_>, circle: &Circle<'_>, late: &[u32]) -> Diagnostic {
    let inputs = late.iter().filter_map(|&set| match circle.flow_node(set) {
        Node::Set(component, variable) => Some((component, names.variable(component, variable))),
        _ => None,
    });
    let inputs: Vec<(ComponentId, String)> = inputs.collect();
    let quoted: Vec<String> = inputs.iter().map(|(_, name)| format!("`{name}`")).collect();
    let quoted = loops::shortened(&quoted);
    let chain = circle.chain_text(names);
    // Who chooses `jacobi` chooses the delay: that is what this order means.
    let diagnostic = match names.system.coupling.order {
        Order::Jacobi => Diagnostic::warning,
        Order::Derived | Order::GaussSeidel => Diagnostic::error,
    };
    let message = format!("this loop cannot be iterated: {chain}");
    let mut refusal = circle.shown(names.system, diagnostic("plan::loop-not-iterated", message));
    let why = match names.system.coupling.order {
        Order::Jacobi => "the order `jacobi` reads outputs only after a step",
        Order::Derived | Order::GaussSeidel => {
            "outputs of Co-Simulation follow their inputs only by the next step"
        }
    };
    refusal = refusal.with_note(format!("{why}, so what reaches {quoted} is one step late"));
    if let Some(silent) = loops::silent_models(names, circle, Moment::Tag) {
        refusal = refusal.with_note(silent);
    }
    refusal.help(cure(names, &inputs))
}

fn cure(names: &Names<'_>, late: &[(ComponentId, String)]) -> String {
    const DELAY: &str = "write `loops = \"delay\"` in `[experiment]` to run with that delay";
    if names.system.coupling.order == Order::Jacobi {
        return format!("{DELAY}, or `order = \"derived\"` with `reactive` inputs to repeat steps");
    }
    let can_save =
        |&(id, _): &(ComponentId, String)| names.models[id.index()].capabilities.save_state;
    match late.iter().all(can_save) {
        true => format!(
            "{DELAY}, or list these inputs as `reactive` at their components: then their steps are \
             repeated from saved states until the values agree"
        ),
        false => format!("{DELAY}; repeating steps needs components that can save their state"),
    }
}
