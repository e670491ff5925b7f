//! A prepared system as data: what another process is given that computes a part of it.

use super::{InputHash, Prepared, PreparedHashes, PreparedModel, PreparedSource, text_hash};
use crate::error::Error;
use consort_core::model::{CallError, CallResult};
use consort_core::{
    ComponentId, Diagnostic, Instance, Instantiation, Model, ModelDescription, Report,
};
use consort_models::{Loader, ModelSource};
use consort_system::{Plan, ResolvedSystem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A prepared system as data. It is written in a binary form, in which every number keeps its bits.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PreparedData {
    path: PathBuf,
    text: String,
    resolved: ResolvedSystem,
    plan: Plan,
    hashes: PreparedHashes,
    inputs: Vec<InputHash>,
    plot: Vec<String>,
    /// The models, one per component.
    models: Vec<ModelData>,
}

/// The model of a component.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct ModelData {
    description: ModelDescription,
    source: ModelSource,
}

impl Prepared {
    /// The system as data.
    pub fn to_data(&self) -> PreparedData {
        let models = self.components().map(|component| ModelData {
            description: component.model.description().clone(),
            source: component.source.clone(),
        });
        let PreparedSource { path, text, inputs, plot } = self.source.clone();
        PreparedData {
            path,
            text,
            resolved: self.resolved().clone(),
            plan: self.plan().clone(),
            hashes: self.hashes.clone(),
            inputs,
            plot,
            models: models.collect(),
        }
    }
}

impl PreparedData {
    /// Writes a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let bytes = postcard::to_stdvec(self).map_err(|error| broken(path, &error))?;
        std::fs::write(path, bytes).map_err(|error| Error::unwritable(path, &error))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If there is no such file, or it holds something else.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
        postcard::from_bytes(&bytes).map_err(|error| broken(path, &error))
    }

    /// The system with the models of the components that are computed in this process; of the others only the
    /// descriptions are there. Nothing is resolved, planned or judged again.
    ///
    /// # Errors
    /// If a model cannot be loaded, or its files or its description changed since the plan was made.
    pub fn load(
        self,
        is_computed: impl Fn(ComponentId) -> bool,
        loader: &mut Loader,
    ) -> Result<Prepared, Error> {
        let mut report = Report::default();
        let mut models = Vec::new();
        let files: BTreeSet<&str> = self.inputs.iter().map(|file| file.sha256.as_str()).collect();
        for (index, data) in self.models.into_iter().enumerate() {
            models.extend(match is_computed(ComponentId::from_index(index)) {
                true => data.load(&files, loader, &mut report),
                false => Some(data.elsewhere()),
            });
        }
        Error::check(report)?;
        let PreparedData { path, text, resolved, plan, hashes, inputs, plot, .. } = self;
        let source = PreparedSource { path, text, inputs, plot };
        let planned = hashes.plan.clone();
        let prepared = Prepared::new(source, resolved, plan, models, hashes, Report::default());
        match text_hash(&prepared.plan_text()) == planned {
            true => Ok(prepared),
            false => Err(another_plan()),
        }
    }
}

impl ModelData {
    /// The model of a component that another process computes.
    fn elsewhere(self) -> PreparedModel {
        let model = Arc::new(ElsewhereModel { description: self.description });
        PreparedModel { model, saved_by: None, source: self.source }
    }

    /// The model of a component that this process computes; `files` are the hashes of those that it was made of.
    fn load(
        self,
        files: &BTreeSet<&str>,
        loader: &mut Loader,
        report: &mut Report,
    ) -> Option<PreparedModel> {
        let ModelData { description, source } = self;
        let loaded = loader.load(&source.request(&source.parameters()), report)?;
        let is_same = loaded.inputs.iter().all(|file| files.contains(file.sha256.as_str()));
        if !is_same || *loaded.model.description() != description {
            report.push(another_model(&source));
            return None;
        }
        Some(PreparedModel { model: loaded.model, saved_by: loaded.saved_by, source })
    }
}

/// A model whose instance is computed by another process.
struct ElsewhereModel {
    description: ModelDescription,
}

impl Model for ElsewhereModel {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn instantiate(&self, _: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        Err(CallError::unsupported("compute a component of another node"))
    }
}

fn broken(path: &Path, error: &postcard::Error) -> Error {
    let message = format!("`{}` is not a prepared system", path.display());
    let diagnostic = Diagnostic::error("node::bad-order", message).with_note(error.to_string());
    Error::failed(diagnostic.help("use one version of Consort for a run and its nodes"))
}

fn another_model(source: &ModelSource) -> Diagnostic {
    let message = format!(
        "the model of `{}` is another one than the plan was made for: `{}`",
        source.component, source.model
    );
    let diagnostic = Diagnostic::error("node::another-system", message);
    diagnostic.help("leave the files of models alone while a run starts")
}

fn another_plan() -> Error {
    let message = "the plan has another hash than it had when it was sent";
    let diagnostic = Diagnostic::error("node::another-system", message);
    Error::failed(diagnostic.help("use one version of Consort for a run and its nodes"))
}
