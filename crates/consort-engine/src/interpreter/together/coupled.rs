//! The components as one instance, for as long as one step takes.

use crate::error::RunError;
use crate::interpreter::{Halt, Interpreter};
use crate::program::stage::Stage;
use crate::program::together::{JointComponent, JointEquations};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, CompletedStep, ContinuousEvent, ContinuousInstance, CoupledEvents,
    LiveModel, Reference, Resolution, Setup, Sizes, ValuesMut, ValuesRef,
};

/// All of them at one point; to the solver they look like a single one.
pub(super) struct Coupled<'a> {
    run: &'a mut Interpreter,
    equations: &'a mut JointEquations,
    /// The time they are at, in seconds.
    t: f64,
    /// Time, states or inputs have changed since values were exchanged.
    is_stale: bool,
    /// What failed, and in which component.
    failed: Option<Halt>,
    /// The last evaluation came to no end here.
    unsolved: Option<Halt>,
}

impl<'a> Coupled<'a> {
    pub(super) fn new(run: &'a mut Interpreter, equations: &'a mut JointEquations, t: f64) -> Self {
        let mut coupled =
            Coupled { run, equations, t, is_stale: true, failed: None, unsolved: None };
        coupled.measure();
        coupled
    }

    pub(super) fn resolution(&self) -> Resolution {
        self.run.clock.resolution()
    }

    /// What a failure is to be reported as, if it was not the solver's.
    pub(super) fn into_cause(self) -> Option<Halt> {
        self.failed.or(self.unsolved)
    }

    /// Where each one's states and indicators begin.
    fn measure(&mut self) {
        let mut sizes = Sizes::default();
        for part in &mut self.equations.parts {
            let own = ask(self.run, part, |instance| instance.sizes());
            part.states = sizes.states..sizes.states + own.states;
            part.indicators = sizes.indicators..sizes.indicators + own.indicators;
            (sizes.states, sizes.indicators) = (part.states.end, part.indicators.end);
        }
    }

    /// Does something with one of them.
    fn with<T>(
        &mut self,
        index: usize,
        action: impl FnOnce(
            &mut dyn ContinuousInstance,
            &mut CoupledEvents,
            &mut JointComponent,
        ) -> CallResult<T>,
    ) -> CallResult<T> {
        let part = &mut self.equations.parts[index];
        let mut lane = self.run.pool.lane(part.home.lane);
        let member = &mut lane.members[part.home.member as usize];
        let (instance, joint) = member.instance.joined().expect("all have joined");
        let result = action(instance, joint, part);
        drop(lane);
        // Where a model has no value a shorter step may do: that is for the solver to decide.
        result.inspect_err(|error| {
            if error.status != CallStatus::Discard {
                let failed = self.run.call_failed(part.component.index(), error.clone());
                self.failed = Some(failed.into());
            }
        })
    }

    fn each(
        &mut self,
        mut action: impl FnMut(
            &mut dyn ContinuousInstance,
            &mut CoupledEvents,
            &mut JointComponent,
        ) -> CallResult<()>,
    ) -> CallResult<()> {
        let all = 0..self.equations.parts.len();
        all.into_iter().try_for_each(|index| self.with(index, &mut action))
    }

    /// What has changed since the last time, in any of them; it is reported once.
    pub(super) fn take_changes(&mut self) -> CallResult<CoupledEvents> {
        let mut changes = CoupledEvents::default();
        self.each(|_, joint, _| {
            changes.is_disturbed |= joint.is_disturbed;
            changes.had_event |= joint.had_event;
            changes.event.add_changes(&joint.event);
            joint.clear_changes();
            Ok(())
        })?;
        Ok(changes)
    }

    /// The earliest time event of all that is not due already.
    fn next_event(&mut self) -> CallResult<Option<f64>> {
        let (t, mut earliest) = (self.t, None::<f64>);
        self.each(|_, joint, _| {
            if let Some(next) = joint.event.next_event.filter(|next| t < *next) {
                earliest = Some(earliest.map_or(next, |earliest| earliest.min(next)));
            }
            Ok(())
        })?;
        Ok(earliest)
    }

    /// Values move, as they are at this point.
    fn refresh(&mut self) -> CallResult<()> {
        if std::mem::replace(&mut self.is_stale, false) {
            for (slot, guess) in &self.equations.guesses {
                self.run.program.shared.put(*slot, guess.view());
            }
            let mut stages = std::mem::take(&mut self.equations.continuous);
            let result = self.evaluate(&mut stages);
            self.equations.continuous = stages;
            result?;
        }
        Ok(())
    }

    /// From here on loops look for solutions near the last ones.
    pub(super) fn keep_guesses(&mut self) {
        let shared = &self.run.program.shared;
        for (slot, guess) in &mut self.equations.guesses {
            guess.slice_mut(0, slot.count()).copy_from(shared.get(*slot));
        }
    }

    fn evaluate(&mut self, stages: &mut [Stage]) -> CallResult<()> {
        self.unsolved = None;
        let Err(halt) = self.run.run_stages(stages) else { return Ok(()) };
        self.is_stale = true;
        match halt {
            Halt::Failed(error) => match *error {
                RunError::Call { error, .. } if error.status == CallStatus::Discard => Err(error),
                error @ RunError::LoopNotSolved { .. } => {
                    self.unsolved = Some(error.into());
                    Err(CallError::new("solve a loop", CallStatus::Discard))
                }
                error => {
                    self.failed = Some(error.into());
                    Err(CallError::new("exchange values", CallStatus::Error))
                }
            },
            rejected @ Halt::Rejected(_) => {
                self.failed = Some(rejected);
                Err(CallError::new("exchange values", CallStatus::Error))
            }
        }
    }

    /// Values move, those that change at events only too; who gets another is asked again.
    fn exchange_at_event(&mut self) -> CallResult<()> {
        let mut stages = std::mem::take(&mut self.equations.events);
        let result = self.evaluate(&mut stages);
        self.equations.events = stages;
        result?;
        let shared = &self.run.program.shared;
        for part in &mut self.equations.parts {
            for input in &mut part.inputs {
                let now = shared.get(input.slot);
                if !now.is_same(input.given.view()) {
                    input.given.slice_mut(0, input.slot.count()).copy_from(now);
                    part.is_asked = true;
                }
            }
        }
        Ok(())
    }

    /// Stops time for all of them.
    pub(super) fn enter_all_event_mode(&mut self) -> CallResult<()> {
        self.each(|instance, joint, part| {
            // Who has asked for the end never left event mode.
            if !joint.event.terminate {
                instance.enter_event_mode()?;
            }
            joint.in_event_mode = true;
            part.is_asked = true;
            Ok(())
        })?;
        self.exchange_at_event()
    }
}

/// Asks one of them.
fn ask<T>(
    run: &Interpreter,
    part: &JointComponent,
    question: impl FnOnce(&dyn ContinuousInstance) -> T,
) -> T {
    let mut lane = run.pool.lane(part.home.lane);
    let member = &mut lane.members[part.home.member as usize];
    question(member.instance.joined().expect("all have joined").0)
}

/// For calls that do not occur on components that are integrated together.
fn unsupported<T>(call: &'static str) -> CallResult<T> {
    Err(CallError::unsupported(call))
}

impl LiveModel for Coupled<'_> {
    fn enter_initialization(&mut self, _setup: &Setup) -> CallResult<()> {
        unsupported("enter initialization together")
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        unsupported("exit initialization together")
    }

    fn set(&mut self, _references: &[Reference], _values: ValuesRef<'_>) -> CallResult<()> {
        unsupported("set values together")
    }

    fn get(&mut self, _references: &[Reference], _values: ValuesMut<'_>) -> CallResult<()> {
        unsupported("get values together")
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        self.refresh()?;
        self.enter_all_event_mode()
    }

    fn terminate(&mut self) -> CallResult<()> {
        unsupported("terminate together")
    }
}

impl ContinuousInstance for Coupled<'_> {
    fn sizes(&self) -> Sizes {
        let last = self.equations.parts.last();
        let end = |part: &JointComponent| Sizes {
            states: part.states.end,
            indicators: part.indicators.end,
        };
        last.map(end).unwrap_or_default()
    }

    fn step_max(&self) -> Option<f64> {
        let parts = self.equations.parts.iter();
        parts.filter_map(|part| ask(self.run, part, |it| it.step_max())).reduce(f64::min)
    }

    fn set_time(&mut self, time: f64) -> CallResult<()> {
        (self.t, self.is_stale) = (time, true);
        self.each(|instance, _, _| instance.set_time(time))
    }

    fn set_states(&mut self, states: &[f64]) -> CallResult<()> {
        self.is_stale = true;
        self.each(|instance, _, part| match &states[part.states.clone()] {
            [] => Ok(()),
            own => instance.set_states(own),
        })
    }

    fn states(&mut self, states: &mut [f64]) -> CallResult<()> {
        self.each(|instance, _, part| match &mut states[part.states.clone()] {
            [] => Ok(()),
            own => instance.states(own),
        })
    }

    fn derivatives(&mut self, derivatives: &mut [f64]) -> CallResult<()> {
        self.refresh()?;
        self.each(|instance, _, part| instance.derivatives(&mut derivatives[part.states.clone()]))
    }

    fn nominals(&mut self, nominals: &mut [f64]) -> CallResult<()> {
        self.each(|instance, _, part| instance.nominals(&mut nominals[part.states.clone()]))
    }

    fn indicators(&mut self, indicators: &mut [f64]) -> CallResult<()> {
        self.refresh()?;
        self.each(|instance, _, part| instance.indicators(&mut indicators[part.indicators.clone()]))
    }

    fn indicator_name(&self, index: usize) -> String {
        let mut parts = self.equations.parts.iter();
        let part = parts.find(|part| part.indicators.contains(&index));
        // An event may have left fewer of them than there were.
        let Some(part) = part else { return format!("event indicator {}", index + 1) };
        let name = ask(self.run, part, |it| it.indicator_name(index - part.indicators.start));
        let component = self.run.executable.name(part.component.index());
        format!("{name} of `{component}`")
    }

    fn completed_step(&mut self) -> CallResult<CompletedStep> {
        self.refresh()?;
        self.keep_guesses();
        let mut all = CompletedStep::default();
        self.each(|instance, joint, _| {
            let completed = instance.completed_step()?;
            all.enter_event_mode |= completed.enter_event_mode;
            all.terminate |= completed.terminate;
            joint.event.terminate |= completed.terminate;
            Ok(())
        })?;
        Ok(all)
    }

    fn update_discrete_states(&mut self) -> CallResult<ContinuousEvent> {
        let mut all = ContinuousEvent::default();
        self.each(|instance, joint, part| {
            if std::mem::take(&mut part.is_asked) {
                let event = instance.update_discrete_states()?;
                joint.note(event);
                all.add_changes(&event);
                part.is_asked = event.again;
            }
            all.terminate |= joint.event.terminate;
            Ok(())
        })?;
        if all.sizes_changed {
            self.measure();
        }
        self.exchange_at_event()?;
        all.again = self.equations.parts.iter().any(|part| part.is_asked);
        all.next_event = self.next_event()?;
        Ok(all)
    }

    fn enter_continuous_mode(&mut self) -> CallResult<()> {
        self.is_stale = true;
        self.keep_guesses();
        self.each(|instance, joint, _| {
            joint.in_event_mode = false;
            instance.enter_continuous_mode()
        })
    }
}
