//! What random systems do not have of their own: events, texts, units, extrapolation, interventions of
//! all kinds, tables that say something.

use consort_core::{
    ComponentId, ConnectionId, Conversion, ModelDescription, Prng, Time, ValueType, Values,
    VariableId,
};
use consort_system::{Effect, Hold, ResolvedIntervention, ResolvedSystem, Target, Trigger};

/// An index below `len`.
pub(crate) fn pick(prng: &mut Prng, len: usize) -> usize {
    usize::try_from(prng.below(len as u64)).expect("an index")
}

/// Some of it all. Steps of changing size are rare here: they keep everything on one node.
pub(crate) fn add(prng: &mut Prng, system: &mut ResolvedSystem, models: &mut [ModelDescription]) {
    if pick(prng, 8) != 0 {
        system.coupling.variable_step = None;
    }
    if pick(prng, 3) == 0 {
        events(prng, system, models);
    }
    if pick(prng, 2) == 0 {
        types(prng, system, models);
    }
    connections(prng, system, models);
    table(prng, system);
    interventions(prng, system);
}

/// Components that handle events. What they feed must be on their node, but for delayed connections.
fn events(prng: &mut Prng, system: &mut ResolvedSystem, models: &mut [ModelDescription]) {
    for (component, model) in system.components.iter_mut().zip(models) {
        let is_eventful = pick(prng, 3) == 0;
        (component.event_mode, model.capabilities.event_mode) = (is_eventful, is_eventful);
    }
    for wire in &mut system.connections {
        let is_eventful = system.components[wire.from.component.index()].event_mode;
        wire.delay |= is_eventful && pick(prng, 2) == 0;
    }
}

/// Units that differ, and inputs that are extrapolated.
fn connections(prng: &mut Prng, system: &mut ResolvedSystem, models: &mut [ModelDescription]) {
    for model in models.iter_mut() {
        model.capabilities.input_derivatives_max = u32::from(pick(prng, 2) == 0);
    }
    for wire in &mut system.connections {
        let source = &models[wire.from.component.index()].variables[wire.from.variable.index()];
        if source.value_type != ValueType::Float64 {
            continue;
        }
        if pick(prng, 4) == 0 {
            wire.conversion = Conversion { gain: 0.5, offset: 0.25 };
        }
        if pick(prng, 4) == 0 {
            wire.hold = Hold::Extrapolate;
        }
    }
}

fn table(prng: &mut Prng, system: &mut ResolvedSystem) {
    for column in system.feed.iter_mut().flat_map(|feed| &mut feed.columns) {
        if let Values::Float64(list) = &mut column.values {
            list.iter_mut().for_each(|value| *value = prng.next_f64());
            column.interpolate = pick(prng, 2) == 0;
        }
    }
}

/// Most begin at a time: a condition keeps everything on one node.
fn interventions(prng: &mut Prng, system: &mut ResolvedSystem) {
    for intervention in &mut system.interventions {
        if pick(prng, 3) != 0 {
            intervention.trigger = Trigger::At(Time::from_ticks(2));
        }
    }
    let wires = system.connections.iter().enumerate();
    let wires = wires.filter(|(_, wire)| wire.hold == Hold::Extrapolate);
    let wires: Vec<usize> = wires.map(|(index, _)| index).collect();
    for (begin, &index) in (1..).zip(&wires).filter(|(begin, _)| begin % 3 == 1) {
        let wire = &system.connections[index];
        let targets = [
            Target::Connection(ConnectionId::from_index(index)),
            Target::Input(wire.to),
            Target::Output(wire.from),
        ];
        let target = targets[pick(prng, 3)];
        let values = Values::Float64(vec![0.125; wire.to.count as usize]);
        let effects = [Effect::Offset(values.clone()), Effect::Override(values)];
        let effect = effects[pick(prng, 2)].clone();
        for (time, effect) in [(begin, effect), (begin + 8, Effect::Release)] {
            let trigger = Trigger::At(Time::from_ticks(time));
            system.interventions.push(ResolvedIntervention { trigger, target, effect });
        }
    }
}

/// Outputs of other types, where everything that they feed can take them.
fn types(prng: &mut Prng, system: &mut ResolvedSystem, models: &mut [ModelDescription]) {
    const TYPES: [ValueType; 6] = [
        ValueType::String,
        ValueType::Binary,
        ValueType::Boolean,
        ValueType::Float32,
        ValueType::Int64,
        ValueType::UInt16,
    ];
    if system.interventions.iter().any(|it| matches!(it.trigger, Trigger::When(_))) {
        return; // conditions look at numbers
    }
    for index in 0..system.connections.len() {
        let Some(ends) = ends(system, index) else { continue };
        if pick(prng, 3) != 0 {
            continue;
        }
        let value_type = TYPES[pick(prng, TYPES.len())];
        for (component, variable) in ends {
            let variable = &mut models[component.index()].variables[variable.index()];
            variable.value_type = value_type;
            variable.variability = variable.causality.default_variability(value_type);
            variable.start = variable.start.as_ref().map(|_| Values::zeros(value_type, 1));
        }
    }
}

/// The source of a connection and all that it feeds, if all of them are connected as a whole.
fn ends(system: &ResolvedSystem, index: usize) -> Option<Vec<(ComponentId, VariableId)>> {
    let from = system.connections[index].from;
    let mut ends = vec![(from.component, from.variable)];
    for wire in &system.connections {
        if (wire.from.component, wire.from.variable) != ends[0] {
            continue;
        }
        for port in [wire.from, wire.to] {
            let counts = &system.components[port.component.index()].counts;
            if counts[port.variable.index()] != port.count {
                return None;
            }
        }
        ends.push((wire.to.component, wire.to.variable));
    }
    Some(ends)
}
