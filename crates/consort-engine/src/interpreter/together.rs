//! Components that are integrated as one: their states are one vector, one solver moves them on, and
//! each evaluation of their equations moves values between them by the engine's own exchange.
//!
//! Inputs from elsewhere hold over the step. An event of one is an event of all: each handles it,
//! values are exchanged, and each that got another input or requests it is asked again, until none is left.

mod coupled;

use super::{Halt, Interpreter};
use crate::error::RunError;
use crate::lane::TakenStep;
use crate::program::Instances;
use crate::program::together::{JointEquations, Together};
use consort_core::model::CallResult;
use consort_core::model::stepping::Arrival;
use consort_core::{Step, StepOutcome};
use consort_solve::Keep;
use consort_solve::integrate::{Integration, Integrator, iterate_events};
use consort_system::Stage as PlannedStage;
use coupled::Coupled;

impl Interpreter {
    /// Moves the components on to the end of their step, or to where one asks for the end.
    pub(crate) fn integrate(&mut self, it: &mut Together) -> Result<(), Halt> {
        if !self.clock.is_due(it.rate) {
            return Ok(());
        }
        let step = self.clock.step(it.rate);
        let mut integration = self.integrations[it.index].take();
        it.integrator.set_cancel_flag(&self.cancel);
        it.equations.keep_places(&self.program.shared);
        let mut coupled = Coupled::new(self, &mut it.equations, step.start);
        let moved = coupled.move_on(&mut it.integrator, &mut integration, &step);
        let cause = coupled.into_cause();
        let ended = integration.as_ref().filter(|it| it.has_ended()).map(Integration::time);
        self.integrations[it.index] = integration;
        it.equations.put_places_back(&mut self.program.shared);
        match moved {
            Ok(()) => {
                self.report_step(&it.equations, &step, ended);
                Ok(())
            }
            Err(error) => Err(cause.unwrap_or_else(|| {
                let names = it.equations.parts.iter();
                let names = names.map(|it| self.executable.name(it.component.index()));
                let component = names.collect::<Vec<_>>().join(" + ");
                RunError::Call { component, tag: self.clock.tag(), error }.into()
            })),
        }
    }

    /// What others must know of the step.
    fn report_step(&mut self, equations: &JointEquations, step: &Step, ended: Option<f64>) {
        let outcome = match ended {
            None => StepOutcome::complete(step),
            Some(t) => StepOutcome::ended(step, t, self.clock.resolution()),
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
                self.has_event_or_end = true;
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
        let changes = self.take_changes()?;
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
                if changes.had_event {
                    self.enter_all_event_mode()?;
                    integrator.settle_after(self, run, changes.event, Keep::Everything)?;
                } else if changes.is_disturbed {
                    run.disturb();
                }
                run
            }
        };
        integrator.integrate(self, run, target)?;
        self.take_changes().map(|_| ())
    }
}

/// Has the instances that a plan integrates together leave their equations to the common solver.
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
