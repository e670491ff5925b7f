//! Models given by their equations, with a solver of their own: ordinary models for other crates.
//!
//! A [`SolvedModel`] puts a solver around a [`ContinuousModel`] (an FMU for Model Exchange). Between two
//! communication points it integrates with inputs held, locates state events, and handles time and
//! step events where they happen; outputs follow inputs at once. The solver's state is part of the
//! instance's: what is restored, also from bytes, continues bit for bit.
//!
//! An instance can leave the integration to the engine, which integrates it along with others
//! ([`Instance::join`]); it has no solver of its own then.

mod bytes;
mod instance;

use consort_core::model::CallResult;
use consort_core::solving::{TOLERANCE, is_tolerance};
use consort_core::{
    Capabilities, Causality, ContinuousModel, DependsOn, Instance, Instantiation, Model,
    ModelDescription, Reference, Refresh, SolvedBy, SolverSettings, Variability,
};
use consort_solve::integrate::JacobianPattern;
use instance::SolvedInstance;
use std::sync::Arc;

/// A model given by its equations, with the solver that integrates it.
pub struct SolvedModel {
    model: Arc<dyn ContinuousModel>,
    description: ModelDescription,
    plan: Arc<Plan>,
}

/// What all instances of a model share.
struct Plan {
    solved_by: SolvedBy,
    /// Inputs that may be set in continuous time, sorted; everything else is set at an event.
    direct: Vec<Reference>,
    pattern: Arc<JacobianPattern>,
}

impl SolvedModel {
    /// The model, to be integrated as the settings say; a [`SolverKind`](consort_core::SolverKind) is
    /// enough of them.
    ///
    /// # Panics
    /// If they have a tolerance that is not between zero and one, or a step that is not positive.
    pub fn new(model: Arc<dyn ContinuousModel>, settings: impl Into<SolverSettings>) -> Self {
        let settings = settings.into();
        assert!(settings.tolerance.is_none_or(is_tolerance), "a tolerance no solver can work with");
        let mut description = describe(model.description(), &settings);
        let tolerance = description.default_experiment.tolerance.as_ref();
        let tolerance = tolerance.and_then(|text| text.parse().ok());
        let tolerance = tolerance.filter(|it| is_tolerance(*it)).unwrap_or(TOLERANCE);
        let solved_by = SolvedBy { settings, tolerance };
        description.capabilities.solved_by = Some(solved_by);
        let plan = Plan {
            solved_by,
            direct: direct_inputs(&description),
            pattern: Arc::new(JacobianPattern::of(&*model)),
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

/// The description of the model with its solver: states are internal, so outputs depend on inputs only.
pub(crate) fn describe(of: &ModelDescription, settings: &SolverSettings) -> ModelDescription {
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
        fidelity: inner.fidelity,
        lane: inner.lane.clone(),
        single_instance: inner.single_instance,
        ..Capabilities::native()
    };
    description.facts.push(("solver".to_owned(), settings.to_string()));
    description
}

fn direct_inputs(description: &ModelDescription) -> Vec<Reference> {
    let inputs = description.variables.iter().filter(|variable| {
        variable.causality == Causality::Input
            && variable.variability == Variability::Continuous
            && variable.value_type.is_float()
    });
    let mut references: Vec<Reference> = inputs.map(|variable| variable.reference).collect();
    references.sort_unstable_by_key(|reference| reference.0);
    references
}
