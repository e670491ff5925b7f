//! Every mistake an SSP can have, and what is said about it.

use crate::cases::{self, Case};
use crate::files;
use consort_core::{Report, Severity};
use consort_testkit::render;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Everything that is said about the files of a case, and whether there is a system.
fn findings(case: &Case) -> String {
    let mut report = Report::default();
    let texts = case.files();
    let files: Vec<(&str, &[u8])> =
        texts.iter().map(|(name, text)| (*name, text.as_slice())).collect();
    let system = files::read(&files, &mut report);
    for diagnostic in report.diagnostics() {
        let is_note = diagnostic.severity == Severity::Note;
        assert!(diagnostic.help.is_some() || is_note, "{}: {}", case.name, diagnostic.message);
        let placed = diagnostic.primary.is_some() || cases::WITHOUT_PLACE.contains(&case.name);
        assert!(placed, "{}: {}", case.name, diagnostic.message);
    }
    assert_eq!(system.is_none(), report.has_errors(), "{}", case.name);
    let verdict = if system.is_some() { "is read" } else { "is refused" };
    format!("{}({verdict})\n", render::report(&report))
}

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = String::new();
    for case in cases::all() {
        let said = findings(&case);
        assert!(said.contains('['), "{} has nothing wrong: {said}", case.name);
        let _ = writeln!(all, "## {}\n{said}", case.name);
    }
    insta::assert_snapshot!("mistakes", all);
}

#[test]
fn cases_are_distinct_and_at_least_forty() {
    let all = cases::all();
    let names: BTreeSet<&str> = all.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), all.len());
    assert!(40 <= all.len(), "{}", all.len());
}
