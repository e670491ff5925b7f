//! The function tables of FMI 2 and FMI 3, and what loading one needs.
//!
//! Hand-written types, one macro, no bindgen: what an FMU exports is looked up by name, and
//! everything the standard has but a tool may have left out is optional.

pub(crate) mod context;
mod elf;
pub(crate) mod float_mode;
pub(crate) mod fmi2;
pub(crate) mod fmi3;
pub(crate) mod library;
mod python;
pub(crate) mod registry;
mod table;

pub(crate) use table::Table;

use consort_core::CallStatus;

/// The interface of an FMU that is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interface {
    CoSimulation,
    ModelExchange,
}

impl Interface {
    /// As the standard calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Interface::CoSimulation => "Co-Simulation",
            Interface::ModelExchange => "Model Exchange",
        }
    }
}

/// What a function of an FMU returned; both versions number alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Status(pub(crate) i32);

impl Status {
    pub(crate) const OK: Status = Status(0);
    pub(crate) const WARNING: Status = Status(1);
    pub(crate) const DISCARD: Status = Status(2);
    pub(crate) const ERROR: Status = Status(3);
    pub(crate) const FATAL: Status = Status(4);
    /// The status `fmi2Pending`, which FMI 3 does not have.
    pub(crate) const PENDING: Status = Status(5);

    /// Whether the call did what it should.
    pub(crate) fn is_success(self) -> bool {
        matches!(self, Status::OK | Status::WARNING)
    }

    /// For an error, when the call did not do what it should.
    pub(crate) fn to_call_status(self) -> CallStatus {
        match self {
            Status::DISCARD => CallStatus::Discard,
            Status::ERROR => CallStatus::Error,
            Status::FATAL => CallStatus::Fatal,
            Status::PENDING => CallStatus::Pending,
            Status(other) => CallStatus::Unknown(other),
        }
    }
}

/// Defines a table of functions and how it is read from a library.
///
/// `required` functions are plain pointers, `optional` ones may be missing.
macro_rules! function_table {
    (
        $(#[$attribute:meta])*
        $table:ident
        required { $($required:ident = $required_symbol:literal ($($required_argument:ty),*) $(-> $required_result:ty)?;)* }
        optional { $($optional:ident = $optional_symbol:literal ($($optional_argument:ty),*) $(-> $optional_result:ty)?;)* }
    ) => {
        $(#[$attribute])*
        pub(crate) struct $table {
            $(pub(crate) $required: unsafe extern "C" fn($($required_argument),*) $(-> $required_result)?,)*
            $(pub(crate) $optional: Option<unsafe extern "C" fn($($optional_argument),*) $(-> $optional_result)?>,)*
        }

        impl $table {
            /// Looks every function up.
            ///
            /// # Errors
            /// Names the first required function that the library lacks.
            pub(crate) fn load(
                library: &$crate::binding::library::LoadedLibrary,
            ) -> Result<Self, $crate::load::LoadError> {
                // SAFETY: the types in the table are those the standard gives these names.
                unsafe {
                    Ok($table {
                        $($required: library.required($required_symbol)?,)*
                        $($optional: library.optional($optional_symbol),)*
                    })
                }
            }

            /// Whether the library has a function: a required one, or an optional one that was found.
            pub(crate) fn has(&self, symbol: &str) -> bool {
                match symbol {
                    $($required_symbol => true,)*
                    $($optional_symbol => self.$optional.is_some(),)*
                    _ => false,
                }
            }
        }
    };
}
pub(crate) use function_table;
