//! From a campaign's path to everything that exploring it needs, or everything that is wrong with it.

use super::CampaignChanges;
use crate::load::{self, selection};
use crate::models::ModelOptions;
use crate::request::Changes;
use consort_core::{Fidelity, ModelDescription, Report, Seconds, SolverKind};
use consort_explore::campaign::{Questions, ResolvedCampaign, resolve, strategy};
use consort_explore::sample::Sample;
use consort_explore::strategy::Strategy as _;
use consort_models::sha256;
use consort_run::{Context, Error, Prepared};
use consort_system::{Spanned, SystemDescription};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What a campaign in a folder is called.
const USUAL_NAME: &str = "campaign.toml";

/// A campaign whose system was loaded.
pub(super) struct Campaign {
    /// The campaign's file.
    pub(super) path: PathBuf,
    /// The text of the file.
    pub(super) text: String,
    /// The campaign as written, with the changes of the caller.
    pub(super) written: consort_system::Campaign,
    /// The campaign with typed values and ids.
    pub(super) resolved: ResolvedCampaign,
    /// The system that is explored.
    pub(super) prepared: Prepared,
    /// Hashes of everything that decides results.
    pub(super) identity: Value,
    /// The changes to the campaign.
    pub(super) changes: CampaignChanges,
}

impl Campaign {
    /// Reads a campaign, loads its system, and looks everything up.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub(super) fn prepare(
        path: &Path,
        changes: &CampaignChanges,
        models: &ModelOptions,
        context: &Context,
    ) -> Result<Self, Error> {
        Self::prepare_experiment(path, changes, None, models, context)
    }

    /// The same campaign with smaller steps and tolerances, as it says.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub(super) fn tightened(
        &self,
        models: &ModelOptions,
        context: &Context,
    ) -> Result<Self, Error> {
        let changes =
            CampaignChanges { seed: Some(self.written.seed), ..CampaignChanges::default() };
        Self::prepare_experiment(&self.path, &changes, Some(tightened(self)), models, context)
    }

    fn prepare_experiment(
        path: &Path,
        changes: &CampaignChanges,
        experiment: Option<Changes>,
        models: &ModelOptions,
        context: &Context,
    ) -> Result<Self, Error> {
        let path = if path.is_dir() { path.join(USUAL_NAME) } else { path.to_owned() };
        let _waiting = context.monitor.waiting(&format!("loading {}", path.display()));
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| Error::unreadable(&path, &error))?;
        let mut report = Report::default();
        let Some(written) = read(&path, &text, changes, &mut report) else {
            return Err(Error::Invalid { report });
        };
        let questions = Questions::of(&written, &mut report);
        let experiment = experiment.unwrap_or_else(|| self::experiment(&written));
        let folder = path.parent().unwrap_or(Path::new(""));
        let loading = Loading { written: &written, questions: &questions, models };
        let system = folder.join(&written.system.value);
        let prepared = loading.prepare_system(&system, &experiment, &mut report)?;
        let resolved = prepared.as_ref().and_then(|prepared| {
            prepared.check_saveable(Fidelity::Exact, &mut report);
            let models = prepared.descriptions();
            resolve(&written, questions, prepared.resolved(), &models, &mut report)
        });
        match (prepared, resolved) {
            (Some(mut prepared), Some(resolved)) if !report.has_errors() => {
                let identity = identity(&written, &text, &prepared, changes.verify_share);
                prepared.report = report;
                let changes = changes.clone();
                Ok(Campaign { path, text, written, resolved, prepared, identity, changes })
            }
            _ => Err(Error::Invalid { report }),
        }
    }

    /// The campaign of another process, which has prepared its system.
    ///
    /// # Errors
    /// If that was another version of Consort, which read the text in another way.
    pub(super) fn over(
        prepared: Prepared,
        path: PathBuf,
        text: String,
        identity: Value,
        changes: CampaignChanges,
    ) -> Result<Self, Error> {
        let mut report = Report::default();
        let Some(written) = read(&path, &text, &changes, &mut report) else {
            return Err(Error::Invalid { report });
        };
        let questions = Questions::of(&written, &mut report);
        let models = prepared.descriptions();
        match resolve(&written, questions, prepared.resolved(), &models, &mut report) {
            Some(resolved) if !report.has_errors() => {
                Ok(Campaign { path, text, written, resolved, prepared, identity, changes })
            }
            _ => Err(Error::Invalid { report }),
        }
    }

    /// The hash of everything that decides results.
    pub(super) fn fingerprint(&self) -> String {
        format!("sha256:{}", sha256(self.identity.to_string().as_bytes()))
    }

    /// The scenarios that may be run again from the start.
    pub(super) fn sample(&self) -> Sample {
        let total = strategy(&self.written, &self.resolved.space).progress().total;
        let total = total.unwrap_or(self.resolved.space.count());
        Sample::new(self.written.seed, self.changes.verify_share, total)
    }

    /// Which provider saves the states of models, where that was measured.
    pub(super) fn providers(&self) -> Vec<String> {
        let notes = self.prepared.report.diagnostics().iter();
        let notes = notes.filter(|diagnostic| diagnostic.code == "model::state");
        notes.map(|diagnostic| diagnostic.message.clone()).collect()
    }
}

/// What a campaign says, changed as was asked for.
fn read(
    path: &Path,
    text: &str,
    changes: &CampaignChanges,
    report: &mut Report,
) -> Option<consort_system::Campaign> {
    let name = path.display().to_string();
    let mut written = consort_formats::read_campaign(&name, text, report)?;
    apply(changes, &mut written);
    Some(written)
}

fn apply(changes: &CampaignChanges, campaign: &mut consort_system::Campaign) {
    if let Some(seed) = changes.seed {
        campaign.seed = seed;
    }
    if let Some(limit) = changes.limit {
        campaign.limit.scenarios = Some(Spanned::assumed(limit));
    }
    if let Some(memory) = changes.memory {
        campaign.memory = Some(Spanned::assumed(memory));
    }
}

/// What loading the system of a campaign depends on.
struct Loading<'l> {
    written: &'l consort_system::Campaign,
    questions: &'l Questions,
    models: &'l ModelOptions,
}

impl Loading<'_> {
    /// Loads the system so that its states can be saved, and everything the campaign looks at is read.
    fn prepare_system(
        &self,
        path: &Path,
        experiment: &Changes,
        report: &mut Report,
    ) -> Result<Option<Prepared>, Error> {
        let change = |system: &mut SystemDescription, models: &[Option<&ModelDescription>]| {
            let stop = sum(system.experiment.start.value, self.written.horizon.value);
            system.experiment.stop = stop.map(Spanned::assumed);
            let inputs = self.written.disturbances.iter().map(|it| it.input.value.clone());
            let wanted: Vec<String> = self.questions.signals().into_iter().chain(inputs).collect();
            selection::add(system, models, &wanted);
        };
        let mut settings =
            ModelOptions::from_settings(&self.models.settings(), self.models.program());
        settings.loader.saving = true;
        settings.on_trial.clone_from(&self.models.on_trial);
        load::prepare_changed(path, experiment, &settings, report, &change)
    }
}

/// What the campaign changes of its system's experiment.
fn experiment(campaign: &consort_system::Campaign) -> Changes {
    let written = &campaign.options;
    Changes {
        step: written.step.as_ref().map(|step| step.value),
        set: written.set.iter().map(|set| set.value.clone()).collect(),
        solver: written.solver.as_ref().and_then(|name| SolverKind::from_name(&name.value)),
        tolerance: written.tolerance.as_ref().map(|tolerance| tolerance.value),
        solver_step: written.solver_step.as_ref().map(|step| step.value),
        ..Changes::default()
    }
}

/// The tolerance that is scaled if none was given.
const TOLERANCE: f64 = 1e-6;

/// The same experiment with smaller steps and tolerances, as the campaign says.
fn tightened(campaign: &Campaign) -> Changes {
    let tighter = campaign.written.tighter;
    let experiment = &campaign.prepared.resolved().experiment;
    let factor = Seconds::from_f64_exact(tighter.step);
    let scaled = |time: Seconds| factor.and_then(|factor| product(time, factor));
    let step = experiment.resolution.seconds(experiment.step).filter(|step| step.is_positive());
    let solver_step = campaign.written.options.solver_step.as_ref().map(|step| step.value);
    Changes {
        step: step.and_then(scaled),
        tolerance: Some(experiment.tolerance.unwrap_or(TOLERANCE) * tighter.tolerance),
        solver_step: solver_step.and_then(scaled),
        ..self::experiment(&campaign.written)
    }
}

fn identity(
    campaign: &consort_system::Campaign,
    text: &str,
    prepared: &Prepared,
    verify_share: Option<f64>,
) -> Value {
    let inputs = prepared
        .source
        .inputs
        .iter()
        .map(|input| json!({"path": input.path, "role": input.role, "sha256": input.sha256}));
    let mut identity = json!({
        "consort": env!("CARGO_PKG_VERSION"),
        "campaign": format!("sha256:{}", sha256(text.as_bytes())),
        "experiment": prepared.hashes.experiment,
        "plan": prepared.hashes.plan,
        "inputs": inputs.collect::<Vec<_>>(),
        "seed": campaign.seed,
    });
    if let Some(share) = verify_share {
        identity["verify-share"] = json!(share);
    }
    identity
}

fn sum(a: Seconds, b: Seconds) -> Option<Seconds> {
    let left = a.numerator().checked_mul(i64::try_from(b.denominator()).ok()?)?;
    let right = b.numerator().checked_mul(i64::try_from(a.denominator()).ok()?)?;
    Seconds::new(left.checked_add(right)?, a.denominator().checked_mul(b.denominator())?)
}

fn product(a: Seconds, b: Seconds) -> Option<Seconds> {
    let numerator = a.numerator().checked_mul(b.numerator())?;
    Seconds::new(numerator, a.denominator().checked_mul(b.denominator())?)
}
