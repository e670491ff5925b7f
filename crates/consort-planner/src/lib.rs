//! Derives the order in which a system is computed.
//!
//! The result is a [`Plan`]: data that is printed, hashed, judged and interpreted elsewhere. The
//! way there:
//!
//! ```text
//! usage           which inputs are given and which variables are read at all
//! nodes           those, and one step per component, numbered
//! dependencies    edges: connections, and feedthrough as `ModelStructure` declares it
//! together        who is integrated as one, and one evaluation of the whole
//! reactivity      which inputs a step waits for: the user's, or Gauss-Seidel's
//! flow            the graph, its loops (strongly connected components) and levels
//! circle, loops   a loop: where it is cut, its closed chain, what becomes of it
//! late            loops that turn only once per step, or are broken by a delay
//! initialization  } the programs that follow
//! cycle           }
//! variable_step   steps of changing size: `advance` as an attempt
//! remarks         what had to be assumed
//! explain         the same as texts and numbers, for people
//! projection      a plan cut into nodes, for a distributed run
//! ```
//!
//! **The order at a tag** is per *variable*. What a step leaves behind is read right after it. An
//! output that follows inputs at once is read in `present`, after those inputs were given; so one
//! component may be read at several levels (position first, then, once the environment answered,
//! the rest). An input that no such output waits for is given right before the step. A system
//! without feedthrough so becomes: exchange everything, then step everything side by side.
//!
//! **The order of steps** matters only for reactive inputs, whose value at the end of the step the
//! step waits for: then `advance` has several stages.

mod circle;
mod compose;
mod cycle;
mod dependencies;
mod explain;
mod flow;
mod graph;
mod groups;
mod initialization;
mod late;
mod loops;
mod nodes;
mod projection;
mod reactivity;
mod remarks;
mod together;
mod usage;
mod variable_step;

use crate::cycle::Cycle;
use crate::groups::Groups;
use crate::nodes::Names;
use consort_core::{ComponentId, ConnectionId, ModelDescription, Report};
use consort_system::{LoopPolicy, Operation, Order, Plan, ResolvedSystem, Stage, Task};

pub use explain::{
    ApartExplanation, BrokenDelay, ChainLink, DelayReason, DelayedConnection, EdgeKind, EqualDelay,
    Explanation, Federate, Federation, GraphEdge, GraphNode, Lag, LateConnection, Level,
    LoopExplanation, LoopProgram, NodeKind, OutputGroup, Path, TogetherExplanation, explain,
    late_connections,
};
pub use late::settle_loops;
pub use projection::{Group, groups, project};
pub use usage::Usage;

/// Makes the plan of a system, in the order its coupling asks for.
///
/// `models` has one description per component. What is wrong, and remarks on what had to be
/// assumed, go to `report`; `None` after an error.
///
/// # Panics
/// If `models` has not one description per component.
pub fn plan(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    report: &mut Report,
) -> Option<Plan> {
    assert_eq!(system.components.len(), models.len(), "one description per component");
    let errors_before = report.error_count();
    let (usage, names) = (Usage::of(system, models), Names { system, models });
    let order = system.coupling.order;
    let mut remarks = Report::default();
    let initialization = initialization::stages(system, models, &mut remarks);
    let (present, advance) = match order {
        Order::Jacobi => {
            remarks::reactive_in_jacobi(&names, report);
            jacobi(system, models, &usage)
        }
        Order::Derived | Order::GaussSeidel => {
            let cycle = Cycle::of(system, models, &usage, report);
            remarks::no_dependencies(&names, &cycle, report);
            let is_here = |policy: LoopPolicy| policy != LoopPolicy::Delay;
            remarks::rules_without_loop(&names, &cycle.flow, is_here, report);
            cycle.programs(report)
        }
    };
    let advance = variable_step::wrap(system, models, advance, report);
    let plan = Plan { order: order.name().to_owned(), initialization, present, advance };
    if errors_before < report.error_count() {
        return None; // what was remarked about a plan that does not come about would only distract
    }
    remarks.diagnostics().iter().for_each(|remark| report.push(remark.clone()));
    Some(plan)
}

/// All values move, then all components step; feedthrough is not looked at, but within what is
/// integrated together.
fn jacobi(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    usage: &Usage,
) -> (Vec<Stage>, Vec<Stage>) {
    let groups = Groups::of(system, models);
    let together = together::stages(system, models, &groups);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for index in 0..system.components.len() {
        let component = ComponentId::from_index(index);
        let set = Operation::Set(usage.set_in_cycle[index].clone());
        let get = Operation::Get(usage.get_in_cycle[index].clone());
        if together.iter().any(|it| it.components.contains(&component)) {
            before.push(Task { component, operations: vec![set] });
            after.push(Task { component, operations: vec![get] });
        } else {
            before.push(Task { component, operations: vec![set, Operation::Step, get] });
        }
    }
    let mut advance = Vec::new();
    compose::push_tasks(before, &mut advance);
    advance.extend(together.into_iter().map(Stage::Integrate));
    compose::push_tasks(after, &mut advance);
    (vec![Stage::Exchange(exchange_order(system))], advance)
}

/// Connections sorted by where they go, so that a component's inputs are filled together.
fn exchange_order(system: &ResolvedSystem) -> Vec<ConnectionId> {
    let mut order: Vec<usize> = (0..system.connections.len()).collect();
    order.sort_by_key(|&index| system.connections[index].to);
    order.into_iter().map(ConnectionId::from_index).collect()
}
