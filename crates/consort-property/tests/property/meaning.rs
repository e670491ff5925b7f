//! What formulas mean, case by case.

use consort_core::{Report, Resolution, Seconds, Tag, Time};
use consort_property::{Interval, Property, Reading};

fn property(text: &str) -> Property {
    let mut report = Report::default();
    let property = Property::parse("property", text, &mut report);
    property.unwrap_or_else(|| panic!("{text}: {:?}", report.diagnostics()))
}

/// Values of one signal, one per second from 0 s on, and the end of the trace.
struct Case<'a> {
    reading: Reading,
    text: &'a str,
    values: &'a [f64],
    end: i64,
}

const MILLISECOND: (i64, u64) = (1, 1000);

fn resolution() -> Resolution {
    Resolution::new(Seconds::new(MILLISECOND.0, MILLISECOND.1).unwrap()).unwrap()
}

fn bounds(case: &Case) -> Interval {
    let mut monitor = property(case.text).monitor(case.reading, resolution(), Time::ZERO);
    for (second, value) in (0..).zip(case.values) {
        monitor.see(Tag::at(Time::from_ticks(second * 1000)), &[*value]);
    }
    monitor.finish(Time::from_ticks(case.end));
    monitor.robustness()
}

fn check(reading: Reading, text: &str, values: &[f64], end: i64, expected: [f64; 2]) {
    let found = bounds(&Case { reading, text, values, end });
    let expected = Interval { low: expected[0], high: expected[1] };
    assert_eq!(found, expected, "{reading:?} {text} of {values:?}");
}

const INF: f64 = f64::INFINITY;

#[test]
fn both_readings_agree_where_every_second_has_its_sample() {
    for reading in [Reading::Sampled, Reading::Dense] {
        check(reading, "always[0:2] (s.x < 5)", &[1.0, 3.0, 2.0, 9.0], 3000, [2.0, 2.0]);
        check(reading, "eventually[1:2] (s.x > 2)", &[9.0, 3.0, 2.0, 9.0], 3000, [1.0, 1.0]);
        check(reading, "s.x < 5 until[0:3] s.x > 8", &[1.0, 3.0, 9.0, 0.0], 3000, [1.0, 1.0]);
        check(
            reading,
            "eventually[3:3] once[1:2] (s.x > 8)",
            &[0.0, 9.0, 0.0, 0.0],
            3000,
            [1.0, 1.0],
        );
        check(
            reading,
            "eventually[3:3] historically[0:2] s.x < 5",
            &[9.0, 1.0, 2.0, 3.0],
            3000,
            [2.0, 2.0],
        );
    }
}

#[test]
fn what_lies_past_the_end_stays_open() {
    for reading in [Reading::Sampled, Reading::Dense] {
        check(reading, "always[0:9] (s.x < 5)", &[1.0, 3.0, 2.0], 2000, [-INF, 2.0]);
        check(reading, "eventually[0:9] (s.x > 5)", &[1.0, 3.0, 2.0], 2000, [-2.0, INF]);
        check(reading, "s.x < 4 until[0:9] s.x > 5", &[1.0, 3.0, 2.0], 2000, [-2.0, 1.0]);
        check(reading, "always[5:9] (s.x < 5)", &[1.0], 2000, [-INF, INF]);
    }
}

#[test]
fn without_an_interval_the_end_of_the_trace_is_the_end() {
    for reading in [Reading::Sampled, Reading::Dense] {
        check(reading, "always (s.x < 5)", &[1.0, 3.0, 2.0], 2000, [2.0, 2.0]);
        check(reading, "eventually (s.x > 5)", &[1.0, 3.0, 2.0], 2000, [-2.0, -2.0]);
        check(
            reading,
            "always (s.x < 2 or eventually (s.x < 2))",
            &[1.0, 3.0, 2.0],
            2000,
            [-0.0, -0.0],
        );
        check(reading, "eventually[2:inf] (s.x > 5)", &[9.0, 9.0, 2.0], 2000, [-3.0, -3.0]);
    }
}

#[test]
fn between_samples_only_the_dense_reading_has_values() {
    // No sample lies in [0.5 s, 0.7 s], but the value of 0 s still holds.
    let text = "eventually[500ms:700ms] (s.x > 1)";
    check(Reading::Sampled, text, &[3.0, 0.0], 1000, [-INF, -INF]);
    check(Reading::Dense, text, &[3.0, 0.0], 1000, [2.0, 2.0]);
}

#[test]
fn at_the_border_the_sign_of_zero_decides() {
    check(Reading::Sampled, "s.x < 3", &[3.0], 0, [-0.0, -0.0]);
    check(Reading::Sampled, "s.x <= 3", &[3.0], 0, [0.0, 0.0]);
    check(Reading::Sampled, "not s.x < 3", &[3.0], 0, [0.0, 0.0]);
    check(Reading::Sampled, "s.x == 3", &[3.0], 0, [0.0, 0.0]);
    check(Reading::Sampled, "s.x != 3", &[3.0], 0, [-0.0, -0.0]);
    check(Reading::Sampled, "s.x < 3 or s.x >= 3", &[3.0], 0, [0.0, 0.0]);
    check(Reading::Sampled, "s.x == 3", &[5.0], 0, [-2.0, -2.0]);
    check(Reading::Sampled, "s.x != 3", &[5.0], 0, [2.0, 2.0]);
}

#[test]
fn no_number_is_neither_true_nor_false() {
    check(Reading::Sampled, "s.x < 3", &[f64::NAN], 0, [-INF, INF]);
    check(Reading::Sampled, "not s.x < 3", &[f64::NAN], 0, [-INF, INF]);
    check(Reading::Sampled, "always (s.x < 3)", &[1.0, f64::NAN, 1.0], 2000, [-INF, 2.0]);
    check(Reading::Sampled, "s.x", &[f64::NAN], 0, [-INF, INF]);
    check(Reading::Sampled, "sqrt(s.x) < 3", &[-1.0], 0, [-INF, INF]);
    check(Reading::Sampled, "min(s.x, 1) < 3", &[f64::NAN], 0, [-INF, INF]);
}

#[test]
fn numbers_are_computed_before_they_are_compared() {
    for (text, expected) in [
        ("2 * s.x + 1 < 10", 5.0),
        ("-s.x^2 < 0", 4.0),
        ("10 - s.x - 3 < 6", 1.0),
        ("s.x / 4 < 1", 0.5),
        ("abs(0 - s.x) >= 1", 1.0),
        ("max(s.x, 1, 7) > min(s.x, 5)", 5.0),
        ("pow(s.x, 3) > 7", 1.0),
        ("sqrt(s.x * 8) > exp(0) - ln(1)", 3.0),
        ("sin(0) + cos(0) < s.x", 1.0),
    ] {
        check(Reading::Sampled, text, &[2.0], 0, [expected, expected]);
    }
}

#[test]
fn other_spellings_mean_the_same() {
    let values = [1.0, 3.0, 9.0, 2.0, 1.0];
    let of = |text| bounds(&Case { reading: Reading::Dense, text, values: &values, end: 4000 });
    for (text, other) in [
        ("always[0:2] (s.x < 5)", "G[0,2](s.x < 5)"),
        ("always[0:2] (s.x < 5)", "alw_[0, 2] (s.x < 5)"),
        ("always[0:2] (s.x < 5)", "globally[0s:2000ms] (s.x < 5) # two seconds"),
        ("eventually[1:3] (s.x > 8)", "F[1:3] (s.x > 8)"),
        ("eventually[1:3] (s.x > 8)", "ev_[1/1,3](s.x > 8)"),
        ("s.x < 5 until[0:3] s.x > 8", "(s.x < 5) U[0:3] (s.x > 8)"),
        ("(s.x < 5) and not (s.x > 8)", "s.x < 5 && !(s.x > 8)"),
        ("(s.x < 5) or (s.x > 8)", "s.x < 5 | s.x > 8"),
        ("(s.x < 5) implies (s.x > 8)", "s.x < 5 -> s.x > 8"),
        ("(s.x < 5) iff (s.x > 8)", "s.x < 5 <-> s.x > 8"),
        ("s.x != 5", "s.x !== 5"),
        ("s.x < 5", "\"s.x\" < 5"),
        ("always[0:60] (s.x < 5)", "always[0:1min] // a minute\n (s.x < 5)"),
    ] {
        assert_eq!(of(text), of(other), "{text} and {other}");
    }
}

#[test]
fn of_several_microsteps_the_last_counts_but_an_event_counts_at_any() {
    let tags = [(0, 0, 0.0), (1000, 0, 0.0), (1000, 1, 1.0), (1000, 2, 0.0), (2000, 0, 0.0)];
    for (text, expected) in [
        ("eventually (s.x > 0.5)", false),
        ("eventually s.x", false),
        ("eventually event(s.x)", true),
        ("eventually[1:1] event(s.x)", true),
        ("eventually[0:900ms] event(s.x)", false),
        ("eventually[1001ms:2] event(s.x)", false),
        ("eventually tick(s.x)", true),
        ("eventually[1001ms:2] tick(s.x)", false),
        ("always (not event(s.x))", false),
    ] {
        for reading in [Reading::Sampled, Reading::Dense] {
            let mut monitor = property(text).monitor(reading, resolution(), Time::ZERO);
            for (time, microstep, value) in tags {
                monitor.see(Tag { time: Time::from_ticks(time), microstep }, &[value]);
            }
            monitor.finish(Time::from_ticks(2000));
            assert_eq!(monitor.verdict(), Some(expected), "{reading:?} {text}");
        }
    }
}

/// Right behind a point in time there is no next one: what holds at the point only does not lead away.
#[test]
fn what_holds_at_a_moment_only_leads_nowhere() {
    let moment = "eventually[1:1] (event(s.x) until[0:5] not event(s.x))";
    check(Reading::Dense, moment, &[0.0, 1.0, 1.0], 9000, [-INF, -INF]);
    check(Reading::Sampled, moment, &[0.0, 1.0, 1.0], 9000, [INF, INF]);
    let back = "eventually[1:1] (event(s.x) since[0:5] not event(s.x))";
    check(Reading::Dense, back, &[0.0, 1.0, 1.0], 9000, [-INF, -INF]);
    check(Reading::Sampled, back, &[0.0, 1.0, 1.0], 9000, [INF, INF]);
}

#[test]
fn a_verdict_comes_as_soon_as_it_is_certain() {
    for (text, decided) in [
        ("always (s.x < 5)", 3),
        ("always[0:10] (s.x < 5)", 3),
        ("always[0:10] (s.x < 5 and eventually[0:9] (s.x > 100))", 3),
        ("eventually[0:10] (s.x > 5)", 3),
        ("always[0:10] (s.x > 5 implies eventually[0:1] (s.x > 50))", 4),
        ("s.x < 5 until[0:20] s.x < -1", 3),
    ] {
        let mut monitor = property(text).monitor(Reading::Sampled, resolution(), Time::ZERO);
        let values = [0.0, 1.0, 9.0, 0.0, 0.0, 0.0];
        let mut first = None;
        for (second, value) in (0..).zip(values) {
            monitor.see(Tag::at(Time::from_ticks(second * 1000)), &[value]);
            first = first.or_else(|| monitor.verdict().map(|_| second));
        }
        assert_eq!(first, Some(decided), "{text}");
    }
}

#[test]
fn scales_make_margins_comparable() {
    let mut property = property("car.speed < 120 and car.rpm < 4500");
    assert!(property.set_scale("car.speed", 120.0));
    assert!(property.set_scale("car.rpm", 4500.0));
    assert!(!property.set_scale("car.gear", 5.0) && !property.set_scale("car.rpm", 0.0));
    let mut monitor = property.monitor(Reading::Sampled, resolution(), Time::ZERO);
    monitor.see(Tag::at(Time::ZERO), &[108.0, 2250.0]);
    monitor.finish(Time::ZERO);
    assert_eq!(monitor.robustness(), Interval { low: 0.1, high: 0.1 });
}

#[test]
fn the_horizon_is_how_far_the_formula_looks() {
    let horizon = |text: &str| property(text).horizon().map(Seconds::to_f64);
    assert_eq!(horizon("s.x < 1"), Some(0.0));
    assert_eq!(horizon("always[0:10] (s.x < 1 implies eventually[0:500ms] (s.x > 1))"), Some(10.5));
    assert_eq!(horizon("eventually[0:1] (s.x < 1) or always[0:1/3] (s.x < 1)"), Some(1.0));
    assert_eq!(horizon("always[0:2] once[0:5] (s.x < 1)"), Some(2.0));
    assert_eq!(horizon("s.x until[1:4] (always[0:3] s.x)"), Some(7.0));
    assert_eq!(horizon("always (s.x < 1)"), None);
}

#[test]
fn the_start_is_the_first_time_at_or_after_the_one_asked_for() {
    let start = Time::from_ticks(1500);
    let mut monitor = property("s.x < 5").monitor(Reading::Sampled, resolution(), start);
    for (second, value) in (0..).zip([9.0, 9.0, 1.0, 9.0]) {
        monitor.see(Tag::at(Time::from_ticks(second * 1000)), &[value]);
    }
    assert_eq!(monitor.robustness(), Interval { low: 4.0, high: 4.0 });
}

#[test]
fn bytes_of_others_are_refused_and_change_nothing() {
    let of = |text: &str, reading| property(text).monitor(reading, resolution(), Time::ZERO);
    let mut monitor = of("always[0:3] eventually[0:2] (s.x < 5)", Reading::Sampled);
    (0..5).for_each(|tick| monitor.see(Tag::at(Time::from_ticks(tick * 700)), &[7.0]));
    let bytes = monitor.to_bytes();
    let mut other = of("always[0:3] eventually[0:2] (s.x < 6)", Reading::Sampled);
    let mut dense = of("always[0:3] eventually[0:2] (s.x < 5)", Reading::Dense);
    assert!(other.set_bytes(&bytes).is_err() && dense.set_bytes(&bytes).is_err());
    for end in 0..bytes.len() {
        assert!(monitor.set_bytes(&bytes[..end]).is_err(), "{end} bytes");
    }
    assert_eq!(monitor.set_bytes(b"something else"), Err("they are not those of a monitor"));
    assert_eq!(monitor.to_bytes(), bytes);
}

#[test]
fn watching_allocates_nothing_once_the_windows_are_full() {
    let text = "always (s.x < 9 implies eventually[0:20] (s.x > 1)) and \
                always (((s.x > 1) until[2:9] (s.x > 7)) or once[1:8] rise(s.x > 3) or (s.x < 3 since s.x > 8))";
    for reading in [Reading::Sampled, Reading::Dense] {
        let mut monitor = property(text).monitor(reading, resolution(), Time::ZERO);
        let mut see = |ticks: std::ops::Range<i64>| {
            for tick in ticks {
                let value = f64::from(i32::try_from(tick * 7 % 11).unwrap());
                monitor.see(Tag::at(Time::from_ticks(tick * 100)), &[value]);
                let _ = monitor.verdict();
            }
        };
        see(0..2_000);
        let counted = allocation_counter::measure(|| see(2_000..6_000));
        assert_eq!(counted.count_total, 0, "{reading:?}");
    }
}
