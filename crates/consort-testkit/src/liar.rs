//! Lies for the test model `liar`: which call of which function misbehaves, and how, drawn from a seed.
//!
//! The FMU reads its lies from the name of its instance, so that they reach it whatever becomes of its
//! parameters, its environment and its first calls. The numbers are those of `fmus/liar/liar.h`.
//!
//! ```
//! use consort_testkit::fmus::Fmi;
//! use consort_testkit::liar::{Case, Interface};
//!
//! let case = Case::new(7, Fmi::V2, Interface::CoSimulation);
//! assert!(case.component().starts_with("liar_"));
//! assert_eq!(case, Case::new(7, Fmi::V2, Interface::CoSimulation));
//! ```

mod draw;

pub use crate::variants::Shape;

use crate::fmus::{self, Fmi};
use std::fmt;
use std::path::PathBuf;

/// The interface that is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Interface {
    /// The FMU moves itself on.
    CoSimulation,
    /// Consort integrates its equations.
    ModelExchange,
}

impl Interface {
    /// As `system.toml` names it.
    pub const fn name(self) -> &'static str {
        match self {
            Interface::CoSimulation => "co-simulation",
            Interface::ModelExchange => "model-exchange",
        }
    }
}

/// Where a lie happens: a function of the standard, whatever the version.
#[expect(missing_docs, reason = "they are named as the standard names them")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Function {
    Instantiate,
    SetupExperiment,
    EnterInitialization,
    ExitInitialization,
    Set,
    GetReal,
    GetInteger,
    GetBoolean,
    GetString,
    GetBinary,
    Step,
    Terminate,
    Free,
    GetState,
    SetState,
    FreeState,
    StateSize,
    Serialize,
    Deserialize,
    EnterEvent,
    Update,
    LeaveEvent,
    SetTime,
    SetStates,
    GetStates,
    Derivatives,
    Indicators,
    Nominals,
    Completed,
    DebugLogging,
    StepStatus,
    Counts,
}

impl Function {
    /// What the standard calls it, after `fmi2` or `fmi3`; several functions may begin so.
    pub const fn symbol(self, fmi: Fmi) -> &'static str {
        let is_2 = matches!(fmi, Fmi::V2);
        match self {
            Function::Instantiate => "Instantiate",
            Function::SetupExperiment => "SetupExperiment",
            Function::EnterInitialization => "EnterInitializationMode",
            Function::ExitInitialization => "ExitInitializationMode",
            Function::Set => "Set",
            Function::GetReal => {
                if is_2 {
                    "GetReal"
                } else {
                    "GetFloat64"
                }
            }
            Function::GetInteger => {
                if is_2 {
                    "GetInteger"
                } else {
                    "GetInt32"
                }
            }
            Function::GetBoolean => "GetBoolean",
            Function::GetString => "GetString",
            Function::GetBinary => "GetBinary",
            Function::Step => "DoStep",
            Function::Terminate => "Terminate",
            Function::Free => "FreeInstance",
            Function::GetState => "GetFMU",
            Function::SetState => "SetFMU",
            Function::FreeState => "FreeFMU",
            Function::StateSize => "SerializedFMU",
            Function::Serialize => "SerializeFMU",
            Function::Deserialize => {
                if is_2 {
                    "DeSerializeFMU"
                } else {
                    "DeserializeFMU"
                }
            }
            Function::EnterEvent => "EnterEventMode",
            Function::Update => {
                if is_2 {
                    "NewDiscreteStates"
                } else {
                    "UpdateDiscreteStates"
                }
            }
            Function::LeaveEvent => "Enter",
            Function::SetTime => "SetTime",
            Function::SetStates => "SetContinuousStates",
            Function::GetStates => "GetContinuousStates",
            Function::Derivatives => {
                if is_2 {
                    "GetDerivatives"
                } else {
                    "GetContinuousStateDerivatives"
                }
            }
            Function::Indicators => "GetEventIndicators",
            Function::Nominals => "GetNominalsOfContinuousStates",
            Function::Completed => "CompletedIntegratorStep",
            Function::DebugLogging => "SetDebugLogging",
            Function::StepStatus => "Get",
            Function::Counts => "GetNumberOf",
        }
    }
}

/// What a lie is about; what its argument means is in `fmus/liar/README.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The work is done, the status is wrong.
    StatusAfter,
    /// The status is returned and nothing done.
    StatusInstead,
    /// Not a number, infinite, subnormal, huge.
    Numbers,
    /// Null, or a text that is none.
    Pointer,
    /// Of a saved state or of a binary.
    Size,
    /// The next event, or the last successful time.
    Moment,
    /// Again, the end, an event, an early return.
    Flag,
    /// All variables go back to their start.
    Reset,
    /// Log messages that are odd, many, long, or from threads.
    Log,
    /// The call takes so many milliseconds.
    Sleep,
    /// The call never ends.
    Hang,
    /// The process ends.
    Die,
    /// Something is changed that belongs to the whole process.
    World,
    /// The importer's memory functions, with odd arguments.
    Allocate,
    /// A call with a count of zero is answered with this status; 0 ends the process.
    Zero,
}

/// One misbehavior.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lie {
    /// The kind of the lie.
    pub kind: Kind,
    /// Where it happens.
    pub function: Function,
    /// In which call of the function, from 1.
    pub call: u32,
    /// And in every later one.
    pub forever: bool,
    /// The argument; see `fmus/liar/README.md`.
    pub argument: u32,
}

/// What may come of lies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Harm {
    /// Nothing: the trace is that of an honest run.
    Nothing,
    /// Another trace, or an error that names the call.
    Wrong,
    /// The calling process may end with it.
    Deadly,
    /// The call never ends.
    Endless,
}

impl Lie {
    /// A lie that happens once, in the first call.
    pub const fn once(kind: Kind, function: Function, argument: u32) -> Self {
        Lie { kind, function, call: 1, forever: false, argument }
    }

    /// The harm that it may do.
    pub fn harm(&self) -> Harm {
        match (self.kind, self.argument) {
            (Kind::Hang, _) => Harm::Endless,
            (Kind::Die, _) | (Kind::Pointer, 1) => Harm::Deadly,
            // Floating-point traps, and files closed: standard ones too, for a second closing hits those that
            // were opened in their place.
            (Kind::World, 2 | 8 | 9) => Harm::Deadly,
            (Kind::StatusAfter, 1) => Harm::Nothing,
            // Calls with a count of zero are never made.
            (Kind::World | Kind::Log | Kind::Sleep | Kind::Allocate | Kind::Zero, _) => {
                Harm::Nothing
            }
            _ => Harm::Wrong,
        }
    }
}

impl fmt::Display for Lie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, function, forever) =
            (self.kind as u32, self.function as u32, u32::from(self.forever));
        write!(f, "_{kind}_{function}_{}_{forever}_{}", self.call, self.argument)
    }
}

/// One FMU that lies, and how it is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Makes the same case again.
    pub seed: u64,
    /// The version of the standard.
    pub fmi: Fmi,
    /// The interface that is used.
    pub interface: Interface,
    /// What the model has.
    pub shape: Shape,
    /// Whether the run is saved in the middle.
    pub saves: bool,
    /// What it does; one to three.
    pub lies: Vec<Lie>,
}

impl Case {
    /// The case of a seed.
    pub fn new(seed: u64, fmi: Fmi, interface: Interface) -> Self {
        draw::case(seed, fmi, interface)
    }

    /// A case that was thought of.
    pub fn of(fmi: Fmi, interface: Interface, lies: &[Lie]) -> Self {
        Case { seed: 0, fmi, interface, shape: Shape::FULL, saves: false, lies: lies.to_vec() }
    }

    /// The name of the component, which holds the lies.
    pub fn component(&self) -> String {
        let lies: Vec<String> = self.lies.iter().map(Lie::to_string).collect();
        format!("liar{}", lies.concat())
    }

    /// The FMU, as a folder with a binary.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn fmu(&self) -> PathBuf {
        fmus::build_liar(self.fmi, self.shape)
    }

    /// The worst that may come of its lies.
    pub fn harm(&self) -> Harm {
        self.lies.iter().map(Lie::harm).max().unwrap_or(Harm::Nothing)
    }

    /// Whether one of its lies is about this.
    pub fn has(&self, kind: Kind, arguments: &[u32]) -> bool {
        self.lies.iter().any(|lie| lie.kind == kind && arguments.contains(&lie.argument))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}, {:?}, {}", self.seed, self.fmi, self.interface.name())?;
        if self.shape != Shape::FULL {
            write!(f, ", {:?}", self.shape)?;
        }
        if self.saves {
            write!(f, ", saved")?;
        }
        for Lie { kind, function, call, forever, argument } in &self.lies {
            let on = if *forever { "from" } else { "in" };
            write!(f, "; {kind:?}({argument}) in {function:?} {on} call {call}")?;
        }
        Ok(())
    }
}
