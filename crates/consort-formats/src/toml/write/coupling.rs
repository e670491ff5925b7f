//! The coupling as text again.

use super::{float, line, quoted, seconds};
use consort_system::{Coupling, IterationOptions, LoopRule, Spanned, StepConstraint, VariableStep};

/// What belongs to `[experiment]`.
pub(super) fn experiment(out: &mut String, coupling: &Coupling) {
    if let Some(order) = &coupling.order {
        line(out, "order", &quoted(order.value.name()));
    }
    if let Some(continuous) = &coupling.continuous {
        line(out, "continuous", &quoted(continuous.value.name()));
    }
    if let Some(loops) = &coupling.loops {
        line(out, "loops", &quoted(loops.value.name()));
    }
    if let Some(choice) = &coupling.on_divergence {
        line(out, "on-divergence", &quoted(choice.value.name()));
    }
    if coupling.iteration != IterationOptions::default() {
        out.push_str("\n[experiment.iteration]\n");
        iteration(out, &coupling.iteration);
    }
    if let Some(step) = &coupling.variable_step {
        out.push_str("\n[experiment.variable-step]\n");
        variable_step(out, step);
    }
}

/// `[[loops]]`.
pub(super) fn rule(out: &mut String, rule: &LoopRule) {
    out.push_str("\n[[loops]]\n");
    line(out, "through", &quoted(&rule.through.value));
    line(out, "policy", &quoted(rule.policy.name()));
    iteration(out, &rule.iteration);
}

fn iteration(out: &mut String, options: &IterationOptions) {
    if let Some(method) = &options.method {
        line(out, "method", &quoted(method.value.name()));
    }
    if let Some(tolerance) = &options.tolerance {
        line(out, "tolerance", &float(tolerance.value));
    }
    if let Some(limit) = &options.limit {
        line(out, "limit", &limit.value.to_string());
    }
    if let Some(relaxation) = &options.relaxation {
        line(out, "relaxation", &float(relaxation.value));
    }
    if let Some(count) = &options.accept_after {
        line(out, "accept-after", &count.value.to_string());
    }
}

fn variable_step(out: &mut String, step: &VariableStep) {
    for (key, size) in [("initial", &step.initial), ("min", &step.min), ("max", &step.max)] {
        if let Some(size) = size {
            line(out, key, &seconds(size.value));
        }
    }
    for (key, part) in [("relative", &step.relative), ("absolute", &step.absolute)] {
        if let Some(part) = part {
            line(out, key, &float(part.value));
        }
    }
    if let Some(control) = &step.error_control {
        line(out, "error-control", &control.value.to_string());
    }
    step.constraints.iter().for_each(|it| constraint(out, it));
}

fn constraint(out: &mut String, constraint: &StepConstraint) {
    out.push_str("\n[[experiment.variable-step.constraints]]\n");
    line(out, "kind", &quoted(constraint.kind()));
    let list = |names: &[Spanned<String>]| {
        let names: Vec<String> = names.iter().map(|name| quoted(&name.value)).collect();
        format!("[{}]", names.join(", "))
    };
    match constraint {
        StepConstraint::ZeroCrossing { variables, tolerance } => {
            line(out, "variables", &list(variables));
            number(out, "tolerance", tolerance.as_ref());
        }
        StepConstraint::BoundedDifference { variables, absolute, relative } => {
            line(out, "variables", &list(variables));
            number(out, "absolute", absolute.as_ref());
            number(out, "relative", relative.as_ref());
        }
        StepConstraint::Sampling { start, period } => {
            if let Some(start) = start {
                line(out, "start", &seconds(start.value));
            }
            line(out, "period", &seconds(period.value));
        }
        StepConstraint::ComponentMax => {}
    }
}

fn number(out: &mut String, key: &str, value: Option<&Spanned<f64>>) {
    if let Some(value) = value {
        line(out, key, &float(value.value));
    }
}
