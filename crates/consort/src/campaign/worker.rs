//! A worker process of a campaign, and what it is given.

use super::CampaignChanges;
use super::prepare::Campaign;
use crate::models::ModelOptions;
use consort_core::Diagnostic;
use consort_engine::RunOptions;
use consort_explore::campaign::budget;
use consort_explore::run_world::{RunUntil, RunWorld};
use consort_explore::visit::Explorer;
use consort_explore::worker::serve;
use consort_explore::world::World as _;
use consort_run::{Context, Error};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// What a worker is given: a file that all of them read.
#[derive(Serialize, Deserialize)]
pub(super) struct WorkerAssignment {
    campaign: PathBuf,
    changes: CampaignChanges,
    models: crate::models::ModelSettings,
}

impl WorkerAssignment {
    pub(super) fn new(campaign: &Campaign, models: &ModelOptions) -> Self {
        WorkerAssignment {
            campaign: campaign.path.clone(),
            changes: campaign.changes.clone(),
            models: models.settings(),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).expect("an assignment is plain data");
        std::fs::write(path, text).map_err(|error| Error::unwritable(path, &error))
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| Error::unreadable(path, &error))?;
        serde_json::from_str(&text).map_err(|error| {
            let message = format!("`{}` is not the assignment of a worker", path.display());
            let diagnostic = Diagnostic::error("campaign::bad-assignment", message);
            Error::failed(diagnostic.with_note(error.to_string()).help("run `consort explore`"))
        })
    }
}

/// Does the units that `input` asks for, until it ends. `program` serves isolated models.
///
/// # Errors
/// If the campaign cannot be prepared, or its models cannot start.
pub fn serve_worker(
    assignment: &Path,
    program: PathBuf,
    input: impl BufRead,
    output: &mut impl Write,
    context: &Context,
) -> Result<(), Error> {
    let assignment = WorkerAssignment::read(assignment)?;
    let models = ModelOptions::from_settings(&assignment.models, Some(program));
    let campaign = Campaign::prepare(&assignment.campaign, &assignment.changes, &models, context)?;
    let mut world = start(&campaign, RunOptions::quiet(1), RunUntil::Decided)?;
    // Where every scenario starts is saved once.
    let resolution = campaign.prepared.resolved().experiment.resolution;
    world.reset().map_err(|error| Error::run(error, resolution))?;
    let space = campaign.resolved.space.clone();
    let explorer = Explorer::new(space, world, budget(&campaign.written));
    let mut explorer = explorer.sampling(campaign.sample());
    serve(&mut explorer, &campaign.fingerprint(), input, output).map_err(|error| {
        let diagnostic = Diagnostic::error("campaign::failed", error.to_string());
        Error::failed(diagnostic.help("the process that started this worker has ended"))
    })
}

/// The campaign's system, live.
///
/// # Errors
/// If a model cannot start.
pub(super) fn start(
    campaign: &Campaign,
    options: RunOptions,
    until: RunUntil,
) -> Result<RunWorld, Error> {
    let executable = campaign.prepared.executable().clone();
    let resolution = executable.system().experiment.resolution;
    let world = RunWorld::start(campaign.resolved.clone(), executable, options, until);
    world.map_err(|error| Error::run(error, resolution))
}
