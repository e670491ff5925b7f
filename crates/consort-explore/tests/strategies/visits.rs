//! The depth-first visit: what it finds, and what it costs.

use crate::support::{About, Growth, PLENTY, agree, brute_force, budget, explorer, space};
use consort_explore::statistics::recomputed;
use consort_explore::strategy::{UnitTask, WorkUnit};
use consort_explore::visit::{Permit, ScenarioVerdict, WorkError};
use proptest::prelude::*;

fn all(count: u128, horizon: u32) -> WorkUnit {
    WorkUnit { number: 0, task: UnitTask::Range { horizon, first: 0, count } }
}

#[test]
fn the_tree_of_the_paper_has_its_states() {
    let world = Growth::new(2, 100.0, -1.0);
    let mut explorer = explorer(&space(2, None, 2), &world, PLENTY);
    explorer.work(&all(4, 2), &mut ()).unwrap();
    let e = libm::exp(1.0);
    let expected = [
        (vec![0], 1.0 / e),
        (vec![0, 0], 1.0 / (e * e)),
        (vec![0, 1], 1.0),
        (vec![1], e),
        (vec![1, 0], 1.0),
        (vec![1, 1], e * e),
    ];
    let visited = &explorer.world_mut().visited;
    assert_eq!(visited.len(), expected.len());
    for ((letters, x), (wanted, closed_form)) in visited.iter().zip(&expected) {
        assert_eq!(letters, wanted);
        assert!((x - closed_form).abs() < 1e-12, "{letters:?}: {x}");
    }
}

#[test]
fn with_enough_snapshots_every_node_is_simulated_once() {
    let (b, h) = (3_u64, 6_u32);
    let world = Growth::new(h, 1e9, -1.0);
    let mut explorer = explorer(&space(3, None, h), &world, PLENTY);
    let found = explorer.work(&all(3_u128.pow(h), h), &mut ()).unwrap();
    let nodes: u64 = (1..=h).map(|depth| b.pow(depth)).sum();
    let inner: u64 = (1..h).map(|depth| b.pow(depth)).sum();
    let effort = explorer.effort();
    assert_eq!(found.summary.nodes, u128::from(nodes));
    assert_eq!(effort.steps, nodes);
    assert_eq!((effort.saves, effort.restores, effort.resets), (inner, inner * (b - 1), b));
    assert_eq!((effort.snapshots, effort.bytes), (0, 0));
    assert_eq!(effort.snapshots_most, u64::from(h) - 1);
}

#[test]
fn with_few_snapshots_as_much_is_repeated_as_the_formula_says() {
    for (b, h) in [(2_u32, 9_u32), (3, 6), (5, 4)] {
        let world = Growth::new(h, 1e9, -1.0);
        let nodes: u64 = (1..=h).map(|depth| u64::from(b).pow(depth)).sum();
        for most in 0..h {
            let mut explorer = explorer(&space(b, None, h), &world, budget(most as usize));
            explorer.work(&all(u128::from(b).pow(h), h), &mut ()).unwrap();
            let expected = nodes as f64 * (1.0 + recomputed(h, b, most));
            let steps = explorer.effort().steps;
            assert!((steps as f64 - expected).abs() < 0.5, "b {b}, h {h}, {most}: {steps}");
            assert!(explorer.effort().snapshots_most <= u64::from(most));
        }
    }
}

#[test]
fn the_bytes_that_are_held_stay_within_the_budget() {
    let world = Growth::new(8, 1e9, -1.0);
    let tight = consort_explore::visit::Budget { snapshots_max: 100, bytes_max: 100 };
    let space = space(2, None, 8);
    let mut explorer = explorer(&space, &world, tight);
    let found = explorer.work(&all(256, 8), &mut ()).unwrap();
    agree(&found.summary, &brute_force(&space, &world));
    // Two snapshots of the deepest levels have 44 and 40 bytes; a third would not fit.
    assert!(explorer.effort().bytes_most <= 100 + 44);
    assert!(explorer.effort().bytes_most < 3 * 44);
}

#[test]
fn a_decided_prefix_judges_all_below_it() {
    let world = Growth::new(6, 2.0, 10.0);
    let space = space(2, None, 6);
    let mut explorer = explorer(&space, &world, PLENTY);
    let found = explorer.work(&all(64, 6), &mut ()).unwrap().summary;
    // Going up once more than down is over the ceiling: half of all begin so.
    let first = found.violations.iter().find(|outcome| outcome.prefix == [1]).unwrap();
    assert_eq!((first.index, first.count), (32, 32));
    agree(&found, &brute_force(&space, &world));
    assert!(explorer.effort().steps < 126);
    assert!(32 <= found.cut);
}

#[test]
fn a_failure_concerns_what_is_below_it_and_nothing_else() {
    let space = space(3, None, 4);
    let world = Growth { fails: Some(vec![1, 2]), ..Growth::new(4, 5.0, 0.5) };
    for most in [0, 1, 100] {
        let mut explorer = explorer(&space, &world, budget(most));
        let found = explorer.work(&all(81, 4), &mut ()).unwrap().summary;
        agree(&found, &brute_force(&space, &world));
        assert_eq!(found.tally.failed, 9);
        assert_eq!(found.failures[0].failure.as_deref(), Some("the integrator gave up"));
        assert_eq!((found.failures[0].index, found.failures[0].count), (27 + 18, 9));
    }
}

#[test]
fn an_overseer_leaves_out_or_stops() {
    let space = space(2, None, 3);
    let mut explorer = explorer(&space, &Growth::new(3, 100.0, -1.0), PLENTY);
    let reason = "it crashed twice".to_string();
    let skip = &mut About(vec![1, 0], Permit::Skip(reason.clone()));
    let found = explorer.work(&all(8, 3), skip).unwrap().summary;
    assert_eq!((found.tally.failed, found.tally.total()), (2, 8));
    assert_eq!(found.failures[0].failure.as_ref(), Some(&reason));
    let stop = &mut About(vec![1, 0], Permit::Stop);
    assert_eq!(explorer.work(&all(8, 3), stop).unwrap_err(), WorkError::Stopped);
    assert_eq!(explorer.work(&all(8, 3), &mut ()).unwrap().summary.tally.failed, 0);
}

#[test]
fn a_world_that_cannot_be_restored_is_reported() {
    let world = Growth { is_lost: true, ..Growth::new(3, 100.0, -1.0) };
    let mut explorer = explorer(&space(2, None, 3), &world, PLENTY);
    let error = explorer.work(&all(8, 3), &mut ()).unwrap_err();
    assert_eq!(error, WorkError::World("the start is gone".into()));
}

proptest! {
    #[test]
    fn ranges_add_up_to_the_whole_with_any_budget(
        letters in 1_u32..4,
        changes_max in prop::option::of(0_u32..4),
        horizon in 1_u32..6,
        ceiling in 0.5_f64..9.0,
        floor in 0.01_f64..1.1,
        cuts in prop::collection::vec(0.0_f64..1.0, 0..4),
        most in 0_usize..5,
    ) {
        let space = space(letters, changes_max, horizon);
        let world = Growth::new(horizon, ceiling, floor);
        let known = brute_force(&space, &world);
        let mut ends: Vec<u128> = cuts.iter().map(|cut| (cut * space.count() as f64) as u128).collect();
        ends.push(space.count());
        ends.sort_unstable();
        let mut explorer = explorer(&space, &world, budget(most));
        let (mut first, mut judged) = (0, 0);
        for end in ends {
            let task = UnitTask::Range { horizon, first, count: end - first };
            let found = explorer.work(&WorkUnit { number: 0, task }, &mut ()).unwrap().summary;
            let part = &known[usize::try_from(first).unwrap()..usize::try_from(end).unwrap()];
            agree(&found, part);
            judged += found.tally.total();
            for outcome in &found.violations {
                let scenario = &known[usize::try_from(outcome.index).unwrap()];
                prop_assert_eq!(scenario.verdict, ScenarioVerdict::Violated);
                prop_assert_eq!(&scenario.letters[..scenario.length], &outcome.prefix[..]);
            }
            first = end;
        }
        prop_assert_eq!(judged, space.count());
    }
}
