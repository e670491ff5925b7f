//! A lane: instances that run one after another, with their own copy of the values they need.

use crate::calls::{self, Arrival, StepContext};
use crate::error::RunError;
use crate::store::{Bank, Slot};
use consort_core::model::CallResult;
use consort_core::{ComponentId, Instance, Reference, Resolution, Step, StepOutcome, Tag, Time};
use std::ops::Range;

/// One batched call into an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LaneOp {
    Set(Batch),
    Get(Batch),
    Step(u32),
    /// Set the first derivatives of some inputs.
    Slope(Batch),
}

/// Variables of one type of one instance, side by side in the lane's bank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// Index into [`Lane::members`].
    pub(crate) member: u32,
    pub(crate) slot: Slot,
    /// Range of [`Lane::references`].
    pub(crate) references_at: u32,
    pub(crate) references: u32,
}

/// An instance in its lane.
pub(crate) struct Member {
    pub(crate) component: ComponentId,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) event_mode: bool,
    /// The instance is in event mode right now.
    pub(crate) in_event_mode: bool,
    pub(crate) next_event: Option<Time>,
    /// Where the last step led, if that is more than its end.
    pub(crate) arrival: Option<Arrival>,
}

/// Told of every step that was taken, for the call log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TakenStep {
    pub(crate) component: ComponentId,
    pub(crate) step: Step,
    pub(crate) outcome: StepOutcome,
}

/// The part of a work stage that falls to a lane: a range of its operations per rate.
pub(crate) type StageProgram = Vec<Range<usize>>;

/// Instances that run one after another.
pub(crate) struct Lane {
    pub(crate) members: Vec<Member>,
    pub(crate) bank: Bank,
    pub(crate) references: Vec<Reference>,
    pub(crate) operations: Vec<LaneOp>,
    /// Per work stage of the cycle, per rate.
    pub(crate) stages: Vec<StageProgram>,
    /// What to do next: the stage, and per rate the step that begins, if it is due.
    pub(crate) stage: usize,
    pub(crate) steps: Vec<Option<Step>>,
    pub(crate) resolution: Resolution,
    pub(crate) failure: Option<(ComponentId, RunError)>,
    pub(crate) log_calls: bool,
    pub(crate) taken: Vec<TakenStep>,
    /// Some member's `arrival` is set.
    pub(crate) remarkable: bool,
    /// Names for messages; the hot path never looks.
    pub(crate) names: Vec<String>,
}

impl Lane {
    /// Does this lane's part of the current stage.
    pub(crate) fn work(&mut self) {
        for rate in 0..self.steps.len() {
            let Some(step) = self.steps[rate] else { continue };
            let range = self.stages[self.stage][rate].clone();
            for index in range {
                if !self.operate(self.operations[index], &step) {
                    return;
                }
            }
        }
    }

    #[inline]
    fn operate(&mut self, operation: LaneOp, step: &Step) -> bool {
        let (member, result) = match operation {
            LaneOp::Set(batch) => (batch.member, self.set(batch)),
            LaneOp::Get(batch) => (batch.member, self.get(batch)),
            LaneOp::Slope(batch) => (batch.member, self.slope(batch)),
            LaneOp::Step(member) => return self.step(member, step),
        };
        match result {
            Ok(()) => true,
            Err(error) => {
                self.fail(member, step.from, error);
                false
            }
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, batch: Batch) -> CallResult<()> {
        let references = references_of(&self.references, batch);
        let values = self.bank.get(batch.slot);
        self.members[batch.member as usize].instance.set(references, values)
    }

    #[inline]
    pub(crate) fn get(&mut self, batch: Batch) -> CallResult<()> {
        let references = references_of(&self.references, batch);
        let values = self.bank.get_mut(batch.slot);
        self.members[batch.member as usize].instance.get(references, values)
    }

    /// First derivatives lie in the bank like values; the order of each is 1.
    fn slope(&mut self, batch: Batch) -> CallResult<()> {
        const FIRST_ORDER: [i32; 64] = [1; 64];
        let references = references_of(&self.references, batch);
        let consort_core::ValuesRef::Float64(values) = self.bank.get(batch.slot) else {
            unreachable!("slopes are compiled for Float64 only")
        };
        let instance = &mut self.members[batch.member as usize].instance;
        let chunks = references.chunks(FIRST_ORDER.len()).zip(values.chunks(FIRST_ORDER.len()));
        for (references, values) in chunks {
            instance.set_input_derivatives(references, &FIRST_ORDER[..values.len()], values)?;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, index: u32, step: &Step) -> bool {
        let member = &mut self.members[index as usize];
        if !member.event_mode && !self.log_calls {
            // The common case, with nothing between us and the instance.
            match member.instance.step(step) {
                Ok(outcome) if outcome == StepOutcome::complete(step) => return true,
                Ok(outcome) => return self.unusual(index, step, outcome),
                Err(error) => {
                    self.fail(index, step.from, error);
                    return false;
                }
            }
        }
        self.careful_step(index, step)
    }

    /// A step of an instance without event mode that did not simply come to its end.
    #[cold]
    fn unusual(&mut self, index: u32, step: &Step, outcome: StepOutcome) -> bool {
        use consort_core::StepReason::{Complete, Discard, EarlyReturn, Event, Terminate};
        let stopped = match outcome.reason {
            Complete | Event if step.to <= outcome.reached => return true,
            Terminate => {
                let (reached, next_event) = (outcome.reached, None);
                let arrival = Arrival { reached, event: false, terminate: true, next_event };
                self.members[index as usize].arrival = Some(arrival);
                self.remarkable = true;
                return true;
            }
            Discard => calls::Stopped::Discarded { reached: outcome.reached },
            Complete | Event | EarlyReturn => return self.resume(index, step, outcome.reached),
        };
        self.stop(index, step, stopped)
    }

    /// Goes on from an early return nobody asked for.
    fn resume(&mut self, index: u32, step: &Step, reached: Time) -> bool {
        let rest = Step {
            from: Tag::at(reached),
            to: step.to,
            start: self.resolution.to_f64(reached),
            length: self.resolution.to_f64(step.to - reached),
        };
        self.careful_step(index, &rest)
    }

    fn careful_step(&mut self, index: u32, step: &Step) -> bool {
        let member = &mut self.members[index as usize];
        let context = StepContext {
            resolution: self.resolution,
            event_mode: member.event_mode,
            next_event: member.next_event,
        };
        let (taken, log, component) = (&mut self.taken, self.log_calls, member.component);
        let told = |step: &Step, outcome: &StepOutcome| {
            if log {
                taken.push(TakenStep { component, step: *step, outcome: *outcome });
            }
        };
        match calls::take_step(member.instance.as_mut(), step, &context, told) {
            Ok(arrival) => {
                member.next_event = arrival.next_event;
                member.arrival = Some(arrival);
                self.remarkable |= arrival.event || arrival.terminate;
                true
            }
            Err(stopped) => self.stop(index, step, stopped),
        }
    }

    #[cold]
    fn stop(&mut self, index: u32, step: &Step, stopped: calls::Stopped) -> bool {
        let component = self.members[index as usize].component;
        let error = stopped.into_error(&self.names[index as usize], step);
        self.failure = Some((component, error));
        false
    }

    #[cold]
    fn fail(&mut self, index: u32, tag: Tag, error: Box<consort_core::CallError>) {
        let component = self.names[index as usize].clone();
        let error = RunError::Call { component, tag, error };
        self.failure = Some((self.members[index as usize].component, error));
    }
}

#[inline]
fn references_of(references: &[Reference], batch: Batch) -> &[Reference] {
    &references[batch.references_at as usize..][..batch.references as usize]
}
