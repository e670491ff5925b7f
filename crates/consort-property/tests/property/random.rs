//! Random formulas and traces.

use consort_core::{Prng, Report, Resolution, Seconds, Tag, Time};
use consort_property::{Property, PropertyMonitor, Reading};
use std::fmt;

/// A formula, by its definition.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    /// The signal, what it is compared with, and how.
    Compare(usize, f64, &'static str),
    /// The sum of two signals is less than a number.
    Sum(usize, usize, f64),
    Event(usize),
    Tick(usize),
    Not(Box<Formula>),
    /// `and`, `or`, `implies`, `iff`, `xor`.
    Join(&'static str, Box<Formula>, Box<Formula>),
    /// `rise`, `fall`.
    Edge(&'static str, Box<Formula>),
    /// `always`, `eventually`, `historically`, `once`.
    Unary(&'static str, Bounds, Box<Formula>),
    /// `until`, `since`.
    Binary(&'static str, Bounds, Box<Formula>, Box<Formula>),
}

/// In ticks, or without an end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds(pub(crate) i64, pub(crate) Option<i64>);

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bounds(0, None) => Ok(()),
            Bounds(from, None) => write!(f, "[{from}:inf]"),
            Bounds(from, Some(to)) => write!(f, "[{from}:{to}]"),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Compare(signal, with, how) => write!(f, "(s{signal} {how} {with:?})"),
            Formula::Sum(a, b, with) => write!(f, "(s{a} + s{b} < {with:?})"),
            Formula::Event(signal) => write!(f, "event(s{signal})"),
            Formula::Tick(signal) => write!(f, "tick(s{signal})"),
            Formula::Not(of) => write!(f, "(not {of})"),
            Formula::Join(how, a, b) => write!(f, "({a} {how} {b})"),
            Formula::Edge(how, of) => write!(f, "{how}({of})"),
            Formula::Unary(how, bounds, of) => write!(f, "({how}{bounds} {of})"),
            Formula::Binary(how, bounds, a, b) => write!(f, "({a} {how}{bounds} {b})"),
        }
    }
}

/// What may be drawn.
#[derive(Clone, Copy)]
pub(crate) struct Taste {
    /// Only what rtamt means the same by.
    pub(crate) is_plain: bool,
    /// Mostly events, which are points in time.
    pub(crate) is_eventful: bool,
    pub(crate) reach_max: i64,
}

pub(crate) const SIGNALS: usize = 3;

pub(crate) fn pick<T: Copy>(random: &mut Prng, all: &[T]) -> T {
    all[usize::try_from(random.below(all.len() as u64)).unwrap()]
}

fn signal(random: &mut Prng) -> usize {
    usize::try_from(random.below(SIGNALS as u64)).unwrap()
}

/// A whole number of quarters: equal values happen, and sums are exact.
fn level(random: &mut Prng) -> f64 {
    let quarters = i32::try_from(random.below(17)).unwrap();
    f64::from(quarters - 8) / 4.0
}

pub(crate) fn formula(random: &mut Prng, depth: u32, taste: Taste) -> Formula {
    if depth == 0 || random.below(8) == 0 {
        return atom(random, taste);
    }
    let inner = |random: &mut Prng| Box::new(formula(random, depth - 1, taste));
    match random.below(10) {
        0 => Formula::Not(inner(random)),
        1 | 2 => {
            let all: &[_] = match taste.is_plain {
                true => &["and", "or", "implies"],
                false => &["and", "or", "implies", "iff", "xor"],
            };
            Formula::Join(pick(random, all), inner(random), inner(random))
        }
        3 => Formula::Edge(pick(random, &["rise", "fall"]), inner(random)),
        4..=7 => {
            let how = pick(random, &["always", "eventually", "historically", "once"]);
            Formula::Unary(how, bounds(random, how, taste), inner(random))
        }
        _ => {
            let how = pick(random, &["until", "since"]);
            Formula::Binary(how, bounds(random, how, taste), inner(random), inner(random))
        }
    }
}

fn atom(random: &mut Prng, taste: Taste) -> Formula {
    match random.below(8) {
        3..6 if taste.is_eventful => Formula::Event(signal(random)),
        0 if !taste.is_plain => Formula::Event(signal(random)),
        1 if !taste.is_plain => Formula::Tick(signal(random)),
        2 => Formula::Sum(signal(random), signal(random), level(random)),
        _ => {
            let how = pick(random, &["<", "<=", ">", ">=", "==", "!="]);
            Formula::Compare(signal(random), level(random), how)
        }
    }
}

fn bounds(random: &mut Prng, how: &str, taste: Taste) -> Bounds {
    let looks_back = ["historically", "once", "since"].contains(&how);
    let reach = u64::try_from(taste.reach_max).unwrap();
    let from = i64::try_from(random.below(reach)).unwrap();
    let to = from + i64::try_from(random.below(reach)).unwrap();
    match random.below(6) {
        0 if looks_back && taste.is_plain => Bounds(0, None),
        0 if !taste.is_plain => Bounds(pick(random, &[0, from]), None),
        1 => Bounds(0, Some(to)),
        _ => Bounds(from, Some(to)),
    }
}

/// Values at tags; several microsteps at a time, and values that are no numbers.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) rows: Vec<(Tag, [f64; SIGNALS])>,
    pub(crate) end: Time,
}

pub(crate) fn trace(random: &mut Prng, times: u64) -> Trace {
    let mut rows = Vec::new();
    let mut time = 5;
    for _ in 0..times {
        let microsteps = if random.below(4) == 0 { 3 } else { 1 };
        for microstep in 0..microsteps {
            let mut values = [0.0; SIGNALS];
            for value in &mut values {
                *value = if random.below(40) == 0 { f64::NAN } else { level(random) };
                if random.below(3) == 0 {
                    *value = 0.0;
                }
            }
            rows.push((Tag { time: Time::from_ticks(time), microstep }, values));
        }
        time += 1 + i64::try_from(random.below(3)).unwrap();
    }
    let last = rows.last().unwrap().0.time;
    let end = last + Time::from_ticks(i64::try_from(random.below(3)).unwrap());
    Trace { rows, end }
}

/// One tick is one second.
pub(crate) fn resolution() -> Resolution {
    Resolution::new(Seconds::new(1, 1).unwrap()).unwrap()
}

/// The property that a formula's text says, with all signals in their order.
pub(crate) fn property(formula: &Formula) -> Property {
    let mut report = Report::default();
    // Mentions every signal first, so that the order of values is known.
    let text = format!("(s0 == s1 or s2 == s2 or true) and {formula}");
    let property = Property::parse("random", &text, &mut report);
    property.unwrap_or_else(|| panic!("{text}: {:?}", report.diagnostics()))
}

pub(crate) fn monitor(formula: &Formula, reading: Reading) -> PropertyMonitor {
    property(formula).monitor(reading, resolution(), Time::ZERO)
}
