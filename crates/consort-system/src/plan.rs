//! The order of computation as data: printed, hashed, judged, and interpreted by the engine.
//!
//! A plan has three programs. `initialization` runs once. Then, tag by tag:
//!
//! ```text
//! present:  values move along connections, and outputs that follow inputs at once are read again;
//!           afterwards everything at the tag is known, hashed and recorded
//! advance:  components are given their inputs, step to their next tag and are read
//! ```
//!
//! A program is a list of stages; the tasks of one stage are independent of each other, so they may
//! run side by side. A task, or a connection by its source, takes part only at tags where its
//! component is due. What `advance` reads is known to other components from the tag on at which the
//! step ends; only the exchanges *within* `advance` hand it on earlier, to reactive inputs of
//! components with the same period.

use crate::coupling::Iteration;
use crate::resolved::{Port, ResolvedSystem};
use consort_core::{ComponentId, ConnectionId, ModelDescription, VariableId};
use std::fmt::Write as _;

/// How a system is computed.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The name of the order: `derived`, `jacobi`, `gauss-seidel`.
    pub order: String,
    /// Run once, in initialization mode.
    pub initialization: Vec<Stage>,
    /// Run at every tag, before it is recorded. Nothing steps here.
    pub present: Vec<Stage>,
    /// Run at every tag but the last, after it was recorded: leads to the next tags.
    pub advance: Vec<Stage>,
}

/// A part of a program; the next stage starts when this one is done.
#[derive(Clone, PartialEq, Debug)]
pub enum Stage {
    /// Values move along these connections, in this order. A delayed connection hands over what its
    /// source had at the source's previous tag.
    Exchange(Vec<ConnectionId>),
    /// Each task works on its own component; no two tasks of one stage have the same.
    Work(Vec<Task>),
    /// A loop is solved.
    Iterate(Loop),
    /// Steps that may be rejected: the components are saved, the stages run, and if a step ended
    /// early, was refused or was too coarse, all are restored and the stages run with a shorter one.
    Attempt {
        /// Who is saved and restored: everybody who steps in `stages`.
        components: Vec<ComponentId>,
        /// What is tried.
        stages: Vec<Stage>,
    },
}

/// A loop and how it is solved: values for the inputs at the ends of `unknowns` such that running
/// `stages` brings the same values back.
#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    /// The connections at which the loop is cut. The inputs at their ends are given before `stages`
    /// and are exchanged by the last stage.
    pub unknowns: Vec<ConnectionId>,
    /// One evaluation: ends with an exchange that has all `unknowns`.
    pub stages: Vec<Stage>,
    /// Components that are saved before and restored for each further evaluation, because an
    /// evaluation steps them; empty if outputs are merely read again.
    pub rollback: Vec<ComponentId>,
    /// Method, tolerance and limit.
    pub iteration: Iteration,
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
        for (title, stages) in self.programs() {
            let _ = writeln!(text, "{title}");
            printer.stages(&mut text, stages, 1);
        }
        text
    }

    /// Its programs with their names, in the order they run.
    pub fn programs(&self) -> [(&'static str, &[Stage]); 3] {
        [
            ("initialization", &self.initialization),
            ("present", &self.present),
            ("advance", &self.advance),
        ]
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
                Stage::Iterate(it) => {
                    let _ = writeln!(text, "{indent}iterate {}", self.iteration(it));
                    self.stages(text, &it.stages, depth + 1);
                }
                Stage::Attempt { components, stages } => {
                    let _ = writeln!(text, "{indent}attempt rollback {}", self.list(components));
                    self.stages(text, stages, depth + 1);
                }
            }
        }
    }

    fn iteration(&self, it: &Loop) -> String {
        let Iteration { method, tolerance, limit, relaxation } = it.iteration;
        let mut text = format!(
            "{} tolerance {tolerance:?} limit {limit} relaxation {relaxation:?}",
            method.name()
        );
        if !it.rollback.is_empty() {
            let _ = write!(text, " rollback {}", self.list(&it.rollback));
        }
        let unknowns: Vec<String> = it.unknowns.iter().map(|&id| self.connection(id)).collect();
        let _ = write!(text, " unknowns {}", unknowns.join(", "));
        text
    }

    fn list(&self, components: &[ComponentId]) -> String {
        let names: Vec<&str> = components.iter().map(|&id| self.component(id)).collect();
        names.join(", ")
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
        if connection.delay {
            text.push_str(" delayed");
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
