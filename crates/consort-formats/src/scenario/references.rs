//! `fmu.port` to ports, and connections between them.

use super::hocon::{Field, Node};
use super::reader::Reader;
use consort_core::{ComponentId, Diagnostic, Span, VariableId};
use consort_system::Scenario;
use consort_system::scenario::{Configuration, ScenarioConnection, ScenarioPort};
use std::collections::BTreeMap;

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
    pub(super) fn fmu_of(&mut self, node: &Node, ports: &Ports) -> Option<ComponentId> {
        let name = self.text(node)?;
        self.find_fmu(name.trim(), node.span, ports)
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

    fn port(&mut self, text: &str, span: Span, ports: &Ports) -> Option<ScenarioPort> {
        let Some((fmu, port)) = text.trim().split_once('.') else {
            self.report.push(
                Diagnostic::error("scenario::bad-port", format!("`{}` names no port", text.trim()))
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

    /// A port that must be an input (or an output).
    fn directed(
        &mut self,
        text: &str,
        span: Span,
        (ports, scenario): (&Ports, &Scenario),
        wants_input: bool,
    ) -> Option<ScenarioPort> {
        let port = self.port(text, span, ports)?;
        let inputs = scenario.fmus[port.fmu.index()].inputs.len();
        if (port.port.index() < inputs) == wants_input {
            return Some(port);
        }
        let name = scenario.port_name(port);
        let (is, wanted) = if wants_input { ("output", "input") } else { ("input", "output") };
        self.report.push(
            Diagnostic::error("scenario::wrong-direction", format!("`{name}` is an {is}"))
                .at(span, format!("expected an {wanted}"))
                .help(
                    "outputs are read with `get`, inputs are set, connections go `output -> input`",
                ),
        );
        None
    }

    pub(super) fn input_port(
        &mut self,
        node: &Node,
        ports: &Ports,
        scenario: &Scenario,
    ) -> Option<ScenarioPort> {
        let text = self.text(node)?;
        self.directed(&text, node.span, (ports, scenario), true)
    }

    pub(super) fn output_port(
        &mut self,
        node: &Node,
        ports: &Ports,
        scenario: &Scenario,
    ) -> Option<ScenarioPort> {
        let text = self.text(node)?;
        self.directed(&text, node.span, (ports, scenario), false)
    }

    pub(super) fn connections(
        &mut self,
        node: &Node,
        ports: &Ports,
        scenario: &Scenario,
    ) -> Vec<ScenarioConnection> {
        let Some(list) = self.list(node) else { return Vec::new() };
        let mut fed: BTreeMap<ScenarioPort, Span> = BTreeMap::new();
        let mut connections = Vec::new();
        for node in list {
            let Some(connection) = self.connection(node, ports, scenario) else { continue };
            match fed.insert(connection.to, node.span) {
                None => connections.push(connection),
                Some(first) => {
                    let name = scenario.port_name(connection.to);
                    let message = format!("`{name}` is connected twice");
                    self.report.push(
                        Diagnostic::error("scenario::connected-twice", message)
                            .at(node.span, "again")
                            .label(first, "first here")
                            .help("an input has one source: take one of them away"),
                    );
                }
            }
        }
        connections
    }

    fn connection(
        &mut self,
        node: &Node,
        ports: &Ports,
        scenario: &Scenario,
    ) -> Option<ScenarioConnection> {
        let text = self.text(node)?;
        let Some((from, to)) = text.split_once("->") else {
            let message = format!("`{text}` is no connection");
            self.report.push(
                Diagnostic::error("scenario::bad-connection", message)
                    .at(node.span, "expected `->`")
                    .help("write it as `fmu.output -> fmu.input`"),
            );
            return None;
        };
        let from = self.directed(from, node.span, (ports, scenario), false);
        let to = self.directed(to, node.span, (ports, scenario), true);
        Some(ScenarioConnection { from: from?, to: to? })
    }

    pub(super) fn configuration(
        &mut self,
        field: &Field,
        inputs: &[ScenarioPort],
        ports: &Ports,
        scenario: &Scenario,
    ) -> Option<Configuration> {
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
            Some(node) => self.connections(node, ports, scenario),
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
        let message = format!("`{}` is no configurable input", input.name);
        self.report.push(
            Diagnostic::error("scenario::unknown-port", message)
                .at(input.span, "not listed")
                .help("add it to `configurable-inputs`"),
        );
    }
}
