//! An instance that lives in a worker, as the engine sees it.

use super::hazard::{Hazard, Probe};
use super::launch::Launch;
use super::protocol::{
    Op, Reader, Writer, read_error, read_event_update, read_outcome, read_values, write_setup,
    write_step, write_values,
};
use super::provider::{self, StateProvider};
use super::worker::Worker;
use consort_core::model::{CallResult, row_width};
use consort_core::{
    CallError, EventUpdate, Instance, LiveModel, Provider, Reference, SavedState, Setup, Step,
    StepOutcome, ValuesMut, ValuesRef,
};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

/// An instance in a process of its own.
pub struct IsolatedInstance {
    worker: Worker,
    provider: Box<dyn StateProvider>,
    /// Knows what the process was like before anything was loaded.
    probe: Probe,
}

impl IsolatedInstance {
    pub(super) fn start(launch: &Arc<Launch>, provider: Provider) -> CallResult<Self> {
        let mut worker = launch.start()?;
        let probe = Probe::new(&mut worker)?;
        let mut provider = provider::make(provider, launch, &mut worker)?;
        launch.load(&mut worker)?;
        provider.begin(&mut worker)?;
        Ok(IsolatedInstance { worker, provider, probe })
    }

    /// The process it lives in.
    pub fn pid(&self) -> u32 {
        self.worker.pid().unsigned_abs()
    }

    /// How often its process was asked something.
    pub fn round_trips(&self) -> u64 {
        self.worker.round_trips()
    }

    /// Who saves its states.
    pub fn provider(&self) -> Provider {
        self.provider.provider()
    }

    /// What the model does that copies of its memory or of its process do not contain.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn hazards(&mut self) -> CallResult<Vec<Hazard>> {
        self.probe.follow(self.worker.pid());
        self.probe.look()
    }

    /// Does something that has no result but success.
    fn tell(&mut self, op: Op, fill: impl FnOnce(&mut Writer<'_>)) -> CallResult<()> {
        let told = self.worker.ask(op, fill).map(|_| ());
        self.provider.done(&self.worker);
        told
    }

    /// Asks for something, and reads the answer; one that cannot be read ends the process.
    fn ask<T>(
        &mut self,
        op: Op,
        fill: impl FnOnce(&mut Writer<'_>),
        read: impl FnOnce(&mut Reader<'_>) -> Option<T>,
    ) -> CallResult<T> {
        let answer = read(&mut self.worker.ask(op, fill)?);
        let answer = answer.ok_or_else(|| self.worker.garbage(op));
        self.provider.done(&self.worker);
        answer
    }

    fn read(
        &mut self,
        op: Op,
        references: &[Reference],
        mut values: ValuesMut<'_>,
    ) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        let (value_type, count) = (values.value_type(), values.len());
        let fill = |to: &mut Writer<'_>| {
            to.references(references);
            to.byte(value_type as u8);
            to.long(count as u64);
        };
        self.ask(op, fill, |reply| read_values(reply, &mut values))
    }
}

impl LiveModel for IsolatedInstance {
    fn set_up(&mut self, setup: &Setup) -> CallResult<()> {
        self.tell(Op::SetUp, |to| write_setup(to, setup))
    }

    fn enter_configuration(&mut self) -> CallResult<()> {
        self.tell(Op::EnterConfiguration, |_| ())
    }

    fn exit_configuration(&mut self) -> CallResult<()> {
        self.tell(Op::ExitConfiguration, |_| ())
    }

    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.tell(Op::EnterInitialization, |to| write_setup(to, setup))
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.tell(Op::ExitInitialization, |_| ())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        self.tell(Op::Set, |to| {
            to.references(references);
            to.byte(values.value_type() as u8);
            to.count(values.len());
            write_values(to, &values);
        })
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.read(Op::Get, references, values)
    }

    fn read_back(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.read(Op::ReadBack, references, values)
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        self.tell(Op::EnterEventMode, |_| ())
    }

    fn directional_derivative(
        &mut self,
        unknowns: &[Reference],
        knowns: &[Reference],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> CallResult<()> {
        let count = sensitivity.len();
        let fill = |to: &mut Writer<'_>| {
            to.references(unknowns);
            to.references(knowns);
            to.count(seed.len());
            to.numbers(seed);
            to.long(count as u64);
        };
        self.ask(Op::DirectionalDerivative, fill, |reply| reply.numbers_into(sensitivity))
    }

    fn save(&mut self) -> CallResult<SavedState> {
        self.provider.save(&mut self.worker)
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        self.provider.restore(&mut self.worker, state)
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        self.provider.serialize(&mut self.worker, state)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        self.provider.deserialize(&mut self.worker, bytes)
    }

    fn unshared_bytes(&self, state: &SavedState) -> u64 {
        self.provider.unshared_bytes(state)
    }

    fn saving_hazards(&mut self) -> Vec<String> {
        let told = |hazard: &Hazard| {
            let refuses: Vec<&str> =
                hazard.refuses.iter().map(|provider| provider.name()).collect();
            format!("{hazard}; this rules out {}", refuses.join(" and "))
        };
        self.hazards().iter().flatten().map(told).collect()
    }

    fn resident_bytes(&self) -> Option<u64> {
        let path = format!("/proc/{}/status", self.pid());
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }

    fn time_of_last_call(&self) -> Option<Duration> {
        // Others save from outside, and the way there belongs to every call of a run.
        (self.provider.provider() == Provider::Native).then(|| self.worker.call_time())
    }

    fn terminate(&mut self) -> CallResult<()> {
        // Whoever asked before was told; there is nothing to end any more.
        if self.worker.is_gone() {
            return Ok(());
        }
        self.tell(Op::Terminate, |_| ())
    }
}

impl Instance for IsolatedInstance {
    fn set_input_derivatives(
        &mut self,
        references: &[Reference],
        orders: &[i32],
        values: &[f64],
    ) -> CallResult<()> {
        self.tell(Op::SetInputDerivatives, |to| {
            to.references(references);
            orders.iter().for_each(|order| to.word(order.cast_unsigned()));
            to.numbers(values);
        })
    }

    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.worker.note_step(step);
        self.ask(Op::Step, |to| write_step(to, step), read_outcome)
    }

    fn set_step_get(
        &mut self,
        inputs: (&[Reference], &[f64]),
        step: &Step,
        outputs: (&[Reference], &mut [f64]),
    ) -> CallResult<Option<StepOutcome>> {
        let (_, outcome) = self.run_steps(inputs, std::slice::from_ref(step), outputs)?;
        Ok(outcome)
    }

    fn run_steps(
        &mut self,
        inputs: (&[Reference], &[f64]),
        steps: &[Step],
        outputs: (&[Reference], &mut [f64]),
    ) -> CallResult<(usize, Option<StepOutcome>)> {
        let width = row_width(outputs.1.len(), steps.len());
        if let Some(first) = steps.first() {
            self.worker.note_step(first);
        }
        let fill = |to: &mut Writer<'_>| {
            to.references(inputs.0);
            to.count(inputs.1.len());
            to.numbers(inputs.1);
            to.references(outputs.0);
            to.long(width as u64);
            to.count(steps.len());
            steps.iter().for_each(|step| write_step(to, step));
        };
        self.ask(Op::RunSteps, fill, |reply| {
            let outcome = reply.option(read_outcome)?;
            let done = usize::try_from(reply.long()?).ok().filter(|done| *done <= steps.len())?;
            reply.numbers_into(&mut outputs.1[..done * width])?;
            Some((done, outcome))
        })
    }

    fn step_max(&mut self) -> CallResult<Option<f64>> {
        self.ask(
            Op::StepMax,
            |_| (),
            |reply| {
                reply.option(|from| {
                    let mut size = [0.0];
                    from.numbers_into(&mut size)?;
                    Some(size[0])
                })
            },
        )
    }

    fn take_discarded(&mut self) -> Option<Box<CallError>> {
        let mut reply = self.worker.ask(Op::TakeDiscarded, |_| ()).ok()?;
        let error = reply.option(read_error)?;
        self.provider.done(&self.worker);
        error
    }

    fn update_discrete_states(&mut self) -> CallResult<EventUpdate> {
        self.ask(Op::UpdateDiscreteStates, |_| (), read_event_update)
    }

    fn enter_step_mode(&mut self) -> CallResult<()> {
        self.tell(Op::EnterStepMode, |_| ())
    }
}
