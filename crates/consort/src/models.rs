//! How models are made, and which program serves those that live in processes of their own.

use crate::request::{Changes, named};
use consort_core::Provider;
use consort_models::fidelity::OnTrial;
use consort_models::loader::{
    HostOptions, Loader, LoaderOptions, ModelKinds, ProcessLimits, default_cache_dir,
};
use consort_models::native::Block;
use consort_process::program;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

/// Native blocks beside those of `consort-models`: one line for each model pack.
const PACKS: &[&[Block]] = &[consort_aircraft::BLOCKS];

/// How models are made.
pub struct ModelOptions {
    /// Where they are kept, how they are compiled, isolated and saved.
    pub loader: LoaderOptions,
    /// Called with how far a long check of saved states is.
    pub on_trial: Option<OnTrial>,
    /// A program that has started this one and takes the place of a component.
    pub foreign: Option<ForeignProgram>,
}

/// A program that takes the place of a component.
#[derive(Debug)]
pub struct ForeignProgram {
    /// The name of the component.
    pub component: String,
    /// The way to the program: a connected Unix socket.
    pub channel: OwnedFd,
}

/// How models are made, as data: what node processes and campaign workers are given, so that theirs are the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelSettings {
    cache: PathBuf,
    python_library: Option<PathBuf>,
    compiler: Option<PathBuf>,
    saving: bool,
    portable: bool,
    #[serde(with = "named::list")]
    providers: Vec<Provider>,
    budget: Option<Duration>,
    call_limit: Option<Duration>,
    silence: Option<Duration>,
}

impl ModelOptions {
    /// Models that are cached in a folder; those in processes of their own are served by a program.
    pub fn served_by(cache: PathBuf, program: Option<PathBuf>) -> Self {
        let mut loader = LoaderOptions::new(cache);
        loader.kinds = ModelKinds::with_packs(PACKS);
        let scratch = loader.cache.join("workers");
        let (arguments, limits) = (vec!["host".into()], ProcessLimits::default());
        loader.host = program.map(|program| HostOptions { program, arguments, limits, scratch });
        ModelOptions { loader, on_trial: None, foreign: None }
    }

    /// Models as the settings say, in another process.
    pub fn from_settings(settings: &ModelSettings, program: Option<PathBuf>) -> Self {
        let mut models = Self::served_by(settings.cache.clone(), program);
        let loader = &mut models.loader;
        loader.python_library.clone_from(&settings.python_library);
        loader.compiler.clone_from(&settings.compiler);
        (loader.saving, loader.portable) = (settings.saving, settings.portable);
        loader.providers.clone_from(&settings.providers);
        (loader.budget, loader.call_limit) = (settings.budget, settings.call_limit);
        if let (Some(host), Some(silence)) = (&mut loader.host, settings.silence) {
            host.limits.silence = silence;
        }
        models
    }

    /// The same, as data.
    pub fn settings(&self) -> ModelSettings {
        self.settings_for(&Changes::default())
    }

    /// How the models of a system that is changed are made, as data.
    pub fn settings_for(&self, changes: &Changes) -> ModelSettings {
        let loader = self.loader_options(changes);
        ModelSettings {
            cache: loader.cache,
            python_library: loader.python_library,
            compiler: loader.compiler,
            saving: loader.saving,
            portable: loader.portable,
            providers: loader.providers,
            budget: loader.budget,
            call_limit: loader.call_limit,
            silence: loader.host.map(|host| host.limits.silence),
        }
    }

    /// The same for states that will be saved, and restored in other processes.
    #[must_use]
    pub fn saving(mut self, saves: bool) -> Self {
        (self.loader.saving, self.loader.portable) = (saves, saves);
        self
    }

    /// A loader of models alone.
    pub fn loader(&self) -> Loader {
        self.loader_for(&Changes::default())
    }

    /// A loader of the models of a system that is changed.
    pub fn loader_for(&self, changes: &Changes) -> Loader {
        let mut loader = Loader::new(self.loader_options(changes));
        if let Some(on_trial) = &self.on_trial {
            loader.show_trials(on_trial.clone());
        }
        loader
    }

    fn loader_options(&self, changes: &Changes) -> LoaderOptions {
        let mut options = self.loader.clone().limited_to(&changes.providers);
        options.python_library = changes.python_library.clone().or(options.python_library);
        options
    }

    /// The program that processes are started from: isolated models, nodes, campaign workers.
    pub fn program(&self) -> Option<PathBuf> {
        self.loader.host.as_ref().map(|host| host.program.clone())
    }
}

/// Models in this process, cached where the command line caches them; those that must live in processes of their own are
/// served by the [program](program::find) `consort`.
impl Default for ModelOptions {
    fn default() -> Self {
        Self::served_by(default_cache_dir(), program::find())
    }
}

impl fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelOptions").field("loader", &self.loader).finish_non_exhaustive()
    }
}
