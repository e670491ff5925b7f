//! A model of forty states written here: the sparse Jacobian, by directional derivatives and by
//! differences.

use crate::harness::instantiation;
use consort_core::model::{CallResult, DefaultExperiment};
use consort_core::{
    Capabilities, Causality, ContinuousDescription, ContinuousEvent, ContinuousInstance,
    ContinuousModel, DependencyKind, DependsOn, Instance, Instantiation, Model, ModelDescription,
    ModelStructure, Reference, Resolution, Setup, Sizes, Step, Tag, Time, Unknown, ValuesMut,
    ValuesRef, Variable, VariableId,
};
use consort_models::continuous::{SolvedModel, SolverKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const CELLS: usize = 40;

/// Heat along a rod: 100 on the left, nothing through the right end.
struct Rod {
    description: ModelDescription,
    continuous: ContinuousDescription,
    calls: Arc<Calls>,
}

#[derive(Default)]
struct Calls {
    derivatives: AtomicU64,
    directions: AtomicU64,
}

impl Rod {
    fn new(directional_derivatives: bool) -> Rod {
        let id = VariableId::from_index;
        let variable = |index: usize| {
            let reference = Reference(u32::try_from(index).unwrap());
            Variable::scalar(&format!("v{index}"), reference, Causality::Local)
        };
        let on = |cell: usize| {
            let near = cell.saturating_sub(1)..(cell + 2).min(CELLS);
            DependsOn::These(near.map(|it| (id(it), DependencyKind::Dependent)).collect())
        };
        let unknown = |cell: usize| Unknown { variable: id(CELLS + cell), on: on(cell) };
        let derivatives: Vec<Unknown> = (0..CELLS).map(unknown).collect();
        let description = ModelDescription {
            name: "rod".to_owned(),
            kind: "test".to_owned(),
            variables: (0..2 * CELLS).map(variable).collect(),
            structure: ModelStructure { derivatives, ..ModelStructure::default() },
            units: Vec::new(),
            enumerations: Vec::new(),
            capabilities: Capabilities { directional_derivatives, ..Capabilities::native() },
            default_experiment: DefaultExperiment::default(),
            facts: Vec::new(),
        };
        let continuous = ContinuousDescription {
            states: (0..CELLS).map(id).collect(),
            derivatives: (CELLS..2 * CELLS).map(id).collect(),
            sizes: Some(Sizes { states: CELLS, indicators: 0 }),
            needs_completed_step: false,
        };
        Rod { description, continuous, calls: Arc::default() }
    }
}

impl ContinuousModel for Rod {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn continuous(&self) -> &ContinuousDescription {
        &self.continuous
    }

    fn instantiate(&self, _: &Instantiation<'_>) -> CallResult<Box<dyn ContinuousInstance>> {
        Ok(Box::new(LiveRod { x: [0.0; CELLS], calls: Arc::clone(&self.calls) }))
    }
}

struct LiveRod {
    x: [f64; CELLS],
    calls: Arc<Calls>,
}

/// The matrix of the rod times `x`.
fn flow(x: &[f64], dx: &mut [f64]) {
    for cell in 0..CELLS {
        let left = if cell == 0 { 0.0 } else { x[cell - 1] };
        let right = if cell + 1 == CELLS { x[cell] } else { x[cell + 1] };
        dx[cell] = 1000.0 * ((left - x[cell]) + (right - x[cell]));
    }
}

impl ContinuousInstance for LiveRod {
    fn enter_initialization(&mut self, _: &Setup) -> CallResult<()> {
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        Ok(())
    }

    fn sizes(&self) -> Sizes {
        Sizes { states: CELLS, indicators: 0 }
    }

    fn set(&mut self, _: &[Reference], _: ValuesRef<'_>) -> CallResult<()> {
        Ok(())
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        let ValuesMut::Float64(values) = values else { panic!("all are floats") };
        values.iter_mut().zip(references).for_each(|(to, it)| *to = self.x[it.0 as usize]);
        Ok(())
    }

    fn set_time(&mut self, _: f64) -> CallResult<()> {
        Ok(())
    }

    fn set_states(&mut self, states: &[f64]) -> CallResult<()> {
        self.x.copy_from_slice(states);
        Ok(())
    }

    fn states(&mut self, states: &mut [f64]) -> CallResult<()> {
        states.copy_from_slice(&self.x);
        Ok(())
    }

    fn derivatives(&mut self, derivatives: &mut [f64]) -> CallResult<()> {
        self.calls.derivatives.fetch_add(1, Ordering::Relaxed);
        flow(&self.x, derivatives);
        derivatives[0] += 1000.0 * 100.0;
        Ok(())
    }

    fn nominals(&mut self, nominals: &mut [f64]) -> CallResult<()> {
        nominals.fill(100.0);
        Ok(())
    }

    fn indicators(&mut self, _: &mut [f64]) -> CallResult<()> {
        Ok(())
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        Ok(())
    }

    fn update_discrete_states(&mut self) -> CallResult<ContinuousEvent> {
        Ok(ContinuousEvent::default())
    }

    fn enter_continuous_mode(&mut self) -> CallResult<()> {
        Ok(())
    }

    fn directional_derivative(
        &mut self,
        _: &[Reference],
        _: &[Reference],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> CallResult<()> {
        self.calls.directions.fetch_add(1, Ordering::Relaxed);
        flow(seed, sensitivity);
        Ok(())
    }

    fn terminate(&mut self) -> CallResult<()> {
        Ok(())
    }
}

/// The middle of the rod after 0.2 s in one step, and what was asked of the model.
fn run(directional_derivatives: bool) -> (f64, u64, u64) {
    let rod = Rod::new(directional_derivatives);
    let calls = Arc::clone(&rod.calls);
    let model = SolvedModel::new(Arc::new(rod), SolverKind::Bdf);
    let mut instance: Box<dyn Instance> = model.instantiate(&instantiation(1)).unwrap();
    let (resolution, start) = (Resolution::NANOSECOND, Time::ZERO);
    let setup = Setup { resolution, start, stop: None, tolerance: Some(1e-7) };
    instance.enter_initialization(&setup).unwrap();
    instance.exit_initialization().unwrap();
    let to = Time::from_ticks(200_000_000);
    instance.step(&Step { from: Tag::at(start), to, start: 0.0, length: 0.2 }).unwrap();
    let mut middle = [0.0];
    instance.get(&[Reference(20)], ValuesMut::Float64(&mut middle)).unwrap();
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    (middle[0], count(&calls.derivatives), count(&calls.directions))
}

/// The same by many small steps of a simple method.
fn expected() -> f64 {
    let (mut x, mut slopes) = ([0.0; CELLS], [0.0; CELLS]);
    let steps = 20_000;
    let step = 0.2 / f64::from(steps);
    for _ in 0..steps {
        // The midpoint rule.
        flow(&x, &mut slopes);
        slopes[0] += 1e5;
        let half: Vec<f64> = x.iter().zip(&slopes).map(|(x, s)| x + 0.5 * step * s).collect();
        flow(&half, &mut slopes);
        slopes[0] += 1e5;
        x.iter_mut().zip(&slopes).for_each(|(x, s)| *x += step * s);
    }
    x[20]
}

#[test]
fn a_sparse_jacobian_takes_few_calls_by_derivatives_and_by_differences() {
    let expected = expected();
    let (by_directions, derivatives, directions) = run(true);
    assert!((by_directions - expected).abs() < 1e-3, "{by_directions} is not near {expected}");
    assert!(0 < directions && directions % 3 == 0, "three colors: {directions} calls");
    let (by_differences, more, none) = run(false);
    assert!((by_differences - expected).abs() < 1e-3, "{by_differences} is not near {expected}");
    assert_eq!(none, 0);
    // Each Jacobian costs three evaluations instead of forty.
    assert!(derivatives < more && more < 2 * derivatives, "{derivatives} and {more} evaluations");
}
