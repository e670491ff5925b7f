//! `fmu.port` to ports, and connections between them.

use super::hocon::{Field, Node};
use super::reader::Reader;
use consort_core::{ComponentId, Diagnostic, Span, VariableId};
use consort_system::Scenario;
use consort_system::scenario::{Configuration, ScenarioConnection, ScenarioPort};
use std::collections::BTreeMap;

/// What references refer to.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) ports: &'k Ports,
    pub(super) scenario: &'k Scenario,
}

/// Which way values go through a port.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    Input,
    Output,
}

impl Direction {
    /// The direction with its article, for messages.
    fn words(self) -> &'static str {
        match self {
            Direction::Input => "an input",
            Direction::Output => "an output",
        }
    }
}

/// Names of FMUs and their ports to ids.
pub(super) struct Ports {
    fmus: BTreeMap<String, (ComponentId, BTreeMap<String, VariableId>)>,
}

impl Ports {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let mut fmus = BTreeMap::new();
        for (index, fmu) in scenario.fmus.iter().enumerate() {
            let inputs = fmu.inputs.iter().map(|it| it.name.clone());
            let names = inputs.chain(fmu.outputs.iter().map(|it| it.name.clone()));
            let ports = names.enumerate().map(|(at, name)| (name, VariableId::from_index(at)));
            fmus.insert(fmu.name.clone(), (ComponentId::from_index(index), ports.collect()));
        }
        Ports { fmus }
    }
}

impl Reader<'_> {
    /// An FMU, by the name in a value.
    pub(super) fn fmu_of(&mut self, node: &Node, known: Known<'_>) -> Option<ComponentId> {
        let name = self.text(node)?;
        self.find_fmu(name.trim(), node.span, known.ports)
    }

    fn find_fmu(&mut self, name: &str, span: Span, ports: &Ports) -> Option<ComponentId> {
        let found = ports.fmus.get(name).map(|(id, _)| *id);
        if found.is_none() {
            let names: Vec<&str> = ports.fmus.keys().map(String::as_str).collect();
            let message = format!("the scenario has no FMU `{name}`");
            self.unknown("scenario::unknown-fmu", span, message, name, &names);
        }
        found
    }

    fn named_port(&mut self, text: &str, span: Span, ports: &Ports) -> Option<ScenarioPort> {
        let Some((fmu, port)) = text.trim().split_once('.') else {
            self.report.push(
                Diagnostic::error(
                    "scenario::bad-port",
                    format!("`{}` does not name a port", text.trim()),
                )
                .at(span, "expected `fmu.port`")
                .help("write the FMU, a dot and the port, such as `tank.level`"),
            );
            return None;
        };
        let id = self.find_fmu(fmu, span, ports)?;
        let (_, known) = &ports.fmus[fmu];
        let found = known.get(port).copied();
        if found.is_none() {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            let message = format!("`{fmu}` has no port `{port}`");
            self.unknown("scenario::unknown-port", span, message, port, &names);
        }
        found.map(|port| ScenarioPort { fmu: id, port })
    }

    /// The port that a text names, which must have this direction.
    fn directed(
        &mut self,
        text: &str,
        span: Span,
        known: Known<'_>,
        wanted: Direction,
    ) -> Option<ScenarioPort> {
        let port = self.named_port(text, span, known.ports)?;
        let inputs = known.scenario.fmus[port.fmu.index()].inputs.len();
        let is = if port.port.index() < inputs { Direction::Input } else { Direction::Output };
        if is == wanted {
            return Some(port);
        }
        let message = format!("`{}` is {}", known.scenario.port_name(port), is.words());
        self.report.push(
            Diagnostic::error("scenario::wrong-direction", message)
                .at(span, format!("expected {}", wanted.words()))
                .help(
                    "outputs are read with `get`, inputs are set, connections go `output -> input`",
                ),
        );
        None
    }

    /// The port that a value names, which must have this direction.
    pub(super) fn port(
        &mut self,
        node: &Node,
        known: Known<'_>,
        wanted: Direction,
    ) -> Option<ScenarioPort> {
        let text = self.text(node)?;
        self.directed(&text, node.span, known, wanted)
    }

    pub(super) fn connections(&mut self, node: &Node, known: Known<'_>) -> Vec<ScenarioConnection> {
        let Some(list) = self.list(node) else { return Vec::new() };
        let mut fed: BTreeMap<ScenarioPort, Span> = BTreeMap::new();
        let mut connections = Vec::new();
        for node in list {
            let Some(connection) = self.connection(node, known) else { continue };
            match fed.insert(connection.to, node.span) {
                None => connections.push(connection),
                Some(first) => {
                    let name = known.scenario.port_name(connection.to);
                    let message = format!("`{name}` is connected twice");
                    self.report.push(
                        Diagnostic::error("scenario::connected-twice", message)
                            .at(node.span, "again")
                            .label(first, "first here")
                            .help("an input has one source: remove one of the connections"),
                    );
                }
            }
        }
        connections
    }

    fn connection(&mut self, node: &Node, known: Known<'_>) -> Option<ScenarioConnection> {
        let text = self.text(node)?;
        let Some((from, to)) = text.split_once("->") else {
            let message = format!("`{text}` is not a connection");
            self.report.push(
                Diagnostic::error("scenario::bad-connection", message)
                    .at(node.span, "expected `->`")
                    .help("write it as `fmu.output -> fmu.input`"),
            );
            return None;
        };
        let from = self.directed(from, node.span, known, Direction::Output);
        let to = self.directed(to, node.span, known, Direction::Input);
        Some(ScenarioConnection { from: from?, to: to? })
    }

    pub(super) fn configuration(
        &mut self,
        field: &Field,
        inputs: &[ScenarioPort],
        known: Known<'_>,
    ) -> Option<Configuration> {
        let scenario = known.scenario;
        let parts = self.object(&field.node)?;
        self.only_known(parts, &["inputs", "connections", "cosim-step"], "a configuration");
        let step = match parts.get("cosim-step") {
            Some(node) => self.step_name(node, scenario)?,
            None => String::new(),
        };
        let mut reactive = Vec::new();
        let given = parts.get("inputs").and_then(|node| self.object(node));
        for input in given.map_or(&[][..], |given| &given.fields) {
            let is_meant = |port: &&ScenarioPort| {
                let fmu = &scenario.fmus[port.fmu.index()];
                input.name == fmu.port_name(port.port) || input.name == scenario.port_name(**port)
            };
            let is_reactive = self.input_reactivity(input);
            match inputs.iter().find(is_meant) {
                Some(port) => reactive.push((*port, is_reactive)),
                None => self.not_configurable(input),
            }
        }
        let connections = match parts.get("connections") {
            Some(node) => self.connections(node, known),
            None => Vec::new(),
        };
        Some(Configuration { name: field.name.clone(), reactive, connections, step })
    }

    fn step_name(&mut self, node: &Node, scenario: &Scenario) -> Option<String> {
        let name = self.text(node)?;
        let known: Vec<&str> = scenario.steps.iter().map(|(name, _)| name.as_str()).collect();
        if known.contains(&name.as_str()) {
            return Some(name);
        }
        self.no_such_step(&name, node.span, &known);
        None
    }

    fn no_such_step(&mut self, name: &str, span: Span, known: &[&str]) {
        let message = format!("there is no `cosim-step` named `{name}`");
        if known.iter().any(|known| !known.is_empty()) {
            self.unknown("scenario::unknown-step", span, message, name, known);
            return;
        }
        self.report.push(
            Diagnostic::error("scenario::unknown-step", message)
                .at(span, "not found")
                .help("give the algorithm its name: `cosim-step = { NAME = [...] }`"),
        );
    }

    fn not_configurable(&mut self, input: &Field) {
        let message = format!("`{}` is not a configurable input", input.name);
        self.report.push(
            Diagnostic::error("scenario::unknown-port", message)
                .at(input.span, "not listed")
                .help("add it to `configurable-inputs`"),
        );
    }
}
