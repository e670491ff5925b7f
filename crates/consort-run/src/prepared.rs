//! A system that can run: everything was found and fits.

mod data;

pub use data::PreparedData;

use consort_core::model::STATE_FACT;
use consort_core::{Diagnostic, Fidelity, Model, ModelDescription, Report, Time};
use consort_engine::Executable;
use consort_formats::snapshot::SnapshotFile;
use consort_models::fidelity::Chosen;
use consort_models::foreign::{FOREIGN_KIND, STARTED_BY_HAND};
use consort_models::{InputFile, ModelSource, sha256};
use consort_system::{Plan, ResolvedComponent, ResolvedSystem};
use consort_view::plot::Signals;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A system in which everything was found and fits, with its models and its plan.
pub struct Prepared {
    /// What it was loaded from.
    pub source: PreparedSource,
    executable: Executable,
    /// The origins of the models, by component.
    origins: Vec<ModelOrigin>,
    /// What identifies the plan and the system.
    pub hashes: PreparedHashes,
    /// Notes and warnings of the system, which can run.
    pub report: Report,
    /// What was changed of the system, as manifests keep it; snapshots of driven runs have it, too.
    pub options: Value,
    /// What driven runs are saved to, once it was asked for.
    pub(crate) snapshot_file: OnceLock<Arc<FileTemplate>>,
}

/// A snapshot file of a driven run without its state; or why a model cannot be saved to a file.
pub(crate) type FileTemplate = Result<SnapshotFile, Report>;

/// Where the model of a component came from, and who saves its states.
struct ModelOrigin {
    source: ModelSource,
    saved_by: Option<Chosen>,
}

/// What identifies the plan and the system of a run, each as `sha256:...`.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct PreparedHashes {
    /// The hash of the plan's text.
    pub plan: String,
    /// Of the system as it is run, changes applied: components, parameters, connections, seed, interventions; all
    /// but what is drawn.
    pub experiment: String,
    /// The same but for where it stops: a run that is resumed may stop later.
    pub resumable: String,
}

/// What a system was loaded from.
#[derive(Clone, Default)]
pub struct PreparedSource {
    /// The system file, as typed.
    pub path: PathBuf,
    /// The text of the system file.
    pub text: String,
    /// Every file that decides what the run does.
    pub inputs: Vec<InputHash>,
    /// What the experiment wants drawn: patterns.
    pub plot: Vec<String>,
}

/// A component of a prepared system.
#[derive(Clone, Copy)]
pub struct PreparedComponent<'a> {
    /// Its entry in the system.
    pub resolved: &'a ResolvedComponent,
    /// The model of the component.
    pub model: &'a Arc<dyn Model>,
    /// From where and how the model was loaded.
    pub source: &'a ModelSource,
    /// Which provider saves its states and why, if that was measured.
    pub saved_by: Option<&'a Chosen>,
}

/// The model of a component, as it was loaded.
pub struct PreparedModel {
    /// The loaded model.
    pub model: Arc<dyn Model>,
    /// Which provider saves its states and why, if that was measured.
    pub saved_by: Option<Chosen>,
    /// From where and how it was loaded.
    pub source: ModelSource,
}

impl Prepared {
    /// Puts together what belongs together; `models` has the model of each component, in their order.
    ///
    /// # Panics
    /// If there is not one model for each component.
    pub fn new(
        source: PreparedSource,
        resolved: ResolvedSystem,
        plan: Plan,
        models: Vec<PreparedModel>,
        hashes: PreparedHashes,
        report: Report,
    ) -> Self {
        let parts = models.into_iter().map(|PreparedModel { model, saved_by, source }| {
            (model, ModelOrigin { source, saved_by })
        });
        let (models, origins) = parts.unzip();
        let executable = Executable::new(resolved, plan, models);
        Prepared {
            source,
            executable,
            origins,
            hashes,
            report,
            options: Value::Null,
            snapshot_file: OnceLock::new(),
        }
    }

    /// What a run is made of.
    pub fn executable(&self) -> &Executable {
        &self.executable
    }

    /// The resolved system.
    pub fn resolved(&self) -> &ResolvedSystem {
        self.executable.system()
    }

    /// The order of computation.
    pub fn plan(&self) -> &Plan {
        self.executable.plan()
    }

    /// Its components, in the order of their ids.
    pub fn components(&self) -> impl Iterator<Item = PreparedComponent<'_>> {
        let parts = self.resolved().components.iter().zip(self.executable.models());
        let parts = parts.zip(&self.origins);
        parts.map(|((resolved, model), origin)| PreparedComponent {
            resolved,
            model,
            source: &origin.source,
            saved_by: origin.saved_by.as_ref(),
        })
    }

    /// The description of the model of each component, in the order of their ids.
    pub fn descriptions(&self) -> Vec<&ModelDescription> {
        self.executable.descriptions()
    }

    /// The shortest time between two communication points; `None` if no step is given.
    pub fn shortest_period(&self) -> Option<Time> {
        let periods = self.resolved().components.iter().map(|component| component.period);
        let periods = periods.chain([self.resolved().experiment.step]);
        periods.filter(|&period| Time::ZERO < period).min()
    }

    /// Whether a model lives in another process: then a step waits for that process.
    pub fn has_processes(&self) -> bool {
        let is_elsewhere = |model: &ModelDescription| {
            model.kind == FOREIGN_KIND || model.facts.iter().any(|(name, _)| name == STATE_FACT)
        };
        self.descriptions().into_iter().any(is_elsewhere)
    }

    /// The plan as text: what is hashed, and what the judge reads.
    pub fn plan_text(&self) -> String {
        self.plan().to_text(self.resolved(), &self.descriptions())
    }

    /// Whether a component can notice that it was restored: then the times of saves are part of the experiment.
    pub fn is_restore_noticed(&self) -> bool {
        let fidelity = |model: &Arc<dyn Model>| model.description().capabilities.fidelity;
        self.executable.models().iter().any(|model| fidelity(model) == Fidelity::Repeatable)
    }

    /// Names every component that cannot be saved, before anything runs; `wanted` is portable if states go to
    /// another process.
    pub fn check_saveable(&self, wanted: Fidelity, report: &mut Report) {
        for PreparedComponent { resolved: component, model, .. } in self.components() {
            let can = &model.description().capabilities;
            let is_saved = can.save_state && can.fidelity != Fidelity::None;
            if is_saved && (can.serialize_state || wanted < Fidelity::Portable) {
                continue;
            }
            let what = if is_saved { "brought to another process" } else { "saved" };
            let message = format!("the state of `{}` cannot be {what}", component.name);
            let diagnostic = Diagnostic::error("run::not-saved", message);
            let diagnostic = diagnostic.with_note(format!("it is {}", model.description().kind));
            let help = "with `state = \"image\"` in its component it is saved from outside; \
                        `consort state-check` shows what the model can";
            report.push(diagnostic.help(help));
        }
    }

    /// What the system says about its signals, for plots.
    pub fn signals(&self) -> Signals {
        Signals::of(self.resolved(), &self.descriptions())
    }

    /// Why the plan is as it is.
    pub fn explain(&self) -> consort_planner::Explanation {
        consort_planner::explain(self.resolved(), &self.descriptions(), self.plan())
    }
}

/// What identifies a text, such as that of a plan: `sha256:...`.
pub fn text_hash(text: &str) -> String {
    format!("sha256:{}", sha256(text.as_bytes()))
}

/// A file that decides what a run does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct InputHash {
    /// The path as written by the user.
    pub path: String,
    /// What it is for the run.
    pub role: String,
    /// The SHA-256 of its bytes, in hex.
    pub sha256: String,
}

impl InputHash {
    /// Of a file with these bytes.
    pub fn new(path: &str, role: &str, bytes: &[u8]) -> Self {
        Self::known(path, role, &sha256(bytes))
    }

    /// Of a file whose hash is known.
    pub fn known(path: &str, role: &str, sha256: &str) -> Self {
        InputHash { path: path.to_owned(), role: role.to_owned(), sha256: sha256.to_owned() }
    }
}

impl From<&InputFile> for InputHash {
    fn from(file: &InputFile) -> Self {
        InputHash {
            path: file.path.clone(),
            role: file.role.to_string(),
            sha256: file.sha256.clone(),
        }
    }
}

/// Whether a model is a program that only the user starts.
pub fn is_started_by_hand(model: &ModelDescription) -> bool {
    model.facts.iter().any(|(name, value)| (&**name, &**value) == STARTED_BY_HAND)
}
