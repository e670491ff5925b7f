//! Properties of traces in signal temporal logic: read, and evaluated while a trace is produced.
//!
//! ```
//! use consort_property::{Property, Reading};
//! use consort_core::{Report, Resolution, Tag, Time};
//!
//! let mut report = Report::default();
//! let text = "always[0:10] (tank.level < 2 implies eventually[0:1s] pump.on)";
//! let property = Property::parse("property", text, &mut report).expect("it is well written");
//! assert_eq!(property.signals(), ["tank.level", "pump.on"]);
//!
//! let mut monitor = property.monitor(Reading::Sampled, Resolution::NANOSECOND, Time::ZERO);
//! for second in 0..=3 {
//!     monitor.see(Tag::at(Time::from_ticks(second * 1_000_000_000)), &[1.5, 0.0]);
//! }
//! assert_eq!(monitor.verdict(), Some(false)); // the pump was never on
//! ```
//!
//! The path of a formula: `parse` makes a tree, `plan` orders its operators for a reading and a
//! resolution, `round` moves them on when the values of a time are known. Operators along the trace are
//! `future` and `past` at every time, or `single` at the start only; all of them are windows over a
//! `fold`. The language and its meaning are in `docs/properties.md`.

mod bytes;
mod fold;
mod future;
pub mod fuzz;
mod interval;
mod lexer;
mod monitor;
mod operator;
mod parse;
mod past;
mod plan;
mod round;
mod single;
mod ticks;
mod tree;
mod words;
mod zip;

use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Resolution, Seconds, Span, Time, named};
use plan::Planner;
use std::sync::Arc;
use tree::{Formula, Way};

pub use interval::Interval;
pub use monitor::PropertyMonitor;

named! {
    /// What the values between two recorded tags are.
    pub enum Reading {
        /// There are none: operators look at recorded times only. This is rtamt's discrete time, except that
        /// intervals are in seconds and not in samples.
        Sampled => "sampled",
        /// Each value holds until the next recorded time: the signals are right-continuous and piecewise
        /// constant.
        Dense => "dense",
    }
}

/// A formula of signal temporal logic, ready to watch traces.
#[derive(Clone, Debug)]
pub struct Property {
    formula: Formula,
    text: String,
    names: Vec<String>,
    spans: Vec<Span>,
    scales: Vec<f64>,
}

impl Property {
    /// Reads a formula; `source` is what diagnostics call the text. Every mistake is reported, and `None`
    /// is returned if there is one.
    pub fn parse(source: &str, text: &str, report: &mut Report) -> Option<Property> {
        let parsed = parse::parse(source, text, report)?;
        let scales = vec![1.0; parsed.signals.len()];
        let (names, spans) = parsed.signals.into_iter().unzip();
        Some(Property { formula: parsed.formula, text: text.to_owned(), names, spans, scales })
    }

    /// The formula as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signals it refers to, each once, in the order in which a monitor wants their values.
    pub fn signals(&self) -> &[String] {
        &self.names
    }

    /// How far past a time the formula looks there; `None` if to the end of the trace. A trace that is so
    /// long decides it.
    pub fn horizon(&self) -> Option<Seconds> {
        horizon(&self.formula)
    }

    /// Reports the signals that do not exist, with those that may have been meant. `known` are the names
    /// there are.
    pub fn check_signals<'a>(
        &self,
        known: impl IntoIterator<Item = &'a str, IntoIter: Clone>,
        report: &mut Report,
    ) {
        let known = known.into_iter();
        for (name, span) in self.names.iter().zip(&self.spans) {
            if !known.clone().any(|known| known == name) {
                report.push(unknown_signal(name, *span, known.clone()));
            }
        }
    }

    /// Measures the margins of a signal's comparisons in units of `scale`, so that the margins of several
    /// signals can be compared; `false` if the property does not refer to the signal, or the scale is not
    /// a positive number. Of a comparison of several signals the greatest scale counts.
    pub fn set_scale(&mut self, signal: &str, scale: f64) -> bool {
        let place = self.names.iter().position(|name| name == signal);
        match place.filter(|_| scale.is_finite() && 0.0 < scale) {
            Some(place) => {
                self.scales[place] = scale;
                true
            }
            None => false,
        }
    }

    /// A monitor of the property at `start`; times are ticks of the resolution.
    pub fn monitor(
        &self,
        reading: Reading,
        resolution: Resolution,
        start: Time,
    ) -> PropertyMonitor {
        let scales = &self.scales;
        let rules = Vec::new();
        let planner = Planner { reading, resolution, scales, rules, slots: 0, has_instants: false };
        PropertyMonitor::new(Arc::new(planner.plan(&self.formula, start)))
    }
}

fn horizon(formula: &Formula) -> Option<Seconds> {
    let longer = |a: &Formula, b: &Formula| Some(horizon(a)?.max(horizon(b)?));
    match formula {
        Formula::Not(of) | Formula::Rise(of) => horizon(of),
        Formula::Join(_, a, b) | Formula::Hold(Way::Past, _, a, b) => longer(a, b),
        Formula::All(Way::Past, _, of) | Formula::Some(Way::Past, _, of) => horizon(of),
        Formula::All(Way::Future, bounds, of) | Formula::Some(Way::Future, bounds, of) => {
            ticks::sum(bounds.to, horizon(of))
        }
        Formula::Hold(Way::Future, bounds, hold, goal) => ticks::sum(bounds.to, longer(hold, goal)),
        _ => Some(Seconds::ZERO),
    }
}

fn unknown_signal<'a>(
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let message = format!("there is no signal `{name}`");
    let diagnostic = Diagnostic::error("property::unknown-signal", message).at(span, "unknown");
    let of_same_name = |known: &&str| known.rsplit('.').next() == Some(name);
    let meant = nearest_name(name, known.clone()).or_else(|| known.clone().find(of_same_name));
    let mut names: Vec<String> = known.take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
    match meant {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => diagnostic.help("nothing was recorded"),
        None => {
            names.sort();
            diagnostic.help(format!("signals are {}", names.join(", ")))
        }
    }
}

/// The most signals that are named to who asks for one that is not there.
const NAMED_MAX: usize = 8;
