//! The search for circuits: what it finds, what it says, and that counting finds the same.

use crate::support::{
    AT_ONCE, REPLY, Recipe, flow, milliseconds, periodic, random_topology, tag, timed, topology,
};
use consort_core::{Prng, Report, Tag};
use consort_federation::flow::FlowKind::{Observation, State};
use consort_federation::flow::{Analysis, Flow, FlowId, FlowTiming, Topology, analyse};

/// At which tick, and which flows, wait for each other; empty: none.
fn check(flows: Vec<Flow>, horizon: Option<Tag>, expected: &[(Tag, &[&str])]) {
    let topology = topology(flows);
    let analysis = analyse(&topology, horizon);
    let found: Vec<(Tag, Vec<&str>)> = analysis
        .circuits
        .iter()
        .map(|circuit| (circuit.at, names(&topology, &circuit.flows)))
        .collect();
    let expected: Vec<(Tag, Vec<&str>)> =
        expected.iter().map(|(at, flows)| (*at, flows.to_vec())).collect();
    assert_eq!(found, expected);
    assert_eq!(analysis.accepts(), expected.is_empty());
}

fn names<'a>(topology: &'a Topology, flows: &[FlowId]) -> Vec<&'a str> {
    flows.iter().map(|flow| topology.flows[flow.index()].name.as_str()).collect()
}

/// Two observations that answer each other.
fn pair(first: (i64, i64), second: (i64, i64)) -> Vec<Flow> {
    vec![
        timed(flow("there", 0, &[1], Observation), first.0, first.1),
        timed(flow("back", 1, &[0], Observation), second.0, second.1),
    ]
}

#[test]
fn observations_that_answer_each_other_at_one_instant_are_a_circuit() {
    check(pair((0, 1), (0, 1)), None, &[(tag(0, 0), &["back", "there"])]);
    check(pair((3, 4), (0, 6)), None, &[]);
    check(pair((2, 4), (0, 6)), None, &[(tag(6, 0), &["back", "there"])]);
    check(pair((6, 10), (1, 15)), None, &[(tag(16, 0), &["back", "there"])]);
    check(pair((50, 10), (0, 15)), None, &[(tag(60, 0), &["back", "there"])]);
}

#[test]
fn a_circuit_after_the_end_is_harmless() {
    check(pair((6, 10), (1, 15)), Some(tag(15, 9)), &[]);
    check(pair((6, 10), (1, 15)), Some(tag(16, 0)), &[(tag(16, 0), &["back", "there"])]);
}

#[test]
fn microsteps_keep_flows_apart() {
    let mut flows = pair((0, 1), (0, 1));
    flows[1].first.microstep = 1;
    check(flows.clone(), None, &[]);
    flows[0].first.microstep = 1;
    check(flows.clone(), None, &[(tag(0, 1), &["back", "there"])]);
    check(flows, Some(tag(0, 0)), &[]);
}

#[test]
fn a_state_flow_breaks_a_circuit() {
    let mut flows = pair((0, 1), (0, 1));
    flows[1].kind = State;
    check(flows, None, &[]);
}

#[test]
fn a_flow_waits_only_for_what_it_lists() {
    let mut flows = pair((0, 1), (0, 1));
    flows[0].feedthrough = Some(vec![]);
    check(flows, None, &[]);
    // Two pairs of flows between two nodes, as it would be for two signals each way.
    let four = |lists: [&[u32]; 4]| -> Vec<Flow> {
        let ends = [("p", 0, 1), ("q", 0, 1), ("r", 1, 0), ("s", 1, 0)];
        let each = ends.iter().zip(lists).map(|(&(name, from, to), list)| {
            let list = list.iter().map(|&id| FlowId(id)).collect();
            Flow { feedthrough: Some(list), ..flow(name, from, &[to], Observation) }
        });
        each.collect()
    };
    // p -> s -> q -> r: through both nodes twice and yet no circuit.
    check(four([&[], &[3], &[1], &[0]]), None, &[]);
    check(four([&[2], &[3], &[1], &[0]]), None, &[(tag(0, 0), &["p", "s", "q", "r"])]);
}

#[test]
fn a_flow_to_oneself_waits_for_itself() {
    check(vec![timed(flow("own", 0, &[0], Observation), 5, 2)], None, &[(tag(5, 0), &["own"])]);
    check(vec![flow("own", 0, &[0], State)], None, &[]);
}

#[test]
fn events_without_delay_wait_at_every_instant() {
    let sensor = timed(flow("sensor", 0, &[1], Observation), 7, 10);
    let alarm = |kind| vec![sensor.clone(), flow("alarm", 1, &[0], kind)];
    check(alarm(AT_ONCE), None, &[(tag(7, 0), &["alarm", "sensor"])]);
    check(alarm(REPLY), None, &[]);
    check(alarm(crate::support::event(1, false)), None, &[]);
    let mut late = alarm(AT_ONCE);
    late[1].first = tag(17, 1);
    check(late, None, &[(tag(27, 0), &["alarm", "sensor"])]);
    let mut ring = vec![flow("ask", 0, &[1], AT_ONCE), flow("reply", 1, &[0], AT_ONCE)];
    ring[0].first = tag(2, 3);
    check(ring.clone(), None, &[(tag(2, 3), &["ask", "reply"])]);
    ring[1].kind = REPLY;
    check(ring, None, &[]);
}

#[test]
fn a_period_that_may_change_meets_everything() {
    let mut flows = pair((3, 4), (0, 6));
    flows[0].timing = FlowTiming::Variable;
    check(flows.clone(), None, &[(tag(6, 0), &["back", "there"])]);
    flows[1].timing = FlowTiming::Once;
    check(flows.clone(), None, &[]);
    flows[1].first = tag(9, 0);
    check(flows, None, &[(tag(9, 0), &["back", "there"])]);
}

#[test]
fn every_circuit_is_reported_and_cutting_all_that_is_named_leaves_none() {
    let ring = |names: [&str; 3], first: i64| -> Vec<Flow> {
        let flows = names.iter().zip([(0, 1), (1, 2), (2, 0)]);
        flows
            .map(|(name, (from, to))| timed(flow(name, from, &[to], Observation), first, 10))
            .collect()
    };
    let flows = [ring(["a1", "b1", "c1"], 4), ring(["a2", "b2", "c2"], 3)].concat();
    let mut topology = topology(flows);
    let analysis = analyse(&topology, None);
    let first: Vec<_> = analysis.circuits.iter().map(|circuit| circuit.at).collect();
    assert_eq!(first, [tag(3, 0), tag(4, 0)]);
    for circuit in &analysis.circuits {
        topology.flows[circuit.cut.index()].kind = State;
    }
    assert!(analyse(&topology, None).accepts());
}

/// Counts instant by instant, with a depth-first search from each flow: slow and plain.
fn first_by_counting(topology: &Topology, last: Tag) -> Option<Tag> {
    let levels = topology.flows.iter().map(|flow| flow.first.microstep);
    let top = levels.max().unwrap_or(0);
    let tags =
        (0..=last.time.ticks()).flat_map(|time| (0..=top).map(move |level| tag(time, level)));
    tags.filter(|&at| at <= last).find(|&at| has_circuit(topology, at))
}

fn has_circuit(topology: &Topology, at: Tag) -> bool {
    let stamped: Vec<bool> = topology
        .flows
        .iter()
        .map(|flow| flow.kind.is_immediate() && flow.may_be_stamped(at))
        .collect();
    let waits = |flow: usize, input: usize| {
        let source = topology.flows[flow].source;
        let lists = topology.flows[flow].feedthrough.as_ref();
        stamped[flow]
            && stamped[input]
            && topology.flows[input].sinks.contains(&source)
            && lists.is_none_or(|list| list.contains(&FlowId::from_index(input)))
    };
    let count = topology.flows.len();
    let mut reach: Vec<Vec<bool>> =
        (0..count).map(|flow| (0..count).map(|input| waits(flow, input)).collect()).collect();
    for through in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][through] && reach[through][to];
            }
        }
    }
    (0..count).any(|flow| reach[flow][flow])
}

/// Whether nothing is left with every flow changed that a circuit names.
fn is_cured_by_all_cuts(mut topology: Topology, analysis: &Analysis, horizon: Tag) -> bool {
    for circuit in &analysis.circuits {
        topology.flows[circuit.cut.index()].kind = State;
    }
    first_by_counting(&topology, horizon).is_none()
}

#[test]
fn counting_instants_finds_the_same_circuits_first() {
    let seed = 6;
    let recipe = Recipe {
        nodes: 1..5,
        flows: 1..9,
        firsts: 0..12,
        periods: 1..9,
        microsteps: 2,
        events: 2,
        states: 3,
    };
    let (mut stuck, mut free) = (0, 0);
    for case in 0..600 {
        let mut random = Prng::new(seed).split(&format!("counting {case}"));
        let topology = random_topology(&mut random, &recipe);
        // Beyond all firsts and the common period of 1..9 nothing new comes.
        let last = tag(20 + 840, 0);
        let horizon = if random.below(4) == 0 { tag(15, 0) } else { last };
        let analysis = analyse(&topology, Some(horizon));
        let found = analysis.circuits.iter().map(|circuit| circuit.at).next();
        let expected = first_by_counting(&topology, horizon);
        assert_eq!(found, expected, "seed {seed}, case {case}: {topology:#?}");
        assert!(analysis.circuits.is_sorted_by_key(|circuit| circuit.at), "case {case}");
        assert!(is_cured_by_all_cuts(topology, &analysis, horizon), "seed {seed}, case {case}");
        *(if found.is_some() { &mut stuck } else { &mut free }) += 1;
    }
    assert!(100 < stuck && 100 < free, "{stuck} stuck, {free} free: both are to be seen");
}

#[test]
fn many_flows_and_circuits_are_searched_at_once() {
    // Two hundred nodes in a ring and twenty flows between neighbors: 20^200 circuits.
    let mut flows = Vec::new();
    for node in 0..200 {
        for lane in 0..20 {
            let mut flow =
                flow(&format!("{node:04}.{lane:02}"), node, &[(node + 1) % 200], Observation);
            flow.first = tag(i64::from(lane), 0);
            flow.timing = periodic(20 * (1 + i64::from(lane % 2)));
            flows.push(flow);
        }
    }
    let mut topology = Topology { nodes: (0..200).map(|n| n.to_string()).collect(), flows };
    topology.flows.sort_by(|one, other| one.name.cmp(&other.name));
    let analysis = analyse(&topology, None);
    assert!(!analysis.gave_up);
    let first: Vec<i64> = analysis.circuits.iter().map(|circuit| circuit.at.time.ticks()).collect();
    assert_eq!(first, (0..20).collect::<Vec<i64>>());
}

#[test]
fn phases_that_never_meet_are_no_circuit_however_many_there_are() {
    // Sixty nodes, each pair of neighbors joined by flows of thirty different phases.
    let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];
    let mut flows = Vec::new();
    for node in 0_u32..60 {
        for (lane, prime) in primes.iter().enumerate() {
            // Neighbors are out of phase in every lane, lanes are out of phase by the factor 60.
            let name = format!("{node:02}.{lane}");
            let first = i64::from(node) + 60 * i64::try_from(lane).unwrap();
            flows.push(timed(
                flow(&name, node, &[(node + 1) % 60], Observation),
                first,
                60 * prime,
            ));
        }
    }
    let topology = Topology { nodes: (0..60).map(|n| n.to_string()).collect(), flows };
    let analysis = analyse(&topology, None);
    assert!(analysis.accepts(), "{:?} {}", analysis.circuits, analysis.gave_up);
}

#[test]
fn periods_of_many_primes_are_searched_through() {
    // A ring of stages with some flows each, whose periods are products of primes: most pairs of
    // flows never meet, and which circuits do is a puzzle.
    let (seed, stages, lanes) = (8, 24, 4);
    let primes: [i64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let mut random = Prng::new(seed);
    let mut flows = Vec::new();
    for stage in 0..stages {
        for lane in 0..lanes {
            let chosen = (0..2).map(|_| primes[random.below(12) as usize]);
            let period: i64 = chosen.product();
            let first = random.below(period.unsigned_abs()) as i64;
            let name = format!("{stage:02}.{lane}");
            flows.push(timed(
                flow(&name, stage, &[(stage + 1) % stages], Observation),
                first,
                period,
            ));
        }
    }
    let topology = topology(flows);
    let analysis = analyse(&topology, None);
    assert!(!analysis.gave_up, "seed {seed}");
    assert!(analysis.accepts(), "seed {seed}: {:?}", analysis.circuits);
}

fn rendered(topology: &Topology, horizon: Option<Tag>) -> String {
    rendered_of(topology, &analyse(topology, horizon))
}

fn rendered_of(topology: &Topology, analysis: &Analysis) -> String {
    let mut report = Report::default();
    analysis.report(topology, milliseconds(), &mut report);
    let lines = report.diagnostics().iter().map(|diagnostic| {
        let notes: String =
            diagnostic.notes.iter().map(|note| format!("\n  note: {note}")).collect();
        let help = diagnostic.help.as_deref().unwrap_or_default();
        let (severity, code, message) = (diagnostic.severity, diagnostic.code, &diagnostic.message);
        format!("{severity}[{code}]: {message}{notes}\n  help: {help}\n")
    });
    lines.collect()
}

#[test]
fn circuits_are_reported_as_closed_chains_with_a_cure() {
    insta::assert_snapshot!(rendered(&topology(pair((6, 10), (1, 15))), None), @r"
    error[flow::zero-delay-circuit]: 2 flows wait for each other at 0.016 s
      note: in a ring, each for the one before: `back` (b to a) -> `there` (a to b) -> `back`
      help: make `back` a `state` flow, choose phases and periods that never meet, or list in `feedthrough` only what it depends on; a loop that is meant needs a solver: put its components on one node
    ");
    let own = topology(vec![flow("own", 0, &[0], Observation)]);
    insta::assert_snapshot!(rendered(&own, None), @r"
    error[flow::zero-delay-circuit]: flow `own` waits for itself at 0 s
      note: in a ring, each for the one before: `own` (a to a) -> `own`
      help: make `own` a `state` flow, or list in `feedthrough` only what it depends on; a loop that is meant needs a solver: put its components on one node
    ");
    let alarm =
        vec![timed(flow("sensor", 0, &[1], Observation), 7, 10), flow("alarm", 1, &[0], AT_ONCE)];
    insta::assert_snapshot!(rendered(&topology(alarm), None), @r"
    error[flow::zero-delay-circuit]: 2 flows wait for each other at 0.007 s
      note: in a ring, each for the one before: `alarm` (b to a) -> `sensor` (a to b) -> `alarm`
      help: give `alarm` a lookahead or a microstep, or list in `feedthrough` only what it depends on; a loop that is meant needs a solver: put its components on one node
    ");
}

#[test]
fn a_search_that_was_given_up_refuses_the_system_and_says_so() {
    let topology = topology(vec![flow("f", 0, &[1], State)]);
    let analysis = Analysis { gave_up: true, ..analyse(&topology, None) };
    assert!(!analysis.accepts());
    insta::assert_snapshot!(rendered_of(&topology, &analysis), @r"
    error[flow::circuit-search]: too many different phases and periods to decide whether flows wait for each other
      help: make some flows `state`, or give flows that belong together the same period
    ");
}

#[test]
fn what_is_seldom_intended_is_reported() {
    let fast_and_slow = |input, output| {
        vec![
            timed(flow("in", 0, &[1], State), 0, input),
            timed(flow("out", 1, &[2], State), 0, output),
        ]
    };
    insta::assert_snapshot!(rendered(&topology(fast_and_slow(5000, 1)), None), @r"
    warning[flow::starved-node]: node `b` has 5000 messages of `out` for each of `in`
      note: most of what it emits follows from the same inputs
      help: slow down its outputs unless that is meant
    ");
    insta::assert_snapshot!(rendered(&topology(fast_and_slow(1, 5000)), None), @r"
    warning[flow::drowned-node]: node `b` has 5000 messages of `in` for each of `out`
      note: it works through all of them to emit one
      help: slow down its inputs unless that is meant
    ");
    assert_eq!(rendered(&topology(fast_and_slow(1, 1000)), None), "");
    let mut once = fast_and_slow(1, 1);
    once[0].timing = FlowTiming::Once;
    insta::assert_snapshot!(rendered(&topology(once), None), @r"
    warning[flow::ends-early]: flow `in` has one message, at 0 s, and its sinks continue without it
      help: give it a period if its value changes later
    ");
    let mut late = fast_and_slow(10, 10);
    late[0].first = tag(25, 0);
    insta::assert_snapshot!(rendered(&topology(late.clone()), None), @r"
    warning[flow::begins-late]: flow `in` begins at 0.025 s only, and its sinks work without it until then
      help: let it begin with the others, or make sure that its start value is meant
    ");
    assert_eq!(rendered(&topology(late), Some(tag(24, 0))), "");
    let ring = |kind| vec![flow("ask", 0, &[1], AT_ONCE), flow("reply", 1, &[0], kind)];
    insta::assert_snapshot!(rendered(&topology(ring(crate::support::event(3, false))), None), @r"
    warning[flow::creeping-bounds]: the bounds of 2 event flows rest on each other: a round of them gets on by 0.003 s
      note: the ring: `ask` (a to b) -> `reply` (b to a) -> `ask`
      help: list in `feedthrough` what may cause an event, or put a periodic flow between
    ");
    insta::assert_snapshot!(rendered(&topology(ring(REPLY)), None), @r"
    warning[flow::creeping-bounds]: the bounds of 2 event flows rest on each other: a round of them gets on by microsteps only
      note: the ring: `ask` (a to b) -> `reply` (b to a) -> `ask`
      help: list in `feedthrough` what may cause an event, or put a periodic flow between
    ");
}
