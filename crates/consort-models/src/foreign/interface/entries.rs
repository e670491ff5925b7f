//! Tables taken apart entry by entry, with every mistake.

use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, SourceId, Span};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// At most this many syntax errors are shown.
const SYNTAX_ERRORS_MAX: usize = 20;

/// A value with its place.
pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// Where mistakes go.
pub(super) struct Reader<'r> {
    source: SourceId,
    report: &'r mut Report,
}

/// One `key = value`.
pub(super) struct Entry<'t, 'i> {
    pub(super) key: &'t str,
    pub(super) key_span: Span,
    pub(super) value: &'t Value<'i>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(source: SourceId, report: &'r mut Report) -> Self {
        Reader { source, report }
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.report.push(diagnostic);
    }

    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    /// The table of a text; `None` if it is no TOML.
    pub(super) fn parse<'i>(&mut self, text: &'i str) -> Option<DeTable<'i>> {
        let (table, mut errors) = DeTable::parse_recoverable(text);
        let place = |error: &Error| error.span().unwrap_or(text.len()..text.len());
        errors.sort_by_key(|error| place(error).start);
        errors.dedup_by(|a, b| a.message() == b.message() && a.span() == b.span());
        for error in errors.iter().take(SYNTAX_ERRORS_MAX) {
            let span = self.span(place(error));
            let diagnostic = Diagnostic::error("toml::syntax", error.message()).at(span, "here");
            self.push(diagnostic.help("the file is written in TOML: see https://toml.io"));
        }
        errors.is_empty().then(|| table.into_inner())
    }

    /// In the order written (tables are sorted by key).
    pub(super) fn entries<'t, 'i>(&self, table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
        let entry = |(key, value): (&'t Spanned<_>, &'t Value<'i>)| {
            let text: &std::borrow::Cow<'i, str> = key.get_ref();
            Entry { key: text, key_span: self.span(key.span()), value }
        };
        let mut entries: Vec<_> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| (entry.key_span.start, entry.value.span().start));
        entries
    }

    pub(super) fn unknown_key(&mut self, entry: &Entry<'_, '_>, place: &str, known: &[&str]) {
        let message = format!("`{}` is no setting of {place}", entry.key);
        let hyphened = entry.key.replace('_', "-");
        let same = known.iter().find(|name| **name == hyphened);
        let help = match (same, nearest_name(entry.key, known.iter().copied())) {
            (Some(name), _) => format!("settings are written with `-`: `{name}`"),
            (None, Some(name)) => format!("did you mean `{name}`?"),
            (None, None) => format!("the settings of {place} are `{}`", known.join("`, `")),
        };
        let diagnostic = Diagnostic::error("foreign::unknown-key", message);
        self.push(diagnostic.at(entry.key_span, "not known").help(help));
    }

    pub(super) fn wrong_kind(&mut self, key: &str, value: &Value<'_>, expected: &str, help: &str) {
        let found = kind(value.get_ref());
        let message = format!("expected {expected} for `{key}`, found {found}");
        let diagnostic = Diagnostic::error("foreign::wrong-kind", message);
        let span = self.span(value.span());
        self.push(diagnostic.at(span, format!("this is {found}")).help(help));
    }

    pub(super) fn text(&mut self, entry: &Entry<'_, '_>) -> Option<String> {
        if let DeValue::String(text) = entry.value.get_ref() {
            return Some(text.to_string());
        }
        self.wrong_kind(entry.key, entry.value, "text", "text is written in quotes");
        None
    }

    pub(super) fn boolean(&mut self, entry: &Entry<'_, '_>) -> Option<bool> {
        if let DeValue::Boolean(value) = entry.value.get_ref() {
            return Some(*value);
        }
        let help = format!("write `{} = true` or `{} = false`", entry.key, entry.key);
        self.wrong_kind(entry.key, entry.value, "`true` or `false`", &help);
        None
    }

    /// A list of at least one text.
    pub(super) fn texts(
        &mut self,
        entry: &Entry<'_, '_>,
        help: &str,
    ) -> Option<Vec<(String, Span)>> {
        let items = entry.value.get_ref().as_array().filter(|items| !items.is_empty());
        let text = |item: &Value<'_>| {
            let text = item.get_ref().as_str().filter(|text| !text.is_empty())?;
            Some((text.to_owned(), self.span(item.span())))
        };
        let texts: Option<Vec<_>> = items.and_then(|items| items.iter().map(text).collect());
        if texts.is_none() {
            self.wrong_kind(entry.key, entry.value, "a list of words", help);
        }
        texts
    }
}

/// What a value is, for a person.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(items) if items.is_empty() => "an empty list",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
