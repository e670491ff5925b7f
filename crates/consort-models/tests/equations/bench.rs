//! A model of equations with its solver, on a bench.

use consort_core::model::CallResult;
use consort_core::{
    Instance, Instantiation, Model, Prng, Reference, Report, Resolution, SavedState, Setup, Step,
    Tag, Time, ValuesMut, ValuesRef,
};
use consort_equations::{Equations, compile, read, tree};
use consort_models::continuous::SolvedModel;
use consort_models::equations::EquationsModel;
use consort_solve::integrate::SolverKind;
use consort_testkit::render;
use std::sync::Arc;

/// A model that must be right.
pub(crate) fn compiled(text: &str) -> Equations {
    let mut report = Report::default();
    let model = read("model.eq", text, &mut report);
    let equations = model.and_then(|model| compile(&model, &mut report));
    equations.unwrap_or_else(|| panic!("{text}\n{}", render::report(&report)))
}

pub(crate) fn instantiation() -> Instantiation<'static> {
    Instantiation::quiet("model", Prng::new(1))
}

/// How a bench works.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) kind: SolverKind,
    pub(crate) tolerance: f64,
    /// A communication step, in nanoseconds.
    pub(crate) step: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { kind: SolverKind::Bdf, tolerance: 1e-8, step: 10_000_000 }
    }
}

/// A live model with its solver.
pub(crate) struct Bench {
    pub(crate) model: SolvedModel,
    pub(crate) instance: Box<dyn Instance>,
    settings: Settings,
    ticks: i64,
}

impl Bench {
    /// Made, not yet initialized.
    pub(crate) fn fresh(text: &str, settings: Settings) -> Self {
        Self::of(compiled(text), settings)
    }

    pub(crate) fn of(equations: Equations, settings: Settings) -> Self {
        let model = Arc::new(EquationsModel::new(Arc::new(equations)));
        let model = SolvedModel::new(model, settings.kind);
        let instance = model.instantiate(&instantiation()).unwrap();
        Bench { model, instance, settings, ticks: 0 }
    }

    pub(crate) fn with(text: &str, settings: Settings) -> Self {
        let mut bench = Self::fresh(text, settings);
        bench.enter();
        bench.instance.exit_initialization().unwrap();
        bench
    }

    pub(crate) fn new(text: &str) -> Self {
        Self::with(text, Settings::default())
    }

    /// A model whose events are changed in ways that text cannot say.
    pub(crate) fn with_events(text: &str, change: impl FnMut(&mut tree::Event)) -> Self {
        let mut report = Report::default();
        let mut model = read("model.eq", text, &mut report).unwrap();
        model.events.iter_mut().for_each(change);
        let mut bench = Self::of(compile(&model, &mut report).unwrap(), Settings::default());
        bench.enter();
        bench.instance.exit_initialization().unwrap();
        bench
    }

    pub(crate) fn enter(&mut self) {
        let setup = Setup {
            resolution: Resolution::NANOSECOND,
            start: Time::ZERO,
            stop: None,
            tolerance: Some(self.settings.tolerance),
        };
        self.instance.enter_initialization(&setup).unwrap();
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
        self.try_set(name, value).unwrap();
    }

    pub(crate) fn try_set(&mut self, name: &str, value: f64) -> CallResult<()> {
        self.instance.set(&[self.reference(name)], ValuesRef::Float64(&[value]))
    }

    /// Where it is, in seconds.
    pub(crate) fn time(&self) -> f64 {
        Resolution::NANOSECOND.to_f64(Time::from_ticks(self.ticks))
    }

    pub(crate) fn try_step(&mut self) -> CallResult<()> {
        let from = Time::from_ticks(self.ticks);
        self.ticks += self.settings.step;
        let step = Step {
            from: Tag::at(from),
            to: Time::from_ticks(self.ticks),
            start: Resolution::NANOSECOND.to_f64(from),
            length: Resolution::NANOSECOND.to_f64(Time::from_ticks(self.settings.step)),
        };
        self.instance.step(&step).map(|_| ())
    }

    pub(crate) fn step(&mut self) {
        self.try_step().unwrap();
    }

    /// Steps until a time, given in seconds, is reached.
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

    /// The whole state as bytes.
    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        let state = self.instance.save().unwrap();
        self.instance.serialize(&state).unwrap()
    }

    /// Continues from bytes of an instance that had come as far as this says.
    pub(crate) fn load(&mut self, bytes: &[u8], ticks: i64) {
        let state = self.instance.deserialize(bytes).unwrap();
        self.instance.restore(&state).unwrap();
        self.ticks = ticks;
    }

    pub(crate) fn ticks(&self) -> i64 {
        self.ticks
    }
}

#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= tolerance, "{what}: {found} for {expected}, error {error:e}");
}
