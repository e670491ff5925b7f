//! JSON with places: parsed, kinds checked, several files as one.

mod parse;

use crate::given_twice;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Literal, Report, Seconds, Span};
use consort_system::Spanned;
use std::collections::BTreeMap;

pub(super) use parse::parse;
pub use parse::{NESTING_MAX, TEXT_MAX};

/// A value and its place.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Item {
    pub(super) json: Json,
    pub(super) span: Span,
}

/// A value of JSON.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Json {
    Null,
    Boolean(bool),
    /// As written, so that nothing is rounded that need not be.
    Number(String),
    Text(String),
    List(Vec<Item>),
    Object(Vec<Entry>),
}

/// One `"key": value`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Entry {
    pub(super) key: Spanned<String>,
    pub(super) value: Item,
}

impl Item {
    /// Whether this is an object that has a key.
    pub(super) fn has(&self, key: &str) -> bool {
        matches!(&self.json, Json::Object(entries) if entries.iter().any(|it| it.key.value == key))
    }

    /// Whether nothing is asked for by it: `null`, `false`, 0, and what is empty.
    pub(super) fn is_trivial(&self) -> bool {
        match &self.json {
            Json::Null | Json::Boolean(false) => true,
            Json::Boolean(true) => false,
            Json::Number(number) => number.parse::<f64>().is_ok_and(|number| number == 0.0),
            Json::Text(text) => text.is_empty(),
            Json::List(items) => items.is_empty(),
            Json::Object(entries) => entries.is_empty(),
        }
    }

    fn kind(&self) -> &'static str {
        match self.json {
            Json::Null => "null",
            Json::Boolean(_) => "true or false",
            Json::Number(_) => "a number",
            Json::Text(_) => "text",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        }
    }

    /// The entries of an object, or a complaint.
    pub(super) fn object(&self, key: &str, help: &str, report: &mut Report) -> &[Entry] {
        if let Json::Object(entries) = &self.json {
            return entries;
        }
        self.wrong_kind(key, "an object", help, report);
        &[]
    }

    /// The items of a list, or a complaint.
    pub(super) fn list(&self, key: &str, help: &str, report: &mut Report) -> &[Item] {
        if let Json::List(items) = &self.json {
            return items;
        }
        self.wrong_kind(key, "a list", help, report);
        &[]
    }

    pub(super) fn text(
        &self,
        key: &str,
        help: &str,
        report: &mut Report,
    ) -> Option<Spanned<String>> {
        if let Json::Text(text) = &self.json {
            return Some(Spanned::new(text.clone(), self.span));
        }
        self.wrong_kind(key, "text", help, report);
        None
    }

    pub(super) fn boolean(&self, key: &str, report: &mut Report) -> Option<Spanned<bool>> {
        if let Json::Boolean(value) = self.json {
            return Some(Spanned::new(value, self.span));
        }
        self.wrong_kind(key, "true or false", "write `true` or `false` without quotes", report);
        None
    }

    pub(super) fn number(&self, key: &str, report: &mut Report) -> Option<Spanned<f64>> {
        let value = match &self.json {
            Json::Number(text) => text.parse::<f64>().ok().filter(|value| value.is_finite()),
            _ => None,
        };
        if value.is_none() {
            self.wrong_kind(key, "a number", "such as `1e-6`, without quotes", report);
        }
        value.map(|value| Spanned::new(value, self.span))
    }

    /// A time in seconds, exactly as written.
    pub(super) fn seconds(&self, key: &str, report: &mut Report) -> Option<Spanned<Seconds>> {
        let help = "write seconds, such as `0.1`";
        let (Json::Number(text) | Json::Text(text)) = &self.json else {
            self.wrong_kind(key, "a time", help, report);
            return None;
        };
        if let Ok(seconds) = text.trim().parse::<Seconds>() {
            return Some(Spanned::new(seconds, self.span));
        }
        report.push(
            Diagnostic::error("time::not-a-time", format!("`{text}` is not a time in seconds"))
                .at(self.span, "not a number of seconds that fits in 64 bits")
                .help(help),
        );
        None
    }

    /// A value for a variable.
    pub(super) fn literal(&self, key: &str, report: &mut Report) -> Option<Literal> {
        let value = match &self.json {
            Json::Boolean(value) => Some(Literal::Boolean(*value)),
            Json::Text(text) => Some(Literal::Text(text.clone())),
            Json::Number(text) => number(text),
            Json::List(items) => {
                let items: Option<Vec<_>> =
                    items.iter().map(|item| item.literal(key, report)).collect();
                return items.map(Literal::Array);
            }
            Json::Null | Json::Object(_) => None,
        };
        match (&value, &self.json) {
            (None, Json::Number(text)) => report.push(
                Diagnostic::error(
                    "system::bad-value",
                    format!("`{text}` is too large for `{key}`"),
                )
                .at(self.span, "no such number can be computed with")
                .help("numbers are doubles, or whole numbers of at most 38 digits"),
            ),
            (None, _) => {
                let help = "values are numbers, true or false, text, and lists of those";
                self.wrong_kind(key, "a value", help, report);
            }
            (Some(_), _) => {}
        }
        value
    }

    pub(super) fn wrong_kind(&self, key: &str, expected: &str, help: &str, report: &mut Report) {
        let found = self.kind();
        let message = format!("expected {expected} for `{key}`, found {found}");
        report.push(
            Diagnostic::error("system::wrong-kind", message)
                .at(self.span, format!("this is {found}"))
                .help(help),
        );
    }
}

/// Whole numbers stay whole.
fn number(text: &str) -> Option<Literal> {
    if let Ok(whole) = text.parse::<i128>() {
        return Some(Literal::Integer(whole));
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite()).map(Literal::Float)
}

/// How many duplicate keys are reported at most.
const DUPLICATES_MAX: usize = 20;

fn report_duplicates(entries: &[Entry], report: &mut Report) {
    let mut first = BTreeMap::new();
    let mut reported = 0;
    for entry in entries {
        let Some(earlier) = first.insert(&entry.key.value, &entry.key) else { continue };
        reported += 1;
        if DUPLICATES_MAX < reported {
            return;
        }
        report.push(given_twice("json::duplicate-key", &entry.key, earlier));
    }
}

/// Objects that several files may say a part of.
const SHARED: [&str; 4] = ["fmus", "connections", "parameters", "logVariables"];

/// The entries of all documents; objects of one key are put together.
pub(super) fn merge(documents: &[Item], report: &mut Report) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    for document in documents {
        let help = "a multi-model begins with `{ \"fmus\": {`";
        let mut added = Vec::new();
        for entry in document.object("the multi-model", help, report) {
            let known = all.iter_mut().find(|known| known.key.value == entry.key.value);
            match (known.map(|known| &mut known.value.json), &entry.value.json) {
                (None, _) => added.push(entry.clone()),
                (Some(known), again) if is_same(known, again) => {}
                (Some(_), _) if super::experiment::has_no_effect(&entry.key.value) => {}
                (Some(Json::Object(known)), Json::Object(more))
                    if SHARED.contains(&entry.key.value.as_str()) =>
                {
                    let more: Vec<Entry> =
                        more.iter().filter(|entry| !says(known, entry)).cloned().collect();
                    known.extend(more);
                    report_duplicates(known, report);
                }
                (Some(_), _) => added.push(entry.clone()),
            }
        }
        all.extend(added);
    }
    let has_several = 1 < documents.len();
    if has_several {
        report_duplicates(&all, report);
    }
    all
}

/// Whether two values are the same, wherever they are written.
fn is_same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::List(a), Json::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(&a.json, &b.json))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && b.iter().all(|entry| says(a, entry))
        }
        (Json::Number(a), Json::Number(b)) => match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => a.to_bits() == b.to_bits(),
            _ => a == b,
        },
        (a, b) => a == b,
    }
}

/// Whether an object says that already.
fn says(entries: &[Entry], entry: &Entry) -> bool {
    find(entries, &entry.key.value).is_some_and(|it| is_same(&it.value.json, &entry.value.json))
}

/// The entry of a key.
pub(super) fn find<'e>(entries: &'e [Entry], key: &str) -> Option<&'e Entry> {
    entries.iter().find(|entry| entry.key.value == key)
}

/// Keys that differ little from one that means something were meant to be it; whether there is one.
pub(super) fn report_unknown(
    entries: &[Entry],
    known: &[&'static str],
    report: &mut Report,
) -> bool {
    let errors_before = report.error_count();
    for entry in entries {
        let key = entry.key.value.as_str();
        if known.contains(&key) || super::experiment::is_passed_over(key) {
            continue;
        }
        let message = format!("`{key}` is no setting of a multi-model");
        let diagnostic = match nearest_name(key, known.iter().copied()) {
            Some(name) => Diagnostic::error("system::unknown-key", message)
                .help(format!("did you mean `{name}`?")),
            None => Diagnostic::warning("multimodel::unknown-key", message)
                .help("it is passed over; remove it, or see whether it is spelled right"),
        };
        report.push(diagnostic.maybe_at(entry.key.span, "not known"));
    }
    report.error_count() != errors_before
}
