//! Models exported, compiled and put on a bench: one interface for all forms of a model.

use consort_core::{
    ContinuousModel, Instance, Instantiation, Model, Prng, Reference, Report, Resolution,
    SavedState, Setup, Step, Tag, Time, ValuesMut, ValuesRef,
};
use consort_equations::{Equations, compile, read, tree};
use consort_export::{FmiVersion, FmuOptions, fmu_files};
use consort_fmi::{ExchangeModel, Fmu, FmuModel, LoadOptions};
use consort_models::continuous::SolvedModel;
use consort_models::equations::EquationsModel;
use consort_solve::integrate::SolverKind;
use consort_testkit::fmus::{self, BuildOptions};
use consort_testkit::render;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const VERSIONS: [FmiVersion; 2] = [FmiVersion::V2, FmiVersion::V3];

/// A model that must be right.
pub(crate) fn compiled(text: &str) -> Equations {
    compiled_with(text, |_| ())
}

/// A model whose tree is changed in ways that text cannot say.
pub(crate) fn compiled_with(
    text: &str,
    change: impl FnOnce(&mut tree::EquationModel),
) -> Equations {
    let mut report = Report::default();
    let mut model = read("model.eq", text, &mut report);
    if let Some(model) = &mut model {
        change(model);
    }
    let equations = model.and_then(|model| compile(&model, &mut report));
    equations.unwrap_or_else(|| panic!("{text}\n{}", render::report(&report)))
}

/// The unpacked FMU of a model, with its binary.
pub(crate) fn folder(equations: &Equations, version: FmiVersion) -> PathBuf {
    let options = BuildOptions { flags: vec!["-pedantic".to_owned()], ..BuildOptions::binary() };
    let folder = unpacked(equations, version);
    fmus::build_folder(&folder.path().join(&equations.name), &options)
}

/// The unpacked FMU without a binary.
#[expect(clippy::disallowed_methods, reason = "tests put sources where a compiler finds them")]
pub(crate) fn unpacked(equations: &Equations, version: FmiVersion) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in fmu_files(equations, &FmuOptions::new(version)) {
        let path = folder.path().join(&equations.name).join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

fn fmu(folder: &Path) -> Arc<Fmu> {
    let mut report = Report::default();
    let fmu = Fmu::open(folder, "exported", None, &mut report);
    fmu.unwrap_or_else(|| panic!("{}", render::report(&report)))
}

/// Which form of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// The compiled programs, run in Rust with a solver.
    Rust(SolverKind),
    /// The FMU for Model Exchange with a solver.
    Exchange(FmiVersion, SolverKind),
    /// The FMU for Co-Simulation.
    CoSimulation(FmiVersion),
}

/// A live model.
pub(crate) struct Bench {
    model: Arc<dyn Model>,
    pub(crate) instance: Box<dyn Instance>,
    ticks: i64,
    step: i64,
}

/// The model in one of its forms.
pub(crate) fn make(equations: &Equations, form: Form) -> Arc<dyn Model> {
    let options = LoadOptions::default();
    let (continuous, kind): (Arc<dyn ContinuousModel>, _) = match form {
        Form::Rust(kind) => (Arc::new(EquationsModel::new(Arc::new(equations.clone()))), kind),
        Form::Exchange(version, kind) => {
            let fmu = fmu(&folder(equations, version));
            let binary = fmu.exchange_binary().unwrap();
            let model = ExchangeModel::load(fmu, &binary, "lane".to_owned(), &options).unwrap();
            (Arc::new(model), kind)
        }
        Form::CoSimulation(version) => {
            let fmu = fmu(&folder(equations, version));
            let binary = fmu.binary().unwrap();
            return Arc::new(FmuModel::load(fmu, &binary, "lane".to_owned(), &options).unwrap());
        }
    };
    Arc::new(SolvedModel::new(continuous, kind))
}

impl Bench {
    /// Ready to step; `step` in nanoseconds.
    pub(crate) fn new(equations: &Equations, form: Form, step: i64, tolerance: f64) -> Self {
        Self::of(make(equations, form), step, tolerance)
    }

    pub(crate) fn of(model: Arc<dyn Model>, step: i64, tolerance: f64) -> Self {
        let instantiation = Instantiation::quiet("model", Prng::new(1));
        let mut instance = model.instantiate(&instantiation).unwrap();
        let setup = Setup {
            resolution: Resolution::NANOSECOND,
            start: Time::ZERO,
            stop: None,
            tolerance: Some(tolerance),
        };
        instance.enter_initialization(&setup).unwrap();
        instance.exit_initialization().unwrap();
        Bench { model, instance, ticks: 0, step }
    }

    pub(crate) fn reference(&self, name: &str) -> Reference {
        let description = self.model.description();
        let found = description.variable(name).unwrap_or_else(|| panic!("no `{name}`"));
        description.variables[found.index()].reference
    }

    pub(crate) fn get(&mut self, name: &str) -> f64 {
        let (mut value, reference) = ([0.0], [self.reference(name)]);
        self.instance.get(&reference, ValuesMut::Float64(&mut value)).unwrap();
        value[0]
    }

    pub(crate) fn set(&mut self, name: &str, value: f64) {
        self.instance.set(&[self.reference(name)], ValuesRef::Float64(&[value])).unwrap();
    }

    /// All variables that every form of the model has, in one order.
    pub(crate) fn all(&mut self, equations: &Equations) -> Vec<u64> {
        let count = equations.part_count() - equations.indicators.len();
        let references: Vec<Reference> = (1..count).map(|at| Reference(at as u32)).collect();
        let mut values = vec![0.0; references.len()];
        self.instance.get(&references, ValuesMut::Float64(&mut values)).unwrap();
        values.into_iter().map(f64::to_bits).collect()
    }

    /// Where it is, in seconds.
    pub(crate) fn time(&self) -> f64 {
        Resolution::NANOSECOND.to_f64(Time::from_ticks(self.ticks))
    }

    pub(crate) fn step(&mut self) {
        self.try_step().unwrap_or_else(|error| panic!("{error:?}"));
    }

    pub(crate) fn try_step(&mut self) -> consort_core::model::CallResult<()> {
        let from = Time::from_ticks(self.ticks);
        self.ticks += self.step;
        let step = Step {
            from: Tag::at(from),
            to: Time::from_ticks(self.ticks),
            start: Resolution::NANOSECOND.to_f64(from),
            length: Resolution::NANOSECOND.to_f64(Time::from_ticks(self.step)),
        };
        self.instance.step(&step).map(|_| ())
    }

    pub(crate) fn run_to(&mut self, seconds: f64) {
        while self.time() < seconds {
            self.step();
        }
    }

    pub(crate) fn save(&mut self) -> (SavedState, i64) {
        (self.instance.save().unwrap(), self.ticks)
    }

    pub(crate) fn restore(&mut self, saved: &(SavedState, i64)) {
        self.instance.restore(&saved.0).unwrap();
        self.ticks = saved.1;
    }

    /// The whole state as bytes, and how far it is.
    pub(crate) fn bytes(&mut self) -> (Vec<u8>, i64) {
        let state = self.instance.save().unwrap();
        (self.instance.serialize(&state).unwrap(), self.ticks)
    }

    pub(crate) fn load(&mut self, bytes: &(Vec<u8>, i64)) {
        let state = self.instance.deserialize(&bytes.0).unwrap();
        self.instance.restore(&state).unwrap();
        self.ticks = bytes.1;
    }
}

#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= tolerance, "{what}: {found} for {expected}, error {error:e}");
}
