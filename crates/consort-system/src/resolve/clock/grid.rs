//! The stop must be a whole number of every component's steps after the start.

use super::GivenTimes;
use consort_core::{Diagnostic, Report, Resolution, Seconds, Span, Time};
use std::collections::BTreeMap;

/// Whether all steps end at the stop; complains about each that does not.
pub(super) fn check(given: GivenTimes<'_>, resolution: Resolution, report: &mut Report) -> bool {
    let GivenTimes { system, step, stop } = given;
    // Each length of step is checked once, at the first component that has it.
    let mut steps: BTreeMap<Seconds, (usize, Option<Span>, String)> = BTreeMap::new();
    for (index, component) in system.components.iter().enumerate() {
        let (own, what) = match &component.step {
            Some(own) => (own, format!("the step of `{}`", component.name.value)),
            None => (step, "the step".to_owned()),
        };
        steps.entry(own.value).or_insert((index, own.span, what));
    }
    let mut steps: Vec<_> = steps.into_iter().collect();
    steps.sort_by_key(|(_, (index, _, _))| *index);
    let start = system.experiment.start.value;
    let mut fits = true;
    for (length, (_, span, what)) in steps {
        let Some(Off { before, after }) = off_grid(start, stop.value, length, resolution) else {
            continue;
        };
        fits = false;
        let from = if start == Seconds::ZERO { String::new() } else { format!(" after {start} s") };
        let message =
            format!("the stop, {} s, is no whole number of steps of {length} s{from}", stop.value);
        let diagnostic = Diagnostic::error("time::stop-off-grid", message)
            .maybe_at(stop.span, "falls between two steps")
            .help(format!("the nearest stops are {before} s and {after} s"))
            .maybe_label(span, what);
        report.push(diagnostic);
    }
    fits
}

/// The nearest stops that would fit.
struct Off {
    before: String,
    after: String,
}

fn off_grid(start: Seconds, stop: Seconds, length: Seconds, resolution: Resolution) -> Option<Off> {
    let ticks = |seconds| resolution.ticks(seconds).ok().map(|time| i128::from(time.ticks()));
    let (start, stop, length) = (ticks(start)?, ticks(stop)?, ticks(length)?);
    let rest = (stop - start).rem_euclid(length);
    if rest == 0 {
        return None;
    }
    let shown = |ticks: i128| {
        let time = i64::try_from(ticks).ok().map(Time::from_ticks);
        let seconds = time.and_then(|time| resolution.seconds(time));
        seconds.map_or_else(|| format!("tick {ticks} of {resolution},"), |it| it.to_string())
    };
    Some(Off { before: shown(stop - rest), after: shown(stop - rest + length) })
}
