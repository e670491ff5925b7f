//! Conditions on steps of changing size: real numbers that are there, and instants on ticks.

use super::clock::Timing;
use super::context::{Context, Written};
use super::coupling::{NumberRule, POSITIVE, check, report};
use crate::coupling::{ResolvedStepConstraint, StepConstraint};
use crate::resolved::Port;
use crate::system::Spanned;
use consort_core::{Causality, Diagnostic, Seconds, Time};

/// How near to zero is at zero, and how much a value may change, if nothing is said.
const TOLERANCE: f64 = 1e-3;
/// What a number must be, and an example.
const BOUND: NumberRule<'_> = NumberRule { label: POSITIVE, example: "1e-3" };

pub(super) fn resolve(
    context: &mut Context<'_, '_>,
    written: &[StepConstraint],
    timing: Option<&Timing>,
) -> Vec<ResolvedStepConstraint> {
    let resolved = written.iter().filter_map(|it| match it {
        StepConstraint::ZeroCrossing { variables, tolerance } => {
            zero_crossing(context, variables, tolerance.as_ref())
        }
        StepConstraint::BoundedDifference { variables, absolute, relative } => {
            bounded_difference(context, variables, [absolute.as_ref(), relative.as_ref()])
        }
        StepConstraint::Sampling { start, period } => {
            let ticks = |it: &Spanned<Seconds>| timing?.resolution.ticks(it.value).ok();
            let start = start.as_ref().map_or(Some(Time::ZERO), ticks)?;
            let period = ticks(period).filter(|period| Time::ZERO < *period)?;
            Some(ResolvedStepConstraint::Sampling { start, period })
        }
        StepConstraint::ComponentMax => Some(ResolvedStepConstraint::ComponentMax),
    });
    resolved.collect()
}

fn is_positive(value: f64) -> bool {
    0.0 < value && value.is_finite()
}

fn zero_crossing(
    context: &mut Context<'_, '_>,
    variables: &[Spanned<String>],
    tolerance: Option<&Spanned<f64>>,
) -> Option<ResolvedStepConstraint> {
    check(context, tolerance, "the tolerance of a zero crossing", BOUND, is_positive);
    let ports = ports(context, variables)?;
    if !(1..=2).contains(&ports.len()) {
        let message = format!("a zero crossing takes one or two variables, not {}", ports.len());
        let span = variables.first().and_then(|it| it.span);
        let label = "one variable crosses zero, or the difference of two does";
        report(
            context,
            &message,
            span,
            NumberRule { label, example: "variables = [\"ball.height\"]" },
        );
        return None;
    }
    let tolerance = tolerance.map_or(TOLERANCE, |it| it.value);
    Some(ResolvedStepConstraint::ZeroCrossing { ports, tolerance })
}

fn bounded_difference(
    context: &mut Context<'_, '_>,
    variables: &[Spanned<String>],
    [absolute, relative]: [Option<&Spanned<f64>>; 2],
) -> Option<ResolvedStepConstraint> {
    check(context, absolute, "the absolute bound of a difference", BOUND, is_positive);
    check(context, relative, "the relative bound of a difference", BOUND, is_positive);
    let ports = ports(context, variables)?;
    if ports.is_empty() {
        let words = NumberRule {
            label: "name at least one variable",
            example: "variables = [\"tank.level\"]",
        };
        report(context, "a bounded difference has no variables", None, words);
        return None;
    }
    let silent = if relative.is_some() { f64::INFINITY } else { TOLERANCE };
    let absolute = absolute.map_or(silent, |it| it.value);
    let relative = relative.map_or(f64::INFINITY, |it| it.value);
    Some(ResolvedStepConstraint::BoundedDifference { ports, absolute, relative })
}

fn ports(context: &mut Context<'_, '_>, variables: &[Spanned<String>]) -> Option<Vec<Port>> {
    let ports: Vec<Option<Port>> = variables.iter().map(|it| port(context, it)).collect();
    ports.into_iter().collect()
}

fn port(context: &mut Context<'_, '_>, written: &Spanned<String>) -> Option<Port> {
    let found = context.find(Written::new(written), Some(Causality::Output))?;
    let (variable, port) = (found.variable, found.port);
    let is_output = variable.causality == Causality::Output;
    if is_output && variable.value_type.is_float() && port.count == 1 {
        return Some(port);
    }
    let message = format!("steps cannot depend on `{}`", written.value);
    context.push(
        Diagnostic::error("system::bad-constraint", message)
            .maybe_at(written.span, "this is no output that is one real number")
            .help("name an output that is a real number, or one element of it: `rod.t[3]`"),
    );
    None
}
