//! From a campaign's path to everything that exploring it needs, or all that is wrong with it.

use crate::cli::{CampaignChanges, ExperimentArgs, Global};
use crate::outcome::CommandError;
use crate::output::printer::Printer;
use crate::pipeline::{self, Prepared, keepable, recording, sha256};
use consort_core::{Fidelity, ModelDescription, Report, Seconds};
use consort_explore::campaign::{Questions, ResolvedCampaign, resolve, strategy};
use consort_explore::sample::Sample;
use consort_explore::strategy::Strategy as _;
use consort_system::{Campaign, Spanned, System};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What a campaign in a folder is called.
const USUAL_NAME: &str = "campaign.toml";

/// A campaign that can be explored.
pub(crate) struct Ready {
    /// The campaign's file.
    pub(crate) path: PathBuf,
    /// What it says, changed as the options say.
    pub(crate) campaign: Campaign,
    /// What it means.
    pub(crate) resolved: ResolvedCampaign,
    /// Its system.
    pub(crate) prepared: Prepared,
    /// Hashes of everything that decides results.
    pub(crate) identity: Value,
    /// Which share of scenarios is run again, if somebody said so.
    pub(crate) verify_share: Option<f64>,
}

impl Ready {
    /// One word for all that decides results.
    pub(crate) fn fingerprint(&self) -> String {
        format!("sha256:{}", sha256(self.identity.to_string().as_bytes()))
    }

    /// The scenarios that may be run again from their start.
    pub(crate) fn sample(&self) -> Sample {
        let total = strategy(&self.campaign, &self.resolved.space).progress().total;
        let total = total.unwrap_or(self.resolved.space.count());
        Sample::new(self.campaign.seed, self.verify_share, total)
    }

    /// Who saves the states of models, where that is worth telling.
    pub(crate) fn saving(&self) -> Vec<String> {
        let told = self.prepared.report.diagnostics().iter();
        let told = told.filter(|diagnostic| diagnostic.code == "model::state");
        told.map(|diagnostic| diagnostic.message.clone()).collect()
    }
}

/// Reads a campaign, loads its system, and looks everything up.
///
/// # Errors
/// Everything that is wrong, at once.
pub(crate) fn prepare(
    path: &Path,
    changes: &CampaignChanges,
    tighter: Option<ExperimentArgs>,
    global: &Global,
    printer: &Printer,
) -> Result<Ready, CommandError> {
    let path = if path.is_dir() { path.join(USUAL_NAME) } else { path.to_owned() };
    let _waiting = printer.waiting(&format!("loading {}", path.display()));
    let text =
        std::fs::read_to_string(&path).map_err(|error| CommandError::unreadable(&path, &error))?;
    let mut report = Report::default();
    let name = path.display().to_string();
    let campaign = consort_formats::read_campaign(&name, &text, &mut report);
    let Some(mut campaign) = campaign else { return Err(CommandError::Invalid { report }) };
    apply(changes, &mut campaign);
    let questions = Questions::of(&campaign, &mut report);
    let arguments = tighter.unwrap_or_else(|| experiment(&campaign));
    let system = path.parent().unwrap_or(Path::new("")).join(&campaign.system.value);
    let prepared =
        prepare_system(&system, &arguments, (&campaign, &questions), global, &mut report)?;
    let resolved = prepared.as_ref().and_then(|prepared| {
        keepable::check(prepared, Fidelity::Exact, &mut report);
        let models: Vec<&ModelDescription> =
            prepared.models.iter().map(|model| model.description()).collect();
        resolve(&campaign, questions, &prepared.resolved, &models, &mut report)
    });
    match (prepared, resolved) {
        (Some(mut prepared), Some(resolved)) if !report.has_errors() => {
            let verify_share = changes.verify_share;
            let identity = identity(&campaign, &text, &prepared, verify_share);
            prepared.report = report;
            Ok(Ready { path, campaign, resolved, prepared, identity, verify_share })
        }
        _ => Err(CommandError::Invalid { report }),
    }
}

fn apply(changes: &CampaignChanges, campaign: &mut Campaign) {
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

/// Loads the system so that its states can be saved, and everything the campaign looks at is read.
fn prepare_system(
    path: &Path,
    arguments: &ExperimentArgs,
    (campaign, questions): (&Campaign, &Questions),
    global: &Global,
    report: &mut Report,
) -> Result<Option<Prepared>, CommandError> {
    let change = |system: &mut System, models: &[Option<&ModelDescription>]| {
        let stop = sum(system.experiment.start.value, campaign.horizon.value);
        system.experiment.stop = stop.map(Spanned::assumed);
        let inputs = campaign.disturbances.iter().map(|it| it.input.value.clone());
        let wanted: Vec<String> = questions.signals().into_iter().chain(inputs).collect();
        recording::add(system, models, &wanted);
    };
    pipeline::prepare_changed(path, arguments, global, report, &change)
}

/// The options of the system's experiment.
fn experiment(campaign: &Campaign) -> ExperimentArgs {
    let written = &campaign.options;
    let text = |time: &Option<Spanned<Seconds>>| time.as_ref().map(|time| time.value.to_string());
    ExperimentArgs {
        step: text(&written.step),
        set: written.set.iter().map(|set| set.value.clone()).collect(),
        solver: written.solver.as_ref().map(|solver| solver.value.clone()),
        tolerance: written.tolerance.as_ref().map(|tolerance| tolerance.value.to_string()),
        solver_step: text(&written.solver_step),
        saving: true,
        ..ExperimentArgs::default()
    }
}

/// What a tolerance is measured against if nobody named one.
const TOLERANCE: f64 = 1e-6;

/// The options of the same experiment with smaller steps and tolerances, as the campaign says.
pub(crate) fn tightened(ready: &Ready) -> ExperimentArgs {
    let tighter = ready.campaign.tighter;
    let experiment = &ready.prepared.resolved.experiment;
    let factor = Seconds::from_f64_exact(tighter.step);
    let scaled = |time: Seconds| factor.and_then(|factor| product(time, factor));
    let step = experiment.resolution.seconds(experiment.step).filter(|step| step.is_positive());
    let solver_step = ready.campaign.options.solver_step.as_ref().map(|step| step.value);
    let tolerance = experiment.tolerance.unwrap_or(TOLERANCE) * tighter.tolerance;
    let text = |time: Option<Seconds>| time.and_then(scaled).map(|time| time.to_string());
    ExperimentArgs {
        step: text(step),
        tolerance: Some(tolerance.to_string()),
        solver_step: text(solver_step),
        ..self::experiment(&ready.campaign)
    }
}

fn identity(
    campaign: &Campaign,
    text: &str,
    prepared: &Prepared,
    verify_share: Option<f64>,
) -> Value {
    let inputs = prepared
        .inputs
        .iter()
        .map(|input| json!({"path": input.path, "role": input.role, "sha256": input.sha256}));
    let mut identity = json!({
        "consort": env!("CARGO_PKG_VERSION"),
        "campaign": format!("sha256:{}", sha256(text.as_bytes())),
        "experiment": prepared.experiment_hash,
        "plan": prepared.plan_hash,
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
