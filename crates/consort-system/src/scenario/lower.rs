//! A scenario as a system.

use super::{Scenario, ScenarioFmu, ScenarioPort};
use crate::coupling::{
    Continuous, Iteration, LoopPolicy, OnDivergence, Order, ResolvedCoupling, ResolvedVariableStep,
};
use crate::resolved::{
    Port, ResolvedComponent, ResolvedConnection, ResolvedExperiment, ResolvedSystem,
};
use crate::system::{Hold, StepLength};
use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, Conversion, DependencyKind, DependsOn, ModelDescription,
    ModelStructure, Reference, Resolution, Seconds, SetupOrder, Time, Unknown, Variable,
    VariableId,
};

impl Scenario {
    /// The system that the scenario describes, and the description of each FMU.
    ///
    /// Outputs follow inputs at once where the scenario says so; loops are iterated; if an FMU may
    /// reject steps, their size may change. A tick is one unit of the scenario's step size.
    ///
    /// # Panics
    /// If a port of the scenario is out of range: readers make none such.
    pub fn to_system(&self) -> (ResolvedSystem, Vec<ModelDescription>) {
        let one: Seconds = "1".parse().expect("one second is a time");
        let step = Time::from_ticks(i64::from(self.step_max.max(1)));
        let experiment = ResolvedExperiment {
            resolution: Resolution::for_all(&[one]).expect("one second is a tick"),
            start: Time::ZERO,
            stop: step,
            step,
            seed: 0,
            tolerance: None,
            hash: consort_core::HashMode::All,
        };
        let models: Vec<ModelDescription> = self.fmus.iter().map(describe).collect();
        let system = ResolvedSystem {
            name: self.name.clone(),
            experiment,
            components: self.fmus.iter().map(|fmu| component(fmu, step)).collect(),
            connections: self.connections.iter().map(|it| connection(it.from, it.to)).collect(),
            feed: None,
            interventions: Vec::new(),
            coupling: self.coupling(step),
            placement: None,
        };
        (system, models)
    }

    fn coupling(&self, step: Time) -> ResolvedCoupling {
        let min = Time::from_ticks(1);
        let variable = ResolvedVariableStep { initial: step, min, max: step, tolerances: None };
        let rejects = self.fmus.iter().any(|fmu| fmu.can_reject_step);
        ResolvedCoupling {
            order: Order::Derived,
            loops: LoopPolicy::Iterate(Iteration::default()),
            on_divergence: OnDivergence::default(),
            constraints: Vec::new(),
            rules: Vec::new(),
            variable_step: rejects.then_some(variable),
            continuous: Continuous::Apart,
        }
    }
}

fn component(fmu: &ScenarioFmu, period: Time) -> ResolvedComponent {
    let reactive = fmu.inputs.iter().enumerate().filter(|(_, input)| input.reactive);
    ResolvedComponent {
        name: fmu.name.clone(),
        period,
        step_length: StepLength::Fixed,
        concurrent: true,
        event_mode: false,
        reactive: reactive.map(|(index, _)| VariableId::from_index(index)).collect(),
        counts: vec![1; fmu.inputs.len() + fmu.outputs.len()],
        structural: Vec::new(),
        settings: Vec::new(),
        setup: SetupOrder::First,
        recorded: Vec::new(),
        hashed: Vec::new(),
    }
}

fn connection(from: ScenarioPort, to: ScenarioPort) -> ResolvedConnection {
    let port =
        |port: ScenarioPort| Port { component: port.fmu, variable: port.port, first: 0, count: 1 };
    ResolvedConnection {
        from: port(from),
        to: port(to),
        conversion: Conversion { gain: 1.0, offset: 0.0 },
        hold: Hold::Hold,
        delay: false,
        origin: crate::resolved::Origin::default(),
    }
}

fn describe(fmu: &ScenarioFmu) -> ModelDescription {
    let inputs = fmu.inputs.iter().map(|input| (&input.name, Causality::Input));
    let outputs = fmu.outputs.iter().map(|output| (&output.name, Causality::Output));
    let variables = inputs.chain(outputs).zip(0..);
    let variables = variables
        .map(|((name, causality), at)| Variable::scalar(name, Reference(at), causality))
        .collect();
    let unknown = |index: usize, inputs: &[VariableId]| Unknown {
        variable: fmu.output_port(index),
        on: DependsOn::These(inputs.iter().map(|&it| (it, DependencyKind::Dependent)).collect()),
    };
    let outputs = fmu.outputs.iter().enumerate();
    let initial = outputs.clone().map(|(index, it)| unknown(index, &it.follows_initially));
    let structure = ModelStructure {
        outputs: outputs.clone().map(|(index, it)| unknown(index, &it.follows)).collect(),
        initial: initial.collect(),
        ..ModelStructure::default()
    };
    ModelDescription {
        name: fmu.name.clone(),
        kind: "FMU of a scenario".to_owned(),
        variables,
        structure,
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities { early_return: fmu.can_reject_step, ..Capabilities::native() },
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}
