//! A system as text again.

mod coupling;
mod solving;

use crate::quoted::quoted;
use consort_core::{HashMode, Literal, Seconds, SetupOrder};
use consort_system::{
    Action, Component, Connection, DeclaredNode, Experiment, Hold, Intervention, Parameter, Record,
    Spanned, StepLength, SystemDescription, When,
};
use std::fmt::Write as _;

/// Writes `system.toml`: what [`read_system`](crate::read_system) makes the same system of, but for
/// spans. The table of inputs is not written; the experiment names its file.
pub fn write_system(system: &SystemDescription) -> String {
    let mut out = format!("name = {}\n", quoted(&system.name));
    experiment(&mut out, &system.experiment);
    for part in &system.components {
        component(&mut out, part);
    }
    for wire in &system.connections {
        connection(&mut out, wire);
    }
    for rule in &system.experiment.coupling.rules {
        coupling::rule(&mut out, rule);
    }
    for action in &system.interventions {
        intervention(&mut out, action);
    }
    nodes(&mut out, &system.nodes);
    out
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

fn experiment(out: &mut String, experiment: &Experiment) {
    out.push_str("\n[experiment]\n");
    line(out, "start", &seconds(experiment.start.value));
    let times = [
        ("stop", &experiment.stop),
        ("step", &experiment.step),
        ("resolution", &experiment.resolution),
    ];
    for (key, time) in times {
        if let Some(time) = time {
            line(out, key, &seconds(time.value));
        }
    }
    line(out, "seed", &experiment.seed.to_string());
    if let Some(tolerance) = &experiment.tolerance {
        line(out, "tolerance", &float(tolerance.value));
    }
    solving::defaults(out, &experiment.solver);
    if experiment.isolate {
        line(out, "isolate", "true");
    }
    line(
        out,
        "record",
        &match &experiment.record {
            Record::Outputs => quoted("outputs"),
            Record::All => quoted("all"),
            Record::Nothing => quoted("nothing"),
            Record::These(patterns) => texts(patterns),
        },
    );
    if experiment.hash != HashMode::default() {
        line(out, "hash", &quoted(experiment.hash.name()));
    }
    for (key, patterns) in [("unhashed", &experiment.unhashed), ("plot", &experiment.plot)] {
        if !patterns.is_empty() {
            line(out, key, &texts(patterns));
        }
    }
    if let Some(input) = &experiment.input {
        line(out, "input", &quoted(&input.value));
    }
    coupling::experiment(out, &experiment.coupling);
}

fn component(out: &mut String, component: &Component) {
    let _ = writeln!(out, "\n[components.{}]", key(&component.name.value));
    line(out, "model", &quoted(&component.model.value));
    if let Some(step) = &component.step {
        line(out, "step", &seconds(step.value));
    }
    if component.step_length == StepLength::ToEnd {
        line(out, "step-length", &quoted("to-end"));
    }
    for (key, value, default) in [
        ("concurrent", component.concurrent, false),
        ("send-start-values", component.send_start_values, false),
        ("event-mode", component.event_mode, true),
    ] {
        if value != default {
            line(out, key, &value.to_string());
        }
    }
    if component.setup != SetupOrder::First {
        line(out, "setup", &quoted(component.setup.name()));
    }
    if !component.reactive.is_empty() {
        line(out, "reactive", &texts(&component.reactive));
    }
    solving::component(out, &component.solving);
    if let Some(isolate) = &component.isolation.isolate {
        line(out, "isolate", &isolate.value.to_string());
    }
    if let Some(state) = &component.isolation.state {
        line(out, "state", &quoted(state.value.name()));
    }
    if !component.parameters.is_empty() {
        let _ = writeln!(out, "\n[components.{}.parameters]", key(&component.name.value));
        for parameter in &component.parameters {
            line(out, &key(&parameter.name.value), &parameter_value(parameter));
        }
    }
}

fn parameter_value(parameter: &Parameter) -> String {
    let value = literal(&parameter.value.value);
    match &parameter.unit {
        Some(unit) => format!("{{ value = {value}, unit = {} }}", quoted(&unit.value)),
        None => value,
    }
}

fn connection(out: &mut String, connection: &Connection) {
    out.push_str("\n[[connections]]\n");
    line(out, "from", &quoted(&connection.from.value));
    line(out, "to", &quoted(&connection.to.value));
    if connection.hold == Hold::Extrapolate {
        line(out, "hold", &quoted("extrapolate"));
    }
    if let Some(group) = &connection.group {
        line(out, "group", &quoted(group));
    }
    if connection.delay {
        line(out, "delay", "true");
    }
    if let Some(linear) = &connection.transformation {
        line(out, "factor", &float(linear.factor));
        line(out, "offset", &float(linear.offset));
    }
    if connection.suppress_unit_conversion {
        line(out, "suppress-unit-conversion", "true");
    }
    if connection.convert {
        line(out, "convert", "true");
    }
}

fn intervention(out: &mut String, intervention: &Intervention) {
    out.push_str("\n[[interventions]]\n");
    match &intervention.when {
        When::At(time) => line(out, "at", &seconds(time.value)),
        When::Condition(condition) => line(out, "when", &quoted(&condition.value)),
    }
    line(out, "target", &quoted(&intervention.target.value));
    match &intervention.action {
        Action::Set(value) => line(out, "set", &literal(&value.value)),
        Action::Override(value) => line(out, "override", &literal(&value.value)),
        Action::Offset(value) => line(out, "offset", &literal(&value.value)),
        Action::Freeze => line(out, "freeze", "true"),
        Action::Release => line(out, "release", "true"),
    }
    if let Some(unit) = &intervention.unit {
        line(out, "unit", &quoted(&unit.value));
    }
}

fn nodes(out: &mut String, nodes: &[DeclaredNode]) {
    if !nodes.is_empty() {
        out.push_str("\n[nodes]\n");
    }
    for node in nodes {
        line(out, &key(&node.name.value), &texts(&node.components));
    }
}

fn seconds(seconds: Seconds) -> String {
    let written = seconds.to_string();
    if written.contains('/') { quoted(&written) } else { written }
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) => float(*value),
        Literal::Text(value) => quoted(value),
        Literal::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// The shortest text that is read back as the same double.
fn float(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}

fn texts(list: &[Spanned<String>]) -> String {
    let list: Vec<String> = list.iter().map(|item| quoted(&item.value)).collect();
    format!("[{}]", list.join(", "))
}

fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}
