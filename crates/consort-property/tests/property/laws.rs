//! What holds for every formula and every trace.

use crate::brute::World;
use crate::random::{Formula, Taste, Trace, formula, monitor, trace};
use consort_core::Prng;
use consort_property::{Interval, PropertyMonitor, Reading};

const SEED: u64 = 2_026_111_505;
const CASES: u64 = 1_000;

/// Calls with random formulas and traces.
#[expect(clippy::print_stdout, reason = "a random test prints its seed")]
fn each_case(name: &str, mut check: impl FnMut(&Formula, &Trace, &mut Prng)) {
    println!("seed {SEED}");
    for case in 0..CASES {
        let mut random = Prng::new(SEED).split(&format!("{name} {case}"));
        let taste = Taste { is_plain: false, is_eventful: case % 2 == 1, reach_max: 5 };
        let formula = formula(&mut random, 3, taste);
        let trace = trace(&mut random, 10);
        check(&formula, &trace, &mut random);
    }
}

fn agrees_with_the_definitions(reading: Reading) {
    let is_dense = reading == Reading::Dense;
    each_case(reading.name(), |formula, trace, _| {
        let mut monitor = monitor(formula, reading);
        for (row, (tag, values)) in trace.rows.iter().enumerate() {
            monitor.see(*tag, values);
            let expected = World::after(trace, row + 1, is_dense).robustness(formula);
            assert_eq!(monitor.robustness(), expected, "{formula} after row {row} of {trace:?}");
        }
        monitor.finish(trace.end);
        let expected = World::whole(trace, is_dense).robustness(formula);
        assert_eq!(monitor.robustness(), expected, "{formula} of {trace:?}");
    });
}

#[test]
fn sampled_robustness_is_what_the_definitions_say() {
    agrees_with_the_definitions(Reading::Sampled);
}

#[test]
fn dense_robustness_is_what_the_definitions_say() {
    agrees_with_the_definitions(Reading::Dense);
}

fn is_inside(inner: Interval, outer: Interval) -> bool {
    outer.low.total_cmp(&inner.low).is_le() && inner.high.total_cmp(&outer.high).is_le()
}

#[test]
fn what_is_known_becomes_tighter_and_a_verdict_stays() {
    for reading in [Reading::Sampled, Reading::Dense] {
        each_case("tighter", |formula, trace, _| {
            let mut monitor = monitor(formula, reading);
            let (mut bounds, mut verdict) = (monitor.robustness(), None);
            for (tag, values) in &trace.rows {
                monitor.see(*tag, values);
                check_tighter(&monitor, &mut bounds, &mut verdict, formula);
            }
            monitor.finish(trace.end);
            check_tighter(&monitor, &mut bounds, &mut verdict, formula);
            assert_eq!(monitor.verdict(), bounds.verdict(), "{formula}: at the end they agree");
        });
    }
}

fn check_tighter(
    monitor: &PropertyMonitor,
    bounds: &mut Interval,
    verdict: &mut Option<bool>,
    formula: &Formula,
) {
    let now = monitor.robustness();
    assert!(is_inside(now, *bounds), "{formula}: {now:?} in {bounds:?}");
    let decided = monitor.verdict();
    assert!(verdict.is_none() || decided == *verdict, "{formula}: it stays decided");
    assert!(decided.is_none() || decided == now.verdict(), "{formula}: never before it is certain");
    (*bounds, *verdict) = (now, decided);
}

#[test]
fn a_restored_monitor_continues_as_one_that_was_never_saved() {
    for reading in [Reading::Sampled, Reading::Dense] {
        each_case("restored", |formula, trace, random| {
            let at = usize::try_from(random.below(trace.rows.len() as u64)).unwrap();
            let (mut plain, mut restored) = (monitor(formula, reading), monitor(formula, reading));
            for (row, (tag, values)) in trace.rows.iter().enumerate() {
                if row == at {
                    let bytes = plain.to_bytes();
                    restored.set_bytes(&bytes).unwrap();
                    assert_eq!(restored.to_bytes(), bytes, "{formula}");
                }
                plain.see(*tag, values);
                if at <= row {
                    restored.see(*tag, values);
                    assert_eq!(restored.robustness(), plain.robustness(), "{formula}");
                }
            }
            assert_eq!(restored.to_bytes(), plain.to_bytes(), "{formula}");
            let mut copy = plain.clone();
            for monitor in [&mut plain, &mut restored, &mut copy] {
                monitor.finish(trace.end);
            }
            assert_eq!(restored.to_bytes(), plain.to_bytes(), "{formula}");
            assert_eq!(copy.robustness(), plain.robustness(), "{formula}");
        });
    }
}

#[test]
fn what_comes_cannot_leave_the_bounds() {
    each_case("bounds", |formula, trace, random| {
        let rows = 1 + usize::try_from(random.below(trace.rows.len() as u64)).unwrap();
        let mut monitor = monitor(formula, Reading::Dense);
        trace.rows[..rows].iter().for_each(|(tag, values)| monitor.see(*tag, values));
        let bounds = monitor.robustness();
        let end = World::whole(trace, true).robustness(formula);
        assert!(is_inside(end, bounds), "{formula}: {end:?} in {bounds:?}");
    });
}

#[test]
fn damaged_properties_and_bytes_are_refused_without_a_panic() {
    consort_testkit::fuzz::drive("property", consort_property::fuzz::property, 5_000);
}
