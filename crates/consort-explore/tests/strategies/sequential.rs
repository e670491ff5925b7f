//! Strategies that go through the space in an order: exhaustive, deepening, random, Monte Carlo.

use crate::support::{Growth, PLENTY, agree, brute_force, conclude, explorer, space};
use consort_explore::statistics::{Sprt, SprtOptions, clopper_pearson};
use consort_explore::strategy::{
    Conclusion, Deepening, DeepeningOptions, Exhaustive, ExhaustiveOptions, Goal, MonteCarlo,
    MonteCarloOptions, RandomOptions, RandomOrder, StopRule, Strategy, UnitTask, unit_of,
};
use consort_explore::visit::ScenarioVerdict;

#[test]
fn everything_is_visited() {
    let (space, world) = (space(3, Some(3), 7), Growth::new(7, 9.0, 0.2));
    let options = ExhaustiveOptions { unit: 50, until: StopRule::Complete, limit: None };
    let mut strategy = Exhaustive::new(&space, options);
    let mut explorer = explorer(&space, &world, PLENTY);
    assert_eq!(conclude(&mut strategy, &mut explorer), Conclusion::Complete);
    agree(strategy.summary(), &brute_force(&space, &world));
    let progress = strategy.progress();
    assert_eq!((progress.done, progress.total), (space.count(), Some(space.count())));
    assert!(strategy.offer(10).is_empty());
}

#[test]
fn every_node_is_counted_once_however_the_space_is_cut() {
    let (space, world) = (space(3, None, 5), Growth::new(5, 1e9, -1.0));
    for unit in [1, 7, 30, 81, 1000] {
        let options = ExhaustiveOptions { unit, until: StopRule::Complete, limit: None };
        let mut strategy = Exhaustive::new(&space, options);
        conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        assert_eq!(strategy.summary().nodes, 3 + 9 + 27 + 81 + 243, "units of {unit}");
    }
}

#[test]
fn units_end_where_short_prefixes_do() {
    let space = space(5, None, 6);
    let options = ExhaustiveOptions { unit: 700, until: StopRule::Complete, limit: None };
    let units = Exhaustive::new(&space, options).offer(1000);
    let counts: Vec<u128> = units
        .iter()
        .map(|unit| match unit.task {
            UnitTask::Range { count, .. } => count,
            _ => 0,
        })
        .collect();
    assert_eq!(counts.iter().sum::<u128>(), space.count());
    assert!(counts.iter().all(|count| *count == 625), "{counts:?}");
}

#[test]
fn the_first_violation_is_the_one_with_the_least_index() {
    let (space, world) = (space(3, None, 6), Growth::new(6, 10.0, 10.0));
    let known = brute_force(&space, &world);
    let least = known.iter().position(|known| known.verdict == ScenarioVerdict::Violated).unwrap();
    for unit in [1, 10, 1000] {
        let options = ExhaustiveOptions { unit, until: StopRule::Violations(1), limit: None };
        let mut strategy = Exhaustive::new(&space, options);
        let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        assert_eq!(conclusion, Conclusion::Violations);
        assert_eq!(strategy.summary().violations[0].index, least as u128);
    }
}

#[test]
fn a_limit_keeps_the_first_scenarios() {
    let (space, world) = (space(3, None, 6), Growth::new(6, 10.0, 0.2));
    let options = ExhaustiveOptions { unit: 40, until: StopRule::Complete, limit: Some(300) };
    let mut strategy = Exhaustive::new(&space, options);
    let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
    assert_eq!(conclusion, Conclusion::Limit);
    agree(strategy.summary(), &brute_force(&space, &world)[..300]);
}

#[test]
fn deepening_finds_the_shortest_counter_example() {
    for ceiling in [2.0, 5.0, 12.0, 40.0] {
        let (space, world) = (space(3, None, 7), Growth::new(7, ceiling, 10.0));
        let known = brute_force(&space, &world);
        let violated = known.iter().filter(|known| known.verdict == ScenarioVerdict::Violated);
        let shortest = violated.map(|known| known.length).min().unwrap();
        let options = DeepeningOptions { unit: 20, limit: None };
        let mut strategy = Deepening::new(&space, options);
        let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        assert_eq!(conclusion, Conclusion::Violations);
        let found = &strategy.summary().violations[0];
        assert_eq!(found.prefix.len(), shortest);
        assert_eq!(space.first_below(&found.prefix), Some(found.index));
        assert_eq!(strategy.progress().depth, Some(u32::try_from(shortest).unwrap()));
    }
}

#[test]
fn deepening_ends_with_the_horizon_or_when_all_is_decided() {
    let space = space(2, None, 6);
    let options = DeepeningOptions { unit: 20, limit: None };
    // Never violated, known only at the end.
    let mut strategy = Deepening::new(&space, options);
    let mut worker = explorer(&space, &Growth::new(6, 1e9, 1e9), PLENTY);
    assert_eq!(conclude(&mut strategy, &mut worker), Conclusion::Complete);
    assert_eq!((strategy.summary().tally.holds, strategy.progress().depth), (64, Some(6)));
    // The cost of beginning anew is that of a geometric series.
    assert!(strategy.summary().nodes <= 2 * 126);
    let limited = DeepeningOptions { unit: 20, limit: Some(10) };
    let mut strategy = Deepening::new(&space, limited);
    assert_eq!(conclude(&mut strategy, &mut worker), Conclusion::Limit);
    assert_eq!(strategy.progress().depth, Some(3));
}

#[test]
fn a_random_order_visits_everything_once_and_omits_less_and_less() {
    let (space, world) = (space(3, None, 6), Growth::new(6, 10.0, 0.2));
    let options = RandomOptions { seed: 5, block: 100, until: StopRule::Complete, limit: None };
    let mut strategy = RandomOrder::new(&space, options);
    let mut worker = explorer(&space, &world, PLENTY);
    let mut omission = strategy.progress().omission.unwrap();
    assert!(1.0 <= omission);
    while strategy.conclusion().is_none() {
        for unit in strategy.offer(1) {
            let result = worker.work(&unit, &mut ()).unwrap();
            strategy.absorb(&unit, result);
        }
        let progress = strategy.progress();
        let expected = 1.0 - progress.done as f64 / 729.0;
        assert!((progress.omission.unwrap() - expected).abs() < 1e-12);
        assert!(progress.omission.unwrap() < omission);
        omission = progress.omission.unwrap();
    }
    assert_eq!(strategy.conclusion(), Some(Conclusion::Complete));
    assert!(omission <= 0.0);
    agree(strategy.summary(), &brute_force(&space, &world));
}

#[test]
fn random_blocks_share_prefixes() {
    let (space, world) = (space(2, None, 12), Growth::new(12, 1e9, -1.0));
    let effort = |block: u64| {
        let options =
            RandomOptions { seed: 5, block, until: StopRule::Complete, limit: Some(1024) };
        let mut worker = explorer(&space, &world, PLENTY);
        conclude(&mut RandomOrder::new(&space, options), &mut worker);
        worker.effort().steps
    };
    assert_eq!(effort(1), 12 * 1024);
    assert!(effort(1024) < 5 * 1024, "{}", effort(1024));
}

#[test]
fn draws_say_where_the_probability_lies() {
    let (space, world) = (space(3, None, 6), Growth::new(6, 10.0, 10.0));
    let known = brute_force(&space, &world);
    let violated = known.iter().filter(|known| known.verdict == ScenarioVerdict::Violated).count();
    let truth = violated as f64 / known.len() as f64;
    let goal = Goal::Count { count: 2000, delta: 1e-6 };
    let options = MonteCarloOptions { seed: 11, unit: 64, goal };
    let mut strategy = MonteCarlo::new(options);
    let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
    assert_eq!(conclusion, Conclusion::Limit);
    let estimate = strategy.progress().estimate.unwrap();
    assert!(estimate.low < truth && truth < estimate.high, "{estimate:?}, {truth}");
    let seen = u64::try_from(strategy.summary().tally.violated).unwrap();
    let (low, high) = clopper_pearson(seen, 2000, 1e-6);
    assert!(low.total_cmp(&estimate.low).is_eq() && high.total_cmp(&estimate.high).is_eq());
}

#[test]
fn what_failed_widens_the_estimate_upwards() {
    let space = space(2, None, 3);
    let world = Growth { fails: Some(vec![1]), ..Growth::new(3, 100.0, 10.0) };
    let goal = Goal::Count { count: 500, delta: 0.01 };
    let options = MonteCarloOptions { seed: 1, unit: 100, goal };
    let mut strategy = MonteCarlo::new(options);
    conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
    let estimate = strategy.progress().estimate.unwrap();
    assert!(estimate.low <= 0.0 && 0.5 < estimate.high, "{estimate:?}");
}

#[test]
fn a_sequential_test_stops_at_the_draw_that_decides_whatever_the_units() {
    let (space, world) = (space(2, None, 6), Growth::new(6, 10.0, 10.0));
    let options = SprtOptions { p_low: 0.05, p_high: 0.1, alpha: 0.01, beta: 0.01 };
    let test = Sprt::new(options);
    let conclusion = |unit: u64, seed: u64| {
        let goal = Goal::Sprt { test, count_max: 100_000 };
        let options = MonteCarloOptions { seed, unit, goal };
        let mut strategy = MonteCarlo::new(options);
        let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        (conclusion, strategy.summary().tally)
    };
    for seed in 0..20 {
        let (first, tally) = conclusion(1, seed);
        // 17 of 64 scenarios go up three times more than down.
        assert_eq!(first, Conclusion::Rejected);
        let (bad, drawn) = (tally.violated as u64, tally.total() as u64);
        assert!(test.decide(bad, drawn).is_some() && test.decide(bad - 1, drawn - 1).is_none());
        for unit in [3, 64, 1000] {
            assert_eq!(conclusion(unit, seed), (first, tally), "seed {seed}, units of {unit}");
        }
    }
}

#[test]
fn rare_violations_are_shown_to_be_rare_or_met() {
    let space = space(2, None, 6);
    let conclusion = |ceiling: f64| {
        let goal = Goal::ZeroFailures { epsilon: 0.01, delta: 0.01 };
        let options = MonteCarloOptions { seed: 3, unit: 50, goal };
        let mut strategy = MonteCarlo::new(options);
        let world = Growth::new(6, ceiling, 1e9);
        let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        (conclusion, strategy.summary().tally.total())
    };
    assert_eq!(conclusion(1e9), (Conclusion::Accepted, 459));
    let (rejected, draws) = conclusion(10.0);
    assert_eq!(rejected, Conclusion::Rejected);
    assert!(draws < 50, "{draws}");
}

#[test]
fn units_are_neither_tiny_nor_huge() {
    assert_eq!([unit_of(1), unit_of(25_600), unit_of(u128::MAX)], [1, 100, 4096]);
}
