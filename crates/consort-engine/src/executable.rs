//! What a run is made of.

use consort_core::{Model, ModelDescription};
use consort_system::{Plan, ResolvedSystem};
use std::sync::Arc;

/// A resolved system with its plan and the model of each component. Clones share everything.
#[derive(Clone)]
pub struct Executable {
    pub(crate) system: Arc<ResolvedSystem>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) models: Arc<[Arc<dyn Model>]>,
}

impl Executable {
    /// Puts together what belongs together; `models` has the model of each component, in their order.
    ///
    /// # Panics
    /// If there is not one model for each component.
    pub fn new(system: ResolvedSystem, plan: Plan, models: Vec<Arc<dyn Model>>) -> Self {
        assert_eq!(system.components.len(), models.len(), "one model per component");
        Executable { system: Arc::new(system), plan: Arc::new(plan), models: models.into() }
    }

    /// What the system means.
    pub fn system(&self) -> &ResolvedSystem {
        &self.system
    }

    /// The order of computation.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The model of each component, in their order.
    pub fn models(&self) -> &[Arc<dyn Model>] {
        &self.models
    }

    /// What the model of each component offers, in their order.
    pub fn descriptions(&self) -> Vec<&ModelDescription> {
        self.models.iter().map(|model| model.description()).collect()
    }
}
