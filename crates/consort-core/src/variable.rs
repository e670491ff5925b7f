//! What a model's variables are: type, role, start value, and what depends on what.

use crate::id::{Reference, VariableId};
use crate::named;
use crate::value::{ValueType, Values};
use serde::{Deserialize, Serialize};

/// A variable of a model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Its name, unique in the model.
    pub name: String,
    /// The number by which the instance identifies the variable.
    pub reference: Reference,
    /// The type of its elements.
    pub value_type: ValueType,
    /// Its role at the model's border.
    pub causality: Causality,
    /// When its value may change.
    pub variability: Variability,
    /// How its value comes about at the start.
    pub initial: Initial,
    /// Empty for a scalar, else one entry per dimension, outermost first.
    pub dimensions: Vec<Dimension>,
    /// The value before one is set; a single element stands for all elements of an array.
    pub start: Option<Values>,
    /// Index into [`ModelDescription::units`](crate::ModelDescription).
    pub unit: Option<usize>,
    /// Index into [`ModelDescription::enumerations`](crate::ModelDescription).
    pub enumeration: Option<usize>,
    /// Least value; what is below is a warning.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// Typical magnitude.
    pub nominal: Option<f64>,
    /// The variable this one is the time derivative of.
    pub derivative_of: Option<VariableId>,
    /// The clocks this variable ticks with (FMI 3).
    pub clocks: Vec<VariableId>,
    /// Other names of the same value (FMI 3 `Alias`, FMI 2 shared value references).
    pub aliases: Vec<String>,
    /// The terminal or bus this variable belongs to, if any; connections may be grouped by it.
    pub terminal: Option<String>,
    /// Its description by the author of the model.
    pub description: String,
}

impl Variable {
    /// A continuous scalar `Float64`: the common case, to be adjusted with struct update syntax.
    pub fn scalar(name: &str, reference: Reference, causality: Causality) -> Self {
        Variable {
            name: name.to_owned(),
            reference,
            value_type: ValueType::Float64,
            causality,
            variability: causality.default_variability(ValueType::Float64),
            initial: Initial::None,
            dimensions: Vec::new(),
            start: None,
            unit: None,
            enumeration: None,
            min: None,
            max: None,
            nominal: None,
            derivative_of: None,
            clocks: Vec::new(),
            aliases: Vec::new(),
            terminal: None,
            description: String::new(),
        }
    }

    /// Whether a user may give this variable a value before the run starts.
    pub fn is_settable_before_start(&self) -> bool {
        use Causality::{CalculatedParameter, Independent, Input, Parameter, StructuralParameter};
        match self.causality {
            Input | Parameter | StructuralParameter => self.variability != Variability::Constant,
            CalculatedParameter | Independent => false,
            Causality::Output | Causality::Local => {
                matches!(self.initial, Initial::Exact | Initial::Approx)
                    && self.variability != Variability::Constant
            }
        }
    }
}

named! {
    /// The role of a variable at its model's border.
    #[derive(Serialize, Deserialize)]
    pub enum Causality {
        /// Set before the run; tunable ones also later.
        Parameter => "parameter",
        /// Computed from parameters in initialization.
        CalculatedParameter => "calculatedParameter",
        /// Changes the size of arrays; set before initialization.
        StructuralParameter => "structuralParameter",
        /// Set from outside.
        Input => "input",
        /// Computed by the model, for connections to others.
        Output => "output",
        /// Internal; may be recorded.
        Local => "local",
        /// The independent variable: time.
        Independent => "independent",
    }
}

named! {
    /// When a variable's value may change.
    #[derive(Serialize, Deserialize)]
    pub enum Variability {
        /// Never changes.
        Constant => "constant",
        /// Does not change after initialization.
        Fixed => "fixed",
        /// Between steps, by the user.
        Tunable => "tunable",
        /// Changes at events only.
        Discrete => "discrete",
        /// Changes at any time.
        Continuous => "continuous",
    }
}

named! {
    /// How a variable's initial value comes about.
    #[derive(Serialize, Deserialize)]
    pub enum Initial {
        /// The start value is the value.
        Exact => "exact",
        /// The start value is a guess that initialization improves.
        Approx => "approx",
        /// Initialization computes it; it has no start value.
        Calculated => "calculated",
        /// Does not apply (inputs, time).
        None => "none",
    }
}

impl Causality {
    /// The variability FMI gives a variable that declares none.
    pub fn default_variability(self, value_type: ValueType) -> Variability {
        match self {
            Causality::Parameter
            | Causality::StructuralParameter
            | Causality::CalculatedParameter => Variability::Fixed,
            _ if value_type.is_float() => Variability::Continuous,
            _ => Variability::Discrete,
        }
    }
}

/// One dimension of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Dimension {
    /// A fixed extent.
    Fixed(u64),
    /// The value of a structural parameter.
    Structural(VariableId),
}

/// Which variables a model computes, and from what: FMI's `ModelStructure`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ModelStructure {
    /// Outputs, at run time.
    pub outputs: Vec<Unknown>,
    /// State derivatives, at run time.
    pub derivatives: Vec<Unknown>,
    /// What is computed in initialization.
    pub initial: Vec<Unknown>,
    /// Event indicators (FMI 3), for Model Exchange.
    pub event_indicators: Vec<VariableId>,
}

/// A computed variable and what it is computed from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unknown {
    /// The computed variable.
    pub variable: VariableId,
    /// The variables it depends on.
    pub on: DependsOn,
}

/// What an unknown depends on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum DependsOn {
    /// Not declared: it must be taken to depend on everything.
    All,
    /// On the variables of this list only.
    These(Vec<(VariableId, DependencyKind)>),
}

impl DependsOn {
    /// Whether the unknown may depend on `variable`.
    pub fn includes(&self, variable: VariableId) -> bool {
        match self {
            DependsOn::All => true,
            DependsOn::These(list) => list.iter().any(|(on, _)| *on == variable),
        }
    }
}

named! {
    /// How an unknown depends on a known.
    #[derive(Serialize, Deserialize)]
    pub enum DependencyKind {
        /// The dependency may have any form.
        Dependent => "dependent",
        /// The dependency is a constant factor.
        Constant => "constant",
        /// By a factor fixed in initialization.
        Fixed => "fixed",
        /// By a factor that is a tunable parameter.
        Tunable => "tunable",
        /// By a factor that changes at events only.
        Discrete => "discrete",
    }
}
