//! The differences of two handshakes, as messages.

use super::Hello;
use consort_core::{NodeId, Resolution, Tag, Time};
use consort_federation::flow::{BoundPolicy, Flow, FlowKind, FlowTiming, Topology};

/// How many differences are listed at most.
const PROBLEMS_MAX: usize = 20;

/// Everything in which two nodes of one run differ; empty if nothing does.
pub fn problems(ours: &Hello, theirs: &Hello) -> Vec<String> {
    let mut found = Vec::new();
    let node = &theirs.node;
    if ours.resolution != theirs.resolution {
        let (mine, other) = (ours.resolution.tick(), theirs.resolution.tick());
        found.push(format!("node `{node}` has ticks of {other} s, this node {mine} s"));
        return found;
    }
    if ours.begins != theirs.begins {
        // Different first tags of flows follow from it.
        found.push(begins(ours, theirs));
        return found;
    }
    if ours.horizon != theirs.horizon {
        let (mine, other) = (end(ours), end(theirs));
        found.push(format!("node `{node}` has {other}, this node {mine}"));
    }
    if ours.hash != theirs.hash {
        compare_nodes(&mut found, node, &ours.topology, &theirs.topology);
        compare_flows(&mut found, ours, theirs);
        if found.is_empty() {
            found.push(format!(
                "node `{node}` has a topology with another hash although all flows are equal; run the same release of Consort everywhere"
            ));
        }
    }
    compare_facts(&mut found, ours, theirs);
    if PROBLEMS_MAX < found.len() {
        let more = found.len() - PROBLEMS_MAX;
        found.truncate(PROBLEMS_MAX);
        found.push(format!("and {more} more differences"));
    }
    found
}

/// Where both nodes start from, and how to make that equal.
fn begins(ours: &Hello, theirs: &Hello) -> String {
    let place = |hello: &Hello| match hello.begins {
        Some(time) => format!("resumes from {}", seconds(hello.resolution, time)),
        None => "starts from the beginning".to_owned(),
    };
    let difference =
        format!("node `{}` {}, node `{}` {}", ours.node, place(ours), theirs.node, place(theirs));
    let cure = match (ours.begins, theirs.begins) {
        (Some(one), Some(other)) => {
            format!("give both a snapshot of {}", seconds(ours.resolution, one.min(other)))
        }
        (one, other) => {
            let time = one.or(other).map(|time| seconds(ours.resolution, time));
            let time = time.unwrap_or_default();
            format!("give both a snapshot of {time}, or none")
        }
    };
    format!("{difference}: {cure}")
}

fn compare_facts(found: &mut Vec<String>, ours: &Hello, theirs: &Hello) {
    let node = &theirs.node;
    let value = |hello: &Hello, name: &str| {
        let fact = hello.facts.iter().find(|(known, _)| known == name);
        fact.map(|(_, value)| value.clone())
    };
    for (name, mine) in &ours.facts {
        match value(theirs, name) {
            None => found.push(format!("node `{node}` has no {name}")),
            Some(other) if other != *mine => {
                found.push(format!("node `{node}` has {name} {other}, this node {mine}"));
            }
            Some(_) => {}
        }
    }
    for (name, _) in theirs.facts.iter().filter(|(name, _)| value(ours, name).is_none()) {
        found.push(format!("node `{node}` has {name}, this node has not"));
    }
}

fn compare_nodes(found: &mut Vec<String>, node: &str, ours: &Topology, theirs: &Topology) {
    for name in ours.nodes.iter().filter(|name| !theirs.nodes.contains(name)) {
        found.push(format!("node `{node}` has no node `{name}`"));
    }
    for name in theirs.nodes.iter().filter(|name| !ours.nodes.contains(name)) {
        found.push(format!("node `{node}` has a node `{name}`, this node has not"));
    }
}

fn compare_flows(found: &mut Vec<String>, ours: &Hello, theirs: &Hello) {
    let node = &theirs.node;
    let by_name = |topology: &Topology, name: &str| {
        topology.flows.iter().find(|flow| flow.name == name).cloned()
    };
    for flow in &ours.topology.flows {
        match by_name(&theirs.topology, &flow.name) {
            None => found.push(format!("node `{node}` has no flow `{}`", flow.name)),
            Some(other) => compare_flow(found, (ours, flow), (theirs, &other)),
        }
    }
    for flow in &theirs.topology.flows {
        if by_name(&ours.topology, &flow.name).is_none() {
            found.push(format!("node `{node}` has a flow `{}`, this node has not", flow.name));
        }
    }
}

fn compare_flow(found: &mut Vec<String>, ours: (&Hello, &Flow), theirs: (&Hello, &Flow)) {
    let node = &theirs.0.node;
    let name = &ours.1.name;
    for (what, describe) in aspects() {
        let (mine, other) = (describe(ours.0, ours.1), describe(theirs.0, theirs.1));
        if mine != other {
            let what = if what.is_empty() { String::new() } else { format!("{what} ") };
            found.push(format!(
                "node `{node}` has flow `{name}` with {what}{other}, this node has {mine}"
            ));
        }
    }
}

type Describe = fn(&Hello, &Flow) -> String;

/// What two nodes must agree on, and how it is described.
fn aspects() -> [(&'static str, Describe); 10] {
    [
        ("kind", |hello, flow| kind(hello.resolution, flow.kind)),
        ("", |hello, flow| timing(hello.resolution, flow.timing)),
        ("its first message", |hello, flow| tag(hello.resolution, flow.first)),
        ("source", |hello, flow| named(&hello.topology, flow.source)),
        ("sinks", |hello, flow| {
            let names: Vec<_> = flow.sinks.iter().map(|id| named(&hello.topology, *id)).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        }),
        ("payload", |_, flow| format!("`{}`", flow.payload)),
        ("capacity", |_, flow| flow.capacity.to_string()),
        ("priority", |_, flow| flow.priority.to_string()),
        ("feedthrough", |hello, flow| feedthrough(&hello.topology, flow)),
        ("self-flow", |_, flow| flow.self_flow.to_string()),
    ]
}

fn seconds(resolution: Resolution, time: Time) -> String {
    match resolution.seconds(time) {
        Some(seconds) => format!("{seconds} s"),
        None => format!("{} ticks", time.ticks()),
    }
}

fn tag(resolution: Resolution, tag: Tag) -> String {
    format!("at {}, microstep {}", seconds(resolution, tag.time), tag.microstep)
}

fn end(hello: &Hello) -> String {
    let describe = |horizon| format!("its end {}", tag(hello.resolution, horizon));
    hello.horizon.map_or_else(|| "no end".to_owned(), describe)
}

fn kind(resolution: Resolution, kind: FlowKind) -> String {
    match kind {
        FlowKind::State => "state".to_owned(),
        FlowKind::Observation => "observation".to_owned(),
        FlowKind::Event { lookahead, adds_microstep, bounds } => {
            let microstep = if adds_microstep { " and a microstep" } else { "" };
            let asked = if bounds == BoundPolicy::OnDemand { ", bounds on demand" } else { "" };
            format!("event, lookahead {}{microstep}{asked}", seconds(resolution, lookahead))
        }
    }
}

fn timing(resolution: Resolution, timing: FlowTiming) -> String {
    match timing {
        FlowTiming::Periodic(period) => format!("period {}", seconds(resolution, period)),
        FlowTiming::Variable => "a variable period".to_owned(),
        FlowTiming::Once => "a single message".to_owned(),
    }
}

fn named(topology: &Topology, node: NodeId) -> String {
    let name = topology.nodes.get(node.index());
    name.map_or_else(|| format!("node number {}", node.0), |name| format!("`{name}`"))
}

fn feedthrough(topology: &Topology, flow: &Flow) -> String {
    let Some(flows) = &flow.feedthrough else { return "all inputs".to_owned() };
    let name = |id: &consort_federation::flow::FlowId| {
        topology
            .flows
            .get(id.index())
            .map_or_else(|| format!("flow number {}", id.0), |flow| format!("`{}`", flow.name))
    };
    let names: Vec<_> = flows.iter().map(name).collect();
    if names.is_empty() { "no input".to_owned() } else { names.join(", ") }
}
