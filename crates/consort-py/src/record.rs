//! Runs that leave a record, here or on nodes.

use crate::errors::bad_option;
use crate::system::SystemSource;
use consort::run::End;
use consort::{CancelToken, Context, Diagnostic, Error, RunRequest};
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs a system from start to end and leaves a record. Returns its folder, and what else is known, as JSON.
#[pyfunction]
pub(crate) fn record(
    py: Python<'_>,
    system: &SystemSource,
    changes: &str,
    options: &str,
    request: &str,
    out: Option<PathBuf>,
) -> PyResult<(PathBuf, String)> {
    let request: RunRequest = serde_json::from_str(request).map_err(|error| bad_option(&error))?;
    let request = RunRequest { out, ..request };
    let context = Context { cancel: Arc::<CancelToken>::default(), ..Context::default() };
    let cancel = Arc::clone(&context.cancel);
    let recorded = system.call(py, changes, options, &cancel, move |system, _| {
        let mut ready = system.recorded(request)?;
        let recorded = ready.record(&context)?.run;
        let folder = ready.folder.path().to_owned();
        let resolution = ready.prepared.resolved().experiment.resolution;
        let failure = match recorded.outcome.end {
            End::Finished | End::Terminated { .. } => None,
            End::Interrupted => Some(Error::Cancelled),
            End::Failed { error } => Some(Error::run(error, resolution)),
            End::Lost { failure } => Some(Error::failed(*failure)),
            End::RecordingFailed => Some(unwritten(&recorded.problems)),
        };
        let problems: Vec<String> =
            recorded.problems.iter().map(|problem| problem.message.clone()).collect();
        Ok((folder, json!({ "problems": problems }), failure))
    })?;
    let (folder, about, failure) = recorded;
    match failure {
        Some(error) => Err(crate::errors::raise(py, crate::errors::Phase::Run, error)),
        None => Ok((folder, about.to_string())),
    }
}

/// Why the record is not whole.
fn unwritten(problems: &[Diagnostic]) -> Error {
    let mut report = consort::Report::default();
    problems.iter().for_each(|problem| report.push(problem.clone()));
    Error::Failed { report }
}
