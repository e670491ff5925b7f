//! Components that are integrated as one: their states are one vector, one solver moves them on, and
//! each evaluation of their equations moves values between them by the engine's own exchange.
//!
//! Inputs from elsewhere hold over the step. An event of one is an event of all: everybody handles it,
//! values are exchanged, and whoever got another input or wants it is asked again, until nobody is left.

mod coupled;
mod pattern;

use crate::compile::{Home, Instances, Program, Source};
use crate::error::RunError;
use crate::interpret::Halt;
use crate::lane::TakenStep;
use crate::run::Run;
use crate::stage::Stage;
use crate::store::{Bank, Slot};
use consort_core::model::CallResult;
use consort_core::model::stepping::Arrival;
use consort_core::{ComponentId, Seconds, Step, StepOutcome, Values};
use consort_solve::Keep;
use consort_solve::integrate::{Integration, Integrator, iterate_events};
use consort_system::{Stage as PlannedStage, Together as Planned};
use coupled::Coupled;
use std::ops::Range;
use std::sync::Arc;

/// Components that are integrated as one, compiled.
pub(crate) struct Together {
    /// Which of the run's integrations is theirs.
    index: usize,
    rate: usize,
    integrator: Integrator,
    equations: Equations,
}

/// What one evaluation needs.
pub(crate) struct Equations {
    parts: Vec<Part>,
    /// While time goes on: what may change at events only is left alone.
    pub(crate) continuous: Vec<Stage>,
    /// At events.
    pub(crate) events: Vec<Stage>,
    /// Where loops begin to look for a solution. It is the same for all evaluations of a step, so that
    /// what they compute is a function of the point alone: a solver takes differences of it.
    guesses: Vec<(Slot, Values)>,
}

/// One of the components.
struct Part {
    component: ComponentId,
    home: Home,
    /// Its part of all states, and of all indicators.
    states: Range<usize>,
    indicators: Range<usize>,
    /// The inputs that others of them feed.
    inputs: Vec<Input>,
    /// It is to be asked for its discrete states.
    is_asked: bool,
}

/// An input that another one of them feeds.
struct Input {
    slot: Slot,
    /// What it was given at the last event.
    given: Values,
    /// What its place held before the step, and holds again after it: what an evaluation moves there is
    /// nobody else's business.
    before: Values,
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
        let part = |&component: &ComponentId| Part {
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
        let equations = Equations { parts, continuous, events, guesses };
        Together { index, rate, integrator: integrator(planned, source), equations }
    }

    /// The stages of an evaluation.
    pub(crate) fn stages(&self) -> [&[Stage]; 2] {
        [&self.equations.continuous, &self.equations.events]
    }
}

impl Equations {
    fn keep_places(&mut self, shared: &Bank) {
        for input in self.parts.iter_mut().flat_map(|part| &mut part.inputs) {
            input.before.slice_mut(0, input.slot.count()).copy_from(shared.get(input.slot));
        }
    }

    fn put_places_back(&self, shared: &mut Bank) {
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

impl Run {
    /// Moves the components on to the end of their step, or to where one asks for the end.
    pub(crate) fn integrate(&mut self, it: &mut Together) -> Result<(), Halt> {
        if !self.due[it.rate] {
            return Ok(());
        }
        let step = self.steps[it.rate];
        let mut integration = self.integrations[it.index].take();
        it.integrator.heed(&self.stop);
        it.equations.keep_places(&self.program.shared);
        let mut coupled = Coupled::new(self, &mut it.equations, step.start);
        let moved = coupled.move_on(&mut it.integrator, &mut integration, &step);
        let cause = coupled.into_cause();
        let ended = integration.as_ref().filter(|it| it.has_ended()).map(Integration::time);
        self.integrations[it.index] = integration;
        it.equations.put_places_back(&mut self.program.shared);
        match moved {
            Ok(()) => {
                self.tell_step(&it.equations, &step, ended);
                Ok(())
            }
            Err(error) => Err(cause.unwrap_or_else(|| {
                let names = it.equations.parts.iter();
                let names = names.map(|it| &*self.system.components[it.component.index()].name);
                let component = names.collect::<Vec<_>>().join(" + ");
                RunError::Call { component, tag: self.tag, error }.into()
            })),
        }
    }

    /// What others must know of the step.
    fn tell_step(&mut self, equations: &Equations, step: &Step, ended: Option<f64>) {
        let outcome = match ended {
            None => StepOutcome::complete(step),
            Some(t) => StepOutcome::ended(step, t, self.system.experiment.resolution),
        };
        for part in &equations.parts {
            let mut lane = self.pool.lane(part.home.lane);
            if lane.log_calls {
                lane.taken.push(TakenStep { component: part.component, step: *step, outcome });
            }
            let member = &mut lane.members[part.home.member as usize];
            let asks = member.instance.joined().is_some_and(|(_, joint)| joint.event.terminate);
            if ended.is_some() && asks {
                let (reached, event, terminate) = (outcome.reached, false, true);
                member.arrival = Some(Arrival { reached, event, terminate, next_event: None });
                self.remarkable = true;
            }
        }
    }
}

impl Coupled<'_> {
    /// Takes over what happened at the tag, then integrates.
    fn move_on(
        &mut self,
        integrator: &mut Integrator,
        integration: &mut Option<Integration>,
        step: &Step,
    ) -> CallResult<()> {
        self.keep_guesses();
        let news = self.take_news()?;
        let target = self.resolution().to_f64(step.to);
        let run = match integration {
            None => {
                // Each has handled its own initial events; now all see what the others made of theirs.
                self.enter_all_event_mode()?;
                let event = iterate_events(self, step.start)?;
                integration.insert(integrator.begin(self, step.start, event)?)
            }
            Some(run) => {
                integrator.fit(run);
                if news.had_event {
                    self.enter_all_event_mode()?;
                    integrator.settle_after(self, run, news.event, Keep::Everything)?;
                } else if news.is_disturbed {
                    run.disturb();
                }
                run
            }
        };
        integrator.integrate(self, run, target)?;
        self.take_news().map(|_| ())
    }
}

/// Tells the instances that a plan integrates together that they need no solver of their own.
///
/// # Panics
/// If an instance has no equations to give away, though its model says so.
pub(crate) fn join(stages: &[PlannedStage], instances: &mut Instances) {
    for stage in stages {
        match stage {
            PlannedStage::Exchange(_) | PlannedStage::Work(_) => {}
            PlannedStage::Iterate(it) => join(&it.stages, instances),
            PlannedStage::Attempt { stages, .. } => join(stages, instances),
            PlannedStage::Integrate(it) => {
                for component in &it.components {
                    if let Some(instance) = &mut instances[component.index()] {
                        let has_joined = instance.join();
                        assert!(has_joined, "a plan integrates only what is given by equations");
                    }
                }
            }
        }
    }
}
