//! The traits that FMUs, native blocks and everything later implement: a [`Model`] is a kind, an
//! [`Instance`] is one live example of it in a run. What it has in common with one whose equations a solver
//! outside integrates is in [`LiveModel`].
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
mod whole;

pub use crate::call::{CallError, CallResult, CallStatus, LogEntry, LogLevel, LogSink};
pub use crate::description::{
    Capabilities, DefaultExperiment, Enumeration, ModelDescription, Refresh, STATE_FACT, SolvedBy,
};
pub use crate::live::LiveModel;
pub use crate::setup::{Instantiation, Setup};
pub use crate::state::SavedState;
pub use prepare::{Kept, Preparation, Setting, SetupOrder};
pub use step::{EventUpdate, Step, StepOutcome, StepReason};
pub use whole::{Batch, Columns, WholeStep};

use crate::cancel::CancelFlag;
use crate::continuous::{ContinuousInstance, CoupledEvents};
use crate::id::Reference;
use crate::value::{ValuesMut, ValuesRef};

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

/// One live example of a model in a run, moved on by steps.
pub trait Instance: LiveModel {
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
    fn joined(&mut self) -> Option<(&mut dyn ContinuousInstance, &mut CoupledEvents)> {
        None
    }

    /// A whole communication step in one call, for the common case that all values are doubles: sets
    /// `inputs`, steps and, if the step plainly came to its end, reads `outputs` and gives `None`;
    /// else gives how the step ended, with nothing read.
    ///
    /// # Errors
    /// As [`LiveModel::set`], [`Instance::step`] and [`LiveModel::get`].
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

    /// A whole communication step in one call, whatever the types: sets, steps and, if the step plainly came to
    /// its end, reads and gives `None`; else gives how the step ended, with nothing read.
    ///
    /// # Errors
    /// As [`LiveModel::set`], [`Instance::step`] and [`LiveModel::get`].
    #[inline]
    fn step_whole(
        &mut self,
        whole: &WholeStep<'_>,
        columns: &mut Columns,
    ) -> CallResult<Option<StepOutcome>> {
        for batch in whole.sets {
            self.set(batch.of(whole.references), batch.values(columns))?;
        }
        let outcome = self.step(whole.step)?;
        if !outcome.is_plain(whole.step) {
            return Ok(Some(outcome));
        }
        for batch in whole.gets {
            self.get(batch.of(whole.references), batch.values_mut(columns))?;
        }
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
