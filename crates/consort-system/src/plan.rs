//! The order of computation as data: printed, hashed, and interpreted by the engine.
//!
//! A plan has two programs: `initialization`, run once, and `cycle`, run at every tag. A program is
//! a list of stages; the tasks of one stage are independent of each other, so they may run side by
//! side. In a cycle, a task or connection takes part only at tags where its component is due.

use crate::resolved::{Port, ResolvedSystem};
use consort_core::{ComponentId, ConnectionId, ModelDescription, VariableId};
use std::fmt::Write as _;

/// How a system is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How the order was chosen, for a person: `jacobi`.
    pub order: String,
    /// Run once, in initialization mode.
    pub initialization: Vec<Stage>,
    /// Run at every tag.
    pub cycle: Vec<Stage>,
}

/// A part of a program; the next stage starts when this one is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Values move along these connections, in this order.
    Exchange(Vec<ConnectionId>),
    /// Each task works on its own component.
    Work(Vec<Task>),
    /// The stages are repeated until no exchanged value changes any more, at most `limit` times.
    Settle {
        /// What is repeated.
        stages: Vec<Stage>,
        /// The most rounds.
        limit: u32,
    },
}

/// Operations on one component, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Which component.
    pub component: ComponentId,
    /// What is done with it.
    pub operations: Vec<Operation>,
}

/// One thing done with a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Hand these inputs to the instance.
    Set(Vec<VariableId>),
    /// Read these variables from the instance.
    Get(Vec<VariableId>),
    /// Move on by the component's period.
    Step,
    /// Activate this clock and handle the event it makes.
    Tick(VariableId),
}

impl Plan {
    /// The plan as text, with names: what is printed, and what is hashed.
    pub fn to_text(&self, system: &ResolvedSystem, models: &[&ModelDescription]) -> String {
        let printer = Printer { system, models };
        let mut text = format!("plan {} order {}\n", system.name, self.order);
        printer.periods(&mut text);
        for (title, stages) in [("initialization", &self.initialization), ("cycle", &self.cycle)] {
            let _ = writeln!(text, "{title}");
            printer.stages(&mut text, stages, 1);
        }
        text
    }
}

struct Printer<'a> {
    system: &'a ResolvedSystem,
    models: &'a [&'a ModelDescription],
}

impl Printer<'_> {
    fn periods(&self, text: &mut String) {
        let _ = writeln!(text, "resolution {}", self.system.experiment.resolution);
        for component in &self.system.components {
            let _ = writeln!(text, "every {} ticks {}", component.period.ticks(), component.name);
        }
    }

    fn stages(&self, text: &mut String, stages: &[Stage], depth: usize) {
        let indent = "  ".repeat(depth);
        for stage in stages {
            match stage {
                Stage::Exchange(connections) => {
                    let _ = writeln!(text, "{indent}exchange");
                    for connection in connections {
                        let _ = writeln!(text, "{indent}  {}", self.connection(*connection));
                    }
                }
                Stage::Work(tasks) => {
                    let _ = writeln!(text, "{indent}work");
                    for task in tasks {
                        let _ = writeln!(text, "{indent}  {}", self.task(task));
                    }
                }
                Stage::Settle { stages, limit } => {
                    let _ = writeln!(text, "{indent}settle at most {limit} times");
                    self.stages(text, stages, depth + 1);
                }
            }
        }
    }

    fn task(&self, task: &Task) -> String {
        let names = |list: &[VariableId]| -> String {
            let names = list.iter().map(|&id| self.variable(task.component, id));
            names.collect::<Vec<_>>().join(", ")
        };
        let operation = |operation: &Operation| match operation {
            Operation::Set(list) => format!("set {}", names(list)),
            Operation::Get(list) => format!("get {}", names(list)),
            Operation::Step => "step".to_owned(),
            Operation::Tick(clock) => format!("tick {}", names(&[*clock])),
        };
        let operations: Vec<String> = task.operations.iter().map(operation).collect();
        format!("{}: {}", self.component(task.component), operations.join("; "))
    }

    fn connection(&self, id: ConnectionId) -> String {
        let connection = &self.system.connections[id.index()];
        let mut text = format!("{} -> {}", self.port(connection.from), self.port(connection.to));
        if !connection.conversion.is_identity() {
            let conversion = connection.conversion;
            let _ = write!(text, " times {:?} plus {:?}", conversion.gain, conversion.offset);
        }
        text
    }

    fn port(&self, port: Port) -> String {
        let name = self.variable(port.component, port.variable);
        let whole = self.system.components[port.component.index()].counts[port.variable.index()];
        let part = if port.count == whole {
            String::new()
        } else {
            format!("[{}..{}]", port.first, port.first + port.count)
        };
        format!("{}.{name}{part}", self.component(port.component))
    }

    fn component(&self, id: ComponentId) -> &str {
        &self.system.components[id.index()].name
    }

    fn variable(&self, component: ComponentId, id: VariableId) -> &str {
        &self.models[component.index()].variables[id.index()].name
    }
}
