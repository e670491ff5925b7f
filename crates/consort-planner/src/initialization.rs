//! The order of initialization, per variable: read an output only after the inputs it depends on
//! were set. Where the initial equations loop, the loop is repeated until it settles.

use crate::graph::Graph;
use consort_core::{
    ComponentId, ConnectionId, DependsOn, Diagnostic, ModelDescription, Report, ValueType,
    VariableId,
};
use consort_system::{
    Iteration, Loop, Operation, Port, ResolvedConnection, ResolvedSystem, Stage, Task,
};

/// The most rounds a loop of initial equations gets.
const SETTLE_ROUNDS_MAX: u32 = 100;

type Node = (ComponentId, VariableId);

pub(crate) fn stages(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    report: &mut Report,
) -> Vec<Stage> {
    let nodes = Nodes::of(system, models);
    let graph = Graph::new(nodes.list.len(), nodes.edges(system, models));
    let components = graph.components();
    let levels = graph.levels(&components);
    let incoming = incoming_connections(system, models, &nodes);
    let depth = levels.iter().max().map_or(0, |&level| level as usize + 1);
    let mut plain: Vec<Vec<u32>> = vec![Vec::new(); depth];
    let mut loops: Vec<Vec<&Vec<u32>>> = vec![Vec::new(); depth];
    for (members, &level) in components.iter().zip(&levels) {
        match members[..] {
            [single] => plain[level as usize].push(single),
            _ => loops[level as usize].push(members),
        }
    }
    let mut stages = fed_inputs(system);
    for (plain, loops) in plain.into_iter().zip(loops) {
        stages.extend(nodes.pass(&plain, &incoming));
        for members in loops {
            report.push(nodes.loop_remark(system, models, members));
            let stages_of_loop = nodes.pass(members, &incoming);
            let unknowns = nodes.incoming_of(members, &incoming);
            stages.push(Stage::Iterate(Loop {
                unknowns,
                stages: stages_of_loop,
                rollback: Vec::new(),
                iteration: Iteration { limit: SETTLE_ROUNDS_MAX, ..Iteration::default() },
            }));
        }
    }
    stages
}

/// Inputs with a value from the table of inputs are given it before anything is read.
fn fed_inputs(system: &ResolvedSystem) -> Vec<Stage> {
    let columns = system.feed.iter().flat_map(|feed| &feed.columns);
    let mut fed: Vec<Node> = columns.map(|it| (it.to.component, it.to.variable)).collect();
    fed.sort_unstable();
    fed.dedup();
    let tasks = fed.chunk_by(|a, b| a.0 == b.0).map(|group| Task {
        component: group[0].0,
        operations: vec![Operation::Set(group.iter().map(|node| node.1).collect())],
    });
    let tasks: Vec<Task> = tasks.collect();
    if tasks.is_empty() { Vec::new() } else { vec![Stage::Work(tasks)] }
}

/// The connected variables of a system, sorted; a node of the graph is an index into `list`.
struct Nodes {
    list: Vec<Node>,
    /// Whether the variable is an input, by node.
    is_input: Vec<bool>,
}

impl Nodes {
    /// Clocks are left out: none ticks in initialization.
    fn of(system: &ResolvedSystem, models: &[&ModelDescription]) -> Self {
        let node = |port: Port| (port.component, port.variable);
        let wires = system.connections.iter().filter(|wire| !is_clocked(wire, models));
        let mut marked: Vec<(Node, bool)> = Vec::new();
        for wire in wires {
            marked.extend([(node(wire.from), false), (node(wire.to), true)]);
        }
        marked.sort_unstable();
        marked.dedup();
        let (list, is_input) = marked.into_iter().unzip();
        Nodes { list, is_input }
    }

    fn find(&self, port: Port) -> u32 {
        let index = self.list.binary_search(&(port.component, port.variable));
        u32::try_from(index.expect("every connected variable is a node")).expect("fits")
    }

    fn edges(&self, system: &ResolvedSystem, models: &[&ModelDescription]) -> Vec<(u32, u32)> {
        let wires = system.connections.iter().filter(|wire| !is_clocked(wire, models));
        let mut edges: Vec<_> = wires.map(|w| (self.find(w.from), self.find(w.to))).collect();
        let mut start = 0;
        while start < self.list.len() {
            let component = self.list[start].0;
            let len = self.list[start..].iter().take_while(|node| node.0 == component).count();
            self.feedthrough(start..start + len, models[component.index()], &mut edges);
            start += len;
        }
        edges
    }

    /// Edges from inputs to outputs of one component, whose nodes are `range`.
    fn feedthrough(
        &self,
        range: std::ops::Range<usize>,
        model: &ModelDescription,
        edges: &mut Vec<(u32, u32)>,
    ) {
        let id = |node: usize| u32::try_from(node).expect("fits");
        for output in range.clone().filter(|&node| !self.is_input[node]) {
            let depends = initial_dependencies(model, self.list[output].1);
            for input in range.clone().filter(|&node| self.is_input[node]) {
                if depends.is_none_or(|on| on.includes(self.list[input].1)) {
                    edges.push((id(input), id(output)));
                }
            }
        }
    }

    /// Reads the outputs among `members`, moves values to the inputs among them, and sets those.
    fn pass(&self, members: &[u32], incoming: &[Vec<ConnectionId>]) -> Vec<Stage> {
        let is_input = |&&node: &&u32| self.is_input[node as usize];
        let outputs: Vec<u32> = members.iter().filter(|node| !is_input(node)).copied().collect();
        let inputs: Vec<u32> = members.iter().filter(is_input).copied().collect();
        let mut stages = Vec::new();
        if !outputs.is_empty() {
            stages.push(Stage::Work(self.tasks(&outputs, Operation::Get)));
        }
        if !inputs.is_empty() {
            let wires = inputs.iter().flat_map(|&node| incoming[node as usize].iter().copied());
            stages.push(Stage::Exchange(wires.collect()));
            stages.push(Stage::Work(self.tasks(&inputs, Operation::Set)));
        }
        stages
    }

    fn incoming_of(&self, members: &[u32], incoming: &[Vec<ConnectionId>]) -> Vec<ConnectionId> {
        let inputs = members.iter().filter(|&&node| self.is_input[node as usize]);
        inputs.flat_map(|&node| incoming[node as usize].iter().copied()).collect()
    }

    /// One task per component; `members` is sorted, and so are the nodes.
    fn tasks(&self, members: &[u32], operation: fn(Vec<VariableId>) -> Operation) -> Vec<Task> {
        let groups = members.chunk_by(|&a, &b| self.list[a as usize].0 == self.list[b as usize].0);
        let task = |group: &[u32]| Task {
            component: self.list[group[0] as usize].0,
            operations: vec![operation(group.iter().map(|&n| self.list[n as usize].1).collect())],
        };
        groups.map(task).collect()
    }

    fn loop_remark(
        &self,
        system: &ResolvedSystem,
        models: &[&ModelDescription],
        members: &[u32],
    ) -> Diagnostic {
        let name = |&node: &u32| {
            let (component, variable) = self.list[node as usize];
            let component_name = &system.components[component.index()].name;
            format!(
                "{component_name}.{}",
                models[component.index()].variables[variable.index()].name
            )
        };
        let undeclared = members.iter().any(|&node| {
            let (component, variable) = self.list[node as usize];
            !self.is_input[node as usize]
                && initial_dependencies(models[component.index()], variable)
                    .is_none_or(|on| *on == DependsOn::All)
        });
        let names: Vec<String> = members.iter().map(name).collect();
        let remark = Diagnostic::note(
            "plan::initial-loop",
            format!("initial values depend on each other: {}", names.join(", ")),
        );
        let remark = remark.with_note("they are computed again until they no longer change");
        match undeclared {
            true => remark.help(
                "a model here declares no dependencies, so all of its outputs are taken to depend \
                 on all of its inputs; `ModelStructure` in its description would say otherwise",
            ),
            false => remark,
        }
    }
}

/// What an output depends on in initialization; `None` if nothing is said about it at all.
fn initial_dependencies(model: &ModelDescription, output: VariableId) -> Option<&DependsOn> {
    let lists = [&model.structure.initial, &model.structure.outputs];
    let mut unknowns = lists.into_iter().flatten();
    unknowns.find(|unknown| unknown.variable == output).map(|unknown| &unknown.on)
}

fn is_clocked(wire: &ResolvedConnection, models: &[&ModelDescription]) -> bool {
    let source = &models[wire.from.component.index()].variables[wire.from.variable.index()];
    source.value_type == ValueType::Clock
}

fn incoming_connections(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    nodes: &Nodes,
) -> Vec<Vec<ConnectionId>> {
    let mut incoming = vec![Vec::new(); nodes.list.len()];
    let wires = system.connections.iter().enumerate();
    for (index, wire) in wires.filter(|(_, wire)| !is_clocked(wire, models)) {
        incoming[nodes.find(wire.to) as usize].push(ConnectionId::from_index(index));
    }
    incoming
}
