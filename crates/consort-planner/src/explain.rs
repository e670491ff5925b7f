//! A plan explained, for people: plain data with names, to be printed or drawn elsewhere.

mod delays;
mod drift;
mod federation;
mod graph;
mod lag;
mod loops;
mod together;

use crate::cycle::Cycle;
use crate::nodes::Names;
use crate::usage::Usage;
use consort_core::{ModelDescription, Report};
use consort_system::{Operation, Plan, ResolvedSystem, Stage};
use serde::Serialize;

pub use delays::{
    BrokenDelay, DelayReason, DelayedConnection, EqualDelay, Lag, LateConnection, Path,
    late_connections,
};
pub use federation::{Federate, Federation, OutputGroup};
pub use graph::{EdgeKind, GraphEdge, GraphNode, Level, NodeKind};
pub use loops::{ChainLink, LoopExplanation, LoopProgram};
pub use together::{ApartExplanation, TogetherExplanation};

/// Why a plan is as it is, and what follows from it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The name of the order.
    pub order: String,
    /// What is given, read and stepped, to draw the graph from.
    pub nodes: Vec<GraphNode>,
    /// What leads to what, by index into `nodes`.
    pub edges: Vec<GraphEdge>,
    /// What is read at each level of the tag.
    pub levels: Vec<Level>,
    /// The components that step together, stage by stage.
    pub step_order: Vec<Vec<String>>,
    /// The components that are integrated together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<TogetherExplanation>,
    /// Connections between components that are integrated, but not as one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<ApartExplanation>,
    /// Loops of the initial equations, then those of the cycle.
    pub loops: Vec<LoopExplanation>,
    /// Connections whose value is used late, and why.
    pub delays: Vec<DelayedConnection>,
    /// For every output that is late at all: by how many steps at most.
    pub lags: Vec<Lag>,
    /// How the system would run as a federation.
    pub federation: Federation,
    /// For every discrete component whether its inputs are of one age.
    pub equal_delays: Vec<EqualDelay>,
    /// What may go wrong outside of Consort, or is likely not meant.
    pub warnings: Vec<String>,
}

/// Explains a plan of a system.
///
/// # Panics
/// If `models` has not one description per component.
pub fn explain(system: &ResolvedSystem, models: &[&ModelDescription], plan: &Plan) -> Explanation {
    assert_eq!(system.components.len(), models.len(), "one description per component");
    let usage = Usage::of(system, models);
    let names = Names { system, models };
    // What is to be said to the user was said when the plan was made.
    let cycle = Cycle::of(system, models, &usage, &mut Report::default());
    let levels = cycle.flow.levels(&vec![true; cycle.flow.graph.len()]);
    let ages = lag::Ages::of(&names, &cycle);
    let federation = federation::of(&names, &cycle, &levels);
    let drawn = graph::draw(&names, &cycle, &levels, &ages);
    let loops = loops::all(&names, &cycle);
    let mut warnings = drift::warnings(&names, &federation);
    warnings.extend(loops::warnings(&loops));
    Explanation {
        order: plan.order.clone(),
        levels: graph::by_level(&names, &cycle, &levels),
        nodes: drawn.0,
        edges: drawn.1,
        step_order: step_order(&names, &plan.advance),
        together: together::together(&names, cycle.flow.nodes.groups()),
        apart: together::apart(&names, cycle.flow.nodes.groups()),
        loops,
        delays: delays::delays(&names, &cycle, &ages),
        lags: delays::lags(&names, &cycle, &ages),
        equal_delays: delays::equal_delays(&names, &cycle, &ages),
        federation,
        warnings,
    }
}

/// The components that step, by stage; without the stages in which none does.
fn step_order(names: &Names<'_>, stages: &[Stage]) -> Vec<Vec<String>> {
    let mut order = Vec::new();
    for stage in stages {
        match stage {
            Stage::Exchange(_) => {}
            Stage::Work(tasks) => {
                let steps = tasks.iter().filter(|task| task.operations.contains(&Operation::Step));
                let names: Vec<String> =
                    steps.map(|task| names.component(task.component).to_owned()).collect();
                if !names.is_empty() {
                    order.push(names);
                }
            }
            Stage::Iterate(it) => order.extend(step_order(names, &it.stages)),
            Stage::Attempt { stages, .. } => order.extend(step_order(names, stages)),
            Stage::Integrate(it) => {
                let list = it.components.iter().map(|&id| names.component(id).to_owned());
                order.push(list.collect());
            }
        }
    }
    order
}
