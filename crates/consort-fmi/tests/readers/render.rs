//! Diagnostics as plain text for snapshots: one line each for message, places, notes and help.

use consort_core::{Label, Report};
use std::fmt::Write;

/// Longest piece of source shown.
const SNIPPET_CHARS: usize = 40;

/// Renders all diagnostics of a report.
pub(crate) fn render(report: &Report) -> String {
    let mut text = String::new();
    for diagnostic in report.diagnostics() {
        let (severity, code) = (diagnostic.severity, diagnostic.code);
        writeln!(text, "{severity}[{code}] {}", diagnostic.message).unwrap();
        for label in diagnostic.primary.iter().chain(&diagnostic.labels) {
            writeln!(text, "  at {}", place(report, label)).unwrap();
        }
        for note in &diagnostic.notes {
            writeln!(text, "  note: {note}").unwrap();
        }
        if let Some(help) = &diagnostic.help {
            writeln!(text, "  help: {help}").unwrap();
        }
    }
    text
}

fn place(report: &Report, label: &Label) -> String {
    let source = &report.source(label.span.source).text;
    let range = label.span.range();
    let before = &source[..range.start];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let snippet: String = source[range].chars().take(SNIPPET_CHARS).collect();
    format!("{line}:{column} `{}` {}", snippet.escape_debug(), label.text)
}

/// Collects the diagnostics of many cases into one text.
#[derive(Default)]
pub(crate) struct Cases {
    text: String,
}

impl Cases {
    /// Adds the report of a case; a case that reports nothing is a mistake of the test.
    pub(crate) fn add(&mut self, name: &str, report: &Report) {
        assert!(!report.diagnostics().is_empty(), "{name} says nothing");
        for diagnostic in report.diagnostics() {
            let lower = !diagnostic.message.starts_with(char::is_uppercase);
            assert!(lower && !diagnostic.message.ends_with('.'), "{}", diagnostic.message);
            let is_note = diagnostic.severity == consort_core::Severity::Note;
            assert!(is_note || diagnostic.help.is_some(), "{name}: no help");
        }
        writeln!(self.text, "== {name}\n{}", render(report)).unwrap();
    }

    /// Everything said.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
