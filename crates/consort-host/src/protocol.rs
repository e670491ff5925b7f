//! The protocol between host and worker: commands and replies as bytes.
//!
//! Both sides are one program, so the format has no version. A reply comes from a process in which foreign
//! code runs, so nothing in it is trusted: invalid bytes are refused.

mod diagnostic;
mod errors;
mod parts;
mod place;
#[cfg(test)]
mod tests;
mod values;

use consort_core::ValueType;
use consort_core::bytes::BytesError;

pub(crate) use consort_core::bytes::Reader;
pub(crate) use diagnostic::{read_diagnostic, write_diagnostic};
pub(crate) use errors::{read_error, write_error};
pub(crate) use parts::{
    read_event_update, read_log_entry, read_outcome, read_references, read_setup, read_size,
    read_step, write_event_update, write_log_entry, write_outcome, write_references, write_setup,
    write_step,
};
pub(crate) use place::{Place, Writer};
pub(crate) use values::{Scratch, read_type};

macro_rules! define_ops {
    ($($(#[$doc:meta])* $op:ident = $code:literal, $fmi2:literal, $fmi3:literal, $other:literal;)*) => {
        /// A command to a worker.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub(crate) enum Op {
            $($(#[$doc])* $op = $code,)*
        }

        impl Op {
            /// What a code means, if anything.
            pub(crate) fn from_code(code: u32) -> Option<Op> {
                match code { $($code => Some(Op::$op),)* _ => None }
            }

            /// What the documentation of the served model calls it, for messages.
            pub(crate) fn name(self, family: Family) -> &'static str {
                match (self, family) {
                    $((Op::$op, Family::Fmi2) => $fmi2,
                    (Op::$op, Family::Fmi3) => $fmi3,
                    (Op::$op, Family::Other) => $other,)*
                }
            }
        }
    };
}

define_ops! {
    /// Makes the model from its recipe.
    Load = 1, "load the binary", "load the binary", "load the model";
    /// Makes the instance.
    Instantiate = 2, "fmi2Instantiate", "fmi3InstantiateCoSimulation", "instantiate";
    EnterConfiguration = 3, "enter configuration mode", "fmi3EnterConfigurationMode", "enter configuration mode";
    ExitConfiguration = 4, "exit configuration mode", "fmi3ExitConfigurationMode", "exit configuration mode";
    EnterInitialization = 5, "fmi2EnterInitializationMode", "fmi3EnterInitializationMode", "enter initialization";
    ExitInitialization = 6, "fmi2ExitInitializationMode", "fmi3ExitInitializationMode", "exit initialization";
    Set = 7, "fmi2Set", "fmi3Set", "set values";
    Get = 8, "fmi2Get", "fmi3Get", "get values";
    SetInputDerivatives = 9, "fmi2SetRealInputDerivatives", "set input derivatives", "set input derivatives";
    Step = 10, "fmi2DoStep", "fmi3DoStep", "step";
    /// Several steps, with values set before and got after each.
    RunSteps = 11, "fmi2DoStep", "fmi3DoStep", "step";
    TakeDiscarded = 12, "fmi2GetStatus", "get why a step was discarded", "get why a step was discarded";
    EnterEventMode = 13, "enter event mode", "fmi3EnterEventMode", "enter event mode";
    UpdateDiscreteStates = 14, "update discrete states", "fmi3UpdateDiscreteStates", "update discrete states";
    EnterStepMode = 15, "enter step mode", "fmi3EnterStepMode", "enter step mode";
    DirectionalDerivative = 16, "fmi2GetDirectionalDerivative", "fmi3GetDirectionalDerivative", "compute directional derivatives";
    /// Saves inside of the worker, under a number, and forgets others.
    Save = 17, "fmi2GetFMUstate", "fmi3GetFMUState", "save its state";
    Restore = 18, "fmi2SetFMUstate", "fmi3SetFMUState", "restore a state";
    Serialize = 19, "fmi2SerializeFMUstate", "fmi3SerializeFMUState", "serialize a state";
    Deserialize = 20, "fmi2DeSerializeFMUstate", "fmi3DeserializeFMUState", "deserialize a state";
    Terminate = 21, "fmi2Terminate", "fmi3Terminate", "terminate";
    /// Frees the instance and ends the process.
    Free = 22, "fmi2FreeInstance", "fmi3FreeInstance", "free the instance";
    SetUp = 23, "fmi2SetupExperiment", "set up", "set up";
    /// As `Get`, and nothing comes of a refusal.
    ReadBack = 24, "fmi2Get", "fmi3Get", "get values";
    StepMax = 25, "fmi2GetMaxStepsize", "ask for the longest step", "ask for the longest step";
    /// Changes its mappings, for an image of its memory.
    Tasks = 32, "restore a state", "restore a state", "restore a state";
    /// Makes the model from its recipe and answers with why that could not be.
    TryLoad = 34, "load the binary", "load the binary", "load the model";
    /// Makes a copy of itself, which listens at another slot.
    Split = 33, "copy its process", "copy its process", "copy its process";
}

impl Op {
    /// The same, of a call about values of a type.
    pub(crate) fn name_for(self, family: Family, of: ValueType) -> &'static str {
        match self {
            Op::Set => values::setter(family, of),
            Op::Get | Op::ReadBack => values::getter(family, of),
            _ => self.name(family),
        }
    }
}

/// The standard that names a model's calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Fmi2,
    Fmi3,
    /// No FMU, or one with a solver around it, where one call is many.
    Other,
}

impl Family {
    /// That of a model of a [kind](consort_core::ModelDescription::kind).
    pub(crate) fn of(kind: &str) -> Family {
        match kind {
            kind if !kind.ends_with("Co-Simulation") => Family::Other,
            kind if kind.starts_with("FMI 2") => Family::Fmi2,
            kind if kind.starts_with("FMI 3") => Family::Fmi3,
            _ => Family::Other,
        }
    }
}

/// The first byte of a reply.
pub(crate) const DONE: u8 = 0;
/// The first byte of a reply to a call that failed.
pub(crate) const FAILED: u8 = 1;

/// What was read, or why the bytes are invalid.
pub(crate) type Read<T> = Result<T, BytesError>;

/// The error of a value that is out of its range.
pub(crate) fn invalid(what: &'static str) -> BytesError {
    BytesError::Impossible { what }
}
