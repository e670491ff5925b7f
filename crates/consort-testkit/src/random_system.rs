//! Random systems and what is done to their plans: for properties that must hold for every system.
//!
//! A system is made of its seed alone and of no files: descriptions with random variables and
//! dependencies, connections, periods, reactive inputs, delays, loops, tables and interventions.
//! [`mutated`] changes a plan by one small step: something is swapped, dropped, doubled or moved.
//!
//! ```
//! use consort_testkit::random_system::{RandomSystem, Shape};
//!
//! let random = RandomSystem::new(7, &Shape::default());
//! assert_eq!(random.models.len(), random.system.components.len());
//! ```

mod draw;
mod models;
mod mutate;
mod wiring;

use consort_core::{ModelDescription, Resolution, Seconds, SetupOrder, Time};
use consort_system::{
    Continuous, Iteration, LoopPolicy, OnDivergence, Order, ResolvedComponent, ResolvedCoupling,
    ResolvedExperiment, ResolvedSystem, ResolvedVariableStep, StepLength, StepTolerances,
};
use draw::Draw;

pub use mutate::{Mutation, mutated};

/// How large systems may become; small ones are easier to read when something fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The greatest number of components.
    pub components_max: u64,
    /// The most inputs, and the most outputs, of a component.
    pub ports_max: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { components_max: 8, ports_max: 4 }
    }
}

/// A system that a user might have written.
#[derive(Clone, PartialEq, Debug)]
pub struct RandomSystem {
    /// Makes the same system again.
    pub seed: u64,
    /// The system.
    pub system: ResolvedSystem,
    /// One description per component.
    pub models: Vec<ModelDescription>,
}

impl RandomSystem {
    /// The system of a seed.
    pub fn new(seed: u64, shape: &Shape) -> Self {
        let mut draw = Draw::new(seed);
        let style = Style::draw(&mut draw);
        let count = match draw.percent(6) {
            true => 1,
            false => draw.between(2, shape.components_max.max(2)),
        };
        let mut models: Vec<ModelDescription> = Vec::new();
        let mut components = Vec::new();
        for index in 0..count {
            let model = models::model(&mut draw, &style, shape, index);
            components.push(component(&mut draw, &style, &model, index));
            models.push(model);
        }
        let mut system = ResolvedSystem {
            name: format!("random-{seed}"),
            experiment: experiment(&components),
            components,
            connections: Vec::new(),
            feed: None,
            interventions: Vec::new(),
            coupling: coupling(&mut draw, &style),
            placement: None,
        };
        wiring::connect(&mut draw, &style, &mut system, &models);
        RandomSystem { seed, system, models }
    }

    /// The descriptions as planner and judge want them.
    pub fn model_refs(&self) -> Vec<&ModelDescription> {
        self.models.iter().collect()
    }
}

/// What kind of system it becomes; shares are percentages.
struct Style {
    order: Order,
    /// In ticks; one of them per component.
    periods: Vec<i64>,
    variable_step: bool,
    iterate: bool,
    /// Number of components that are by-step.
    by_step: u64,
    /// Of components that can save their state.
    save_state: u64,
    /// Of pairs of output and input where the output follows at once.
    feedthrough: u64,
    /// Number of inputs that are connected.
    connected: u64,
    /// Of connected inputs that are reactive.
    reactive: u64,
    /// Number of connections that are delayed.
    delayed: u64,
    /// Number of variables that are arrays.
    arrays: u64,
    /// Of connections that come from a component listed later.
    backwards: u64,
}

impl Style {
    fn draw(draw: &mut Draw) -> Self {
        let variable_step = draw.percent(30);
        Style {
            order: draw.weighted(&[
                (68, Order::Derived),
                (10, Order::Jacobi),
                (22, Order::GaussSeidel),
            ]),
            periods: match variable_step || draw.percent(30) {
                true => vec![1 + i64::from(draw.percent(20))],
                false => periods(draw),
            },
            variable_step,
            iterate: draw.percent(90),
            by_step: draw.weighted(&[(40, 20), (10, 50), (42, 0), (8, 100)]),
            save_state: if draw.percent(if variable_step { 70 } else { 60 }) { 100 } else { 70 },
            feedthrough: draw.weighted(&[(15, 0), (30, 25), (35, 50), (20, 80)]),
            connected: draw.weighted(&[(15, 50), (45, 80), (40, 100)]),
            reactive: draw.weighted(&[(50, 0), (30, 25), (20, 60)]),
            delayed: draw.weighted(&[(60, 0), (30, 10), (10, 40)]),
            arrays: draw.weighted(&[(60, 0), (30, 15), (10, 40)]),
            backwards: draw.weighted(&[(22, 0), (13, 20), (65, 70)]),
        }
    }
}

fn periods(draw: &mut Draw) -> Vec<i64> {
    let sets: [(u64, &[i64]); 6] = [
        (35, &[1, 2]),
        (20, &[1, 3]),
        (20, &[2, 3]),
        (10, &[1, 2, 4]),
        (5, &[2, 4]),
        (10, &[1, 2, 3]),
    ];
    draw.weighted(&sets).to_vec()
}

fn component(
    draw: &mut Draw,
    style: &Style,
    model: &ModelDescription,
    index: u64,
) -> ResolvedComponent {
    let extent = |variable: &consort_core::Variable| match variable.dimensions.first() {
        Some(consort_core::Dimension::Fixed(extent)) => u32::try_from(*extent).expect("small"),
        _ => 1,
    };
    let outputs = models::of_causality(model, consort_core::Causality::Output);
    let locals = models::of_causality(model, consort_core::Causality::Local);
    let mut recorded = outputs.clone();
    recorded.extend(locals);
    recorded.extend(models::of_causality(model, consort_core::Causality::Input));
    recorded.sort_unstable();
    ResolvedComponent {
        name: models::component_name(index),
        period: Time::from_ticks(draw.one_of(&style.periods)),
        step_length: StepLength::Fixed,
        concurrent: false,
        event_mode: false,
        reactive: Vec::new(),
        counts: model.variables.iter().map(extent).collect(),
        structural: Vec::new(),
        settings: Vec::new(),
        setup: SetupOrder::First,
        recorded: recorded.into_iter().filter(|_| draw.percent(40)).collect(),
        hashed: outputs.into_iter().filter(|_| draw.percent(80)).collect(),
    }
}

fn experiment(components: &[ResolvedComponent]) -> ResolvedExperiment {
    let periods = components.iter().map(|component| component.period);
    ResolvedExperiment {
        resolution: Resolution::new(Seconds::new(1, 10).expect("not zero")).expect("positive"),
        start: Time::ZERO,
        stop: Time::from_ticks(120),
        step: periods.min().unwrap_or(Time::from_ticks(1)),
        seed: 0,
        tolerance: None,
        hash: consort_core::HashMode::All,
    }
}

fn coupling(draw: &mut Draw, style: &Style) -> ResolvedCoupling {
    let period = style.periods[0];
    let tolerances = StepTolerances { relative: 1e-4, absolute: 1e-6 };
    let variable_step = ResolvedVariableStep {
        initial: Time::from_ticks(period),
        min: Time::from_ticks(1),
        max: Time::from_ticks(10),
        tolerances: draw.percent(50).then_some(tolerances),
    };
    let loops = match style.iterate {
        true => LoopPolicy::Iterate(Iteration::default()),
        false => LoopPolicy::Error,
    };
    ResolvedCoupling {
        order: style.order,
        loops,
        rules: Vec::new(),
        continuous: Continuous::Together,
        on_divergence: OnDivergence::default(),
        constraints: Vec::new(),
        variable_step: style.variable_step.then_some(variable_step),
    }
}
