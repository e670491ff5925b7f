//! A plan as text.

use super::{Loop, Operation, Plan, Stage, Task};
use crate::coupling::Iteration;
use crate::resolved::{Port, ResolvedSystem};
use consort_core::{ComponentId, ConnectionId, ModelDescription, ValueType, VariableId};
use std::borrow::Cow;
use std::fmt::Write as _;

impl Plan {
    /// The plan as text, with names: what is printed, and what is hashed.
    pub fn to_text(&self, system: &ResolvedSystem, models: &[&ModelDescription]) -> String {
        let printer = Printer { system, models };
        let mut text = format!("plan {} order {}\n", quoted(&system.name, true), self.order);
        printer.periods(&mut text);
        for (title, stages) in self.programs() {
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
            let _ = writeln!(
                text,
                "every {} ticks {}",
                component.period.ticks(),
                quoted(&component.name, false)
            );
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
                Stage::Integrate(it) => {
                    let _ = writeln!(text, "{indent}integrate {}", self.list(&it.components));
                    self.stages(text, &it.stages, depth + 1);
                }
            }
        }
    }

    fn iteration(&self, it: &Loop) -> String {
        let Iteration { method, tolerance, limit, relaxation, accept_after } = it.iteration;
        let mut text = format!(
            "{} tolerance {tolerance:?} limit {limit} relaxation {relaxation:?}",
            method.name()
        );
        if let Some(count) = accept_after {
            let _ = write!(text, " accept-after {count}");
        }
        if !it.rollback.is_empty() {
            let _ = write!(text, " rollback {}", self.list(&it.rollback));
        }
        let unknowns: Vec<String> = it.unknowns.iter().map(|&id| self.connection(id)).collect();
        let _ = write!(text, " unknowns {}", unknowns.join(", "));
        text
    }

    fn list(&self, components: &[ComponentId]) -> String {
        let names: Vec<Cow<'_, str>> = components.iter().map(|&id| self.component(id)).collect();
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
        let (from, to) = (self.value_type(connection.from), self.value_type(connection.to));
        if from != to {
            let _ = write!(text, " as {to}");
        }
        if !connection.conversion.is_identity() {
            let conversion = connection.conversion;
            let _ = write!(text, " times {:?} plus {:?}", conversion.gain, conversion.offset);
        }
        if connection.delay {
            text.push_str(" delayed");
        }
        text
    }

    fn value_type(&self, port: Port) -> ValueType {
        self.models[port.component.index()].variables[port.variable.index()].value_type
    }

    fn port(&self, port: Port) -> String {
        let name = self.variable(port.component, port.variable);
        let whole = self.system.components[port.component.index()].counts[port.variable.index()];
        let part = if port.count == whole {
            String::new()
        } else {
            // Counted from 1, both ends included, as a system file counts elements.
            format!("[{}..{}]", port.first + 1, port.first + port.count)
        };
        format!("{}.{name}{part}", self.component(port.component))
    }

    fn component(&self, id: ComponentId) -> Cow<'_, str> {
        quoted(&self.system.components[id.index()].name, false)
    }

    fn variable(&self, component: ComponentId, id: VariableId) -> Cow<'_, str> {
        quoted(&self.models[component.index()].variables[id.index()].name, true)
    }
}

/// A name in a plan: in quotes if it is ambiguous without.
fn quoted(name: &str, dots: bool) -> Cow<'_, str> {
    let is_plain = !name.is_empty()
        && !name.contains("..")
        && name.chars().all(is_plain)
        && (dots || !name.contains('.'));
    if is_plain { Cow::Borrowed(name) } else { Cow::Owned(format!("{name:?}")) }
}

/// Whether a name with this character needs no quotes.
pub(super) fn is_plain(character: char) -> bool {
    character.is_alphanumeric() || "_.-[]()/".contains(character)
}
