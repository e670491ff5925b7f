//! From text to a table, with every syntax error.

use consort_core::{Diagnostic, Report, SourceId, Span};
use std::ops::Range;
use toml::de::{DeTable, Error};

/// At most this many syntax errors are shown: a file that is no TOML at all has thousands.
pub const SYNTAX_ERRORS_MAX: usize = 20;

/// The places of what is no TOML.
pub(super) struct Damage {
    places: Vec<Range<usize>>,
}

/// The table as far as it could be read, and the places of what could not.
pub(super) fn parse<'i>(
    source: SourceId,
    text: &'i str,
    report: &mut Report,
) -> (DeTable<'i>, Damage) {
    let (table, mut errors) = DeTable::parse_recoverable(text);
    let end = text.len();
    let place = |error: &Error| error.span().unwrap_or(end..end);
    errors.sort_by_key(|error| place(error).start);
    errors.dedup_by(|a, b| a.message() == b.message() && a.span() == b.span());
    for error in errors.iter().take(SYNTAX_ERRORS_MAX) {
        report.push(diagnostic(error.message(), Span::new(source, place(error))));
    }
    if SYNTAX_ERRORS_MAX < errors.len() {
        let more = errors.len() - SYNTAX_ERRORS_MAX;
        report.push(
            Diagnostic::error("toml::syntax", format!("and {more} more syntax errors"))
                .help("is this a `system.toml`?"),
        );
    }
    (table.into_inner(), Damage { places: errors.iter().map(place).collect() })
}

fn diagnostic(message: &str, span: Span) -> Diagnostic {
    let hints = [
        ("duplicate key", "each name may be given once in a table; remove one"),
        ("string values must be quoted", "write text in quotes: `model = \"tank.fmu\"`"),
        ("key with no value", "write `name = value`, or `[name]` for a table"),
        ("unclosed", "close what was opened"),
        ("cannot recurse further", "values nest at most 80 deep"),
        ("extra `=`", "write one `=` between a name and its value"),
        ("unexpected key or value", "write one `name = value` per line"),
    ];
    let hint = hints.iter().find(|(start, _)| message.starts_with(start));
    let help = hint.map_or("the file is written in TOML: see https://toml.io", |(_, help)| help);
    Diagnostic::error("toml::syntax", message).at(span, "here").help(help)
}

impl Damage {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Those findings that the damage cannot have caused: they point at lines without any, and do
    /// not say that something is missing.
    pub(super) fn outside<'f>(&self, text: &str, findings: &'f Report) -> Vec<&'f Diagnostic> {
        if SYNTAX_ERRORS_MAX < self.places.len() {
            return Vec::new();
        }
        let lines: Vec<_> = self.places.iter().map(|place| lines_of(text, place)).collect();
        let keep = |diagnostic: &&Diagnostic| {
            let at = diagnostic.primary.as_ref().map(|label| label.span.range().start);
            let is_hit = |at: usize| lines.iter().any(|line| line.start <= at && at <= line.end);
            CERTAIN.contains(&diagnostic.code) && at.is_some_and(|at| !is_hit(at))
        };
        findings.diagnostics().iter().filter(keep).collect()
    }
}

/// Mistakes that stay mistakes whatever else is wrong.
const CERTAIN: [&str; 5] = [
    "system::unknown-key",
    "system::wrong-kind",
    "system::unknown-choice",
    "system::bad-name",
    "time::not-a-time",
];

fn lines_of(text: &str, range: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = range.start.min(bytes.len());
    let end = range.end.clamp(start, bytes.len());
    let first = bytes[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let last = bytes[end..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |n| end + n);
    first..last
}
