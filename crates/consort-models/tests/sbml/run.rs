//! Runs a model as every other: compiled, with a solver of its own, in communication steps.

use crate::cases::Case;
use crate::model::Writer;
use consort_core::{
    ContinuousModel, Instance, Instantiation, Model, Prng, Reference, Report, Resolution,
    SavedState, Setup, SolverKind, SolverSettings, Step, StepReason, Tag, Time, ValuesMut,
};
use consort_equations::{compile, sbml};
use consort_models::continuous::SolvedModel;
use consort_models::equations::EquationsModel;
use consort_testkit::render;
use std::sync::Arc;

/// How many points of a run are looked at, beside its start.
pub(crate) const POINTS: usize = 10;

/// The model as a document has it.
pub(crate) fn load(case: &Case, writer: &Writer) -> Result<SolvedModel, String> {
    let (name, text) = (&case.name, &writer.document());
    let mut report = Report::default();
    let tree = sbml::read_sbml(name, text, &mut report);
    let equations = tree.and_then(|tree| compile(&tree, &mut report));
    let equations = equations.ok_or_else(|| format!("{name}: {}", render::report(&report)))?;
    let model: Arc<dyn ContinuousModel> = Arc::new(EquationsModel::new(Arc::new(equations)));
    let settings = SolverSettings { kind: SolverKind::Bdf, tolerance: Some(1e-10), step: None };
    Ok(SolvedModel::new(model, settings))
}

/// A model in a run.
pub(crate) struct Live {
    pub(crate) instance: Box<dyn Instance>,
    references: Vec<Reference>,
    ticks: i64,
}

impl Live {
    /// Initialized at time zero.
    pub(crate) fn start(model: &SolvedModel, names: &[String]) -> Self {
        Live::seeded(model, names, 1)
    }

    /// The same with the seed of a run.
    pub(crate) fn seeded(model: &SolvedModel, names: &[String], seed: u64) -> Self {
        let description = model.description();
        let reference = |name: &String| {
            let id = description.variable(name).unwrap_or_else(|| panic!("no `{name}`"));
            description.variables[id.index()].reference
        };
        let references = names.iter().map(reference).collect();
        let instantiation = Instantiation::quiet("model", Prng::new(seed).split("model"));
        let mut instance = model.instantiate(&instantiation).expect("an instance");
        let (resolution, start) = (Resolution::NANOSECOND, Time::ZERO);
        let setup = Setup { resolution, start, stop: None, tolerance: None };
        instance.enter_initialization(&setup).expect("a start");
        instance.exit_initialization().expect("a start");
        Live { instance, references, ticks: 0 }
    }

    /// Moves on to `time` seconds.
    pub(crate) fn advance(&mut self, time: f64) -> Result<(), String> {
        let to = (time * 1e9).round() as i64;
        let mut from = self.ticks;
        while from < to {
            let (start, length) = (from as f64 / 1e9, (to - from) as f64 / 1e9);
            let at = Tag::at(Time::from_ticks(from));
            let step = Step { from: at, to: Time::from_ticks(to), start, length };
            let outcome = self.instance.step(&step).map_err(|error| error.to_string())?;
            assert_eq!(outcome.reason, StepReason::Complete, "at {time}");
            from = outcome.reached.ticks();
        }
        self.ticks = to;
        Ok(())
    }

    /// Goes to a saved state, which is that at `time` seconds.
    pub(crate) fn restore(&mut self, state: &SavedState, time: f64) {
        self.instance.restore(state).expect("a state of the same model");
        self.ticks = (time * 1e9).round() as i64;
    }

    /// What is observed now.
    pub(crate) fn values(&mut self) -> Vec<f64> {
        let mut values = vec![0.0; self.references.len()];
        let into = ValuesMut::Float64(&mut values);
        self.instance.get(&self.references, into).expect("values");
        values
    }
}

/// The names of what may change in a model.
pub(crate) fn names(writer: &Writer) -> Vec<String> {
    writer.observed.iter().map(|(name, _)| name.clone()).collect()
}

/// Values at the start and at each point after it.
pub(crate) fn course(case: &Case, writer: &Writer) -> Result<Vec<Vec<f64>>, String> {
    let model = load(case, writer)?;
    let mut live = Live::start(&model, &names(writer));
    let mut rows = vec![live.values()];
    for point in 1..=POINTS {
        let moved = live.advance(case.end * point as f64 / POINTS as f64);
        moved.map_err(|said| format!("{}: {said}", case.name))?;
        rows.push(live.values());
    }
    Ok(rows)
}
