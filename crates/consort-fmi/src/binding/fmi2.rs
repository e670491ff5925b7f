//! FMI 2.0: the types and functions of `fmi2Functions.h`.

use super::{Status, function_table};
use consort_core::Reference;
use std::ffi::{c_char, c_int, c_void};

/// An instance, as the FMU sees it.
pub(crate) type Component = *mut c_void;
/// A saved state, as the FMU sees it.
pub(crate) type Fmi2State = *mut c_void;

/// `fmi2Type`
pub(crate) const MODEL_EXCHANGE: c_int = 0;
/// `fmi2Type`
pub(crate) const CO_SIMULATION: c_int = 1;
/// `fmi2StatusKind`: where a discarded step ended.
pub(crate) const LAST_SUCCESSFUL_TIME: c_int = 2;
/// `fmi2StatusKind`: whether a discarded step wants the run to end.
pub(crate) const TERMINATED: c_int = 3;

/// `fmi2CallbackLogger`
pub(crate) type Logger =
    unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);

/// `fmi2CallbackFunctions`: the FMU keeps the address, so it never moves.
#[repr(C)]
pub(crate) struct Callbacks {
    pub(crate) logger: Logger,
    pub(crate) allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    pub(crate) free: unsafe extern "C" fn(*mut c_void),
    pub(crate) step_finished: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
    pub(crate) environment: *mut c_void,
}

/// `fmi2EventInfo`: what an event iteration brought about.
#[repr(C)]
#[derive(Default)]
pub(crate) struct EventInfo {
    pub(crate) again: c_int,
    pub(crate) terminate: c_int,
    pub(crate) nominals_changed: c_int,
    pub(crate) states_changed: c_int,
    pub(crate) next_defined: c_int,
    pub(crate) next: f64,
}

unsafe extern "C" {
    /// The C library's: some FMUs refuse to be instantiated without it.
    pub(crate) fn calloc(count: usize, size: usize) -> *mut c_void;
    /// `free` of the C library.
    pub(crate) fn free(pointer: *mut c_void);
}

function_table! {
    /// What an FMI 2.0 FMU exports; which of the optional ones an interface cannot do without is
    /// checked when it is loaded.
    Fmi2
    required {
        instantiate = "fmi2Instantiate"(*const c_char, c_int, *const c_char, *const c_char, *const Callbacks, c_int, c_int) -> Component;
        free_instance = "fmi2FreeInstance"(Component);
        setup_experiment = "fmi2SetupExperiment"(Component, c_int, f64, f64, c_int, f64) -> Status;
        enter_initialization_mode = "fmi2EnterInitializationMode"(Component) -> Status;
        exit_initialization_mode = "fmi2ExitInitializationMode"(Component) -> Status;
        terminate = "fmi2Terminate"(Component) -> Status;
    }
    optional {
        do_step = "fmi2DoStep"(Component, f64, f64, c_int) -> Status;
        enter_event_mode = "fmi2EnterEventMode"(Component) -> Status;
        new_discrete_states = "fmi2NewDiscreteStates"(Component, *mut EventInfo) -> Status;
        enter_continuous_time_mode = "fmi2EnterContinuousTimeMode"(Component) -> Status;
        completed_integrator_step = "fmi2CompletedIntegratorStep"(Component, c_int, *mut c_int, *mut c_int) -> Status;
        set_time = "fmi2SetTime"(Component, f64) -> Status;
        set_continuous_states = "fmi2SetContinuousStates"(Component, *const f64, usize) -> Status;
        get_derivatives = "fmi2GetDerivatives"(Component, *mut f64, usize) -> Status;
        get_event_indicators = "fmi2GetEventIndicators"(Component, *mut f64, usize) -> Status;
        get_continuous_states = "fmi2GetContinuousStates"(Component, *mut f64, usize) -> Status;
        get_nominals = "fmi2GetNominalsOfContinuousStates"(Component, *mut f64, usize) -> Status;
        get_types_platform = "fmi2GetTypesPlatform"() -> *const c_char;
        get_version = "fmi2GetVersion"() -> *const c_char;
        set_debug_logging = "fmi2SetDebugLogging"(Component, c_int, usize, *const *const c_char) -> Status;
        reset = "fmi2Reset"(Component) -> Status;
        get_real = "fmi2GetReal"(Component, *const Reference, usize, *mut f64) -> Status;
        get_integer = "fmi2GetInteger"(Component, *const Reference, usize, *mut i32) -> Status;
        get_boolean = "fmi2GetBoolean"(Component, *const Reference, usize, *mut i32) -> Status;
        get_string = "fmi2GetString"(Component, *const Reference, usize, *mut *const c_char) -> Status;
        set_real = "fmi2SetReal"(Component, *const Reference, usize, *const f64) -> Status;
        set_integer = "fmi2SetInteger"(Component, *const Reference, usize, *const i32) -> Status;
        set_boolean = "fmi2SetBoolean"(Component, *const Reference, usize, *const i32) -> Status;
        set_string = "fmi2SetString"(Component, *const Reference, usize, *const *const c_char) -> Status;
        get_state = "fmi2GetFMUstate"(Component, *mut Fmi2State) -> Status;
        set_state = "fmi2SetFMUstate"(Component, Fmi2State) -> Status;
        free_state = "fmi2FreeFMUstate"(Component, *mut Fmi2State) -> Status;
        serialized_state_size = "fmi2SerializedFMUstateSize"(Component, Fmi2State, *mut usize) -> Status;
        serialize_state = "fmi2SerializeFMUstate"(Component, Fmi2State, *mut u8, usize) -> Status;
        deserialize_state = "fmi2DeSerializeFMUstate"(Component, *const u8, usize, *mut Fmi2State) -> Status;
        get_directional_derivative = "fmi2GetDirectionalDerivative"(Component, *const Reference, usize, *const Reference, usize, *const f64, *mut f64) -> Status;
        set_real_input_derivatives = "fmi2SetRealInputDerivatives"(Component, *const Reference, usize, *const i32, *const f64) -> Status;
        get_real_output_derivatives = "fmi2GetRealOutputDerivatives"(Component, *const Reference, usize, *const i32, *mut f64) -> Status;
        cancel_step = "fmi2CancelStep"(Component) -> Status;
        get_status = "fmi2GetStatus"(Component, c_int, *mut Status) -> Status;
        get_real_status = "fmi2GetRealStatus"(Component, c_int, *mut f64) -> Status;
        get_integer_status = "fmi2GetIntegerStatus"(Component, c_int, *mut i32) -> Status;
        get_boolean_status = "fmi2GetBooleanStatus"(Component, c_int, *mut i32) -> Status;
        // Not of the standard, but of tools for variable steps; in two spellings.
        get_step_max = "fmi2GetMaxStepsize"(Component, *mut f64) -> Status;
        get_step_max_respelled = "fmi2GetMaxStepSize"(Component, *mut f64) -> Status;
        get_string_status = "fmi2GetStringStatus"(Component, c_int, *mut *const c_char) -> Status;
    }
}
