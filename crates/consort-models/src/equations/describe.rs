//! A compiled model as others see it: variables, units, what depends on what.

use consort_core::model::DefaultExperiment;
use consort_core::variable::DependencyKind;
use consort_core::{
    Capabilities, Causality, ContinuousDescription, DependsOn, Initial, ModelDescription,
    ModelStructure, Reference, Sizes, Unit, Unknown, Values, Variable, VariableId,
};
use consort_equations::{Dependence, Equations, ModelPart, Role};

/// What the model is.
pub(super) fn model(equations: &Equations) -> ModelDescription {
    let mut units = Units::default();
    let shown = equations.parts().filter(is_shown);
    let variables = shown.map(|part| variable(equations, part, &mut units)).collect();
    let mut facts = Vec::new();
    if !equations.description.is_empty() {
        facts.push(("description".to_owned(), equations.description.clone()));
    }
    let experiment = &equations.experiment;
    ModelDescription {
        name: equations.name.clone(),
        kind: "equations".to_owned(),
        variables,
        structure: structure(equations),
        units: units.0,
        enumerations: Vec::new(),
        capabilities: Capabilities { directional_derivatives: true, ..Capabilities::native() },
        default_experiment: DefaultExperiment {
            start: None,
            stop: experiment.stop.clone(),
            tolerance: experiment.tolerance.clone(),
            step: experiment.step.clone(),
        },
        facts,
    }
}

/// What a solver must know about it.
pub(super) fn continuous(equations: &Equations) -> ContinuousDescription {
    let states = 0..equations.states.len();
    let sizes = Sizes { states: equations.states.len(), indicators: equations.indicators.len() };
    ContinuousDescription {
        states: states.clone().map(|at| id(equations, ModelPart::State(at))).collect(),
        derivatives: states.map(|at| id(equations, ModelPart::Derivative(at))).collect(),
        sizes: Some(sizes),
        needs_completed_step: !equations.delays.is_empty(),
    }
}

fn is_shown(part: &ModelPart) -> bool {
    !matches!(part, ModelPart::Time | ModelPart::Indicator(_))
}

/// Variables are in the order of their numbers; only time, the first, is left out before them.
fn id(equations: &Equations, part: ModelPart) -> VariableId {
    VariableId::from_index(equations.number(part) - 1)
}

/// The units of a model, each once.
#[derive(Default)]
struct Units(Vec<Unit>);

impl Units {
    fn index(&mut self, unit: &Unit) -> usize {
        let known = self.0.iter().position(|it| it == unit);
        known.unwrap_or_else(|| {
            self.0.push(unit.clone());
            self.0.len() - 1
        })
    }
}

fn variable(equations: &Equations, part: ModelPart, units: &mut Units) -> Variable {
    let quantity = equations.quantity(part).expect("only time and indicators have none");
    let number = u32::try_from(equations.number(part)).expect("the text's length limits numbers");
    let Role { causality, variability, initial } = equations.role(part);
    let has_start = initial != Initial::Calculated;
    let base = Variable::scalar(&quantity.name, Reference(number), causality);
    let base = Variable {
        variability,
        initial,
        start: has_start.then(|| Values::Float64(vec![quantity.start])),
        ..base
    };
    if let ModelPart::Derivative(at) = part {
        let derivative_of = Some(id(equations, ModelPart::State(at)));
        return Variable { name: format!("der({})", quantity.name), derivative_of, ..base };
    }
    Variable {
        unit: quantity.unit.as_ref().map(|unit| units.index(unit)),
        min: quantity.min,
        max: quantity.max,
        nominal: quantity.nominal,
        description: quantity.description.clone(),
        ..base
    }
}

fn structure(equations: &Equations) -> ModelStructure {
    let is_output = |part: &ModelPart| equations.role(*part).causality == Causality::Output;
    let outputs: Vec<ModelPart> = equations.parts().filter(is_output).collect();
    let derivatives = equations.derivative_dependence.iter().enumerate();
    let unknown = |part: ModelPart, on: DependsOn| Unknown { variable: id(equations, part), on };
    ModelStructure {
        outputs: outputs.iter().map(|part| unknown(*part, running(equations, *part))).collect(),
        derivatives: derivatives
            .map(|(at, on)| unknown(ModelPart::Derivative(at), depends(equations, on)))
            .collect(),
        initial: outputs.iter().map(|part| unknown(*part, at_start(equations, *part))).collect(),
        event_indicators: Vec::new(),
    }
}

/// What an output depends on while the model runs.
fn running(equations: &Equations, part: ModelPart) -> DependsOn {
    match part {
        ModelPart::Output(at) => depends(equations, &equations.output_dependence[at]),
        ModelPart::State(_) => {
            DependsOn::These(vec![(id(equations, part), DependencyKind::Constant)])
        }
        _ => DependsOn::These(Vec::new()),
    }
}

/// What an output depends on at the start: first values may follow inputs, too.
fn at_start(equations: &Equations, part: ModelPart) -> DependsOn {
    let none = Dependence::default();
    let (own, states, discretes) = match part {
        ModelPart::State(at) => (&none, vec![at], Vec::new()),
        ModelPart::Discrete(at) => (&none, Vec::new(), vec![at]),
        ModelPart::Output(at) => {
            let own = &equations.output_dependence[at];
            (own, own.states.clone(), own.discretes.clone())
        }
        _ => return DependsOn::All,
    };
    // What is looked back at is what it is at the start: follow it no further.
    if !own.delays.is_empty() {
        return DependsOn::All;
    }
    let discretes = discretes.into_iter().map(|at| equations.states.len() + at);
    let first = states.into_iter().chain(discretes).map(|at| &equations.initial_dependence[at]);
    let mut inputs: Vec<usize> = first.flat_map(|it| it.inputs.clone()).collect();
    inputs.extend(&own.inputs);
    inputs.sort_unstable();
    inputs.dedup();
    let input = |at: usize| (id(equations, ModelPart::Input(at)), DependencyKind::Dependent);
    DependsOn::These(inputs.into_iter().map(input).collect())
}

fn depends(equations: &Equations, on: &Dependence) -> DependsOn {
    let known = |part: ModelPart| (id(equations, part), DependencyKind::Dependent);
    let inputs = on.inputs.iter().map(|at| known(ModelPart::Input(*at)));
    let states = on.states.iter().map(|at| known(ModelPart::State(*at)));
    DependsOn::These(inputs.chain(states).collect())
}
