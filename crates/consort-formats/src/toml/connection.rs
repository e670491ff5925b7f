//! `[[connections]]`.

use super::keys::CONNECTION;
use consort_core::{Diagnostic, Span};
use consort_system::{Connection, Hold, Linear, Spanned};
use consort_toml::{DeTable, Entry, TomlReader};

pub(super) fn read_all(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<Connection> {
    let tables = reader.tables(entry);
    tables.into_iter().flat_map(|(span, table)| read(reader, span, table)).collect()
}

/// One connection per target.
fn read(reader: &mut TomlReader<'_>, span: Span, table: &DeTable<'_>) -> Vec<Connection> {
    let (mut from, mut to) = (None, Vec::new());
    let unknown = Spanned::assumed(String::new());
    let mut wire = Connection::new(unknown.clone(), unknown);
    let settings = reader.settings(table, "a connection", &CONNECTION);
    for entry in &settings.entries {
        match entry.key {
            "from" => from = reader.text(entry),
            "to" => to = targets(reader, entry),
            _ if read_entry(reader, entry, &mut wire) => {}
            _ => entry.is_not_read(),
        }
    }
    for key in ["from", "to"] {
        if !settings.has(key) {
            report_missing(reader, span, key);
        }
    }
    let Some(from) = from else { return Vec::new() };
    to.into_iter().map(|to| Connection { from: from.clone(), to, ..wire.clone() }).collect()
}

/// Reads a key of a connection that is not about its ends; the others are left alone.
fn read_entry(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>, wire: &mut Connection) -> bool {
    match entry.key {
        "hold" => wire.hold = reader.choice(entry, &Hold::ALL).unwrap_or_default(),
        "group" => wire.group = reader.text(entry).map(|group| group.value),
        "delay" => wire.delay = reader.boolean(entry).unwrap_or_default(),
        "factor" => {
            if let Some(factor) = reader.number(entry, "2.0") {
                linear(wire).factor = factor.value;
            }
        }
        "offset" => {
            if let Some(offset) = reader.number(entry, "1.0") {
                linear(wire).offset = offset.value;
            }
        }
        "suppress-unit-conversion" => {
            wire.suppress_unit_conversion = reader.boolean(entry).unwrap_or_default();
        }
        "convert" => wire.convert = reader.boolean(entry).unwrap_or_default(),
        _ => return false,
    }
    true
}

fn linear(wire: &mut Connection) -> &mut Linear {
    wire.transformation.get_or_insert(Linear { factor: 1.0, offset: 0.0 })
}

fn targets(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<Spanned<String>> {
    if matches!(entry.value.get_ref(), consort_toml::DeValue::Array(_)) {
        return reader.texts(entry);
    }
    reader.text(entry).into_iter().collect()
}

fn report_missing(reader: &mut TomlReader<'_>, span: Span, key: &str) {
    let example = if key == "from" { "tank.level" } else { "pid.measurement" };
    reader.loss(
        Diagnostic::error("system::missing-end", format!("a connection has no `{key}`"))
            .at(span, format!("no `{key}` in here"))
            .help(format!("add `{key} = \"component.variable\"`, such as `{key} = \"{example}\"`")),
    );
}
