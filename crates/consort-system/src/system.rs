//! What the user wrote: a system with names and places, nothing looked up yet.

use crate::coupling::Coupling;
use crate::isolation::Isolation;
use crate::solving::{SolverDefaults, Solving};
use consort_core::{HashMode, Literal, Seconds, SetupOrder, named};
use serde::{Deserialize, Serialize};

pub use consort_core::Spanned;

/// A system: components, connections, and the experiment to be made with it.
#[derive(Clone, PartialEq, Debug)]
pub struct SystemDescription {
    /// For titles and the output folder.
    pub name: String,
    /// What to do with it.
    pub experiment: Experiment,
    /// The parts, in the order written; a `ComponentId` is an index into this.
    pub components: Vec<Component>,
    /// The wires, in the order written.
    pub connections: Vec<Connection>,
    /// What is done to the system while it runs.
    pub interventions: Vec<Intervention>,
    /// Values over time for inputs that no connection feeds.
    pub inputs: Option<InputTable>,
    /// Where the components are in a distributed run; empty if nothing was said.
    pub nodes: Vec<DeclaredNode>,
}

/// A node of a distributed run, and who is on it.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclaredNode {
    /// Its name: letters, digits, `_` and `-`.
    pub name: Spanned<String>,
    /// Names of components, or patterns such as `arm/*`. Components that no node names are on the
    /// node that is written first.
    pub components: Vec<Spanned<String>>,
}

/// What to do with a system: from when to when, how fine, what to keep.
#[derive(Clone, PartialEq, Debug)]
pub struct Experiment {
    /// Where time starts; may be negative.
    pub start: Spanned<Seconds>,
    /// The stop time.
    pub stop: Option<Spanned<Seconds>>,
    /// The communication step.
    pub step: Option<Spanned<Seconds>>,
    /// The length of a tick; chosen by the loader if absent.
    pub resolution: Option<Spanned<Seconds>>,
    /// The root of all randomness.
    pub seed: u64,
    /// Relative tolerance of solvers, ours and those inside models.
    pub tolerance: Option<Spanned<f64>>,
    /// The solver of components that have none of their own.
    pub solver: SolverDefaults,
    /// Every FMU that does not say otherwise lives in a process of its own.
    pub isolate: bool,
    /// The variables that are recorded.
    pub record: Record,
    /// Which variables are in the trace hash.
    pub hash: HashMode,
    /// Variables kept out of the trace hash, such as wall-clock readings.
    pub unhashed: Vec<Spanned<String>>,
    /// Variables to draw after the run; patterns like those of `record`.
    pub plot: Vec<Spanned<String>>,
    /// A CSV file with values for unconnected inputs.
    pub input: Option<Spanned<String>>,
    /// The order, loops and the size of steps.
    pub coupling: Coupling,
}

impl Default for Experiment {
    /// From zero on, with nothing else said.
    fn default() -> Self {
        Experiment {
            start: Spanned::assumed(Seconds::ZERO),
            stop: None,
            step: None,
            resolution: None,
            seed: 0,
            tolerance: None,
            solver: SolverDefaults::default(),
            isolate: false,
            record: Record::Outputs,
            hash: HashMode::default(),
            unhashed: Vec::new(),
            plot: Vec::new(),
            input: None,
            coupling: Coupling::default(),
        }
    }
}

/// Which variables go into the trace.
#[derive(Clone, PartialEq, Debug)]
pub enum Record {
    /// Every output of every component.
    Outputs,
    /// Every variable of every component.
    All,
    /// Nothing; the hash is still made.
    Nothing,
    /// These: `tank.level`, `tank.*`, `*.level`.
    These(Vec<Spanned<String>>),
}

/// A place in the system that a model fills.
#[derive(Clone, PartialEq, Debug)]
pub struct Component {
    /// Its name: letters, digits, `_` and `-`; no dot. A part of a nested system has the names of
    /// all it is in before its own, separated by `/`.
    pub name: Spanned<String>,
    /// Which model: a path or `native:NAME`.
    pub model: Spanned<String>,
    /// Values for parameters, start values of inputs and states.
    pub parameters: Vec<Parameter>,
    /// Its own communication step.
    pub step: Option<Spanned<Seconds>>,
    /// How the length of a step is computed.
    pub step_length: StepLength,
    /// The user vouches that instances of this model share no static data.
    pub concurrent: bool,
    /// Hand the description's start values to the instance, for FMUs that do not apply their own.
    pub send_start_values: bool,
    /// When an FMU is set up for the experiment: before or after its parameters are set (FMI 2).
    pub setup: SetupOrder,
    /// Use FMI 3 event mode where the model has it.
    pub event_mode: bool,
    /// Inputs whose value at the *end* of a step the step needs: their sources step first.
    pub reactive: Vec<Spanned<String>>,
    /// By which interface and which solver it is integrated.
    pub solving: Solving,
    /// Where it lives and who saves its states.
    pub isolation: Isolation,
}

impl Component {
    /// A component of which only the model is known.
    pub fn new(name: Spanned<String>, model: Spanned<String>) -> Self {
        Component {
            name,
            model,
            parameters: Vec::new(),
            step: None,
            step_length: StepLength::Fixed,
            concurrent: false,
            send_start_values: false,
            setup: SetupOrder::First,
            event_mode: true,
            reactive: Vec::new(),
            solving: Solving::default(),
            isolation: Isolation::default(),
        }
    }
}

/// A value for a variable of a component.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The name of the variable.
    pub name: Spanned<String>,
    /// The value to set.
    pub value: Spanned<Literal>,
    /// The unit the value is written in, if not the variable's own.
    pub unit: Option<Spanned<String>>,
}

named! {
    /// How the length of a step handed to an instance is computed.
    #[derive(Default, Serialize, Deserialize)]
    pub enum StepLength {
        /// The correctly rounded difference of ticks: the same in every step.
        #[default]
        Fixed => "fixed",
        /// `f64(t1) - f64(t0)`.
        ToEnd => "to-end",
    }
}

/// A wire from an output to an input.
#[derive(Clone, PartialEq, Debug)]
pub struct Connection {
    /// `component.variable`, with `[i]` or `[i, j]` for one element; indices start at 1.
    pub from: Spanned<String>,
    /// The same, for the input.
    pub to: Spanned<String>,
    /// What the input sees between two values.
    pub hold: Hold,
    /// The bus or terminal this wire belongs to.
    pub group: Option<String>,
    /// The input gets the source's previous value: this breaks a loop, at the price of one step.
    pub delay: bool,
    /// What is done with the value after its unit was converted.
    pub transformation: Option<Linear>,
    /// Units are taken to agree already.
    pub suppress_unit_conversion: bool,
    /// Numbers become whole numbers or truth values on the way, if the input wants that: as
    /// multi-models mean it. Else only what loses nothing, or a little, is converted.
    pub convert: bool,
}

impl Connection {
    /// A plain wire: the last value is held, nothing is done with it.
    pub fn new(from: Spanned<String>, to: Spanned<String>) -> Self {
        Connection {
            from,
            to,
            hold: Hold::Hold,
            group: None,
            delay: false,
            transformation: None,
            suppress_unit_conversion: false,
            convert: false,
        }
    }
}

/// `factor * value + offset`, in the unit of the input.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Linear {
    /// The factor, applied to the value first.
    pub factor: f64,
    /// Is added to the product.
    pub offset: f64,
}

named! {
    /// What an input sees between two values of its source.
    #[derive(Default, Serialize, Deserialize)]
    pub enum Hold {
        /// Holds the last value.
        #[default]
        Hold => "hold",
        /// A straight line through the last two values, where the model takes input derivatives.
        Extrapolate => "extrapolate",
    }
}

/// Something done to the system while it runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Intervention {
    /// The trigger of the intervention.
    pub when: When,
    /// The variable (`component.variable`) or wire (`component.output -> component.input`).
    pub target: Spanned<String>,
    /// The action of the intervention.
    pub action: Action,
    /// The unit values are written in, if not the variable's own.
    pub unit: Option<Spanned<String>>,
}

/// When an intervention happens.
#[derive(Clone, PartialEq, Debug)]
pub enum When {
    /// At the first tag that is not earlier than this.
    At(Spanned<Seconds>),
    /// At the first tag at which `component.variable OPERATOR number` holds.
    Condition(Spanned<String>),
}

/// What an intervention does.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Gives the value once; the source of the variable continues to feed it.
    Set(Spanned<Literal>),
    /// Replaces the value until released.
    Override(Spanned<Literal>),
    /// Adds to the value until released.
    Offset(Spanned<Literal>),
    /// Keeps the value it has now until released.
    Freeze,
    /// Ends overrides, offsets and freezes of the target.
    Release,
}

/// A table of values over time, read from CSV: inert, already parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct InputTable {
    /// The file as the user named it, for messages.
    pub name: String,
    /// Times in seconds, never decreasing; rows of one time are a jump.
    pub times: Vec<f64>,
    /// One per column but the first.
    pub columns: Vec<InputColumn>,
}

/// A column of an input table.
#[derive(Clone, PartialEq, Debug)]
pub struct InputColumn {
    /// The header: `component.variable`, or a variable's name if only one component has it.
    ///
    /// A unit may follow in brackets.
    pub name: Spanned<String>,
    /// The unit in a row of units.
    pub unit: Option<Spanned<String>>,
    /// One value per time.
    pub values: Vec<Literal>,
}
