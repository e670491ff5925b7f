//! Components that are integrated as one, compiled: their solver, and what one evaluation needs.

mod pattern;

use super::stage::Stage;
use super::{Home, Program, Source};
use crate::store::{Bank, Slot};
use consort_core::{ComponentId, Seconds, Values};
use consort_solve::integrate::Integrator;
use consort_system::Together as Planned;
use std::ops::Range;
use std::sync::Arc;

/// Components that are integrated as one, compiled.
pub(crate) struct Together {
    /// Which of the run's integrations is theirs.
    pub(crate) index: usize,
    pub(crate) rate: usize,
    pub(crate) integrator: Integrator,
    pub(crate) equations: JointEquations,
}

/// What one evaluation needs.
pub(crate) struct JointEquations {
    pub(crate) parts: Vec<JointComponent>,
    /// The stages of an evaluation in continuous time: what may change at events only is left alone.
    pub(crate) continuous: Vec<Stage>,
    /// The stages of an evaluation at events.
    pub(crate) events: Vec<Stage>,
    /// Where loops begin to look for a solution. It is the same for all evaluations of a step, so that
    /// what they compute is a function of the point alone: a solver takes differences of it.
    pub(crate) guesses: Vec<(Slot, Values)>,
}

/// One of the components.
pub(crate) struct JointComponent {
    pub(crate) component: ComponentId,
    pub(crate) home: Home,
    /// Its part of all states, and of all indicators.
    pub(crate) states: Range<usize>,
    pub(crate) indicators: Range<usize>,
    /// The inputs that others of them feed.
    pub(crate) inputs: Vec<Input>,
    /// It is to be asked for its discrete states.
    pub(crate) is_asked: bool,
}

/// An input that another one of them feeds.
pub(crate) struct Input {
    pub(crate) slot: Slot,
    /// What it was given at the last event.
    pub(crate) given: Values,
    /// What its place held before the step, and holds again after it: what an evaluation moves there
    /// concerns this group only.
    pub(crate) before: Values,
}

impl Together {
    /// `continuous` and `events` are the planned stages, compiled for the time between events and for
    /// events.
    pub(crate) fn new(
        planned: &Planned,
        [continuous, events]: [Vec<Stage>; 2],
        source: &Source<'_>,
        program: &Program,
    ) -> Self {
        let part = |&component: &ComponentId| JointComponent {
            component,
            home: program.homes[component.index()],
            states: 0..0,
            indicators: 0..0,
            inputs: inputs(planned, component, source, program),
            is_asked: false,
        };
        let parts = planned.components.iter().map(part).collect();
        let index = program.groups.len();
        let rate = source.rates.of_component[planned.components[0].index()];
        let guesses = guesses(&continuous);
        let equations = JointEquations { parts, continuous, events, guesses };
        Together { index, rate, integrator: integrator(planned, source), equations }
    }

    /// The stages of an evaluation.
    pub(crate) fn stages(&self) -> [&[Stage]; 2] {
        [&self.equations.continuous, &self.equations.events]
    }
}

impl JointEquations {
    pub(crate) fn keep_places(&mut self, shared: &Bank) {
        for input in self.parts.iter_mut().flat_map(|part| &mut part.inputs) {
            input.before.slice_mut(0, input.slot.count()).copy_from(shared.get(input.slot));
        }
    }

    pub(crate) fn put_places_back(&self, shared: &mut Bank) {
        for input in self.parts.iter().flat_map(|part| &part.inputs) {
            shared.put(input.slot, input.before.view());
        }
    }
}

/// The unknowns of all loops.
fn guesses(stages: &[Stage]) -> Vec<(Slot, Values)> {
    let mut found = Vec::new();
    for stage in stages {
        if let Stage::Iterate(it) = stage {
            let zeros = |slot: Slot| (slot, Values::zeros(slot.value_type, slot.count()));
            found.extend(it.guesses().map(zeros));
            found.extend(guesses(it.stages()));
        }
    }
    found
}

/// The inputs of a component that others of its group feed.
fn inputs(
    planned: &Planned,
    component: ComponentId,
    source: &Source<'_>,
    program: &Program,
) -> Vec<Input> {
    let is_inner = |wire: &&consort_system::ResolvedConnection| {
        let is_own = wire.to.component == component && !wire.delay;
        is_own && planned.components.contains(&wire.from.component)
    };
    let slots = source.system.connections.iter().filter(is_inner).map(|it| program.port(it.to));
    let input = |slot: Slot| {
        let zeros = Values::zeros(slot.value_type, slot.count());
        Input { slot, given: zeros.clone(), before: zeros }
    };
    slots.map(input).collect()
}

/// By the solver that all of them ask for, as precisely as the most precise of them.
fn integrator(planned: &Planned, source: &Source<'_>) -> Integrator {
    let models = || planned.components.iter().map(|id| source.models[id.index()]);
    let solved = || models().filter_map(|model| model.capabilities.solved_by);
    let settings = solved().next().expect("who is integrated has equations").settings;
    let experiment = source.system.experiment.tolerance;
    let relative = solved().map(|it| it.relative(experiment)).fold(1.0, f64::min);
    let pattern = Arc::new(pattern::of(planned, source));
    let mut integrator = Integrator::new(settings.kind, relative, pattern);
    integrator.set_step(settings.step.map(Seconds::to_f64));
    integrator
}
