//! The order of initialization, per variable: read an output only after the inputs it depends on
//! were set. Where the initial equations loop, the loop is solved.

use crate::circle::Circle;
use crate::compose::one_pass;
use crate::dependencies::{Moment, Wires, feedthrough_of_all};
use crate::flow::Flow;
use crate::loops;
use crate::nodes::{Names, Nodes};
use consort_core::{ComponentId, Diagnostic, ModelDescription, Report, ValueType, VariableId};
use consort_system::{Iteration, LoopPolicy, Port, ResolvedConnection, ResolvedSystem, Stage};

/// The graph of the initial equations. Clocks are left out: none ticks in initialization. Delayed
/// connections too: their inputs keep their start values.
pub(crate) fn flow(system: &ResolvedSystem, models: &[&ModelDescription]) -> Flow {
    let node = |port: Port| (port.component, port.variable);
    let counts = |wire: &&ResolvedConnection| !wire.delay && !is_clocked(wire, models);
    let wires = || system.connections.iter().filter(counts);
    let mut sets: Vec<(ComponentId, VariableId)> = wires().map(|wire| node(wire.to)).collect();
    let columns = system.feed.iter().flat_map(|feed| &feed.columns);
    sets.extend(columns.map(|column| node(column.to)));
    let gets = wires().map(|wire| node(wire.from)).collect();
    let nodes = Nodes::new(sets, gets, system.components.len());
    let wires = Wires::of(system, &nodes);
    let mut edges = wires.edges(system, &nodes);
    edges.extend(feedthrough_of_all(&nodes, models, Moment::Initialization));
    Flow::new(nodes, wires, edges)
}

pub(crate) fn stages(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    report: &mut Report,
) -> Vec<Stage> {
    let names = Names { system, models };
    one_pass(system, &flow(system, models), |circle| {
        report.push(remark(&names, circle));
        Some(iteration(&names, circle))
    })
}

/// A loop of initial equations is always solved: by the user's rule if there is one.
pub(crate) fn iteration(names: &Names<'_>, circle: &Circle<'_>) -> Iteration {
    match loops::policy(names, circle) {
        LoopPolicy::Iterate(iteration) => iteration,
        LoopPolicy::Error | LoopPolicy::Delay => Iteration::default(),
    }
}

fn remark(names: &Names<'_>, circle: &Circle<'_>) -> Diagnostic {
    let remark = Diagnostic::note(
        "plan::initial-loop",
        format!("initial values depend on each other: {}", circle.chain_text(names)),
    );
    let remark = remark.with_note("they are computed again until they no longer change");
    match loops::silent_models(names, circle, Moment::Initialization) {
        Some(silent) => remark.help(silent),
        None => remark,
    }
}

fn is_clocked(wire: &ResolvedConnection, models: &[&ModelDescription]) -> bool {
    let source = &models[wire.from.component.index()].variables[wire.from.variable.index()];
    source.value_type == ValueType::Clock
}
