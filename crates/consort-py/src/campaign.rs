//! Campaigns: explored by worker processes.

use crate::calls::interruptible;
use crate::errors::{Phase, bad_option, raise};
use consort::campaign::{CampaignChanges, CampaignEnd};
use consort::{CampaignRequest, Context, ModelOptions, ReadyCampaign};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// How a campaign is explored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ExploreOptions {
    #[serde(flatten)]
    changes: CampaignChanges,
    out: Option<PathBuf>,
    resume: Option<PathBuf>,
    workers: Option<usize>,
    time: Option<f64>,
}

/// Explores a campaign; returns its report, as JSON, with the folder and how it ended.
#[pyfunction]
pub(crate) fn explore(py: Python<'_>, campaign: PathBuf, options: &str) -> PyResult<String> {
    let options = serde_json::from_str(options).map_err(|error| bad_option(&error))?;
    let ExploreOptions { changes, out, resume, workers, time } = options;
    let request = CampaignRequest { campaign, changes, out, resume, workers, time };
    let context = Context::default();
    let cancel = Arc::clone(&context.cancel);
    let explored = interruptible(py, &cancel, move || {
        let ready = ReadyCampaign::prepare(&request, ModelOptions::default(), &context)?;
        let outcome = ready.explore(&context)?;
        let ending = match outcome.ending {
            CampaignEnd::Concluded(_) => "concluded",
            CampaignEnd::Stopped => "stopped",
            CampaignEnd::OutOfTime => "out of time",
        };
        let about = json!({
            "name": ready.name(),
            "folder": ready.folder(),
            "answer": outcome.answer.name(),
            "ending": ending,
            "report": outcome.report,
        });
        Ok(about.to_string())
    })?;
    explored.map_err(|error| raise(py, Phase::Campaign, error))
}
