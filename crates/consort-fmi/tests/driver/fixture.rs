//! Compiles the probes and stands in for their model descriptions.

use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, Instance, Instantiation, LogEntry, LogSink, Model, ModelDescription,
    ModelStructure, Prng, Reference, Refresh, Resolution, Setup, Step, Tag, Time, ValueType,
    Values, Variable,
};
use consort_fmi::description::{CoSimulation, FmiVersion, FmuDescription};
use consort_fmi::fmu::{Fmu, FmuModel, LoadError, LoadOptions, platform};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// An FMU folder with a freshly compiled probe in it.
pub(crate) struct Probe {
    pub(crate) version: FmiVersion,
    pub(crate) token: String,
    pub(crate) directory: tempfile::TempDir,
}

impl Probe {
    pub(crate) fn compile(version: FmiVersion, flags: &[&str]) -> Probe {
        let probe = Probe::empty(version);
        probe.compile_as("probe.so", flags);
        probe
    }

    /// A folder without a binary.
    pub(crate) fn empty(version: FmiVersion) -> Probe {
        let directory = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir_all(directory.path().join("binaries").join(platform(version))).unwrap();
        Probe { version, token: "token".to_owned(), directory }
    }

    /// Puts a probe compiled with `flags` into the platform's folder.
    pub(crate) fn compile_as(&self, file: &str, flags: &[&str]) -> PathBuf {
        let folder = self.directory.path().join("binaries").join(platform(self.version));
        let binary = folder.join(file);
        fs::copy(compiled(self.version, flags), &binary).expect("the probe can be copied");
        binary
    }

    pub(crate) fn fmu(&self) -> Fmu {
        let description = description(self.version, &self.token);
        Fmu::from_parts(self.directory.path(), "probe.fmu", description, None)
    }

    pub(crate) fn try_load(&self) -> Result<FmuModel, LoadError> {
        let fmu = Arc::new(self.fmu());
        let binary = fmu.binary()?;
        FmuModel::load(fmu, &binary, "lane".to_owned(), &LoadOptions::default())
    }

    pub(crate) fn load(&self) -> FmuModel {
        self.try_load().unwrap_or_else(|error| panic!("the probe loads: {error}"))
    }
}

/// The probe compiled with these flags: once per test program, because compiling is slow.
fn compiled(version: FmiVersion, flags: &[&str]) -> PathBuf {
    static COMPILED: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let source = match version {
        FmiVersion::V2 => "probe2.c",
        FmiVersion::V3 => "probe3.c",
    };
    let mut compiled = COMPILED.lock().unwrap();
    let count = compiled.len();
    let key = format!("{source} {}", flags.join(" "));
    let entry = compiled.entry(key).or_insert_with(|| {
        let name = format!("{}-{count}.so", env!("CARGO_CRATE_NAME"));
        let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        compile(source, flags, &binary);
        binary
    });
    entry.clone()
}

fn compile(source: &str, flags: &[&str], binary: &Path) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"])
        .arg(binary)
        .arg(fixtures.join(source))
        .args(flags)
        .status()
        .expect("a C compiler is installed");
    assert!(status.success(), "{source} compiles");
}

pub(crate) fn description(version: FmiVersion, token: &str) -> FmuDescription {
    let event_mode = version == FmiVersion::V3;
    FmuDescription {
        version,
        token: token.to_owned(),
        co_simulation: Some(CoSimulation {
            model_identifier: "probe".to_owned(),
            needs_execution_tool: false,
            source_files: Vec::new(),
            fixed_internal_step: None,
            output_derivatives_max: 0,
        }),
        model_exchange: None,
        log_categories: Vec::new(),
        model: ModelDescription {
            name: "probe".to_owned(),
            kind: "test".to_owned(),
            variables: vec![
                Variable::scalar("u", Reference(0), Causality::Input),
                Variable::scalar("y", Reference(1), Causality::Output),
                Variable {
                    value_type: ValueType::Int32,
                    ..Variable::scalar("order", Reference(100), Causality::Parameter)
                },
            ],
            structure: ModelStructure::default(),
            units: Vec::new(),
            enumerations: Vec::new(),
            capabilities: Capabilities {
                refresh: Refresh::ByStep,
                event_mode,
                early_return: event_mode,
                intermediate_update: event_mode,
                directional_derivatives: true,
                input_derivatives_max: 1,
                ..Capabilities::native()
            },
            default_experiment: DefaultExperiment::default(),
            facts: Vec::new(),
        },
    }
}

/// Collects what instances say.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<LogEntry>>>);

impl Log {
    pub(crate) fn sink(&self) -> LogSink {
        let entries = Arc::clone(&self.0);
        Arc::new(move |entry| entries.lock().unwrap().push(entry.clone()))
    }

    pub(crate) fn entries(&self) -> Vec<LogEntry> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn messages(&self) -> Vec<String> {
        self.entries().into_iter().map(|entry| entry.message).collect()
    }

    /// How often the log says exactly this.
    pub(crate) fn count(&self, message: &str) -> usize {
        self.messages().iter().filter(|said| *said == message).count()
    }
}

pub(crate) fn instantiation(log: &Log, verbose: bool) -> Instantiation<'static> {
    Instantiation {
        name: "tank.probe",
        prng: Prng::new(0),
        log: log.sink(),
        verbose,
        event_mode: false,
        early_return: false,
        elsewhere: false,
    }
}

pub(crate) fn instantiate(model: &FmuModel, log: &Log) -> Box<dyn Instance> {
    model.instantiate(&instantiation(log, false)).expect("the probe instantiates")
}

pub(crate) const SETUP: Setup = Setup {
    resolution: Resolution::NANOSECOND,
    start: Time::from_ticks(-1_000_000_000),
    stop: Some(Time::from_ticks(5_000_000_000)),
    tolerance: Some(1e-4),
};

/// An instance that is ready to step.
pub(crate) fn ready(model: &FmuModel, log: &Log) -> Box<dyn Instance> {
    let mut instance = instantiate(model, log);
    initialize(&mut *instance);
    instance
}

pub(crate) fn initialize(instance: &mut dyn Instance) {
    instance.enter_initialization(&SETUP).unwrap();
    instance.exit_initialization().unwrap();
}

/// A step of `ticks` nanoseconds from zero.
pub(crate) fn step(ticks: i64) -> Step {
    step_from(0, ticks)
}

pub(crate) fn step_from(from: i64, ticks: i64) -> Step {
    Step {
        from: Tag::at(Time::from_ticks(from)),
        to: Time::from_ticks(from + ticks),
        start: from as f64 * 1e-9,
        length: ticks as f64 * 1e-9,
    }
}

/// Orders the probe to behave in some way.
pub(crate) fn order(instance: &mut dyn Instance, which: u32, value: i32) {
    instance.set(&[Reference(which)], Values::Int32(vec![value]).view()).unwrap();
}

pub(crate) fn get(instance: &mut dyn Instance, references: &[u32], like: &Values) -> Values {
    let references: Vec<Reference> = references.iter().copied().map(Reference).collect();
    let mut values = Values::zeros(like.value_type(), like.len());
    let count = values.len();
    instance.get(&references, values.slice_mut(0, count)).unwrap();
    values
}

/// Sets and gets back: the same values.
pub(crate) fn check_round_trip(instance: &mut dyn Instance, references: &[u32], values: &Values) {
    let typed: Vec<Reference> = references.iter().copied().map(Reference).collect();
    instance.set(&typed, values.view()).unwrap();
    assert_eq!(get(instance, references, values), *values);
}
