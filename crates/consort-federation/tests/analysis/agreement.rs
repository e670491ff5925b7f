//! What the analysis says of a topology, and what its runs do in every order of everything.

use crate::explorer::{explore, walk};
use crate::support::{Recipe, draw, random_topology, ticks, with_capacity};
use crate::world::{Side, Stage, events_in};
use consort_core::{Prng, Tag};
use consort_federation::flow::{BoundPolicy, FlowTiming, Topology, analyse};
use std::collections::BTreeSet;
use std::ops::Range;

/// How often a system with too many states is walked through by chance.
const WALKS: u64 = 20;

/// Which systems are looked at, and how closely.
struct Round {
    name: &'static str,
    recipe: Recipe,
    /// The last ticks.
    horizons: Range<u64>,
    /// Beyond so many states a system is walked through by chance instead.
    states_max: usize,
}

/// Systems small enough to go every way.
const SMALL: Round = Round {
    name: "small",
    recipe: Recipe {
        nodes: 2..4,
        flows: 1..6,
        firsts: 0..3,
        periods: 1..4,
        microsteps: 2,
        events: 3,
        states: 3,
    },
    horizons: 1..4,
    states_max: 1500,
};

/// Systems with longer circuits and phases that meet late or never: walks by chance only.
const LARGE: Round = Round {
    name: "large",
    recipe: Recipe {
        nodes: 3..7,
        flows: 4..12,
        firsts: 0..8,
        periods: 2..9,
        microsteps: 2,
        events: 1,
        states: 6,
    },
    horizons: 8..20,
    states_max: 0,
};

/// Systems with more events than anything else: requests for bounds are passed on from flow to flow.
const EVENTFUL: Round = Round {
    name: "eventful",
    recipe: Recipe {
        nodes: 3..6,
        flows: 3..8,
        firsts: 0..3,
        periods: 2..5,
        microsteps: 1,
        events: 6,
        states: 8,
    },
    horizons: 3..8,
    states_max: 0,
};

/// How the systems of a round turned out.
#[derive(Default, Debug)]
struct Counts {
    accepted: usize,
    /// Of these: whose flows would wait for each other if they ever met.
    narrowly: usize,
    deadlocked: usize,
    /// Explored every way; the others by walks.
    exhaustive: usize,
    states: usize,
    /// Events sent.
    events: u64,
    /// Looked at again with all bounds on demand, or with some.
    asked: usize,
    mixed: usize,
    /// Of these: explored every way, and the states found.
    asked_exhaustive: usize,
    asked_states: usize,
}

/// What came out of a system in every order that was tried, and whether all was done.
struct Seen {
    results: BTreeSet<Vec<Side>>,
    is_stuck: BTreeSet<bool>,
    states: Option<usize>,
}

fn see(stage: &Stage<'_>, states_max: usize, random: &mut Prng) -> Seen {
    if let Some(explored) = explore(stage, states_max) {
        let is_stuck = [(false, &explored.ends), (true, &explored.deadlocks)];
        let is_stuck = is_stuck.iter().filter(|(_, found)| !found.is_empty()).map(|(it, _)| *it);
        let is_stuck = is_stuck.collect();
        let states = Some(explored.states);
        let results = explored.ends.into_iter().chain(explored.deadlocks).collect();
        return Seen { results, is_stuck, states };
    }
    let mut seen = Seen { results: BTreeSet::new(), is_stuck: BTreeSet::new(), states: None };
    for _ in 0..WALKS {
        let (result, is_done) = walk(stage, random);
        seen.results.insert(result);
        seen.is_stuck.insert(!is_done);
    }
    seen
}

/// One random system: the analysis and the runs agree; of what runs to its end each order, and each
/// capacity, gives the same messages.
fn check(round: &Round, seed: u64, case: u64, counts: &mut Counts) {
    let mut random = Prng::new(seed).split(&format!("{} {case}", round.name));
    let topology = random_topology(&mut random, &round.recipe);
    let horizon = Tag { time: ticks(draw(&mut random, &round.horizons)), microstep: 1 };
    let accepts = analyse(&topology, Some(horizon)).accepts();
    let stage = Stage::by_chance(&topology, horizon);
    let seen = see(&stage, round.states_max, &mut random);
    let context = || format!("{} systems, seed {seed}, case {case}: {topology:#?}", round.name);
    assert_eq!(seen.is_stuck, BTreeSet::from([!accepts]), "{}", context());
    assert_eq!(seen.results.len(), 1, "one outcome; {}", context());
    *(if accepts { &mut counts.accepted } else { &mut counts.deadlocked }) += 1;
    counts.narrowly += usize::from(accepts && !accepts_always(&topology));
    counts.exhaustive += usize::from(seen.states.is_some());
    counts.states += seen.states.unwrap_or(0);
    counts.events += seen.results.iter().map(|sides| events_in(&topology, sides)).sum::<u64>();
    check_asked(round, &topology, horizon, &seen, seed, case, counts);
    if accepts {
        check_capacities(&topology, horizon, &seen.results, &mut random);
    }
}

/// The same system with bounds on demand, of all event flows or of some: stuck or not, and with which messages, does
/// not depend on which bounds are requested and which are announced.
fn check_asked(
    round: &Round,
    topology: &Topology,
    horizon: Tag,
    eager: &Seen,
    seed: u64,
    case: u64,
    counts: &mut Counts,
) {
    let mut random = Prng::new(seed).split(&format!("{} {case} asked", round.name));
    let is_mixture = case % 2 == 1;
    let topology = topology.clone().with_bounds(|_| {
        let is_eager = is_mixture && random.below(2) == 0;
        if is_eager { BoundPolicy::Eager } else { BoundPolicy::OnDemand }
    });
    if !topology.flows.iter().any(|flow| flow.kind.is_on_demand()) {
        return;
    }
    let seen = see(&Stage::by_chance(&topology, horizon), round.states_max, &mut random);
    let context = || format!("{} systems, seed {seed}, case {case}: {topology:#?}", round.name);
    assert_eq!(seen.is_stuck, eager.is_stuck, "{}", context());
    assert_eq!(seen.results, eager.results, "{}", context());
    *(if is_mixture { &mut counts.mixed } else { &mut counts.asked }) += 1;
    counts.asked_exhaustive += usize::from(seen.states.is_some());
    counts.asked_states += seen.states.unwrap_or(0);
}

/// Whether it would be accepted with messages at every tag.
fn accepts_always(topology: &Topology) -> bool {
    let mut topology = topology.clone();
    topology.flows.iter_mut().for_each(|flow| flow.timing = FlowTiming::Variable);
    analyse(&topology, None).accepts()
}

fn check_capacities(
    topology: &Topology,
    horizon: Tag,
    expected: &BTreeSet<Vec<Side>>,
    random: &mut Prng,
) {
    for capacity in [1, 2, 7] {
        let topology = with_capacity(topology, capacity);
        let stage = Stage::by_chance(&topology, horizon);
        let (result, is_done) = walk(&stage, random);
        assert!(is_done, "capacity {capacity}: {topology:#?}");
        assert!(expected.contains(&result), "capacity {capacity}: {topology:#?}");
    }
}

/// `cargo xtask soak flows` sets more systems and other seeds.
#[expect(clippy::disallowed_methods, reason = "how long to look is for who runs the tests to say")]
fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check_all(round: &Round, systems: u64) -> Counts {
    let seed = from_environment("CONSORT_RANDOM_SEED", 6);
    let mut counts = Counts::default();
    for case in 0..systems {
        check(round, seed, case, &mut counts);
    }
    report(&format!("{systems} {} systems from seed {seed}: {counts:?}", round.name));
    let fifth = usize::try_from(systems / 5).expect("not that many");
    assert!(fifth < counts.accepted && fifth < counts.deadlocked, "{counts:?}");
    assert!(systems / 8 < counts.events, "{counts:?}");
    counts
}

#[test]
fn the_analysis_says_what_every_order_of_everything_does() {
    let systems = from_environment("CONSORT_RANDOM_FLOWS", 200);
    let counts = check_all(&SMALL, systems);
    let most = usize::try_from(systems * 9 / 10).expect("not that many");
    assert!(most < counts.exhaustive && 0 < counts.narrowly, "{counts:?}");
}

#[test]
fn the_analysis_says_what_long_runs_in_random_orders_do() {
    let counts = check_all(&LARGE, from_environment("CONSORT_RANDOM_FLOWS", 200) / 4);
    assert_eq!(counts.exhaustive, 0);
}

#[test]
fn requests_and_announcements_change_nothing_where_most_flows_are_events() {
    let counts = check_all(&EVENTFUL, from_environment("CONSORT_RANDOM_FLOWS", 200) / 4);
    assert!(0 < counts.asked && 0 < counts.mixed, "{counts:?}");
}

#[expect(clippy::print_stderr, reason = "the count is shown with --nocapture")]
fn report(line: &str) {
    eprintln!("{line}");
}
