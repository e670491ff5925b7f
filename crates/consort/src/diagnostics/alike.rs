//! Warnings and notes that repeat for many things: the first few are shown, the others counted
//! and named.

use super::line_and_column;
use consort_core::{Diagnostic, Report, Severity};
use std::collections::BTreeMap;

/// So many of a kind are shown in full.
const ALIKE_SHOWN: usize = 3;
/// The most names in the line about the others.
const NAMED_MAX: usize = 8;

/// One thing that is shown.
pub(super) enum Shown<'d> {
    /// As it was found.
    Whole(&'d Diagnostic),
    /// A line about the others of a kind, and how many they are.
    Counted(Diagnostic, u64),
}

impl Shown<'_> {
    /// The diagnostic to print.
    pub(super) fn diagnostic(&self) -> &Diagnostic {
        match self {
            Shown::Whole(diagnostic) => diagnostic,
            Shown::Counted(line, _) => line,
        }
    }

    /// How many it stands for.
    pub(super) fn count(&self) -> u64 {
        match self {
            Shown::Whole(_) => 1,
            Shown::Counted(_, count) => *count,
        }
    }
}

/// What makes two remarks alike: all but the values in backticks.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    severity: Severity,
    code: &'static str,
    message: String,
    help: Option<String>,
}

impl Kind {
    fn of(diagnostic: &Diagnostic) -> Self {
        Kind {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: without_values(&diagnostic.message),
            help: diagnostic.help.as_deref().map(without_values),
        }
    }
}

/// Errors as they are: each has to be mended. Of remarks of one kind the first, then a line that counts
/// the others where the last of the first was.
pub(super) fn counted<'d>(found: &[&'d Diagnostic], report: &Report) -> Vec<Shown<'d>> {
    let mut kinds: BTreeMap<Kind, Vec<&Diagnostic>> = BTreeMap::new();
    for diagnostic in found {
        kinds.entry(Kind::of(diagnostic)).or_default().push(diagnostic);
    }
    // A line in place of a single one would say less and be as long.
    let is_many = |alike: &[&Diagnostic]| ALIKE_SHOWN + 1 < alike.len();
    let mut seen: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for diagnostic in found {
        let kind = Kind::of(diagnostic);
        let alike = &kinds[&kind];
        if diagnostic.severity == Severity::Error || !is_many(alike) {
            shown.push(Shown::Whole(diagnostic));
            continue;
        }
        let count = seen.entry(kind).or_default();
        *count += 1;
        if *count <= ALIKE_SHOWN {
            shown.push(Shown::Whole(diagnostic));
        }
        if *count == ALIKE_SHOWN {
            let count = (alike.len() - ALIKE_SHOWN) as u64;
            shown.push(Shown::Counted(rest(alike, report), count));
        }
    }
    shown
}

/// `97 more like this: `a`, `b`, ...`.
fn rest(alike: &[&Diagnostic], report: &Report) -> Diagnostic {
    let others = &alike[ALIKE_SHOWN..];
    let varying = varying(alike);
    let mut names: Vec<String> = others.iter().filter_map(|it| name(it, varying, report)).collect();
    names.dedup();
    let more = match names.len().saturating_sub(NAMED_MAX) {
        0 => "",
        _ => ", ...",
    };
    names.truncate(NAMED_MAX);
    let separator = if names.is_empty() { "" } else { ": " };
    let count = others.len();
    let message = format!("and {count} more like this{separator}{}{more}", names.join(", "));
    let rest = match alike[0].severity {
        Severity::Note => Diagnostic::note(alike[0].code, message),
        _ => Diagnostic::warning(alike[0].code, message),
    };
    rest.help("`--verbose` shows them")
}

/// The first value in which the messages differ, counted from 0.
fn varying(alike: &[&Diagnostic]) -> Option<usize> {
    let first: Vec<&str> = values(&alike[0].message).collect();
    let differs =
        |at: &usize| alike.iter().any(|it| values(&it.message).nth(*at) != first.get(*at).copied());
    (0..first.len()).find(differs)
}

/// What a remark is about: a value of its message, else its place.
fn name(diagnostic: &Diagnostic, varying: Option<usize>, report: &Report) -> Option<String> {
    if let Some(at) = varying {
        return values(&diagnostic.message).nth(at).map(|value| format!("`{value}`"));
    }
    let span = diagnostic.primary.as_ref()?.span;
    let source = report.sources().get(span.source.0 as usize)?;
    let (line, _) = line_and_column(&source.text, span.start as usize);
    Some(format!("{}:{line}", source.name))
}

/// What is between backticks, one after another.
fn values(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

/// The message with nothing between its backticks.
fn without_values(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("``")
}
