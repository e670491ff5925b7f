//! The order of initialization, per variable: read an output only after the inputs it depends on
//! were set. Where the initial equations loop, the loop is solved.

use crate::circle::Circle;
use crate::compose::one_pass;
use crate::dependencies::Moment;
use crate::flow::Flow;
use crate::loops;
use crate::nodes::Names;
use consort_core::{Diagnostic, ModelDescription, Report, ValueType};
use consort_system::{Iteration, LoopPolicy, ResolvedConnection, ResolvedSystem, Stage};

/// The graph of the initial equations. Clocks are left out: none ticks in initialization. Delayed
/// connections too: their inputs keep their start values.
pub(crate) fn flow(system: &ResolvedSystem, models: &[&ModelDescription]) -> Flow {
    let counts = |wire: &&ResolvedConnection| !wire.delay && !is_clocked(wire, models);
    let columns = system.feed.iter().flat_map(|feed| &feed.columns);
    let fed = columns.map(|column| column.to);
    Flow::at_once(&Names { system, models }, Moment::Initialization, counts, fed)
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
