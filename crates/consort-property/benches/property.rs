//! What watching a property costs beside rtamt, in nanoseconds per sample and as ratios.
//!
//! rtamt evaluates each formula at every time: online by its `update` with the formula made to look back,
//! offline by its `evaluate` over the whole trace. Ours evaluates the same at every time, as the operand of
//! `always`. Best of several rounds: the least disturbed one.
//!
//! ```sh
//! cargo bench -p consort-property
//! ```

use consort_core::{Prng, Report, Resolution, Seconds, Tag, Time};
use consort_property::{Property, Reading};
use consort_testkit::python;
use serde_json::{Value, json};
use std::time::Instant;

const SAMPLES: usize = 20_000;
const ROUNDS: usize = 50;
const FORMULAS: [&str; 5] = [
    "(s0 < 1)",
    "(always[0:10] (s0 < 1))",
    "((s0 < 1) implies (eventually[0:50] (s1 > 0)))",
    "((s0 < 1) until[5:50] (s1 > 3))",
    "((once[0:100] (s2 > 1)) and (historically[0:10] (s0 < 3)))",
];

#[expect(clippy::print_stdout, reason = "a benchmark's data are its figures")]
fn main() {
    let rows = rows();
    let online = rtamt(&rows, true);
    let offline = rtamt(&rows, false);
    println!("nanoseconds per sample; ratios of rtamt to the sampled reading");
    println!(
        "{:>8} {:>8} {:>8} {:>8} {:>7} {:>7}  formula",
        "online", "offline", "sampled", "dense", "online", "offline"
    );
    for (place, formula) in FORMULAS.iter().enumerate() {
        let [sampled, dense] =
            [Reading::Sampled, Reading::Dense].map(|it| ours(formula, it, &rows));
        println!(
            "{:>8.0} {:>8.0} {:>8.1} {:>8.1} {:>7.0} {:>7.0}  {formula}",
            online[place],
            offline[place],
            sampled,
            dense,
            online[place] / sampled,
            offline[place] / sampled
        );
    }
}

fn rows() -> Vec<[f64; 3]> {
    let mut random = Prng::new(7);
    let mut value = || random.next_f64() * 8.0 - 4.0;
    (0..SAMPLES).map(|_| [value(), value(), value()]).collect()
}

/// By formula.
fn rtamt(rows: &[[f64; 3]], online: bool) -> Vec<f64> {
    let column = |place: usize| rows.iter().map(|row| row[place]).collect::<Vec<f64>>();
    let signals = json!({ "s0": column(0), "s1": column(1), "s2": column(2) });
    let request = |formula: &&str| json!({ "formula": formula, "signals": signals, "online": online, "repeats": 3 });
    let requests: Vec<Value> = FORMULAS.iter().map(request).collect();
    let seconds = |answer: Value| answer["seconds"].as_f64().expect("a number of seconds");
    python::rtamt(&requests).into_iter().map(|answer| per_sample(seconds(answer))).collect()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn ours(formula: &str, reading: Reading, rows: &[[f64; 3]]) -> f64 {
    let mut report = Report::default();
    let text = format!("always {formula}");
    let property = Property::parse("bench", &text, &mut report).expect("a good property");
    let place = |name: &String| ["s0", "s1", "s2"].iter().position(|known| known == name);
    let places: Vec<usize> = property.signals().iter().filter_map(place).collect();
    let pick = |row: &[f64; 3]| places.iter().map(|place| row[*place]).collect();
    let rows: Vec<Vec<f64>> = rows.iter().map(pick).collect();
    let second = Resolution::new(Seconds::new(1, 1).expect("a second")).expect("it is positive");
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut monitor = property.monitor(reading, second, Time::ZERO);
        let started = Instant::now();
        for (time, row) in (0..).zip(&rows) {
            monitor.see(Tag::at(Time::from_ticks(time)), row);
        }
        monitor.finish(Time::ZERO);
        best = best.min(started.elapsed().as_secs_f64());
    }
    per_sample(best)
}

fn per_sample(seconds: f64) -> f64 {
    seconds * 1e9 / SAMPLES as f64
}
