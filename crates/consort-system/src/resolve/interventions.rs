//! Resolves interventions.

use super::Wires;
use super::clock::Timing;
use super::context::{Context, Written};
use super::lookup::Found;
use super::recording::Selection;
use super::values::{Given, Purpose};
use crate::resolved::{Comparison, Condition, Effect, Port, ResolvedIntervention, Target, Trigger};
use crate::system::{Action, Intervention, When};
use consort_core::{Causality, ConnectionId, Diagnostic, ValueType, Variability};

pub(super) fn resolve(
    context: &mut Context<'_, '_>,
    timing: Option<&Timing>,
    wires: &Wires,
    selection: &Selection,
) -> Vec<ResolvedIntervention> {
    let mut list = Vec::new();
    let mut acted_on = Vec::new();
    for intervention in &context.system.interventions {
        let trigger = trigger(context, intervention, timing, selection);
        let target = target(context, intervention, wires);
        if let Some((_, found)) = target {
            check_overlap(context, intervention, found.port, &mut acted_on);
        }
        let effect = target.and_then(|(_, found)| effect(context, intervention, found));
        if let (Some(trigger), Some((target, _)), Some(effect)) = (trigger, target, effect) {
            list.push(ResolvedIntervention { trigger, target, effect });
        }
    }
    list
}

/// Two interventions act on the same elements or on different ones: where they share some, the
/// undisturbed value would not be defined.
fn check_overlap<'a>(
    context: &mut Context<'_, '_>,
    intervention: &'a Intervention,
    port: Port,
    acted_on: &mut Vec<(Port, &'a Intervention)>,
) {
    let shares = |other: &Port| {
        (other.component, other.variable) == (port.component, port.variable)
            && other.first < port.first + port.count
            && port.first < other.first + other.count
    };
    let other = acted_on.iter().find(|(other, _)| shares(other) && *other != port);
    if let Some((_, other)) = other {
        let (here, there) = (&intervention.target, &other.target);
        let message = format!("`{}` and `{}` share some elements", here.value, there.value);
        let diagnostic = Diagnostic::error("system::overlapping-targets", message)
            .maybe_at(here.span, "overlaps")
            .help("act on the same elements in both, or on different ones");
        context.push_with_label(diagnostic, there.span, "with this one");
    }
    acted_on.push((port, intervention));
}

fn trigger(
    context: &mut Context<'_, '_>,
    intervention: &Intervention,
    timing: Option<&Timing>,
    selection: &Selection,
) -> Option<Trigger> {
    match &intervention.when {
        When::At(at) => timing?.at_or_after(at, context.report).map(Trigger::At),
        When::Condition(text) => {
            condition(context, Written::new(text), selection).map(Trigger::When)
        }
    }
}

fn condition(
    context: &mut Context<'_, '_>,
    written: Written<'_>,
    selection: &Selection,
) -> Option<Condition> {
    let split = written.text.find(['<', '>', '=', '!']).and_then(|at| {
        let comparison = Comparison::at_start(&written.text[at..])?;
        let number = number(&written.text[at + comparison.name().len()..])?;
        Some((at, comparison, number))
    });
    let Some((at, comparison, number)) = split else {
        let message = format!("`{}` is no condition", written.text);
        context.push(
            Diagnostic::error("system::bad-condition", message)
                .maybe_at(written.span, "expected `component.variable OPERATOR number`")
                .help("such as `tank.level > 0.8`; operators are `<`, `<=`, `>`, `>=`, `==`, `!=`"),
        );
        return None;
    };
    let left = written.part(0..at).trim();
    let found = context.find(left, None)?;
    check_watched(context, left, found, selection).then_some(Condition {
        port: found.port,
        comparison,
        number,
    })
}

fn number(text: &str) -> Option<f64> {
    match text.trim() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        text => text.parse().ok().filter(|number: &f64| !number.is_nan()),
    }
}

/// A condition watches one number that is known at every tag.
fn check_watched(
    context: &mut Context<'_, '_>,
    written: Written<'_>,
    found: Found<'_>,
    selection: &Selection,
) -> bool {
    let port = found.port;
    let is_known = matches!(found.variable.causality, Causality::Input | Causality::Output)
        || selection.is_recorded(port.component, port.variable);
    let is_number = !matches!(
        found.variable.value_type,
        ValueType::String | ValueType::Binary | ValueType::Clock
    );
    let (problem, help) = if port.count != 1 {
        ("is an array", "compare one element, such as `rod.temperature[3] > 80`")
    } else if !is_number {
        ("is no number", "conditions compare numbers")
    } else if !is_known {
        ("is neither an input nor an output nor recorded", "add it to `record`")
    } else {
        return true;
    };
    let message = format!("`{}` cannot be watched: it {problem}", written.text);
    context.push(
        Diagnostic::error("system::not-watchable", message)
            .maybe_at(written.span, problem)
            .help(help),
    );
    false
}

/// What is acted on, and the port whose type and unit values take.
fn target<'a>(
    context: &mut Context<'a, '_>,
    intervention: &Intervention,
    wires: &Wires,
) -> Option<(Target, Found<'a>)> {
    let written = Written::new(&intervention.target);
    if let Some(arrow) = written.text.find("->") {
        return wire(context, written, arrow, wires);
    }
    let found = context.find(written, None)?;
    let tunable = found.variable.variability == Variability::Tunable;
    let target = match found.variable.causality {
        _ if found.variable.value_type == ValueType::Clock => None,
        Causality::Input => Some(Target::Input(found.port)),
        Causality::Output => Some(Target::Output(found.port)),
        Causality::Parameter if tunable => Some(Target::Parameter(found.port)),
        _ => None,
    };
    if target.is_none() {
        let (causality, variability) = (found.variable.causality, found.variable.variability);
        let message = format!("`{}` cannot be changed while the system runs", written.text);
        context.push(
            Diagnostic::error("system::not-a-target", message)
                .maybe_at(written.span, format!("this is a {variability} {causality}"))
                .help("inputs, outputs, tunable parameters and wires can be changed"),
        );
    }
    target.map(|target| (target, found))
}

/// `component.output -> component.input`.
fn wire<'a>(
    context: &mut Context<'a, '_>,
    written: Written<'_>,
    arrow: usize,
    wires: &Wires,
) -> Option<(Target, Found<'a>)> {
    let from = context.find(written.part(0..arrow), Some(Causality::Output));
    let to = context.find(written.part(arrow + 2..written.text.len()), Some(Causality::Input));
    let (from, to) = (from?, to?);
    let is_it = |index: &usize| {
        let wire = &wires.list[*index];
        wire.from == from.port && wire.to == to.port
    };
    if let Some(index) = (0..wires.list.len()).find(is_it) {
        return Some((Target::Connection(ConnectionId::from_index(index)), to));
    }
    if wires.complete {
        let message = format!("no connection goes `{}`", written.text);
        context.push(
            Diagnostic::error("system::unknown-wire", message)
                .maybe_at(written.span, "not connected like this")
                .help("write `from -> to` exactly as one of the connections has them"),
        );
    }
    None
}

fn effect(
    context: &mut Context<'_, '_>,
    intervention: &Intervention,
    found: Found<'_>,
) -> Option<Effect> {
    let path = intervention.target.value.as_str();
    let given = |value, purpose| Given { value, unit: intervention.unit.as_ref(), purpose };
    match &intervention.action {
        Action::Set(value) => {
            context.values(found, path, given(value, Purpose::Value)).map(Effect::Set)
        }
        Action::Override(value) => {
            context.values(found, path, given(value, Purpose::Value)).map(Effect::Override)
        }
        Action::Offset(value) => {
            if !is_number(found.variable.value_type) {
                report_offset(context, intervention, found.variable.value_type);
                return None;
            }
            context.values(found, path, given(value, Purpose::Difference)).map(Effect::Offset)
        }
        Action::Freeze => Some(Effect::Freeze),
        Action::Release => Some(Effect::Release),
    }
}

fn is_number(value_type: ValueType) -> bool {
    value_type.is_float() || value_type.is_integer() && value_type != ValueType::Enumeration
}

fn report_offset(
    context: &mut Context<'_, '_>,
    intervention: &Intervention,
    value_type: ValueType,
) {
    let path = &intervention.target.value;
    let message = format!("`{path}` is {value_type}, to which nothing can be added");
    context.push(
        Diagnostic::error("system::no-offset", message)
            .maybe_at(intervention.target.span, "not a number")
            .help("use `set` or `override`"),
    );
}
