//! Diagnostics as compact text.

use consort_core::{Report, Span};
use std::fmt::Write as _;

/// One block per diagnostic: severity, code and message, then place, labels, notes and help.
pub(crate) fn report(report: &Report) -> String {
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
