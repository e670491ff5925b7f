//! Diagnostics about a model, each reported once.
//!
//! Expressions are looked at in several roles (at the start, while running, for each call of a function):
//! a mistake in one is reported the first time only.

use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Span};
use std::collections::BTreeSet;

/// Code, message and place of what was said.
type Reported = (&'static str, String, Option<(u32, u32)>);

pub(crate) struct Findings<'r> {
    report: &'r mut Report,
    reported: BTreeSet<Reported>,
}

impl<'r> Findings<'r> {
    pub(crate) fn new(report: &'r mut Report) -> Self {
        Findings { report, reported: BTreeSet::new() }
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.primary.as_ref().map(|label| (label.span.start, label.span.end));
        if self.reported.insert((diagnostic.code, diagnostic.message.clone(), place)) {
            self.report.push(diagnostic);
        }
    }

    /// An error with the usual parts.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        message: String,
        (span, label): (Option<Span>, &str),
        help: impl Into<String>,
    ) {
        self.push(Diagnostic::error(code, message).maybe_at(span, label).help(help));
    }
}

/// "did you mean", or another help.
pub(crate) fn suggestion<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    match nearest_name(given, candidates) {
        Some(near) => format!("did you mean `{near}`?"),
        None => otherwise.to_owned(),
    }
}
