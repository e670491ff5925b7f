//! Diagnostics about a file, a bounded number of each code.

use crate::shorten;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Severity, SourceId};
use std::collections::BTreeMap;

/// How many diagnostics of one code are kept; a broken generator repeats itself thousandfold.
const DIAGNOSTICS_PER_CODE_MAX: usize = 50;

/// Passes diagnostics on, counts them by code, and knows whether there was an error.
pub struct Reporter<'r> {
    report: &'r mut Report,
    /// Errors apart from remarks: neither takes the room of the other.
    counts: BTreeMap<(&'static str, Severity), usize>,
}

impl<'r> Reporter<'r> {
    /// Adds to `report`; what is in there already does not count.
    pub fn new(report: &'r mut Report) -> Self {
        Reporter { report, counts: BTreeMap::new() }
    }

    /// Remembers a text so that spans can point into it.
    pub fn add_source(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.report.add_source(name, text)
    }

    /// Adds a diagnostic, unless there are enough of its code already.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let count = self.counts.entry((diagnostic.code, diagnostic.severity)).or_default();
        *count += 1;
        if *count <= DIAGNOSTICS_PER_CODE_MAX {
            self.report.push(diagnostic);
        }
    }

    /// Whether more of this code are passed on; if not, no effort should go into them.
    pub fn wants(&self, code: &str) -> bool {
        let of_code = self.counts.iter().filter(|((known, _), _)| *known == code);
        of_code.map(|(_, count)| *count).min().is_none_or(|it| it < DIAGNOSTICS_PER_CODE_MAX)
    }

    /// What may have been meant by `name`; `None` if no more of this code are passed on.
    pub fn nearest<'n>(
        &self,
        code: &str,
        name: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if self.wants(code) { nearest_name(shorten(name), candidates) } else { None }
    }

    /// Whether there was an error so far.
    pub fn failed(&self) -> bool {
        self.counts.keys().any(|(_, severity)| *severity == Severity::Error)
    }

    /// Reports how many were left out; true if there was no error.
    pub fn finish(self) -> bool {
        let failed = self.failed();
        for ((code, _), count) in self.counts {
            if DIAGNOSTICS_PER_CODE_MAX < count {
                let more = count - DIAGNOSTICS_PER_CODE_MAX;
                self.report.push(Diagnostic::note(code, format!("and {more} more like this")));
            }
        }
        !failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_code_some_are_reported_and_the_rest_is_counted() {
        let mut report = Report::default();
        let mut reporter = Reporter::new(&mut report);
        for _ in 0..DIAGNOSTICS_PER_CODE_MAX + 2 {
            reporter.report(Diagnostic::warning("test::many", "again"));
        }
        assert!(!reporter.wants("test::many"));
        assert_eq!(reporter.nearest("test::many", "mane", ["name"]), None);
        assert_eq!(reporter.nearest("test::few", "mane", ["name"]), Some("name"));
        assert!(reporter.finish());
        assert_eq!(report.diagnostics().len(), DIAGNOSTICS_PER_CODE_MAX + 1);
        let last = report.diagnostics().last().expect("a note");
        assert_eq!(last.message, "and 2 more like this");
    }

    #[test]
    fn remarks_never_take_the_room_of_an_error_of_the_same_code() {
        let mut report = Report::default();
        let mut reporter = Reporter::new(&mut report);
        for _ in 0..DIAGNOSTICS_PER_CODE_MAX + 7 {
            reporter.report(Diagnostic::warning("test::many", "again"));
        }
        assert!(!reporter.failed());
        reporter.report(Diagnostic::error("test::many", "at last"));
        assert!(reporter.failed());
        assert!(!reporter.finish());
        let kept = report.diagnostics();
        assert!(kept.iter().any(|it| it.message == "at last"), "the error is passed on");
        let rest: Vec<_> = kept.iter().filter(|it| it.message.starts_with("and ")).collect();
        assert_eq!(rest[0].message, "and 7 more like this");
        assert_eq!(rest.len(), 1);
        assert_eq!(report.error_count(), 1);
    }
}
