//! Counter-examples made simple.

use crate::support::{Growth, budget, explorer, run, space};
use consort_core::Prng;
use consort_explore::shrink::Shrunk;
use consort_explore::space::Space;
use consort_explore::strategy::{UnitTask, WorkUnit};
use consort_explore::visit::ScenarioVerdict;

fn shrunk(space: &Space, world: &Growth, prefix: &[u32], snapshots: usize) -> Option<Shrunk> {
    let task = UnitTask::Shrink { prefix: prefix.to_vec(), property: 0 };
    let mut explorer = explorer(space, world, budget(snapshots));
    explorer.work(&WorkUnit { number: 0, task }, &mut ()).expect("the world works").shrunk
}

#[test]
fn a_long_way_over_the_ceiling_becomes_the_shortest() {
    // Three times up are over the ceiling.
    let (space, world) = (space(3, None, 20), Growth::new(20, 10.0, 1e9));
    let long = [0, 2, 1, 1, 0, 1, 2, 0, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1];
    let found = shrunk(&space, &world, &long, 1000).unwrap();
    assert_eq!(found.prefix, [1, 1, 1]);
    assert_eq!((found.changes, found.is_minimal), (1, true));
    assert_eq!(found.verdicts[0], Some(false));
}

#[test]
fn a_scenario_that_does_not_violate_is_not_shrunk() {
    let (space, world) = (space(3, None, 20), Growth::new(20, 10.0, 1e9));
    assert_eq!(shrunk(&space, &world, &[0, 0, 0], 1000), None);
}

#[test]
fn snapshots_change_nothing_but_the_effort() {
    let (space, world) = (space(3, None, 20), Growth::new(20, 30.0, 1e9));
    let long: Vec<u32> = [0, 2, 1, 1, 2, 0, 1, 1, 1, 2, 1, 1, 1, 1].into();
    let found = shrunk(&space, &world, &long, 0);
    assert_eq!(found, shrunk(&space, &world, &long, 3));
    assert_eq!(found, shrunk(&space, &world, &long, 1000));
}

#[test]
fn what_is_left_stays_in_the_space_and_still_violates() {
    let seed = 17;
    let mut prng = Prng::new(seed);
    let space = space(3, Some(4), 12);
    let world = Growth::new(12, 20.0, 1e9);
    let mut shrunk_count = 0;
    for _ in 0..300 {
        let index = u128::from(prng.below(u64::try_from(space.count()).unwrap()));
        let known = run(&world, space.unrank(index));
        if known.verdict != ScenarioVerdict::Violated {
            continue;
        }
        let found = shrunk(&space, &world, &known.letters, 50).expect("it violates the property");
        assert!(space.find(&found.prefix).is_some(), "seed {seed}: {found:?}");
        let again = run(&world, found.prefix.clone());
        assert_eq!(again.verdict, ScenarioVerdict::Violated, "seed {seed}");
        assert_eq!(found.prefix, [1, 1, 1], "seed {seed}: {:?}", known.letters);
        shrunk_count += 1;
    }
    assert!(20 < shrunk_count, "{shrunk_count}");
}
