//! FMI 3.0: the types and functions of `fmi3FunctionTypes.h`.

use super::{Status, function_table};
use consort_core::Reference;
use std::ffi::{c_char, c_int, c_void};

/// An instance, as the FMU sees it.
pub(crate) type Instance = *mut c_void;
/// A saved state, as the FMU sees it.
pub(crate) type Fmi3State = *mut c_void;
/// `fmi3IntervalQualifier`
pub(crate) type Qualifier = c_int;
/// `fmi3DependencyKind`
pub(crate) type Dependency = c_int;

/// `fmi3LogMessageCallback`
pub(crate) type LogMessage = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

/// `fmi3IntermediateUpdateCallback`; none is passed: no values are exchanged within a step.
pub(crate) type IntermediateUpdate =
    unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, *mut bool, *mut f64);

function_table! {
    /// What an FMI 3.0 FMU exports; which of the optional ones an interface cannot do without is
    /// checked when it is loaded.
    Fmi3
    required {
        free_instance = "fmi3FreeInstance"(Instance);
        enter_initialization_mode = "fmi3EnterInitializationMode"(Instance, bool, f64, f64, bool, f64) -> Status;
        exit_initialization_mode = "fmi3ExitInitializationMode"(Instance) -> Status;
        terminate = "fmi3Terminate"(Instance) -> Status;
    }
    optional {
        instantiate_co_simulation = "fmi3InstantiateCoSimulation"(*const c_char, *const c_char, *const c_char, bool, bool, bool, bool, *const Reference, usize, *mut c_void, Option<LogMessage>, Option<IntermediateUpdate>) -> Instance;
        do_step = "fmi3DoStep"(Instance, f64, f64, bool, *mut u8, *mut u8, *mut u8, *mut f64) -> Status;
        instantiate_model_exchange = "fmi3InstantiateModelExchange"(*const c_char, *const c_char, *const c_char, bool, bool, *mut c_void, Option<LogMessage>) -> Instance;
        enter_continuous_time_mode = "fmi3EnterContinuousTimeMode"(Instance) -> Status;
        completed_integrator_step = "fmi3CompletedIntegratorStep"(Instance, bool, *mut u8, *mut u8) -> Status;
        set_time = "fmi3SetTime"(Instance, f64) -> Status;
        set_continuous_states = "fmi3SetContinuousStates"(Instance, *const f64, usize) -> Status;
        get_derivatives = "fmi3GetContinuousStateDerivatives"(Instance, *mut f64, usize) -> Status;
        get_event_indicators = "fmi3GetEventIndicators"(Instance, *mut f64, usize) -> Status;
        get_continuous_states = "fmi3GetContinuousStates"(Instance, *mut f64, usize) -> Status;
        get_nominals = "fmi3GetNominalsOfContinuousStates"(Instance, *mut f64, usize) -> Status;
        get_number_of_event_indicators = "fmi3GetNumberOfEventIndicators"(Instance, *mut usize) -> Status;
        get_number_of_continuous_states = "fmi3GetNumberOfContinuousStates"(Instance, *mut usize) -> Status;
        get_version = "fmi3GetVersion"() -> *const c_char;
        set_debug_logging = "fmi3SetDebugLogging"(Instance, bool, usize, *const *const c_char) -> Status;
        reset = "fmi3Reset"(Instance) -> Status;
        enter_configuration_mode = "fmi3EnterConfigurationMode"(Instance) -> Status;
        exit_configuration_mode = "fmi3ExitConfigurationMode"(Instance) -> Status;
        enter_event_mode = "fmi3EnterEventMode"(Instance) -> Status;
        enter_step_mode = "fmi3EnterStepMode"(Instance) -> Status;
        evaluate_discrete_states = "fmi3EvaluateDiscreteStates"(Instance) -> Status;
        update_discrete_states = "fmi3UpdateDiscreteStates"(Instance, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut f64) -> Status;
        get_float64 = "fmi3GetFloat64"(Instance, *const Reference, usize, *mut f64, usize) -> Status;
        get_float32 = "fmi3GetFloat32"(Instance, *const Reference, usize, *mut f32, usize) -> Status;
        get_int8 = "fmi3GetInt8"(Instance, *const Reference, usize, *mut i8, usize) -> Status;
        get_uint8 = "fmi3GetUInt8"(Instance, *const Reference, usize, *mut u8, usize) -> Status;
        get_int16 = "fmi3GetInt16"(Instance, *const Reference, usize, *mut i16, usize) -> Status;
        get_uint16 = "fmi3GetUInt16"(Instance, *const Reference, usize, *mut u16, usize) -> Status;
        get_int32 = "fmi3GetInt32"(Instance, *const Reference, usize, *mut i32, usize) -> Status;
        get_uint32 = "fmi3GetUInt32"(Instance, *const Reference, usize, *mut u32, usize) -> Status;
        get_int64 = "fmi3GetInt64"(Instance, *const Reference, usize, *mut i64, usize) -> Status;
        get_uint64 = "fmi3GetUInt64"(Instance, *const Reference, usize, *mut u64, usize) -> Status;
        get_boolean = "fmi3GetBoolean"(Instance, *const Reference, usize, *mut u8, usize) -> Status;
        get_string = "fmi3GetString"(Instance, *const Reference, usize, *mut *const c_char, usize) -> Status;
        get_binary = "fmi3GetBinary"(Instance, *const Reference, usize, *mut usize, *mut *const u8, usize) -> Status;
        get_clock = "fmi3GetClock"(Instance, *const Reference, usize, *mut u8) -> Status;
        set_float64 = "fmi3SetFloat64"(Instance, *const Reference, usize, *const f64, usize) -> Status;
        set_float32 = "fmi3SetFloat32"(Instance, *const Reference, usize, *const f32, usize) -> Status;
        set_int8 = "fmi3SetInt8"(Instance, *const Reference, usize, *const i8, usize) -> Status;
        set_uint8 = "fmi3SetUInt8"(Instance, *const Reference, usize, *const u8, usize) -> Status;
        set_int16 = "fmi3SetInt16"(Instance, *const Reference, usize, *const i16, usize) -> Status;
        set_uint16 = "fmi3SetUInt16"(Instance, *const Reference, usize, *const u16, usize) -> Status;
        set_int32 = "fmi3SetInt32"(Instance, *const Reference, usize, *const i32, usize) -> Status;
        set_uint32 = "fmi3SetUInt32"(Instance, *const Reference, usize, *const u32, usize) -> Status;
        set_int64 = "fmi3SetInt64"(Instance, *const Reference, usize, *const i64, usize) -> Status;
        set_uint64 = "fmi3SetUInt64"(Instance, *const Reference, usize, *const u64, usize) -> Status;
        set_boolean = "fmi3SetBoolean"(Instance, *const Reference, usize, *const bool, usize) -> Status;
        set_string = "fmi3SetString"(Instance, *const Reference, usize, *const *const c_char, usize) -> Status;
        set_binary = "fmi3SetBinary"(Instance, *const Reference, usize, *const usize, *const *const u8, usize) -> Status;
        set_clock = "fmi3SetClock"(Instance, *const Reference, usize, *const bool) -> Status;
        get_state = "fmi3GetFMUState"(Instance, *mut Fmi3State) -> Status;
        set_state = "fmi3SetFMUState"(Instance, Fmi3State) -> Status;
        free_state = "fmi3FreeFMUState"(Instance, *mut Fmi3State) -> Status;
        serialized_state_size = "fmi3SerializedFMUStateSize"(Instance, Fmi3State, *mut usize) -> Status;
        serialize_state = "fmi3SerializeFMUState"(Instance, Fmi3State, *mut u8, usize) -> Status;
        deserialize_state = "fmi3DeserializeFMUState"(Instance, *const u8, usize, *mut Fmi3State) -> Status;
        get_directional_derivative = "fmi3GetDirectionalDerivative"(Instance, *const Reference, usize, *const Reference, usize, *const f64, usize, *mut f64, usize) -> Status;
        get_adjoint_derivative = "fmi3GetAdjointDerivative"(Instance, *const Reference, usize, *const Reference, usize, *const f64, usize, *mut f64, usize) -> Status;
        get_output_derivatives = "fmi3GetOutputDerivatives"(Instance, *const Reference, usize, *const i32, *mut f64, usize) -> Status;
        get_number_of_variable_dependencies = "fmi3GetNumberOfVariableDependencies"(Instance, Reference, *mut usize) -> Status;
        get_variable_dependencies = "fmi3GetVariableDependencies"(Instance, Reference, *mut usize, *mut Reference, *mut usize, *mut Dependency, usize) -> Status;
        get_interval_decimal = "fmi3GetIntervalDecimal"(Instance, *const Reference, usize, *mut f64, *mut Qualifier) -> Status;
        get_interval_fraction = "fmi3GetIntervalFraction"(Instance, *const Reference, usize, *mut u64, *mut u64, *mut Qualifier) -> Status;
        get_shift_decimal = "fmi3GetShiftDecimal"(Instance, *const Reference, usize, *mut f64) -> Status;
        get_shift_fraction = "fmi3GetShiftFraction"(Instance, *const Reference, usize, *mut u64, *mut u64) -> Status;
        set_interval_decimal = "fmi3SetIntervalDecimal"(Instance, *const Reference, usize, *const f64) -> Status;
        set_interval_fraction = "fmi3SetIntervalFraction"(Instance, *const Reference, usize, *const u64, *const u64) -> Status;
        set_shift_decimal = "fmi3SetShiftDecimal"(Instance, *const Reference, usize, *const f64) -> Status;
        set_shift_fraction = "fmi3SetShiftFraction"(Instance, *const Reference, usize, *const u64, *const u64) -> Status;
    }
}
