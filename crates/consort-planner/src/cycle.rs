//! The order at a tag and on the way to the next.

use crate::circle::Circle;
use crate::compose::Composer;
use crate::dependencies::{Moment, Wires, feedthrough_of_all};
use crate::flow::Flow;
use crate::graph::Graph;
use crate::groups::Groups;
use crate::loops;
use crate::nodes::{Names, Node, Nodes};
use crate::reactivity::Setting;
use crate::together;
use crate::usage::Usage;
use consort_core::{ComponentId, ConnectionId, ModelDescription, Report, VariableId};
use consort_system::{ResolvedSystem, Stage, Together};

/// What is done in a cycle, what it waits for, and on which side of the tag it is done.
pub(crate) struct Cycle<'a> {
    system: &'a ResolvedSystem,
    models: &'a [&'a ModelDescription],
    pub(crate) flow: Flow,
    /// Inputs whose value at the end of the step the step waits for, by set node.
    pub(crate) reactive: Vec<bool>,
    /// By node: done in `advance`, before the tag whose values it makes is there.
    pub(crate) early: Vec<bool>,
}

impl<'a> Cycle<'a> {
    /// The graph of a system; remarks on what was assumed go to `report`.
    pub(crate) fn of(
        system: &'a ResolvedSystem,
        models: &'a [&'a ModelDescription],
        usage: &Usage,
        report: &mut Report,
    ) -> Self {
        let moment = Moment::of_cycle(system.coupling.order);
        let nodes = nodes(usage).with_groups(Groups::of(system, models));
        let wires = Wires::of(system, &nodes);
        let mut edges = wires.edges(system, &nodes);
        edges.extend(feedthrough_of_all(&nodes, models, moment));
        let base = Graph::new(nodes.len(), edges);
        let setting = Setting { system, models, nodes: &nodes, wires: &wires, base: &base };
        let decided = setting.decide(report);
        let reactive = decided.reactive;
        let mut edges: Vec<(u32, u32)> = base.edges().collect();
        edges.extend(setting.step_edges(|set| Some(reactive[set as usize])));
        edges.extend(decided.kept_order);
        let flow = Flow::new(nodes, wires, edges);
        let early = early(&flow, system.components.len());
        Cycle { system, models, flow, reactive, early }
    }

    /// Whether what follows an input follows it one step late: it is given before a step that does not
    /// wait for it, and read after.
    pub(crate) fn is_late(&self, names: &Names<'_>, set: u32) -> bool {
        let nodes = &self.flow.nodes;
        let Node::Set(component, _) = nodes.node(set) else { return false };
        let mut wires = self.flow.wires.leading_to(set).iter();
        let is_continuous =
            wires.any(|wire| nodes.groups().is_inner(&names.system.connections[wire.index()]));
        let moment = Moment::of_cycle(names.system.coupling.order);
        !moment.is_at_once(names.models[component.index()])
            && !self.reactive[set as usize]
            && !is_continuous
    }

    /// `present` and `advance`; what is wrong goes to `report`.
    pub(crate) fn programs(&self, report: &mut Report) -> (Vec<Stage>, Vec<Stage>) {
        let given = self.given_before_step();
        let together = together::stages(self.system, self.models, self.flow.nodes.groups());
        (self.present(&given, report), self.advance(&given, &together, report))
    }

    /// Inputs that no read at the tag waits for: they are given right before the step.
    fn given_before_step(&self) -> Vec<Vec<VariableId>> {
        let mut given = vec![Vec::new(); self.system.components.len()];
        for set in self.flow.nodes.sets().filter(|&set| !self.is_given_at_tag(set)) {
            if let Node::Set(component, variable) = self.flow.nodes.node(set) {
                given[component.index()].push(variable);
            }
        }
        given
    }

    /// Delayed inputs that something follows at once. Some of these were given in `advance` already,
    /// for a reactive input further on; they are given again, because events and interventions may
    /// have changed them.
    fn is_given_at_tag(&self, set: u32) -> bool {
        !self.reactive[set as usize] && !self.flow.graph.successors(set).is_empty()
    }

    fn present(&self, given: &[Vec<VariableId>], report: &mut Report) -> Vec<Stage> {
        let at_tag: Vec<bool> = self.early.iter().map(|early| !early).collect();
        let levels = self.flow.levels(&at_tag);
        let mut composer = Composer::new(self.system, &self.flow, given, &[]);
        for index in 0..self.system.connections.len() {
            let wire = ConnectionId::from_index(index);
            if let Some(level) = self.exchange_level(wire, &levels) {
                composer.exchange(level, wire);
            }
        }
        let (nodes, flow) = (&self.flow.nodes, &self.flow);
        let sets = nodes.sets().filter(|&set| self.is_given_at_tag(set));
        let gets = nodes.gets().filter(|&get| at_tag[get as usize]);
        let is_solved = |node: u32| at_tag[node as usize] && flow.is_on_loop(node);
        for node in sets.chain(gets).filter(|&node| !is_solved(node)) {
            composer.work(levels[node as usize], node);
        }
        self.solve_loops(&mut composer, &at_tag, &levels, report);
        let mut stages = composer.into_stages();
        if self.system.connections.is_empty() {
            // The shape that every plan has: an exchange first.
            stages.insert(0, Stage::Exchange(Vec::new()));
        }
        stages
    }

    /// Where in `present` a wire is exchanged; `None` if a loop does it.
    fn exchange_level(&self, wire: ConnectionId, levels: &[u32]) -> Option<u32> {
        let wire = &self.system.connections[wire.index()];
        if wire.delay {
            return Some(0);
        }
        let get = self.flow.nodes.get_of(wire.from);
        let get = get.filter(|&get| !self.early[get as usize]);
        let set = self.flow.nodes.set_of(wire.to).filter(|&set| !self.early[set as usize]);
        match (get, set) {
            (Some(get), Some(set)) if self.flow.on_one_loop(get, set) => None,
            (_, Some(set)) => Some(levels[set as usize]),
            (Some(get), None) => Some(levels[get as usize] + 1),
            (None, None) => Some(0),
        }
    }

    fn advance(
        &self,
        given: &[Vec<VariableId>],
        together: &[Together],
        report: &mut Report,
    ) -> Vec<Stage> {
        let (nodes, flow) = (&self.flow.nodes, &self.flow);
        let levels = flow.levels(&self.early);
        let mut composer = Composer::new(self.system, flow, given, together);
        let is_early = |node: &u32| self.early[*node as usize];
        composer.exchange_before(nodes.sets().filter(is_early), &levels);
        let sets = nodes.sets().filter(is_early).filter(|&set| !self.reactive[set as usize]);
        let others = nodes.steps().chain(nodes.gets().filter(is_early));
        for node in sets.chain(others).filter(|&node| !flow.is_on_loop(node)) {
            composer.work(levels[node as usize], node);
        }
        self.solve_loops(&mut composer, &self.early, &levels, report);
        composer.into_stages()
    }

    fn solve_loops(
        &self,
        composer: &mut Composer<'_>,
        takes_part: &[bool],
        levels: &[u32],
        report: &mut Report,
    ) {
        let names = Names { system: self.system, models: self.models };
        for members in self.flow.loops(takes_part) {
            let circle = Circle::new(&self.flow, members, &self.reactive);
            if let Some(iteration) = loops::judge(&names, &circle, report) {
                composer.solve(levels[members[0] as usize], &circle, iteration);
            }
        }
    }
}

/// Everything that is given or read in a cycle.
fn nodes(usage: &Usage) -> Nodes {
    let pairs = |lists: &[Vec<VariableId>]| -> Vec<(ComponentId, VariableId)> {
        let lists = lists.iter().enumerate();
        let pairs = lists.flat_map(|(index, list)| {
            list.iter().map(move |&variable| (ComponentId::from_index(index), variable))
        });
        pairs.collect()
    };
    let (sets, gets) = (pairs(&usage.set_in_cycle), pairs(&usage.get_in_cycle));
    Nodes::new(sets, gets, usage.set_in_cycle.len())
}

/// Steps, what they wait for, and what may be read after them without giving anything first.
fn early(flow: &Flow, components: usize) -> Vec<bool> {
    let before = flow.graph.reversed();
    let mut early = vec![false; flow.graph.len()];
    let ids = (0..components).map(ComponentId::from_index);
    let mut open: Vec<u32> = flow.nodes.steps().collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut early[node as usize], true) {
            open.extend(before.successors(node));
        }
    }
    let gathered = ids.map(|id| flow.nodes.inputs(id));
    for node in gathered.chain(flow.nodes.gets()) {
        early[node as usize] |= before.successors(node).iter().all(|&node| early[node as usize]);
    }
    early
}
