//! From keys to the tables of a page.

use consort_toml::{Key, KeyKind, KeyTable, NumberRange};
use std::fmt::Write as _;

/// Everything about the tables of a file, below headings of the second level or deeper.
pub(crate) fn keys(root: &'static KeyTable, level: usize) -> String {
    let tables = root.all();
    let mut text = String::new();
    for table in tables {
        let heading = heading(table);
        let _ = writeln!(text, "{} {heading}\n\n{}\n", "#".repeat(level), table.meaning);
        text += "| key | type | default | meaning | example |\n|---|---|---|---|---|\n";
        for key in table.keys {
            text += &row(key);
        }
        for group in table.exactly_one {
            let names: Vec<String> = group.iter().map(|name| format!("`{name}`")).collect();
            let _ = write!(text, "\nExactly one of {} must be there.\n", names.join(", "));
        }
        let _ = write!(text, "\n```toml\n{}\n```\n\n", table.example);
    }
    text.trim_end().to_owned() + "\n"
}

fn heading(table: &KeyTable) -> String {
    match table.heading {
        "" => "The top of the file".to_owned(),
        name if name.starts_with('[') => format!("`{name}`"),
        name => format!("Settings of {name}"),
    }
}

/// As GitHub makes it of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn row(key: &Key) -> String {
    let example = match key.example {
        "" => String::new(),
        value => format!("`{} = {value}`", key.name),
    };
    let default = key.default.unwrap_or("**must be there**");
    let kind = kind(&key.kind);
    let cells = [&format!("`{}`", key.name), &kind, default, key.meaning, &example];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

fn link(words: &str, table: &KeyTable) -> String {
    let heading = heading(table);
    format!("{words} [{heading}](#{})", anchor(&heading))
}

fn kind(kind: &KeyKind) -> String {
    match kind {
        KeyKind::Text => "text".to_owned(),
        KeyKind::List => "list of texts".to_owned(),
        KeyKind::Boolean => "`true`, `false`".to_owned(),
        KeyKind::True => "`true`".to_owned(),
        KeyKind::Number(range) => number(*range).to_owned(),
        KeyKind::Whole(least, most) => whole(*least, *most),
        KeyKind::Extents => "list of whole numbers above 0".to_owned(),
        KeyKind::Seconds => "time".to_owned(),
        KeyKind::Choice(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`\"{name}\"`")).collect();
            names.join(", ")
        }
        KeyKind::Value => "value".to_owned(),
        KeyKind::Values => "list of values".to_owned(),
        KeyKind::Parameters => "values by name".to_owned(),
        KeyKind::Table(table) => link("table", table),
        KeyKind::Tables(table) => link("tables", table),
        KeyKind::Named(name, KeyKind::Table(table)) => link(&format!("by {name}, a table"), table),
        KeyKind::Named(name, inner) => format!("by {name}: {}", self::kind(inner)),
        KeyKind::Either(kinds) => kinds.iter().map(self::kind).collect::<Vec<_>>().join("; or "),
    }
}

fn number(range: NumberRange) -> &'static str {
    match range {
        NumberRange::Any => "number",
        NumberRange::Positive => "number above 0",
        NumberRange::Probability => "number above 0, below 1",
        NumberRange::Factor => "number above 0, at most 1",
    }
}

fn whole(least: u64, most: u64) -> String {
    let bits = if most == u64::MAX { 64 } else { 32 };
    format!("whole number from {least} on, of {bits} bits")
}
