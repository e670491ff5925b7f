//! FMI 2.0 behind the normalized interface.

mod exchange;

use super::calls::{
    Asked, Calls, Experiment, Progress, RawState, Reply, Request, ask, ask_optional, by_type,
    check_lengths, refused, state_and_end,
};
use super::scratch::{FEW, Texts, blank, copy_texts};
use crate::binding::context::consort_fmi2_logger;
use crate::binding::fmi2::{
    CO_SIMULATION, Callbacks, Component, EventInfo, Fmi2, LAST_SUCCESSFUL_TIME, MODEL_EXCHANGE,
    TERMINATED, calloc, free,
};
use crate::binding::{Interface, Status};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, ContinuousEvent, Direction, Reference, Step, ValueType, Values,
    ValuesMut, ValuesRef,
};
use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

/// An FMI 2.0 instance.
#[repr(C)] // What every step reads comes first.
pub(crate) struct Fmi2Calls {
    instance: Component,
    /// Shared by all instances, so that it stays in the cache when there are thousands of them.
    table: Arc<Fmi2>,
    integers: Vec<i32>,
    texts: Texts,
    _request: Request,
}

// SAFETY: an FMU's instance may be used from any thread, one at a time; the pointers in the
// buffers are used within a call only, those in the callbacks point to a shared, locked context.
unsafe impl Send for Fmi2Calls {}

impl Fmi2Calls {
    /// Makes a live instance.
    pub(crate) fn instantiate(table: Arc<Fmi2>, request: Request) -> CallResult<Self> {
        // Never freed: threads of an FMU may log when its instance is gone.
        let callbacks = Box::leak(Box::new(Callbacks {
            logger: consort_fmi2_logger,
            allocate: calloc,
            free,
            step_finished: None,
            environment: request.context.number().to_environment(),
        }));
        let kind = match request.interface {
            Interface::CoSimulation => CO_SIMULATION,
            Interface::ModelExchange => MODEL_EXCHANGE,
        };
        // SAFETY: as the standard asks: texts end in NUL, the callbacks outlive the instance.
        let instance = unsafe {
            (table.instantiate)(
                request.name.as_ptr(),
                kind,
                request.token.as_ptr(),
                request.resources.as_ptr(),
                callbacks,
                0,
                c_int::from(request.verbose),
            )
        };
        if instance.is_null() {
            return Err(CallError::new("fmi2Instantiate", CallStatus::NoInstance));
        }
        Ok(Fmi2Calls {
            instance,
            table,
            integers: Vec::new(),
            texts: Texts::default(),
            _request: request,
        })
    }

    /// A step that did not simply come to its end.
    #[cold]
    fn look_into(&self, status: Status, progress: &mut Progress) {
        match status {
            Status::DISCARD => self.ask_about_discard(progress),
            Status::PENDING => self.call_off(),
            _ => {}
        }
    }

    /// Where a discarded step ended and whether it wants the run to end.
    fn ask_about_discard(&self, progress: &mut Progress) {
        if let Some(get_real_status) = self.table.get_real_status {
            let mut time = progress.reached;
            // SAFETY: the instance is live and the place is a local.
            let status =
                unsafe { get_real_status(self.instance, LAST_SUCCESSFUL_TIME, &raw mut time) };
            if status.is_success() {
                progress.reached = time;
            }
        }
        if let Some(get_boolean_status) = self.table.get_boolean_status {
            let mut terminated = 0;
            // SAFETY: as above.
            let status =
                unsafe { get_boolean_status(self.instance, TERMINATED, &raw mut terminated) };
            progress.terminate = status.is_success() && terminated != 0;
        }
    }

    /// An asynchronous step is not awaited: it is cancelled before anything is freed.
    fn call_off(&self) {
        if let Some(cancel_step) = self.table.cancel_step {
            // SAFETY: the instance is live.
            unsafe { cancel_step(self.instance) };
        }
    }

    #[inline]
    fn set_integers(&mut self, references: &[Reference], values: &[i32]) -> Asked {
        let (place, count) = (references.as_ptr(), references.len());
        check_lengths("fmi2SetInteger", count, values.len())?;
        ask_optional!(self, "fmi2SetInteger", set_integer, place, count, values.as_ptr())
    }

    #[inline]
    fn get_integers(&mut self, references: &[Reference], values: &mut [i32]) -> Asked {
        let (place, count) = (references.as_ptr(), references.len());
        check_lengths("fmi2GetInteger", count, values.len())?;
        ask_optional!(self, "fmi2GetInteger", get_integer, place, count, values.as_mut_ptr())
    }

    fn set_enumerations(&mut self, references: &[Reference], values: &[i64]) -> Asked {
        const CALL: &str = "fmi2SetInteger";
        check_lengths(CALL, references.len(), values.len())?;
        self.integers.clear();
        for &value in values {
            let value = i32::try_from(value)
                .map_err(|_| refused(CALL, format!("{value} does not fit in 32 bits")))?;
            self.integers.push(value);
        }
        let (place, count) = (references.as_ptr(), references.len());
        let integers = self.integers.as_ptr();
        ask_optional!(self, "fmi2SetInteger", set_integer, place, count, integers)
    }

    fn set_booleans(&mut self, references: &[Reference], values: &[bool]) -> Asked {
        check_lengths("fmi2SetBoolean", references.len(), values.len())?;
        self.integers.clear();
        self.integers.extend(values.iter().map(|&value| i32::from(value)));
        let (place, count) = (references.as_ptr(), references.len());
        let integers = self.integers.as_ptr();
        ask_optional!(self, "fmi2SetBoolean", set_boolean, place, count, integers)
    }

    #[inline]
    fn get_enumerations(&mut self, references: &[Reference], values: &mut [i64]) -> Asked {
        let get = Getter { call: "fmi2GetInteger", function: self.table.get_integer };
        self.get_converted(get, references, values, i64::from)
    }

    #[inline]
    fn get_booleans(&mut self, references: &[Reference], values: &mut [bool]) -> Asked {
        let get = Getter { call: "fmi2GetBoolean", function: self.table.get_boolean };
        self.get_converted(get, references, values, |value| value != 0)
    }

    /// Values that C gives as `int`, zero where the FMU writes nothing.
    #[inline]
    fn get_converted<T>(
        &mut self,
        get: Getter,
        references: &[Reference],
        values: &mut [T],
        convert: impl Fn(i32) -> T,
    ) -> Asked {
        let Getter { call, function } = get;
        let (place, count) = (references.as_ptr(), references.len());
        check_lengths(call, count, values.len())?;
        let Some(function) = function else { return Err(CallError::unsupported(call)) };
        if let [value] = values {
            let mut integer = 0;
            // SAFETY: as in `ask`.
            let status = unsafe { function(self.instance, place, 1, &raw mut integer) };
            *value = convert(integer);
            return Ok(Reply { call, status });
        }
        let mut few = [0; FEW];
        let integers = if count <= FEW {
            &mut few[..count]
        } else {
            self.integers.clear();
            self.integers.resize(count, 0);
            &mut self.integers[..]
        };
        // SAFETY: as in `ask`.
        let status = unsafe { function(self.instance, place, count, integers.as_mut_ptr()) };
        values.iter_mut().zip(integers).for_each(|(to, from)| *to = convert(*from));
        Ok(Reply { call, status })
    }

    fn set_strings(&mut self, references: &[Reference], values: &[String]) -> Asked {
        let Some(pointers) = self.texts.hand_over(values) else {
            return Err(refused("fmi2SetString", "a string contains a NUL".to_owned()));
        };
        let count = references.len();
        check_lengths("fmi2SetString", count, values.len())?;
        ask_optional!(self, "fmi2SetString", set_string, references.as_ptr(), count, pointers)
    }

    fn get_strings(&mut self, references: &[Reference], values: &mut [String]) -> Asked {
        let count = references.len();
        check_lengths("fmi2GetString", count, values.len())?;
        let mut few = [std::ptr::null(); FEW];
        let is_few = count <= FEW;
        let to = if is_few { few.as_mut_ptr() } else { self.texts.place(count) };
        let reply =
            ask_optional!(self, "fmi2GetString", get_string, references.as_ptr(), count, to)?;
        if reply.status.is_success() {
            let pointers = if is_few { &few[..count] } else { self.texts.pointers() };
            // SAFETY: the FMU has filled the place.
            unsafe { copy_texts(pointers, values) };
        }
        Ok(reply)
    }
}

/// A function that gives values as `int`.
#[derive(Clone, Copy)]
struct Getter {
    call: &'static str,
    function: Option<unsafe extern "C" fn(Component, *const Reference, usize, *mut i32) -> Status>,
}

impl Calls for Fmi2Calls {
    const STEP: &str = "fmi2DoStep";

    fn set_debug_logging(&mut self) -> Asked {
        ask_optional!(self, "fmi2SetDebugLogging", set_debug_logging, 1, 0, std::ptr::null())
    }

    fn enter_configuration(&mut self) -> Asked {
        Err(CallError::unsupported("enter configuration mode"))
    }

    fn exit_configuration(&mut self) -> Asked {
        Err(CallError::unsupported("exit configuration mode"))
    }

    fn set_up(&mut self, experiment: &Experiment) -> Option<Reply> {
        Some(ask!(
            self,
            "fmi2SetupExperiment",
            setup_experiment,
            c_int::from(experiment.tolerance.is_some()),
            experiment.tolerance.unwrap_or(0.0),
            experiment.start,
            c_int::from(experiment.stop.is_some()),
            experiment.stop.unwrap_or(0.0)
        ))
    }

    fn enter_initialization(&mut self, _experiment: &Experiment) -> Asked {
        Ok(ask!(self, "fmi2EnterInitializationMode", enter_initialization_mode))
    }

    fn exit_initialization(&mut self) -> Asked {
        Ok(ask!(self, "fmi2ExitInitializationMode", exit_initialization_mode))
    }

    #[inline]
    fn set_floats(&mut self, references: &[Reference], values: &[f64]) -> Asked {
        let (place, count) = (references.as_ptr(), references.len());
        check_lengths("fmi2SetReal", count, values.len())?;
        ask_optional!(self, "fmi2SetReal", set_real, place, count, values.as_ptr())
    }

    #[inline]
    fn get_floats(&mut self, references: &[Reference], values: &mut [f64]) -> Asked {
        let (place, count) = (references.as_ptr(), references.len());
        check_lengths("fmi2GetReal", count, values.len())?;
        ask_optional!(self, "fmi2GetReal", get_real, place, count, values.as_mut_ptr())
    }

    by_type! {
        Float64: set_floats, get_floats;
        Int32: set_integers, get_integers;
        Enumeration: set_enumerations, get_enumerations;
        Boolean: set_booleans, get_booleans;
        String: set_strings, get_strings;
        _: no_such_type("fmi2Set", "fmi2Get");
    }

    fn set_input_derivatives(
        &mut self,
        references: &[Reference],
        orders: &[i32],
        values: &[f64],
    ) -> Asked {
        const CALL: &str = "fmi2SetRealInputDerivatives";
        let count = references.len();
        check_lengths(CALL, count, values.len())?;
        check_lengths(CALL, count, orders.len())?;
        ask_optional!(
            self,
            "fmi2SetRealInputDerivatives",
            set_real_input_derivatives,
            references.as_ptr(),
            count,
            orders.as_ptr(),
            values.as_ptr()
        )
    }

    #[inline]
    fn step(&mut self, step: &Step, may_go_back: bool, progress: &mut Progress) -> Status {
        let never_back = c_int::from(!may_go_back);
        let Some(do_step) = self.table.do_step else { return no_step() };
        // SAFETY: as in `ask`.
        let status = unsafe { do_step(self.instance, step.start, step.length, never_back) };
        if status != Status::OK {
            self.look_into(status, progress);
        }
        status
    }

    fn bounds_steps(&self) -> bool {
        self.table.get_step_max.or(self.table.get_step_max_respelled).is_some()
    }

    fn step_max(&mut self, size: &mut f64) -> Asked {
        if self.table.get_step_max.is_none() {
            return ask_optional!(self, "fmi2GetMaxStepSize", get_step_max_respelled, size);
        }
        ask_optional!(self, "fmi2GetMaxStepsize", get_step_max, size)
    }

    fn enter_event_mode(&mut self) -> Asked {
        ask_optional!(self, "fmi2EnterEventMode", enter_event_mode)
    }

    fn update_discrete_states(&mut self, event: &mut ContinuousEvent) -> Asked {
        let mut info = EventInfo::default();
        let reply =
            ask_optional!(self, "fmi2NewDiscreteStates", new_discrete_states, &raw mut info)?;
        *event = ContinuousEvent {
            again: info.again != 0,
            terminate: info.terminate != 0,
            next_event: (info.next_defined != 0).then_some(info.next),
            states_changed: info.states_changed != 0,
            nominals_changed: info.nominals_changed != 0,
            sizes_changed: false,
        };
        Ok(reply)
    }

    fn enter_step_mode(&mut self) -> Asked {
        Err(CallError::unsupported("enter step mode"))
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> Asked {
        let Direction { unknowns, knowns, seed } = along;
        const CALL: &str = "fmi2GetDirectionalDerivative";
        check_lengths(CALL, knowns.len(), seed.len())?;
        check_lengths(CALL, unknowns.len(), to.len())?;
        ask_optional!(
            self,
            "fmi2GetDirectionalDerivative",
            get_directional_derivative,
            unknowns.as_ptr(),
            unknowns.len(),
            knowns.as_ptr(),
            knowns.len(),
            seed.as_ptr(),
            to.as_mut_ptr()
        )
    }

    state_and_end!(
        get: "fmi2GetFMUstate",
        set: "fmi2SetFMUstate",
        free: "fmi2FreeFMUstate",
        size: "fmi2SerializedFMUstateSize",
        serialize: "fmi2SerializeFMUstate",
        deserialize: "fmi2DeSerializeFMUstate",
        terminate: "fmi2Terminate"
    );
}

/// Loading a Co-Simulation FMU checks that it has the function.
#[cold]
fn no_step() -> Status {
    Status::ERROR
}

#[cold]
fn no_such_type(call: &'static str, value_type: ValueType) -> Box<CallError> {
    refused(call, format!("FMI 2.0 has no type `{value_type}`"))
}
