//! From the tree to programs.

mod build;
mod implicit;

use crate::equations::Equations;
use crate::findings::{Findings, suggestion};
use crate::graph::{Graph, Node, NodeId};
use crate::lower::Lowering;
use crate::measure;
use crate::order::{Phase, Unknowns};
use crate::scope::{Scope, Symbol};
use crate::tree::{EquationModel, Event, EventAssignment, Kind, VariableDeclaration};
use consort_core::{Diagnostic, Report};

/// Looks up names, checks that everything is defined once and in a fitting order, and makes programs.
///
/// All mistakes are reported. `None` if there was an error.
pub fn compile(model: &EquationModel, report: &mut Report) -> Option<Equations> {
    let errors = report.error_count();
    let mut findings = Findings::new(report);
    let scope = Scope::new(model, &mut findings);
    measure::check(model, &mut findings);
    let lowered = lower(model, &scope, &mut findings);
    (report.error_count() == errors).then(|| build::equations(model, &scope, lowered))
}

/// Everything as nodes of one graph.
struct Lowered {
    graph: Graph,
    /// First values of states, then of discretes.
    initial: Vec<NodeId>,
    parameters: Vec<NodeId>,
    inputs: Vec<NodeId>,
    derivatives: Vec<NodeId>,
    assigned: Vec<NodeId>,
    events: Vec<LoweredEvent>,
    /// Events beyond those of the model: what is said of the last of `events`.
    added: Vec<Event>,
    relations: Vec<crate::lower::Relation>,
    /// What each buffer remembers, and for how long.
    remembered: Vec<(NodeId, NodeId)>,
    /// States and their typical magnitudes.
    scales: Vec<(usize, NodeId)>,
}

struct LoweredEvent {
    condition: NodeId,
    delay: Option<NodeId>,
    priority: Option<NodeId>,
    assignments: Vec<NodeId>,
    targets: Vec<Symbol>,
}

fn lower<'m>(model: &'m EquationModel, scope: &Scope<'m>, findings: &mut Findings<'_>) -> Lowered {
    let mut lowering = Lowering::new(scope, findings);
    lowering.solve(Phase::Running);
    let assigned = known(&lowering.values[..scope.assigned.len()]);
    let derivatives = known(&lowering.values[scope.assigned.len()..]);
    check_computed_parameters(&mut lowering, &assigned);
    check_functions(model, &mut lowering);
    lowering.in_event = true;
    let events = model.events.iter().map(|event| lower_event(&mut lowering, event)).collect();
    lowering.in_event = false;
    let residuals = residuals(model, &mut lowering);
    let mut remembered = Vec::new();
    while let Some(next) = lowering.remembered.get(remembered.len()).copied() {
        remembered.push((lowering.number(next.value), next.duration));
    }
    // Comparisons at the start are no events.
    let relations = std::mem::take(&mut lowering.relations);
    lowering.solve(Phase::Start);
    let first_residuals = self::residuals(model, &mut lowering);
    let scales = scales(model, &mut lowering);
    let starts = Unknowns { scope, phase: Phase::Start };
    let initial = known(&lowering.values[starts.derivative(scope.states.len())..]);
    let parameters = starts_of(&mut lowering, &scope.parameters);
    let inputs = starts_of(&mut lowering, &scope.inputs);
    let graph = lowering.graph;
    let mut lowered = Lowered {
        graph,
        initial,
        parameters,
        inputs,
        derivatives,
        assigned,
        events,
        added: Vec::new(),
        relations,
        remembered,
        scales,
    };
    if !model.implicit.residuals.is_empty() {
        let flows = model.implicit.flows;
        implicit::resolve(&mut lowered, scope, [&residuals, &first_residuals], flows, findings);
    }
    lowered
}

fn residuals<'m>(model: &'m EquationModel, lowering: &mut Lowering<'m, '_, '_>) -> Vec<NodeId> {
    model.implicit.residuals.iter().map(|residual| lowering.number(residual)).collect()
}

fn scales<'m>(
    model: &'m EquationModel,
    lowering: &mut Lowering<'m, '_, '_>,
) -> Vec<(usize, NodeId)> {
    let mut scales = Vec::with_capacity(model.scales.len());
    for scale in &model.scales {
        if let Some(Symbol::State(state)) = lowering.scope.symbol(&scale.name.text) {
            scales.push((state, lowering.number(&scale.value)));
        }
    }
    scales
}

fn known(values: &[Option<NodeId>]) -> Vec<NodeId> {
    values.iter().map(|value| value.expect("every unknown was visited")).collect()
}

/// The values of parameters and inputs, which must be mere numbers.
fn starts_of<'m>(
    lowering: &mut Lowering<'m, '_, '_>,
    declared: &[&'m VariableDeclaration],
) -> Vec<NodeId> {
    let mut nodes = Vec::with_capacity(declared.len());
    for declaration in declared {
        let node = match &declaration.value {
            Some(value) => lowering.number(value),
            None => lowering.graph.constant(0.0),
        };
        if lowering.graph.value(node).is_none() {
            let (word, name) = (declaration.kind.keyword(), &declaration.name);
            let message = format!("the value of the {word} `{}` is not constant", name.text);
            let span = declaration.value.as_ref().and_then(|value| value.span);
            let help = "write a number; use `variable` for what changes";
            let place = (span, "changes");
            lowering.findings.error("equations::not-constant", message, place, help);
        }
        nodes.push(node);
    }
    nodes
}

/// Parameters computed from others may not depend on anything that changes.
fn check_computed_parameters(lowering: &mut Lowering<'_, '_, '_>, assigned: &[NodeId]) {
    let first_input = lowering.scope.layout().first_input();
    for (declaration, node) in lowering.scope.assigned.iter().zip(assigned) {
        if declaration.kind != Kind::Parameter {
            continue;
        }
        let changes = |id: &NodeId| match lowering.graph.node(*id) {
            Node::Leaf(register) => register == 0 || first_input <= register as usize,
            Node::Apply(op, _) => op == crate::op::Op::Delay,
            Node::Constant(_) => false,
        };
        if lowering.graph.reachable_one(*node).iter().any(changes) {
            let name = &declaration.name;
            let message = format!("the parameter `{}` depends on what changes", name.text);
            let help = format!("declare it with `variable {} = ...`", name.text);
            let place = (name.span, "declared here");
            lowering.findings.error("equations::not-constant", message, place, help);
        }
    }
}

/// Functions without a call are checked too.
fn check_functions<'m>(model: &'m EquationModel, lowering: &mut Lowering<'m, '_, '_>) {
    for function in &model.functions {
        lowering.check_function(function);
    }
}

fn lower_event<'m>(lowering: &mut Lowering<'m, '_, '_>, event: &'m Event) -> LoweredEvent {
    let condition = lowering.condition(&event.condition);
    lowering.warn_of_constant(condition, event.condition.span);
    let delay = event.delay.as_ref().map(|delay| lowering.number(delay));
    let priority = event.priority.as_ref().map(|priority| lowering.number(priority));
    let (mut assignments, mut targets) = (Vec::new(), Vec::new());
    for (index, assignment) in event.assignments.iter().enumerate() {
        assignments.push(lowering.number(&assignment.value));
        check_repeated(lowering, &event.assignments[..index], assignment);
        targets.extend(target(lowering, assignment));
    }
    LoweredEvent { condition, delay, priority, assignments, targets }
}

fn check_repeated(
    lowering: &mut Lowering<'_, '_, '_>,
    before: &[EventAssignment],
    new: &EventAssignment,
) {
    let Some(first) = before.iter().find(|other| other.name.text == new.name.text) else { return };
    let message = format!("`{}` gets two values at one event", new.name.text);
    let diagnostic = Diagnostic::error("equations::twice", message)
        .maybe_at(new.name.span, "again")
        .help("keep one of the assignments")
        .maybe_label(first.name.span, "first here");
    lowering.findings.push(diagnostic);
}

fn target(lowering: &mut Lowering<'_, '_, '_>, assignment: &EventAssignment) -> Option<Symbol> {
    let (name, span) = (&assignment.name.text, assignment.name.span);
    let scope = lowering.scope;
    match scope.symbol(name) {
        Some(symbol @ (Symbol::State(_) | Symbol::Discrete(_))) => Some(symbol),
        Some(_) => {
            let message = format!("an event cannot change `{name}`");
            let help = format!("declare it with `discrete {name} = ...`, or change a state");
            let place = (span, "neither state nor discrete");
            lowering.findings.error("equations::not-assignable", message, place, help);
            None
        }
        None => {
            let message = format!("there is no `{name}` in this model");
            let discretes = scope.discretes.iter().map(|discrete| discrete.name.text.as_str());
            let help = format!("declare it with `discrete {name} = ...`");
            let help = suggestion(name, scope.state_names().chain(discretes), &help);
            let place = (span, "not found");
            lowering.findings.error("equations::unknown-name", message, place, help);
            None
        }
    }
}
