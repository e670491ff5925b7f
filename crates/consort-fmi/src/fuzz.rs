//! The readers as plain functions over bytes, for fuzzing: whatever is in the bytes, they neither
//! panic nor continue forever, and an error is always reported.

use crate::archive::{Archive, ArchiveLimits};
use crate::{build, description};
use consort_core::Report;
use std::io::Cursor;

/// What an archive may ask for while fuzzing: little, so that every input is fast.
const LIMITS: ArchiveLimits = ArchiveLimits {
    entries_max: 64,
    entry_bytes_max: 1 << 20,
    total_bytes_max: 4 << 20,
    ratio_max: 100,
    ratio_floor_bytes: 1 << 16,
    name_bytes_max: 256,
    depth_max: 8,
    needs_description: true,
};

/// Reads a model description.
pub fn description(data: &[u8]) {
    let mut report = Report::default();
    let read = description::read("fuzz.xml", data, &mut report);
    assert_eq!(read.is_none(), report.has_errors(), "a refusal is reported, and only then");
    check_spans(&report);
}

/// Reads a build description.
pub fn build(data: &[u8]) {
    let mut report = Report::default();
    let read = build::read("fuzz.xml", data, &mut report);
    assert_eq!(read.is_none(), report.has_errors(), "a refusal is reported, and only then");
    check_spans(&report);
}

/// Looks over an archive and unpacks every entry into memory.
pub fn archive(data: &[u8]) {
    let mut report = Report::default();
    let opened = Archive::open(Cursor::new(data), "fuzz.fmu", &LIMITS, None, &mut report);
    let Some(mut archive) = opened else {
        assert!(report.has_errors(), "a refusal is reported");
        return;
    };
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    let contents = names.iter().map(|name| archive.read(name, &mut report));
    let total: usize = contents.flatten().map(|content| content.len()).sum();
    assert!(total as u64 <= LIMITS.total_bytes_max, "limits hold");
}

/// A span that points outside its text would break the one who shows it.
fn check_spans(report: &Report) {
    for diagnostic in report.diagnostics() {
        for label in diagnostic.primary.iter().chain(&diagnostic.labels) {
            let text = &report.source(label.span.source).text;
            assert!(text.get(label.span.range()).is_some(), "a span is a piece of its text");
        }
    }
}
