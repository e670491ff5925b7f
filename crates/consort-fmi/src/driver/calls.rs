//! The normalized interface between the driver and the two versions of the standard.
//!
//! An implementation translates names, types and arguments and nothing else; what a status means
//! and what is allowed when is the driver's business.

use crate::binding::context::Context;
use crate::binding::{Interface, Status};
use consort_core::{
    CallError, CallStatus, CompletedStep, ContinuousEvent, Direction, Reference, Setup, Sizes,
    Step, Values, ValuesMut, ValuesRef, model::CallResult,
};
use std::ffi::{CStr, CString, c_void};
use std::ops::Range;
use std::sync::Arc;

/// What a function of the FMU answered.
#[derive(Clone, Copy)]
pub(super) struct Reply {
    pub(super) call: &'static str,
    pub(super) status: Status,
}

/// An answer, or why there was no call.
pub(super) type Asked = CallResult<Reply>;

/// What an instance is made from; the texts outlive it, because some FMUs keep the pointers.
pub(crate) struct Request {
    pub(crate) name: CString,
    pub(crate) token: Arc<CStr>,
    /// A URI for FMI 2, a path for FMI 3.
    pub(crate) resources: Arc<CStr>,
    pub(crate) interface: Interface,
    pub(crate) verbose: bool,
    pub(crate) event_mode: bool,
    pub(crate) early_return: bool,
    pub(crate) context: Arc<Context>,
}

/// The experiment in seconds.
pub(super) struct Experiment {
    pub(super) tolerance: Option<f64>,
    pub(super) start: f64,
    pub(super) stop: Option<f64>,
}

impl Experiment {
    pub(super) fn new(setup: &Setup) -> Self {
        Experiment {
            tolerance: setup.tolerance,
            start: setup.resolution.to_f64(setup.start),
            stop: setup.stop.map(|stop| setup.resolution.to_f64(stop)),
        }
    }

    /// The experiment as text for messages.
    pub(super) fn describe(&self) -> String {
        match self.stop {
            Some(stop) => format!("start = {}, stop = {stop}", self.start),
            None => format!("start = {}", self.start),
        }
    }
}

/// How far a step came, as the FMU reports it.
pub(super) struct Progress {
    pub(super) event: bool,
    pub(super) terminate: bool,
    pub(super) early: bool,
    /// The time that was reached, in seconds.
    pub(super) reached: f64,
}

impl Progress {
    /// Nothing reported yet; the time is that of the step's start.
    #[inline]
    pub(super) fn none(step: &Step) -> Self {
        Progress { event: false, terminate: false, early: false, reached: step.start }
    }

    /// Whether the step went to its end and nothing happened.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        !(self.event | self.terminate | self.early)
    }
}

/// A saved state, as the FMU sees it.
pub(super) type RawState = *mut c_void;

/// The functions of one instance.
pub(super) trait Calls: Send {
    /// What the call for a step is named.
    const STEP: &str;

    fn set_debug_logging(&mut self) -> Asked;
    fn enter_configuration(&mut self) -> Asked;
    fn exit_configuration(&mut self) -> Asked;
    /// Before anything is set; `None` where the standard has no call for it.
    fn set_up(&mut self, experiment: &Experiment) -> Option<Reply>;
    fn enter_initialization(&mut self, experiment: &Experiment) -> Asked;
    fn exit_initialization(&mut self) -> Asked;
    /// The common type has calls of its own, which are inlined.
    fn set_floats(&mut self, references: &[Reference], values: &[f64]) -> Asked;
    fn get_floats(&mut self, references: &[Reference], values: &mut [f64]) -> Asked;
    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> Asked;
    /// Takes away what was at the place before, here and below: an FMU that answers "OK" and gives no value has
    /// not given the last one.
    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> Asked;
    /// The same for values in a column, whose type is looked at only once.
    fn set_batch(
        &mut self,
        references: &[Reference],
        column: &Values,
        range: Range<usize>,
    ) -> Asked;
    fn get_batch(
        &mut self,
        references: &[Reference],
        column: &mut Values,
        range: Range<usize>,
    ) -> Asked;
    fn set_input_derivatives(
        &mut self,
        references: &[Reference],
        orders: &[i32],
        values: &[f64],
    ) -> Asked;
    fn step(&mut self, step: &Step, may_go_back: bool, progress: &mut Progress) -> Status;
    /// Whether the FMU reports how long its steps may be.
    fn bounds_steps(&self) -> bool;
    fn step_max(&mut self, size: &mut f64) -> Asked;
    fn enter_event_mode(&mut self) -> Asked;
    fn update_discrete_states(&mut self, event: &mut ContinuousEvent) -> Asked;
    fn enter_step_mode(&mut self) -> Asked;
    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> Asked;
    fn get_state(&mut self, state: &mut RawState) -> Asked;
    /// `state` is one of this instance's and not freed, here and below.
    fn set_state(&mut self, state: RawState) -> Asked;
    fn free_state(&mut self, state: RawState) -> Asked;
    fn serialized_size(&mut self, state: RawState, size: &mut usize) -> Asked;
    fn serialize(&mut self, state: RawState, bytes: &mut [u8]) -> Asked;
    fn deserialize(&mut self, bytes: &[u8], state: &mut RawState) -> Asked;
    fn terminate(&mut self) -> Reply;
    /// Frees the instance; nothing may be called afterwards.
    fn free(&mut self);
}

/// The functions of one instance that are for Model Exchange.
pub(super) trait ExchangeCalls: Calls {
    fn set_time(&mut self, time: f64) -> Asked;
    fn set_states(&mut self, states: &[f64]) -> Asked;
    fn get_states(&mut self, states: &mut [f64]) -> Asked;
    fn get_derivatives(&mut self, derivatives: &mut [f64]) -> Asked;
    fn get_indicators(&mut self, indicators: &mut [f64]) -> Asked;
    fn get_nominals(&mut self, nominals: &mut [f64]) -> Asked;
    fn completed_step(&mut self, may_go_back: bool, completed: &mut CompletedStep) -> Asked;
    fn enter_continuous_mode(&mut self) -> Asked;
    /// Asks how many states and indicators there are.
    fn sizes(&mut self, sizes: &mut Sizes) -> Asked;
}

/// Calls a required function of the table with the instance and the arguments given.
macro_rules! ask {
    ($self:ident, $call:literal, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: the function has the type the standard gives it, the instance is live, and
        // pointers come from slices and locals that outlive the call.
        let status = unsafe { ($self.table.$function)($self.instance $(, $argument)*) };
        Reply { call: $call, status }
    }};
}

/// As `ask`, for a function that may be missing.
macro_rules! ask_optional {
    ($self:ident, $call:literal, $function:ident $(, $argument:expr)*) => {
        match $self.table.$function {
            Some(function) => {
                // SAFETY: as in `ask`.
                let status = unsafe { function($self.instance $(, $argument)*) };
                Ok(Reply { call: $call, status })
            }
            None => Err(CallError::unsupported($call)),
        }
    };
}

/// Setting and getting values of any type by a method for each.
macro_rules! by_type {
    (
        $($variant:ident: $set:ident, $get:ident;)*
        $(_: $refuse:ident($set_call:literal, $get_call:literal);)?
    ) => {
        fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> Asked {
            match values {
                $(ValuesRef::$variant(values) => self.$set(references, values),)*
                $(other => Err($refuse($set_call, other.value_type())),)?
            }
        }

        fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> Asked {
            match values {
                $(ValuesMut::$variant(values) => {
                    blank(values);
                    self.$get(references, values)
                })*
                $(other => Err($refuse($get_call, other.value_type())),)?
            }
        }

        #[inline]
        fn set_batch(
            &mut self,
            references: &[Reference],
            column: &Values,
            range: Range<usize>,
        ) -> Asked {
            match column {
                $(Values::$variant(list) => self.$set(references, &list[range]),)*
                $(other => Err($refuse($set_call, other.value_type())),)?
            }
        }

        #[inline]
        fn get_batch(
            &mut self,
            references: &[Reference],
            column: &mut Values,
            range: Range<usize>,
        ) -> Asked {
            match column {
                $(Values::$variant(list) => {
                    let values = &mut list[range];
                    blank(values);
                    self.$get(references, values)
                })*
                $(other => Err($refuse($get_call, other.value_type())),)?
            }
        }
    };
}

/// The calls that differ between the versions by name only: saving the state, and the end.
macro_rules! state_and_end {
    (
        get: $get:literal, set: $set:literal, free: $free:literal, size: $size:literal,
        serialize: $serialize:literal, deserialize: $deserialize:literal,
        terminate: $terminate:literal
    ) => {
        fn get_state(&mut self, state: &mut RawState) -> Asked {
            ask_optional!(self, $get, get_state, state)
        }

        fn set_state(&mut self, state: RawState) -> Asked {
            ask_optional!(self, $set, set_state, state)
        }

        fn free_state(&mut self, mut state: RawState) -> Asked {
            ask_optional!(self, $free, free_state, &raw mut state)
        }

        fn serialized_size(&mut self, state: RawState, size: &mut usize) -> Asked {
            ask_optional!(self, $size, serialized_state_size, state, size)
        }

        fn serialize(&mut self, state: RawState, bytes: &mut [u8]) -> Asked {
            let (place, size) = (bytes.as_mut_ptr(), bytes.len());
            ask_optional!(self, $serialize, serialize_state, state, place, size)
        }

        fn deserialize(&mut self, bytes: &[u8], state: &mut RawState) -> Asked {
            let (place, size) = (bytes.as_ptr(), bytes.len());
            ask_optional!(self, $deserialize, deserialize_state, place, size, state)
        }

        fn terminate(&mut self) -> Reply {
            ask!(self, $terminate, terminate)
        }

        fn free(&mut self) {
            // SAFETY: the driver frees once and calls nothing afterwards.
            unsafe { (self.table.free_instance)(self.instance) };
        }
    };
}
/// The calls for Model Exchange that differ between the versions by name only.
macro_rules! exchange {
    (
        time: $time:literal, set_states: $set_states:literal, states: $states:literal,
        derivatives: $derivatives:literal, indicators: $indicators:literal, nominals: $nominals:literal,
        continuous: $continuous:literal
    ) => {
        #[inline]
        fn set_time(&mut self, time: f64) -> Asked {
            ask_optional!(self, $time, set_time, time)
        }

        #[inline]
        fn set_states(&mut self, states: &[f64]) -> Asked {
            let (place, count) = (states.as_ptr(), states.len());
            ask_optional!(self, $set_states, set_continuous_states, place, count)
        }

        fn get_states(&mut self, states: &mut [f64]) -> Asked {
            let (place, count) = (states.as_mut_ptr(), states.len());
            ask_optional!(self, $states, get_continuous_states, place, count)
        }

        #[inline]
        fn get_derivatives(&mut self, derivatives: &mut [f64]) -> Asked {
            let (place, count) = (derivatives.as_mut_ptr(), derivatives.len());
            ask_optional!(self, $derivatives, get_derivatives, place, count)
        }

        #[inline]
        fn get_indicators(&mut self, indicators: &mut [f64]) -> Asked {
            let (place, count) = (indicators.as_mut_ptr(), indicators.len());
            ask_optional!(self, $indicators, get_event_indicators, place, count)
        }

        fn get_nominals(&mut self, nominals: &mut [f64]) -> Asked {
            let (place, count) = (nominals.as_mut_ptr(), nominals.len());
            ask_optional!(self, $nominals, get_nominals, place, count)
        }

        fn enter_continuous_mode(&mut self) -> Asked {
            ask_optional!(self, $continuous, enter_continuous_time_mode)
        }
    };
}
pub(super) use {ask, ask_optional, by_type, exchange, state_and_end};

/// The most bytes that an FMU may declare for a binary or a saved state: larger numbers are mistakes, and room for
/// them is not made.
pub(super) const BYTES_MAX: usize = 1 << 30;

/// The error for sizes that cannot be.
#[cold]
pub(super) fn too_many_bytes(call: &'static str, size: usize) -> Box<CallError> {
    let most = BYTES_MAX >> 20;
    refused(
        call,
        format!("it answered with a size of {size} bytes, and at most {most} MiB are taken"),
    )
}

/// The error for arguments that cannot be handed over.
#[cold]
pub(super) fn refused(call: &'static str, reason: String) -> Box<CallError> {
    CallError::new(call, CallStatus::Refused(reason))
}

/// One value per reference, where the standard passes only one length.
#[inline]
pub(super) fn check_lengths(
    call: &'static str,
    references: usize,
    values: usize,
) -> CallResult<()> {
    if references == values {
        return Ok(());
    }
    Err(lengths_differ(call, references, values))
}

#[cold]
fn lengths_differ(call: &'static str, references: usize, values: usize) -> Box<CallError> {
    refused(call, format!("{values} values for {references} references"))
}
