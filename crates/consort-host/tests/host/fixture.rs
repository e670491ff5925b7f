//! Test FMUs here and in workers.

use super::entry::ARGUMENT;
use consort_core::{
    Diagnostic, Instance, Instantiation, LogEntry, LogSink, Model, Prng, Provider, Reference,
    Report, Resolution, Setup, Step, Tag, Time, Values, ValuesMut, ValuesRef,
};
use consort_fmi::fmu::{Fmu, FmuModel, LoadOptions};
use consort_host::{HostOptions, IsolatedInstance, IsolatedModel, ProcessLimits};
use consort_testkit::fmus::{BuildOptions, Fmi, build};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One tenth of a second.
pub(crate) const STEP: i64 = 100_000_000;

pub(crate) const SETUP: Setup =
    Setup { resolution: Resolution::NANOSECOND, start: Time::ZERO, stop: None, tolerance: None };

/// Collects what instances say.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<LogEntry>>>);

impl Log {
    pub(crate) fn sink(&self) -> LogSink {
        let entries = Arc::clone(&self.0);
        Arc::new(move |entry| entries.lock().unwrap().push(entry.clone()))
    }

    /// Category and message of each line.
    pub(crate) fn lines(&self) -> Vec<String> {
        let entries = self.0.lock().unwrap();
        entries.iter().map(|entry| format!("[{}] {}", entry.category, entry.message)).collect()
    }
}

/// The assignment of workers: the folder of the FMU.
pub(crate) fn load_recipe(recipe: &[u8]) -> Result<Arc<dyn Model>, Box<Diagnostic>> {
    let folder = std::str::from_utf8(recipe).expect("paths of tests are UTF-8");
    let fmu = Fmu::open(Path::new(folder), "test.fmu", None, &mut Report::default());
    let fmu = fmu.expect("the FMU can be opened");
    let load = |binary: std::path::PathBuf| {
        FmuModel::load(Arc::clone(&fmu), &binary, "lane".to_owned(), &LoadOptions::default())
    };
    let loaded = fmu.binary().and_then(load);
    match loaded {
        Ok(model) => Ok(Arc::new(model)),
        Err(error) => Err(Box::new(error.diagnostic("test.fmu", None))),
    }
}

pub(crate) fn host() -> HostOptions {
    HostOptions {
        program: std::env::current_exe().unwrap(),
        arguments: vec![ARGUMENT.to_str().unwrap().into()],
        limits: ProcessLimits { silence: Duration::from_secs(10), ..ProcessLimits::default() },
        scratch: Path::new(env!("CARGO_TARGET_TMPDIR")).join("workers"),
    }
}

/// The model here, in this process.
pub(crate) fn here(name: &str, fmi: Fmi) -> Arc<dyn Model> {
    let folder = build(name, fmi, &BuildOptions::binary());
    load_recipe(folder.to_str().unwrap().as_bytes()).unwrap()
}

/// The model in processes of their own, and what it is here.
pub(crate) fn isolated(name: &str, fmi: Fmi) -> IsolatedModel {
    isolated_by(name, fmi, host())
}

pub(crate) fn isolated_by(name: &str, fmi: Fmi, host: HostOptions) -> IsolatedModel {
    let folder = build(name, fmi, &BuildOptions::binary());
    let mut report = Report::default();
    let fmu = Fmu::open(&folder, "test.fmu", None, &mut report).unwrap();
    let recipe = folder.to_str().unwrap().as_bytes().to_vec();
    let description = fmu.description().model.clone();
    IsolatedModel::new(description, recipe, Arc::new(host), Provider::Native)
}

pub(crate) fn instantiation(log: &Log) -> Instantiation<'static> {
    Instantiation { log: log.sink(), ..Instantiation::quiet("tank.probe", Prng::new(0)) }
}

/// An instance in its process, not initialized.
pub(crate) fn start(model: &IsolatedModel, log: &Log) -> IsolatedInstance {
    model.start(&instantiation(log)).unwrap()
}

pub(crate) fn initialize(instance: &mut dyn Instance) {
    instance.enter_initialization(&SETUP).unwrap();
    instance.exit_initialization().unwrap();
}

pub(crate) fn step(index: i64) -> Step {
    let (from, to) = (Time::from_ticks(index * STEP), Time::from_ticks((index + 1) * STEP));
    let start = SETUP.resolution.to_f64(from);
    Step { from: Tag::at(from), to, start, length: 0.1 }
}

pub(crate) fn set(instance: &mut dyn Instance, reference: u32, value: f64) {
    instance.set(&[Reference(reference)], ValuesRef::Float64(&[value])).unwrap();
}

pub(crate) fn get(instance: &mut dyn Instance, reference: u32) -> f64 {
    let mut value = [0.0];
    instance.get(&[Reference(reference)], ValuesMut::Float64(&mut value)).unwrap();
    value[0]
}

pub(crate) fn set_whole(instance: &mut dyn Instance, reference: u32, value: i32) {
    instance.set(&[Reference(reference)], Values::Int32(vec![value]).view()).unwrap();
}
