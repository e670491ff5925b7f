//! A model of forty states written here: the sparse Jacobian, by directional derivatives and by
//! differences.

use crate::harness::instantiation;
use consort_core::model::{CallResult, DefaultExperiment};
use consort_core::{
    Capabilities, Causality, ContinuousDescription, ContinuousEvent, ContinuousInstance,
    ContinuousModel, DependencyKind, DependsOn, Dimension, Direction, Instance, Instantiation,
    LiveModel, Model, ModelDescription, ModelStructure, Reference, Resolution, Setup, Sizes, Step,
    Tag, Time, Unknown, ValueType, ValuesMut, ValuesRef, Variable, VariableId,
};
use consort_models::continuous::SolvedModel;
use consort_solve::integrate::SolverKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const CELLS: usize = 40;

/// Heat along a rod: 100 on the left, nothing through the right end.
struct Rod {
    description: ModelDescription,
    continuous: ContinuousDescription,
    size: u64,
    calls: Arc<Calls>,
}

#[derive(Default)]
struct Calls {
    derivatives: AtomicU64,
    directions: AtomicU64,
}

/// How the forty states are declared.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    Scalars,
    /// As so many arrays of equal size; each is said to depend on itself and its neighbors.
    Arrays(usize),
    /// The same, with a size that a structural parameter says.
    Structural(usize),
}

impl Shape {
    fn count(self) -> usize {
        match self {
            Shape::Scalars => CELLS,
            Shape::Arrays(count) | Shape::Structural(count) => count,
        }
    }
}

/// The structural parameter, after all states and derivatives.
const SIZE: u32 = 2 * CELLS as u32;

impl Rod {
    fn new(shape: Shape, directional_derivatives: bool) -> Rod {
        let (id, count) = (VariableId::from_index, shape.count());
        let dimensions = match shape {
            Shape::Scalars => Vec::new(),
            Shape::Arrays(_) => vec![Dimension::Fixed((CELLS / count) as u64)],
            Shape::Structural(_) => vec![Dimension::Structural(id(2 * count))],
        };
        let variable = |index: usize| {
            let reference = Reference(u32::try_from(index).unwrap());
            let scalar = Variable::scalar(&format!("v{index}"), reference, Causality::Local);
            Variable { dimensions: dimensions.clone(), ..scalar }
        };
        let on = |part: usize| {
            let near = part.saturating_sub(1)..(part + 2).min(count);
            DependsOn::These(near.map(|it| (id(it), DependencyKind::Dependent)).collect())
        };
        let unknown = |part: usize| Unknown { variable: id(count + part), on: on(part) };
        let derivatives: Vec<Unknown> = (0..count).map(unknown).collect();
        let size = Variable::scalar("size", Reference(SIZE), Causality::StructuralParameter);
        let size = Variable { value_type: ValueType::UInt64, ..size };
        let description = ModelDescription {
            name: "rod".to_owned(),
            kind: "test".to_owned(),
            variables: (0..2 * count).map(variable).chain([size]).collect(),
            structure: ModelStructure { derivatives, ..ModelStructure::default() },
            units: Vec::new(),
            enumerations: Vec::new(),
            capabilities: Capabilities { directional_derivatives, ..Capabilities::native() },
            default_experiment: DefaultExperiment::default(),
            facts: Vec::new(),
        };
        let is_known = !matches!(shape, Shape::Structural(_));
        let continuous = ContinuousDescription {
            states: (0..count).map(id).collect(),
            derivatives: (count..2 * count).map(id).collect(),
            sizes: is_known.then_some(Sizes { states: CELLS, indicators: 0 }),
            needs_completed_step: false,
        };
        Rod { description, continuous, size: (CELLS / count) as u64, calls: Arc::default() }
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
        let (x, size) = ([0.0; CELLS], self.size);
        Ok(Box::new(LiveRod { x, size, calls: Arc::clone(&self.calls) }))
    }
}

struct LiveRod {
    x: [f64; CELLS],
    size: u64,
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

impl LiveModel for LiveRod {
    fn enter_initialization(&mut self, _: &Setup) -> CallResult<()> {
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        Ok(())
    }

    fn set(&mut self, _: &[Reference], _: ValuesRef<'_>) -> CallResult<()> {
        Ok(())
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        let values = match values {
            ValuesMut::UInt64(sizes) => {
                assert_eq!(references, [Reference(SIZE)]);
                sizes.fill(self.size);
                return Ok(());
            }
            ValuesMut::Float64(values) => values,
            _ => panic!("all others are floats"),
        };
        values.iter_mut().zip(references).for_each(|(to, it)| *to = self.x[it.0 as usize]);
        Ok(())
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        Ok(())
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> CallResult<()> {
        let Direction { seed, .. } = along;
        self.calls.directions.fetch_add(1, Ordering::Relaxed);
        flow(seed, to);
        Ok(())
    }

    fn terminate(&mut self) -> CallResult<()> {
        Ok(())
    }
}

impl ContinuousInstance for LiveRod {
    fn sizes(&self) -> Sizes {
        Sizes { states: CELLS, indicators: 0 }
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

    fn update_discrete_states(&mut self) -> CallResult<ContinuousEvent> {
        Ok(ContinuousEvent::default())
    }

    fn enter_continuous_mode(&mut self) -> CallResult<()> {
        Ok(())
    }
}

/// The middle of the rod after 0.2 s in one step, and what was asked of the model.
fn run(shape: Shape, directional_derivatives: bool) -> (f64, u64, u64) {
    let rod = Rod::new(shape, directional_derivatives);
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
    let (by_directions, derivatives, directions) = run(Shape::Scalars, true);
    assert!((by_directions - expected).abs() < 1e-3, "{by_directions} is not near {expected}");
    assert!(0 < directions && directions % 3 == 0, "three colors: {directions} calls");
    let (by_differences, more, none) = run(Shape::Scalars, false);
    assert!((by_differences - expected).abs() < 1e-3, "{by_differences} is not near {expected}");
    assert_eq!(none, 0);
    // Each Jacobian costs three evaluations instead of forty.
    assert!(derivatives < more && more < 2 * derivatives, "{derivatives} and {more} evaluations");
}

/// What is said about an array holds for all its elements: four arrays of ten, of which each touches its
/// neighbors, take thirty columns instead of forty. The order of columns changes no bit.
#[test]
fn arrays_of_states_have_a_column_for_each_element() {
    let (expected, _, three) = run(Shape::Scalars, true);
    let jacobians = three / 3;
    for shape in [Shape::Arrays, Shape::Structural] {
        for (arrays, calls) in [(1, 40), (2, 40), (4, 30), (8, 15), (40, 3)] {
            let shape = shape(arrays);
            let (middle, evaluations, directions) = run(shape, true);
            assert!((middle - expected).abs() < 1e-6, "{shape:?}: {middle}");
            assert_eq!(directions, calls * jacobians, "{shape:?}");
            let (middle, more, none) = run(shape, false);
            assert!((middle - expected).abs() < 1e-4, "{shape:?}: {middle}");
            assert_eq!(none, 0);
            assert!(evaluations < more, "{shape:?}");
        }
    }
}
