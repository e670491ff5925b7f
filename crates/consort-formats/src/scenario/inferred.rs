//! Ports of FMUs that list none: those that connections name.

use super::hocon::{Field, HoconValue, Node, Object};
use super::reader::Reader;
use consort_core::Diagnostic;
use std::collections::BTreeMap;

/// What connections name, by FMU, in the order written.
#[derive(Default)]
pub(super) struct Named {
    inputs: BTreeMap<String, Vec<String>>,
    outputs: BTreeMap<String, Vec<String>>,
}

impl Named {
    /// By the connections of a scenario and those of its configurations. What cannot be read is
    /// passed over here: the reader of connections reports it.
    pub(super) fn new(scenario: &Object) -> Self {
        let mut named = Named::default();
        named.list(scenario.get("connections"));
        let configurations = scenario.get("configuration").and_then(object);
        let configurations = configurations.and_then(|it| it.get("configurations"));
        for field in configurations.and_then(object).map_or(&[][..], |list| &list.fields) {
            named.list(object(&field.node).and_then(|it| it.get("connections")));
        }
        named
    }

    fn list(&mut self, connections: Option<&Node>) {
        let Some(HoconValue::List(list)) = connections.map(|node| &node.value) else { return };
        for node in list {
            let HoconValue::Text(text) = &node.value else { continue };
            let Some((from, to)) = text.split_once("->") else { continue };
            remember(&mut self.outputs, from);
            remember(&mut self.inputs, to);
        }
    }
}

fn remember(ports: &mut BTreeMap<String, Vec<String>>, text: &str) {
    let Some((fmu, port)) = text.trim().split_once('.') else { return };
    let known = ports.entry(fmu.to_owned()).or_default();
    if !known.iter().any(|it| it == port) {
        known.push(port.to_owned());
    }
}

fn object(node: &Node) -> Option<&Object> {
    match &node.value {
        HoconValue::Object(object) => Some(object),
        _ => None,
    }
}

impl Reader<'_> {
    /// The inputs of an FMU that lists none.
    pub(super) fn inferred_inputs(&mut self, fmu: &Field, named: &Named) -> Vec<String> {
        let found = named.inputs.get(&fmu.name).cloned().unwrap_or_default();
        let example = |port: &str| format!("inputs = {{ {port} = {{reactivity=delayed}} }}");
        self.report_inferred(fmu, &found, "inputs", "delayed", &example);
        found
    }

    /// The outputs of an FMU that lists none.
    pub(super) fn inferred_outputs(&mut self, fmu: &Field, named: &Named) -> Vec<String> {
        let found = named.outputs.get(&fmu.name).cloned().unwrap_or_default();
        let example = |port: &str| {
            format!("outputs = {{ {port} = {{dependencies-init=[], dependencies=[]}} }}")
        };
        self.report_inferred(fmu, &found, "outputs", "independent of inputs", &example);
        found
    }

    fn report_inferred(
        &mut self,
        fmu: &Field,
        found: &[String],
        kind: &str,
        taken: &str,
        example: &dyn Fn(&str) -> String,
    ) {
        let Some(first) = found.first() else { return };
        let message = format!(
            "`{}` lists no {kind}: `{}` of the connections taken as {taken}",
            fmu.name,
            found.join("`, `")
        );
        self.report.push(
            Diagnostic::warning("scenario::inferred-ports", message)
                .at(fmu.span, format!("no `{kind}` in here"))
                .help(format!("list them: `{}`", example(first))),
        );
    }
}
