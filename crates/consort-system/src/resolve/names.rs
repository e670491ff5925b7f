//! Names to ids: one index per distinct model, however many components use it.

use crate::system::SystemDescription;
use consort_core::{ComponentId, ModelDescription, VariableId};
use std::collections::BTreeMap;

pub(super) struct Names<'a> {
    components: BTreeMap<&'a str, ComponentId>,
    models: Vec<ModelNames<'a>>,
    /// Index into `models`, by component.
    of_component: Vec<Option<usize>>,
}

struct ModelNames<'a> {
    model: &'a ModelDescription,
    variables: BTreeMap<&'a str, VariableId>,
    components: Vec<ComponentId>,
}

impl<'a> Names<'a> {
    pub(super) fn new(
        system: &'a SystemDescription,
        models: &[Option<&'a ModelDescription>],
    ) -> Self {
        let mut names = Names {
            components: BTreeMap::new(),
            models: Vec::new(),
            of_component: vec![None; system.components.len()],
        };
        // Addresses only distinguish models; the order of `models` is that of first use.
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, component) in system.components.iter().enumerate() {
            let id = ComponentId::from_index(index);
            names.components.entry(&component.name.value).or_insert(id);
            let Some(model) = models.get(index).copied().flatten() else { continue };
            let address = std::ptr::from_ref(model).addr();
            let key = *known.entry(address).or_insert_with(|| {
                names.models.push(ModelNames::new(model));
                names.models.len() - 1
            });
            names.models[key].components.push(id);
            names.of_component[index] = Some(key);
        }
        names
    }

    pub(super) fn component(&self, name: &str) -> Option<ComponentId> {
        self.components.get(name).copied()
    }

    /// Every component's name, sorted.
    pub(super) fn component_names(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a, '_> {
        self.components.keys().copied()
    }

    pub(super) fn model(&self, component: ComponentId) -> Option<&'a ModelDescription> {
        self.model_key(component.index()).map(|(_, model)| model)
    }

    /// The model of the component at `index`, with a number that distinguishes models.
    pub(super) fn model_key(&self, index: usize) -> Option<(usize, &'a ModelDescription)> {
        let key = self.of_component.get(index).copied().flatten()?;
        Some((key, self.models[key].model))
    }

    /// Whether every component has its model.
    pub(super) fn all_loaded(&self) -> bool {
        self.of_component.iter().all(Option::is_some)
    }

    /// A variable by name or alias.
    pub(super) fn variable(&self, component: ComponentId, name: &str) -> Option<VariableId> {
        let key = self.of_component[component.index()]?;
        self.models[key].variables.get(name).copied()
    }

    /// Every component that has a variable of that name which satisfies `which`, in id order.
    pub(super) fn components_with(
        &self,
        name: &str,
        which: impl Fn(&ModelDescription, VariableId) -> bool,
    ) -> Vec<ComponentId> {
        let has = |names: &&ModelNames<'_>| {
            names.variables.get(name).is_some_and(|&variable| which(names.model, variable))
        };
        let found = self.models.iter().filter(has).flat_map(|names| &names.components);
        let mut found: Vec<ComponentId> = found.copied().collect();
        found.sort_unstable();
        found
    }
}

impl<'a> ModelNames<'a> {
    fn new(model: &'a ModelDescription) -> Self {
        ModelNames { model, variables: model.names(), components: Vec::new() }
    }
}
