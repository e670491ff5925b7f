//! Exceptions: classes of the package by phase, with every diagnostic.

use consort::diagnostics::{ReportStyle, render, to_json};
use consort::{Diagnostic, Error, Report};
use consort_core::Severity;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

/// What was being done: the class of the exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// A system or model is read, loaded and planned.
    Load,
    /// A run begins, advances, is looked at or interfered with.
    Run,
    /// A state is saved or restored.
    State,
    /// A trace is read, drawn or written.
    Trace,
    /// A campaign is explored.
    Campaign,
}

impl Phase {
    /// The class in `consort._errors`.
    fn class(self) -> &'static str {
        match self {
            Phase::Load => "LoadError",
            Phase::Run => "RunError",
            Phase::State => "StateError",
            Phase::Trace => "TraceError",
            Phase::Campaign => "CampaignError",
        }
    }

    /// What follows from errors, as the command line says it.
    fn ending(self) -> &'static str {
        if self == Phase::Load { "nothing was run" } else { "" }
    }
}

/// The exception of an error.
pub(crate) fn raise(py: Python<'_>, phase: Phase, error: Error) -> PyErr {
    match error {
        Error::Cancelled => exception(py, "CancelledError", "the run was cancelled", "[]"),
        error => {
            // What a model does when it is started is not wrong with the system.
            let is_of_run = phase == Phase::Load && matches!(error, Error::Run { .. });
            let phase = if is_of_run { Phase::Run } else { phase };
            let report = error.into_report();
            let text = shown(&report, phase.ending());
            exception(py, phase.class(), &text, &diagnostics(&report))
        }
    }
}

/// A request that is wrong, found here.
pub(crate) fn refuse(py: Python<'_>, phase: Phase, diagnostic: Diagnostic) -> PyErr {
    raise(py, phase, Error::invalid(diagnostic))
}

/// A panic below: a bug, which ends the call and not the interpreter.
pub(crate) fn bug(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let text = format!("this is a bug of Consort: {text}; please report it");
    exception(py, "BugError", &text, "[]")
}

/// An option that cannot be read.
pub(crate) fn bad_option(error: &serde_json::Error) -> PyErr {
    let text = error.to_string();
    // Nobody has seen the JSON: places in it say nothing.
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(before, _)| before);
    PyValueError::new_err(text.to_owned())
}

/// As the command line shows it, in full and without colors.
pub(crate) fn shown(report: &Report, ending: &'static str) -> String {
    let least = if report.has_errors() { Severity::Warning } else { Severity::Note };
    let style = ReportStyle { color: false, least, all: true, ending, points_on: true };
    render(report, style).trim_end().to_owned()
}

/// Every diagnostic, as JSON.
pub(crate) fn diagnostics(report: &Report) -> String {
    let all = report.diagnostics().iter().map(|it| to_json(it, report));
    all.collect::<Value>().to_string()
}

fn exception(py: Python<'_>, class: &str, text: &str, diagnostics: &str) -> PyErr {
    let made = py.import("consort._errors").and_then(|module| {
        module.getattr("make")?.call1((class, text, diagnostics)).map(PyErr::from_value)
    });
    made.unwrap_or_else(|problem| problem)
}
