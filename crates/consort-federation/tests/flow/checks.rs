//! Topologies that are not well-formed are reported as text, all mistakes at once.

use crate::support::{at, event, flow, tag, topology};
use consort_core::{NodeId, Report, Tag, Time};
use consort_federation::flow::{Flow, FlowId, FlowKind, FlowTiming, Topology, check};
use std::fmt::Write;

fn rendered(topology: &Topology, horizon: Option<Tag>) -> String {
    let mut report = Report::default();
    check(topology, horizon, &mut report);
    let mut text = String::new();
    for it in report.diagnostics() {
        let help = it.help.as_deref().unwrap_or("none");
        writeln!(text, "{:?}[{}]: {}\n  help: {help}", it.severity, it.code, it.message)
            .expect("a string takes everything");
    }
    text
}

#[test]
fn what_is_well_formed_is_not_talked_about() {
    let own = Flow { self_flow: true, ..flow("own", 0, &[0, 1], 3) };
    let listed = Flow {
        kind: FlowKind::Observation,
        feedthrough: Some(vec![FlowId(1)]),
        ..flow("seen", 1, &[0], 2)
    };
    let happens = Flow { kind: event(0, true), ..flow("happens", 1, &[0], 0) };
    assert_eq!(rendered(&topology(2, vec![own, listed, happens]), Some(at(0))), "");
}

#[test]
fn ends_and_capacities_that_cannot_be() {
    let nowhere = Flow { source: NodeId(7), ..flow("c", 0, &[1, 9], 1) };
    let flows = vec![
        flow("a", 0, &[0], 1),
        flow("b", 0, &[1, 1], 1),
        nowhere,
        flow("d", 0, &[], 1),
        Flow { capacity: 0, ..flow("e", 1, &[0], 1) },
    ];
    insta::assert_snapshot!(rendered(&topology(2, flows), None));
}

#[test]
fn names_that_do_not_order_everything() {
    let mut bad = topology(3, vec![flow("same", 0, &[1], 1), flow("same", 1, &[0], 1)]);
    bad.flows.push(flow("before", 0, &[1], 1));
    bad.nodes[1] = "a".to_owned();
    insta::assert_snapshot!(rendered(&bad, None));
}

#[test]
fn timings_that_cannot_be() {
    let period = |name, ticks| Flow {
        timing: FlowTiming::Periodic(Time::from_ticks(ticks)),
        ..flow(name, 0, &[1], 1)
    };
    let flows = vec![
        period("never", 0),
        period("back", -5),
        Flow { first: tag(0, 2_000), ..flow("deep", 0, &[1], 0) },
        Flow { first: at(11), ..flow("late", 1, &[0], 1) },
    ];
    insta::assert_snapshot!(rendered(&topology(2, flows), Some(at(10))));
}

#[test]
fn kinds_that_contradict_themselves() {
    let flows = vec![
        Flow { kind: event(0, false), ..flow("ticking", 0, &[1], 4) },
        Flow { kind: event(-1, false), ..flow("back", 0, &[1], 0) },
        Flow { kind: event(5, true), ..flow("both", 0, &[1], 0) },
    ];
    insta::assert_snapshot!(rendered(&topology(2, flows), None));
}

#[test]
fn lists_that_name_no_inputs() {
    let seen = |name, list: &[u32]| Flow {
        kind: FlowKind::Observation,
        feedthrough: Some(list.iter().map(|it| FlowId(*it)).collect()),
        ..flow(name, 0, &[1], 1)
    };
    let state = Flow { kind: FlowKind::State, ..seen("d", &[0]) };
    let flows = vec![flow("a", 1, &[0], 1), seen("b", &[1, 77]), seen("c", &[0, 0]), state];
    insta::assert_snapshot!(rendered(&topology(2, flows), None));
}

#[test]
fn the_hash_distinguishes_any_two_topologies() {
    let base = topology(2, vec![flow("x", 0, &[1], 2), flow("y", 1, &[0], 0)]);
    let mut others = vec![base.clone()];
    let mut change = |edit: &dyn Fn(&mut Topology)| {
        let mut other = base.clone();
        edit(&mut other);
        others.push(other);
    };
    change(&|it| it.nodes[0] = "z".to_owned());
    change(&|it| it.flows[0].name = "w".to_owned());
    change(&|it| it.flows[0].source = NodeId(1));
    change(&|it| it.flows[0].sinks.push(NodeId(0)));
    change(&|it| it.flows[0].kind = FlowKind::Observation);
    change(&|it| it.flows[0].kind = event(0, false));
    change(&|it| it.flows[0].kind = event(1, false));
    change(&|it| it.flows[0].kind = event(0, true));
    change(&|it| it.flows[0].first = at(1));
    change(&|it| it.flows[0].first = tag(0, 1));
    change(&|it| it.flows[0].timing = FlowTiming::Once);
    change(&|it| it.flows[0].timing = FlowTiming::Variable);
    change(&|it| it.flows[0].timing = FlowTiming::Periodic(Time::from_ticks(3)));
    change(&|it| it.flows[0].payload = "f64".to_owned());
    change(&|it| it.flows[0].priority = 1);
    change(&|it| it.flows[0].capacity = 2);
    change(&|it| it.flows[0].feedthrough = Some(Vec::new()));
    change(&|it| it.flows[0].feedthrough = Some(vec![FlowId(1)]));
    change(&|it| it.flows[0].self_flow = true);
    change(&|it| drop(it.flows.pop()));
    let mut hashes: Vec<_> = others.iter().map(Topology::hash).collect();
    assert_eq!(hashes[0], base.clone().hash());
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), others.len());
}
