//! What may be asked for besides a system: what is changed of it, and how its models are made.

use crate::program;
use consort_models::fidelity::OnTrial;
use consort_models::loader::{HostOptions, Limits, Loader, LoaderOptions, default_cache_dir};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// What is changed of a system and its experiment without touching its file. Texts are as a user would write them; what
/// is wrong with one is told like a mistake in the system.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Changes {
    /// The time at which it starts, in seconds.
    pub start: Option<String>,
    /// The time at which it stops, in seconds.
    pub stop: Option<String>,
    /// The communication step, in seconds.
    pub step: Option<String>,
    /// The root of all randomness.
    pub seed: Option<u64>,
    /// Values of variables: `component.variable=value`.
    pub set: Vec<String>,
    /// The order of computation: `derived`, `jacobi`, `gauss-seidel`.
    pub order: Option<String>,
    /// How connected components that are given by equations are integrated: `together`, `apart`.
    pub continuous: Option<String>,
    /// What becomes of algebraic loops: `error`, `iterate`.
    pub loops: Option<String>,
    /// What a value that diverges does.
    pub on_divergence: Option<String>,
    /// Connections that are delayed by a step: `from -> to`.
    pub delay: Vec<String>,
    /// The solver of what is given by equations.
    pub solver: Option<String>,
    /// The relative tolerance of solvers.
    pub tolerance: Option<String>,
    /// The step of solvers with a fixed one, in seconds.
    pub solver_step: Option<String>,
    /// A table that feeds unconnected inputs.
    pub input: Option<PathBuf>,
    /// What is recorded besides what the experiment records: patterns.
    pub record: Vec<String>,
    /// Every FMU runs in a process of its own.
    pub isolate: bool,
    /// What else belongs to a system that is no `system.toml`.
    pub form: FormOptions,
}

/// What else belongs to a system that is no `system.toml`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FormOptions {
    /// The `.ssd` of an SSP.
    pub variant: Option<String>,
    /// Files that are added to a multi-model.
    pub with: Vec<PathBuf>,
}

/// How models are made.
pub struct ModelOptions {
    /// Where they are kept, how they are compiled, isolated and saved.
    pub loader: LoaderOptions,
    /// Hears how far a long check of saved states is.
    pub on_trial: Option<OnTrial>,
    /// A program that has started this one and takes the place of a component.
    pub foreign: Option<ForeignProgram>,
}

/// A program that takes the place of a component.
#[derive(Debug)]
pub struct ForeignProgram {
    /// The component.
    pub component: String,
    /// The way to the program: a connected Unix socket.
    pub channel: OwnedFd,
}

impl ModelOptions {
    /// These of the loader, and nothing else.
    pub fn new(loader: LoaderOptions) -> Self {
        ModelOptions { loader, on_trial: None, foreign: None }
    }

    /// A loader of models.
    pub fn loader(&self) -> Loader {
        Loader::new(self.loader.clone())
    }
}

/// Models in this process, cached where the command line caches them; those that must live in processes of their own are
/// served by the [program](program::find) `consort`.
impl Default for ModelOptions {
    fn default() -> Self {
        let mut loader = LoaderOptions::new(default_cache_dir());
        let scratch = loader.cache.join("workers");
        let host = |program| HostOptions {
            program,
            arguments: vec!["host".into()],
            limits: Limits::default(),
            scratch,
        };
        loader.host = program::find().map(host);
        Self::new(loader)
    }
}

impl fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelOptions").field("loader", &self.loader).finish_non_exhaustive()
    }
}
