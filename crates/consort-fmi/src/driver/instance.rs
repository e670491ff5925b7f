//! The life of an instance, call by call: what is allowed when.

use super::FmuInstance;
use super::calls::{Asked, BYTES_MAX, Calls, Experiment, Progress, Reply, refused, too_many_bytes};
use super::phase::Phase;
use super::scratch::blank;
use crate::binding::Status;
use crate::binding::float_mode::FloatMode;
use crate::binding::registry::note_call;
use consort_core::model::{Batch, CallResult, Columns, WholeStep};
use consort_core::{
    CallError, ContinuousEvent, Direction, EventUpdate, Instance, LiveModel, LogLevel, Reference,
    SavedState, Setup, Step, StepOutcome, ValueType, ValuesMut, ValuesRef,
};
use std::mem::ManuallyDrop;

/// No arguments worth showing.
pub(super) fn nothing<T>(_: &T) -> String {
    String::new()
}

impl<C: Calls> LiveModel for FmuInstance<C> {
    fn set_up(&mut self, setup: &Setup) -> CallResult<()> {
        self.require("set up", Phase::Instantiated, Phase::Instantiated)?;
        if std::mem::replace(&mut self.is_set_up, true) {
            return Ok(());
        }
        let experiment = Experiment::new(setup);
        let (reply, changed) = FloatMode::around(|| self.calls.set_up(&experiment));
        if changed {
            self.warn_about_float_mode();
        }
        reply.map_or(Ok(()), |reply| self.finish(Ok(reply), |_| experiment.describe()))
    }

    fn enter_configuration(&mut self) -> CallResult<()> {
        self.require("enter configuration mode", Phase::Instantiated, Phase::Instantiated)?;
        self.transition(Phase::Configuration, C::enter_configuration, nothing)
    }

    fn exit_configuration(&mut self) -> CallResult<()> {
        self.require("exit configuration mode", Phase::Configuration, Phase::Configuration)?;
        self.transition(Phase::Instantiated, C::exit_configuration, nothing)
    }

    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.require("enter initialization", Phase::Instantiated, Phase::Instantiated)?;
        self.set_up(setup)?;
        self.resolution = Some(setup.resolution);
        self.now = Some(setup.start);
        let experiment = Experiment::new(setup);
        let enter = |calls: &mut C| calls.enter_initialization(&experiment);
        self.transition(Phase::Initialization, enter, |_| experiment.describe())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.require("exit initialization", Phase::Initialization, Phase::Initialization)?;
        let next = if self.uses_event_mode { Phase::Event } else { Phase::Step };
        self.transition(next, C::exit_initialization, nothing)
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        self.require("set values", Phase::Instantiated, Phase::Step)?;
        let asked = self.calls.set(references, values);
        self.check_float_mode();
        self.finish(asked, |instance| {
            instance.describe(references, values.value_type(), Some(values))
        })
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        self.require("get values", Phase::Configuration, Phase::Terminated)?;
        let (value_type, count) = (values.value_type(), values.len());
        let asked = self.calls.get(references, values);
        self.check_float_mode();
        self.finish(asked, |instance| instance.describe(references, value_type, None))
            .map_err(|error| self.blame(error, references, value_type, count))
    }

    fn read_back(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        let phase = self.phase;
        let read = self.get(references, values);
        if self.phase == Phase::Failed {
            self.phase = phase;
        }
        read
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        if !self.uses_event_mode {
            return Err(CallError::unsupported("enter event mode"));
        }
        self.require("enter event mode", Phase::Step, Phase::Step)?;
        self.transition(Phase::Event, C::enter_event_mode, nothing)
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> CallResult<()> {
        let Direction { unknowns, knowns, .. } = along;
        const CALL: &str = "compute directional derivatives";
        if !self.loaded.description.capabilities.directional_derivatives {
            return Err(CallError::unsupported(CALL));
        }
        self.require(CALL, Phase::Initialization, Phase::Step)?;
        if unknowns.is_empty() || knowns.is_empty() {
            // No call for nothing: FMUs crash on counts of zero.
            to.fill(0.0);
            return Ok(());
        }
        let asked = self.calls.directional_derivative(along, to);
        self.check_float_mode();
        self.finish(asked, |instance| {
            let unknowns = instance.describe(unknowns, ValueType::Float64, None);
            let knowns = instance.describe(knowns, ValueType::Float64, None);
            format!("of {unknowns} by {knowns}")
        })
    }

    fn save(&mut self) -> CallResult<SavedState> {
        self.check_can(self.loaded.description.capabilities.save_state, "save its state")?;
        self.free_dropped_states();
        self.may_go_back = true;
        let mut state = std::ptr::null_mut();
        let asked = self.calls.get_state(&mut state);
        self.adopt(asked, state, self.phase)
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        const CALL: &str = "restore a state";
        // After an error this is the one way on that the standard offers.
        self.require(CALL, Phase::Instantiated, Phase::Failed)?;
        if !self.loaded.description.capabilities.save_state {
            return Err(CallError::unsupported(CALL));
        }
        let state = self.own(CALL, state)?;
        if Phase::Event <= state.phase && self.resolution.is_none() {
            let reason = "the instance was never initialized, the state's was".to_owned();
            return Err(refused(CALL, reason));
        }
        let raw = self.states.open(state).expect("the state was found to be this instance's");
        self.now = None;
        self.transition(state.phase, |calls| calls.set_state(raw), nothing)
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        const CALL: &str = "serialize a state";
        self.check_can(self.loaded.description.capabilities.serialize_state, CALL)?;
        let state = self.own(CALL, state)?;
        let raw = self.states.open(state).expect("the state was found to be this instance's");
        let mut size = 0;
        let asked = self.calls.serialized_size(raw, &mut size);
        self.check_float_mode();
        let call = asked.as_ref().map_or(CALL, |reply| reply.call);
        self.finish(asked, nothing)?;
        if BYTES_MAX < size {
            return Err(too_many_bytes(call, size));
        }
        // The mode comes first: the FMU's own bytes need not contain it.
        let mut bytes = vec![0; 1 + size];
        bytes[0] = state.phase as u8;
        let asked = self.calls.serialize(raw, &mut bytes[1..]);
        self.check_float_mode();
        self.finish(asked, nothing)?;
        Ok(bytes)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        const CALL: &str = "deserialize a state";
        self.check_can(self.loaded.description.capabilities.serialize_state, CALL)?;
        let head = bytes.split_first();
        let head = head.and_then(|(&phase, own)| Some((Phase::from_byte(phase)?, own)));
        let (phase, own) =
            head.ok_or_else(|| refused(CALL, "the bytes are no saved state".to_owned()))?;
        self.free_dropped_states();
        self.may_go_back = true;
        let mut state = std::ptr::null_mut();
        let asked = self.calls.deserialize(own, &mut state);
        self.adopt(asked, state, phase)
    }

    fn terminate(&mut self) -> CallResult<()> {
        note_call(self.number);
        match self.phase {
            Phase::Event | Phase::Continuous | Phase::Step => {
                let ended =
                    self.transition(Phase::Terminated, |calls| Ok(calls.terminate()), nothing);
                // Once is enough, even if the FMU refused.
                self.phase = self.phase.max(Phase::Terminated);
                ended
            }
            Phase::Instantiated
            | Phase::Configuration
            | Phase::Initialization
            | Phase::Reconfiguration => {
                // The standard has nothing to call there; freeing is all.
                self.phase = Phase::Terminated;
                Ok(())
            }
            Phase::Terminated | Phase::Failed | Phase::Dead => Ok(()),
        }
    }
}

impl<C: Calls> Instance for FmuInstance<C> {
    fn set_input_derivatives(
        &mut self,
        references: &[Reference],
        orders: &[i32],
        values: &[f64],
    ) -> CallResult<()> {
        const CALL: &str = "set input derivatives";
        let order_max = self.loaded.description.capabilities.input_derivatives_max;
        if order_max == 0 {
            return Err(CallError::unsupported(CALL));
        }
        if references.is_empty() {
            return Ok(());
        }
        self.require(CALL, Phase::Initialization, Phase::Step)?;
        let asked = self.calls.set_input_derivatives(references, orders, values);
        self.check_float_mode();
        self.finish(asked, |instance| {
            instance.describe(references, ValueType::Float64, Some(ValuesRef::Float64(values)))
        })
    }

    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.require("step", Phase::Step, Phase::Step)?;
        let mut progress = Progress::none(step);
        let status = self.calls.step(step, self.may_go_back, &mut progress);
        self.check_float_mode();
        if status == Status::OK && progress.is_plain() {
            self.note_end(step);
            return Ok(StepOutcome::complete(step));
        }
        self.judge_step(step, status, &progress)
    }

    fn step_max(&mut self) -> CallResult<Option<f64>> {
        if !self.calls.bounds_steps() {
            return Ok(None);
        }
        self.require("ask for the longest step", Phase::Step, Phase::Step)?;
        let mut size = f64::NAN;
        let asked = self.calls.step_max(&mut size);
        self.check_float_mode();
        let call = asked.as_ref().map_or("", |reply| reply.call);
        self.finish(asked, nothing)?;
        if 0.0 < size { Ok(size.is_finite().then_some(size)) } else { Err(no_step_max(call, size)) }
    }

    fn take_discarded(&mut self) -> Option<Box<CallError>> {
        self.discarded.take()
    }

    fn set_step_get(
        &mut self,
        inputs: (&[Reference], &[f64]),
        step: &Step,
        outputs: (&[Reference], &mut [f64]),
    ) -> CallResult<Option<StepOutcome>> {
        self.require("step", Phase::Step, Phase::Step)?;
        if !inputs.0.is_empty() {
            let asked = self.calls.set_floats(inputs.0, inputs.1);
            self.finish(asked, |instance| {
                instance.describe(inputs.0, ValueType::Float64, Some(ValuesRef::Float64(inputs.1)))
            })?;
        }
        let mut progress = Progress::none(step);
        let status = self.calls.step(step, self.may_go_back, &mut progress);
        if status == Status::OK && progress.is_plain() {
            self.note_end(step);
        } else {
            self.check_float_mode();
            let outcome = self.judge_step(step, status, &progress)?;
            if !outcome.is_plain(step) {
                return Ok(Some(outcome));
            }
        }
        if outputs.0.is_empty() {
            self.check_float_mode();
            return Ok(None);
        }
        blank(outputs.1);
        let asked = self.calls.get_floats(outputs.0, outputs.1);
        // Once for all three calls: in between, only the FMU itself computes.
        self.check_float_mode();
        self.finish(asked, |instance| instance.describe(outputs.0, ValueType::Float64, None))?;
        Ok(None)
    }

    fn step_whole(
        &mut self,
        whole: &WholeStep<'_>,
        columns: &mut Columns,
    ) -> CallResult<Option<StepOutcome>> {
        self.require("step", Phase::Step, Phase::Step)?;
        for batch in whole.sets {
            let column = &columns[batch.value_type as usize];
            let asked = self.calls.set_batch(batch.of(whole.references), column, batch.range());
            if !is_ok(&asked) {
                self.judge_set(asked, whole, batch, columns)?;
            }
        }
        let mut progress = Progress::none(whole.step);
        let status = self.calls.step(whole.step, self.may_go_back, &mut progress);
        if status == Status::OK && progress.is_plain() {
            self.note_end(whole.step);
        } else {
            self.check_float_mode();
            let outcome = self.judge_step(whole.step, status, &progress)?;
            if !outcome.is_plain(whole.step) {
                return Ok(Some(outcome));
            }
        }
        for batch in whole.gets {
            let column = &mut columns[batch.value_type as usize];
            let asked = self.calls.get_batch(batch.of(whole.references), column, batch.range());
            if !is_ok(&asked) {
                self.judge_get(asked, whole, batch)?;
            }
        }
        // Once for all calls: in between, only the FMU itself computes.
        self.check_float_mode();
        Ok(None)
    }

    fn update_discrete_states(&mut self) -> CallResult<EventUpdate> {
        if !self.uses_event_mode {
            return Err(CallError::unsupported("update discrete states"));
        }
        self.require("update discrete states", Phase::Event, Phase::Event)?;
        let mut event = ContinuousEvent::default();
        self.transition(Phase::Event, |calls| calls.update_discrete_states(&mut event), nothing)?;
        let now = self.resolution.zip(self.now).map(|(it, now)| it.to_f64(now));
        self.check_announced(&event, now.unwrap_or(f64::NEG_INFINITY));
        Ok(EventUpdate {
            again: event.again,
            terminate: event.terminate,
            next_event: event.next_event.and_then(|seconds| self.event_time(seconds)),
        })
    }

    fn enter_step_mode(&mut self) -> CallResult<()> {
        if !self.uses_event_mode {
            return Err(CallError::unsupported("enter step mode"));
        }
        self.require("enter step mode", Phase::Event, Phase::Event)?;
        self.transition(Phase::Step, C::enter_step_mode, nothing)
    }
}

impl<C: Calls> FmuInstance<C> {
    /// What an answer means that was not simply "OK".
    #[cold]
    fn judge_set(
        &mut self,
        asked: Asked,
        whole: &WholeStep<'_>,
        batch: &Batch,
        columns: &Columns,
    ) -> CallResult<()> {
        self.check_float_mode();
        let (references, values) = (batch.of(whole.references), batch.values(columns));
        self.finish(asked, |instance| instance.describe(references, batch.value_type, Some(values)))
    }

    /// The same for values that were read.
    #[cold]
    fn judge_get(&mut self, asked: Asked, whole: &WholeStep<'_>, batch: &Batch) -> CallResult<()> {
        self.check_float_mode();
        let (references, value_type) = (batch.of(whole.references), batch.value_type);
        self.finish(asked, |instance| instance.describe(references, value_type, None))
            .map_err(|error| self.blame(error, references, value_type, batch.count as usize))
    }
}

#[inline]
fn is_ok(asked: &Asked) -> bool {
    matches!(asked, Ok(Reply { status: Status::OK, .. }))
}

impl<C: Calls> Drop for FmuInstance<C> {
    fn drop(&mut self) {
        if let Err(error) = self.terminate() {
            self.context.log(LogLevel::Error, "consort", &error.to_string());
        }
        self.free_dropped_states();
        if self.phase == Phase::Dead {
            self.loaded.pin();
            return;
        }
        FloatMode::around(|| self.calls.free());
        // SAFETY: dropped once, here, and used no more.
        unsafe { ManuallyDrop::drop(&mut self.calls) };
    }
}

#[cold]
fn no_step_max(call: &'static str, size: f64) -> Box<CallError> {
    refused(
        call,
        format!("it answered with a longest step of `{size}` s, which must be above zero"),
    )
}
