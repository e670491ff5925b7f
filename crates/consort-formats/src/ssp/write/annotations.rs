//! Our own annotations: see `annotation` for their form.

use super::super::annotation::{COMPONENT, CONNECTION, EXPERIMENT};
use super::text::{Text, borrowed, float};
use consort_core::{HashMode, Literal, Seconds, SetupOrder, SolverKind};
use consort_system::{
    Action, Component, Connection, Experiment, Hold, Intervention, Isolation, IterationOptions,
    Parameter, Record, Solving, Spanned, StepConstraint, StepLength, SystemDescription,
    VariableStep, When,
};
use std::fmt::Write as _;

/// Attributes that are written only if they were set.
type Attributes = Vec<(&'static str, String)>;

fn open(text: &mut Text, name: &str, attributes: &Attributes) {
    text.open(name, &borrowed(attributes));
}

fn leaf(text: &mut Text, name: &str, attributes: &Attributes) {
    open(text, name, attributes);
    text.close(name);
}

fn annotation(text: &mut Text, kind: &str, content: impl FnOnce(&mut Text)) {
    text.open("ssd:Annotations", &[]);
    text.open("ssc:Annotation", &[("type", kind)]);
    content(text);
    text.close("ssc:Annotation");
    text.close("ssd:Annotations");
}

/// `input` is the place of the table of inputs in the SSP.
pub(super) fn experiment(text: &mut Text, system: &SystemDescription, input: Option<&str>) {
    annotation(text, EXPERIMENT, |text| {
        open(text, "consort:Experiment", &settings(&system.experiment, input));
        let experiment = &system.experiment;
        if let Record::These(patterns) = &experiment.record {
            write_patterns(text, "consort:Record", patterns);
        }
        write_patterns(text, "consort:Unhashed", &experiment.unhashed);
        write_patterns(text, "consort:Plot", &experiment.plot);
        coupling(text, experiment);
        for it in &system.interventions {
            leaf(text, "consort:Intervention", &intervention(it));
        }
        for node in &system.nodes {
            open(text, "consort:Node", &vec![("name", node.name.value.clone())]);
            write_patterns(text, "consort:Component", &node.components);
            text.close("consort:Node");
        }
        text.close("consort:Experiment");
    });
}

fn settings(experiment: &Experiment, input: Option<&str>) -> Attributes {
    let mut attributes = Attributes::new();
    // The default experiment holds decimals only.
    let exact = [("start", Some(&experiment.start)), ("stop", experiment.stop.as_ref())];
    for (name, time) in exact {
        let time = time.map(|time| time.value.to_string()).filter(|time| time.contains('/'));
        attributes.extend(time.map(|time| (name, time)));
    }
    attributes.extend(seconds("step", experiment.step.as_ref()));
    attributes.extend(seconds("resolution", experiment.resolution.as_ref()));
    attributes.push(("seed", experiment.seed.to_string()));
    attributes.extend(number("tolerance", experiment.tolerance.as_ref()));
    attributes.extend(solver(experiment.solver.solver.as_ref()));
    attributes.extend(seconds("solverStep", experiment.solver.step.as_ref()));
    attributes.extend(experiment.isolate.then(|| ("isolate", "true".to_owned())));
    let record = match experiment.record {
        Record::Outputs => "outputs",
        Record::All => "all",
        Record::Nothing => "nothing",
        Record::These(_) => "these",
    };
    attributes.push(("record", record.to_owned()));
    let hash = Some(experiment.hash).filter(|hash| *hash != HashMode::default());
    attributes.extend(hash.map(|hash| ("hash", hash.name().to_owned())));
    attributes.extend(input.map(|input| ("input", input.to_owned())));
    let coupling = &experiment.coupling;
    let order = coupling.order.as_ref().map(|order| order.value.name().to_owned());
    attributes.extend(order.map(|order| ("order", order)));
    let continuous = coupling.continuous.as_ref().map(|it| it.value.name().to_owned());
    attributes.extend(continuous.map(|continuous| ("continuous", continuous)));
    let loops = coupling.loops.as_ref().map(|loops| loops.value.name().to_owned());
    attributes.extend(loops.map(|loops| ("loops", loops)));
    let choice = coupling.on_divergence.as_ref().map(|choice| choice.value.name().to_owned());
    attributes.extend(choice.map(|choice| ("onDivergence", choice)));
    attributes.push(("connectorUnits", "model".to_owned()));
    attributes
}

fn write_patterns(text: &mut Text, name: &str, patterns: &[Spanned<String>]) {
    for pattern in patterns {
        leaf(text, name, &vec![("pattern", pattern.value.clone())]);
    }
}

fn coupling(text: &mut Text, experiment: &Experiment) {
    let coupling = &experiment.coupling;
    if coupling.iteration != IterationOptions::default() {
        leaf(text, "consort:Iteration", &iteration(&coupling.iteration));
    }
    for rule in &coupling.rules {
        let policy = rule.policy.name().to_owned();
        let mut attributes = vec![("through", rule.through.value.clone()), ("policy", policy)];
        attributes.extend(iteration(&rule.iteration));
        leaf(text, "consort:Loop", &attributes);
    }
    if let Some(step) = &coupling.variable_step {
        open(text, "consort:VariableStep", &variable_step(step));
        step.constraints.iter().for_each(|it| constraint(text, it));
        text.close("consort:VariableStep");
    }
}

fn iteration(options: &IterationOptions) -> Attributes {
    let mut attributes = Attributes::new();
    let method = options.method.as_ref().map(|method| method.value.name().to_owned());
    attributes.extend(method.map(|method| ("method", method)));
    attributes.extend(number("tolerance", options.tolerance.as_ref()));
    attributes.extend(options.limit.as_ref().map(|limit| ("limit", limit.value.to_string())));
    attributes.extend(number("relaxation", options.relaxation.as_ref()));
    let count = options.accept_after.as_ref().map(|count| count.value.to_string());
    attributes.extend(count.map(|count| ("acceptAfter", count)));
    attributes
}

fn variable_step(step: &VariableStep) -> Attributes {
    let mut attributes = Attributes::new();
    let times = [("initial", &step.initial), ("min", &step.min), ("max", &step.max)];
    attributes.extend(times.into_iter().filter_map(|(name, time)| seconds(name, time.as_ref())));
    attributes.extend(number("relative", step.relative.as_ref()));
    attributes.extend(number("absolute", step.absolute.as_ref()));
    let control = step.error_control.as_ref().map(|control| control.value.to_string());
    attributes.extend(control.map(|control| ("errorControl", control)));
    attributes
}

fn constraint(text: &mut Text, constraint: &StepConstraint) {
    let mut attributes = vec![("kind", constraint.kind().to_owned())];
    let mut names: &[Spanned<String>] = &[];
    match constraint {
        StepConstraint::ZeroCrossing { variables, tolerance } => {
            names = variables;
            attributes.extend(number("tolerance", tolerance.as_ref()));
        }
        StepConstraint::BoundedDifference { variables, absolute, relative } => {
            names = variables;
            attributes.extend(number("absolute", absolute.as_ref()));
            attributes.extend(number("relative", relative.as_ref()));
        }
        StepConstraint::Sampling { start, period } => {
            attributes.extend(seconds("start", start.as_ref()));
            attributes.extend(seconds("period", Some(period)));
        }
        StepConstraint::ComponentMax => {}
    }
    open(text, "consort:Constraint", &attributes);
    write_patterns(text, "consort:Variable", names);
    text.close("consort:Constraint");
}

fn intervention(intervention: &Intervention) -> Attributes {
    let mut attributes = vec![match &intervention.when {
        When::At(time) => ("at", time.value.to_string()),
        When::Condition(condition) => ("when", condition.value.clone()),
    }];
    attributes.push(("target", intervention.target.value.clone()));
    attributes.push(match &intervention.action {
        Action::Set(value) => ("set", literal(&value.value)),
        Action::Override(value) => ("override", literal(&value.value)),
        Action::Offset(value) => ("offset", literal(&value.value)),
        Action::Freeze => ("freeze", "true".to_owned()),
        Action::Release => ("release", "true".to_owned()),
    });
    let unit = intervention.unit.as_ref().map(|unit| ("unit", unit.value.clone()));
    attributes.extend(unit);
    attributes
}

/// `rest` are the parameters that a parameter set cannot hold.
pub(super) fn component(text: &mut Text, component: &Component, rest: &[&Parameter]) {
    let mut attributes = Attributes::new();
    attributes.extend(seconds("step", component.step.as_ref()));
    if component.step_length == StepLength::ToEnd {
        attributes.push(("stepLength", "to-end".to_owned()));
    }
    for (name, value, default) in [
        ("concurrent", component.concurrent, false),
        ("sendStartValues", component.send_start_values, false),
        ("eventMode", component.event_mode, true),
    ] {
        if value != default {
            attributes.push((name, value.to_string()));
        }
    }
    if component.setup != SetupOrder::First {
        attributes.push(("setup", component.setup.name().to_owned()));
    }
    attributes.extend(solving(&component.solving));
    let Isolation { isolate, state } = &component.isolation;
    attributes.extend(isolate.as_ref().map(|it| ("isolate", it.value.to_string())));
    attributes.extend(state.as_ref().map(|it| ("state", it.value.name().to_owned())));
    if attributes.is_empty() && component.reactive.is_empty() && rest.is_empty() {
        return;
    }
    annotation(text, COMPONENT, |text| {
        open(text, "consort:Component", &attributes);
        for input in &component.reactive {
            leaf(text, "consort:Reactive", &vec![("variable", input.value.clone())]);
        }
        for parameter in rest {
            let name = ("name", parameter.name.value.clone());
            let mut attributes = vec![name, ("value", literal(&parameter.value.value))];
            attributes.extend(parameter.unit.as_ref().map(|unit| ("unit", unit.value.clone())));
            leaf(text, "consort:Parameter", &attributes);
        }
        text.close("consort:Component");
    });
}

/// The interface is the component's `implementation`.
fn solving(solving: &Solving) -> Attributes {
    let mut attributes = Attributes::new();
    attributes.extend(solver(solving.solver.as_ref()));
    attributes.extend(number("tolerance", solving.tolerance.as_ref()));
    attributes.extend(seconds("solverStep", solving.step.as_ref()));
    attributes
}

fn solver(solver: Option<&Spanned<SolverKind>>) -> Option<(&'static str, String)> {
    Some(("solver", solver?.value.name().to_owned()))
}

pub(super) fn connection(text: &mut Text, connection: &Connection) {
    let mut attributes = Attributes::new();
    if connection.delay {
        attributes.push(("delay", "true".to_owned()));
    }
    if connection.hold == Hold::Extrapolate {
        attributes.push(("hold", "extrapolate".to_owned()));
    }
    attributes.extend(connection.group.clone().map(|group| ("group", group)));
    if connection.convert {
        attributes.push(("convert", "true".to_owned()));
    }
    if !attributes.is_empty() {
        annotation(text, CONNECTION, |text| leaf(text, "consort:Connection", &attributes));
    }
}

fn seconds(name: &'static str, time: Option<&Spanned<Seconds>>) -> Option<(&'static str, String)> {
    Some((name, time?.value.to_string()))
}

fn number(name: &'static str, number: Option<&Spanned<f64>>) -> Option<(&'static str, String)> {
    Some((name, float(number?.value)))
}

/// A value as `system.toml` has it.
fn literal(value: &Literal) -> String {
    match value {
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) if value.is_nan() => "nan".to_owned(),
        Literal::Float(value) => format!("{value:?}"),
        Literal::Text(text) => quoted(text),
        Literal::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || !super::text::is_allowed(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
