//! Conclusions do not depend on who did what when.

use crate::support::{Growth, PLENTY, conclude, conclude_in_any_order, explorer, space};
use consort_core::Prng;
use consort_explore::space::Space;
use consort_explore::statistics::{Sprt, SprtOptions};
use consort_explore::strategy::{
    Deepening, DeepeningOptions, Exhaustive, ExhaustiveOptions, Goal, MonteCarlo,
    MonteCarloOptions, RandomOptions, RandomOrder, Search, SearchKind, SearchOptions, StopRule,
    Strategy, UnitResult,
};

/// All strategies, fresh.
fn strategies(space: &Space, until: StopRule) -> Vec<(&'static str, Box<dyn Strategy>)> {
    let exhaustive = ExhaustiveOptions { unit: 17, until, limit: None };
    let deepening = DeepeningOptions { unit: 17, limit: None };
    let random = RandomOptions { seed: 4, block: 23, until, limit: Some(500) };
    let test = Sprt::new(SprtOptions { p_low: 0.1, p_high: 0.2, alpha: 0.01, beta: 0.01 });
    let draws = |goal: Goal| MonteCarloOptions { seed: 9, unit: 13, goal };
    let search = |kind: SearchKind| SearchOptions {
        seed: 2,
        kind,
        children_max: Some(2),
        unit: 3,
        until,
        nodes_max: 400,
        merge_equal: true,
    };
    let best_first = search(SearchKind::BestFirst { batch: 10, frontier_max: 50 });
    vec![
        ("exhaustive", Box::new(Exhaustive::new(space, exhaustive))),
        ("deepening", Box::new(Deepening::new(space, deepening))),
        ("random", Box::new(RandomOrder::new(space, random))),
        ("count", Box::new(MonteCarlo::new(draws(Goal::Count { count: 200, delta: 0.05 })))),
        ("sprt", Box::new(MonteCarlo::new(draws(Goal::Sprt { test, count_max: 5000 })))),
        ("best-first", Box::new(Search::new(space, best_first))),
        ("beam", Box::new(Search::new(space, search(SearchKind::Beam { width: 7 })))),
    ]
}

#[test]
fn any_order_of_arrival_gives_the_same_conclusion() {
    let space = space(3, None, 6);
    for until in [StopRule::Complete, StopRule::Violations(3)] {
        for ceiling in [5.0, 30.0, 1e9] {
            let world = Growth { fails: Some(vec![1, 2, 0]), ..Growth::new(6, ceiling, 0.9) };
            let straight = strategies(&space, until);
            for (place, (name, mut straight)) in straight.into_iter().enumerate() {
                let expected = conclude(&mut *straight, &mut explorer(&space, &world, PLENTY));
                for seed in 0..8 {
                    let mut shuffled = strategies(&space, until).swap_remove(place).1;
                    let mut prng = Prng::new(seed);
                    let found = conclude_in_any_order(&mut *shuffled, &space, &world, &mut prng);
                    let context = format!("{name}, ceiling {ceiling}, {until:?}, seed {seed}");
                    assert_eq!(found, expected, "{context}");
                    assert_eq!(shuffled.summary(), straight.summary(), "{context}");
                    assert_eq!(shuffled.progress(), straight.progress(), "{context}");
                }
            }
        }
    }
}

#[test]
fn results_of_before_bring_a_strategy_to_where_it_was() {
    let space = space(3, None, 6);
    let world = Growth::new(6, 30.0, 0.9);
    for (place, (name, mut first)) in strategies(&space, StopRule::Complete).into_iter().enumerate()
    {
        // Every second result reached the journal before the campaign was killed.
        let mut worker = explorer(&space, &world, PLENTY);
        let mut journal: Vec<Option<UnitResult>> = Vec::new();
        while first.conclusion().is_none() {
            for unit in first.offer(3) {
                let result = worker.work(&unit, &mut ()).unwrap();
                journal.push((unit.number % 2 == 0).then(|| result.clone()));
                first.absorb(&unit, result);
            }
        }
        let mut second = strategies(&space, StopRule::Complete).swap_remove(place).1;
        while second.conclusion().is_none() {
            for unit in second.offer(1) {
                let known = journal[usize::try_from(unit.number).unwrap()].take();
                let result = known.unwrap_or_else(|| worker.work(&unit, &mut ()).unwrap());
                second.absorb(&unit, result);
            }
        }
        assert_eq!(second.conclusion(), first.conclusion(), "{name}");
        assert_eq!(second.summary(), first.summary(), "{name}");
    }
}

#[test]
fn another_seed_gives_another_order() {
    let (space, world) = (space(3, None, 6), Growth::new(6, 30.0, 0.9));
    let first = |seed: u64| {
        let options = RandomOptions { seed, block: 5, until: StopRule::Violations(1), limit: None };
        let mut strategy = RandomOrder::new(&space, options);
        conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        strategy.summary().violations[0].index
    };
    assert!((1..6).any(|seed| first(seed) != first(0)));
}
