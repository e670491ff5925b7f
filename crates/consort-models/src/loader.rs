//! From what a component's `model = "..."` says to a model.

mod apart;
mod binary;
mod build;
mod compile;
mod compiler;
mod foreign;
mod isolation;
mod judged;
mod kind;
mod program;
mod solving;
mod sources;
mod tried;

pub use crate::files::cache::default_cache_dir;
pub use crate::files::input_file::{InputFile, InputFileRole};
pub use crate::loaded::LoadedModel;
pub use apart::serve;
pub use consort_host::{HostOptions, ProcessLimits};
pub(crate) use sources::supplied as supplied_sources;

use crate::continuous::SolvedModel;
use crate::equations::Form;
use crate::fidelity::{CheckOptions, Given, OnTrial, Subject};
use crate::files::{cache, input_file};
use crate::foreign::ForeignChannel;
use crate::request::ModelRequest;
use crate::ssp::Nested;
use apart::Recipe;
use compiler::Compiler;
use consort_core::{
    ContinuousModel, Diagnostic, Fidelity, Interface, Model, ModelDescription, Provider, Report,
    SolverSettings,
};
use consort_fmi::fmu::{ExchangeModel, Fmu, FmuModel, LoadError, LoadOptions};
use isolation::{Measured, Place, Wanted};
use judged::Judged;
use kind::{Kind, Stored, kind};
use solving::Key;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tried::Tried;

/// What an FMU says about itself, for one that cannot be loaded.
#[derive(Clone, Debug)]
pub struct Described {
    /// What it would be.
    pub description: ModelDescription,
    /// The platforms that it has binaries for.
    pub platforms: Vec<String>,
    /// Sources could be compiled.
    pub has_sources: bool,
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
    /// How processes are started for FMUs that live in one of their own; without it none can.
    pub host: Option<HostOptions>,
    /// States will be saved: every FMU is saved by the best provider that was found to be faithful, in a
    /// process of its own if need be.
    pub saving: bool,
    /// They will be restored in other processes: providers whose bytes are of no use there come last.
    pub portable: bool,
    /// Who may save states, best first.
    pub providers: Vec<Provider>,
    /// How long it may take to find out about one of them, instead of what follows from a run of the model.
    pub budget: Option<Duration>,
    /// How long a program of the user's own may take to answer; without it as long as it likes, so that one
    /// can look at it in a debugger.
    pub call_limit: Option<Duration>,
}

impl LoaderOptions {
    /// Everything in one folder, nothing else asked for.
    pub fn new(cache: PathBuf) -> Self {
        let providers = Provider::ALL.map(|(provider, _)| provider).into();
        let (python_library, compiler) = (None, None);
        LoaderOptions {
            cache,
            python_library,
            compiler,
            host: None,
            saving: false,
            portable: false,
            providers,
            budget: None,
            call_limit: None,
        }
    }

    /// The same with states saved by these only; an empty list is no limit.
    #[must_use]
    pub fn limited_to(mut self, providers: &[Provider]) -> Self {
        self.providers.retain(|provider| providers.is_empty() || providers.contains(provider));
        self
    }
}

/// Makes models for the components of a system.
///
/// The same FMU, asked for any number of times, is unpacked, compiled and loaded once, also if it is
/// integrated by different solvers. One that could not be loaded is told once per report, however many
/// components ask for it.
pub struct Loader {
    options: LoaderOptions,
    /// Asked from the system at the first source FMU.
    compiler: Option<Compiler>,
    /// By path and solver as asked for, so that thousands of components cost no look at the disk.
    asked: BTreeMap<(PathBuf, Key), LoadedModel>,
    /// FMUs by the path that remains when links are followed.
    opened: Tried<PathBuf, Opened>,
    /// Binaries by that path and the interface.
    located: Tried<(PathBuf, Option<Interface>), Located>,
    /// Models by that path and, for FMUs, the interface.
    bound: Tried<(PathBuf, Option<Interface>), Bound>,
    /// The same of binaries that could be loaded in a process of their own.
    tried_apart: Tried<(PathBuf, Option<Interface>), ()>,
    /// Archives that paths of models lead through.
    nested: Nested,
    /// Programs that are there already, by component.
    channels: BTreeMap<String, ForeignChannel>,
    on_trial: Option<OnTrial>,
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
struct Located {
    fmu: Arc<Fmu>,
    binary: PathBuf,
    lane: String,
    inputs: Vec<InputFile>,
    assumed: Vec<String>,
}

/// A model as it is before anybody integrates it.
#[derive(Clone)]
struct Bound {
    model: Inner,
    inputs: Vec<InputFile>,
    assumed: Vec<String>,
}

#[derive(Clone)]
enum Inner {
    /// It needs nobody.
    Whole(Arc<dyn Model>),
    /// It is given by its equations; with the solvers that were asked for so far.
    Equations(Arc<dyn ContinuousModel>, Vec<(SolverSettings, Arc<dyn Model>)>),
}

impl Loader {
    /// A loader that has loaded nothing yet.
    pub fn new(options: LoaderOptions) -> Self {
        Loader {
            nested: Nested::new(&options.cache),
            options,
            compiler: None,
            asked: BTreeMap::new(),
            opened: Tried::default(),
            located: Tried::default(),
            bound: Tried::default(),
            tried_apart: Tried::default(),
            channels: BTreeMap::new(),
            on_trial: None,
        }
    }

    /// Says how far it is wherever it is found out how states are saved, which may take long.
    pub fn show_trials(&mut self, on_trial: OnTrial) {
        self.on_trial = Some(on_trial);
    }

    /// The model a component asks for; `None` if there is none, and the report says why.
    pub fn load(&mut self, request: &ModelRequest<'_>, report: &mut Report) -> Option<LoadedModel> {
        if let Some(name) = request.model.strip_prefix("native:") {
            solving::check_native(request, report);
            isolation::check_own_code(request, report);
            return crate::native::load(name, request, report);
        }
        if let Some(file) = request.model.strip_prefix("foreign:") {
            return self.load_foreign(file, request, report);
        }
        let path = self.nested.located(&request.base.join(request.model), report)?;
        let asked = (path, Key::of(request, self.options.saving));
        if let Some(known) = self.asked.get(&asked) {
            return Some(known.clone());
        }
        let kind = kind(&asked.0, request, report)?;
        let real = asked.0.canonicalize().unwrap_or_else(|_| asked.0.clone());
        let before = report.error_count();
        let loaded = self.load_kind(kind, real, request, report)?;
        // Who asks for what cannot be is told so each time.
        if report.error_count() == before {
            self.asked.insert(asked, loaded.clone());
        }
        Some(loaded)
    }

    /// What an FMU says about itself, whether it can be loaded or not; `None` for what is no FMU or says
    /// nothing that can be understood.
    pub fn describe(&mut self, request: &ModelRequest<'_>) -> Option<Described> {
        let mut report = Report::default();
        let path = request.base.join(request.model);
        let Kind::Fmu(stored) = kind(&path, request, &mut report)? else { return None };
        let real = path.canonicalize().unwrap_or(path);
        let fmu = self.open(stored, &real, request, &mut report)?.fmu;
        let interface = solving::interface(&fmu, request, &mut report);
        let is_exchange = is_exchange(Some(interface));
        let settings = is_exchange.then(|| solver(request, &mut report, &mut Vec::new()));
        Some(Described {
            description: apart::describe(&fmu, settings.as_ref()),
            platforms: fmu.platforms(),
            has_sources: fmu.has_sources(),
        })
    }

    fn load_kind(
        &mut self,
        kind: Kind,
        real: PathBuf,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let (interface, wanted) = match kind {
            Kind::Equations(_) => {
                solving::check_equations(request, report);
                isolation::check_own_code(request, report);
                (None, Wanted::Here)
            }
            Kind::Fmu(stored) => {
                let fmu = self.open(stored, &real, request, report)?.fmu;
                let interface = solving::interface(&fmu, request, report);
                (Some(interface), isolation::wanted(request, &self.options, report))
            }
        };
        let key = (real, interface);
        match (kind, wanted) {
            (Kind::Fmu(stored), Wanted::Apart(_) | Wanted::Measured { .. }) => {
                self.load_placed(stored, &key, wanted, request, report)
            }
            _ => self.load_here(kind, &key, request, report),
        }
    }

    /// A model in this process.
    fn load_here(
        &mut self,
        kind: Kind,
        key: &(PathBuf, Option<Interface>),
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        if !self.bound.is_settled(key, report) {
            let bound = match kind {
                Kind::Equations(form) => bind_equations(form, &key.0, request, report),
                Kind::Fmu(stored) => self.bind(stored, key, request, report),
            };
            self.bound.insert(key.clone(), bound);
        }
        Some(self.bound.get_mut(key)?.solved(request, report))
    }

    /// An FMU in a process of its own, or here if that is as good.
    fn load_placed(
        &mut self,
        stored: Stored,
        key: &(PathBuf, Option<Interface>),
        wanted: Wanted,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let located = self.locate(stored, key, request, report)?;
        let (mut assumed, is_exchange) = (located.assumed.clone(), is_exchange(key.1));
        let mut told = Report::default();
        let settings = is_exchange.then(|| solver(request, &mut told, &mut assumed));
        let recipe = Recipe::new(&located, self.options.python_library.as_deref(), settings);
        let host = Arc::new(self.options.host.clone()?);
        self.try_apart(key, &recipe, &located.fmu, request, report)?;
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
        let model = match place.apart {
            Some(provider) => {
                // Whoever loads it here tells them again.
                told.diagnostics().iter().for_each(|it| report.push(it.clone()));
                make(provider, place.fidelity)
            }
            None => {
                let here = self.load_here(Kind::Fmu(stored), key, request, report)?.model;
                judged(here, &place)
            }
        };
        if let Some(told) = place.told {
            let alone = "its solver is there with it: it is not integrated as one with others";
            let note = Diagnostic::note("model::state", told);
            let is_alone = is_exchange && place.apart.is_some();
            report.push(if is_alone { note.with_note(alone) } else { note });
        }
        Some(LoadedModel { model, inputs: located.inputs, assumed, saved_by: place.chosen })
    }

    /// Sees whether a binary can be loaded in a process of its own; what cannot be is reported as if it had
    /// been loaded here.
    fn try_apart(
        &mut self,
        key: &(PathBuf, Option<Interface>),
        recipe: &Recipe,
        fmu: &Fmu,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<()> {
        if !self.tried_apart.is_settled(key, report) {
            let host = Arc::new(self.options.host.clone()?);
            let tried = recipe.check(fmu, &host);
            let tried =
                tried.map_err(|error| report.push(error.maybe_at(request.span, "used here")));
            self.tried_apart.insert(key.clone(), tried.ok());
        }
        self.tried_apart.get_mut(key).copied()
    }

    /// The FMU at a path; `None` if it cannot be opened, and the report says why.
    fn open(
        &mut self,
        stored: Stored,
        real: &Path,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Opened> {
        if !self.opened.is_settled(real, report) {
            let opened = open(stored, real, &self.options.cache, request, report);
            self.opened.insert(real.to_owned(), opened);
        }
        self.opened.get_mut(real).cloned()
    }

    /// Finds the binary of an FMU, or compiles it.
    fn locate(
        &mut self,
        stored: Stored,
        key: &(PathBuf, Option<Interface>),
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Located> {
        if !self.located.is_settled(key, report) {
            let located = self.find_binary(stored, key, request, report);
            self.located.insert(key.clone(), located);
        }
        self.located.get_mut(key).cloned()
    }

    fn find_binary(
        &mut self,
        stored: Stored,
        (real, interface): &(PathBuf, Option<Interface>),
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Located> {
        let Opened { fmu, directory, input } = self.open(stored, real, request, report)?;
        let is_exchange = is_exchange(*interface);
        let (mut inputs, mut assumed) = (vec![input], Vec::new());
        let found = if is_exchange { fmu.exchange_binary() } else { fmu.binary() };
        let binary = match found {
            Ok(binary) => binary,
            Err(LoadError::NoBinary { has_sources: true, .. }) => {
                let compiled = self.compile(&fmu, is_exchange, request, report)?;
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
        stored: Stored,
        key: &(PathBuf, Option<Interface>),
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Bound> {
        let Located { fmu, binary, lane, inputs, assumed } =
            self.locate(stored, key, request, report)?;
        let options = LoadOptions { python_library: self.options.python_library.clone() };
        let loaded = match is_exchange(key.1) {
            true => ExchangeModel::load(fmu, &binary, lane, &options)
                .map(|it| Inner::Equations(Arc::new(it), Vec::new())),
            false => {
                FmuModel::load(fmu, &binary, lane, &options).map(|it| Inner::Whole(Arc::new(it)))
            }
        };
        match loaded {
            Ok(model) => Some(Bound { model, inputs, assumed }),
            Err(error) => {
                report.push(error.diagnostic(request.model, request.span));
                None
            }
        }
    }

    fn compile(
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

impl Bound {
    /// The model with the solver that is asked for, if it needs one; the same for the same.
    fn solved(&mut self, request: &ModelRequest<'_>, report: &mut Report) -> LoadedModel {
        let (inputs, mut assumed) = (self.inputs.clone(), self.assumed.clone());
        let model = match &mut self.model {
            Inner::Whole(model) => Arc::clone(model),
            Inner::Equations(model, solved) => {
                let settings = solver(request, report, &mut assumed);
                let known = solved.iter().position(|(known, _)| *known == settings);
                let at = known.unwrap_or_else(|| {
                    let made = SolvedModel::new(Arc::clone(model), settings);
                    solved.push((settings, Arc::new(made)));
                    solved.len() - 1
                });
                Arc::clone(&solved[at].1)
            }
        };
        LoadedModel { model, inputs, assumed, saved_by: None }
    }
}

/// How a model given by its equations is integrated; what nobody asked for is told.
fn solver(
    request: &ModelRequest<'_>,
    report: &mut Report,
    assumed: &mut Vec<String>,
) -> SolverSettings {
    let settings = solving::settings(request, report);
    let asked = &request.solving;
    if asked.solver.is_none() && asked.default_solver.is_none() {
        let (model, solver) = (request.model, settings.kind.name());
        assumed.push(format!("`{model}` is integrated by `{solver}`"));
    }
    settings
}

fn is_exchange(interface: Option<Interface>) -> bool {
    interface == Some(Interface::ModelExchange)
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

fn bind_equations(
    form: Form,
    path: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Bound> {
    let (model, input) = crate::equations::load(form, path, request, report)?;
    let model = Inner::Equations(Arc::new(model), Vec::new());
    Some(Bound { model, inputs: vec![input], assumed: Vec::new() })
}
