//! FMUs in processes of their own: what such a process receives, and how it loads the model.

use super::fmu::Located;
use crate::continuous::{self, SolvedModel};
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{
    Diagnostic, Fidelity, Model, ModelDescription, Provider, Report, Seconds, SolverKind,
    SolverSettings,
};
use consort_fmi::fmu::{ExchangeModel, Fmu, FmuModel, LoadError, LoadOptions};
use consort_host::{HostOptions, IsolatedModel};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Serves an FMU to the process that started this one. A program that is named as
/// [`HostOptions::program`] calls this when it is started with those arguments, and does nothing else.
pub fn serve() -> ExitCode {
    consort_host::serve(&|recipe| {
        let recipe = Recipe::read(recipe).map_err(broken)?;
        recipe.load().map_err(|error| Box::new(error.diagnostic(&recipe.name, None)))
    })
}

fn broken(error: BytesError) -> Box<Diagnostic> {
    let message = format!("the isolated process received invalid data: {error}");
    let diagnostic = Diagnostic::error("fmi::isolated-data", message);
    Box::new(diagnostic.help("use one version of Consort for a run and its isolated processes"))
}

/// An FMU as its own process is to make it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Recipe {
    name: String,
    directory: PathBuf,
    binary: PathBuf,
    python_library: Option<PathBuf>,
    /// For Model Exchange, whose solver lives with it.
    settings: Option<SolverSettings>,
}

const MAGIC: [u8; 8] = *b"recipe 1";

impl Recipe {
    pub(super) fn new(
        located: &Located,
        python_library: Option<&Path>,
        settings: Option<SolverSettings>,
    ) -> Self {
        Recipe {
            name: located.fmu.name().to_owned(),
            directory: located.fmu.directory().to_owned(),
            binary: elsewhere(&located.binary),
            python_library: python_library.map(elsewhere),
            settings,
        }
    }

    fn write(&self) -> Vec<u8> {
        let mut to = Writer::new(MAGIC);
        to.text(&self.name);
        to.part(self.directory.as_os_str().as_encoded_bytes());
        to.part(self.binary.as_os_str().as_encoded_bytes());
        to.option(self.python_library.as_ref(), |to, path| {
            to.part(path.as_os_str().as_encoded_bytes());
        });
        to.option(self.settings, |to, settings| {
            to.text(settings.kind.name());
            to.option(settings.tolerance, Writer::real);
            to.option(settings.step, |to, step| {
                to.whole(step.numerator());
                to.word(step.denominator());
            });
        });
        to.finish()
    }

    fn read(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut from = Reader::new(bytes, MAGIC)?;
        let recipe = Recipe {
            name: from.text()?.to_owned(),
            directory: read_path(&mut from)?,
            binary: read_path(&mut from)?,
            python_library: from.option(read_path)?,
            settings: from.option(read_settings)?,
        };
        from.end()?;
        Ok(recipe)
    }

    /// Loads the binary, in the process where the instance will live.
    fn load(&self) -> Result<Arc<dyn Model>, LoadError> {
        let mut report = Report::default();
        let opened = Fmu::open(&self.directory, &self.name, None, &mut report);
        let fmu = opened.ok_or_else(|| LoadError::NotALibrary {
            library: self.binary.clone(),
            reason: messages(&report),
        })?;
        let options = LoadOptions { python_library: self.python_library.clone() };
        // The process has no other instance, so the lane has no effect.
        let lane = String::new();
        match self.settings {
            Some(settings) => ExchangeModel::load(fmu, &self.binary, lane, &options)
                .map(|it| Arc::new(SolvedModel::new(Arc::new(it), settings)) as Arc<dyn Model>),
            None => FmuModel::load(fmu, &self.binary, lane, &options)
                .map(|it| Arc::new(it) as Arc<dyn Model>),
        }
    }

    /// Whether the binary can be loaded, in a process of its own.
    ///
    /// # Errors
    /// If it cannot, as if it had been loaded here.
    pub(super) fn check(&self, fmu: &Fmu, host: &Arc<HostOptions>) -> Result<(), Box<Diagnostic>> {
        let (description, provider) = (self.describe(fmu), Provider::Native);
        IsolatedModel::new(description, self.write(), Arc::clone(host), provider).try_load()
    }

    /// The model in processes of its own.
    pub(super) fn isolated(
        &self,
        fmu: &Fmu,
        host: &Arc<HostOptions>,
        provider: Provider,
        fidelity: Fidelity,
    ) -> Arc<dyn Model> {
        let mut description = self.describe(fmu);
        description.capabilities.fidelity = fidelity;
        Arc::new(IsolatedModel::new(description, self.write(), Arc::clone(host), provider))
    }

    fn describe(&self, fmu: &Fmu) -> ModelDescription {
        describe(fmu, self.settings.as_ref())
    }
}

/// The description of an FMU as a model; `settings` are those of the solver around its Model Exchange.
pub(super) fn describe(fmu: &Fmu, settings: Option<&SolverSettings>) -> ModelDescription {
    let description = fmu.description();
    match (&description.model_exchange, settings) {
        (Some(exchange), Some(settings)) => {
            let inner = ModelDescription {
                kind: format!("{} Model Exchange", description.version.name()),
                capabilities: exchange.capabilities.clone(),
                ..description.model.clone()
            };
            continuous::describe(&inner, settings)
        }
        _ => description.model.clone(),
    }
}

/// A path for a process that works in another folder; a bare name is looked up as ever.
fn elsewhere(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => {
            std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
        }
        _ => path.to_owned(),
    }
}

fn read_path(from: &mut Reader<'_>) -> Result<PathBuf, BytesError> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(from.part()?)))
}

fn read_settings(from: &mut Reader<'_>) -> Result<SolverSettings, BytesError> {
    let all = SolverKind::ALL;
    let name = from.text()?;
    let kind = all.iter().map(|entry| entry.0).find(|kind| kind.name() == name);
    Ok(SolverSettings {
        kind: kind.unwrap_or_default(),
        tolerance: from.option(Reader::real)?,
        step: from.option(|from| Ok(Seconds::new(from.whole()?, from.word()?)))?.flatten(),
    })
}

fn messages(report: &Report) -> String {
    let messages = report.diagnostics().iter().map(|it| it.message.as_str());
    messages.collect::<Vec<_>>().join("; ")
}
