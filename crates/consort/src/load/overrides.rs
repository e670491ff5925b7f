//! What the command line changes of a system. Mistakes in it are shown as mistakes in a text, like
//! those in the system file.

use super::alone::Alone;
use crate::request::Changes;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Seconds, SolverKind, Span};
use consort_formats::parse_assignment;
use consort_run::settings::option_source;
use consort_system::{
    Connection, Continuous, LoopChoice, OnDivergence, Order, Spanned, SystemDescription,
};
use std::borrow::Cow;

/// Applies the options to the system; what is wrong goes to the report.
pub(super) fn apply(
    changes: &Changes,
    system: &mut SystemDescription,
    alone: Option<&Alone>,
    report: &mut Report,
) {
    let experiment = &mut system.experiment;
    if let Some(start) = given("start", changes.start, report) {
        experiment.start = start;
    }
    if let Some(stop) = given("stop", changes.stop, report) {
        experiment.stop = Some(stop);
    }
    if let Some(step) = given("step", changes.step, report) {
        // Where steps change their size it is the first, whatever the file says of that.
        if let Some(variable) = &mut experiment.coupling.variable_step {
            variable.initial = None;
        }
        experiment.step = Some(step);
    }
    experiment.seed = changes.seed.unwrap_or(experiment.seed);
    experiment.hash = changes.hash.unwrap_or(experiment.hash);
    experiment.isolate |= changes.isolate;
    coupling(changes, system, report);
    solving(changes, system, alone.is_some(), report);
    for text in &changes.set {
        set(text, system, alone, report);
    }
    for text in &changes.delay {
        delay(text, system, report);
    }
}

fn coupling(changes: &Changes, system: &mut SystemDescription, report: &mut Report) {
    let coupling = &mut system.experiment.coupling;
    let order = named("order", changes.order, Order::name, report);
    coupling.order = order.or(coupling.order.take());
    let continuous = named("continuous", changes.continuous, Continuous::name, report);
    coupling.continuous = continuous.or(coupling.continuous.take());
    let loops = named("loops", changes.loops, LoopChoice::name, report);
    coupling.loops = loops.or(coupling.loops.take());
    let on_divergence = named("on-divergence", changes.on_divergence, OnDivergence::name, report);
    coupling.on_divergence = on_divergence.or(coupling.on_divergence.take());
}

/// The solver of a model alone is its component's own; of a system, that of all that have none.
fn solving(changes: &Changes, system: &mut SystemDescription, is_alone: bool, report: &mut Report) {
    let step = given("solver-step", changes.solver_step, report);
    let solver = named("solver", changes.solver, SolverKind::name, report);
    if let Some(tolerance) = changes.tolerance {
        let span = option_source("tolerance", &shortest(tolerance), report);
        system.experiment.tolerance = Some(Spanned::new(tolerance, span));
    }
    let component = system.components.first_mut().filter(|_| is_alone);
    let places = match component {
        Some(component) => (&mut component.solving.solver, &mut component.solving.step),
        None => (&mut system.experiment.solver.solver, &mut system.experiment.solver.step),
    };
    *places.0 = solver.or(places.0.take());
    *places.1 = step.or(places.1.take());
}

/// A number as one types it: `2`, `1e-8`.
fn shortest(number: f64) -> String {
    let (plain, scientific) = (number.to_string(), format!("{number:e}"));
    if plain.len() <= scientific.len() { plain } else { scientific }
}

/// A time that an option gives, with a place that diagnostics can point at.
fn given(option: &str, value: Option<Seconds>, report: &mut Report) -> Option<Spanned<Seconds>> {
    let value = value?;
    Some(Spanned::new(value, option_source(option, &value.to_string(), report)))
}

/// A choice that an option gives, likewise.
fn named<T: Copy>(
    option: &str,
    value: Option<T>,
    name: impl Fn(T) -> &'static str,
    report: &mut Report,
) -> Option<Spanned<T>> {
    let value = value?;
    Some(Spanned::new(value, option_source(option, name(value), report)))
}

/// `b.u` of `b.u[2]`.
fn without_element(name: &str) -> &str {
    name.split_once('[').map_or(name, |(variable, _)| variable).trim()
}

/// `a.y -> b.u`: the wire between the two gets the value before.
fn delay(text: &str, system: &mut SystemDescription, report: &mut Report) {
    let span = option_source("delay", text, report);
    let Some((from, to)) = text.split_once("->").map(|(from, to)| (from.trim(), to.trim())) else {
        report.push(
            Diagnostic::error("cli::bad-delay", format!("`{text}` names no connection"))
                .at(span, "has no `->`")
                .help("write `component.output -> component.input`"),
        );
        return;
    };
    let is_meant =
        |wire: &&mut Connection| wire.from.value.trim() == from && wire.to.value.trim() == to;
    if let Some(wire) = system.connections.iter_mut().find(is_meant) {
        wire.delay = true;
        return;
    }
    // Messages about loops name variables, not their elements.
    let is_about = |wire: &&mut Connection| {
        without_element(&wire.from.value) == from && without_element(&wire.to.value) == to
    };
    let mut about: Vec<&mut Connection> = system.connections.iter_mut().filter(is_about).collect();
    if let [wire] = about.as_mut_slice() {
        wire.delay = true;
        return;
    }
    let wires = system.connections.iter();
    let names: Vec<String> = wires
        .map(|wire| format!("{} -> {}", wire.from.value.trim(), wire.to.value.trim()))
        .collect();
    let meant = nearest_name(&format!("{from} -> {to}"), names.iter().map(String::as_str));
    let help = match meant {
        Some(name) => format!("did you mean `{name}`?"),
        None => "name a connection as the system has it".to_owned(),
    };
    report.push(
        Diagnostic::error("cli::no-connection", format!("nothing connects `{from}` to `{to}`"))
            .at(span, "no such connection")
            .help(help),
    );
}

/// `tank.area=2`; of a model alone also `area=2`.
fn set(text: &str, system: &mut SystemDescription, alone: Option<&Alone>, report: &mut Report) {
    let span = option_source("set", text, report);
    let whole = alone.map_or(Cow::Borrowed(text), |alone| Cow::Owned(alone.path(text)));
    let applied = parse_assignment(&whole).and_then(|assignment| {
        let (component, variable) = (assignment.component.clone(), assignment.variable.clone());
        assignment.apply(system)?;
        Ok((component, variable))
    });
    match applied {
        Ok((component, variable)) => {
            let name = variable_in(text, &variable, span);
            place_last_parameter(system, &component, name, span);
        }
        Err(_) if alone.is_some() => report.push(
            Diagnostic::error("set::bad-assignment", format!("`{text}` gives no variable a value"))
                .at(span, "given here")
                .help("write `variable=value`, such as `area=1.5` or `level0=20 cm`"),
        ),
        Err(diagnostic) => report.push(diagnostic.at(span, "given here")),
    }
}

/// Where an assignment names its variable.
fn variable_in(text: &str, variable: &str, span: Span) -> Span {
    let named = text.split_once('=').map_or(text, |(named, _)| named);
    let Some(at) = named.rfind(variable) else { return span };
    let start = span.range().start + at;
    Span::new(span.source, start..start + variable.len())
}

/// The value that was just given has a place now, so that mistakes in it can be shown.
fn place_last_parameter(system: &mut SystemDescription, component: &str, name: Span, whole: Span) {
    let component = system.components.iter_mut().find(|part| part.name.value == component);
    if let Some(parameter) = component.and_then(|component| component.parameters.last_mut()) {
        parameter.name.span = Some(name);
        parameter.value.span = Some(whole);
        if let Some(unit) = &mut parameter.unit {
            unit.span = Some(whole);
        }
    }
}
