//! What a model declares before anything runs.

use crate::solving::SolverSettings;
use crate::state::{Fidelity, Provider};
use crate::unit::Unit;
use crate::variable::{ModelStructure, Variable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a model is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelDescription {
    /// The model's own name.
    pub name: String,
    /// What kind of thing it is, for a person: `FMI 2.0 Co-Simulation`, `native block`.
    pub kind: String,
    /// Its variables; a [`VariableId`](crate::VariableId) is an index into this.
    pub variables: Vec<Variable>,
    /// The dependencies between variables.
    pub structure: ModelStructure,
    /// The units its variables use.
    pub units: Vec<Unit>,
    /// The enumerations its variables use.
    pub enumerations: Vec<Enumeration>,
    /// The capabilities of its instances.
    pub capabilities: Capabilities,
    /// The experiment its author had in mind.
    pub default_experiment: DefaultExperiment,
    /// Further facts worth showing, in order: tool, version, token, binaries.
    pub facts: Vec<(String, String)>,
}

impl ModelDescription {
    /// The variable of that name, by name or alias.
    pub fn variable(&self, name: &str) -> Option<crate::VariableId> {
        let is_named = |variable: &Variable| {
            variable.name == name || variable.aliases.iter().any(|alias| alias == name)
        };
        self.variables.iter().position(is_named).map(crate::VariableId::from_index)
    }

    /// Every name with its variable; a variable's own name goes before another one's alias.
    pub fn names(&self) -> BTreeMap<&str, crate::VariableId> {
        let ids = || (0..self.variables.len()).map(crate::VariableId::from_index);
        let own = self.variables.iter().zip(ids()).map(|(it, id)| (&*it.name, id));
        let aliases = self.variables.iter().zip(ids());
        let aliases = aliases.flat_map(|(it, id)| it.aliases.iter().map(move |name| (&**name, id)));
        let mut names = BTreeMap::new();
        for (name, id) in own.chain(aliases) {
            names.entry(name).or_insert(id);
        }
        names
    }

    /// A further fact by its name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(known, _)| known == name).map(|(_, fact)| &**fact)
    }

    /// Whether its instances are foreign code: they share static data, or run in a process of their own.
    pub fn is_foreign_code(&self) -> bool {
        self.capabilities.lane.is_some() || self.fact(STATE_FACT).is_some()
    }

    /// The provider that saves the states of its instances.
    pub fn state_provider(&self) -> Provider {
        self.fact(STATE_FACT).and_then(Provider::from_name).unwrap_or(Provider::Native)
    }
}

/// The fact that names the provider of the states of an isolated model.
pub const STATE_FACT: &str = "state";

/// A named list of whole numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Enumeration {
    /// The type's name.
    pub name: String,
    /// Name and value of each item.
    pub items: Vec<(String, i64)>,
}

/// The experiment a model's author had in mind; text kept as written, so that it stays exact.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DefaultExperiment {
    /// Start time in seconds, as written.
    pub start: Option<String>,
    /// Stop time in seconds, as written.
    pub stop: Option<String>,
    /// Relative tolerance, as written.
    pub tolerance: Option<String>,
    /// Communication step in seconds, as written.
    pub step: Option<String>,
}

/// How a get after a set at the same tag answers. See `docs/plans.md`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Refresh {
    /// A get after a set sees the new value.
    AtOnce,
    /// Outputs are those of the last step; a get after a set needs a step between.
    ByStep,
}

/// How the equations of a model are integrated, where that is done by a solver of ours.
///
/// Instances that are connected and ask for the same solver can be integrated as one.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolvedBy {
    /// The requested settings.
    pub settings: SolverSettings,
    /// The relative tolerance where neither the settings nor the experiment have one.
    pub tolerance: f64,
}

impl SolvedBy {
    /// The relative tolerance in an experiment that may have its own.
    pub fn relative(&self, experiment: Option<f64>) -> f64 {
        self.settings.tolerance.or(experiment).unwrap_or(self.tolerance)
    }
}

/// What the instances of a model can do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Capabilities {
    /// How outputs follow inputs within one tag.
    pub refresh: Refresh,
    /// Steps of changing length are accepted.
    pub variable_step: bool,
    /// Event mode is supported (FMI 3).
    pub event_mode: bool,
    /// A step may end before its end.
    pub early_return: bool,
    /// Values may be exchanged in the middle of a step.
    pub intermediate_update: bool,
    /// The state can be saved and restored.
    pub save_state: bool,
    /// A saved state can be turned into bytes.
    pub serialize_state: bool,
    /// How a restored instance behaves, as far as it is known: [`Fidelity::Exact`] unless
    /// a measurement found another fidelity.
    pub fidelity: Fidelity,
    /// Directional derivatives are available.
    pub directional_derivatives: bool,
    /// Highest order of input derivatives that can be set; 0 for none.
    pub input_derivatives_max: u32,
    /// Instances with the same key may share static data: they run one after another, in id order.
    /// `None`: instances share nothing.
    pub lane: Option<String>,
    /// At most one instance per process.
    pub single_instance: bool,
    /// The model is given by equations that a solver of ours integrates: see [`Instance::join`](crate::Instance::join).
    pub solved_by: Option<SolvedBy>,
}

impl Capabilities {
    /// Those of a native block: outputs follow at once, steps of any length, nothing shared.
    pub fn native() -> Self {
        Capabilities {
            refresh: Refresh::AtOnce,
            variable_step: true,
            save_state: true,
            serialize_state: true,
            ..Capabilities::none()
        }
    }

    /// Those of a model that promises nothing: outputs follow by the next step.
    pub fn none() -> Self {
        Capabilities {
            refresh: Refresh::ByStep,
            variable_step: false,
            event_mode: false,
            early_return: false,
            intermediate_update: false,
            save_state: false,
            serialize_state: false,
            fidelity: Fidelity::Exact,
            directional_derivatives: false,
            input_derivatives_max: 0,
            lane: None,
            single_instance: false,
            solved_by: None,
        }
    }
}
