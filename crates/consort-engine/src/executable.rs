//! The parts that a run is made from: system, models, plan and program.

use consort_core::{ComponentId, Model, ModelDescription, Variable, VariableId};
use consort_system::{Plan, Port, ResolvedSystem};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A resolved system with its plan and the model of each component. Clones share everything.
#[derive(Clone)]
pub struct Executable {
    pub(crate) system: Arc<ResolvedSystem>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) models: Arc<[Arc<dyn Model>]>,
    /// Components by name.
    names: Arc<BTreeMap<String, ComponentId>>,
}

impl Executable {
    /// Puts together what belongs together; `models` has the model of each component, in their order.
    ///
    /// # Panics
    /// If there is not one model for each component.
    pub fn new(system: ResolvedSystem, plan: Plan, models: Vec<Arc<dyn Model>>) -> Self {
        assert_eq!(system.components.len(), models.len(), "one model per component");
        let names = system.components.iter().enumerate();
        let names = names.map(|(index, it)| (it.name.clone(), ComponentId::from_index(index)));
        let names = Arc::new(names.collect());
        Executable { system: Arc::new(system), plan: Arc::new(plan), models: models.into(), names }
    }

    /// The resolved system.
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

    /// The name of a component.
    pub(crate) fn name(&self, component: usize) -> &str {
        &self.system.components[component].name
    }

    /// What the model of a component offers.
    pub(crate) fn description(&self, component: usize) -> &ModelDescription {
        self.models[component].description()
    }

    /// A variable of a component.
    pub(crate) fn variable(&self, component: usize, variable: VariableId) -> &Variable {
        &self.description(component).variables[variable.index()]
    }

    /// `component.variable`, for messages.
    pub(crate) fn path(&self, component: usize, variable: VariableId) -> String {
        format!("{}.{}", self.name(component), self.variable(component, variable).name)
    }

    /// `component.variable` of a port, for messages.
    pub(crate) fn port_path(&self, port: &Port) -> String {
        self.path(port.component.index(), port.variable)
    }

    /// Component and variable of a path.
    pub(crate) fn find(&self, path: &str) -> Option<(usize, VariableId)> {
        let (component, variable) = path.split_once('.')?;
        let component = self.names.get(component)?.index();
        Some((component, self.description(component).variable(variable)?))
    }
}
