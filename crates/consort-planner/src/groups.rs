//! Groups of components that are integrated together, and why others are not.

use consort_core::{ComponentId, ModelDescription, SolvedBy, ValueType};
use consort_system::{Continuous, ResolvedConnection, ResolvedSystem};

/// Groups of components that are integrated together.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// By component: the first of those it is integrated with; itself if it is alone.
    first: Vec<ComponentId>,
    /// By component: it is not alone.
    is_grouped: Vec<bool>,
}

/// Why components that are connected are not integrated together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Apart {
    /// The user wants it so.
    Wanted,
    /// The connection is delayed.
    Delayed,
    /// They step at different rates.
    Rates,
    /// They ask for different solvers, or for steps of different length.
    Solvers,
}

impl Groups {
    pub(crate) fn of(system: &ResolvedSystem, models: &[&ModelDescription]) -> Self {
        let mut groups = Groups::none(system.components.len());
        for wire in &system.connections {
            if obstacle(system, models, wire) == Some(None) {
                groups.join(wire.from.component, wire.to.component);
            }
        }
        groups
    }

    /// Each component in a group of its own.
    pub(crate) fn none(components: usize) -> Self {
        let first = (0..components).map(ComponentId::from_index).collect();
        Groups { first, is_grouped: vec![false; components] }
    }

    fn join(&mut self, a: ComponentId, b: ComponentId) {
        let (a, b) = (self.first(a), self.first(b));
        let (least, other) = (a.min(b), a.max(b));
        (self.is_grouped[a.index()], self.is_grouped[b.index()]) = (true, true);
        for first in self.first.iter_mut().filter(|first| **first == other) {
            *first = least;
        }
    }

    /// The first of those that a component is integrated with; itself if it is alone.
    pub(crate) fn first(&self, component: ComponentId) -> ComponentId {
        self.first[component.index()]
    }

    /// All components that step together with `first`, sorted.
    pub(crate) fn members(&self, first: ComponentId) -> impl Iterator<Item = ComponentId> + '_ {
        let all = self.first.iter().enumerate().filter(move |(_, it)| **it == first);
        all.map(|(index, _)| ComponentId::from_index(index))
    }

    /// The first of each group of at least two.
    pub(crate) fn all(&self) -> impl Iterator<Item = ComponentId> + '_ {
        let ids = (0..self.first.len()).map(ComponentId::from_index);
        ids.filter(|&id| self.first(id) == id && self.is_grouped[id.index()])
    }

    /// Whether a connection is within a group, so that its value is continuous.
    pub(crate) fn is_inner(&self, wire: &ResolvedConnection) -> bool {
        let (from, to) = (wire.from.component, wire.to.component);
        !wire.delay && self.first(from) == self.first(to) && self.is_grouped[self.first(to).index()]
    }
}

/// Between components that are both integrated by us: why they are not integrated together, if
/// there is a reason. `None` for all other connections.
pub(crate) fn obstacle(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    wire: &ResolvedConnection,
) -> Option<Option<Apart>> {
    let (from, to) = (wire.from.component, wire.to.component);
    let solved = |id: ComponentId| models[id.index()].capabilities.solved_by.as_ref();
    let (one, other) = (solved(from)?, solved(to)?);
    let source = &models[from.index()].variables[wire.from.variable.index()];
    if from == to || source.value_type == ValueType::Clock {
        return None;
    }
    let period = |id: ComponentId| system.components[id.index()].period;
    Some(if system.coupling.continuous == Continuous::Apart {
        Some(Apart::Wanted)
    } else if wire.delay {
        Some(Apart::Delayed)
    } else if period(from) != period(to) {
        Some(Apart::Rates)
    } else {
        (!is_solved_alike(one, other)).then_some(Apart::Solvers)
    })
}

/// Of different tolerances the least counts for both.
fn is_solved_alike(one: &SolvedBy, other: &SolvedBy) -> bool {
    let key = |it: &SolvedBy| (it.settings.kind, it.settings.step);
    key(one) == key(other)
}
