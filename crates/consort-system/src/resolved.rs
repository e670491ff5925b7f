//! What a system means: ids instead of names, ticks instead of seconds, values of the right type.

pub use crate::port::Port;
pub use consort_core::Comparison;
use serde::{Deserialize, Serialize};

use crate::coupling::ResolvedCoupling;
use crate::placement::Placement;
use crate::system::{Hold, StepLength};
use consort_core::{
    Conversion, Dimension, HashMode, ModelDescription, Preparation, Resolution, Setting,
    SetupOrder, Span, Time, Values, VariableId,
};

/// A system in which everything was found and fits.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResolvedSystem {
    /// The name of the system, for titles.
    pub name: String,
    /// The resolved experiment.
    pub experiment: ResolvedExperiment,
    /// The parts; a `ComponentId` is an index into this.
    pub components: Vec<ResolvedComponent>,
    /// The wires; a `ConnectionId` is an index into this.
    pub connections: Vec<ResolvedConnection>,
    /// The inputs that a table feeds.
    pub feed: Option<Feed>,
    /// What is done while it runs, in the order written.
    pub interventions: Vec<ResolvedIntervention>,
    /// In which order it is computed, what becomes of loops, and the size of steps.
    pub coupling: ResolvedCoupling,
    /// Which node each component is on, if the run is to be spread over nodes.
    pub placement: Option<Placement>,
}

/// The experiment in ticks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResolvedExperiment {
    /// How long a tick is.
    pub resolution: Resolution,
    /// The start time.
    pub start: Time,
    /// Where it ends; a whole number of every component's periods after `start`, unless steps
    /// change their size.
    pub stop: Time,
    /// The communication step of components that have none of their own.
    pub step: Time,
    /// The root of all randomness.
    pub seed: u64,
    /// Relative tolerance for solvers inside models.
    pub tolerance: Option<f64>,
    /// Which variables are in the trace hash: how [`ResolvedComponent::hashed`] was chosen.
    #[serde(default)]
    pub hash: HashMode,
}

/// A component in which everything was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResolvedComponent {
    /// Its name, for messages and paths.
    pub name: String,
    /// The time between two steps.
    pub period: Time,
    /// How the length of its steps is computed.
    pub step_length: StepLength,
    /// It may run beside other instances of its model.
    pub concurrent: bool,
    /// Event mode is used.
    pub event_mode: bool,
    /// Inputs whose value at the end of a step the step needs, sorted.
    pub reactive: Vec<VariableId>,
    /// Number of elements of each variable, by `VariableId`; 1 for scalars.
    pub counts: Vec<u32>,
    /// Set in configuration mode, in this order.
    pub structural: Vec<Setting>,
    /// Set before initialization, in this order: parameters and start values.
    pub settings: Vec<Setting>,
    /// When it is set up for the experiment.
    pub setup: SetupOrder,
    /// Variables that go into the trace, in description order.
    pub recorded: Vec<VariableId>,
    /// Variables that go into the trace hash, in description order.
    pub hashed: Vec<VariableId>,
}

impl ResolvedComponent {
    /// How its instance comes to initialization mode.
    ///
    /// # Panics
    /// If `model` is not the component's model.
    pub fn preparation<'a>(&'a self, model: &'a ModelDescription) -> Preparation<'a> {
        Preparation {
            structural: &self.structural,
            settings: &self.settings,
            order: self.setup,
            ..Preparation::plain(&model.variables)
        }
    }

    /// The extents of one of its variables, outermost first; empty for a scalar.
    ///
    /// # Panics
    /// If `model` is not the component's model.
    pub fn dimensions(&self, model: &ModelDescription, variable: VariableId) -> Vec<u32> {
        let extent = |dimension: &Dimension| match dimension {
            Dimension::Fixed(extent) => u32::try_from(*extent).expect("sizes were checked"),
            Dimension::Structural(parameter) => self.structural_value(model, *parameter),
        };
        model.variables[variable.index()].dimensions.iter().map(extent).collect()
    }

    fn structural_value(&self, model: &ModelDescription, parameter: VariableId) -> u32 {
        let given = self.structural.iter().find(|setting| setting.variable == parameter);
        let start = model.variables[parameter.index()].start.as_ref();
        let values = given.map(|setting| &setting.values).or(start);
        let value = values.and_then(|values| values.view().as_f64(0));
        value.expect("a structural parameter has a value") as u32
    }
}

/// A wire between two ports of equal count.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResolvedConnection {
    /// The output that values come from.
    pub from: Port,
    /// Where they go; its type is the source's or wider.
    pub to: Port,
    /// From the source's unit to the target's, and what the wire itself does with the value.
    pub conversion: Conversion,
    /// What the input sees between two values.
    pub hold: Hold,
    /// The input gets the source's previous value, and its own start value at the first tag.
    pub delay: bool,
    /// Where it was written, for messages; not known in another process.
    #[serde(skip)]
    pub origin: Origin,
}

/// Where something was written, if anywhere. That is no part of what it means: all are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(pub Option<Span>);

impl PartialEq for Origin {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// A table over time that feeds inputs and tunable parameters.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Feed {
    /// Times, never decreasing: of rows at one time, the last holds from there on, and the first is
    /// where a straight line from the row before ends.
    pub times: Vec<Time>,
    /// The inputs that are fed.
    pub columns: Vec<ColumnFeed>,
    /// The tunable parameters that are set, each to the value of the last row; never interpolated.
    pub parameters: Vec<ColumnFeed>,
}

impl Feed {
    /// Where a value jumps, in order: at rows of one time, and where a value that is held changes.
    pub fn jumps(&self) -> Vec<Time> {
        let mut jumps: Vec<Time> = Vec::new();
        for row in 1..self.times.len() {
            let is_repeated = self.times[row - 1] == self.times[row];
            let jumps_here = |column: &ColumnFeed| {
                let is_held = !column.interpolate;
                let (before, after) =
                    (column.values.slice(row - 1, 1), column.values.slice(row, 1));
                (is_repeated || is_held) && !before.is_same(after)
            };
            let is_jump = self.columns.iter().chain(&self.parameters).any(jumps_here);
            if is_jump && jumps.last() != Some(&self.times[row]) {
                jumps.push(self.times[row]);
            }
        }
        jumps
    }
}

/// A column of a feed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ColumnFeed {
    /// What it is for: one element.
    pub to: Port,
    /// One value per time, of the variable's type and unit.
    pub values: Values,
    /// Straight lines between the values instead of steps (continuous floats).
    pub interpolate: bool,
}

/// Something done while the system runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResolvedIntervention {
    /// The time or condition at which it acts.
    pub trigger: Trigger,
    /// The variable on which it acts.
    pub target: Target,
    /// What is done; values are of the target's type and unit, one per element.
    pub effect: Effect,
}

/// When an intervention happens.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Trigger {
    /// At the first tag not earlier than this.
    At(Time),
    /// At the first tag at which the condition holds.
    When(Condition),
}

/// `element OPERATOR number`; the element's value is compared as a double.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Condition {
    /// One element of an output, input or recorded local.
    pub port: Port,
    /// The comparison.
    pub comparison: Comparison,
    /// The number to compare with.
    pub number: f64,
}

/// What an intervention acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Target {
    /// An input: the value that the component is given, whatever its source.
    Input(Port),
    /// An output: the value that all others read.
    Output(Port),
    /// A tunable parameter: set on the instance.
    Parameter(Port),
    /// One wire: what its input gets through it (index into the connections).
    Connection(consort_core::ConnectionId),
}

/// What an intervention does.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Effect {
    /// Gives the value once.
    Set(Values),
    /// Replaces the value until released.
    Override(Values),
    /// Adds to the value until released.
    Offset(Values),
    /// Keeps the value it has until released.
    Freeze,
    /// Ends other interventions on the target.
    Release,
}
