//! Where the Jacobian of components that are integrated as one can be other than zero: what each
//! component declares, followed along the connections between them.

use crate::program::Source;
use consort_core::{DependsOn, ModelDescription, VariableId};
use consort_solve::integrate::JacobianPattern;
use consort_system::Together as Planned;
use std::collections::{BTreeMap, BTreeSet};

/// Nothing is known unless all states are scalars.
pub(super) fn of(planned: &Planned, source: &Source<'_>) -> JacobianPattern {
    let Some(states) = states(planned, source) else { return JacobianPattern::unknown(Vec::new()) };
    let behind = behind_inputs(&wires(planned, source), &states);
    let row = |state: &State<'_>| {
        let own = states.iter().enumerate();
        let own = own.filter(|(_, it)| it.member == state.member && state.on.includes(it.id));
        let mut columns: BTreeSet<usize> = own.map(|(column, _)| column).collect();
        for ((member, input), columns_behind) in &behind {
            if *member == state.member && state.on.includes(*input) {
                columns.extend(columns_behind);
            }
        }
        columns.into_iter().collect()
    };
    let on = states.iter().map(row).collect();
    JacobianPattern::declared(states.into_iter().map(|state| state.name).collect(), on)
}

/// A state of one of the components.
struct State<'a> {
    /// The component of the state, by its place among the components.
    member: usize,
    id: VariableId,
    /// The variables its derivative depends on.
    on: &'a DependsOn,
    /// `component.state`.
    name: String,
}

/// All states in the order in which they are set and got; `None` if one is no scalar.
fn states<'a>(planned: &Planned, source: &Source<'a>) -> Option<Vec<State<'a>>> {
    let mut states = Vec::new();
    for (member, component) in planned.components.iter().enumerate() {
        let model: &'a ModelDescription = source.models[component.index()];
        let component = &source.system.components[component.index()].name;
        for unknown in &model.structure.derivatives {
            let id = model.variables[unknown.variable.index()].derivative_of?;
            let state = &model.variables[id.index()];
            if !state.dimensions.is_empty() {
                return None;
            }
            let name = format!("{component}.{}", state.name);
            states.push(State { member, id, on: &unknown.on, name });
        }
    }
    Some(states)
}

/// A connection between two of the components.
struct Wire<'a> {
    from: usize,
    output: VariableId,
    /// What the output follows at once.
    follows: Option<&'a DependsOn>,
    to: (usize, VariableId),
}

fn wires<'a>(planned: &Planned, source: &Source<'a>) -> Vec<Wire<'a>> {
    let position = |id| planned.components.iter().position(|member| *member == id);
    let mut wires = Vec::new();
    for wire in source.system.connections.iter().filter(|wire| !wire.delay) {
        let ends = position(wire.from.component).zip(position(wire.to.component));
        let Some((from, to)) = ends else { continue };
        let model: &'a ModelDescription = source.models[wire.from.component.index()];
        let output = wire.from.variable;
        let said = model.structure.outputs.iter().find(|unknown| unknown.variable == output);
        let follows = said.map(|unknown| &unknown.on);
        wires.push(Wire { from, output, follows, to: (to, wire.to.variable) });
    }
    wires
}

/// By input: the states that it follows, through as many components as there are.
fn behind_inputs(
    wires: &[Wire<'_>],
    states: &[State<'_>],
) -> BTreeMap<(usize, VariableId), BTreeSet<usize>> {
    let mut behind: BTreeMap<(usize, VariableId), BTreeSet<usize>> = BTreeMap::new();
    loop {
        let mut has_grown = false;
        for wire in wires {
            let mut found = behind_output(wire, states);
            for ((member, input), columns) in &behind {
                let is_followed = wire.follows.is_none_or(|on| on.includes(*input));
                if *member == wire.from && is_followed {
                    found.extend(columns);
                }
            }
            let place = behind.entry(wire.to).or_default();
            let before = place.len();
            place.extend(found);
            has_grown |= before < place.len();
        }
        if !has_grown {
            return behind;
        }
    }
}

/// The states of its own component that an output follows: itself, or all.
fn behind_output(wire: &Wire<'_>, states: &[State<'_>]) -> BTreeSet<usize> {
    let own = || states.iter().enumerate().filter(|(_, state)| state.member == wire.from);
    let is_state = own().any(|(_, state)| state.id == wire.output);
    let followed = own().filter(|(_, state)| !is_state || state.id == wire.output);
    followed.map(|(column, _)| column).collect()
}
