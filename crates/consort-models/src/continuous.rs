//! Models given by their equations, with a solver of their own: ordinary models for everybody else.
//!
//! A [`SolvedModel`] puts a solver around a [`ContinuousModel`] (an FMU for Model Exchange). Between two
//! communication points it integrates with inputs held, locates state events, and handles time and
//! step events where they happen; outputs follow inputs at once. The solver's state is part of the
//! instance's: what is restored, also from bytes, continues bit for bit.

mod bytes;
mod instance;
mod jacobian;
mod solver;

use consort_core::model::CallResult;
use consort_core::{
    Capabilities, Causality, ContinuousModel, DependsOn, Instance, Instantiation, Model,
    ModelDescription, Reference, Refresh, ValueType, Variability,
};
use instance::SolvedInstance;
use jacobian::Pattern;
use std::sync::Arc;

/// Which solver integrates a model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SolverKind {
    /// Backward differentiation formulas of orders 1 to 5: for stiff models, and when nothing is known.
    #[default]
    Bdf,
    /// Adams formulas of orders 1 to 12: for smooth models that are not stiff.
    Adams,
    /// Bogacki and Shampine's pair of orders 3 and 2: for rough answers and many events.
    BogackiShampine,
    /// Dormand and Prince's pair of orders 5 and 4.
    DormandPrince5,
    /// Dormand and Prince's method of order 8: for precise answers.
    DormandPrince8,
}

impl SolverKind {
    /// As a person writes it.
    pub const fn name(self) -> &'static str {
        match self {
            SolverKind::Bdf => "bdf",
            SolverKind::Adams => "adams",
            SolverKind::BogackiShampine => "bs32",
            SolverKind::DormandPrince5 => "dopri5",
            SolverKind::DormandPrince8 => "dop853",
        }
    }
}

/// The relative tolerance where neither the run nor the model says one.
const TOLERANCE: f64 = 1e-6;

/// A model given by its equations, with the solver that integrates it.
pub struct SolvedModel {
    model: Arc<dyn ContinuousModel>,
    description: ModelDescription,
    plan: Arc<Plan>,
}

/// What all instances of a model share.
struct Plan {
    kind: SolverKind,
    /// The relative tolerance the model asks for.
    tolerance: f64,
    /// Inputs that may be set while time goes on, sorted; everything else is set at an event.
    direct: Vec<Reference>,
    pattern: Pattern,
}

impl SolvedModel {
    /// The model, to be integrated by a solver of this kind.
    pub fn new(model: Arc<dyn ContinuousModel>, kind: SolverKind) -> Self {
        let description = describe(model.description(), kind);
        let tolerance = description.default_experiment.tolerance.as_ref();
        let tolerance = tolerance.and_then(|text| text.parse().ok());
        let plan = Plan {
            kind,
            tolerance: tolerance.filter(|it| 0.0 < *it && *it < 1.0).unwrap_or(TOLERANCE),
            direct: direct_inputs(&description),
            pattern: Pattern::of(&*model),
        };
        SolvedModel { model, description, plan: Arc::new(plan) }
    }
}

impl Model for SolvedModel {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        let inner = self.model.instantiate(instantiation)?;
        Ok(Box::new(SolvedInstance::new(inner, Arc::clone(&self.plan))))
    }
}

/// What the model is from outside: its states are nobody's business, so outputs depend on inputs only.
fn describe(of: &ModelDescription, kind: SolverKind) -> ModelDescription {
    let mut description = of.clone();
    let variables = &description.variables;
    for output in &mut description.structure.outputs {
        if let DependsOn::These(list) = &mut output.on {
            list.retain(|(on, _)| variables[on.index()].causality == Causality::Input);
        }
    }
    let inner = &of.capabilities;
    description.capabilities = Capabilities {
        refresh: Refresh::AtOnce,
        save_state: inner.save_state,
        serialize_state: inner.serialize_state,
        lane: inner.lane.clone(),
        single_instance: inner.single_instance,
        ..Capabilities::native()
    };
    description.facts.push(("solver".to_owned(), kind.name().to_owned()));
    description
}

fn direct_inputs(description: &ModelDescription) -> Vec<Reference> {
    let inputs = description.variables.iter().filter(|variable| {
        variable.causality == Causality::Input
            && variable.variability == Variability::Continuous
            && variable.value_type == ValueType::Float64
    });
    let mut references: Vec<Reference> = inputs.map(|variable| variable.reference).collect();
    references.sort_unstable_by_key(|reference| reference.0);
    references
}
