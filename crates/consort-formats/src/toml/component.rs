//! `[components.NAME]`.

use super::experiment::Defaults;
use super::keys::COMPONENT;
use super::{isolation, solving};
use crate::{given_twice, is_component_name};
use consort_core::{Diagnostic, Literal, SetupOrder};
use consort_system::{Component, Parameter, Spanned, StepLength};
use consort_toml::{DeTable, DeValue, Entry, LiteralProblem, TomlReader, Value, literal};
use std::collections::BTreeMap;

pub(super) fn read_all(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    defaults: Defaults,
) -> Vec<Component> {
    let DeValue::Table(table) = entry.value.get_ref() else {
        let help = "write `[components.NAME]` before each component";
        reader.wrong_kind("components", entry.value, "a table of components", help);
        return Vec::new();
    };
    let entries = reader.entries(table);
    entries.iter().filter_map(|entry| read(reader, entry, defaults)).collect()
}

fn read(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    defaults: Defaults,
) -> Option<Component> {
    check_name(reader, entry);
    let DeValue::Table(table) = entry.value.get_ref() else {
        let help = format!("write `[components.{}]` before its settings", entry.key);
        reader.wrong_kind(entry.key, entry.value, "a component (a table)", &help);
        return None;
    };
    let name = Spanned::new(entry.key.to_owned(), entry.key_span);
    let mut component = Component::new(name, Spanned::assumed(String::new()));
    component.send_start_values = defaults.send_start_values;
    let place = format!("component `{}`", entry.key);
    let settings = reader.settings(table, &place, &COMPONENT);
    for entry in &settings.entries {
        read_entry(reader, entry, &mut component);
    }
    if !settings.has("model") {
        report_missing_model(reader, entry);
    }
    Some(component)
}

fn read_entry(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>, component: &mut Component) {
    match entry.key {
        "model" => {
            if let Some(model) = reader.text(entry) {
                component.model = model;
            }
        }
        "parameters" => component.parameters = parameters(reader, entry),
        "step" => component.step = reader.seconds(entry),
        "step-length" => {
            component.step_length = reader.choice(entry, &StepLength::ALL).unwrap_or_default();
        }
        "concurrent" => component.concurrent = reader.boolean(entry).unwrap_or_default(),
        "send-start-values" => {
            component.send_start_values = reader.boolean(entry).unwrap_or_default();
        }
        "setup" => component.setup = reader.choice(entry, &SetupOrder::ALL).unwrap_or_default(),
        "event-mode" => component.event_mode = reader.boolean(entry).unwrap_or(true),
        "reactive" => component.reactive = reader.texts(entry),
        _ if solving::read_entry(reader, entry, &mut component.solving) => {}
        _ if isolation::read_entry(reader, entry, &mut component.isolation) => {}
        _ => entry.is_not_read(),
    }
}

fn check_name(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) {
    if is_component_name(entry.key) {
        return;
    }
    let message = format!("{:?} cannot be the name of a component", entry.key);
    reader.loss(
        Diagnostic::error("system::bad-name", message)
            .at(
                entry.key_span,
                "a name consists of letters, digits, `_` and `-`; parts of it are separated by `/`",
            )
            .help("a dot would separate a component from its variable, so names have none"),
    );
}

fn report_missing_model(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) {
    let message = format!("component `{}` has no model", entry.key);
    reader.loss(
        Diagnostic::error("system::missing-model", message)
            .at(entry.key_span, "no `model` in here")
            .help("add `model = \"file.fmu\"` or `model = \"native:NAME\"`"),
    );
}

fn parameters(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<Parameter> {
    let DeValue::Table(table) = entry.value.get_ref() else {
        let help = "such as `parameters = { gain = 2.5 }`";
        reader.wrong_kind("parameters", entry.value, "a table", help);
        return Vec::new();
    };
    let mut list = Vec::new();
    collect(reader, table, "", &mut list);
    report_duplicates(reader, &list);
    list
}

/// Unquoted names with dots arrive as tables in tables; they are put together again.
fn collect(
    reader: &mut TomlReader<'_>,
    table: &DeTable<'_>,
    prefix: &str,
    list: &mut Vec<Parameter>,
) {
    for entry in &reader.entries(table) {
        let name = Spanned::new(format!("{prefix}{}", entry.key), entry.key_span);
        match entry.value.get_ref() {
            DeValue::Table(inner) if is_value(inner) => {
                list.extend(value_with_unit(reader, name, inner, entry));
            }
            DeValue::Table(inner) => collect(reader, inner, &format!("{}.", name.value), list),
            _ => {
                if let Some(value) = value(reader, &name.value, entry.value) {
                    list.push(Parameter { name, value, unit: None });
                }
            }
        }
    }
}

fn is_value(table: &DeTable<'_>) -> bool {
    table.contains_key("value") || table.contains_key("unit")
}

/// `{ value = 20, unit = "cm" }`.
fn value_with_unit(
    reader: &mut TomlReader<'_>,
    name: Spanned<String>,
    table: &DeTable<'_>,
    whole: &Entry<'_, '_>,
) -> Option<Parameter> {
    let (mut found, mut unit) = (None, None);
    let place = format!("the value of `{}`", name.value);
    for entry in &reader.entries(table) {
        match entry.key {
            "value" => found = value(reader, &name.value, entry.value),
            "unit" => unit = reader.text(entry),
            _ => {
                reader.unknown_key(entry, &place, &["value", "unit"]);
            }
        }
    }
    if !table.contains_key("value") {
        let span = reader.span(whole.value.span());
        let message = format!("{place} has a unit but no number");
        reader.loss(
            Diagnostic::error("system::missing-value", message)
                .at(span, "no `value` in here")
                .help("write `{ value = 20, unit = \"cm\" }`"),
        );
    }
    Some(Parameter { name, value: found?, unit })
}

/// A value for a variable, or the reason why it is none.
pub(super) fn value(
    reader: &mut TomlReader<'_>,
    key: &str,
    value: &Value<'_>,
) -> Option<Spanned<Literal>> {
    let span = reader.span(value.span());
    match literal(value.get_ref()) {
        Ok(literal) => return Some(Spanned::new(literal, span)),
        Err(LiteralProblem::Kind(found)) => {
            let message = format!("expected a value for `{key}`, found {found}");
            reader.loss(
                Diagnostic::error("system::wrong-kind", message)
                    .at(span, "not a value a variable can have")
                    .help("values are numbers, true or false, text, and lists of those"),
            );
        }
        Err(LiteralProblem::TooLarge) => {
            let message = format!("a number for `{key}` is too large for any variable");
            reader.loss(
                Diagnostic::error("system::too-large", message)
                    .at(span, "beyond every type")
                    .help("write `inf` if you mean infinity"),
            );
        }
    }
    None
}

fn report_duplicates(reader: &mut TomlReader<'_>, list: &[Parameter]) {
    let mut first = BTreeMap::new();
    for parameter in list {
        let Some(earlier) = first.insert(&parameter.name.value, &parameter.name) else { continue };
        reader.loss(given_twice("system::duplicate-parameter", &parameter.name, earlier));
    }
}
