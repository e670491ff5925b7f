//! An independent tool computes the same: rtamt in its discrete time, where it means the same.

use crate::random::{Formula, SIGNALS, Taste, formula, monitor, pick};
use consort_core::{Prng, Tag, Time};
use consort_property::Reading;
use consort_testkit::python;
use serde_json::{Map, Value, json};

const SEED: u64 = 2_026_111_506;
const CASES: u64 = 1_000;
/// Longer than any formula here looks ahead.
const TIMES: usize = 60;

/// A formula at some time, so that operators that look back have something to see, and values.
fn case(number: u64) -> (Formula, Vec<[f64; SIGNALS]>) {
    let mut random = Prng::new(SEED).split(&format!("rtamt {number}"));
    let taste = Taste { is_plain: true, is_eventful: false, reach_max: 5 };
    let inner = formula(&mut random, 3, taste);
    let later = pick(&mut random, &[0, 7, 20]);
    let bounds = crate::random::Bounds(later, Some(later));
    let formula = Formula::Unary("eventually", bounds, Box::new(inner));
    let mut value = || {
        let eighths = i32::try_from(random.below(65)).unwrap();
        f64::from(eighths - 32) / 8.0
    };
    let rows = (0..TIMES).map(|_| [value(), value(), value()]).collect();
    (formula, rows)
}

fn request(formula: &Formula, rows: &[[f64; SIGNALS]]) -> Value {
    let column = |place: usize| rows.iter().map(|row| row[place]).collect::<Vec<f64>>();
    let signals: Map<String, Value> =
        (0..SIGNALS).map(|place| (format!("s{place}"), json!(column(place)))).collect();
    // rtamt spells this one with one sign more, which is understood here as well.
    let formula = formula.to_string().replace("!=", "!==");
    json!({ "formula": formula, "signals": signals })
}

#[test]
#[expect(clippy::print_stdout, reason = "a random test prints its seed")]
#[expect(clippy::float_cmp, reason = "minima and maxima are exact; rtamt has one zero only")]
fn sampled_robustness_is_that_of_rtamt() {
    println!("seed {SEED}");
    let cases: Vec<_> = (0..CASES).map(case).collect();
    let requests: Vec<Value> = cases.iter().map(|(formula, rows)| request(formula, rows)).collect();
    let answers = python::rtamt(&requests);
    let mut finite = 0;
    for ((formula, rows), answer) in cases.iter().zip(answers) {
        let expected = python::float(&answer["robustness"][0]);
        let mut monitor = monitor(formula, Reading::Sampled);
        for (time, row) in (0..).zip(rows) {
            monitor.see(Tag::at(Time::from_ticks(time)), row);
        }
        monitor.finish(Time::from_ticks(TIMES as i64 - 1));
        let found = monitor.robustness();
        assert!(found.is_exact(), "{formula}: the trace is long enough, {found:?}");
        assert_eq!(found.low, expected, "{formula} of {rows:?}");
        finite += usize::from(expected.is_finite());
    }
    assert!(CASES as usize / 2 < finite, "most of them say something: {finite}");
}
