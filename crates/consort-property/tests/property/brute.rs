//! The meaning of formulas, straight from the definitions: every position, every window, every way
//! through it. Positions are half ticks: even ones are points in time, odd ones the open intervals
//! between them.

use crate::random::{Bounds, Formula, SIGNALS, Trace};
use consort_core::Time;
use consort_property::Interval;

/// What was seen of a trace.
pub(crate) struct World {
    samples: Vec<Sample>,
    /// Positions before this one are known.
    known: i64,
    /// Nothing follows: what has no end of its own ends here.
    is_over: bool,
    is_dense: bool,
}

struct Sample {
    at: i64,
    values: [f64; SIGNALS],
    changed: [bool; SIGNALS],
    ticked: [bool; SIGNALS],
}

type Value = (f64, f64);
const UNKNOWN: Value = (f64::NEG_INFINITY, f64::INFINITY);
const TRUE: Value = (f64::INFINITY, f64::INFINITY);
const FALSE: Value = (f64::NEG_INFINITY, f64::NEG_INFINITY);

fn low(a: f64, b: f64) -> f64 {
    [a, b].into_iter().min_by(f64::total_cmp).unwrap()
}

fn high(a: f64, b: f64) -> f64 {
    [a, b].into_iter().max_by(f64::total_cmp).unwrap()
}

fn and(a: Value, b: Value) -> Value {
    (low(a.0, b.0), low(a.1, b.1))
}

fn or(a: Value, b: Value) -> Value {
    (high(a.0, b.0), high(a.1, b.1))
}

fn not(a: Value) -> Value {
    (-a.1, -a.0)
}

impl World {
    /// What is known after the first `rows` rows: the values of the last time may still change.
    pub(crate) fn after(trace: &Trace, rows: usize, is_dense: bool) -> World {
        let last = trace.rows[rows - 1].0.time;
        let seen = trace.rows[..rows].iter().filter(|(tag, _)| tag.time < last).count();
        let start = trace.rows[0].0.time;
        let known = 2 * (last - start).ticks();
        World { samples: samples(trace, seen), known, is_over: false, is_dense }
    }

    /// What is known at the end.
    pub(crate) fn whole(trace: &Trace, is_dense: bool) -> World {
        let start = trace.rows[0].0.time;
        let known = 2 * (trace.end - start).ticks() + 1;
        World { samples: samples(trace, trace.rows.len()), known, is_over: true, is_dense }
    }

    /// The robustness at the start.
    pub(crate) fn robustness(&self, formula: &Formula) -> Interval {
        let values = self.values(formula);
        let (low, high) = values.first().copied().flatten().unwrap_or(UNKNOWN);
        Interval { low, high }
    }

    /// The values of a formula at each position; `None` where there is no sample.
    fn values(&self, formula: &Formula) -> Vec<Option<Value>> {
        let all = 0..self.known;
        match formula {
            Formula::Compare(..) | Formula::Sum(..) | Formula::Event(_) | Formula::Tick(_) => {
                all.map(|at| self.atom(formula, at)).collect()
            }
            Formula::Not(of) => self.values(of).into_iter().map(|value| value.map(not)).collect(),
            Formula::Join(how, a, b) => {
                let both = self.values(a).into_iter().zip(self.values(b));
                both.map(|(a, b)| Some(join(how, a?, b?))).collect()
            }
            Formula::Edge(how, of) => self.edges(how, &self.values(of)),
            Formula::Unary(how, bounds, of) => {
                let inner = self.values(of);
                let turned = ["always", "historically"].contains(how);
                let turn = |value: Value| if turned { not(value) } else { value };
                let goal: Vec<_> = inner.iter().map(|value| value.map(turn)).collect();
                let hold = vec![Some(TRUE); goal.len()];
                let found =
                    self.held(["once", "historically"].contains(how), *bounds, &hold, &goal);
                found.into_iter().map(|value| value.map(turn)).collect()
            }
            Formula::Binary(how, bounds, hold, goal) => {
                self.held(*how == "since", *bounds, &self.values(hold), &self.values(goal))
            }
        }
    }

    fn atom(&self, formula: &Formula, at: i64) -> Option<Value> {
        let sample = self.samples.iter().rev().find(|sample| sample.at <= at)?;
        if !self.is_dense && sample.at != at {
            return None;
        }
        let truth = |truth: bool| if truth { TRUE } else { FALSE };
        Some(match formula {
            Formula::Compare(signal, with, how) => compare(sample.values[*signal], *with, how),
            Formula::Sum(a, b, with) => compare(sample.values[*a] + sample.values[*b], *with, "<"),
            Formula::Event(signal) => truth(sample.at == at && sample.changed[*signal]),
            Formula::Tick(signal) => truth(sample.at == at && sample.ticked[*signal]),
            _ => unreachable!("not an atom"),
        })
    }

    fn edges(&self, how: &str, of: &[Option<Value>]) -> Vec<Option<Value>> {
        let turn = |value: Value| if how == "fall" { not(value) } else { value };
        let mut before = FALSE;
        let mut found = Vec::new();
        for (at, value) in of.iter().enumerate() {
            let value = value.map(turn);
            // Inside of an open interval, the value just before is the value itself.
            let is_inside = at % 2 == 1;
            found.push(value.map(|value| and(value, not(if is_inside { value } else { before }))));
            before = value.unwrap_or(before);
        }
        found
    }

    /// At each position, over every place of the window: the goal there, and the hold on the way.
    fn held(
        &self,
        looks_back: bool,
        bounds: Bounds,
        hold: &[Option<Value>],
        goal: &[Option<Value>],
    ) -> Vec<Option<Value>> {
        let one = |at: i64| {
            goal[usize::try_from(at).unwrap()]?;
            Some(if looks_back {
                self.since(at, bounds, hold, goal)
            } else {
                self.until(at, bounds, hold, goal)
            })
        };
        (0..self.known).map(one).collect()
    }

    fn until(&self, at: i64, b: Bounds, hold: &[Option<Value>], goal: &[Option<Value>]) -> Value {
        let last = b.1.map_or(self.known - 1, |to| at + 2 * to);
        let mut best = FALSE;
        // What holds from here up to `there`.
        let mut way = all(hold, at, (at + 2 * b.0).min(self.known));
        for there in at + 2 * b.0..=last.min(self.known - 1) {
            let through = and(way, all(hold, there, there + 1));
            if let Some(value) = goal[usize::try_from(there).unwrap()] {
                // To a moment inside of an open interval leads a part of that interval.
                let way = if there % 2 == 1 { through } else { way };
                let here = if there == at { value } else { FALSE };
                best = or(or(best, here), and(value, way));
            }
            way = through;
        }
        let is_cut = b.1.is_none() && self.is_over;
        if !is_cut && (b.1.is_none() || self.known <= at + 2 * b.1.unwrap()) {
            best = or(best, and(UNKNOWN, all(hold, at, self.known)));
        }
        best
    }

    fn since(&self, at: i64, b: Bounds, hold: &[Option<Value>], goal: &[Option<Value>]) -> Value {
        let first = b.1.map_or(0, |to| (at - 2 * to).max(0));
        let mut best = FALSE;
        let mut way = all(hold, (at - 2 * b.0 + 1).max(0), at + 1);
        for there in (first..=at - 2 * b.0).rev() {
            let through = and(way, all(hold, there, there + 1));
            if let Some(value) = goal[usize::try_from(there).unwrap()] {
                let way = if there % 2 == 1 { through } else { way };
                let here = if there == at { value } else { FALSE };
                best = or(or(best, here), and(value, way));
            }
            way = through;
        }
        best
    }
}

fn all(hold: &[Option<Value>], from: i64, to: i64) -> Value {
    (from..to).filter_map(|at| hold[usize::try_from(at).unwrap()]).fold(TRUE, and)
}

fn join(how: &str, a: Value, b: Value) -> Value {
    match how {
        "and" => and(a, b),
        "or" => or(a, b),
        "implies" => or(not(a), b),
        "iff" => and(or(not(a), b), or(not(b), a)),
        _ => and(or(a, b), or(not(a), not(b))),
    }
}

fn compare(value: f64, with: f64, how: &str) -> Value {
    if value.is_nan() {
        return UNKNOWN;
    }
    let (robustness, is_true) = match how {
        "<" => (with - value, value < with),
        "<=" => (with - value, value <= with),
        ">" => (value - with, with < value),
        ">=" => (value - with, with <= value),
        "==" => (-(value - with).abs(), value.to_bits() == with.to_bits() || value - with == 0.0),
        _ => ((value - with).abs(), value - with != 0.0),
    };
    let face = match (robustness == 0.0, is_true) {
        (true, true) => 0.0,
        (true, false) => -0.0,
        _ => robustness,
    };
    (face, face)
}

/// By time: the values of the last tag, and what happened at any of them.
fn samples(trace: &Trace, rows: usize) -> Vec<Sample> {
    let start = trace.rows[0].0.time;
    let mut samples: Vec<Sample> = Vec::new();
    let mut before: Option<[f64; SIGNALS]> = None;
    for (tag, values) in &trace.rows[..rows] {
        let at = position(tag.time, start);
        if samples.last().is_none_or(|sample| sample.at != at) {
            let none = [false; SIGNALS];
            samples.push(Sample { at, values: *values, changed: none, ticked: none });
        }
        let sample = samples.last_mut().unwrap();
        sample.values = *values;
        for place in 0..SIGNALS {
            let old = before.map_or(values[place], |before| before[place]);
            sample.changed[place] |= old.to_bits() != values[place].to_bits();
            sample.ticked[place] |= !values[place].is_nan() && values[place] != 0.0;
        }
        before = Some(*values);
    }
    samples
}

fn position(time: Time, start: Time) -> i64 {
    2 * (time - start).ticks()
}
