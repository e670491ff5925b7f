//! What an FMI call costs through `dyn Instance`, against the same calls through bare C pointers.
//!
//! `cargo run --release -p consort-fmi --example overhead`
//!
//! Compiles the FMI 2.0 probe of the tests and prints nanoseconds per set, step and get of one
//! number, alternating between the two ways.

use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Instance, Instantiation, Model, ModelDescription, ModelStructure, Prng,
    Reference, Resolution, Setup, Step, Tag, Time, ValuesMut, ValuesRef,
};
use consort_fmi::description::{CoSimulation, FmiVersion, FmuDescription};
use consort_fmi::fmu::{Fmu, FmuModel, LoadOptions};
use std::error::Error;
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: u32 = 2_000_000;
const REPEATS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let binary = directory.path().join("probe.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/probe2.c");
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(&binary)
        .arg(source)
        .status()?;
    assert!(compiler.success(), "the probe compiles");

    let fmu = Arc::new(Fmu::from_parts(directory.path(), "probe", description(), None));
    let model = FmuModel::load(fmu, &binary, String::new(), &LoadOptions::default())?;
    let mut instance = model.instantiate(&Instantiation {
        name: "probe",
        prng: Prng::new(0),
        log: Arc::new(|_| {}),
        verbose: false,
        event_mode: false,
        early_return: false,
    })?;
    let setup = Setup {
        resolution: Resolution::NANOSECOND,
        start: Time::ZERO,
        stop: None,
        tolerance: None,
    };
    instance.enter_initialization(&setup)?;
    instance.exit_initialization()?;
    let bare = Bare::load(&binary)?;

    let (mut best_driven, mut best_bare) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPEATS {
        best_driven = best_driven.min(time(|| driven_round(&mut *instance)));
        best_bare = best_bare.min(time(|| bare.round()));
    }
    #[expect(clippy::print_stdout, reason = "an example speaks to its user")]
    {
        println!("driven {best_driven:.2} ns, bare {best_bare:.2} ns per set, step and get");
        println!("ratio  {:.2}", best_driven / best_bare);
    }
    Ok(())
}

fn time(mut round: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..ROUNDS).for_each(|_| round());
    start.elapsed().as_nanos() as f64 / f64::from(ROUNDS)
}

#[inline(never)]
fn driven_round(instance: &mut dyn Instance) {
    let step =
        Step { from: Tag::at(Time::ZERO), to: Time::from_ticks(1000), start: 0.0, length: 1e-6 };
    let mut value = [0.0];
    instance.set(&[Reference(0)], ValuesRef::Float64(&[1.0])).expect("setting works");
    instance.step(&step).expect("stepping works");
    instance.get(&[Reference(1)], ValuesMut::Float64(&mut value)).expect("getting works");
    std::hint::black_box(value);
}

type SetReal = unsafe extern "C" fn(*mut c_void, *const u32, usize, *const f64) -> c_int;
type GetReal = unsafe extern "C" fn(*mut c_void, *const u32, usize, *mut f64) -> c_int;
type DoStep = unsafe extern "C" fn(*mut c_void, f64, f64, c_int) -> c_int;
type Instantiate = unsafe extern "C" fn(
    *const c_char,
    c_int,
    *const c_char,
    *const c_char,
    *const Callbacks,
    c_int,
    c_int,
) -> *mut c_void;

#[repr(C)]
struct Callbacks {
    logger: *const c_void,
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: *const c_void,
    step_finished: *const c_void,
    environment: *const c_void,
}

unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
}

struct Bare {
    instance: *mut c_void,
    set: SetReal,
    get: GetReal,
    step: DoStep,
    _callbacks: Box<Callbacks>,
    _library: libloading::Library,
}

impl Bare {
    fn load(binary: &Path) -> Result<Self, Box<dyn Error>> {
        let null = std::ptr::null();
        let callbacks = Box::new(Callbacks {
            logger: null,
            allocate: calloc,
            free: null,
            step_finished: null,
            environment: null,
        });
        // SAFETY: the probe has these functions with these types and logs nothing unasked.
        unsafe {
            let library = libloading::Library::new(binary)?;
            let instantiate = *library.get::<Instantiate>("fmi2Instantiate")?;
            let name = c"bare".as_ptr();
            Ok(Bare {
                instance: instantiate(name, 1, name, name, &raw const *callbacks, 0, 0),
                set: *library.get("fmi2SetReal")?,
                get: *library.get("fmi2GetReal")?,
                step: *library.get("fmi2DoStep")?,
                _callbacks: callbacks,
                _library: library,
            })
        }
    }

    #[inline(never)]
    fn round(&self) {
        let mut value = [0.0];
        // SAFETY: the instance is live and the references are the probe's.
        let statuses = unsafe {
            (self.set)(self.instance, [0].as_ptr(), 1, [1.0].as_ptr())
                | (self.step)(self.instance, 0.0, 1e-6, 1)
                | (self.get)(self.instance, [1].as_ptr(), 1, value.as_mut_ptr())
        };
        assert_eq!(statuses, 0);
        std::hint::black_box(value);
    }
}

fn description() -> FmuDescription {
    FmuDescription {
        version: FmiVersion::V2,
        token: String::new(),
        co_simulation: Some(CoSimulation {
            model_identifier: "probe".to_owned(),
            needs_execution_tool: false,
            source_files: Vec::new(),
            fixed_internal_step: None,
            output_derivatives_max: 0,
        }),
        model_exchange: false,
        log_categories: Vec::new(),
        model: ModelDescription {
            name: "probe".to_owned(),
            kind: String::new(),
            variables: Vec::new(),
            structure: ModelStructure::default(),
            units: Vec::new(),
            enumerations: Vec::new(),
            capabilities: Capabilities::native(),
            default_experiment: DefaultExperiment::default(),
            facts: Vec::new(),
        },
    }
}
