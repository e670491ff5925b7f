//! Values that are used late: where, why, by how much, and whether that is the same over all paths.

use super::lag::Ages;
use crate::cycle::Cycle;
use crate::loops::asks_for;
use crate::nodes::{Names, Node};
use crate::usage::Usage;
use consort_core::{
    Causality, ComponentId, ModelDescription, Report, Time, ValueType, Variability, VariableId,
};
use consort_system::{LoopPolicy, Order, ResolvedConnection, ResolvedSystem};
use serde::Serialize;

/// A connection whose value is used late.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DelayedConnection {
    /// The output it comes from: `component.variable`.
    pub from: String,
    /// The input it goes to: `component.variable`.
    pub to: String,
    /// The reason why the value is late.
    pub reason: DelayReason,
    /// By how many steps: of the source if the connection is delayed, of the target otherwise. A
    /// slower source is up to one step of its own late.
    pub steps: u32,
    /// How to remove the delay.
    pub cure: String,
}

/// Why a value is used late.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DelayReason {
    /// The user asked for the previous value.
    Asked,
    /// The Jacobi order does not look at feedthrough.
    Jacobi,
    /// The outputs that follow the input are those of the last step, and the step takes the input
    /// as it was at its start.
    ByStep,
    /// The source steps less often.
    SlowerSource,
}

/// By how much an output is late.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Lag {
    /// The output: `component.variable`.
    pub output: String,
    /// The largest artificial delay of any feedthrough path into it, in steps.
    pub steps: u32,
    /// That path, or the end of it if it is long.
    pub path: Vec<String>,
}

/// Whether the inputs of a discrete component are all of one age.
///
/// Discrete is a component that uses event mode or has a discrete input or output (clocks apart)
/// that takes part in the cycle: what it computes at a tag it keeps, so a mixture of ages does not
/// fade.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EqualDelay {
    /// The name of the component.
    pub component: String,
    /// Its inputs arrive with this delay over all paths, in steps; `None` if they differ.
    pub steps: Option<u32>,
    /// Two paths that differ, if any do.
    pub broken: Option<BrokenDelay>,
}

/// Two paths into one component with different delays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BrokenDelay {
    /// The path with the least delay.
    pub least: Path,
    /// The path with the greatest delay.
    pub greatest: Path,
}

/// A path of variables and its delay.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Path {
    /// `component.variable`, first one first; of long paths the end.
    pub variables: Vec<String>,
    /// The delay in steps.
    pub steps: u32,
}

/// A connection whose value is used late.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LateConnection {
    /// The output it comes from: `component.variable`.
    pub from: String,
    /// The input it goes to: `component.variable`.
    pub to: String,
    /// The delay in steps.
    pub steps: u32,
    /// The sum of these steps.
    pub by: Time,
}

/// The connections whose values are used a step or more late, in the order of the system. A source that
/// steps less often than its target is not late: its value holds.
///
/// # Panics
/// If `models` has not one description per component.
pub fn late_connections(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
) -> Vec<LateConnection> {
    assert_eq!(system.components.len(), models.len(), "one description per component");
    let (usage, names) = (Usage::of(system, models), Names { system, models });
    let cycle = Cycle::of(system, models, &usage, &mut Report::default());
    late_wires(&names, &cycle)
}

pub(super) fn delays(names: &Names<'_>, cycle: &Cycle<'_>, ages: &Ages) -> Vec<DelayedConnection> {
    let mut delays = Vec::new();
    for wire in &names.system.connections {
        for reason in reasons(names, cycle, ages, wire) {
            delays.push(DelayedConnection {
                from: names.port(wire.from),
                to: names.port(wire.to),
                reason,
                steps: 1,
                cure: cure(names, wire, reason),
            });
        }
    }
    delays
}

fn reasons(
    names: &Names<'_>,
    cycle: &Cycle<'_>,
    ages: &Ages,
    wire: &ResolvedConnection,
) -> Vec<DelayReason> {
    let period = |component: ComponentId| names.system.components[component.index()].period;
    let set = cycle.flow.nodes.set_of(wire.to);
    let followed_late = set.is_some_and(|set| ages.late[set as usize] && ages.is_followed(set));
    let is_jacobi = names.system.coupling.order == Order::Jacobi;
    let mut reasons = Vec::new();
    if wire.delay {
        reasons.push(DelayReason::Asked);
    }
    if followed_late {
        reasons.push(if is_jacobi { DelayReason::Jacobi } else { DelayReason::ByStep });
    }
    if period(wire.to.component) < period(wire.from.component) {
        reasons.push(DelayReason::SlowerSource);
    }
    reasons
}

/// The connections that are late, by steps.
fn late_wires(names: &Names<'_>, cycle: &Cycle<'_>) -> Vec<LateConnection> {
    let ages = Ages::of(names, cycle);
    let period = |component: ComponentId| names.system.components[component.index()].period;
    let late = names.system.connections.iter().filter_map(|wire| {
        let (mut steps, mut by) = (0, Time::ZERO);
        for reason in reasons(names, cycle, &ages, wire) {
            let step = match reason {
                DelayReason::Asked => period(wire.from.component),
                DelayReason::Jacobi | DelayReason::ByStep => period(wire.to.component),
                DelayReason::SlowerSource => continue,
            };
            (steps, by) = (steps + 1, by + step);
        }
        let (from, to) = (names.port(wire.from), names.port(wire.to));
        (0 < steps).then_some(LateConnection { from, to, steps, by })
    });
    late.collect()
}

fn cure(names: &Names<'_>, wire: &ResolvedConnection, reason: DelayReason) -> String {
    let [from, to] = [wire.from, wire.to].map(|port| names.component(port.component));
    let input = &names.models[wire.to.component.index()].variables[wire.to.variable.index()].name;
    match reason {
        DelayReason::Asked => match asks_for(names.system, |it| it == LoopPolicy::Delay) {
            true => "take `delay = true` from the connection, or `loops = \"delay\"` from \
                     `[experiment]`"
                .to_owned(),
            false => "take `delay = true` from the connection".to_owned(),
        },
        DelayReason::Jacobi => "write `order = \"derived\"` in `[experiment]`".to_owned(),
        DelayReason::ByStep => format!(
            "write `reactive = [\"{input}\"]` at `{to}`, or `order = \"gauss-seidel\"` in \
             `[experiment]`, so that `{from}` steps first"
        ),
        DelayReason::SlowerSource => format!("give `{from}` the step of `{to}`"),
    }
}

/// Outputs that are late at all.
pub(super) fn lags(names: &Names<'_>, cycle: &Cycle<'_>, ages: &Ages) -> Vec<Lag> {
    let late = cycle.flow.nodes.gets().filter(|&get| 0 < ages.greatest[get as usize].steps);
    let lag = |get: u32| {
        let path = path(names, cycle, ages, get, true);
        let output = path.variables.last().cloned().unwrap_or_default();
        Lag { output, steps: path.steps, path: path.variables }
    };
    late.map(lag).collect()
}

fn path(names: &Names<'_>, cycle: &Cycle<'_>, ages: &Ages, node: u32, oldest: bool) -> Path {
    let nodes = ages.path(node, oldest).into_iter().map(|node| cycle.flow.nodes.node(node));
    let named = nodes.filter_map(|node| match node {
        Node::Set(component, variable) | Node::Get(component, variable) => {
            Some(names.variable(component, variable))
        }
        Node::Step(_) | Node::Inputs(_) => None,
    });
    let all = if oldest { &ages.greatest } else { &ages.least };
    Path { variables: named.collect(), steps: all[node as usize].steps }
}

pub(super) fn equal_delays(names: &Names<'_>, cycle: &Cycle<'_>, ages: &Ages) -> Vec<EqualDelay> {
    let components = (0..names.system.components.len()).map(ComponentId::from_index);
    let discrete = components.filter(|&component| is_discrete(names, cycle, component));
    discrete.filter_map(|component| equal_delay(names, cycle, ages, component)).collect()
}

/// `None` if it has no inputs.
fn equal_delay(
    names: &Names<'_>,
    cycle: &Cycle<'_>,
    ages: &Ages,
    component: ComponentId,
) -> Option<EqualDelay> {
    let sets = || cycle.flow.nodes.sets_of(component);
    let least = sets().min_by_key(|&set| ages.least[set as usize].steps)?;
    let greatest = sets().rev().max_by_key(|&set| ages.greatest[set as usize].steps)?;
    let least = path(names, cycle, ages, least, false);
    let greatest = path(names, cycle, ages, greatest, true);
    let component = names.component(component).to_owned();
    Some(if least.steps == greatest.steps {
        EqualDelay { component, steps: Some(least.steps), broken: None }
    } else {
        let broken = Some(BrokenDelay { least, greatest });
        EqualDelay { component, steps: None, broken }
    })
}

fn is_discrete(names: &Names<'_>, cycle: &Cycle<'_>, component: ComponentId) -> bool {
    let nodes = &cycle.flow.nodes;
    let used = nodes.sets_of(component).chain(nodes.gets_of(component));
    let mut variables = used.filter_map(|node| match nodes.node(node) {
        Node::Set(_, variable) | Node::Get(_, variable) => Some(variable),
        _ => None,
    });
    let is_discrete = |variable: VariableId| {
        let variable = &names.models[component.index()].variables[variable.index()];
        variable.variability == Variability::Discrete
            && variable.value_type != ValueType::Clock
            && matches!(variable.causality, Causality::Input | Causality::Output)
    };
    names.system.components[component.index()].event_mode || variables.any(is_discrete)
}
