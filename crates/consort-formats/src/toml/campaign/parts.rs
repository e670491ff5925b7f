//! `[options]`, `[[disturbances]]` and `[[properties]]`.

use super::limits;
use crate::toml::component::value;
use crate::toml::keys::{DISTURBANCE, OPTIONS, PROPERTY};
use consort_core::{Diagnostic, Literal, SolverKind, Span};
use consort_system::Spanned;
use consort_system::campaign::{Disturbance, PropertyReading, PropertyText, SystemOptions};
use consort_toml::{DeTable, DeValue, Entry, KnownEntries, TomlReader};

/// More values than this of one input are no finite alphabet any more, but a mistake.
const VALUES_MAX: usize = 1_000;

/// The entries of a table; anything else is a mistake.
pub(super) fn table<'t, 'i>(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'t, 'i>,
) -> Option<&'t DeTable<'i>> {
    if let DeValue::Table(table) = entry.value.get_ref() {
        return Some(table);
    }
    let help = format!("write `[{}]`, then its settings on lines of their own", entry.key);
    reader.wrong_kind(entry.key, entry.value, "a table", &help);
    None
}

/// `[options]`.
pub(super) fn options(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> SystemOptions {
    let mut options = SystemOptions::default();
    let Some(table) = table(reader, entry) else { return options };
    let place = "the options of a campaign's system";
    for entry in &reader.settings(table, place, &OPTIONS).entries {
        match entry.key {
            "set" => options.set = reader.texts(entry),
            "step" => options.step = reader.seconds(entry),
            "solver" => options.solver = solver(reader, entry),
            "tolerance" => options.tolerance = limits::positive(reader, entry, "1e-6"),
            "solver-step" => options.solver_step = reader.seconds(entry),
            _ => entry.is_not_read(),
        }
    }
    options
}

fn solver(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<Spanned<String>> {
    let chosen = reader.spanned_choice(entry, &SolverKind::ALL)?;
    Some(Spanned { value: chosen.value.name().to_owned(), span: chosen.span })
}

/// `[[disturbances]]`.
pub(super) fn disturbances(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<Disturbance> {
    let tables = reader.tables(entry);
    let read: Vec<Disturbance> =
        tables.into_iter().filter_map(|(span, table)| disturbance(reader, span, table)).collect();
    for (index, later) in read.iter().enumerate() {
        let first = read[..index].iter().find(|first| first.input.value == later.input.value);
        if let (Some(first), Some(span)) = (first, later.input.span) {
            let message = format!("`{}` is disturbed twice", later.input.value);
            let diagnostic = Diagnostic::error("campaign::disturbed-twice", message);
            let diagnostic = diagnostic.at(span, "again");
            let diagnostic = match first.input.span {
                Some(span) => diagnostic.label(span, "first here"),
                None => diagnostic,
            };
            reader.error(diagnostic.help("give all values of an input in one `[[disturbances]]`"));
        }
    }
    read
}

fn disturbance(
    reader: &mut TomlReader<'_>,
    span: Span,
    table: &DeTable<'_>,
) -> Option<Disturbance> {
    let (mut input, mut values, mut changes_max) = (None, None, None);
    let settings = reader.settings(table, "a disturbance", &DISTURBANCE);
    for entry in &settings.entries {
        match entry.key {
            "input" => input = reader.text(entry),
            "values" => values = self::values(reader, entry),
            "changes-max" => changes_max = reader.count(entry, "1"),
            _ => entry.is_not_read(),
        }
    }
    let needed = [
        ("input", "add `input = \"component.variable\"`"),
        ("values", "add `values = [0, 1]`: the first is the nominal one"),
    ];
    missing(reader, "a disturbance", span, &settings, &needed);
    Some(Disturbance { input: input?, values: values?, changes_max })
}

fn values(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<Vec<Spanned<Literal>>> {
    let DeValue::Array(items) = entry.value.get_ref() else {
        reader.wrong_kind(entry.key, entry.value, "a list of values", "such as `values = [0, 1]`");
        return None;
    };
    let span = reader.span(entry.value.span());
    if items.is_empty() || VALUES_MAX < items.len() {
        let message = format!("an input has 1 to {VALUES_MAX} values, not {}", items.len());
        reader.loss(
            Diagnostic::error("campaign::number-of-values", message)
                .at(span, "too few or too many")
                .help("list the values that matter: `values = [0, 1]`"),
        );
        return None;
    }
    let read: Vec<_> = items.iter().filter_map(|item| value(reader, entry.key, item)).collect();
    for (index, later) in read.iter().enumerate() {
        if read[..index].iter().any(|first| first.value == later.value) {
            reader.error(
                Diagnostic::error("campaign::value-twice", "a value is listed twice")
                    .maybe_at(later.span, "again")
                    .help("each value of an input is listed once"),
            );
        }
    }
    (read.len() == items.len()).then_some(read)
}

/// `[[properties]]`.
pub(super) fn properties(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<PropertyText> {
    let tables = reader.tables(entry);
    let read: Vec<PropertyText> =
        tables.into_iter().filter_map(|(span, table)| property(reader, span, table)).collect();
    for (index, later) in read.iter().enumerate() {
        if read[..index].iter().any(|first| first.name.value == later.name.value) {
            let message = format!("two properties are called `{}`", later.name.value);
            reader.error(
                Diagnostic::error("campaign::property-twice", message)
                    .maybe_at(later.name.span, "again")
                    .help("give each property a name of its own"),
            );
        }
    }
    read
}

fn property(reader: &mut TomlReader<'_>, span: Span, table: &DeTable<'_>) -> Option<PropertyText> {
    let (mut name, mut formula, mut scale) = (None, None, None);
    let mut reading = PropertyReading::default();
    let settings = reader.settings(table, "a property", &PROPERTY);
    for entry in &settings.entries {
        match entry.key {
            "name" => name = reader.text(entry),
            "formula" => formula = reader.text(entry),
            "reading" => {
                reading = reader.choice(entry, &PropertyReading::ALL).unwrap_or_default();
            }
            "scale" => scale = limits::positive(reader, entry, "0.5"),
            _ => entry.is_not_read(),
        }
    }
    let needed = [
        ("name", "add `name = \"...\"`: what reports call it"),
        ("formula", "add `formula = \"always (component.variable < 1)\"`"),
    ];
    missing(reader, "a property", span, &settings, &needed);
    Some(PropertyText { name: name?, formula: formula?, reading, scale })
}

fn missing(
    reader: &mut TomlReader<'_>,
    what: &str,
    span: Span,
    settings: &KnownEntries<'_, '_>,
    needed: &[(&str, &str)],
) {
    for (key, help) in needed.iter().filter(|(key, _)| !settings.has(key)) {
        let message = format!("{what} has no `{key}`");
        reader.loss(
            Diagnostic::error("campaign::missing-key", message)
                .at(span, format!("no `{key}` in here"))
                .help(*help),
        );
    }
}
