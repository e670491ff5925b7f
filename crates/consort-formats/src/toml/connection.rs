//! `[[connections]]`.

use super::reader::{Entry, Reader};
use consort_core::{Diagnostic, Span};
use consort_system::{Connection, Hold, Spanned};
use toml::de::DeTable;

const KEYS: &[&str] = &["from", "to", "hold", "group"];

pub(super) fn read_all(reader: &mut Reader<'_>, entry: &Entry<'_, '_>) -> Vec<Connection> {
    let tables = reader.tables(entry);
    tables.into_iter().flat_map(|(span, table)| read(reader, span, table)).collect()
}

/// One connection per target.
fn read(reader: &mut Reader<'_>, span: Span, table: &DeTable<'_>) -> Vec<Connection> {
    let (mut from, mut to) = (None, Vec::new());
    let (mut hold, mut group) = (Hold::Hold, None);
    let mut given = Vec::new();
    for entry in &reader.entries(table) {
        given.push(entry.key);
        match entry.key {
            "from" => from = reader.text(entry),
            "to" => to = targets(reader, entry),
            "hold" => {
                let choices = [("hold", Hold::Hold), ("extrapolate", Hold::Extrapolate)];
                hold = reader.choice(entry, &choices).unwrap_or_default();
            }
            "group" => group = reader.text(entry).map(|group| group.value),
            _ => given.extend(reader.unknown_key(entry, "a connection", KEYS)),
        }
    }
    for key in ["from", "to"] {
        if !given.contains(&key) {
            report_missing(reader, span, key);
        }
    }
    let Some(from) = from else { return Vec::new() };
    let wire = |to: Spanned<String>| Connection {
        hold,
        group: group.clone(),
        ..Connection::new(from.clone(), to)
    };
    to.into_iter().map(wire).collect()
}

fn targets(reader: &mut Reader<'_>, entry: &Entry<'_, '_>) -> Vec<Spanned<String>> {
    if matches!(entry.value.get_ref(), toml::de::DeValue::Array(_)) {
        return reader.texts(entry);
    }
    reader.text(entry).into_iter().collect()
}

fn report_missing(reader: &mut Reader<'_>, span: Span, key: &str) {
    let example = if key == "from" { "tank.level" } else { "pid.measurement" };
    reader.loss(
        Diagnostic::error("system::missing-end", format!("a connection has no `{key}`"))
            .at(span, format!("no `{key}` in here"))
            .help(format!("add `{key} = \"component.variable\"`, such as `{key} = \"{example}\"`")),
    );
}
