//! Which inputs are reactive: those whose value at the *end* of a step the step waits for.
//!
//! The user names some; in Gauss-Seidel order all others become reactive whose sources can step
//! before. Within a circle of components that would all wait for each other, the components keep
//! the order in which the system lists them, and inputs from later ones stay delayed.

mod gauss_seidel;

use crate::dependencies::Wires;
use crate::graph::Graph;
use crate::nodes::{Names, Node, Nodes};
use consort_core::{ComponentId, Diagnostic, ModelDescription, Refresh, Report, VariableId};
use consort_system::{Order, ResolvedSystem};

/// What is known about inputs and steps before the graph of a cycle is complete.
pub(crate) struct Reactivity {
    /// Whether an input is reactive, by the number of its node.
    pub(crate) reactive: Vec<bool>,
    /// Steps that may not come before others though nothing else keeps them apart.
    pub(crate) kept_order: Vec<(u32, u32)>,
}

impl Reactivity {
    fn unordered(reactive: Vec<bool>) -> Self {
        Reactivity { reactive, kept_order: Vec::new() }
    }
}

/// What decides about reactivity: the values at a tag depend on each other as `base` says, which
/// has connections and feedthrough but no steps.
pub(crate) struct Setting<'a> {
    pub(crate) system: &'a ResolvedSystem,
    pub(crate) models: &'a [&'a ModelDescription],
    pub(crate) nodes: &'a Nodes,
    pub(crate) wires: &'a Wires,
    pub(crate) base: &'a Graph,
}

impl Setting<'_> {
    pub(crate) fn decide(&self, report: &mut Report) -> Reactivity {
        let fit = Fitness::of(self);
        match self.system.coupling.order {
            Order::GaussSeidel => gauss_seidel::choose(self, &fit, &self.written(&fit, report)),
            Order::Derived => Reactivity::unordered(self.written(&fit, report)),
            Order::Jacobi => Reactivity::unordered(vec![false; self.nodes.sets().len()]),
        }
    }

    /// What the user wrote, as far as it is possible.
    fn written(&self, fit: &Fitness, report: &mut Report) -> Vec<bool> {
        let mut reactive = vec![false; self.nodes.sets().len()];
        for (index, component) in self.system.components.iter().enumerate() {
            let id = ComponentId::from_index(index);
            for &variable in &component.reactive {
                let set = self.nodes.set(id, variable);
                let obstacle = set.map_or(Some(Obstacle::Unfed), |set| fit.obstacle(set));
                match (obstacle, set) {
                    (None, Some(set)) => reactive[set as usize] = true,
                    (obstacle, _) => {
                        let obstacle = obstacle.unwrap_or(Obstacle::Unfed);
                        report.push(obstacle.remark(&self.names(), id, variable));
                    }
                }
            }
        }
        reactive
    }

    fn names(&self) -> Names<'_> {
        Names { system: self.system, models: self.models }
    }

    /// The edges that steps add, given which inputs are reactive; `None` for "not decided yet".
    pub(crate) fn step_edges(&self, reactive: impl Fn(u32) -> Option<bool>) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for get in self.nodes.gets() {
            if let Node::Get(component, _) = self.nodes.node(get) {
                edges.push((self.nodes.step(component), get));
            }
        }
        for set in self.nodes.sets() {
            let Node::Set(component, _) = self.nodes.node(set) else { continue };
            let step = self.nodes.step(component);
            match reactive(set) {
                Some(true) => edges.push((set, step)),
                Some(false) if self.is_at_once(component) => edges.push((step, set)),
                // A delayed input of a component that refreshes by steps waits for the reads of
                // the last step, which always come first.
                Some(false) | None => {}
            }
        }
        edges
    }

    fn is_at_once(&self, component: ComponentId) -> bool {
        self.models[component.index()].capabilities.refresh == Refresh::AtOnce
    }
}

/// Why an input cannot be reactive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Obstacle {
    /// It is not connected, or is set at events only.
    Unfed,
    /// A table or an intervention alone feeds it.
    Table,
    /// A wire to it is delayed.
    Delayed,
    /// A source steps at another rate.
    Rates,
    /// A source follows, at once, something that is known only at the tag itself.
    TooLate,
    /// It is integrated together with its source: its value is known all through the step.
    Continuous,
}

impl Obstacle {
    fn remark(self, names: &Names<'_>, component: ComponentId, input: VariableId) -> Diagnostic {
        let input = names.variable(component, input);
        match self {
            Obstacle::Rates => Diagnostic::warning(
                "plan::reactive-across-rates",
                format!("`{input}` is not reactive: its source steps at another rate"),
            )
            .help("give both components the same step, or remove the input from `reactive`"),
            Obstacle::TooLate => Diagnostic::warning(
                "plan::reactive-too-late",
                format!("`{input}` is not reactive: its source is not known before the tag"),
            )
            .with_note(
                "the source follows, at once, an input that a table, an intervention, a delayed \
                 connection, a component of another rate or one that it is integrated with feeds",
            )
            .help("remove the input from `reactive`, or the feedthrough from its source"),
            Obstacle::Unfed | Obstacle::Table | Obstacle::Delayed | Obstacle::Continuous => {
                let why = match self {
                    Obstacle::Unfed => "it is not fed between steps",
                    Obstacle::Table => "a table or an intervention feeds it",
                    Obstacle::Continuous => "it is integrated together with its source",
                    _ => "its connection is delayed",
                };
                Diagnostic::warning(
                    "plan::reactive-ignored",
                    format!("`{input}` is not reactive: {why}"),
                )
                .help("take it from `reactive`")
            }
        }
    }
}

/// What could be reactive.
pub(crate) struct Fitness {
    obstacles: Vec<Option<Obstacle>>,
}

impl Fitness {
    fn of(setting: &Setting<'_>) -> Self {
        let mut obstacles = own_obstacles(setting);
        let late = late_nodes(setting, &obstacles);
        for set in setting.nodes.sets() {
            let wires = setting.wires.leading_to(set).iter();
            let mut gets = wires.filter_map(|wire| {
                setting.nodes.get_of(setting.system.connections[wire.index()].from)
            });
            let place = &mut obstacles[set as usize];
            if place.is_none() && gets.any(|get| late[get as usize]) {
                *place = Some(Obstacle::TooLate);
            }
        }
        Fitness { obstacles }
    }

    pub(crate) fn obstacle(&self, set: u32) -> Option<Obstacle> {
        self.obstacles[set as usize]
    }
}

/// What keeps each input from being reactive, looking at the input and its wires only.
fn own_obstacles(setting: &Setting<'_>) -> Vec<Option<Obstacle>> {
    let Setting { system, nodes, wires, .. } = setting;
    let mut obstacles: Vec<Option<Obstacle>> = nodes
        .sets()
        .map(|set| wires.leading_to(set).is_empty().then_some(Obstacle::Table))
        .collect();
    for wire in &system.connections {
        let Some(set) = nodes.set_of(wire.to) else { continue };
        let period = |component: ComponentId| system.components[component.index()].period;
        if nodes.groups().is_inner(wire) {
            obstacles[set as usize] = Some(Obstacle::Continuous);
        } else if wire.delay {
            obstacles[set as usize] = Some(Obstacle::Delayed);
        } else if period(wire.from.component) != period(wire.to.component) {
            obstacles[set as usize] = Some(Obstacle::Rates);
        }
    }
    for column in system.feed.iter().flat_map(|feed| &feed.columns) {
        if let Some(set) = nodes.set_of(column.to) {
            obstacles[set as usize] = Some(Obstacle::Table);
        }
    }
    obstacles
}

/// What cannot be known before its tag: inputs that only the tag gives their value, and what
/// follows them at once.
fn late_nodes(setting: &Setting<'_>, obstacles: &[Option<Obstacle>]) -> Vec<bool> {
    let mut late = vec![false; setting.nodes.len()];
    let own = setting.nodes.sets().filter(|&set| obstacles[set as usize].is_some());
    let mut open: Vec<u32> = own.collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut late[node as usize], true) {
            open.extend(setting.base.successors(node));
        }
    }
    late
}
