//! Request patterns that leave the grid: what happens to a federate that adds up its time instead of
//! counting its cycles.

use super::federation::{Federate, Federation};
use crate::nodes::Names;
use consort_core::{Resolution, Time};

/// The most steps that are added up to see where the sum ends.
const STEPS_MAX: i64 = 1_000_000;
/// The most federates that are named in one warning.
const NAMES_MAX: usize = 8;

pub(super) fn warnings(names: &Names<'_>, federation: &Federation) -> Vec<String> {
    let mut periods: Vec<Time> =
        names.system.components.iter().map(|component| component.period).collect();
    periods.sort_unstable();
    periods.dedup();
    let mut warnings: Vec<String> =
        periods.into_iter().filter_map(|period| sum_drifts(names, period)).collect();
    warnings.extend(grants_drift(federation));
    warnings
}

/// What becomes of `granted + dt` in federates that asked for messages before.
fn grants_drift(federation: &Federation) -> Option<String> {
    let asking = federation.federates.iter().filter(|federate| 0 < federate.next_event_requests);
    let waiting: Vec<&Federate> = asking.collect();
    let most = waiting.iter().map(|federate| federate.waits).max()?;
    let named = waiting.iter().take(NAMES_MAX).map(|it| format!("`{}`", it.component));
    let mut names = named.collect::<Vec<_>>().join(", ");
    if NAMES_MAX < waiting.len() {
        names = format!("{names} and {} more", waiting.len() - NAMES_MAX);
    }
    Some(format!(
        "after its last NER a federate must request `(n+1)*dt`: `granted + dt` would drift off the \
         grid by up to {most} lookahead{} every cycle ({names})",
        if most == 1 { "" } else { "s" }
    ))
}

/// What becomes of `time = time + dt` in doubles.
fn sum_drifts(names: &Names<'_>, period: Time) -> Option<String> {
    let experiment = &names.system.experiment;
    let resolution = experiment.resolution;
    let steps = (experiment.stop.ticks().checked_sub(experiment.start.ticks())?)
        .checked_div(period.ticks())?
        .min(STEPS_MAX);
    let (first, last) = added_up(resolution, experiment.start, period, steps)?;
    let name = resolution.seconds(period)?;
    Some(format!(
        "a step of {name} s is no exact double: time that is added up, `time + dt`, leaves the \
         grid at step {first} and is {} s instead of {} s at step {steps}; Consort counts steps",
        last,
        resolution.to_f64(at(experiment.start, period, steps)?)
    ))
}

fn at(start: Time, period: Time, steps: i64) -> Option<Time> {
    start.checked_add(period.checked_mul(steps)?)
}

/// The first step at which the sum is not the nearest double of the exact time, and the sum at the
/// end; `None` if it always is.
#[expect(clippy::float_cmp, reason = "the question is whether the doubles are the same")]
fn added_up(resolution: Resolution, start: Time, period: Time, steps: i64) -> Option<(i64, f64)> {
    let length = resolution.to_f64(period);
    let mut time = resolution.to_f64(start);
    let mut first = None;
    for step in 1..=steps {
        time += length;
        if first.is_none() && time != resolution.to_f64(at(start, period, step)?) {
            first = Some(step);
        }
    }
    first.map(|first| (first, time))
}
