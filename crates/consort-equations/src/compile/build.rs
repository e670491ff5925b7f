//! From nodes to the compiled model.

use super::{Lowered, LoweredEvent};
use crate::differentiate::{Entry, jacobian};
use crate::equations::{
    CompiledEvent, Delay, Dependence, Equations, Indicator, Jacobian, Programs, Quantity, Target,
};
use crate::graph::{Graph, Node, NodeId, Reach};
use crate::lower::Relation;
use crate::op::Op;
use crate::program::{Layout, NoHistory, Point, Program, Side, assemble};
use crate::scope::{Scope, Symbol};
use crate::tree::{self, EquationModel, Kind, VariableDeclaration};
use consort_core::Unit;
use std::collections::BTreeMap;

/// The compiled model; everything was checked.
pub(super) fn equations(
    model: &EquationModel,
    scope: &Scope<'_>,
    mut lowered: Lowered,
) -> Equations {
    let layout = scope.layout();
    let (outputs, locals) = split_assigned(scope);
    let nodes =
        |list: &[usize]| -> Vec<NodeId> { list.iter().map(|at| lowered.assigned[*at]).collect() };
    let (output_nodes, local_nodes) = (nodes(&outputs), nodes(&locals));
    let watched = Watched::new(&mut lowered, layout, &output_nodes);
    let programs = programs(&mut lowered, layout, [&output_nodes, &local_nodes], &watched);
    let graph = &lowered.graph;
    let mut reach = Reach::new(graph);
    let mut dependence = |nodes: &[NodeId]| -> Vec<Dependence> {
        nodes.iter().map(|node| depends_on(graph, layout, reach.of(*node))).collect()
    };
    let declared = |list: &[usize]| -> Vec<Quantity> {
        list.iter().map(|at| quantity(scope.assigned[*at], None)).collect()
    };
    let (states, discretes) = lowered.initial.split_at(layout.states);
    let mut state_quantities = quantities(graph, &scope.states, states);
    scale(&lowered, layout, &mut state_quantities);
    let events = model.events.iter().chain(&lowered.added).zip(&lowered.events);
    Equations {
        name: model.name.text.clone(),
        description: model.description.clone(),
        layout,
        parameters: quantities(graph, &scope.parameters, &lowered.parameters),
        inputs: quantities(graph, &scope.inputs, &lowered.inputs),
        states: state_quantities,
        discretes: quantities(graph, &scope.discretes, discretes),
        outputs: declared(&outputs),
        locals: declared(&locals),
        delays: delays(&lowered, layout),
        indicators: watched.indicators,
        events: events.map(|(written, event)| self::event(graph, layout, written, event)).collect(),
        events_are_unordered: model.events_are_unordered && 1 < model.events.len(),
        experiment: model.experiment.clone(),
        derivative_dependence: dependence(&lowered.derivatives),
        output_dependence: dependence(&output_nodes),
        initial_dependence: dependence(&lowered.initial),
        programs,
    }
}

/// Which of the assigned are outputs, and which are not.
fn split_assigned(scope: &Scope<'_>) -> (Vec<usize>, Vec<usize>) {
    (0..scope.assigned.len()).partition(|at| scope.assigned[*at].kind == Kind::Output)
}

fn quantities(graph: &Graph, declared: &[&VariableDeclaration], nodes: &[NodeId]) -> Vec<Quantity> {
    declared.iter().zip(nodes).map(|(one, node)| quantity(one, graph.value(*node))).collect()
}

fn quantity(declaration: &VariableDeclaration, start: Option<f64>) -> Quantity {
    let unit = &declaration.unit.text;
    Quantity {
        name: declaration.name.text.clone(),
        unit: (!unit.is_empty()).then(|| Unit::named(unit)),
        description: declaration.description.clone(),
        start: start.unwrap_or(0.0),
        nominal: declaration.nominal,
        min: declaration.min,
        max: declaration.max,
        is_output: declaration.is_output || declaration.kind == Kind::Output,
        is_start_fixed: start.is_some(),
        is_parameter: declaration.kind == Kind::Parameter,
    }
}

/// Gives states their typical magnitudes, with the parameters and inputs they start with.
fn scale(lowered: &Lowered, layout: Layout, states: &mut [Quantity]) {
    let graph = &lowered.graph;
    let starts = |nodes: &[NodeId]| -> Vec<f64> {
        nodes.iter().map(|node| graph.value(*node).unwrap_or(0.0)).collect()
    };
    let (parameters, inputs) = (starts(&lowered.parameters), starts(&lowered.inputs));
    let (none, discretes) = (vec![0.0; layout.states], vec![0.0; layout.discretes]);
    let nodes: Vec<NodeId> = lowered.scales.iter().map(|(_, node)| *node).collect();
    let program = assemble(graph, layout, &nodes);
    let mut values = vec![0.0; nodes.len()];
    let (parameters, inputs) = (&parameters[..], &inputs[..]);
    let (time, side, states_at, discretes) = (0.0, Side::At, &none[..], &discretes[..]);
    let point = Point { time, side, parameters, inputs, states: states_at, discretes };
    program.evaluate(&point, &mut NoHistory, &mut program.registers(), &mut values);
    for ((state, _), value) in lowered.scales.iter().zip(values) {
        let magnitude = Some(value).filter(|value| value.is_finite() && 0.0 < *value);
        states[*state].nominal = states[*state].nominal.or(magnitude);
    }
}

fn delays(lowered: &Lowered, layout: Layout) -> Vec<Delay> {
    let one = |(index, (_, duration)): (usize, &(NodeId, NodeId))| {
        let depends = dependence(&lowered.graph, layout, *duration);
        let is_fixed = Dependence { parameters: Vec::new(), ..depends } == Dependence::default();
        let duration = lowered.graph.value(*duration);
        Delay { name: format!("delay {}", index + 1), duration, is_fixed }
    };
    lowered.remembered.iter().enumerate().map(one).collect()
}

fn programs(
    lowered: &mut Lowered,
    layout: Layout,
    [outputs, locals]: [&[NodeId]; 2],
    watched: &Watched,
) -> Programs {
    let (remembered, durations): (Vec<NodeId>, Vec<NodeId>) =
        lowered.remembered.iter().copied().unzip();
    let graph = &mut lowered.graph;
    let range =
        |first: usize, count: usize| -> Vec<u32> { (0..).skip(first).take(count).collect() };
    let states = range(layout.first_state(), layout.states);
    let inputs = range(layout.first_input(), layout.inputs);
    let derivatives = &lowered.derivatives;
    Programs {
        state_jacobian: partials(graph, layout, derivatives, &states),
        input_jacobian: partials(graph, layout, derivatives, &inputs),
        output_jacobian: partials(graph, layout, outputs, &states),
        feedthrough: partials(graph, layout, outputs, &inputs),
        initial: assemble(graph, layout, &lowered.initial),
        derivatives: assemble(graph, layout, derivatives),
        outputs: assemble(graph, layout, outputs),
        locals: assemble(graph, layout, locals),
        indicators: assemble(graph, layout, &watched.values),
        instants: assemble(graph, layout, &watched.instants),
        remembered: assemble(graph, layout, &remembered),
        durations: assemble(graph, layout, &durations),
    }
}

fn partials(graph: &mut Graph, layout: Layout, rows: &[NodeId], columns: &[u32]) -> Jacobian {
    let entries: Vec<Entry> = jacobian(graph, rows, columns);
    let mut column_starts = vec![0; columns.len() + 1];
    for entry in &entries {
        column_starts[entry.column + 1] += 1;
    }
    for column in 0..columns.len() {
        column_starts[column + 1] += column_starts[column];
    }
    let nodes: Vec<NodeId> = entries.iter().map(|entry| entry.node).collect();
    Jacobian {
        program: assemble(graph, layout, &nodes),
        rows: rows.len(),
        column_starts,
        row_of: entries.iter().map(|entry| entry.row).collect(),
    }
}

fn event(
    graph: &Graph,
    layout: Layout,
    written: &tree::Event,
    event: &LoweredEvent,
) -> CompiledEvent {
    let program = |node: NodeId| -> Program { assemble(graph, layout, &[node]) };
    let target = |symbol: &Symbol| match symbol {
        Symbol::State(at) => Target::State(*at),
        Symbol::Discrete(at) => Target::Discrete(*at),
        _ => unreachable!("targets of events were checked"),
    };
    CompiledEvent {
        name: written.name.text.clone(),
        condition: program(event.condition),
        delay: event.delay.map(program),
        priority: event.priority.map(program),
        assignments: assemble(graph, layout, &event.assignments),
        targets: event.targets.iter().map(target).collect(),
        persistent: written.persistent,
        initially: written.initially,
        values_from_trigger: written.values_from_trigger,
        span: written.span,
    }
}

/// Comparisons that something depends on and that may change continuously.
struct Watched {
    indicators: Vec<Indicator>,
    values: Vec<NodeId>,
    instants: Vec<NodeId>,
}

impl Watched {
    fn new(lowered: &mut Lowered, layout: Layout, outputs: &[NodeId]) -> Self {
        let mut users: BTreeMap<NodeId, (Vec<usize>, bool)> =
            lowered.relations.iter().map(|relation| (relation.node, Default::default())).collect();
        for (index, event) in lowered.events.iter().enumerate() {
            for node in lowered.graph.reachable_one(event.condition) {
                users.entry(node).and_modify(|user| user.0.push(index));
            }
        }
        // What jumps in what is remembered jumps later in what looks back.
        let remembered: Vec<NodeId> = lowered.remembered.iter().map(|(value, _)| *value).collect();
        let roots = [&lowered.derivatives[..], outputs, &remembered].concat();
        let reachable = if users.is_empty() { Vec::new() } else { lowered.graph.reachable(&roots) };
        for node in reachable {
            users.entry(node).and_modify(|user| user.1 = true);
        }
        users.retain(|_, (events, in_equations)| !events.is_empty() || *in_equations);
        let mut watched =
            Watched { indicators: Vec::new(), values: Vec::new(), instants: Vec::new() };
        for relation in std::mem::take(&mut lowered.relations) {
            // Taken out, so that an equal comparison is watched once.
            if let Some((events, in_equations)) = users.remove(&relation.node) {
                watched.add(&mut lowered.graph, layout, relation, events, in_equations);
            }
        }
        watched
    }

    fn add(
        &mut self,
        graph: &mut Graph,
        layout: Layout,
        relation: Relation,
        events: Vec<usize>,
        in_equations: bool,
    ) {
        let Relation { sides: [left, right], op, span, .. } = relation;
        let moves = |node: NodeId| {
            let depends = dependence(graph, layout, node);
            depends.time
                || !(depends.inputs.is_empty()
                    && depends.states.is_empty()
                    && depends.delays.is_empty())
        };
        let is_moved = [moves(left), moves(right)];
        let is_time = |node: NodeId| graph.node(node) == Node::Leaf(0);
        let instant = match is_moved {
            [false, false] => return,
            [true, false] if is_time(left) => Some(right),
            [false, true] if is_time(right) => Some(left),
            _ => None,
        };
        let number = instant.map(|_| self.instants.len());
        self.instants.extend(instant);
        // So that it is above zero exactly where the comparison holds, or exactly where it does not.
        let [from, what] = if op == Op::Less { [right, left] } else { [left, right] };
        self.values.push(graph.binary(Op::Sub, from, what));
        self.indicators.push(Indicator { op, instant: number, events, in_equations, span });
    }
}

fn dependence(graph: &Graph, layout: Layout, node: NodeId) -> Dependence {
    depends_on(graph, layout, graph.reachable_one(node))
}

/// What all of these nodes depend on directly.
fn depends_on(
    graph: &Graph,
    layout: Layout,
    nodes: impl IntoIterator<Item = NodeId>,
) -> Dependence {
    let mut found = Dependence::default();
    for id in nodes {
        match graph.node(id) {
            Node::Leaf(register) => add_leaf(&mut found, layout, register as usize),
            Node::Apply(Op::Delay, [_, buffer, _]) => {
                let number = graph.value(buffer).expect("buffers are numbered by constants");
                found.delays.push(number as usize);
                found.time = true;
            }
            _ => {}
        }
    }
    for list in [&mut found.parameters, &mut found.inputs, &mut found.states] {
        list.sort_unstable();
    }
    found.discretes.sort_unstable();
    found.delays.sort_unstable();
    found
}

fn add_leaf(found: &mut Dependence, layout: Layout, register: usize) {
    if register == 0 || register == layout.side() {
        found.time = true;
    } else if register < layout.first_input() {
        found.parameters.push(register - layout.first_parameter());
    } else if register < layout.first_state() {
        found.inputs.push(register - layout.first_input());
    } else if register < layout.first_discrete() {
        found.states.push(register - layout.first_state());
    } else {
        found.discretes.push(register - layout.first_discrete());
    }
}
