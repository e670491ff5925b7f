//! A worker process of a campaign, and what it is given.

use super::CampaignChanges;
use super::prepare::Campaign;
use crate::models::{ModelOptions, ModelSettings};
use consort_core::Diagnostic;
use consort_engine::RunOptions;
use consort_explore::campaign::budget;
use consort_explore::run_world::{RunUntil, RunWorld};
use consort_explore::visit::Explorer;
use consort_explore::worker::serve;
use consort_explore::world::World as _;
use consort_run::{Context, Error, PreparedData};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// What a worker is given: a file that all of them read.
#[derive(Serialize, Deserialize)]
pub(super) struct WorkerAssignment {
    /// The file with the system, resolved and planned: [`PreparedData`].
    system: PathBuf,
    /// The file of the campaign, for messages, and its text.
    campaign: PathBuf,
    text: String,
    changes: CampaignChanges,
    /// What identifies the campaign.
    identity: Value,
    models: ModelSettings,
}

impl WorkerAssignment {
    /// Writes the file, and that of the system beside it.
    ///
    /// # Errors
    /// If one cannot be written.
    pub(super) fn write(
        campaign: &Campaign,
        models: &ModelOptions,
        path: &Path,
    ) -> Result<(), Error> {
        let system = system_file(path);
        campaign.prepared.to_data().write(&system)?;
        let assignment = WorkerAssignment {
            system,
            campaign: campaign.path.clone(),
            text: campaign.text.clone(),
            changes: campaign.changes.clone(),
            identity: campaign.identity.clone(),
            models: models.settings(),
        };
        let text = serde_json::to_string(&assignment).expect("an assignment is plain data");
        std::fs::write(path, text).map_err(|error| Error::unwritable(path, &error))
    }

    /// Removes both files of the assignment.
    pub(super) fn remove(path: &Path) {
        let _ = std::fs::remove_file(path);
        let _ = std::fs::remove_file(system_file(path));
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

/// The file of the system that belongs to an assignment.
fn system_file(assignment: &Path) -> PathBuf {
    assignment.with_extension("system")
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
    let WorkerAssignment { system, campaign, text, changes, identity, models } = assignment;
    let mut models = ModelOptions::from_settings(&models, Some(program));
    models.loader.saving = true;
    let prepared = {
        let _waiting = context.monitor.waiting(&format!("loading {}", campaign.display()));
        PreparedData::read(&system)?.load(|_| true, &mut models.loader())?
    };
    let campaign = Campaign::over(prepared, campaign, text, identity, changes)?;
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
