//! Steps of changing size: what they may be, in ticks, and that they fit together.

use super::Number;
use crate::coupling::{StepConstraint, VariableStep};
use crate::system::{Spanned, SystemDescription};
use consort_core::{Diagnostic, Report, Resolution, Seconds, Time};

/// The sizes a step may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::resolve) struct StepSizes {
    pub(in crate::resolve) initial: Time,
    pub(in crate::resolve) min: Time,
    pub(in crate::resolve) max: Time,
}

/// The shortest step, if none is given, as a part of the first.
const PARTS_OF_FIRST: i64 = 1000;

/// The shortest step should have at least this many ticks, where the tick can be chosen: else
/// only a few sizes could be distinguished.
const TICKS_OF_SHORTEST: i64 = 100;

/// What must be a multiple of the tick.
pub(super) fn numbers(step: &VariableStep) -> Vec<Number> {
    let named = [
        (&step.initial, "the first step"),
        (&step.min, "the shortest step"),
        (&step.max, "the longest step"),
    ];
    let mut numbers: Vec<Number> = named
        .into_iter()
        .filter_map(|(size, what)| Some(Number::new(size.as_ref()?, what)))
        .collect();
    for constraint in &step.constraints {
        if let StepConstraint::Sampling { start, period } = constraint {
            numbers.push(Number::new(period, "the period of the samples"));
            // At zero, or before it, nothing is to be checked.
            let start = start.as_ref().filter(|start| start.value.is_positive());
            numbers.extend(start.map(|start| Number::new(start, "the first sample")));
        }
    }
    numbers
}

/// Components with a step of their own have no place beside steps of changing size.
pub(super) fn check_rates(system: &SystemDescription, report: &mut Report) {
    if system.experiment.coupling.variable_step.is_none() {
        return;
    }
    for component in &system.components {
        let Some(own) = &component.step else { continue };
        let message = format!(
            "`{}` has a step of its own, but steps change their size in this experiment",
            component.name.value
        );
        report.push(
            Diagnostic::error("system::variable-step-rates", message)
                .maybe_at(own.span, "its own step")
                .help("remove it, or `[experiment.variable-step]`: all components step together"),
        );
    }
}

/// Reports sizes of steps that are in the wrong order.
pub(super) fn check_order(step: &VariableStep, initial: &Spanned<Seconds>, report: &mut Report) {
    let pairs = [
        (step.min.as_ref(), Some(initial), ("the shortest step", "the first")),
        (Some(initial), step.max.as_ref(), ("the first step", "the longest")),
    ];
    for (small, large, (a, b)) in pairs {
        let Some((small, large)) = small.zip(large) else { continue };
        if small.value <= large.value {
            continue;
        }
        let message = format!("{a}, {} s, is longer than {b}, {} s", small.value, large.value);
        let mut diagnostic = Diagnostic::error("time::step-sizes", message)
            .maybe_at(small.span.or(large.span), "does not fit")
            .help("let `min <= initial <= max`");
        if let (Some(_), Some(span)) = (small.span, large.span) {
            diagnostic = diagnostic.label(span, "must not be shorter");
        }
        report.push(diagnostic);
    }
}

/// A finer tick where the chosen one leaves the shortest step too few of them.
pub(super) fn refine(
    resolution: Resolution,
    step: &VariableStep,
    initial: Seconds,
    ends: [Seconds; 2],
) -> Resolution {
    let mut tick = resolution;
    let shortest = |tick: Resolution| {
        let given = step.min.as_ref().and_then(|min| tick.ticks(min.value).ok());
        let first = tick.ticks(initial).ok();
        given.or(first.map(|first| Time::from_ticks(first.ticks() / PARTS_OF_FIRST)))
    };
    while shortest(tick).is_some_and(|shortest| shortest.ticks() < TICKS_OF_SHORTEST) {
        let below = tick.tick().denominator().checked_mul(10);
        let finer = below.and_then(|below| Seconds::new(tick.tick().numerator(), below));
        let finer = finer.and_then(Resolution::new);
        let fits = |finer: &Resolution| {
            let [start, stop] = ends.map(|end| finer.ticks(end).ok());
            start.zip(stop).is_some_and(|(start, stop)| stop.checked_sub(start).is_some())
        };
        match finer.filter(fits) {
            Some(finer) => tick = finer,
            None => break,
        }
    }
    tick
}

/// The sizes in ticks; what is not said is derived from the first step and the experiment.
pub(super) fn sizes(
    step: &VariableStep,
    initial: Time,
    length: Time,
    resolution: Resolution,
) -> Option<StepSizes> {
    let given = |size: &Option<Spanned<Seconds>>| -> Option<Option<Time>> {
        size.as_ref()
            .map(|size| resolution.ticks(size.value).ok())
            .map_or(Some(None), |it| it.map(Some))
    };
    let shortest = Time::from_ticks((initial.ticks() / PARTS_OF_FIRST).max(1));
    Some(StepSizes {
        initial,
        min: given(&step.min)?.unwrap_or(shortest),
        max: given(&step.max)?.unwrap_or(length.max(initial)),
    })
}
