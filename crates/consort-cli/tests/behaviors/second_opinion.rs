//! The same lies for FMPy: where it survives and both finish a run by Co-Simulation, the values at the
//! communication points are compared. Where they differ, one of the lies must explain it; differences are
//! counted by their reasons.

use crate::judge::Judge;
use crate::tally::Finished;
use consort_testkit::liar::{Case, Function, Kind};
use consort_testkit::python;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;

/// What FMPy is asked at most; it takes longer than we do.
const CASES_MAX: usize = 20_000;

const STEPS: usize = 6;
const STEP: f64 = 0.1;

/// What FMPy said of all runs.
#[derive(Default)]
pub(crate) struct Opinions {
    endings: BTreeMap<String, u64>,
    same: u64,
    /// Runs that differ, by the reason, and one of them.
    different: BTreeMap<&'static str, (u64, String)>,
    /// Differences that nothing explains.
    pub(crate) unexpected: Vec<String>,
}

/// Asks FMPy about the runs that we finished.
pub(crate) fn ask(finished: &[Finished], judge: &Judge) -> Opinions {
    let mut opinions = Opinions::default();
    let finished = &finished[..finished.len().min(CASES_MAX)];
    let Some(first) = finished.first() else { return opinions };
    let inputs: Vec<[f64; 2]> =
        points(judge.honest(&first.case)).iter().map(|point| [point.time, point.u]).collect();
    let cases: Vec<Value> = finished
        .iter()
        .map(|it| json!({"fmu": it.case.fmu(), "lies": it.case.component()}))
        .collect();
    let request = json!({"inputs": inputs, "stop": 0.6, "step": STEP, "cases": cases});
    for (it, answer) in finished.iter().zip(answers(&request)) {
        opinions.count(it, &answer);
    }
    opinions
}

fn answers(request: &Value) -> Vec<Value> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), request.to_string()).unwrap();
    let output = python::run_script("liars.py", [file.path()]);
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    let problem = || String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}\n{}", problem()))
}

/// Values at a communication point, after all events there.
#[derive(Clone, Copy, Debug)]
struct Point {
    time: f64,
    u: f64,
    y: f64,
    n: i64,
    b: bool,
}

impl Point {
    fn agrees(&self, other: &Point) -> bool {
        let is_near = (self.y - other.y).abs() <= 1e-9 * self.y.abs().max(1.0);
        let is_same = self.y.to_bits() == other.y.to_bits() || self.y.is_nan() && other.y.is_nan();
        (is_near || is_same) && self.n == other.n && self.b == other.b
    }
}

/// The rows of a trace at communication points; a row is cut off in a text that holds a line break.
fn points(rows: &str) -> Vec<Point> {
    let rows = rows.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let float = |index: usize| cells.get(index)?.parse::<f64>().ok();
        let n = cells.get(10)?.parse().ok()?;
        Some(Point { time: float(0)?, u: float(6)?, y: float(9)?, n, b: *cells.get(11)? == "1" })
    });
    at_steps(&rows.collect::<Vec<_>>())
}

fn theirs(answer: &Value) -> Vec<Point> {
    let rows = answer["rows"].as_array().into_iter().flatten();
    let points = rows.map(|row| Point {
        time: python::float(&row[0]),
        u: 0.0,
        y: python::float(&row[1]),
        n: row[2].as_i64().unwrap_or(i64::MIN),
        b: row[3].as_bool().unwrap_or_default(),
    });
    at_steps(&points.collect::<Vec<_>>())
}

/// The last point at each multiple of the step.
fn at_steps(points: &[Point]) -> Vec<Point> {
    let last = |step: usize| {
        let time = step as f64 * STEP;
        points.iter().rfind(|point| (point.time - time).abs() < 1e-9).copied()
    };
    (0..=STEPS).filter_map(last).collect()
}

/// Why FMPy's values may differ from ours.
fn reason(case: &Case) -> Option<&'static str> {
    let reasons = case.lies.iter().filter_map(|lie| match (lie.kind, lie.function) {
        (Kind::Reset, Function::SetupExperiment) => {
            Some("parameters are reset at set-up: FMPy sets them after it, Consort before")
        }
        (Kind::Numbers | Kind::Reset | Kind::StatusInstead, _) => {
            Some("performed in the n-th call of a function, and FMPy makes other calls")
        }
        (Kind::Flag, _) if lie.argument == 1 => {
            Some("the end is asked for: FMPy ends before or after the row that we record")
        }
        (Kind::Flag | Kind::Moment, _) => {
            Some("contradictory events: FMPy handles those that a step reports, Consort also those announced")
        }
        _ => None,
    });
    reasons.min()
}

impl Opinions {
    fn count(&mut self, finished: &Finished, answer: &Value) {
        let ended = answer["ended"].as_str().unwrap_or_default();
        *self.endings.entry(ended.to_owned()).or_default() += 1;
        if ended != "done" {
            return;
        }
        let (ours, theirs) = (points(&finished.rows), theirs(answer));
        let agrees = ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|(ours, theirs)| ours.agrees(theirs));
        if agrees {
            self.same += 1;
            return;
        }
        let text = format!("{}\n  ours {ours:?}\n  FMPy {theirs:?}", finished.case);
        match reason(&finished.case) {
            Some(reason) => self.different.entry(reason).or_insert((0, text)).0 += 1,
            None => self.unexpected.push(text),
        }
    }
}

impl fmt::Display for Opinions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explained: u64 = self.different.values().map(|(count, _)| count).sum();
        let (same, unexpected) = (self.same, self.unexpected.len());
        writeln!(
            f,
            "FMPy: {:?}; {same} runs agree, {explained} differ, {unexpected} for no reason",
            self.endings
        )?;
        for (reason, (count, example)) in &self.different {
            writeln!(f, "  {count}: {reason}, as {example}")?;
        }
        Ok(())
    }
}
