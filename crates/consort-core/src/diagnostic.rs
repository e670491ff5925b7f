//! Errors, warnings and notes for the user: what is wrong, where, why, and what to do.
//!
//! Readers and checks collect [`Diagnostic`]s in a [`Report`] and continue, so that a user sees every
//! mistake at once. Rendering belongs to the command line.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Something was assumed or repaired; the result may not be what the user meant.
    Warning,
    /// An error: nothing is run.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// A text that diagnostics point into: index into [`Report::sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceId(pub u32);

/// A range of bytes of a source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The text it is in.
    pub source: SourceId,
    /// Offset of the first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `range` of `source`.
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { source, start: clamp(range.start), end: clamp(range.end) }
    }

    /// The span as a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Something read, and where it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Spanned<T> {
    /// The value that was read.
    pub value: T,
    /// Where; `None` for defaults and for what came from the command line.
    pub span: Option<Span>,
}

impl<T> Spanned<T> {
    /// `value`, written at `span`.
    pub fn new(value: T, span: Span) -> Self {
        Spanned { value, span: Some(span) }
    }

    /// `value`, which is a default.
    pub fn assumed(value: T) -> Self {
        Spanned { value, span: None }
    }
}

/// A remark at another place that explains the mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place that the remark is about.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One error, warning or note for the user.
///
/// ```
/// use consort_core::{Diagnostic, Report, Span};
///
/// let mut report = Report::default();
/// let source = report.add_source("system.toml", "step = -1");
/// report.push(
///     Diagnostic::error("system::step", "the step is negative")
///         .at(Span::new(source, 7..9), "must be later than zero")
///         .help("write how many seconds a step takes, such as `step = 0.01`"),
/// );
/// assert!(report.has_errors());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Diagnostic {
    /// A stable name such as `system::unknown-variable`.
    pub code: &'static str,
    /// The severity of the diagnostic.
    pub severity: Severity,
    /// One line: lower case, no full stop, names in backticks.
    pub message: String,
    /// Where the mistake is, with a label that says what is wrong there.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// Facts that help to understand: a compiler's output, an FMU's log.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A mistake that keeps anything from running.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    /// Something assumed or repaired.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    /// A note: information that requires no action.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message.into())
    }

    fn new(severity: Severity, code: &'static str, message: String) -> Self {
        let (labels, notes) = (Vec::new(), Vec::new());
        Diagnostic { code, severity, message, primary: None, labels, notes, help: None }
    }

    /// Where the mistake is.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Where the mistake is, if that is known.
    pub fn maybe_at(self, span: Option<Span>, text: impl Into<String>) -> Self {
        match span {
            Some(span) => self.at(span, text),
            None => self,
        }
    }

    /// Another place that explains it.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Another place that explains it, if that is known.
    pub fn maybe_label(self, span: Option<Span>, text: impl Into<String>) -> Self {
        match span {
            Some(span) => self.label(span, text),
            None => self,
        }
    }

    /// A fact that helps to understand.
    pub fn with_note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// What to do about it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// A text that was read, kept so that mistakes in it can be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Where it came from, as the user would write it: `tank.fmu/modelDescription.xml`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// The texts that were read, and the diagnostics about them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    sources: Vec<Source>,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    remarks: usize,
}

/// The most errors, and the most warnings and notes, that are kept: a file with a million mistakes must not
/// fill the memory.
const KEPT_MAX: usize = 10_000;

impl Report {
    /// Remembers a text so that spans can point into it.
    pub fn add_source(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).expect("sources are few"));
        self.sources.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let count = if is_error { &mut self.errors } else { &mut self.remarks };
        if *count < KEPT_MAX {
            self.diagnostics.push(diagnostic);
        }
        *count += 1;
    }

    /// The diagnostics in the order they were found; of very many errors, or remarks, the first
    /// ten thousand.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The source texts to which spans refer.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The text behind an id.
    pub fn source(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// Whether anything keeps the run from starting.
    pub fn has_errors(&self) -> bool {
        0 < self.errors
    }

    /// How many errors there are: a loader compares before and after.
    pub fn error_count(&self) -> usize {
        self.errors
    }
}

/// The candidate that differs least from `given`, if any is near enough to be what was meant.
///
/// Used for "did you mean": differences in case count little, at most a third of the letters may
/// differ.
pub fn nearest_name<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = given.chars().count().div_ceil(3).max(1) * CASE_WEIGHT;
    candidates
        .into_iter()
        .map(|candidate| (name_distance(given, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, candidate)| (*distance, Reverse(common_start(given, candidate))))
        .map(|(_, candidate)| candidate)
}

/// How many letters two names begin with together: of `sin` and `sign` only the first begins like `sinn`.
fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
}

/// A whole edit costs this much, a mere change of case 1.
const CASE_WEIGHT: usize = 4;

fn name_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).map(|j| j * CASE_WEIGHT).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = (i + 1) * CASE_WEIGHT;
        for (j, &y) in b.iter().enumerate() {
            let replace = match x {
                _ if x == y => 0,
                _ if x.eq_ignore_ascii_case(&y) => 1,
                _ => CASE_WEIGHT,
            };
            let best = (diagonal + replace).min(row[j] + CASE_WEIGHT).min(row[j + 1] + CASE_WEIGHT);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_million_mistakes_the_first_are_kept_and_all_are_counted() {
        let mut report = Report::default();
        for _ in 0..KEPT_MAX + 5 {
            report.push(Diagnostic::warning("test::odd", "odd"));
        }
        assert!(!report.has_errors());
        for _ in 0..KEPT_MAX + 7 {
            report.push(Diagnostic::error("test::wrong", "wrong"));
        }
        assert_eq!(report.error_count(), KEPT_MAX + 7);
        assert_eq!(report.diagnostics().len(), 2 * KEPT_MAX);
    }

    #[test]
    fn the_nearest_name_is_what_was_meant() {
        let names = ["level", "inflow", "outflow", "valve"];
        assert_eq!(nearest_name("levle", names), Some("level"));
        assert_eq!(nearest_name("LEVEL", names), Some("level"));
        assert_eq!(nearest_name("outflw", names), Some("outflow"));
        assert_eq!(nearest_name("temperature", names), None);
        assert_eq!(nearest_name("x", names), None);
    }

    #[test]
    fn errors_are_counted_apart_from_warnings() {
        let mut report = Report::default();
        report.push(Diagnostic::warning("a::b", "assumed"));
        assert!(!report.has_errors());
        report.push(Diagnostic::error("a::c", "wrong"));
        assert_eq!(report.error_count(), 1);
    }
}
