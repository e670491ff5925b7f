//! Best-first and beam search.

use crate::support::{Growth, PLENTY, agree, brute_force, budget, conclude, explorer, space};
use consort_explore::strategy::{
    Conclusion, Search, SearchKind, SearchOptions, StopRule, Strategy,
};

fn options(kind: SearchKind) -> SearchOptions {
    SearchOptions {
        seed: 3,
        kind,
        children_max: None,
        unit: 4,
        until: StopRule::Violations(1),
        nodes_max: 100_000,
        merge_equal: false,
    }
}

const BEST_FIRST: SearchKind = SearchKind::BestFirst { batch: 8, frontier_max: 100_000 };

#[test]
fn a_search_with_room_for_everything_is_complete() {
    let (space, world) = (space(3, Some(3), 6), Growth::new(6, 10.0, 0.2));
    for kind in [BEST_FIRST, SearchKind::Beam { width: 1000 }] {
        let options = SearchOptions { until: StopRule::Complete, ..options(kind) };
        let mut strategy = Search::new(&space, options);
        let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        assert_eq!(conclusion, Conclusion::Complete);
        agree(strategy.summary(), &brute_force(&space, &world));
    }
}

#[test]
fn robustness_leads_to_a_rare_violation() {
    // One scenario of 2^30 goes up all the time.
    let space = space(2, None, 30);
    let world = Growth::new(30, libm::exp(29.5), 1e30);
    for kind in [BEST_FIRST, SearchKind::Beam { width: 5 }] {
        let mut strategy = Search::new(&space, options(kind));
        let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        assert_eq!(conclusion, Conclusion::Violations);
        let found = strategy.summary();
        assert_eq!(found.violations[0].index, space.count() - 1);
        assert!(found.nodes < 1000, "{}", found.nodes);
    }
}

#[test]
fn what_is_kept_changes_the_effort_only() {
    let (space, world) = (space(3, None, 12), Growth::new(12, 1e9, -1.0));
    let search = |most: usize| {
        let kind = SearchKind::BestFirst { batch: 4, frontier_max: 10_000 };
        let options = SearchOptions { nodes_max: 600, ..options(kind) };
        let mut strategy = Search::new(&space, options);
        let mut worker = explorer(&space, &world, budget(most));
        let conclusion = conclude(&mut strategy, &mut worker);
        assert!(worker.effort().snapshots_most <= most as u64);
        (worker.effort().steps, (conclusion, strategy.summary().clone()))
    };
    let (all, found) = search(1000);
    let (some, same) = search(16);
    let (none, again) = search(0);
    assert_eq!(found, same);
    assert_eq!(found, again);
    assert!(all < some && some < none, "{all}, {some}, {none}");
    // One snapshot per expanded node: a node is at most one period from what is kept.
    assert!(all as f64 <= 1.5 * found.1.nodes as f64, "{all} of {}", found.1.nodes);
}

#[test]
fn a_narrow_search_says_that_it_left_something_out() {
    let (space, world) = (space(3, None, 6), Growth::new(6, 1e9, 1e9));
    let options = SearchOptions { children_max: Some(2), ..options(SearchKind::Beam { width: 3 }) };
    let mut strategy = Search::new(&space, options);
    let conclusion = conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
    assert_eq!(conclusion, Conclusion::Exhausted);
    // Two nodes, then four, then twice three.
    assert_eq!(strategy.summary().nodes, 2 + 4 + 6 * 4);
    let limited = SearchOptions { nodes_max: 10, ..options };
    let mut strategy = Search::new(&space, limited);
    let conclusion = conclude_again(&mut strategy, &space, &world);
    assert_eq!(conclusion, Conclusion::Limit);
}

fn conclude_again(
    strategy: &mut Search,
    space: &consort_explore::space::Space,
    world: &Growth,
) -> Conclusion {
    conclude(strategy, &mut explorer(space, world, PLENTY))
}

#[test]
fn nodes_with_equal_futures_are_expanded_once() {
    // Ups and downs commute, and without a property that remembers there are few different nodes.
    let (space, world) = (space(2, None, 16), Growth::new(16, 1e9, 1e9));
    let nodes = |merge_equal: bool| {
        let kind = SearchKind::Beam { width: 10_000 };
        let options = SearchOptions { merge_equal, until: StopRule::Complete, ..options(kind) };
        let mut strategy = Search::new(&space, options);
        conclude(&mut strategy, &mut explorer(&space, &world, PLENTY));
        strategy.summary().nodes
    };
    assert!(nodes(true) < nodes(false) / 10, "{} of {}", nodes(true), nodes(false));
}
