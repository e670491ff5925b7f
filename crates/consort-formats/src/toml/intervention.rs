//! `[[interventions]]`.

use super::component::value;
use super::keys::INTERVENTION;
use consort_core::{Diagnostic, Span};
use consort_system::{Action, Intervention, Spanned, When};
use consort_toml::{DeTable, Entry, TomlReader};

const ACTIONS: &str = "`set`, `override`, `offset`, `freeze = true` or `release = true`";

pub(super) fn read_all(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<Intervention> {
    let tables = reader.tables(entry);
    tables.into_iter().filter_map(|(span, table)| read(reader, span, table)).collect()
}

/// What was found so far; `None` inside of a list means that it was found but is wrong.
#[derive(Default)]
struct InterventionEntries {
    when: Vec<(Span, Option<When>)>,
    action: Vec<(Span, Option<Action>)>,
    target: Option<Spanned<String>>,
    unit: Option<Spanned<String>>,
}

fn read(reader: &mut TomlReader<'_>, span: Span, table: &DeTable<'_>) -> Option<Intervention> {
    let mut found = InterventionEntries::default();
    let settings = reader.settings(table, "an intervention", &INTERVENTION);
    for entry in &settings.entries {
        read_entry(reader, entry, &mut found);
    }
    if !settings.has("target") {
        reader.error(
            Diagnostic::error("system::missing-target", "an intervention has no `target`")
                .at(span, "no `target` in here")
                .help("add `target = \"component.variable\"`"),
        );
    }
    let when = exactly_one(reader, span, found.when, &WHEN);
    let action = exactly_one(reader, span, found.action, &ACTION);
    Some(Intervention { when: when?, target: found.target?, action: action?, unit: found.unit })
}

fn read_entry(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>, found: &mut InterventionEntries) {
    let at = entry.key_span;
    match entry.key {
        "at" => found.when.push((at, reader.seconds(entry).map(When::At))),
        "when" => found.when.push((at, reader.text(entry).map(When::Condition))),
        "target" => found.target = reader.text(entry),
        "unit" => found.unit = reader.text(entry),
        "set" => found.action.push((at, value(reader, "set", entry.value).map(Action::Set))),
        "override" => {
            let literal = value(reader, "override", entry.value);
            found.action.push((at, literal.map(Action::Override)));
        }
        "offset" => {
            found.action.push((at, value(reader, "offset", entry.value).map(Action::Offset)));
        }
        "freeze" => found.action.push((at, only_true(reader, entry).then_some(Action::Freeze))),
        "release" => found.action.push((at, only_true(reader, entry).then_some(Action::Release))),
        _ => entry.is_not_read(),
    }
}

fn only_true(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> bool {
    let value = reader.boolean(entry);
    if value == Some(false) {
        let message = format!("`{} = false` does nothing", entry.key);
        reader.error(
            Diagnostic::error("system::no-action", message)
                .at(entry.key_span, "only `true` has a meaning here")
                .help(format!("an intervention does exactly one of {ACTIONS}")),
        );
    }
    value == Some(true)
}

/// How to complain when there is not exactly one of something.
struct Words {
    none: (&'static str, &'static str),
    several: (&'static str, &'static str),
    help: &'static str,
}

const WHEN: Words = Words {
    none: ("system::no-trigger", "an intervention says neither `at` nor `when`"),
    several: ("system::two-triggers", "an intervention says both `at` and `when`"),
    help: "give a time, `at = 10`, or a condition, `when = \"tank.level > 0.8\"`, not both",
};

const ACTION: Words = Words {
    none: ("system::no-action", "an intervention does nothing"),
    several: ("system::two-actions", "an intervention does several things"),
    help: "do exactly one of `set`, `override`, `offset`, `freeze = true` and `release = true`; \
           write several interventions for several things",
};

fn exactly_one<T>(
    reader: &mut TomlReader<'_>,
    whole: Span,
    mut found: Vec<(Span, Option<T>)>,
    words: &Words,
) -> Option<T> {
    if let [_, (second, _), ..] = found.as_slice() {
        let diagnostic = Diagnostic::error(words.several.0, words.several.1)
            .at(*second, "this is one too many")
            .label(found[0].0, "the first is here")
            .help(words.help);
        reader.error(diagnostic);
        return None;
    }
    let Some((_, value)) = found.pop() else {
        let diagnostic = Diagnostic::error(words.none.0, words.none.1);
        reader.error(diagnostic.at(whole, "in here").help(words.help));
        return None;
    };
    value
}
