//! HOCON to a scenario: FMUs, connections, configurations.

use super::hocon::{Field, HoconValue, Node, Object};
use super::inferred::Named;
use super::references::{Direction, Known, Ports};
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, SourceId, Span, VariableId};
use consort_system::Scenario;
use consort_system::scenario::{Configuration, ScenarioFmu, ScenarioInput, ScenarioOutput};

pub(super) struct Reader<'r> {
    source: SourceId,
    end: usize,
    pub(super) report: &'r mut Report,
}

/// The longest step if nothing is said.
const STEP_MAX_DEFAULT: u32 = 1;

/// What scenarios of FMI 3 have beside the others; files without any clock have it too, empty.
const OF_CLOCKS: [&str; 5] =
    ["clocks", "input-clocks", "output-clocks", "clock-connections", "event-strategies"];

impl<'r> Reader<'r> {
    pub(super) fn new(source: SourceId, end: usize, report: &'r mut Report) -> Self {
        Reader { source, end, report }
    }

    pub(super) fn scenario(&mut self, root: &Object) -> Option<Scenario> {
        let known = ["name", "scenario", "initialization", "cosim-step"];
        self.only_known(root, &known, "a scenario file");
        let whole = Span::new(self.source, self.end..self.end);
        let name = root.get("name").and_then(|node| self.text(node)).unwrap_or_default();
        let parts = self.required(root, "scenario", whole)?;
        let parts = self.object(parts)?;
        let known = ["fmus", "configuration", "connections", "max-possible-step-size"];
        self.only_known(parts, &known, "`scenario`");
        let fmus = self.fmus(parts, whole)?;
        let step_max = self.step_max(parts);
        let mut scenario = Scenario {
            name,
            fmus,
            connections: Vec::new(),
            step_max,
            initialization: Vec::new(),
            steps: Vec::new(),
            configurations: Vec::new(),
        };
        let ports = Ports::new(&scenario);
        if let Some(list) = parts.get("connections") {
            scenario.connections =
                self.connections(list, Known { ports: &ports, scenario: &scenario });
        }
        if let Some(list) = root.get("initialization") {
            scenario.initialization =
                self.initialization(list, Known { ports: &ports, scenario: &scenario });
        }
        if let Some(node) = root.get("cosim-step") {
            scenario.steps = self.steps(node, Known { ports: &ports, scenario: &scenario });
        }
        if let Some(node) = parts.get("configuration") {
            scenario.configurations =
                self.configurations(node, Known { ports: &ports, scenario: &scenario });
        }
        Some(scenario)
    }

    fn fmus(&mut self, parts: &Object, whole: Span) -> Option<Vec<ScenarioFmu>> {
        let fmus = self.required(parts, "fmus", whole)?;
        let fmus = self.object(fmus)?;
        let named = Named::new(parts);
        let list = fmus.fields.iter().map(|field| self.fmu(field, &named));
        Some(list.collect())
    }

    fn fmu(&mut self, field: &Field, named: &Named) -> ScenarioFmu {
        let mut fmu = ScenarioFmu { name: field.name.clone(), ..ScenarioFmu::default() };
        if field.name.contains('.') {
            let message = format!("the name `{}` has a dot", field.name);
            self.report.push(
                Diagnostic::error("scenario::bad-name", message)
                    .at(field.span, "the name of an FMU")
                    .help("a dot separates an FMU and its port: choose a name without one"),
            );
        }
        let Some(parts) = self.object(&field.node) else { return fmu };
        let known = ["can-reject-step", "inputs", "outputs", "path"];
        self.only_known(parts, &known, "an FMU");
        if let Some(node) = parts.get("can-reject-step") {
            fmu.can_reject_step = self.boolean(node);
        }
        if let Some(node) = parts.get("path") {
            fmu.path = self.text(node).unwrap_or_default();
        }
        fmu.inputs = self.inputs(parts, field, named);
        fmu.outputs = self.outputs(parts, field, &fmu, named);
        self.no_double_ports(&fmu, field.span);
        fmu
    }

    fn inputs(&mut self, parts: &Object, owner: &Field, named: &Named) -> Vec<ScenarioInput> {
        if let Some(node) = parts.get("inputs").filter(|node| !node.is_empty()) {
            let list = self.object(node).map_or(&[][..], |inputs| &inputs.fields);
            return list.iter().map(|field| self.input(field)).collect();
        }
        let names = self.inferred_inputs(owner, named).into_iter();
        names.map(|name| ScenarioInput { name, reactive: false }).collect()
    }

    fn outputs(
        &mut self,
        parts: &Object,
        owner: &Field,
        fmu: &ScenarioFmu,
        named: &Named,
    ) -> Vec<ScenarioOutput> {
        if let Some(node) = parts.get("outputs").filter(|node| !node.is_empty()) {
            let list = self.object(node).map_or(&[][..], |outputs| &outputs.fields);
            return list.iter().map(|field| self.output(field, fmu)).collect();
        }
        let names = self.inferred_outputs(owner, named).into_iter();
        let alone = |name| ScenarioOutput { name, follows_initially: vec![], follows: vec![] };
        names.map(alone).collect()
    }

    fn no_double_ports(&mut self, fmu: &ScenarioFmu, span: Span) {
        let inputs: std::collections::BTreeSet<&str> =
            fmu.inputs.iter().map(|it| it.name.as_str()).collect();
        let both = fmu.outputs.iter().find(|output| inputs.contains(output.name.as_str()));
        if let Some(output) = both {
            let message = format!("`{}.{}` is an input and an output", fmu.name, output.name);
            self.report.push(
                Diagnostic::error("scenario::bad-name", message)
                    .at(span, "in this FMU")
                    .help("give one of them another name"),
            );
        }
    }

    fn input(&mut self, field: &Field) -> ScenarioInput {
        ScenarioInput { name: field.name.clone(), reactive: self.input_reactivity(field) }
    }

    pub(super) fn input_reactivity(&mut self, field: &Field) -> bool {
        let Some(parts) = self.object(&field.node) else { return false };
        self.only_known(parts, &["reactivity"], "an input");
        let found = self.required(parts, "reactivity", field.span);
        found.is_some_and(|node| self.reactivity(node))
    }

    fn reactivity(&mut self, node: &Node) -> bool {
        match self.text(node).as_deref() {
            Some("reactive") => true,
            Some("delayed") | None => false,
            Some(other) => {
                let message = format!("there is no reactivity `{other}`");
                self.bad_value(message, node, "unknown", choices(other, &["delayed", "reactive"]));
                false
            }
        }
    }

    fn output(&mut self, field: &Field, fmu: &ScenarioFmu) -> ScenarioOutput {
        let mut output = ScenarioOutput {
            name: field.name.clone(),
            follows_initially: Vec::new(),
            follows: Vec::new(),
        };
        if let Some(parts) = self.object(&field.node) {
            self.only_known(parts, &["dependencies-init", "dependencies"], "an output");
            output.follows_initially = self.dependencies(parts, "dependencies-init", field, fmu);
            output.follows = self.dependencies(parts, "dependencies", field, fmu);
        }
        output
    }

    fn dependencies(
        &mut self,
        parts: &Object,
        key: &str,
        field: &Field,
        fmu: &ScenarioFmu,
    ) -> Vec<VariableId> {
        let Some(node) = self.required(parts, key, field.span) else { return Vec::new() };
        let Some(list) = self.list(node) else { return Vec::new() };
        let mut found = Vec::new();
        for node in list {
            let Some(name) = self.text(node) else { continue };
            let names: Vec<&str> = fmu.inputs.iter().map(|it| it.name.as_str()).collect();
            match names.iter().position(|known| *known == name) {
                Some(index) => found.push(VariableId::from_index(index)),
                None => {
                    let message = format!("`{}` has no input `{name}`", fmu.name);
                    self.unknown("scenario::unknown-port", node.span, message, &name, &names);
                }
            }
        }
        found
    }

    fn step_max(&mut self, parts: &Object) -> u32 {
        let Some(node) = parts.get("max-possible-step-size") else {
            return STEP_MAX_DEFAULT;
        };
        self.whole_number(node).unwrap_or(STEP_MAX_DEFAULT)
    }

    fn configurations(&mut self, node: &Node, known: Known<'_>) -> Vec<Configuration> {
        let Some(parts) = self.object(node) else { return Vec::new() };
        self.only_known(parts, &["configurable-inputs", "configurations"], "`configuration`");
        let inputs = parts.get("configurable-inputs").and_then(|node| self.list(node));
        let inputs = inputs.unwrap_or_default().iter();
        let inputs: Vec<_> =
            inputs.filter_map(|node| self.port(node, known, Direction::Input)).collect();
        let list = parts.get("configurations").and_then(|node| self.object(node));
        let fields = list.map_or(&[][..], |list| &list.fields);
        let read = fields.iter().filter_map(|field| self.configuration(field, &inputs, known));
        read.collect()
    }

    // ---- what every part is read with ----

    pub(super) fn required<'n>(
        &mut self,
        object: &'n Object,
        key: &str,
        owner: Span,
    ) -> Option<&'n Node> {
        let found = object.get(key);
        if found.is_none() {
            self.report.push(
                Diagnostic::error("scenario::missing", format!("`{key}` is missing"))
                    .at(owner, "needed here")
                    .help(format!("add `{key} = ...`")),
            );
        }
        found
    }

    pub(super) fn only_known(&mut self, object: &Object, known: &[&str], owner: &str) {
        for field in object.fields.iter().filter(|field| !known.contains(&field.name.as_str())) {
            let is_clocked = OF_CLOCKS.contains(&field.name.as_str());
            if is_clocked && field.node.is_empty() {
                continue;
            }
            let message = format!("{owner} has no `{}`", field.name);
            let help = match is_clocked {
                true => "scenarios with FMI 3 clocks are not read".to_owned(),
                false => choices(&field.name, known),
            };
            self.report.push(
                Diagnostic::error("scenario::unknown-key", message)
                    .at(field.span, "unknown")
                    .help(help),
            );
        }
    }

    fn wrong_kind(&mut self, node: &Node, wanted: &str, example: &str) {
        let message = format!("expected {wanted}, found {}", node.kind());
        self.report.push(
            Diagnostic::error("scenario::wrong-kind", message)
                .at(node.span, format!("not {wanted}"))
                .help(format!("write it as `{example}`")),
        );
    }

    pub(super) fn object<'n>(&mut self, node: &'n Node) -> Option<&'n Object> {
        match &node.value {
            HoconValue::Object(object) => Some(object),
            _ => {
                self.wrong_kind(node, "an object", "{ ... }");
                None
            }
        }
    }

    pub(super) fn list<'n>(&mut self, node: &'n Node) -> Option<&'n [Node]> {
        match &node.value {
            HoconValue::List(list) => Some(list),
            _ => {
                self.wrong_kind(node, "a list", "[ ... ]");
                None
            }
        }
    }

    pub(super) fn text(&mut self, node: &Node) -> Option<String> {
        match &node.value {
            HoconValue::Text(text) => Some(text.clone()),
            _ => {
                self.wrong_kind(node, "a text", "name");
                None
            }
        }
    }

    fn boolean(&mut self, node: &Node) -> bool {
        let text = self.text(node);
        match text.as_deref() {
            Some("true" | "yes" | "on") => true,
            Some("false" | "no" | "off") | None => false,
            Some(other) => {
                let message = format!("`{other}` is neither `true` nor `false`");
                self.bad_value(message, node, "not a choice", "write `true` or `false`");
                false
            }
        }
    }

    pub(super) fn whole_number(&mut self, node: &Node) -> Option<u32> {
        let text = self.text(node)?;
        let number = text.parse().ok().filter(|number| 0 < *number);
        if number.is_none() {
            let message = format!("`{text}` is no step size");
            let help = "step sizes are whole numbers from 1 on";
            self.bad_value(message, node, "not a whole number above zero", help);
        }
        number
    }

    /// Says that a value is not of its kind.
    pub(super) fn bad_value(
        &mut self,
        message: String,
        node: &Node,
        label: &str,
        help: impl Into<String>,
    ) {
        let error = Diagnostic::error("scenario::bad-value", message);
        self.report.push(error.at(node.span, label).help(help));
    }

    pub(super) fn unknown(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        given: &str,
        names: &[&str],
    ) {
        let help = choices(given, names);
        self.report.push(Diagnostic::error(code, message).at(span, "not found").help(help));
    }
}

/// At most this many names are listed in a help line, and compared with what is not found.
const LISTED_MAX: usize = 8;
const COMPARED_MAX: usize = 1000;
const NAME_LENGTH_MAX: usize = 200;

/// The choice that was probably meant, or all of them.
fn choices(given: &str, known: &[&str]) -> String {
    let near = known.iter().copied().take(COMPARED_MAX).filter(|it| it.len() <= NAME_LENGTH_MAX);
    if let Some(name) = Some(given)
        .filter(|given| given.len() <= NAME_LENGTH_MAX)
        .and_then(|given| nearest_name(given, near))
    {
        return format!("did you mean `{name}`?");
    }
    let more = if LISTED_MAX < known.len() { ", ..." } else { "" };
    match known.is_empty() {
        true => "there are none".to_owned(),
        false => {
            let listed = &known[..known.len().min(LISTED_MAX)];
            format!("possible are `{}`{more}", listed.join("`, `"))
        }
    }
}
