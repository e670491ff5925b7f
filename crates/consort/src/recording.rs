//! Runs that leave a record: from a request to the files on disk, in this process or on nodes.

use crate::load;
use crate::models::{ModelOptions, ModelSettings};
use crate::picture::draw_record;
use crate::request::{Changes, RunRequest};
use consort_core::{ComponentId, Diagnostic, Report, Time};
use consort_distributed::{
    Deployment, Disturbed, NodeAssignment, NodeLauncher, NodeMessage, NodeOutcome,
};
use consort_engine::ChunkSink;
use consort_run::prepared::is_started_by_hand;
use consort_run::remarks::remarks;
use consort_run::saving::Saving;
use consort_run::{
    Context, Error, Prepared, PreparedData, RecordOutcome, Resumed, RunFolder, RunOutcome, RunTask,
};
use consort_run::{record, run_unrecorded, saving, verify};
use consort_view::plot::PlotColumn;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A run that can be carried out: the system was loaded and planned, and everything that was asked for fits.
pub struct ReadyRun {
    /// What was asked for, completed by what it is resumed from.
    pub request: RunRequest,
    /// The prepared system.
    pub prepared: Prepared,
    /// The folder of its record.
    pub folder: RunFolder,
    /// What the user may want to know before it begins.
    pub remarks: Vec<Diagnostic>,
    deployment: Option<Deployment>,
    resumed: Option<Resumed>,
    launcher: NodeLauncher,
}

/// The result of a request: the recorded run, and what its plot shows.
pub struct RecordedRun {
    /// The outcome of the run.
    pub run: RecordOutcome,
    /// The columns that are drawn in the record's plot.
    pub drawn: Vec<PlotColumn>,
}

impl ReadyRun {
    /// Loads and plans the system, and checks the request; `report` holds what is known to be wrong with it already.
    /// Nothing is written.
    ///
    /// # Errors
    /// Everything that is wrong with the system and the request.
    pub fn prepare(
        request: &RunRequest,
        models: ModelOptions,
        report: Report,
        context: &Context,
    ) -> Result<Self, Error> {
        let resumed = request.resume.as_deref().map(Resumed::read_whole).transpose()?;
        let request = match &resumed {
            Some(resumed) => request.complete(resumed)?,
            None => request.clone(),
        };
        let models = models.saving(request.has_snapshots());
        let prepared = prepare(&request, &models, report, context)?;
        Self::of(request, prepared, resumed, &models)
    }

    /// A run of a system that was prepared.
    ///
    /// # Errors
    /// Everything that does not fit it.
    pub(crate) fn of(
        request: RunRequest,
        prepared: Prepared,
        resumed: Option<Resumed>,
        models: &ModelOptions,
    ) -> Result<Self, Error> {
        resumed.as_ref().map_or(Ok(()), |resumed| resumed.check(&prepared))?;
        planned_saves(&request, &prepared, resumed.as_ref())?;
        let out = request.out.clone().unwrap_or_else(|| default_out(&prepared.resolved().name));
        let folder = RunFolder::plan(&out)?;
        let remarks = remarks(&prepared);
        let deployment = Deployment::plan(&request.nodes, &prepared)?;
        let deployed = deployment.as_ref();
        deployed.map_or(Ok(()), |it| check_programs(&request.system, &prepared, it))?;
        let launcher = launcher(&request.changes, models);
        Ok(ReadyRun { request, prepared, folder, remarks, deployment, resumed, launcher })
    }

    /// Carries it out and leaves its record.
    ///
    /// # Errors
    /// If it cannot start, or the folder cannot be written.
    pub fn record(&mut self, context: &Context) -> Result<RecordedRun, Error> {
        for remark in std::mem::take(&mut self.remarks) {
            self.prepared.report.push(remark);
        }
        let resumed = self.resumed.as_ref();
        let task = RunTask {
            resumed,
            saving: planned_saves(&self.request, &self.prepared, resumed)?,
            ..RunTask::new(&self.prepared, &self.request.settings, self.request.options())
        };
        let deployment = self.deployment.as_ref();
        let execution = Execution { deployment, launcher: &self.launcher, context };
        let (mut run, _) = execution.record(task, &self.folder)?;
        let drawn = draw_record(&self.prepared, &self.folder, &mut run);
        Ok(RecordedRun { run, drawn })
    }

    /// Runs a resumed run again from its start and compares every bit. Returns how long that took and where it was
    /// saved; nothing if it was not resumed or did not come to its end.
    ///
    /// # Errors
    /// If both are not the same run, or the second one cannot be made.
    pub fn verify(&self, recorded: &RecordOutcome) -> Result<Option<(Duration, Time)>, Error> {
        let Some(resumed) = &self.resumed else { return Ok(None) };
        let workers = self.request.settings.worker_count();
        let took = verify::verify(&self.prepared, resumed, &recorded.outcome, workers)?;
        Ok(took.map(|took| (took, resumed.tag().time)))
    }
}

/// The saves that a request asks for.
fn planned_saves(
    request: &RunRequest,
    prepared: &Prepared,
    resumed: Option<&Resumed>,
) -> Result<Saving, Error> {
    let points = resumed.map_or(&[][..], Resumed::save_points);
    saving::plan(&request.saves, &request.options(), prepared, points)
}

/// Loads and plans the system of a request; `report` holds what is known to be wrong already.
///
/// # Errors
/// Everything that is wrong with it.
pub fn prepare(
    request: &RunRequest,
    models: &ModelOptions,
    report: Report,
    context: &Context,
) -> Result<Prepared, Error> {
    let _waiting = context.monitor.waiting(&format!("loading {}", request.system.display()));
    load::prepare(&request.system, &request.changes, models, report)
}

/// Where and how tasks are carried out.
#[derive(Clone, Copy)]
pub struct Execution<'a> {
    /// The nodes; everything is computed in this process without.
    pub deployment: Option<&'a Deployment>,
    /// How processes are started for nodes.
    pub launcher: &'a NodeLauncher,
    /// Receives its progress, and may end it.
    pub context: &'a Context,
}

impl Execution<'_> {
    /// Carries out a task and leaves its record. Returns also how nodes were disturbed.
    ///
    /// # Errors
    /// If it cannot start, or the folder cannot be written.
    pub fn record(
        &self,
        task: RunTask<'_>,
        folder: &RunFolder,
    ) -> Result<(RecordOutcome, Disturbed), Error> {
        let Execution { deployment, launcher, context } = *self;
        match deployment {
            Some(deployment) => {
                consort_distributed::run(task, deployment, launcher, Some(folder), context)
            }
            None => Ok((record(task, folder, context)?, Disturbed::default())),
        }
    }

    /// Carries out a task that leaves nothing behind but its hashes, and its rows to `sink` if there is one.
    ///
    /// # Errors
    /// If it cannot start.
    pub fn run(
        &self,
        task: RunTask<'_>,
        sink: Option<Box<dyn ChunkSink>>,
    ) -> Result<RunOutcome, Error> {
        let Execution { deployment, launcher, context } = *self;
        match deployment {
            Some(deployment) => {
                let run = consort_distributed::run(task, deployment, launcher, None, context)?;
                Ok(run.0.outcome)
            }
            None => run_unrecorded(task, sink, None, context),
        }
    }
}

/// How processes are started for the nodes of a run.
///
/// # Panics
/// Never: settings are plain data.
pub fn launcher(changes: &Changes, models: &ModelOptions) -> NodeLauncher {
    let settings = models.settings_for(changes);
    NodeLauncher {
        program: models.program(),
        models: serde_json::to_value(settings).expect("settings are plain data"),
        cache: models.loader.cache.clone(),
    }
}

/// Computes the part of a node that was assigned to this process. `program` serves isolated models; `report` sends
/// messages to the process that assigned it.
pub fn serve_node(
    assignment: &Path,
    name: &str,
    program: PathBuf,
    report: impl Fn(&NodeMessage) + Send + 'static,
    context: &Context,
) -> NodeOutcome {
    let loaded = NodeAssignment::read(assignment).and_then(|assignment| {
        let prepared = load_part(&assignment, name, program)?;
        Ok((assignment, prepared))
    });
    match loaded {
        Ok((assignment, prepared)) => {
            consort_distributed::serve(&assignment, name, &prepared, report, context)
        }
        Err(error) => NodeOutcome::not_begun(error.errors(), None),
    }
}

/// The system of a node: as it was sent, with the models of its own components.
fn load_part(assignment: &NodeAssignment, name: &str, program: PathBuf) -> Result<Prepared, Error> {
    let settings: ModelSettings = serde_json::from_value(assignment.models.clone())
        .map_err(|error| Error::failed(Diagnostic::error("node::bad-order", error.to_string())))?;
    let mut loader = ModelOptions::from_settings(&settings, Some(program)).loader();
    let placement = &assignment.projection.placement;
    let node = placement.node(name);
    let is_computed = |id: ComponentId| Some(placement.of_component[id.index()]) == node;
    PreparedData::read(&assignment.system)?.load(is_computed, &mut loader)
}

/// A name may hold anything; a folder's may not lead elsewhere, nor steer a terminal.
pub fn default_out(name: &str) -> PathBuf {
    let is_odd = |letter: char| letter.is_control() || letter == '/' || letter == '\\';
    let plain = name.replace(is_odd, "-");
    match plain.trim_start_matches('.') {
        "" => Path::new("out").join("system"),
        plain => Path::new("out").join(plain),
    }
}

/// Checks that no component is a program that only the user can start: nodes are started here.
fn check_programs(
    system: &Path,
    prepared: &Prepared,
    deployment: &Deployment,
) -> Result<(), Error> {
    let mut report = Report::default();
    for (component, node) in deployment.placed(prepared) {
        if is_started_by_hand(component.model.description()) {
            let node = deployment.placement.name(node);
            report.push(not_started(system, &component.resolved.name, node));
        }
    }
    Error::check(report)
}

fn not_started(system: &Path, component: &str, node: &str) -> Diagnostic {
    let message =
        format!("`{component}` is a program that the user starts: `consort run` does not start it");
    let line = format!(
        "consort node {} --name {node} --foreign {component} --listen ... --connect ...",
        system.display()
    );
    Diagnostic::error("run::by-hand", message)
        .with_note("its interface names neither `source` nor `command`")
        .with_note(format!("its node is `{node}`: `CONSORT_NODE` of the program is `{line}`"))
        .help("start every node with `consort node`, as in `docs/foreign-nodes.md`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_lead_out_of_the_folder() {
        for (name, folder) in [
            ("tank", "out/tank"),
            ("../../etc", "out/-..-etc"),
            ("a/b", "out/a-b"),
            ("a\n\u{1b}[31mb", "out/a--[31mb"),
            ("..", "out/system"),
            ("", "out/system"),
        ] {
            assert_eq!(default_out(name), Path::new(folder), "{name}");
        }
    }
}
