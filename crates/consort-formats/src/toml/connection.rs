//! `[[connections]]`.

use consort_core::{Diagnostic, Span};
use consort_system::{Connection, Hold, Linear, Spanned};
use consort_toml::{DeTable, Entry, TomlReader};

const KEYS: &[&str] = &[
    "from",
    "to",
    "hold",
    "group",
    "delay",
    "factor",
    "offset",
    "suppress-unit-conversion",
    "convert",
];

pub(super) fn read_all(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<Connection> {
    let tables = reader.tables(entry);
    tables.into_iter().flat_map(|(span, table)| read(reader, span, table)).collect()
}

/// What is said of a wire beside its ends.
#[derive(Default)]
struct ConnectionSettings {
    hold: Hold,
    group: Option<String>,
    delay: bool,
    factor: Option<f64>,
    offset: Option<f64>,
    suppress_unit_conversion: bool,
    convert: bool,
}

/// One connection per target.
fn read(reader: &mut TomlReader<'_>, span: Span, table: &DeTable<'_>) -> Vec<Connection> {
    let (mut from, mut to) = (None, Vec::new());
    let mut settings = ConnectionSettings::default();
    let mut given = Vec::new();
    for entry in &reader.entries(table) {
        given.push(entry.key);
        match entry.key {
            "from" => from = reader.text(entry),
            "to" => to = targets(reader, entry),
            _ if settings.read(reader, entry) => {}
            _ => given.extend(reader.unknown_key(entry, "a connection", KEYS)),
        }
    }
    for key in ["from", "to"] {
        if !given.contains(&key) {
            report_missing(reader, span, key);
        }
    }
    let Some(from) = from else { return Vec::new() };
    to.into_iter().map(|to| settings.wire(from.clone(), to)).collect()
}

impl ConnectionSettings {
    fn read(&mut self, reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> bool {
        match entry.key {
            "hold" => self.hold = reader.choice(entry, &Hold::ALL).unwrap_or_default(),
            "group" => self.group = reader.text(entry).map(|group| group.value),
            "delay" => self.delay = reader.boolean(entry).unwrap_or_default(),
            "factor" => self.factor = reader.number(entry, "2.0").map(|number| number.value),
            "offset" => self.offset = reader.number(entry, "1.0").map(|number| number.value),
            "suppress-unit-conversion" => {
                self.suppress_unit_conversion = reader.boolean(entry).unwrap_or_default();
            }
            "convert" => self.convert = reader.boolean(entry).unwrap_or_default(),
            _ => return false,
        }
        true
    }

    fn wire(&self, from: Spanned<String>, to: Spanned<String>) -> Connection {
        let linear = |factor: Option<f64>, offset: Option<f64>| Linear {
            factor: factor.unwrap_or(1.0),
            offset: offset.unwrap_or(0.0),
        };
        let is_changed = self.factor.is_some() || self.offset.is_some();
        Connection {
            hold: self.hold,
            group: self.group.clone(),
            delay: self.delay,
            transformation: is_changed.then(|| linear(self.factor, self.offset)),
            suppress_unit_conversion: self.suppress_unit_conversion,
            convert: self.convert,
            ..Connection::new(from, to)
        }
    }
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
