//! Wires: from an output to an input of the same size, of a type and unit that fit.

use super::Wires;
use super::claims::Claim;
use super::context::{Context, Written};
use super::lookup::Found;
use super::units::{Fit, described, fit, unit_of};
use crate::conversion::{ConvertingBlock, TypeConversion, conversion as type_conversion};
use crate::resolved::{Origin, ResolvedConnection};
use crate::system::{Connection, Hold};
use consort_core::{Causality, Conversion, Diagnostic, ValueType};

pub(super) fn resolve(context: &mut Context<'_, '_>, claims: &mut Vec<Claim>) -> Wires {
    let mut wires = Wires { list: Vec::new(), complete: true };
    for connection in &context.system.connections {
        let from = context.find(Written::new(&connection.from), Some(Causality::Output));
        let to = context.find(Written::new(&connection.to), Some(Causality::Input));
        let from = from.filter(|from| is_output(context, *from, connection));
        let to = to.filter(|to| is_input(context, *to, connection));
        if let Some(to) = to {
            claims.push(Claim { port: to.port, span: connection.to.span, from_table: false });
        }
        match (from, to) {
            (Some(from), Some(to)) => {
                wires.list.push(connect(context, Wire { connection, from, to }));
            }
            _ => wires.complete = false,
        }
    }
    wires
}

/// A connection whose ends were found.
#[derive(Clone, Copy)]
struct Wire<'w> {
    connection: &'w Connection,
    from: Found<'w>,
    to: Found<'w>,
}

/// Labels for the two ends of a connection.
struct EndLabels {
    from: String,
    to: String,
}

impl EndLabels {
    fn new(from: &impl ToString, to: &impl ToString) -> Self {
        EndLabels { from: from.to_string(), to: to.to_string() }
    }
}

fn is_output(context: &mut Context<'_, '_>, from: Found<'_>, connection: &Connection) -> bool {
    if from.variable.causality == Causality::Output {
        return true;
    }
    let (path, causality) = (&connection.from.value, from.variable.causality);
    let help = match causality {
        Causality::Input => {
            format!(
                "to feed several inputs from one source, connect that source to each of them; \
                     or did you mean `to = \"{path}\"`?"
            )
        }
        _ => "only outputs can be connected; record the variable to see it".to_owned(),
    };
    let error = Diagnostic::error("system::not-an-output", format!("`{path}` is not an output"));
    let label = format!("this is of causality {causality}");
    context.push(error.maybe_at(connection.from.span, label).help(help));
    false
}

fn is_input(context: &mut Context<'_, '_>, to: Found<'_>, connection: &Connection) -> bool {
    if to.variable.causality == Causality::Input {
        return true;
    }
    context.doubtful[to.port.component.index()] = true;
    let (path, causality) = (&connection.to.value, to.variable.causality);
    let help = match causality {
        Causality::Output => format!("outputs are sources; did you mean `from = \"{path}\"`?"),
        Causality::Parameter => "give parameters their value in `parameters`".to_owned(),
        _ => "only inputs can be fed".to_owned(),
    };
    let error = Diagnostic::error("system::not-an-input", format!("`{path}` is not an input"));
    let label = format!("this is of causality {causality}");
    context.push(error.maybe_at(connection.to.span, label).help(help));
    false
}

fn connect(context: &mut Context<'_, '_>, wire: Wire<'_>) -> ResolvedConnection {
    let Wire { connection, from, to } = wire;
    check_size(context, wire);
    check_type(context, wire);
    ResolvedConnection {
        from: from.port,
        to: to.port,
        conversion: conversion(context, wire),
        hold: hold(context, wire),
        delay: connection.delay,
        origin: Origin(connection.to.span),
    }
}

/// Reports a problem of a connection, with a label at each end.
fn report(
    context: &mut Context<'_, '_>,
    connection: &Connection,
    diagnostic: Diagnostic,
    labels: EndLabels,
) {
    let diagnostic = diagnostic.maybe_at(connection.to.span, labels.to);
    context.push_with_label(diagnostic, connection.from.span, &labels.from);
}

fn check_size(context: &mut Context<'_, '_>, wire: Wire<'_>) {
    let Wire { connection, from, to } = wire;
    let (a, b) = (from.port.count, to.port.count);
    if a == b {
        return;
    }
    let (source, target) = (&connection.from.value, &connection.to.value);
    let elements = |n: u32| if n == 1 { "1 element".to_owned() } else { format!("{n} elements") };
    let message = format!("`{source}` has {}, `{target}` has {}", elements(a), elements(b));
    let diagnostic = Diagnostic::error("system::size-mismatch", message)
        .help("connect whole arrays of equal size, or single elements: `rod.temperature[3]`");
    report(context, connection, diagnostic, EndLabels::new(&elements(a), &elements(b)));
}

fn check_type(context: &mut Context<'_, '_>, wire: Wire<'_>) {
    let Wire { connection, from, to } = wire;
    let (a, b) = (from.variable.value_type, to.variable.value_type);
    let items = from.variable.enumeration.and_then(|index| from.model.enumerations.get(index));
    let (source, target) = (&connection.from.value, &connection.to.value);
    let message = format!("`{source}` is {a}, `{target}` is {b}");
    let refused = |help| Diagnostic::error("system::type-mismatch", message.clone()).help(help);
    let diagnostic = match type_conversion(a, b, items) {
        TypeConversion::Exact => return,
        TypeConversion::Rounded => {
            Diagnostic::warning("system::rounded", format!("{message}: {}", rounding(a, b)))
                .help(format!("connect an input of type {a} if every digit counts"))
        }
        TypeConversion::OnRequest(block) if connection.convert => {
            Diagnostic::warning("system::converted", format!("{message}: {}", meaning(block)))
                .help(format!("to decide this yourself, {}", between(block, b)))
        }
        TypeConversion::OnRequest(block) => refused(between(block, b)),
        TypeConversion::Refused => refused(format!("connect a source of type {b}")),
    };
    report(context, connection, diagnostic, EndLabels::new(&a, &b));
}

/// What is lost on the way to a floating-point type.
fn rounding(from: ValueType, to: ValueType) -> String {
    let bits = if to == ValueType::Float32 { 24 } else { 53 };
    match from.is_float() {
        true => format!("values are rounded to {to}"),
        false => format!("whole numbers beyond 2^{bits} are rounded"),
    }
}

/// What a connection makes of a value that it is asked to convert.
fn meaning(block: ConvertingBlock) -> &'static str {
    match block {
        ConvertingBlock::Threshold => "it is true where the value is not 0",
        ConvertingBlock::Round => "values are rounded to the nearest that there is",
    }
}

fn between(block: ConvertingBlock, to: ValueType) -> String {
    // An enumeration takes whole numbers of 64 bits.
    let to = if to == ValueType::Enumeration { ValueType::Int64 } else { to };
    let set = match block {
        ConvertingBlock::Threshold => "`threshold`".to_owned(),
        ConvertingBlock::Round => format!("`type = \"{to}\"`"),
    };
    format!("put the block `{}`, with its parameter {set}, between the two", block.name())
}

/// From unit to unit, then what the wire itself does.
fn conversion(context: &mut Context<'_, '_>, wire: Wire<'_>) -> Conversion {
    let Wire { connection, from, to } = wire;
    let units = match connection.suppress_unit_conversion {
        true => Conversion::IDENTITY,
        false => unit_conversion(context, wire),
    };
    let Some(linear) = &connection.transformation else { return units };
    let value_type = to.variable.value_type;
    if !value_type.is_float() {
        let message = format!(
            "`{}` is {value_type}, but only floating-point values can be transformed",
            connection.to.value
        );
        let diagnostic = Diagnostic::error("system::transformation", message)
            .help("remove `factor` and `offset`, or connect a floating-point input");
        let labels = EndLabels::new(&from.variable.value_type, &value_type);
        report(context, connection, diagnostic, labels);
    }
    if !linear.factor.is_finite() || !linear.offset.is_finite() {
        let message = format!("{} * value + {} is not finite", linear.factor, linear.offset);
        let diagnostic = Diagnostic::error("system::transformation", message)
            .help("give finite `factor` and `offset`");
        report(context, connection, diagnostic, EndLabels::new(&"from here", &"to here"));
    }
    Conversion {
        gain: linear.factor * units.gain,
        offset: linear.factor * units.offset + linear.offset,
    }
}

fn unit_conversion(context: &mut Context<'_, '_>, wire: Wire<'_>) -> Conversion {
    let Wire { connection, from, to } = wire;
    let units = unit_of(from.model, from.variable).zip(unit_of(to.model, to.variable));
    let Some((a, b)) = units else { return Conversion::IDENTITY };
    let (source, target) = (&connection.from.value, &connection.to.value);
    let measured = format!("`{source}` is in `{a}`, `{target}` is in `{b}`");
    let labels = EndLabels::new(&described(a), &described(b));
    let diagnostic = match fit(a, b) {
        Fit::Converts(it) if it.is_identity() || to.variable.value_type.is_float() => return it,
        Fit::Converts(_) => Diagnostic::error(
            "system::unit-mismatch",
            format!("{measured}, but only floating-point values can be converted"),
        )
        .help("connect variables of the same unit"),
        Fit::Unknown => Diagnostic::warning(
            "system::unit-unknown",
            format!("{measured}; no conversion is known, so values are passed unchanged"),
        )
        .help("define the units by base units in the models, so that they can be checked"),
        Fit::Differs => Diagnostic::error(
            "system::unit-mismatch",
            format!("{measured}, which measure different things"),
        )
        .help("connect variables that measure the same"),
    };
    report(context, connection, diagnostic, labels);
    Conversion::IDENTITY
}

/// Extrapolation needs a model that takes derivatives and a value that has some.
fn hold(context: &mut Context<'_, '_>, wire: Wire<'_>) -> Hold {
    let Wire { connection, from, to } = wire;
    if connection.hold == Hold::Hold {
        return Hold::Hold;
    }
    let target = &connection.to.value;
    let reason = if to.model.capabilities.input_derivatives_max == 0 {
        "its model takes no input derivatives"
    } else if to.variable.value_type != ValueType::Float64 || !to.variable.dimensions.is_empty() {
        "it is not a scalar `Float64`"
    } else if matches!(from.variable.value_type, ValueType::Boolean | ValueType::Enumeration) {
        "its source has discrete values"
    } else {
        return Hold::Extrapolate;
    };
    let message = format!("`{target}` cannot be extrapolated: {reason}");
    context.push(
        Diagnostic::warning("system::no-extrapolation", message)
            .maybe_at(connection.to.span, "the last value is held instead")
            .help("remove `hold = \"extrapolate\"`"),
    );
    Hold::Hold
}
