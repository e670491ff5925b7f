//! Reports as compact text to compare, and checks for every report.

use consort_core::{Report, Severity, Span};
use std::fmt::Write as _;

/// One block per diagnostic: severity, code and message, then place, labels, notes and help.
pub fn report(report: &Report) -> String {
    let mut out = String::new();
    for diagnostic in report.diagnostics() {
        let _ =
            writeln!(out, "{}[{}] {}", diagnostic.severity, diagnostic.code, diagnostic.message);
        let labels = diagnostic.labels.iter().map(|label| ("   and", label));
        for (arrow, label) in diagnostic.primary.iter().map(|label| ("    at", label)).chain(labels)
        {
            let _ = writeln!(out, "{arrow} {}: {}", place(report, label.span), label.text);
        }
        for note in &diagnostic.notes {
            let _ = writeln!(out, "  note {note}");
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  help {help}");
        }
    }
    out
}

fn place(report: &Report, span: Span) -> String {
    let source = report.source(span.source);
    let before = source.text.get(..span.range().start).expect("spans start at a character");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let text = source.text.get(span.range()).expect("spans are within the text");
    let short: String = text.chars().take(40).collect();
    format!("{} {line}:{column} {short:?}", source.name)
}

/// Everything but a note must say what to do.
///
/// # Panics
/// With the first diagnostic that does not.
pub fn assert_helpful(report: &Report) {
    for diagnostic in report.diagnostics() {
        let is_helpful = diagnostic.help.is_some() || diagnostic.severity == Severity::Note;
        assert!(is_helpful, "{}: {}", diagnostic.code, diagnostic.message);
    }
}

/// What is found in a right text after each of some changes (name, from, to), one at a time.
///
/// # Panics
/// If the right text has a finding, or a changed one has none.
pub fn of_changes(
    good: &str,
    changes: &[(&str, &str, &str)],
    findings: impl Fn(&str) -> String,
) -> String {
    assert_eq!(findings(good), "");
    let mut all = String::new();
    for (name, from, to) in changes {
        assert!(good.contains(from), "{name}");
        let said = findings(&good.replacen(from, to, 1));
        assert!(!said.is_empty(), "{name}");
        let _ = writeln!(all, "## {name}\n{said}");
    }
    all
}
