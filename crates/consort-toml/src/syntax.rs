//! From text to a table, with every syntax error.

use crate::{TomlFormat, TomlReader, slip};
use consort_core::{Diagnostic, Report, SourceId, Span};
use std::ops::Range;
use toml::de::{DeTable, Error};

/// At most this many syntax errors are shown: a file that is no TOML at all has thousands.
pub const SYNTAX_ERRORS_MAX: usize = 20;

/// The places of what is no TOML.
struct Damage {
    places: Vec<Range<usize>>,
}

/// Has `document` read the table of a text; `name` is what messages call the text.
///
/// `None` if the text is no TOML. What could be recovered of it is read all the same, for the mistakes
/// that the damage cannot have caused.
pub fn read<T>(
    format: &'static TomlFormat,
    name: &str,
    text: &str,
    report: &mut Report,
    document: impl FnOnce(&mut TomlReader<'_>, &DeTable<'_>) -> T,
) -> Option<T> {
    let source = report.add_source(name, text);
    let (table, damage) = parse(format, source, text, report);
    if damage.places.is_empty() {
        return Some(document(&mut TomlReader::new(format, source, report), &table));
    }
    // What was recovered is still worth checking, but what is missing may be due to the damage.
    let mut findings = Report::default();
    document(&mut TomlReader::new(format, source, &mut findings), &table);
    for finding in damage.outside(format, text, &findings) {
        report.push(finding.clone());
    }
    None
}

/// The table as far as it could be read, and the places of what could not.
fn parse<'i>(
    format: &TomlFormat,
    source: SourceId,
    text: &'i str,
    report: &mut Report,
) -> (DeTable<'i>, Damage) {
    let (table, mut errors) = DeTable::parse_recoverable(text);
    let end = text.len();
    let place = |error: &Error| error.span().unwrap_or(end..end);
    errors.sort_by_key(|error| place(error).start);
    errors.dedup_by(|a, b| a.message() == b.message() && a.span() == b.span());
    let mut shown = Shown::default();
    for error in errors.iter().take(SYNTAX_ERRORS_MAX) {
        report_error(format, error.message(), (source, text), place(error), &mut shown, report);
    }
    if SYNTAX_ERRORS_MAX < errors.len() {
        let more = errors.len() - SYNTAX_ERRORS_MAX;
        report.push(
            Diagnostic::error("toml::syntax", format!("and {more} more syntax errors"))
                .help(format!("is this {}?", format.what)),
        );
    }
    (table.into_inner(), Damage { places: errors.iter().map(place).collect() })
}

/// What was said already, so that what follows from it is not said as well.
#[derive(Default)]
struct Shown {
    /// The line of the last slip.
    slip: Option<Range<usize>>,
    /// The rest of a table that was given twice.
    repeated: Option<Range<usize>>,
}

fn report_error(
    format: &TomlFormat,
    message: &str,
    (source, text): (SourceId, &str),
    place: Range<usize>,
    shown: &mut Shown,
    report: &mut Report,
) {
    let line = lines_of(text, &place);
    if shown.slip.as_ref() == Some(&line) {
        return;
    }
    if message.starts_with(DUPLICATE) {
        if !shown.repeated.as_ref().is_some_and(|table| table.contains(&place.start)) {
            report.push(given_twice(format, (source, text), place, shown));
        }
        return;
    }
    match slip::find(text, place.start) {
        Some(slip) => {
            shown.slip = Some(line);
            let at = Span::new(source, slip.place);
            report.push(
                Diagnostic::error("toml::syntax", slip.message).at(at, "here").help(slip.help),
            );
        }
        None => report.push(diagnostic(format, message, Span::new(source, place))),
    }
}

fn diagnostic(format: &TomlFormat, message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("toml::syntax", message).at(span, "here").help(help(format, message))
}

fn help(format: &TomlFormat, message: &str) -> &'static str {
    let hint = format.hints.iter().find(|(start, _)| message.starts_with(start));
    hint.map_or("the file is written in TOML: see https://toml.io", |(_, help)| help)
}

/// What the parser says of a key that is there already.
const DUPLICATE: &str = "duplicate key";

/// A table or a key that is given twice; the keys below a table are not reported as well.
fn given_twice(
    format: &TomlFormat,
    (source, text): (SourceId, &str),
    place: Range<usize>,
    shown: &mut Shown,
) -> Diagnostic {
    let line = lines_of(text, &place);
    let header = text[line.clone()].trim();
    let name = match header.starts_with('[') {
        true => header.split(']').next().unwrap_or(header).trim_matches(['[', ' ']),
        false => text.get(place.clone()).unwrap_or(header),
    };
    let message = format!("`{name}` is given twice");
    let diagnostic = Diagnostic::error("toml::syntax", message)
        .at(Span::new(source, place), "given again here")
        .help(help(format, DUPLICATE));
    if !header.starts_with('[') {
        return diagnostic;
    }
    let end = text[line.end..].find("\n[").map_or(text.len(), |at| line.end + at);
    shown.repeated = Some(line.end..end);
    let first = text[..line.start].find(header);
    diagnostic
        .maybe_label(first.map(|at| Span::new(source, at..at + header.len())), "given here first")
}

impl Damage {
    /// Those findings that the damage cannot have caused: they point at lines without any, and do
    /// not say that something is missing.
    fn outside<'f>(
        &self,
        format: &TomlFormat,
        text: &str,
        findings: &'f Report,
    ) -> Vec<&'f Diagnostic> {
        if SYNTAX_ERRORS_MAX < self.places.len() {
            return Vec::new();
        }
        let lines: Vec<_> = self.places.iter().map(|place| lines_of(text, place)).collect();
        let keep = |diagnostic: &&Diagnostic| {
            let at = diagnostic.primary.as_ref().map(|label| label.span.range().start);
            let is_hit = |at: usize| lines.iter().any(|line| line.start <= at && at <= line.end);
            format.certain.contains(&diagnostic.code) && at.is_some_and(|at| !is_hit(at))
        };
        findings.diagnostics().iter().filter(keep).collect()
    }
}

fn lines_of(text: &str, range: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = range.start.min(bytes.len());
    let end = range.end.clamp(start, bytes.len());
    let first = bytes[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let last = bytes[end..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |n| end + n);
    first..last
}
