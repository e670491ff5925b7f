//! FMUs as a kind of model: opened, compiled if need be, loaded here or in a process of their own.

use super::isolated::{self, Recipe};
use super::isolation::{self, Measured, Place, Wanted};
use super::judged::Judged;
use super::kind::{Loading, ModelClaim, ModelKind};
use super::load_cache::LoadCache;
use super::{Bound, Compiler, Inner, Loader, compile, solver, solving, sources};
use crate::fidelity::{CheckOptions, Given, Subject};
use crate::files::input_file::InputFile;
use crate::files::{cache, input_file};
use crate::loaded::LoadedModel;
use crate::request::ModelRequest;
use consort_core::{Fidelity, Interface, Model, ModelDescription, Provider, Report};
use consort_fmi::fmu::{ExchangeModel, Fmu, FmuModel, LoadError, LoadOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Archives and folders of the standard.
pub(super) struct FmuKind;

impl ModelKind for FmuKind {
    fn references(&self) -> &'static str {
        "a `.fmu` file, an FMU folder"
    }

    fn claim(&self, path: &Path, request: &ModelRequest<'_>) -> ModelClaim {
        if Stored::at(path).is_some() {
            return ModelClaim::Yes;
        }
        if path.is_dir() {
            let help = "an FMU folder has `modelDescription.xml` in it";
            let system = if request.is_in_system() { "" } else { ", a system's has `system.toml`" };
            return ModelClaim::Almost {
                what: "is a folder but no FMU",
                help: format!("{help}{system}"),
            };
        }
        if path.is_file() && path.file_name().is_some_and(|name| name == "modelDescription.xml") {
            let help = "name the folder instead of the file in it".to_owned();
            return ModelClaim::Almost { what: "is a part of an FMU", help };
        }
        ModelClaim::No
    }

    fn load(&self, loading: Loading<'_, '_>) -> Option<LoadedModel> {
        let Loading { request, path, real, loader, report, .. } = loading;
        let stored = Stored::at(path)?;
        let fmu = loader.open(stored, real, request, report)?.fmu;
        let interface = solving::interface(&fmu, request, report);
        let wanted = isolation::wanted(request, &loader.options, report);
        let key = FmuKey { path: real.to_owned(), stored, interface };
        match wanted {
            Wanted::Here => loader.load_here(&key, request, report),
            Wanted::Isolated(_) | Wanted::Measured { .. } => {
                loader.load_placed(&key, wanted, request, report)
            }
        }
    }
}

/// How an FMU is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stored {
    Archive,
    Folder,
}

impl Stored {
    /// How the FMU at a path is stored; `None` if there is none.
    fn at(path: &Path) -> Option<Self> {
        let is_fmu = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fmu"));
        match path.is_dir() {
            true => path.join("modelDescription.xml").is_file().then_some(Stored::Folder),
            false => (path.is_file() && is_fmu).then_some(Stored::Archive),
        }
    }
}

/// An FMU and the interface by which it is used.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct FmuKey {
    /// The path, with symbolic links resolved.
    path: PathBuf,
    stored: Stored,
    interface: Interface,
}

impl FmuKey {
    fn is_exchange(&self) -> bool {
        self.interface == Interface::ModelExchange
    }
}

/// FMUs that were tried before.
#[derive(Default)]
pub(super) struct FmuCaches {
    /// By the path that remains when links are followed.
    opened: LoadCache<PathBuf, Opened>,
    /// The binaries that were found or built.
    located: LoadCache<FmuKey, Located>,
    /// Binaries that could be loaded in a process of their own.
    isolated: LoadCache<FmuKey, ()>,
}

/// An FMU whose binary is not loaded yet.
#[derive(Clone)]
struct Opened {
    fmu: Arc<Fmu>,
    directory: PathBuf,
    input: InputFile,
}

/// An FMU whose binary was found or compiled, and is not loaded.
#[derive(Clone)]
pub(super) struct Located {
    pub(super) fmu: Arc<Fmu>,
    pub(super) binary: PathBuf,
    lane: String,
    inputs: Vec<InputFile>,
    assumed: Vec<String>,
}

/// What an FMU says about itself, for one that cannot be loaded.
#[derive(Clone, Debug)]
pub struct Described {
    /// The description of the model.
    pub description: ModelDescription,
    /// The platforms that it has binaries for.
    pub platforms: Vec<String>,
    /// Sources could be compiled.
    pub has_sources: bool,
}

impl Loader {
    /// What an FMU says about itself, whether it can be loaded or not; `None` for what is no FMU or says
    /// nothing that can be understood.
    pub fn describe(&mut self, request: &ModelRequest<'_>) -> Option<Described> {
        let mut report = Report::default();
        let path = request.base.join(request.model);
        let stored = Stored::at(&path)?;
        let real = path.canonicalize().unwrap_or(path);
        let fmu = self.open(stored, &real, request, &mut report)?.fmu;
        let interface = solving::interface(&fmu, request, &mut report);
        let is_exchange = interface == Interface::ModelExchange;
        let settings = is_exchange.then(|| solver(request, &mut report, &mut Vec::new()));
        Some(Described {
            description: isolated::describe(&fmu, settings.as_ref()),
            platforms: fmu.platforms(),
            has_sources: fmu.has_sources(),
        })
    }

    /// An FMU in this process.
    fn load_here(
        &mut self,
        key: &FmuKey,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let bound = (key.path.clone(), Some(key.interface));
        let make = |loader: &mut Loader, report: &mut _| loader.bind(key, request, report);
        let made = self.settled(|it| &mut it.bound, &bound, report, make)?;
        Some(made.solved(request, report))
    }

    /// An FMU in a process of its own, or here if that is as good.
    fn load_placed(
        &mut self,
        key: &FmuKey,
        wanted: Wanted,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let located = self.locate(key, request, report)?;
        let (mut assumed, is_exchange) = (located.assumed.clone(), key.is_exchange());
        let mut solver_report = Report::default();
        let settings = is_exchange.then(|| solver(request, &mut solver_report, &mut assumed));
        let recipe = Recipe::new(&located, self.options.python_library.as_deref(), settings);
        let host = Arc::new(self.options.host.clone()?);
        self.check_isolated(key, &recipe, &located.fmu, request, report)?;
        let make = |provider, fidelity| recipe.isolated(&located.fmu, &host, provider, fidelity);
        let unjudged = |provider| Ok(make(provider, Fidelity::Exact));
        let described = make(Provider::Native, Fidelity::Exact);
        let described = described.description();
        let given = Given::new(described, request.parameters, request.setup);
        let subject = Subject::new(&located.inputs, described, given);
        let check = CheckOptions {
            conditions: request.conditions,
            budget: self.options.budget,
            ..CheckOptions::default()
        };
        let measured = Measured { subject: &subject, check, on_trial: self.on_trial.clone() };
        let place = isolation::place(wanted, &located, measured, &self.options, &unjudged);
        if let Some(undecided) = place.undecided(request) {
            report.push(undecided);
            return None;
        }
        let model = match place.isolated {
            Some(provider) => {
                // Loading it here would report them again.
                solver_report.diagnostics().iter().for_each(|it| report.push(it.clone()));
                make(provider, place.fidelity)
            }
            None => judged(self.load_here(key, request, report)?.model, &place),
        };
        if let Some(note) = place.note(is_exchange) {
            report.push(note);
        }
        Some(LoadedModel { model, inputs: located.inputs, assumed, saved_by: place.chosen })
    }

    /// Sees whether a binary can be loaded in a process of its own; what cannot be is reported as if it had
    /// been loaded here.
    fn check_isolated(
        &mut self,
        key: &FmuKey,
        recipe: &Recipe,
        fmu: &Fmu,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<()> {
        let make = |loader: &mut Loader, report: &mut Report| {
            let host = Arc::new(loader.options.host.clone()?);
            let tried = recipe.check(fmu, &host);
            tried.map_err(|error| report.push(error.maybe_at(request.span, "used here"))).ok()
        };
        self.settled(|it| &mut it.fmus.isolated, key, report, make).copied()
    }

    /// The FMU at a path; `None` if it cannot be opened, and the report says why.
    fn open(
        &mut self,
        stored: Stored,
        real: &Path,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Opened> {
        let make = |loader: &mut Loader, report: &mut _| {
            open(stored, real, &loader.options.cache, request, report)
        };
        self.settled(|it| &mut it.fmus.opened, &real.to_owned(), report, make).cloned()
    }

    /// Finds the binary of an FMU, or compiles it.
    fn locate(
        &mut self,
        key: &FmuKey,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Located> {
        let make = |loader: &mut Loader, report: &mut _| loader.find_binary(key, request, report);
        self.settled(|it| &mut it.fmus.located, key, report, make).cloned()
    }

    fn find_binary(
        &mut self,
        key: &FmuKey,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Located> {
        let Opened { fmu, directory, input } = self.open(key.stored, &key.path, request, report)?;
        let (mut inputs, mut assumed) = (vec![input], Vec::new());
        let found = if key.is_exchange() { fmu.exchange_binary() } else { fmu.binary() };
        let binary = match found {
            Ok(binary) => binary,
            Err(LoadError::NoBinary { has_sources: true, .. }) => {
                let compiled = self.compile(&fmu, key.is_exchange(), request, report)?;
                inputs.extend(compiled.sources);
                assumed.extend(compiled.assumed);
                compiled.binary
            }
            Err(error) => {
                report.push(error.diagnostic(request.model, request.span));
                return None;
            }
        };
        let file = input_file::of_binary(&binary, &directory, request, report)?;
        let lane = file.sha256.clone();
        inputs.push(file);
        Some(Located { fmu, binary, lane, inputs, assumed })
    }

    /// Loads the binary of an FMU.
    fn bind(
        &mut self,
        key: &FmuKey,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Bound> {
        let Located { fmu, binary, lane, inputs, assumed } = self.locate(key, request, report)?;
        let options = LoadOptions { python_library: self.options.python_library.clone() };
        let loaded = match key.is_exchange() {
            true => ExchangeModel::load(fmu, &binary, lane, &options)
                .map(|it| Inner::Equations(Arc::new(it), Vec::new())),
            false => {
                FmuModel::load(fmu, &binary, lane, &options).map(|it| Inner::Whole(Arc::new(it)))
            }
        };
        let model = loaded
            .map_err(|error| report.push(error.diagnostic(request.model, request.span)))
            .ok()?;
        Some(Bound { model, inputs, assumed })
    }

    /// Compiles the sources of an FMU.
    pub(super) fn compile(
        &mut self,
        fmu: &Fmu,
        is_exchange: bool,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<compile::Compiled> {
        let sources = sources::read(fmu, is_exchange, request, report)?;
        if self.compiler.is_none() {
            self.compiler = Compiler::find(self.options.compiler.as_deref(), request, report);
        }
        compile::compile(&sources, self.compiler.as_ref()?, &self.options.cache, request, report)
    }
}

/// The model with a verdict that is worse than what it says of itself.
fn judged(model: Arc<dyn Model>, place: &Place) -> Arc<dyn Model> {
    match model.description().capabilities.fidelity <= place.fidelity && place.has_bytes {
        true => model,
        false => Arc::new(Judged::new(model, place)),
    }
}

fn open(
    stored: Stored,
    path: &Path,
    cache: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Opened> {
    let (directory, input) = match stored {
        Stored::Archive => cache::unpack(path, request, cache, report)?,
        Stored::Folder => (path.to_owned(), input_file::of_folder(path, request, report)?),
    };
    let fmu = Fmu::open(&directory, request.model, request.span, report)?;
    Some(Opened { fmu, directory, input })
}
