//! Values as a parameter set inside of a component.

use super::connectors::Types;
use super::text::{Text, float, is_allowed};
use super::write_units;
use consort_core::{Literal, ModelDescription, Unit, ValueType};
use consort_system::Parameter;
use std::collections::BTreeMap;

/// A value as SSP writes it.
struct Typed {
    element: &'static str,
    /// Numbers and flags go into one attribute, texts into elements of their own.
    texts: Vec<String>,
    sizes: Vec<usize>,
    needs_2: bool,
}

/// Writes the parameters that SSP can hold exactly, and returns the others.
pub(super) fn bindings<'p>(
    text: &mut Text,
    types: &mut Types,
    parameters: &'p [Parameter],
    model: Option<&ModelDescription>,
) -> Vec<&'p Parameter> {
    let (mut rest, mut written) = (Vec::new(), Vec::new());
    let mut units: BTreeMap<String, Unit> = BTreeMap::new();
    for parameter in parameters {
        let found = model.and_then(|model| model.variable(&parameter.name.value));
        let variable = found.and_then(|id| model.map(|model| &model.variables[id.index()]));
        let typed = typed(&parameter.value.value, variable.map(|it| it.value_type));
        match typed.filter(|typed| parameter.unit.is_none() || is_real(typed)) {
            Some(typed) => written.push((parameter, typed)),
            None => rest.push(parameter),
        }
    }
    if written.is_empty() {
        return rest;
    }
    let needs_2 = written.iter().any(|(_, typed)| typed.needs_2);
    types.needs_2 |= needs_2;
    text.open("ssd:ParameterBindings", &[]);
    text.open("ssd:ParameterBinding", &[]);
    text.open("ssd:ParameterValues", &[]);
    let version = if needs_2 { "2.0" } else { "1.0" };
    text.open("ssv:ParameterSet", &[("version", version), ("name", "parameters")]);
    text.open("ssv:Parameters", &[]);
    for (parameter, typed) in &written {
        if let Some(unit) = &parameter.unit {
            units.insert(unit.value.clone(), Unit::named(&unit.value));
        }
        write(text, parameter, typed);
    }
    text.close("ssv:Parameters");
    write_units(text, "ssv:Units", units.values());
    text.close("ssv:ParameterSet");
    text.close("ssd:ParameterValues");
    text.close("ssd:ParameterBinding");
    text.close("ssd:ParameterBindings");
    rest
}

fn is_real(typed: &Typed) -> bool {
    typed.element == "Real"
}

fn write(text: &mut Text, parameter: &Parameter, typed: &Typed) {
    text.open("ssv:Parameter", &[("name", &parameter.name.value)]);
    let element = format!("ssv:{}", typed.element);
    let unit = parameter.unit.as_ref().map(|unit| ("unit", unit.value.as_str()));
    let is_text = matches!(typed.element, "String" | "Enumeration" | "Binary");
    if is_text && !typed.sizes.is_empty() {
        text.open(&element, &[]);
        for value in &typed.texts {
            text.leaf("ssv:Value", &[("value", value)]);
        }
        text.close(&element);
    } else {
        let value = typed.texts.join(" ");
        let attributes: Vec<_> = std::iter::once(("value", value.as_str())).chain(unit).collect();
        text.leaf(&element, &attributes);
    }
    for size in &typed.sizes {
        text.leaf("ssc:Dimension", &[("size", &size.to_string())]);
    }
    text.close("ssv:Parameter");
}

/// The value in the type of SSP that is read as the same value; `None` if there is none.
fn typed(literal: &Literal, wanted: Option<ValueType>) -> Option<Typed> {
    let scalars = literal.scalars();
    let sizes = literal.shape()?;
    // An empty list of texts could not be distinguished from nothing.
    let is_empty = scalars.is_empty();
    let (element, is_new) = element(&scalars, wanted)?;
    let is_text = matches!(element, "String" | "Enumeration" | "Binary");
    if is_text && is_empty {
        return None;
    }
    let texts = scalars.iter().map(|scalar| text_of(scalar, element)).collect::<Option<_>>()?;
    let needs_2 = is_new || !sizes.is_empty();
    Some(Typed { element, texts, sizes, needs_2 })
}

fn element(scalars: &[&Literal], wanted: Option<ValueType>) -> Option<(&'static str, bool)> {
    let all = |fits: fn(&Literal) -> bool| scalars.iter().all(|scalar| fits(scalar));
    let is_float = |it: &Literal| matches!(it, Literal::Float(_) | Literal::Integer(_));
    if all(|it| matches!(it, Literal::Boolean(_))) && !scalars.is_empty() {
        return Some(("Boolean", false));
    }
    if all(|it| matches!(it, Literal::Text(_))) && !scalars.is_empty() {
        return Some(match wanted {
            Some(ValueType::Enumeration) => ("Enumeration", false),
            Some(ValueType::Binary) => ("Binary", false),
            _ => ("String", false),
        });
    }
    let is_whole = all(|it| matches!(it, Literal::Integer(_))) && !scalars.is_empty();
    if is_whole && !wanted.is_some_and(ValueType::is_float) {
        return integer(scalars);
    }
    all(is_float).then_some(("Real", false))
}

fn integer(scalars: &[&Literal]) -> Option<(&'static str, bool)> {
    let within = |least: i128, most: i128| {
        let fits = |it: &&Literal| matches!(it, Literal::Integer(n) if least <= *n && *n <= most);
        scalars.iter().all(fits)
    };
    if within(i32::MIN.into(), i32::MAX.into()) {
        return Some(("Integer", false));
    }
    if within(i64::MIN.into(), i64::MAX.into()) {
        return Some(("Int64", true));
    }
    within(0, u64::MAX.into()).then_some(("UInt64", true))
}

fn text_of(scalar: &Literal, element: &str) -> Option<String> {
    match (scalar, element) {
        (Literal::Boolean(value), _) => Some(value.to_string()),
        (Literal::Float(value), _) => Some(float(*value)),
        (Literal::Integer(value), "Real") => {
            // Whole numbers that a double cannot hold are kept elsewhere.
            (*value as f64 as i128 == *value).then(|| float(*value as f64))
        }
        (Literal::Integer(value), _) => Some(value.to_string()),
        (Literal::Text(text), "Enumeration") => {
            Some(text.clone()).filter(|text| text.trim().parse::<i128>().is_err() && is_safe(text))
        }
        (Literal::Text(text), "Binary") => {
            let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            Some(text.clone()).filter(|text| digits && text.len().is_multiple_of(2))
        }
        (Literal::Text(text), _) => Some(text.clone()).filter(|text| is_safe(text)),
        (Literal::Array(_), _) => None,
    }
}

fn is_safe(text: &str) -> bool {
    text.chars().all(is_allowed)
}
