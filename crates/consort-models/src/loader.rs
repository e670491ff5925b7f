//! From what a component's `model = "..."` says to a model.

pub(crate) mod cache;
mod compile;
mod compiler;
pub(crate) mod input_file;
mod recipe;

pub use cache::default_cache_dir;
pub use input_file::{InputFile, Role};

use crate::continuous::{SolvedModel, SolverKind};
use crate::nearby;
use crate::request::ModelRequest;
use compiler::Compiler;
use consort_core::{Diagnostic, Model, Report};
use consort_fmi::fmu::{ExchangeModel, Fmu, FmuModel, LoadError, LoadOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model, and what it was made from.
#[derive(Clone)]
pub struct LoadedModel {
    /// The model; components that ask for the same FMU share it.
    pub model: Arc<dyn Model>,
    /// Every file that decides what the model does, for the manifest.
    pub inputs: Vec<InputFile>,
    /// What was assumed on the way, for a person.
    pub assumed: Vec<String>,
}

/// Where a [`Loader`] keeps and finds things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoaderOptions {
    /// Unpacked archives and compiled sources; see [`default_cache_dir`].
    pub cache: PathBuf,
    /// The interpreter's library for FMUs written in Python; without it `python3` is asked.
    pub python_library: Option<PathBuf>,
    /// The C compiler for source FMUs; without it `cc` from the search path.
    pub compiler: Option<PathBuf>,
}

/// Makes models for the components of a system.
///
/// The same FMU, asked for any number of times, is unpacked, compiled and loaded once. One that
/// could not be loaded is told once per report, however many components ask for it.
pub struct Loader {
    options: LoaderOptions,
    /// Asked from the system at the first source FMU.
    compiler: Option<Compiler>,
    /// By path as asked for, so that thousands of components cost no look at the disk.
    asked: BTreeMap<PathBuf, LoadedModel>,
    /// By the path that remains when links are followed; `None` for what cannot be loaded.
    loaded: BTreeMap<PathBuf, Option<LoadedModel>>,
}

impl Loader {
    /// A loader that has loaded nothing yet.
    pub fn new(options: LoaderOptions) -> Self {
        Loader { options, compiler: None, asked: BTreeMap::new(), loaded: BTreeMap::new() }
    }

    /// The model a component asks for; `None` if there is none, and the report says why.
    pub fn load(&mut self, request: &ModelRequest<'_>, report: &mut Report) -> Option<LoadedModel> {
        if let Some(name) = request.model.strip_prefix("native:") {
            return crate::native::load(name, request, report);
        }
        let path = request.base.join(request.model);
        if let Some(known) = self.asked.get(&path) {
            return Some(known.clone());
        }
        let kind = kind(&path, request, report)?;
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let loaded = match self.loaded.get(&real) {
            Some(Some(loaded)) => loaded.clone(),
            Some(None) if report.has_errors() => return None,
            _ => {
                let loaded = self.load_fmu(kind, &real, request, report);
                self.loaded.insert(real, loaded.clone());
                loaded?
            }
        };
        self.asked.insert(path, loaded.clone());
        Some(loaded)
    }

    fn load_fmu(
        &mut self,
        kind: Kind,
        path: &Path,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let (directory, input) = match kind {
            Kind::Archive => cache::unpack(path, request, &self.options.cache, report)?,
            Kind::Folder => (path.to_owned(), input_file::of_folder(path, request, report)?),
        };
        let fmu = Fmu::open(&directory, request.model, request.span, report)?;
        let (mut inputs, mut assumed) = (vec![input], Vec::new());
        let is_exchange = is_exchange_only(&fmu);
        let found = if is_exchange { fmu.exchange_binary() } else { fmu.binary() };
        let binary = match found {
            Ok(binary) => binary,
            Err(LoadError::NoBinary { has_sources: true, .. }) => {
                let compiled = self.compile(&fmu, request, report)?;
                inputs.extend(compiled.sources);
                assumed.extend(compiled.assumed);
                compiled.binary
            }
            Err(error) => {
                report.push(error.diagnostic(request.span));
                return None;
            }
        };
        let file = input_file::of_binary(&binary, &directory, request, report)?;
        let lane = file.sha256.clone();
        inputs.push(file);
        let options = LoadOptions { python_library: self.options.python_library.clone() };
        let loaded = if is_exchange {
            assumed.push(format!("`{}` is integrated by `{}`", request.model, SOLVER.name()));
            ExchangeModel::load(fmu, &binary, lane, &options).map(solved)
        } else {
            FmuModel::load(fmu, &binary, lane, &options).map(|it| Arc::new(it) as Arc<dyn Model>)
        };
        match loaded {
            Ok(model) => Some(LoadedModel { model, inputs, assumed }),
            Err(error) => {
                report.push(error.diagnostic(request.span));
                None
            }
        }
    }

    fn compile(
        &mut self,
        fmu: &Fmu,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<compile::Compiled> {
        let recipe = recipe::read(fmu, request, report)?;
        if self.compiler.is_none() {
            self.compiler = Compiler::find(self.options.compiler.as_deref(), request, report);
        }
        compile::compile(&recipe, self.compiler.as_ref()?, &self.options.cache, request, report)
    }
}

/// The solver of FMUs that bring none along.
const SOLVER: SolverKind = SolverKind::Bdf;

fn solved(model: ExchangeModel) -> Arc<dyn Model> {
    Arc::new(SolvedModel::new(Arc::new(model), SOLVER))
}

/// An FMU that has its own solver is used with it.
fn is_exchange_only(fmu: &Fmu) -> bool {
    let description = fmu.description();
    description.co_simulation.is_none() && description.model_exchange.is_some()
}

/// How an FMU is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Archive,
    Folder,
}

/// What is at `path`; `None`, with a diagnostic, if that is no FMU.
fn kind(path: &Path, request: &ModelRequest<'_>, report: &mut Report) -> Option<Kind> {
    let model = request.model;
    let tell = |code: &'static str, what: &str, help: String| {
        let message = format!("the model `{model}`{} {what}", request.of_component());
        Diagnostic::error(code, message).maybe_at(request.span, "asked for here").help(help)
    };
    let is_fmu = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fmu"));
    let diagnostic = match fs::metadata(path) {
        Ok(data) if data.is_dir() && path.join("modelDescription.xml").is_file() => {
            return Some(Kind::Folder);
        }
        Ok(data) if data.is_file() && is_fmu => return Some(Kind::Archive),
        Ok(data) if data.is_dir() => {
            let help = "an FMU folder has `modelDescription.xml` in it";
            let system = if request.is_in_system() { "" } else { ", a system's has `system.toml`" };
            tell("model::unknown-kind", "is a folder but no FMU", format!("{help}{system}"))
        }
        Ok(_) if path.file_name().is_some_and(|name| name == "modelDescription.xml") => {
            let help = "name the folder instead of the file in it";
            tell("model::unknown-kind", "is a part of an FMU", help.to_owned())
        }
        Ok(_) => {
            let help = "a model is a `.fmu` file, an FMU folder, or `native:NAME`";
            tell("model::unknown-kind", "is of a kind Consort does not know", help.to_owned())
        }
        Err(_) => match model.split_once(':') {
            Some((scheme, rest)) if !scheme.contains('/') => {
                let help = format!("the only prefix is `native:`; did you mean `native:{rest}`?");
                tell("model::unknown-kind", "has an unknown prefix", help)
            }
            _ => tell("model::missing-file", "is not there", nearby::help(request, model)),
        },
    };
    report.push(diagnostic);
    None
}
