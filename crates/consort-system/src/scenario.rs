//! Scenarios of the Scenario-Verifier (Gomes, Thule and Hansen): FMUs as contracts, and an
//! orchestration algorithm for them.
//!
//! A scenario says of each FMU which inputs are reactive, what its outputs follow at once and
//! whether it may reject a step, but nothing about what it computes. It is another way to write a
//! system together with a plan: [`Scenario::to_system`] makes the system a plan can be synthesized
//! for, and [`Scenario::with_plan`] writes a plan as the scenario's algorithm.

mod algorithm;
mod lower;

use consort_core::{ComponentId, VariableId};
use std::collections::BTreeSet;

/// A scenario and its algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// The name of the scenario, for titles.
    pub name: String,
    /// The FMUs; a `ComponentId` is an index into this.
    pub fmus: Vec<ScenarioFmu>,
    /// From outputs to inputs.
    pub connections: Vec<ScenarioConnection>,
    /// The longest step, as a whole number.
    pub step_max: u32,
    /// What is done before the first step.
    pub initialization: Vec<Instruction>,
    /// The algorithms of a step by their names; a single one may have the empty name.
    pub steps: Vec<(String, Vec<Instruction>)>,
    /// Settings between which the scenario switches; empty if there is only one.
    pub configurations: Vec<Configuration>,
}

/// What is promised about an FMU.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScenarioFmu {
    /// The name of the FMU.
    pub name: String,
    /// Its inputs: the ports 0, 1, 2...
    pub inputs: Vec<ScenarioInput>,
    /// Its outputs: the ports after the inputs.
    pub outputs: Vec<ScenarioOutput>,
    /// It may end a step early.
    pub can_reject_step: bool,
    /// Where the FMU is, if that is said.
    pub path: String,
}

impl ScenarioFmu {
    /// The port of an output.
    pub fn output_port(&self, output: usize) -> VariableId {
        VariableId::from_index(self.inputs.len() + output)
    }

    /// The output at a port.
    pub fn output(&self, port: VariableId) -> Option<&ScenarioOutput> {
        self.outputs.get(port.index().checked_sub(self.inputs.len())?)
    }

    /// The name of a port.
    pub fn port_name(&self, port: VariableId) -> &str {
        match self.inputs.get(port.index()) {
            Some(input) => &input.name,
            None => self.output(port).map_or("?", |output| &output.name),
        }
    }
}

/// An input of an FMU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioInput {
    /// The name of the input.
    pub name: String,
    /// A step needs its value at the end of the step, not at its start.
    pub reactive: bool,
}

/// An output of an FMU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioOutput {
    /// The name of the output.
    pub name: String,
    /// The inputs its initial value follows.
    pub follows_initially: Vec<VariableId>,
    /// The inputs its value follows at once.
    pub follows: Vec<VariableId>,
}

/// A port of an FMU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScenarioPort {
    /// The FMU of the port.
    pub fmu: ComponentId,
    /// Which of its ports: inputs first, then outputs.
    pub port: VariableId,
}

/// A connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScenarioConnection {
    /// The output it comes from.
    pub from: ScenarioPort,
    /// The input it goes to.
    pub to: ScenarioPort,
}

/// One of several settings of an adaptive scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The name of the configuration.
    pub name: String,
    /// Inputs that are reactive or not, other than the FMU says.
    pub reactive: Vec<(ScenarioPort, bool)>,
    /// Connections in place of the scenario's; empty: the scenario's.
    pub connections: Vec<ScenarioConnection>,
    /// The name of its algorithm; empty: the one without a name, if there is any.
    pub step: String,
}

/// One instruction of an algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// Reads an output; `tentative` if a loop may still take it back.
    Get {
        /// The output to read.
        port: ScenarioPort,
        /// A loop may take it back.
        tentative: bool,
    },
    /// Gives an input what was last read of its source.
    Set {
        /// The input to set.
        port: ScenarioPort,
        /// A loop may take it back.
        tentative: bool,
    },
    /// An FMU steps.
    Step {
        /// The FMU that steps.
        fmu: ComponentId,
        /// The size of the step.
        size: StepSize,
    },
    /// An FMU's state is saved.
    Save(ComponentId),
    /// An FMU goes back to its saved state.
    Restore(ComponentId),
    /// Instructions that are repeated.
    Loop(ScenarioLoop),
}

/// How far a step goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepSize {
    /// As far as the whole scenario.
    Whole,
    /// A step of a given size.
    By(u32),
    /// As far as another FMU came in its last step.
    SameAs(ComponentId),
}

/// Instructions that are repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioLoop {
    /// The condition that ends the loop.
    pub until: Until,
    /// The instructions of the loop.
    pub iterate: Vec<Instruction>,
    /// What is done before each repetition.
    pub retry: Vec<Instruction>,
}

/// When a loop ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Until {
    /// When these outputs no longer change.
    Converged(Vec<ScenarioPort>),
    /// When these FMUs accepted one step size.
    Accepted(Vec<ComponentId>),
}

impl Scenario {
    /// `fmu.port`, for messages and files.
    pub fn port_name(&self, port: ScenarioPort) -> String {
        let fmu = &self.fmus[port.fmu.index()];
        format!("{}.{}", fmu.name, fmu.port_name(port.port))
    }

    /// The scenario in one of its configurations: reactivity, connections and algorithm are those
    /// of the configuration.
    pub fn configured(&self, configuration: &Configuration) -> Scenario {
        let mut scenario = self.clone();
        scenario.configurations.clear();
        for &(port, reactive) in &configuration.reactive {
            scenario.fmus[port.fmu.index()].inputs[port.port.index()].reactive = reactive;
        }
        if !configuration.connections.is_empty() {
            scenario.connections.clone_from(&configuration.connections);
        }
        scenario.steps.retain(|(name, _)| *name == configuration.step);
        scenario
    }

    /// The scenario as its initialization sees it, which is one for all configurations: with its own
    /// connections, and those of configurations to inputs that nothing feeds otherwise.
    pub fn initial(&self) -> Scenario {
        let mut scenario = Scenario { configurations: Vec::new(), ..self.clone() };
        let mut fed: BTreeSet<ScenarioPort> =
            self.connections.iter().map(|connection| connection.to).collect();
        for connection in self.configurations.iter().flat_map(|it| &it.connections) {
            if fed.insert(connection.to) {
                scenario.connections.push(*connection);
            }
        }
        scenario
    }
}
