//! Diagnostics as a program reads them: with nothing left out.

use consort_core::{Diagnostic, Label, Report};
use serde_json::{Value, json};

/// The content of a diagnostic; `report` has the texts that it points into.
pub fn to_json(diagnostic: &Diagnostic, report: &Report) -> Value {
    let label = |label: &Label| label_json(label, report);
    json!({
        "severity": diagnostic.severity.to_string(),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "place": diagnostic.primary.as_ref().map(label),
        "labels": diagnostic.labels.iter().map(label).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}

/// Where a label points, counted from 1.
fn label_json(label: &Label, report: &Report) -> Value {
    let source = report.sources().get(label.span.source.0 as usize);
    let at = source.map(|source| line_and_column(&source.text, label.span.start as usize));
    json!({
        "file": source.map(|source| &source.name),
        "line": at.map(|(line, _)| line),
        "column": at.map(|(_, column)| column),
        "text": label.text,
    })
}

/// Both counted from 1.
pub fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
