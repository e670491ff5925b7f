//! How a system is spread over nodes: placement, components that must share a node, values between nodes.

use consort::Prepared;
use consort_core::{ComponentId, NodeId};
use consort_planner::Group;
use consort_system::{Crossing, Port, Projection};
use consort_view::page::Page;

pub(super) fn section(page: &mut Page, prepared: &Prepared, projection: &Projection) {
    let placement = &projection.placement;
    let ids = (0..placement.nodes.len()).map(NodeId::from_index);
    let nodes = ids.map(|id| {
        let components: Vec<ComponentId> = placement.components(id).collect();
        format!("{}: {}", placement.name(id), names(prepared, &components))
    });
    page.bullets("Nodes", &nodes.collect::<Vec<_>>());
    let descriptions: Vec<_> = prepared.descriptions();
    let groups = consort_planner::groups(prepared.resolved(), &descriptions, prepared.plan());
    let line = |group: &Group| format!("{}: {}", names(prepared, &group.components), group.why);
    page.bullets("Must share a node", &groups.iter().map(line).collect::<Vec<_>>());
    let crossings = projection.crossings.iter().map(|crossing| crosses(prepared, crossing));
    let crossings: Vec<String> = crossings.collect();
    page.bullets("Crosses between nodes", &crossings);
}

fn names(prepared: &Prepared, components: &[ComponentId]) -> String {
    let name = |id: &ComponentId| prepared.resolved().components[id.index()].name.as_str();
    components.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// What crosses together: `plant>control/present.1/0.01s: tank.level -> pid.measurement`.
fn crosses(prepared: &Prepared, crossing: &Crossing) -> String {
    let wire = |id: &consort_core::ConnectionId| {
        let wire = &prepared.resolved().connections[id.index()];
        format!("{} -> {}", port(prepared, wire.from), port(prepared, wire.to))
    };
    let wires: Vec<String> = crossing.connections.iter().map(wire).collect();
    format!("{}: {}", crossing.name, wires.join(", "))
}

fn port(prepared: &Prepared, port: Port) -> String {
    let index = port.component.index();
    let variables = &prepared.executable().models()[index].description().variables;
    let variable = &variables[port.variable.index()].name;
    format!("{}.{variable}", prepared.resolved().components[index].name)
}
