//! What every live model offers, whether it steps itself or a solver outside integrates it.

use crate::call::{CallError, CallResult};
use crate::id::Reference;
use crate::setup::Setup;
use crate::state::SavedState;
use crate::value::{ValuesMut, ValuesRef};
use std::time::Duration;

/// In which direction a derivative is taken: that of `unknowns`, by `knowns` that change by `seed`.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'a> {
    /// The variables whose derivatives are computed.
    pub unknowns: &'a [Reference],
    /// The variables with respect to which they are computed.
    pub knowns: &'a [Reference],
    /// How each element of the knowns changes.
    pub seed: &'a [f64],
}

/// One live example of a model: its life cycle, its values and its saved states. An
/// [`Instance`](crate::Instance) adds steps, a [`ContinuousInstance`](crate::ContinuousInstance) its
/// equations.
///
/// Every method but the life cycle may be called often; none allocates in its steady state.
/// References and values of one call have one type; arrays take as many elements as they have.
pub trait LiveModel: Send {
    /// Says what the experiment is, before anything is set; see [`Preparation`](crate::Preparation). What was
    /// not set up is set up when initialization begins, and setting up again has no effect.
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

    /// Ends initialization. An instance that uses event mode is in event mode afterwards; one that is given by
    /// its equations always is.
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

    /// Reads variables as [`LiveModel::get`] does, to see whether they were kept: the instance continues even
    /// if it refuses.
    ///
    /// # Errors
    /// If the instance refuses a reference; [`CallStatus::Unsupported`](crate::CallStatus) of one that keeps
    /// what it is given.
    fn read_back(&mut self, _references: &[Reference], _values: ValuesMut<'_>) -> CallResult<()> {
        Err(CallError::unsupported("read parameters back"))
    }

    /// Stops time to handle events.
    ///
    /// # Errors
    /// If the instance has no event mode.
    fn enter_event_mode(&mut self) -> CallResult<()> {
        Err(CallError::unsupported("enter event mode"))
    }

    /// The directional derivative, one number for each element of the unknowns.
    ///
    /// # Errors
    /// If the instance has no directional derivatives.
    fn directional_derivative(&mut self, _along: Direction<'_>, _to: &mut [f64]) -> CallResult<()> {
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
