//! An instance that lives in a worker, as the engine sees it.

use super::fork::Fork;
use super::hazard::{Hazard, Probe};
use super::image::Image;
use super::launch::Launch;
use super::native::Native;
use super::protocol::{
    Op, Read, Reader, Writer, invalid, read_error, read_event_update, read_outcome,
    write_references, write_setup, write_step,
};
use super::provider::StateProvider;
use super::replay::Replay;
use super::worker::Worker;
use consort_core::model::{CallResult, row_width};
use consort_core::{
    CallError, Direction, EventUpdate, Instance, LiveModel, Provider, Reference, SavedState, Setup,
    Step, StepOutcome, ValuesMut, ValuesRef,
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
        let mut provider = make(provider, launch, &mut worker)?;
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

    /// The provider that saves its states.
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

    /// Sends a command that has no result.
    fn command(&mut self, op: Op, fill: impl FnOnce(&mut Writer<'_>)) -> CallResult<()> {
        let done = self.worker.ask(op, fill).map(|_| ());
        self.provider.done(&self.worker);
        done
    }

    /// Asks for something, and reads the answer; one that cannot be read ends the process.
    fn ask<T>(
        &mut self,
        op: Op,
        fill: impl FnOnce(&mut Writer<'_>),
        read: impl FnOnce(&mut Reader<'_>) -> Read<T>,
    ) -> CallResult<T> {
        let answer = read(&mut self.worker.ask(op, fill)?);
        let answer = answer.map_err(|_| self.worker.invalid_reply(op));
        self.provider.done(&self.worker);
        answer
    }

    fn read(&mut self, op: Op, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        let (value_type, count) = (values.value_type(), values.len());
        let fill = |to: &mut Writer<'_>| {
            write_references(to, references);
            to.byte(value_type as u8);
            to.word(count as u64);
        };
        self.ask(op, fill, |reply| reply.elements(values))
    }
}

impl LiveModel for IsolatedInstance {
    fn set_up(&mut self, setup: &Setup) -> CallResult<()> {
        self.command(Op::SetUp, |to| write_setup(to, setup))
    }

    fn enter_configuration(&mut self) -> CallResult<()> {
        self.command(Op::EnterConfiguration, |_| ())
    }

    fn exit_configuration(&mut self) -> CallResult<()> {
        self.command(Op::ExitConfiguration, |_| ())
    }

    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.command(Op::EnterInitialization, |to| write_setup(to, setup))
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.command(Op::ExitInitialization, |_| ())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        self.command(Op::Set, |to| {
            write_references(to, references);
            to.byte(values.value_type() as u8);
            to.count(values.len());
            to.elements(values);
        })
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.read(Op::Get, references, values)
    }

    fn read_back(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.read(Op::ReadBack, references, values)
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        self.command(Op::EnterEventMode, |_| ())
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> CallResult<()> {
        let Direction { unknowns, knowns, seed } = along;
        let count = to.len();
        let fill = |to: &mut Writer<'_>| {
            write_references(to, unknowns);
            write_references(to, knowns);
            to.count(seed.len());
            to.reals(seed);
            to.word(count as u64);
        };
        self.ask(Op::DirectionalDerivative, fill, |reply| reply.elements(ValuesMut::Float64(to)))
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
        let describe = |hazard: &Hazard| {
            let refuses: Vec<&str> =
                hazard.refuses.iter().map(|provider| provider.name()).collect();
            format!("{hazard}; this rules out {}", refuses.join(" and "))
        };
        self.hazards().iter().flatten().map(describe).collect()
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
        // The end of the process was reported before; there is nothing to terminate.
        if self.worker.is_gone() {
            return Ok(());
        }
        self.command(Op::Terminate, |_| ())
    }
}

impl Instance for IsolatedInstance {
    fn set_input_derivatives(
        &mut self,
        references: &[Reference],
        orders: &[i32],
        values: &[f64],
    ) -> CallResult<()> {
        self.command(Op::SetInputDerivatives, |to| {
            write_references(to, references);
            orders.iter().for_each(|order| to.word32(order.cast_unsigned()));
            to.reals(values);
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
            write_references(to, inputs.0);
            to.count(inputs.1.len());
            to.reals(inputs.1);
            write_references(to, outputs.0);
            to.word(width as u64);
            to.count(steps.len());
            steps.iter().for_each(|step| write_step(to, step));
        };
        self.ask(Op::RunSteps, fill, |reply| {
            let outcome = reply.option(read_outcome)?;
            let done = usize::try_from(reply.word()?).ok().filter(|done| *done <= steps.len());
            let done = done.ok_or(invalid("number of steps"))?;
            reply.elements(ValuesMut::Float64(&mut outputs.1[..done * width]))?;
            Ok((done, outcome))
        })
    }

    fn step_max(&mut self) -> CallResult<Option<f64>> {
        self.ask(Op::StepMax, |_| (), |reply| reply.option(Reader::real))
    }

    fn take_discarded(&mut self) -> Option<Box<CallError>> {
        let mut reply = self.worker.ask(Op::TakeDiscarded, |_| ()).ok()?;
        let error = reply.option(read_error).ok()?;
        self.provider.done(&self.worker);
        error
    }

    fn update_discrete_states(&mut self) -> CallResult<EventUpdate> {
        self.ask(Op::UpdateDiscreteStates, |_| (), read_event_update)
    }

    fn enter_step_mode(&mut self) -> CallResult<()> {
        self.command(Op::EnterStepMode, |_| ())
    }
}

/// The provider for a worker that was just started.
///
/// # Errors
/// If this machine has none such, with the reason.
fn make(
    provider: Provider,
    launch: &Arc<Launch>,
    worker: &mut Worker,
) -> CallResult<Box<dyn StateProvider>> {
    match provider {
        Provider::Native => Ok(Box::new(Native::default())),
        Provider::Image => Ok(Box::new(Image::new(launch, worker)?)),
        Provider::Fork => Ok(Box::new(Fork::new(worker)?)),
        Provider::Replay => Ok(Box::new(Replay::new(launch))),
    }
}
