//! What depends on what: connections from outputs to inputs, and feedthrough from inputs to outputs
//! as the models declare it.

use crate::nodes::Nodes;
use consort_core::{
    Causality, ComponentId, ConnectionId, DependsOn, ModelDescription, Refresh, VariableId,
};
use consort_system::{Order, ResolvedSystem};

/// Which of a model's declarations counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    /// The initial equations; every model answers at once there.
    Initialization,
    /// The equations at a tag; only some models answer at once.
    Tag,
    /// The same, but no output is read again before the next step: the Jacobi order.
    AfterSteps,
}

impl Moment {
    /// How a system is looked at in its cycle.
    pub(crate) fn of_cycle(order: Order) -> Self {
        if order == Order::Jacobi { Moment::AfterSteps } else { Moment::Tag }
    }

    /// Whether a read after a set, without a step between, sees what was set.
    pub(crate) fn is_at_once(self, model: &ModelDescription) -> bool {
        match self {
            Moment::Initialization => true,
            Moment::Tag => model.capabilities.refresh == Refresh::AtOnce,
            Moment::AfterSteps => false,
        }
    }
}

/// What each variable of one model is declared to depend on, by variable.
pub(crate) struct Declared<'a> {
    model: &'a ModelDescription,
    by_variable: Vec<Option<&'a DependsOn>>,
}

impl<'a> Declared<'a> {
    pub(crate) fn of(model: &'a ModelDescription, moment: Moment) -> Self {
        let mut by_variable = vec![None; model.variables.len()];
        let initial = match moment {
            Moment::Initialization => &model.structure.initial[..],
            Moment::Tag | Moment::AfterSteps => &[],
        };
        // What comes later in this list counts for more.
        for unknown in model.structure.outputs.iter().chain(initial) {
            by_variable[unknown.variable.index()] = Some(&unknown.on);
        }
        Declared { model, by_variable }
    }

    /// Exactly these inputs (and perhaps other variables), or `None` for all inputs. Only outputs
    /// can be declared to depend on less than everything.
    pub(crate) fn on(&self, variable: VariableId) -> Option<impl Iterator<Item = VariableId>> {
        if self.model.variables[variable.index()].causality != Causality::Output {
            return None;
        }
        match self.by_variable[variable.index()] {
            Some(DependsOn::These(list)) => Some(list.iter().map(|(on, _)| *on)),
            Some(DependsOn::All) | None => None,
        }
    }

    /// Whether an output is taken to depend on everything because nothing is said about it.
    pub(crate) fn is_silent_on(&self, output: VariableId) -> bool {
        self.model.variables[output.index()].causality == Causality::Output
            && self.on(output).is_none()
    }
}

/// Edges from the inputs of one component to what follows them.
pub(crate) fn feedthrough(
    nodes: &Nodes,
    component: ComponentId,
    declared: &Declared<'_>,
    edges: &mut Vec<(u32, u32)>,
) {
    let (sets, gets) = (nodes.sets_of(component), nodes.gets_of(component));
    if sets.is_empty() || gets.is_empty() {
        return;
    }
    let inputs = nodes.inputs(component);
    let mut some_follow_all = false;
    for get in gets {
        let crate::nodes::Node::Get(_, variable) = nodes.node(get) else { continue };
        match declared.on(variable) {
            Some(list) => {
                let given = list.filter_map(|input| nodes.set(component, input));
                edges.extend(given.map(|set| (set, get)));
            }
            None => {
                some_follow_all = true;
                edges.push((inputs, get));
            }
        }
    }
    if some_follow_all {
        edges.extend(sets.map(|set| (set, inputs)));
    }
}

/// Feedthrough of every component that answers at once.
pub(crate) fn feedthrough_of_all(
    nodes: &Nodes,
    models: &[&ModelDescription],
    moment: Moment,
) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for (index, model) in models.iter().enumerate().filter(|(_, model)| moment.is_at_once(model)) {
        let component = ComponentId::from_index(index);
        feedthrough(nodes, component, &Declared::of(model, moment), &mut edges);
    }
    edges
}

/// The wires that make values of one tag depend on each other: all but the delayed ones, by the
/// input they lead to.
#[derive(Clone, Debug)]
pub(crate) struct Wires {
    starts: Vec<u32>,
    list: Vec<ConnectionId>,
}

impl Wires {
    pub(crate) fn of(system: &ResolvedSystem, nodes: &Nodes) -> Self {
        let mut ends: Vec<(u32, ConnectionId)> = Vec::new();
        for (index, wire) in system.connections.iter().enumerate() {
            if let (false, Some(_), Some(set)) =
                (wire.delay, nodes.get_of(wire.from), nodes.set_of(wire.to))
            {
                ends.push((set, ConnectionId::from_index(index)));
            }
        }
        let place = |wire: ConnectionId| system.connections[wire.index()].to;
        ends.sort_unstable_by_key(|&(set, wire)| (set, place(wire), wire));
        let mut starts = vec![0; nodes.sets().len() + 1];
        for &(set, _) in &ends {
            starts[set as usize + 1] += 1;
        }
        for index in 0..nodes.sets().len() {
            starts[index + 1] += starts[index];
        }
        Wires { starts, list: ends.into_iter().map(|(_, wire)| wire).collect() }
    }

    /// The wires into an input, by the elements they fill.
    pub(crate) fn leading_to(&self, set: u32) -> &[ConnectionId] {
        let set = set as usize;
        &self.list[self.starts[set] as usize..self.starts[set + 1] as usize]
    }

    /// The edges of the connections.
    pub(crate) fn edges(&self, system: &ResolvedSystem, nodes: &Nodes) -> Vec<(u32, u32)> {
        let mut edges = Vec::with_capacity(self.list.len());
        for set in nodes.sets() {
            for wire in self.leading_to(set) {
                let get = nodes.get_of(system.connections[wire.index()].from);
                edges.push((get.expect("only such wires are listed"), set));
            }
        }
        edges
    }
}
