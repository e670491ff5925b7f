//! What the command line changes of a system. Mistakes in it are shown as mistakes in a text, like
//! those in the system file.

use super::alone::Alone;
use crate::request::Changes;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Seconds, SolverKind, Span};
use consort_formats::parse_assignment;
use consort_system::{Connection, Continuous, LoopChoice, OnDivergence, Order, Spanned, System};
use std::borrow::Cow;

/// Applies the options to the system; what is wrong goes to the report.
pub(super) fn apply(
    changes: &Changes,
    system: &mut System,
    alone: Option<&Alone>,
    report: &mut Report,
) {
    let experiment = &mut system.experiment;
    if let Some(start) = time("start", changes.start.as_deref(), report) {
        experiment.start = start;
    }
    if let Some(stop) = time("stop", changes.stop.as_deref(), report) {
        experiment.stop = Some(stop);
    }
    if let Some(step) = time("step", changes.step.as_deref(), report) {
        // Where steps change their size it is the first, whatever the file says of that.
        if let Some(variable) = &mut experiment.coupling.variable_step {
            variable.initial = None;
        }
        experiment.step = Some(step);
    }
    experiment.seed = changes.seed.unwrap_or(experiment.seed);
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

fn coupling(changes: &Changes, system: &mut System, report: &mut Report) {
    let coupling = &mut system.experiment.coupling;
    if let Some(name) = &changes.order {
        let order = Order::from_name(name).map(|order| (order, source("order", name, report)));
        coupling.order =
            order.map(|(order, span)| Spanned::new(order, span)).or(coupling.order.take());
    }
    if let Some(name) = &changes.continuous {
        let found = Continuous::ALL.into_iter().find(|(_, known)| known == name);
        let span = found.map(|_| source("continuous", name, report));
        let said = found.zip(span).map(|((it, _), span)| Spanned::new(it, span));
        coupling.continuous = said.or(coupling.continuous.take());
    }
    if let Some(name) = &changes.loops {
        let found = LoopChoice::from_name(name).map(|it| (it, source("loops", name, report)));
        let said = found.map(|(choice, span)| Spanned::new(choice, span));
        coupling.loops = said.or(coupling.loops.take());
    }
    if let Some(name) = &changes.on_divergence {
        let found = OnDivergence::from_name(name);
        let span = found.map(|_| source("on-divergence", name, report));
        let said = found.zip(span).map(|(choice, span)| Spanned::new(choice, span));
        coupling.on_divergence = said.or(coupling.on_divergence.take());
    }
}

/// The solver of a model alone is its component's own; of a system, that of all that have none.
fn solving(changes: &Changes, system: &mut System, is_alone: bool, report: &mut Report) {
    let step = time("solver-step", changes.solver_step.as_deref(), report);
    let solver = changes.solver.as_deref().and_then(|name| {
        let kind = SolverKind::from_name(name)?;
        Some(Spanned::new(kind, source("solver", name, report)))
    });
    if let Some(tolerance) = number("tolerance", changes.tolerance.as_deref(), report) {
        system.experiment.tolerance = Some(tolerance);
    }
    let component = system.components.first_mut().filter(|_| is_alone);
    let places = match component {
        Some(component) => (&mut component.solving.solver, &mut component.solving.step),
        None => (&mut system.experiment.solver.solver, &mut system.experiment.solver.step),
    };
    *places.0 = solver.or(places.0.take());
    *places.1 = step.or(places.1.take());
}

/// The number that an option gives; a mistake goes to the report.
pub fn number(option: &str, value: Option<&str>, report: &mut Report) -> Option<Spanned<f64>> {
    let value = value?;
    let span = source(option, value, report);
    if let Ok(number) = value.trim().parse() {
        return Some(Spanned::new(number, span));
    }
    let message = format!("`{value}` is not a number");
    let diagnostic = Diagnostic::error("cli::bad-number", message).at(span, "not a number");
    report.push(diagnostic.help("such as `1e-6`"));
    None
}

/// `b.u` of `b.u[2]`.
fn without_element(name: &str) -> &str {
    name.split_once('[').map_or(name, |(variable, _)| variable).trim()
}

/// `a.y -> b.u`: the wire between the two gets the value before.
fn delay(text: &str, system: &mut System, report: &mut Report) {
    let span = source("delay", text, report);
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

/// A text for an option that diagnostics can point into, and the place of its value in it.
pub fn source(option: &str, value: &str, report: &mut Report) -> Span {
    let text = format!("--{option} {value}");
    let start = text.len() - value.len();
    let range = start..text.len();
    Span::new(report.add_source("command line", text), range)
}

/// The seconds that an option gives; a mistake goes to the report.
pub fn time(option: &str, value: Option<&str>, report: &mut Report) -> Option<Spanned<Seconds>> {
    let value = value?;
    let span = source(option, value, report);
    match value.parse::<Seconds>() {
        Ok(seconds) => Some(Spanned::new(seconds, span)),
        Err(error) => {
            let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
            let label =
                if is_number { "too large, or too many digits" } else { "not a number of seconds" };
            report.push(
                Diagnostic::error("cli::bad-time", error.to_string())
                    .at(span, label)
                    .help("write a decimal or a fraction, such as `0.01` or `1/30`"),
            );
            None
        }
    }
}

/// `tank.area=2`; of a model alone also `area=2`.
fn set(text: &str, system: &mut System, alone: Option<&Alone>, report: &mut Report) {
    let span = source("set", text, report);
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
fn place_last_parameter(system: &mut System, component: &str, name: Span, whole: Span) {
    let component = system.components.iter_mut().find(|part| part.name.value == component);
    if let Some(parameter) = component.and_then(|component| component.parameters.last_mut()) {
        parameter.name.span = Some(name);
        parameter.value.span = Some(whole);
        if let Some(unit) = &mut parameter.unit {
            unit.span = Some(whole);
        }
    }
}
