//! Random connections, tables and interventions.

use super::draw::Draw;
use super::{Style, models::of_causality};
use consort_core::{
    Causality, ComponentId, Conversion, ModelDescription, Time, Values, VariableId,
};
use consort_system::{
    ColumnFeed, Comparison, Condition, Effect, Feed, Hold, Port, ResolvedConnection,
    ResolvedIntervention, ResolvedSystem, Target, Trigger,
};

pub(super) fn connect(
    draw: &mut Draw,
    style: &Style,
    system: &mut ResolvedSystem,
    models: &[ModelDescription],
) {
    let outputs = ports(system, models, Causality::Output);
    let mut free = Vec::new();
    for to in ports(system, models, Causality::Input) {
        match draw.percent(style.connected) {
            true => wire(draw, style, system, models, &outputs, to, &mut free),
            false => free.push(to),
        }
    }
    react(draw, style, system);
    feed(draw, system, models, &mut free);
    intervene(draw, system, models, &free);
}

/// All variables of a causality, whole.
fn ports(system: &ResolvedSystem, models: &[ModelDescription], causality: Causality) -> Vec<Port> {
    let mut ports = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let component = ComponentId::from_index(index);
        for variable in of_causality(model, causality) {
            let count = system.components[index].counts[variable.index()];
            ports.push(Port { component, variable, first: 0, count });
        }
    }
    ports
}

/// Connects an input: whole where a source of its size is drawn, else element by element.
fn wire(
    draw: &mut Draw,
    style: &Style,
    system: &mut ResolvedSystem,
    models: &[ModelDescription],
    outputs: &[Port],
    to: Port,
    free: &mut Vec<Port>,
) {
    let value_type =
        |port: &Port| models[port.component.index()].variables[port.variable.index()].value_type;
    let backwards = draw.percent(style.backwards);
    let itself = draw.percent(7);
    let fits = |port: &&Port| {
        let place = match itself {
            true => port.component == to.component,
            false if backwards => port.component != to.component,
            false => port.component < to.component,
        };
        place && value_type(port) == value_type(&to)
    };
    let sources: Vec<Port> = outputs.iter().filter(fits).copied().collect();
    if sources.is_empty() {
        free.push(to);
        return;
    }
    let from = draw.one_of(&sources);
    if from.count == to.count {
        system.connections.push(connection(draw, style, from, to));
        return;
    }
    for element in 0..to.count {
        let part = Port { first: element, count: 1, ..to };
        if draw.percent(80) {
            let from = draw.one_of(&sources);
            let first = u32::try_from(draw.index(from.count as usize)).expect("few elements");
            let from = Port { first, count: 1, ..from };
            system.connections.push(connection(draw, style, from, part));
        } else {
            free.push(part);
        }
    }
}

fn connection(draw: &mut Draw, style: &Style, from: Port, to: Port) -> ResolvedConnection {
    ResolvedConnection {
        from,
        to,
        conversion: Conversion::IDENTITY,
        hold: Hold::Hold,
        delay: draw.percent(style.delayed),
        origin: consort_system::Origin::default(),
    }
}

fn react(draw: &mut Draw, style: &Style, system: &mut ResolvedSystem) {
    let mut ends: Vec<(ComponentId, VariableId)> =
        system.connections.iter().map(|it| (it.to.component, it.to.variable)).collect();
    ends.sort_unstable();
    ends.dedup();
    for (component, variable) in ends {
        if draw.percent(style.reactive) {
            system.components[component.index()].reactive.push(variable);
        }
    }
}

/// A table for some elements that are not fed yet.
fn feed(
    draw: &mut Draw,
    system: &mut ResolvedSystem,
    models: &[ModelDescription],
    free: &mut Vec<Port>,
) {
    if !draw.percent(40) {
        return;
    }
    let mut columns = Vec::new();
    free.retain(|&port| {
        let fed = draw.percent(50);
        let value_type = models[port.component.index()].variables[port.variable.index()].value_type;
        for first in (port.first..port.first + port.count).filter(|_| fed) {
            let to = Port { first, count: 1, ..port };
            columns.push(ColumnFeed {
                to,
                values: Values::zeros(value_type, 2),
                interpolate: false,
            });
        }
        !fed
    });
    if !columns.is_empty() {
        system.feed =
            Some(Feed { times: vec![Time::ZERO, Time::from_ticks(1)], columns, ..Feed::default() });
    }
}

/// Now and then an intervention on a free input, or one that looks at a variable.
fn intervene(
    draw: &mut Draw,
    system: &mut ResolvedSystem,
    models: &[ModelDescription],
    free: &[Port],
) {
    if !draw.percent(12) {
        return;
    }
    let outputs = ports(system, models, Causality::Output);
    let mut watched = outputs.clone();
    watched.extend(ports(system, models, Causality::Local));
    let is_whole = |port: &&Port| {
        system.components[port.component.index()].counts[port.variable.index()] == port.count
    };
    let free: Vec<Port> = free.iter().filter(is_whole).copied().collect();
    let target = match (free.is_empty(), outputs.is_empty()) {
        (false, _) if draw.percent(70) => Target::Input(draw.one_of(&free)),
        (_, false) => Target::Output(draw.one_of(&outputs)),
        _ => return,
    };
    let trigger = match watched.is_empty() || draw.percent(50) {
        true => Trigger::At(Time::from_ticks(1)),
        false => {
            let port = Port { count: 1, ..draw.one_of(&watched) };
            Trigger::When(Condition { port, comparison: Comparison::Less, number: 0.0 })
        }
    };
    system.interventions.push(ResolvedIntervention { trigger, target, effect: Effect::Freeze });
}
