//! Who runs ahead of whom: never farther than the analysis says, and in simple systems just as far.

use crate::explorer::explore_each;
use crate::support::{
    Recipe, flow, milliseconds, random_topology, tag, timed, topology, with_capacity,
};
use crate::world::{Stage, World};
use consort_core::{NodeId, Prng, Tag, Time};
use consort_federation::flow::FlowKind::{Observation, State};
use consort_federation::flow::{Analysis, Buffer, Topology, analyse};

/// Looks whether a state keeps within the bounds.
fn assert_within(stage: &Stage<'_>, world: &World, analysis: &Analysis) {
    for buffer in &analysis.buffers {
        let kept = stage.kept(world, buffer.flow, buffer.sink);
        assert!(kept <= buffer.used_max as usize, "{kept} {buffer:?} {:#?}", stage.topology);
    }
    let place = |node| world.position(node, stage.horizon).time;
    for node in (0..stage.topology.nodes.len()).map(NodeId::from_index) {
        let bounds = (0..).map(NodeId).zip(analysis.ahead.of(node));
        for (other, bound) in bounds {
            let ahead = place(node) - place(other);
            let bound = bound.expect("the end of the run is a bound");
            assert!(ahead <= bound, "{node:?} {other:?} {ahead:?} {bound:?} {:#?}", stage.topology);
        }
    }
}

#[test]
fn no_state_of_random_systems_passes_the_bounds() {
    let seed = 7;
    let recipe = Recipe {
        nodes: 2..4,
        flows: 1..5,
        firsts: 0..4,
        periods: 1..4,
        microsteps: 2,
        events: 2,
        states: 3,
    };
    let mut looked_at = 0;
    for case in 0..200 {
        let mut random = Prng::new(seed).split(&format!("ahead {case}"));
        let topology = random_topology(&mut random, &recipe);
        let horizon = tag(6, 1);
        let analysis = analyse(&topology, Some(horizon));
        let stage = Stage::by_chance(&topology, horizon);
        let look = |world: &World| {
            looked_at += 1;
            assert_within(&stage, world, &analysis);
        };
        // Those with too many states are looked at in part.
        let _ = explore_each(&stage, 1000, look);
    }
    assert!(10_000 < looked_at, "{looked_at}");
}

/// The farthest that the first node is ahead of the second, and the most that any buffer holds.
fn farthest(topology: &Topology, horizon: Tag) -> (i64, usize) {
    let stage = Stage::by_chance(topology, horizon);
    let analysis = analyse(topology, Some(horizon));
    let (mut ahead, mut kept) = (0, 0);
    let look = |world: &World| {
        let place = |node| world.position(NodeId(node), horizon).time;
        ahead = ahead.max((place(0) - place(1)).ticks());
        let buffers = analysis.buffers.iter();
        let fullest = buffers.map(|buffer| stage.kept(world, buffer.flow, buffer.sink)).max();
        kept = kept.max(fullest.unwrap_or(0));
    };
    explore_each(&stage, 1_000_000, look).expect("few states");
    (ahead, kept)
}

#[test]
fn a_source_runs_ahead_as_far_as_the_capacity_lets_it() {
    for capacity in [1, 2, 5] {
        let one_way = with_capacity(&topology(vec![flow("f", 0, &[1], State)]), capacity);
        let bound = analyse(&one_way, None).ahead.of(NodeId(0))[1].expect("it is bound");
        // A message is being emitted while as many as there is room for wait.
        let (ahead, kept) = farthest(&one_way, tag(20, 0));
        assert_eq!((ahead, kept), (i64::from(capacity), capacity as usize));
        assert_eq!(bound.ticks(), i64::from(capacity) + 1);
    }
}

#[test]
fn a_flow_back_keeps_both_ends_together() {
    let mut flows = vec![flow("there", 0, &[1], State), timed(flow("back", 1, &[0], State), 0, 2)];
    flows.iter_mut().for_each(|flow| flow.capacity = 64);
    let topology = topology(flows);
    let analysis = analyse(&topology, None);
    assert_eq!(analysis.ahead.of(NodeId(0))[1].map(Time::ticks), Some(2));
    let there = topology.flow("there").expect("a flow");
    let used = analysis.buffers.iter().find(|buffer| buffer.flow == there);
    let expected = Buffer { flow: there, sink: NodeId(1), capacity: 64, used_max: 3 };
    assert_eq!(used, Some(&expected));
    assert_eq!(farthest(&topology, tag(8, 0)), (2, 3));
}

#[test]
fn an_analysis_reads_well() {
    let flows = vec![
        timed(flow("position", 0, &[1, 2], State), 0, 10),
        timed(flow("image", 1, &[2], Observation), 0, 50),
        timed(flow("thrust", 2, &[0], State), 0, 20),
    ];
    let mut topology = with_capacity(&topology(flows), 8);
    topology.nodes = ["plane", "camera", "pilot"].map(str::to_owned).to_vec();
    insta::assert_snapshot!(analyse(&topology, None).render(&topology, milliseconds()), @r"
    buffers
      image at pilot: 1 of 8 used at most
      position at camera: 8 of 8 used at most
      position at pilot: 3 of 8 used at most
      thrust at plane: 1 of 8 used at most
    ahead of others at most
      plane of camera: 0.07 s
      plane of pilot: 0.02 s
      camera of plane: 0.01 s
      camera of pilot: 0.03 s
      pilot of plane: 0.01 s
      pilot of camera: 0.05 s
    no flow waits for itself: every run comes to its end
    ");
    topology.flows[2].kind = Observation;
    topology.flows[1].kind = Observation;
    insta::assert_snapshot!(analyse(&topology, None).render(&topology, milliseconds()), @r"
    buffers
      image at pilot: 1 of 8 used at most
      position at camera: 8 of 8 used at most
      position at pilot: 3 of 8 used at most
      thrust at plane: 1 of 8 used at most
    ahead of others at most
      plane of camera: 0.07 s
      plane of pilot: 0.02 s
      camera of plane: 0.01 s
      camera of pilot: 0.03 s
      pilot of plane: 0.01 s
      pilot of camera: 0.05 s
    flows that wait for each other
      at 0 s: `position` (plane to pilot) -> `thrust` (pilot to plane) -> `position`
    ");
}
