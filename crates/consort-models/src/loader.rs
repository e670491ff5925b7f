//! Loads the model that a component's `model = "..."` refers to.

mod binary;
mod build;
mod built_in;
mod compile;
mod compiler;
mod fmu;
mod foreign;
mod isolated;
mod isolation;
mod judged;
mod kind;
mod load_cache;
mod program;
mod solving;
mod sources;

pub use crate::files::cache::default_cache_dir;
pub use crate::files::input_file::{InputFile, InputFileRole};
pub use crate::loaded::LoadedModel;
pub use consort_host::{HostOptions, ProcessLimits};
pub use fmu::Described;
pub use isolated::serve;
pub use kind::{
    Loading, ModelClaim, ModelKind, ModelKinds, NoEffect, Objection, ProcessRule, WrittenEquations,
};
pub(crate) use sources::supplied as supplied_sources;

use crate::continuous::SolvedModel;
use crate::fidelity::OnTrial;
use crate::foreign::ForeignChannel;
use crate::request::ModelRequest;
use crate::ssp::Nested;
use compiler::Compiler;
use consort_core::{ContinuousModel, Interface, Model, Provider, Report, SolverSettings};
use fmu::FmuCaches;
use load_cache::LoadCache;
use solving::Key;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where a [`Loader`] keeps and finds things.
#[derive(Clone, Debug)]
pub struct LoaderOptions {
    /// Which kinds of models there are.
    pub kinds: ModelKinds,
    /// Unpacked archives and compiled sources; see [`default_cache_dir`].
    pub cache: PathBuf,
    /// The interpreter's library for FMUs written in Python; without it `python3` is asked.
    pub python_library: Option<PathBuf>,
    /// The C compiler for source FMUs; without it that of `CC`, else `cc` from the search path.
    pub compiler: Option<PathBuf>,
    /// How processes are started for FMUs that live in one of their own; without it none can.
    pub host: Option<HostOptions>,
    /// States will be saved: every FMU is saved by the best provider that was found to be faithful, in a
    /// process of its own if need be.
    pub saving: bool,
    /// They will be restored in other processes: providers whose bytes are of no use there come last.
    pub portable: bool,
    /// The providers that may save states, best first.
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
            kinds: ModelKinds::default(),
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
/// integrated by different solvers. A failure is reported once per report, however many components
/// ask for the model.
pub struct Loader {
    options: LoaderOptions,
    /// Asked from the system at the first source FMU.
    compiler: Option<Compiler>,
    /// By path and solver as asked for, so that thousands of components cost no look at the disk.
    asked: BTreeMap<(PathBuf, Key), LoadedModel>,
    fmus: FmuCaches,
    /// Models by the path that remains when links are followed and, for FMUs, the interface.
    bound: LoadCache<(PathBuf, Option<Interface>), Bound>,
    /// Archives that paths of models lead through.
    nested: Nested,
    /// Programs that are there already, by component.
    channels: BTreeMap<String, ForeignChannel>,
    on_trial: Option<OnTrial>,
}

/// A loaded model, without a solver of ours.
#[derive(Clone)]
struct Bound {
    model: Inner,
    inputs: Vec<InputFile>,
    assumed: Vec<String>,
}

#[derive(Clone)]
enum Inner {
    /// Brings its own solver.
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
            fmus: FmuCaches::default(),
            bound: LoadCache::default(),
            channels: BTreeMap::new(),
            on_trial: None,
        }
    }

    /// Says how far it is wherever it is found out how states are saved, which may take long.
    pub fn show_trials(&mut self, on_trial: OnTrial) {
        self.on_trial = Some(on_trial);
    }

    /// The kinds of models that it knows.
    pub fn kinds(&self) -> &ModelKinds {
        &self.options.kinds
    }

    /// The model a component asks for; `None` if there is none, and the report says why.
    pub fn load(&mut self, request: &ModelRequest<'_>, report: &mut Report) -> Option<LoadedModel> {
        if let Some((kind, name)) = self.options.kinds.prefixed(request.model) {
            kind.no_effect().refuse(request, report);
            let path = request.base.join(name);
            let (path, loader) = (path.as_path(), self);
            return kind.load(Loading { request, name, path, real: path, loader, report });
        }
        let path = self.nested.located(&request.base.join(request.model), report)?;
        let asked = (path, Key::of(request, self.options.saving));
        if let Some(known) = self.asked.get(&asked) {
            return Some(known.clone());
        }
        let (path, name) = (asked.0.as_path(), request.model);
        let kind = self.options.kinds.at(path, request, report)?;
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let before = report.error_count();
        kind.no_effect().refuse(request, report);
        let (real, loader) = (real.as_path(), &mut *self);
        let loaded = kind.load(Loading { request, name, path, real, loader, report })?;
        // A request that cannot be met is refused each time.
        if report.error_count() == before {
            self.asked.insert(asked, loaded.clone());
        }
        Some(loaded)
    }

    /// A model that is given by its equations, with the solver that is asked for. `make` reads it and says of which
    /// files it is made, once for each path.
    pub fn integrated(
        &mut self,
        real: &Path,
        request: &ModelRequest<'_>,
        report: &mut Report,
        make: impl FnOnce(&mut Report) -> Option<(Arc<dyn ContinuousModel>, Vec<InputFile>)>,
    ) -> Option<LoadedModel> {
        let key = (real.to_owned(), None);
        let make = |_: &mut Loader, report: &mut _| {
            let (model, inputs) = make(report)?;
            let model = Inner::Equations(model, Vec::new());
            Some(Bound { model, inputs, assumed: Vec::new() })
        };
        Some(self.settled(|it| &mut it.bound, &key, report, make)?.solved(request, report))
    }

    /// What a cache has for a key, made now unless that was tried before.
    fn settled<'l, K: Ord + Clone + 'l, T>(
        &'l mut self,
        cache: impl Fn(&mut Loader) -> &mut LoadCache<K, T>,
        key: &K,
        report: &mut Report,
        make: impl FnOnce(&mut Loader, &mut Report) -> Option<T>,
    ) -> Option<&'l mut T> {
        if !cache(self).is_settled(key, report) {
            let made = make(self, report);
            cache(self).insert(key.clone(), made);
        }
        cache(self).get_mut(key)
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

/// How a model given by its equations is integrated; a solver that was not asked for is noted.
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
