//! What is told about a file, of each kind a bounded number.

use crate::shorten;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Severity, SourceId};
use std::collections::BTreeMap;

/// How many diagnostics of one code are kept; a broken generator repeats itself thousandfold.
const DIAGNOSTICS_PER_CODE_MAX: usize = 50;

/// Passes on what there is to tell, counts it by code, and knows whether there was an error.
pub struct Teller<'r> {
    report: &'r mut Report,
    /// Errors apart from remarks: neither takes the room of the other.
    counts: BTreeMap<(&'static str, Severity), usize>,
}

impl<'r> Teller<'r> {
    /// Tells to `report`; what is in there already does not count.
    pub fn new(report: &'r mut Report) -> Self {
        Teller { report, counts: BTreeMap::new() }
    }

    /// Remembers a text so that spans can point into it.
    pub fn add_source(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.report.add_source(name, text)
    }

    /// Adds something to tell, unless there is plenty of its kind already.
    pub fn tell(&mut self, diagnostic: Diagnostic) {
        let count = self.counts.entry((diagnostic.code, diagnostic.severity)).or_default();
        *count += 1;
        if *count <= DIAGNOSTICS_PER_CODE_MAX {
            self.report.push(diagnostic);
        }
    }

    /// Whether more of this code would still be read by anybody, so that it may cost something.
    pub fn wants(&self, code: &str) -> bool {
        let of_code = self.counts.iter().filter(|((known, _), _)| *known == code);
        of_code.map(|(_, count)| *count).min().is_none_or(|it| it < DIAGNOSTICS_PER_CODE_MAX)
    }

    /// What may have been meant by `name`, unless nobody would read it: looking for it costs something.
    pub fn nearest<'n>(
        &self,
        code: &str,
        name: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if self.wants(code) { nearest_name(shorten(name), candidates) } else { None }
    }

    /// Whether an error was told so far.
    pub fn failed(&self) -> bool {
        self.counts.keys().any(|(_, severity)| *severity == Severity::Error)
    }

    /// Says what was left out; true if there was no error.
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
    fn of_each_kind_some_are_told_and_the_rest_is_counted() {
        let mut report = Report::default();
        let mut teller = Teller::new(&mut report);
        for _ in 0..DIAGNOSTICS_PER_CODE_MAX + 2 {
            teller.tell(Diagnostic::warning("test::many", "again"));
        }
        assert!(!teller.wants("test::many"));
        assert_eq!(teller.nearest("test::many", "mane", ["name"]), None);
        assert_eq!(teller.nearest("test::few", "mane", ["name"]), Some("name"));
        assert!(teller.finish());
        assert_eq!(report.diagnostics().len(), DIAGNOSTICS_PER_CODE_MAX + 1);
        let last = report.diagnostics().last().expect("a note");
        assert_eq!(last.message, "and 2 more like this");
    }

    #[test]
    fn remarks_never_take_the_room_of_an_error_of_the_same_code() {
        let mut report = Report::default();
        let mut teller = Teller::new(&mut report);
        for _ in 0..DIAGNOSTICS_PER_CODE_MAX + 7 {
            teller.tell(Diagnostic::warning("test::many", "again"));
        }
        assert!(!teller.failed());
        teller.tell(Diagnostic::error("test::many", "at last"));
        assert!(teller.failed());
        assert!(!teller.finish());
        let kept = report.diagnostics();
        assert!(kept.iter().any(|it| it.message == "at last"), "the error is passed on");
        let rest: Vec<_> = kept.iter().filter(|it| it.message.starts_with("and ")).collect();
        assert_eq!(rest[0].message, "and 7 more like this");
        assert_eq!(rest.len(), 1);
        assert_eq!(report.error_count(), 1);
    }
}
