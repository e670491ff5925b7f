//! A recorded run, run again and compared.

use crate::models::ModelOptions;
use crate::recording::{Execution, launcher, prepare};
use crate::request::{Changes, RunRequest, saved_nodes};
use consort_core::{Diagnostic, Report};
use consort_distributed::{Deployment, NodeRequest};
use consort_run::driver::{End, RunOutcome};
use consort_run::files::{hashes, machine, manifest, traces};
use consort_run::{
    Context, Error, Manifest, Prepared, RecordOutcome, RecordSettings, Resumed, RunFolder, RunTask,
    saving,
};
use std::path::Path;

/// A recorded run that can be run again.
pub struct Replay {
    /// The manifest of the recorded run.
    pub manifest: Manifest,
    /// The system, as it is now.
    pub prepared: Prepared,
    request: RunRequest,
    models: ModelOptions,
    resumed: Option<Resumed>,
}

/// What became of a replay.
pub struct Replayed {
    /// The second run; it has a record if one was asked for.
    pub run: RecordOutcome,
    /// Both have the same trace hash and ended alike.
    pub is_identical: bool,
    /// The differences, as lines.
    pub differences: Vec<String>,
}

impl Replay {
    /// Reads the record, and loads and plans its system; `workers` compute, or as many as did then.
    ///
    /// # Errors
    /// If there is no record, it is of a node alone, or its trace was changed; and everything that is wrong with the
    /// system by now.
    pub fn prepare(
        run: &Path,
        workers: Option<usize>,
        models: ModelOptions,
        context: &Context,
    ) -> Result<Self, Error> {
        let manifest = Manifest::read(run)?;
        check_whole(&manifest, run)?;
        manifest.path.parent().map_or(Ok(()), traces::verify)?;
        let options = manifest.options();
        let changes = Changes::from_options(options, |path| manifest.resolve(path))?;
        let resumed = manifest.resumed_from();
        let resumed =
            resumed.map(|(path, sha256)| Resumed::read_again(&path, sha256)).transpose()?;
        let recorded: RecordSettings = serde_json::from_value(options.clone()).unwrap_or_default();
        let workers = workers.or(recorded.workers);
        let request = RunRequest {
            system: manifest.system_path(),
            changes,
            settings: RecordSettings { workers, real_time: None, ..recorded },
            nodes: nodes(resumed.as_ref())?,
            ..RunRequest::default()
        };
        let models = models.saving(resumed.is_some() || manifest.has_saved());
        let prepared = prepare(&request, &models, Report::default(), context)?;
        let help =
            "`hash` in `[experiment]` has changed since: put it back, or run the system again";
        manifest::check_modes(manifest.hash_mode(), prepared.resolved().experiment.hash, help)?;
        Ok(Replay { manifest, prepared, request, models, resumed })
    }

    /// What is not as it was, the machine first: lines.
    pub fn changes(&self) -> Vec<String> {
        let (recorded, prepared) = (&self.manifest, &self.prepared);
        let mut changes = machine::differences(recorded.host(), &machine::describe());
        let version = env!("CARGO_PKG_VERSION");
        if recorded.version() != version {
            changes.push(format!("consort: {}, now {version}", recorded.version()));
        }
        changes.extend(manifest::changed_files(&recorded.inputs(), &prepared.source.inputs));
        if recorded.plan_hash() != prepared.hashes.plan {
            changes.push("the plan has changed".to_owned());
        }
        changes
    }

    /// Runs it again, with a record in the folder `out` if there is one, and compares.
    ///
    /// # Errors
    /// If it cannot start, or the folder cannot be used.
    pub fn run(&self, out: Option<&Path>, context: &Context) -> Result<Replayed, Error> {
        let deployment = Deployment::plan(&self.request.nodes, &self.prepared)?;
        let launcher = launcher(&self.request.changes, &self.models);
        let execution = Execution { deployment: deployment.as_ref(), launcher: &launcher, context };
        let run = match out {
            Some(out) => {
                check_folder(out, &self.manifest)?;
                execution.record(self.task(), &RunFolder::plan(out)?)?.0
            }
            None => {
                let outcome = execution.run(self.task(), None)?;
                RecordOutcome { outcome, logged: (0, 0), problems: Vec::new() }
            }
        };
        Ok(self.compare(run))
    }

    fn task(&self) -> RunTask<'_> {
        let options = self.request.options();
        let points = self.resumed.as_ref().map_or(&[][..], Resumed::save_points);
        let again = self.manifest.save_points();
        RunTask {
            resumed: self.resumed.as_ref(),
            until: self.manifest.cut_short_at(),
            saving: saving::repeat(&options, &self.prepared, points, again),
            ..RunTask::new(&self.prepared, &self.request.settings, options)
        }
    }
}

impl Replay {
    fn compare(&self, run: RecordOutcome) -> Replayed {
        let (manifest, outcome) = (&self.manifest, &run.outcome);
        // A run that was cut short was repeated as far as it came.
        let is_cut_short = manifest.cut_short_at().is_some() && outcome.end == End::Finished;
        let ended_alike = is_cut_short || manifest.state() == outcome.end.name();
        let is_same = manifest.trace_hash() == outcome.summary.trace_hash.to_string();
        let is_identical = is_same && ended_alike;
        let differences =
            if is_identical { Vec::new() } else { self.differences(outcome, ended_alike) };
        Replayed { run, is_identical, differences }
    }

    fn differences(&self, outcome: &RunOutcome, ended_alike: bool) -> Vec<String> {
        let (manifest, summary) = (&self.manifest, &outcome.summary);
        let mut lines = Vec::new();
        if manifest.end_tick() != summary.tag.time.ticks() || !ended_alike {
            let time = self.prepared.resolved().experiment.resolution.to_f64(summary.tag.time);
            let (before, now) = (manifest.state(), outcome.end.name());
            lines.push(format!("it was {before} and is {now} now, at {time} s"));
        }
        lines.extend(hashes::differences(&manifest.hashes(), &hashes::to_json(summary)));
        lines
    }
}

/// A node alone cannot be run again: what it received is not recorded.
fn check_whole(recorded: &Manifest, run: &Path) -> Result<(), Error> {
    let Some(node) = recorded.options()["node"].as_str() else { return Ok(()) };
    let message = format!("`{}` is the record of node `{node}` alone", run.display());
    let diagnostic = Diagnostic::error("replay::part", message);
    let help = "run the system with `consort run` and compare the hash with the one that the \
                nodes printed";
    Err(Error::failed(diagnostic.help(help)))
}

/// A local run gives the trace of a distributed one; what was saved in parts is resumed in parts.
fn nodes(resumed: Option<&Resumed>) -> Result<NodeRequest, Error> {
    match resumed.filter(|resumed| resumed.is_distributed()) {
        Some(resumed) => saved_nodes(resumed, &NodeRequest::default()),
        None => Ok(NodeRequest { local: true, ..NodeRequest::default() }),
    }
}

/// The second run must not replace the first.
fn check_folder(out: &Path, recorded: &Manifest) -> Result<(), Error> {
    let original = recorded.path.parent().and_then(|folder| folder.canonicalize().ok());
    if original.is_none() || original != out.canonicalize().ok() {
        return Ok(());
    }
    let diagnostic = Diagnostic::error(
        "cli::same-folder",
        "`--out` is the folder of the record itself; replaying would overwrite it",
    );
    Err(Error::failed(diagnostic.help("choose another folder with `--out DIR`")))
}
