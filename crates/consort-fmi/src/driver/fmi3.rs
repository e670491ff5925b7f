//! FMI 3.0 behind the normalized interface.

mod exchange;

use super::calls::{
    Asked, Calls, Experiment, Progress, RawState, Reply, Request, ask, ask_optional, by_type,
    check_lengths, refused, state_and_end, too_many_bytes,
};
use super::scratch::{Binaries, FEW, Texts, blank, copy_texts};
use crate::binding::context::consort_fmi3_logger;
use crate::binding::fmi3::{Fmi3, Instance};
use crate::binding::{Interface, Status};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, ContinuousEvent, Direction, Reference, Step, Values, ValuesMut,
    ValuesRef,
};
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// An FMI 3.0 instance.
#[repr(C)] // What every step reads comes first.
pub(crate) struct Fmi3Calls {
    instance: Instance,
    /// Shared by all instances, so that it stays in the cache when there are thousands of them.
    table: Arc<Fmi3>,
    texts: Texts,
    binaries: Binaries,
    _request: Request,
}

// SAFETY: an FMU's instance may be used from any thread, one at a time; the pointers in the
// buffers are used within a call only.
unsafe impl Send for Fmi3Calls {}

/// Sets or gets values that C and Rust lay out alike.
macro_rules! plain {
    ($self:ident, $references:ident, $values:ident, $pointer:ident, $call:literal, $function:ident) => {
        ask_optional!(
            $self,
            $call,
            $function,
            $references.as_ptr(),
            $references.len(),
            $values.$pointer(),
            $values.len()
        )
    };
}

/// Methods that set and get values that C and Rust lay out alike.
macro_rules! plain_access {
    ($($element:ty: $set_call:literal $set:ident, $get_call:literal $get:ident;)*) => {
        $(
            #[inline]
            fn $set(&mut self, references: &[Reference], values: &[$element]) -> Asked {
                plain!(self, references, values, as_ptr, $set_call, $set)
            }

            #[inline]
            fn $get(&mut self, references: &[Reference], values: &mut [$element]) -> Asked {
                plain!(self, references, values, as_mut_ptr, $get_call, $get)
            }
        )*
    };
}

impl Fmi3Calls {
    /// Makes a live instance.
    pub(crate) fn instantiate(table: Arc<Fmi3>, request: Request) -> CallResult<Self> {
        let (call, instance) = match request.interface {
            Interface::CoSimulation => {
                ("fmi3InstantiateCoSimulation", co_simulation(&table, &request))
            }
            Interface::ModelExchange => {
                ("fmi3InstantiateModelExchange", model_exchange(&table, &request))
            }
        };
        if instance.is_null() {
            return Err(CallError::new(call, CallStatus::NoInstance));
        }
        Ok(Fmi3Calls {
            instance,
            table,
            texts: Texts::default(),
            binaries: Binaries::default(),
            _request: request,
        })
    }

    plain_access! {
        f64: "fmi3SetFloat64" set_float64, "fmi3GetFloat64" get_float64;
        f32: "fmi3SetFloat32" set_float32, "fmi3GetFloat32" get_float32;
        i8: "fmi3SetInt8" set_int8, "fmi3GetInt8" get_int8;
        u8: "fmi3SetUInt8" set_uint8, "fmi3GetUInt8" get_uint8;
        i16: "fmi3SetInt16" set_int16, "fmi3GetInt16" get_int16;
        u16: "fmi3SetUInt16" set_uint16, "fmi3GetUInt16" get_uint16;
        i32: "fmi3SetInt32" set_int32, "fmi3GetInt32" get_int32;
        u32: "fmi3SetUInt32" set_uint32, "fmi3GetUInt32" get_uint32;
        i64: "fmi3SetInt64" set_int64, "fmi3GetInt64" get_int64;
        u64: "fmi3SetUInt64" set_uint64, "fmi3GetUInt64" get_uint64;
    }

    fn set_strings(&mut self, references: &[Reference], values: &[String]) -> Asked {
        let Some(pointers) = self.texts.hand_over(values) else {
            return Err(refused("fmi3SetString", "a string contains a NUL".to_owned()));
        };
        let (place, count) = (references.as_ptr(), references.len());
        ask_optional!(self, "fmi3SetString", set_string, place, count, pointers, values.len())
    }

    fn get_strings(&mut self, references: &[Reference], values: &mut [String]) -> Asked {
        let mut few = [ptr::null(); FEW];
        let (is_few, length) = (values.len() <= FEW, values.len());
        let to = if is_few { few.as_mut_ptr() } else { self.texts.place(length) };
        let (place, count) = (references.as_ptr(), references.len());
        let reply = ask_optional!(self, "fmi3GetString", get_string, place, count, to, length)?;
        if reply.status.is_success() {
            let pointers = if is_few { &few[..length] } else { self.texts.pointers() };
            // SAFETY: the FMU has filled the place.
            unsafe { copy_texts(pointers, values) };
        }
        Ok(reply)
    }

    fn set_binaries(&mut self, references: &[Reference], values: &[Vec<u8>]) -> Asked {
        self.binaries.hand_over(values);
        ask_optional!(
            self,
            "fmi3SetBinary",
            set_binary,
            references.as_ptr(),
            references.len(),
            self.binaries.sizes.as_ptr(),
            self.binaries.pointers.as_ptr(),
            values.len()
        )
    }

    fn get_binaries(&mut self, references: &[Reference], values: &mut [Vec<u8>]) -> Asked {
        self.binaries.make_place(values.len());
        let reply = ask_optional!(
            self,
            "fmi3GetBinary",
            get_binary,
            references.as_ptr(),
            references.len(),
            self.binaries.sizes.as_mut_ptr(),
            self.binaries.pointers.as_mut_ptr(),
            values.len()
        )?;
        if reply.status.is_success() {
            if let Some(size) = self.binaries.absurd_size() {
                return Err(too_many_bytes(reply.call, size));
            }
            // SAFETY: the FMU has filled the places.
            unsafe { self.binaries.copy_to(values) };
        }
        Ok(reply)
    }

    fn set_booleans(&mut self, references: &[Reference], values: &[bool]) -> Asked {
        plain!(self, references, values, as_ptr, "fmi3SetBoolean", set_boolean)
    }

    fn get_booleans(&mut self, references: &[Reference], values: &mut [bool]) -> Asked {
        let (place, count) = (references.as_ptr(), references.len());
        let bytes: *mut u8 = values.as_mut_ptr().cast();
        let length = values.len();
        let reply = ask_optional!(self, "fmi3GetBoolean", get_boolean, place, count, bytes, length);
        // SAFETY: the bytes are those of `values`.
        unsafe { make_booleans(bytes, length) };
        reply
    }

    fn set_clocks(&mut self, references: &[Reference], values: &[bool]) -> Asked {
        let (place, count) = (references.as_ptr(), references.len());
        check_lengths("fmi3SetClock", count, values.len())?;
        ask_optional!(self, "fmi3SetClock", set_clock, place, count, values.as_ptr())
    }

    fn get_clocks(&mut self, references: &[Reference], values: &mut [bool]) -> Asked {
        let (place, count) = (references.as_ptr(), references.len());
        check_lengths("fmi3GetClock", count, values.len())?;
        let bytes: *mut u8 = values.as_mut_ptr().cast();
        let reply = ask_optional!(self, "fmi3GetClock", get_clock, place, count, bytes);
        // SAFETY: the bytes are those of `values`.
        unsafe { make_booleans(bytes, count) };
        reply
    }
}

/// A new instance for Co-Simulation, or null.
fn co_simulation(table: &Fmi3, request: &Request) -> Instance {
    let Some(instantiate) = table.instantiate_co_simulation else { return ptr::null_mut() };
    // SAFETY: as the standard asks: texts end in NUL, the context outlives the instance.
    unsafe {
        instantiate(
            request.name.as_ptr(),
            request.token.as_ptr(),
            request.resources.as_ptr(),
            false,
            request.verbose,
            request.event_mode,
            request.early_return,
            ptr::null(),
            0,
            request.context.number().to_environment(),
            Some(consort_fmi3_logger),
            None,
        )
    }
}

/// A new instance for Model Exchange, or null.
fn model_exchange(table: &Fmi3, request: &Request) -> Instance {
    let Some(instantiate) = table.instantiate_model_exchange else { return ptr::null_mut() };
    // SAFETY: as above.
    unsafe {
        instantiate(
            request.name.as_ptr(),
            request.token.as_ptr(),
            request.resources.as_ptr(),
            false,
            request.verbose,
            request.context.number().to_environment(),
            Some(consort_fmi3_logger),
        )
    }
}

/// Makes every byte 0 or 1, whatever an FMU wrote there: another value is no `bool`.
///
/// # Safety
/// `bytes` points to `count` bytes that may be written.
unsafe fn make_booleans(bytes: *mut u8, count: usize) {
    for index in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let byte = bytes.add(index);
            *byte = u8::from(*byte != 0);
        }
    }
}

impl Calls for Fmi3Calls {
    const STEP: &str = "fmi3DoStep";

    fn set_debug_logging(&mut self) -> Asked {
        ask_optional!(self, "fmi3SetDebugLogging", set_debug_logging, true, 0, ptr::null())
    }

    fn enter_configuration(&mut self) -> Asked {
        ask_optional!(self, "fmi3EnterConfigurationMode", enter_configuration_mode)
    }

    fn exit_configuration(&mut self) -> Asked {
        ask_optional!(self, "fmi3ExitConfigurationMode", exit_configuration_mode)
    }

    /// The experiment is an argument of what begins initialization.
    fn set_up(&mut self, _experiment: &Experiment) -> Option<Reply> {
        None
    }

    fn enter_initialization(&mut self, experiment: &Experiment) -> Asked {
        Ok(ask!(
            self,
            "fmi3EnterInitializationMode",
            enter_initialization_mode,
            experiment.tolerance.is_some(),
            experiment.tolerance.unwrap_or(0.0),
            experiment.start,
            experiment.stop.is_some(),
            experiment.stop.unwrap_or(0.0)
        ))
    }

    fn exit_initialization(&mut self) -> Asked {
        Ok(ask!(self, "fmi3ExitInitializationMode", exit_initialization_mode))
    }

    #[inline]
    fn set_floats(&mut self, references: &[Reference], values: &[f64]) -> Asked {
        self.set_float64(references, values)
    }

    #[inline]
    fn get_floats(&mut self, references: &[Reference], values: &mut [f64]) -> Asked {
        self.get_float64(references, values)
    }

    by_type! {
        Float64: set_float64, get_float64;
        Float32: set_float32, get_float32;
        Int8: set_int8, get_int8;
        UInt8: set_uint8, get_uint8;
        Int16: set_int16, get_int16;
        UInt16: set_uint16, get_uint16;
        Int32: set_int32, get_int32;
        UInt32: set_uint32, get_uint32;
        Int64: set_int64, get_int64;
        Enumeration: set_int64, get_int64;
        UInt64: set_uint64, get_uint64;
        Boolean: set_booleans, get_booleans;
        String: set_strings, get_strings;
        Binary: set_binaries, get_binaries;
        Clock: set_clocks, get_clocks;
    }

    fn set_input_derivatives(
        &mut self,
        _references: &[Reference],
        _orders: &[i32],
        _values: &[f64],
    ) -> Asked {
        Err(CallError::unsupported("set input derivatives"))
    }

    #[inline]
    fn step(&mut self, step: &Step, may_go_back: bool, progress: &mut Progress) -> Status {
        let (mut event, mut terminate, mut early) = (0u8, 0u8, 0u8);
        let Some(do_step) = self.table.do_step else { return no_step() };
        // SAFETY: as in `ask`.
        let status = unsafe {
            do_step(
                self.instance,
                step.start,
                step.length,
                !may_go_back,
                &raw mut event,
                &raw mut terminate,
                &raw mut early,
                &raw mut progress.reached,
            )
        };
        progress.event = event != 0;
        progress.terminate = terminate != 0;
        progress.early = early != 0;
        status
    }

    fn bounds_steps(&self) -> bool {
        false
    }

    fn step_max(&mut self, _size: &mut f64) -> Asked {
        Err(CallError::unsupported("ask for the longest step"))
    }

    fn enter_event_mode(&mut self) -> Asked {
        ask_optional!(self, "fmi3EnterEventMode", enter_event_mode)
    }

    fn update_discrete_states(&mut self, event: &mut ContinuousEvent) -> Asked {
        let (mut again, mut terminate, mut next_defined) = (0u8, 0u8, 0u8);
        let (mut nominals_changed, mut values_changed, mut next) = (0u8, 0u8, 0.0);
        let reply = ask_optional!(
            self,
            "fmi3UpdateDiscreteStates",
            update_discrete_states,
            &raw mut again,
            &raw mut terminate,
            &raw mut nominals_changed,
            &raw mut values_changed,
            &raw mut next_defined,
            &raw mut next
        )?;
        *event = ContinuousEvent {
            again: again != 0,
            terminate: terminate != 0,
            next_event: (next_defined != 0).then_some(next),
            states_changed: values_changed != 0,
            nominals_changed: nominals_changed != 0,
            sizes_changed: false,
        };
        Ok(reply)
    }

    fn enter_step_mode(&mut self) -> Asked {
        ask_optional!(self, "fmi3EnterStepMode", enter_step_mode)
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> Asked {
        let Direction { unknowns, knowns, seed } = along;
        ask_optional!(
            self,
            "fmi3GetDirectionalDerivative",
            get_directional_derivative,
            unknowns.as_ptr(),
            unknowns.len(),
            knowns.as_ptr(),
            knowns.len(),
            seed.as_ptr(),
            seed.len(),
            to.as_mut_ptr(),
            to.len()
        )
    }

    state_and_end!(
        get: "fmi3GetFMUState",
        set: "fmi3SetFMUState",
        free: "fmi3FreeFMUState",
        size: "fmi3SerializedFMUStateSize",
        serialize: "fmi3SerializeFMUState",
        deserialize: "fmi3DeserializeFMUState",
        terminate: "fmi3Terminate"
    );
}

/// Loading a Co-Simulation FMU checks that it has the function.
#[cold]
fn no_step() -> Status {
    Status::ERROR
}
