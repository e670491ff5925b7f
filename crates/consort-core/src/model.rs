//! The two traits that FMUs, native blocks and everything later implement: a [`Model`] is a kind, an
//! [`Instance`] is one live example of it in a run.
//!
//! The life of an instance follows FMI 3 Co-Simulation, which contains FMI 2's:
//!
//! ```text
//! instantiate -> set_up -> [configuration: structural parameters] -> parameters -> enter_initialization
//!   -> set and get -> exit_initialization -> [event mode] -> step ... step -> terminate -> drop
//! ```
//!
//! What an instance cannot do it says in its [`Capabilities`]; a caller that ignores them gets a
//! [`CallError`], never a crash.

mod prepare;
mod step;
pub mod stepping;

pub use crate::call::{CallError, CallResult, CallStatus, LogEntry, LogLevel, LogSink};
pub use crate::description::{
    Capabilities, DefaultExperiment, Enumeration, ModelDescription, Refresh, STATE_FACT, SolvedBy,
};
pub use crate::setup::{Instantiation, Setup};
pub use crate::state::SavedState;
pub use prepare::{Kept, Preparation, Setting, SetupOrder};
pub use step::{EventUpdate, Step, StepOutcome, StepReason};

use crate::cancel::CancelFlag;
use crate::continuous::{ContinuousInstance, Joint};
use crate::id::Reference;
use crate::value::{ValuesMut, ValuesRef};
use std::time::Duration;

/// A kind of component: an FMU file, a native block.
pub trait Model: Send + Sync {
    /// What the model is, before anything runs.
    fn description(&self) -> &ModelDescription;

    /// Makes a live instance.
    ///
    /// # Errors
    /// If the model refuses to be instantiated.
    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>>;
}

/// One live example of a model in a run.
///
/// Every method but the life cycle may be called often; none allocates in its steady state.
/// References and values of one call have one type; arrays take as many elements as they have.
pub trait Instance: Send {
    /// Says what the experiment is, before anything is set; see [`Preparation`]. What was not set up is
    /// set up when initialization begins, and setting up again has no effect.
    ///
    /// # Errors
    /// If the instance refuses.
    fn set_up(&mut self, _setup: &Setup) -> CallResult<()> {
        Ok(())
    }

    /// Before initialization: structural parameters may be set.
    ///
    /// # Errors
    /// If the instance has no structural parameters or refuses.
    fn enter_configuration(&mut self) -> CallResult<()> {
        Err(CallError::unsupported("enter configuration mode"))
    }

    /// After structural parameters were set.
    ///
    /// # Errors
    /// If the instance refuses.
    fn exit_configuration(&mut self) -> CallResult<()> {
        Err(CallError::unsupported("exit configuration mode"))
    }

    /// Begins initialization: start values may be set, initial values be got.
    ///
    /// # Errors
    /// If the instance refuses.
    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()>;

    /// Ends initialization. An instance that uses event mode is in event mode afterwards.
    ///
    /// # Errors
    /// If the initial equations cannot be solved.
    fn exit_initialization(&mut self) -> CallResult<()>;

    /// Gives variables their values.
    ///
    /// # Errors
    /// If the instance refuses a reference or a value.
    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()>;

    /// Reads variables.
    ///
    /// # Errors
    /// If the instance refuses a reference.
    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()>;

    /// Reads variables as [`Instance::get`] does, to see whether they were kept: the instance goes on even
    /// if it refuses.
    ///
    /// # Errors
    /// If the instance refuses a reference; [`CallStatus::Unsupported`] of one that keeps what it is given.
    fn read_back(&mut self, _references: &[Reference], _values: ValuesMut<'_>) -> CallResult<()> {
        Err(CallError::unsupported("read parameters back"))
    }

    /// Gives inputs their time derivatives of the given orders, one per reference.
    ///
    /// # Errors
    /// If the instance takes no input derivatives.
    fn set_input_derivatives(
        &mut self,
        _references: &[Reference],
        _orders: &[i32],
        _values: &[f64],
    ) -> CallResult<()> {
        Err(CallError::unsupported("set input derivatives"))
    }

    /// Moves on in time.
    ///
    /// # Errors
    /// If the instance failed; a discarded step is no error but a [`StepReason`].
    fn step(&mut self, step: &Step) -> CallResult<StepOutcome>;

    /// Installs the flag that cancels a step, which then fails with [`CallStatus::Cancelled`]. Instances whose steps
    /// are short ignore it, and those that cannot interrupt a step.
    fn set_cancel_flag(&mut self, flag: &CancelFlag) {
        let _ = flag;
    }

    /// Leaves the integration of the instance's equations to the caller, who integrates them along
    /// with those of others: there are no steps then. False if the instance has no equations to give
    /// away. Called before initialization.
    fn join(&mut self) -> bool {
        false
    }

    /// The equations of an instance that has joined others, and what happened to it between steps.
    fn joined(&mut self) -> Option<(&mut dyn ContinuousInstance, &mut Joint)> {
        None
    }

    /// A whole communication step in one call, for the common case that all values are doubles: sets
    /// `inputs`, steps and, if the step plainly came to its end, reads `outputs` and gives `None`;
    /// else gives how the step ended, with nothing read.
    ///
    /// # Errors
    /// As [`Instance::set`], [`Instance::step`] and [`Instance::get`].
    #[inline]
    fn set_step_get(
        &mut self,
        inputs: (&[Reference], &[f64]),
        step: &Step,
        outputs: (&[Reference], &mut [f64]),
    ) -> CallResult<Option<StepOutcome>> {
        self.set(inputs.0, ValuesRef::Float64(inputs.1))?;
        let outcome = self.step(step)?;
        if !outcome.is_plain(step) {
            return Ok(Some(outcome));
        }
        self.get(outputs.0, ValuesMut::Float64(outputs.1))?;
        Ok(None)
    }

    /// A whole run of communication steps in one call, with `inputs` held: sets them, and after each
    /// step that plainly came to its end reads `outputs`, one row per step. Ends before a step that did
    /// not, with its outcome; gives how many did.
    ///
    /// # Errors
    /// As [`Instance::set_step_get`].
    ///
    /// # Panics
    /// If the place for outputs has not one row per step.
    fn run_steps(
        &mut self,
        inputs: (&[Reference], &[f64]),
        steps: &[Step],
        outputs: (&[Reference], &mut [f64]),
    ) -> CallResult<(usize, Option<StepOutcome>)> {
        let width = row_width(outputs.1.len(), steps.len());
        self.set(inputs.0, ValuesRef::Float64(inputs.1))?;
        for (done, step) in steps.iter().enumerate() {
            let outcome = self.step(step)?;
            if !outcome.is_plain(step) {
                return Ok((done, Some(outcome)));
            }
            let row = &mut outputs.1[done * width..(done + 1) * width];
            self.get(outputs.0, ValuesMut::Float64(row))?;
        }
        Ok((steps.len(), None))
    }

    /// The longest step, in seconds, that the instance takes from where it is: above zero. `None` if it sets no
    /// bound. Asked between steps.
    ///
    /// # Errors
    /// If the instance refuses to say, or says what cannot be.
    fn step_max(&mut self) -> CallResult<Option<f64>> {
        Ok(None)
    }

    /// What the solver around the instance's equations has done, if we have one there.
    fn solver_work(&self) -> Option<crate::SolverWork> {
        None
    }

    /// What the instance said when it discarded its last step, for a message.
    fn take_discarded(&mut self) -> Option<Box<CallError>> {
        None
    }

    /// Leaves step mode to handle events.
    ///
    /// # Errors
    /// If the instance has no event mode.
    fn enter_event_mode(&mut self) -> CallResult<()> {
        Err(CallError::unsupported("enter event mode"))
    }

    /// One event iteration. Clocks are activated before it by setting [`ValuesRef::Clock`].
    ///
    /// # Errors
    /// If the instance has no event mode.
    fn update_discrete_states(&mut self) -> CallResult<EventUpdate> {
        Err(CallError::unsupported("update discrete states"))
    }

    /// Returns from event mode to stepping.
    ///
    /// # Errors
    /// If the instance has no event mode.
    fn enter_step_mode(&mut self) -> CallResult<()> {
        Err(CallError::unsupported("enter step mode"))
    }

    /// The derivative of `unknowns` in the direction `seed` of `knowns`.
    ///
    /// # Errors
    /// If the instance has no directional derivatives.
    fn directional_derivative(
        &mut self,
        _unknowns: &[Reference],
        _knowns: &[Reference],
        _seed: &[f64],
        _sensitivity: &mut [f64],
    ) -> CallResult<()> {
        Err(CallError::unsupported("compute directional derivatives"))
    }

    /// Saves the complete state.
    ///
    /// # Errors
    /// If the instance cannot.
    fn save(&mut self) -> CallResult<SavedState> {
        Err(CallError::unsupported("save its state"))
    }

    /// Goes back to a state saved from this instance.
    ///
    /// # Errors
    /// If the state is another instance's or the instance refuses.
    fn restore(&mut self, _state: &SavedState) -> CallResult<()> {
        Err(CallError::unsupported("restore a state"))
    }

    /// Turns a saved state into bytes.
    ///
    /// # Errors
    /// If the instance cannot.
    fn serialize(&mut self, _state: &SavedState) -> CallResult<Vec<u8>> {
        Err(CallError::unsupported("serialize a state"))
    }

    /// Turns bytes into a state that this instance can restore.
    ///
    /// # Errors
    /// If the instance cannot or the bytes are not its own.
    fn deserialize(&mut self, _bytes: &[u8]) -> CallResult<SavedState> {
        Err(CallError::unsupported("deserialize a state"))
    }

    /// How many bytes a saved state holds that no other one of this instance holds; 0 if that is not
    /// known.
    fn unshared_bytes(&self, _state: &SavedState) -> u64 {
        0
    }

    /// What the instance does that some [providers](crate::Provider) do not save, for a person, each
    /// with those it rules out.
    fn saving_hazards(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// How many bytes of memory the process has in which the instance lives, if that is one of its own.
    fn resident_bytes(&self) -> Option<u64> {
        None
    }

    /// How long the last call took where the instance lives, if that is another process and the way
    /// there is no part of it.
    fn time_of_last_call(&self) -> Option<Duration> {
        None
    }

    /// Ends the run for this instance. Called once, on every path; values may be got afterwards.
    ///
    /// # Errors
    /// If the instance failed to end.
    fn terminate(&mut self) -> CallResult<()>;
}

/// How many numbers each of so many steps gives.
///
/// # Panics
/// If there is not one row of equal length per step.
pub fn row_width(count: usize, steps: usize) -> usize {
    let width = count / steps.max(1);
    assert_eq!(count, width * steps, "outputs have one row per step");
    width
}
