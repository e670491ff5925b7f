//! Derives the order in which a system is computed.
//!
//! The result is a [`Plan`]: data that is printed, hashed and interpreted elsewhere. Today there is
//! one order for the cycle, Jacobi: at every tag all values move along all connections, then every
//! component that is due is given its inputs and steps, independently of the others. Initialization
//! is ordered per *variable*: an output is read only after the inputs it depends on were set.
//!
//! Two facts decide what is moved in a cycle: inputs that are connected, fed by a table or acted on
//! by an intervention are set; outputs, recorded locals and what conditions look at are read.

mod graph;
mod initialization;
mod usage;

use consort_core::{ComponentId, ConnectionId, ModelDescription, Report};
use consort_system::{Operation, Plan, ResolvedSystem, Stage, Task};

pub use usage::Usage;

/// Makes the Jacobi plan of a system.
///
/// `models` has one description per component. Remarks on what had to be assumed go to `report`.
pub fn plan(system: &ResolvedSystem, models: &[&ModelDescription], report: &mut Report) -> Plan {
    assert_eq!(system.components.len(), models.len(), "one description per component");
    let usage = Usage::of(system, models);
    Plan {
        order: "jacobi".to_owned(),
        initialization: initialization::stages(system, models, report),
        present: vec![Stage::Exchange(exchange_order(system))],
        advance: vec![Stage::Work(work(system, &usage))],
    }
}

/// Connections sorted by where they go, so that a component's inputs are filled together.
fn exchange_order(system: &ResolvedSystem) -> Vec<ConnectionId> {
    let mut order: Vec<usize> = (0..system.connections.len()).collect();
    order.sort_by_key(|&index| system.connections[index].to);
    order.into_iter().map(ConnectionId::from_index).collect()
}

fn work(system: &ResolvedSystem, usage: &Usage) -> Vec<Task> {
    let tasks = (0..system.components.len()).map(|index| Task {
        component: ComponentId::from_index(index),
        operations: vec![
            Operation::Set(usage.set_in_cycle[index].clone()),
            Operation::Step,
            Operation::Get(usage.get_in_cycle[index].clone()),
        ],
    });
    tasks.collect()
}
