//! From levels to programs: what is done at each level becomes stages.

use crate::circle::Circle;
use crate::flow::Flow;
use crate::nodes::Node;
use consort_core::{ComponentId, ConnectionId, VariableId};
use consort_system::{Iteration, Loop, Operation, ResolvedSystem, Stage, Task, Together};

/// A program in the making: per level what is exchanged, then done, then solved.
pub(crate) struct Composer<'a> {
    pub(crate) system: &'a ResolvedSystem,
    pub(crate) flow: &'a Flow,
    /// Inputs that are given right before the step, by component.
    pub(crate) before_step: &'a [Vec<VariableId>],
    /// The groups that are integrated together.
    together: &'a [Together],
    slots: Vec<Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    wires: Vec<ConnectionId>,
    nodes: Vec<u32>,
    loops: Vec<Loop>,
}

impl<'a> Composer<'a> {
    pub(crate) fn new(
        system: &'a ResolvedSystem,
        flow: &'a Flow,
        before_step: &'a [Vec<VariableId>],
        together: &'a [Together],
    ) -> Self {
        Composer { system, flow, before_step, together, slots: Vec::new() }
    }

    fn slot(&mut self, level: u32) -> &mut Slot {
        let len = self.slots.len().max(level as usize + 1);
        self.slots.resize_with(len, Slot::default);
        &mut self.slots[level as usize]
    }

    pub(crate) fn exchange(&mut self, level: u32, wire: ConnectionId) {
        self.slot(level).wires.push(wire);
    }

    /// Every wire to these inputs right before it is given, but for those that a loop exchanges.
    pub(crate) fn exchange_before(&mut self, sets: impl Iterator<Item = u32>, levels: &[u32]) {
        let flow = self.flow;
        for set in sets {
            for &wire in flow.wires.leading_to(set) {
                let get = flow.nodes.get_of(self.system.connections[wire.index()].from);
                if get.is_none_or(|get| !flow.on_one_loop(get, set)) {
                    self.exchange(levels[set as usize], wire);
                }
            }
        }
    }

    pub(crate) fn work(&mut self, level: u32, node: u32) {
        self.slot(level).nodes.push(node);
    }

    /// Solves the loop with these members.
    pub(crate) fn solve(&mut self, level: u32, circle: &Circle<'_>, iteration: Iteration) {
        let solved = self.evaluation(circle, iteration);
        self.slot(level).loops.push(solved);
    }

    fn evaluation(&self, circle: &Circle<'_>, iteration: Iteration) -> Loop {
        let mut inner = Composer::new(self.system, self.flow, self.before_step, self.together);
        let levels = circle.levels();
        for (&node, &level) in circle.members.iter().zip(&levels) {
            if !matches!(self.flow.nodes.node(node), Node::Set(..)) || circle.is_given_alone(node) {
                inner.work(level, node);
            }
            for wire in circle.inner_wires(self.system, node) {
                inner.exchange(level, wire);
            }
        }
        let unknowns = circle.unknowns(self.system);
        let mut stages = inner.into_stages();
        stages.push(Stage::Exchange(unknowns.clone()));
        Loop { unknowns, stages, rollback: circle.stepped(), iteration }
    }

    /// The program, level by level.
    pub(crate) fn into_stages(mut self) -> Vec<Stage> {
        let mut stages = Vec::new();
        for mut slot in std::mem::take(&mut self.slots) {
            if !slot.wires.is_empty() {
                let place = |wire: &ConnectionId| self.system.connections[wire.index()].to;
                slot.wires.sort_by_key(place);
                stages.push(Stage::Exchange(slot.wires));
            }
            self.push_work(slot.nodes, &mut stages);
            stages.extend(slot.loops.into_iter().map(Stage::Iterate));
        }
        stages
    }

    /// Work on single components, and where some are integrated together: that between what they are
    /// given before and what is done with them after.
    fn push_work(&self, nodes: Vec<u32>, stages: &mut Vec<Stage>) {
        let steps_here = |it: &&Together| nodes.contains(&self.flow.nodes.step(it.components[0]));
        let together: Vec<&Together> = self.together.iter().filter(steps_here).collect();
        let is_member = |node: &u32| {
            let component = self.flow.nodes.node(*node).component();
            together.iter().any(|it| it.components.contains(&component))
        };
        let (after, before): (Vec<u32>, Vec<u32>) = nodes.into_iter().partition(is_member);
        let mut tasks = self.tasks(before);
        for &component in together.iter().flat_map(|it| &it.components) {
            let given = &self.before_step[component.index()];
            if !given.is_empty() {
                tasks.push(Task { component, operations: vec![Operation::Set(given.clone())] });
            }
        }
        tasks.sort_by_key(|task| task.component);
        push_tasks(tasks, stages);
        stages.extend(together.into_iter().map(|it| Stage::Integrate(it.clone())));
        let is_step = |node: &u32| matches!(self.flow.nodes.node(*node), Node::Step(_));
        push_tasks(self.tasks(after.into_iter().filter(|node| !is_step(node)).collect()), stages);
    }

    /// One task per component: step, set, get, as far as they are there.
    fn tasks(&self, nodes: Vec<u32>) -> Vec<Task> {
        let nodes = nodes.into_iter().map(|node| self.flow.nodes.node(node));
        let mut keyed: Vec<(ComponentId, u8, VariableId)> = nodes.filter_map(key).collect();
        keyed.sort_unstable();
        let groups = keyed.chunk_by(|a, b| a.0 == b.0);
        groups
            .map(|group| Task { component: group[0].0, operations: self.work_of(group) })
            .collect()
    }

    fn work_of(&self, group: &[(ComponentId, u8, VariableId)]) -> Vec<Operation> {
        let of_kind = |kind: u8| -> Vec<VariableId> {
            group.iter().filter(|entry| entry.1 == kind).map(|entry| entry.2).collect()
        };
        let mut operations = Vec::with_capacity(4);
        if group[0].1 == STEP {
            let given = self.before_step[group[0].0.index()].clone();
            operations.extend([Operation::Set(given), Operation::Step]);
        }
        operations.extend([Operation::Set(of_kind(SET)), Operation::Get(of_kind(GET))]);
        operations.retain(does_something);
        operations.shrink_to_fit(); // a plan holds very many of these
        operations
    }
}

/// One pass over everything: reads, exchanges and gives, level by level. `solve` says how a loop is
/// solved; one about which it says nothing is left out.
pub(crate) fn one_pass(
    system: &ResolvedSystem,
    flow: &Flow,
    mut solve: impl FnMut(&Circle<'_>) -> Option<Iteration>,
) -> Vec<Stage> {
    let everything = vec![true; flow.graph.len()];
    let levels = flow.levels(&everything);
    let nodes = &flow.nodes;
    let mut composer = Composer::new(system, flow, &[], &[]);
    composer.exchange_before(nodes.sets(), &levels);
    for node in nodes.sets().chain(nodes.gets()).filter(|&node| !flow.is_on_loop(node)) {
        composer.work(levels[node as usize], node);
    }
    let reactive = vec![false; nodes.sets().len()];
    for members in flow.loops(&everything) {
        let circle = Circle::new(flow, members, &reactive);
        if let Some(iteration) = solve(&circle) {
            composer.solve(levels[members[0] as usize], &circle, iteration);
        }
    }
    composer.into_stages()
}

/// Adds a stage with the tasks that do something, if there are any.
pub(crate) fn push_tasks(mut tasks: Vec<Task>, stages: &mut Vec<Stage>) {
    tasks.iter_mut().for_each(|task| task.operations.retain(does_something));
    tasks.retain(|task| !task.operations.is_empty());
    if !tasks.is_empty() {
        stages.push(Stage::Work(tasks));
    }
}

/// Whether an operation has anything to set or get.
pub(crate) fn does_something(operation: &Operation) -> bool {
    match operation {
        Operation::Set(list) | Operation::Get(list) => !list.is_empty(),
        Operation::Step | Operation::Tick(_) => true,
    }
}

const STEP: u8 = 0;
const SET: u8 = 1;
const GET: u8 = 2;

fn key(node: Node) -> Option<(ComponentId, u8, VariableId)> {
    match node {
        Node::Step(component) => Some((component, STEP, VariableId(0))),
        Node::Set(component, variable) => Some((component, SET, variable)),
        Node::Get(component, variable) => Some((component, GET, variable)),
        Node::Inputs(_) => None,
    }
}
