//! Systems: read or built in code, changed, and started.

use crate::calls::{interruptible, lock};
use crate::errors::{Phase, bad_option, raise, shown};
use crate::run::{DrivenRun, RunFacts};
use consort::description::{Connection, Spanned};
use consort::{
    CancelToken, Changes, Error, FormOptions, Prepared, RunSettings, System, SystemBuilder,
};
use pyo3::prelude::*;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A system as it is written, or as it was built so far.
#[pyclass(frozen, name = "System", module = "consort._native")]
pub(crate) struct SystemSource {
    written: Arc<Written>,
}

enum Written {
    Read(Box<Mutex<System>>),
    Built(Box<Mutex<SystemBuilder>>),
}

/// How a system is prepared and a run is carried out.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(default)]
pub(crate) struct StartOptions {
    workers: Option<usize>,
    is_recorded: bool,
    is_saved: bool,
    call_limit: Option<f64>,
    compiler: Option<PathBuf>,
}

impl Written {
    /// Does something with the system, changed.
    fn with<T>(
        &self,
        changes: Changes,
        options: &StartOptions,
        work: impl FnOnce(&System) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut system = match self {
            Written::Read(system) => {
                let mut system = lock(system);
                let form = system.changes_mut().form.clone();
                system.changed(Changes { form, ..changes })
            }
            Written::Built(builder) => lock(builder).clone().finish().changed(changes),
        };
        let loader = &mut system.models_mut().loader;
        (loader.saving, loader.portable) = (options.is_saved, options.is_saved);
        loader.call_limit = options.call_limit.map(Duration::from_secs_f64);
        loader.compiler.clone_from(&options.compiler);
        work(&system)
    }

    fn build(
        &self,
        change: impl FnOnce(SystemBuilder) -> Result<SystemBuilder, Error>,
    ) -> Result<(), Error> {
        match self {
            Written::Read(_) => unreachable!("the package builds only what it began itself"),
            Written::Built(builder) => {
                let mut builder = lock(builder);
                *builder = change(builder.clone())?;
                Ok(())
            }
        }
    }
}

impl SystemSource {
    /// A long call with the system, changed.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        changes: &str,
        options: &str,
        cancel: &Arc<CancelToken>,
        work: impl FnOnce(&System, &StartOptions) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let changes = serde_json::from_str(changes).map_err(|error| bad_option(&error))?;
        let options: StartOptions =
            serde_json::from_str(options).map_err(|error| bad_option(&error))?;
        let written = Arc::clone(&self.written);
        let called = interruptible(py, cancel, move || {
            written.with(changes, &options, |system| work(system, &options))
        });
        called?.map_err(|error| raise(py, Phase::Load, error))
    }

    /// A run of the system, begun.
    fn begun(
        &self,
        py: Python<'_>,
        changes: &str,
        options: &str,
        begin: impl FnOnce(&Prepared, RunSettings) -> Result<consort::Run, Error> + Send + 'static,
    ) -> PyResult<DrivenRun> {
        let cancel = Arc::<CancelToken>::default();
        let own = Arc::clone(&cancel);
        let begun = self.call(py, changes, options, &cancel, move |system, options| {
            let prepared = system.prepare()?;
            let settings = RunSettings {
                workers: options.workers.unwrap_or(1),
                is_recorded: options.is_recorded,
                cancel: Arc::clone(&own),
                ..RunSettings::default()
            };
            // What is wrong from here on is wrong with the run, not with the system.
            Ok(begin(&prepared, settings).map(|run| DrivenRun::new(run, own, facts(&prepared))))
        })?;
        begun.map_err(|error| raise(py, Phase::Run, error))
    }
}

fn facts(prepared: &Prepared) -> RunFacts {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let resolution = prepared.resolved().experiment.resolution;
    RunFacts {
        system: COUNT.fetch_add(1, Ordering::Relaxed),
        name: prepared.resolved().name.clone(),
        period: prepared.shortest_period().map(|period| resolution.to_f64(period)),
        is_local: !prepared.has_processes(),
        plot: prepared.source.plot.clone(),
        signals: prepared.signals(),
    }
}

#[pymethods]
impl SystemSource {
    /// Reads the system at a path.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        variant: Option<String>,
        with: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let form = FormOptions { variant, with };
        let read = interruptible(py, &Arc::default(), move || System::load_form(path, form))?;
        let system = read.map_err(|error| raise(py, Phase::Load, error))?;
        Ok(SystemSource { written: Arc::new(Written::Read(Box::new(Mutex::new(system)))) })
    }

    /// Begins a system in code.
    #[staticmethod]
    fn build(name: &str, folder: PathBuf) -> Self {
        let builder = System::build(name, folder);
        SystemSource { written: Arc::new(Written::Built(Box::new(Mutex::new(builder)))) }
    }

    fn add(&self, py: Python<'_>, name: &str, model: &str) -> PyResult<()> {
        let added = self.written.build(|builder| Ok(builder.component(name, model)));
        added.map_err(|error| raise(py, Phase::Load, error))
    }

    fn connect(&self, py: Python<'_>, from: &str, to: &str, is_delayed: bool) -> PyResult<()> {
        let wire = |text: &str| Spanned::assumed(text.to_owned());
        let mut connection = Connection::new(wire(from), wire(to));
        connection.delay = is_delayed;
        let add =
            |builder: SystemBuilder| Ok(builder.with(|system| system.connections.push(connection)));
        self.written.build(add).map_err(|error| raise(py, Phase::Load, error))
    }

    fn set(&self, py: Python<'_>, variable: &str, value: &str) -> PyResult<()> {
        let set = self.written.build(|builder| builder.set(variable, value));
        set.map_err(|error| raise(py, Phase::Load, error))
    }

    /// What is drawn if nothing is named: patterns.
    fn plot(&self, py: Python<'_>, patterns: Vec<String>) -> PyResult<()> {
        let patterns = patterns.into_iter().map(Spanned::assumed).collect();
        let plot =
            |builder: SystemBuilder| Ok(builder.with(|system| system.experiment.plot = patterns));
        self.written.build(plot).map_err(|error| raise(py, Phase::Load, error))
    }

    /// A system that was built as a file.
    fn to_toml(&self) -> Option<String> {
        match &*self.written {
            Written::Read(_) => None,
            Written::Built(builder) => Some(lock(builder).to_toml()),
        }
    }

    fn name(&self) -> String {
        match &*self.written {
            Written::Read(system) => lock(system).description().name.clone(),
            Written::Built(builder) => lock(builder).clone().finish().description().name.clone(),
        }
    }

    /// The components: names and models.
    fn components(&self) -> Vec<(String, String)> {
        let listed = |system: &System| {
            let components = system.description().components.iter();
            components.map(|it| (it.name.value.clone(), it.model.value.clone())).collect()
        };
        match &*self.written {
            Written::Read(system) => listed(&lock(system)),
            Written::Built(builder) => listed(&lock(builder).clone().finish()),
        }
    }

    /// Loads, plans and checks it, as every run does: warnings and notes, and the plan.
    fn check(&self, py: Python<'_>, changes: &str, options: &str) -> PyResult<(String, String)> {
        self.call(py, changes, options, &Arc::default(), |system, _| {
            let prepared = system.prepare()?;
            Ok((shown(&prepared.report, ""), prepared.plan_text()))
        })
    }

    fn start(&self, py: Python<'_>, changes: &str, options: &str) -> PyResult<DrivenRun> {
        self.begun(py, changes, options, Prepared::start_with)
    }

    fn resume(
        &self,
        py: Python<'_>,
        changes: &str,
        options: &str,
        path: PathBuf,
    ) -> PyResult<DrivenRun> {
        self.begun(py, changes, options, |prepared, settings| prepared.resume_with(path, settings))
    }
}

/// The native blocks: names.
#[pyfunction]
pub(crate) fn blocks() -> Vec<String> {
    let loader = consort::ModelOptions::default().loader();
    loader.kinds().blocks().iter().map(|block| block.name.to_owned()).collect()
}

/// The program that serves isolated models, nodes and campaigns, if it is found.
#[pyfunction]
pub(crate) fn program() -> Option<PathBuf> {
    consort::program::find()
}

/// Names the program that was installed with the package.
#[pyfunction]
pub(crate) fn offer_program(path: PathBuf) {
    consort::program::offer(path);
}
