//! How a system is coupled, as it says so itself.

use super::values::number;
use consort_core::Seconds;
use consort_system::{
    IterationOptions, Linear, LoopChoice, LoopRule, Spanned, SystemDescription, VariableStep,
};

/// The order, what becomes of loops, the sizes of steps, and what is reactive.
pub(super) fn facts(system: &SystemDescription) -> Vec<(String, String)> {
    let coupling = &system.experiment.coupling;
    let order = coupling.order.as_ref().map(|order| order.value).unwrap_or_default();
    let loops = coupling.loops.as_ref().map(|loops| loops.value).unwrap_or_default();
    let mut facts =
        vec![("order", order.name().to_owned()), ("loops", policy(loops, &coupling.iteration))];
    let continuous = coupling.continuous.as_ref().map(|it| it.value.name().to_owned());
    facts.extend(continuous.map(|name| ("continuous", name)));
    let divergence = coupling.on_divergence.as_ref().map(|it| it.value.name().to_owned());
    facts.extend(divergence.map(|name| ("on divergence", name)));
    facts.extend(coupling.rules.iter().map(|it| ("loop", rule(it))));
    facts.extend(coupling.variable_step.as_ref().map(|step| ("steps", sizes(step))));
    facts.extend(reactive(system).map(|names| ("reactive", names)));
    facts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

/// `y = 2 * x + 1`
pub(super) fn transformation(linear: Linear) -> String {
    let offset = match linear.offset {
        0.0 => String::new(),
        offset => format!(" + {}", number(offset)),
    };
    format!("times {}{offset}", number(linear.factor))
}

fn rule(rule: &LoopRule) -> String {
    format!("through {}: {}", rule.through.value, policy(rule.policy, &rule.iteration))
}

fn policy(choice: LoopChoice, options: &IterationOptions) -> String {
    match choice {
        LoopChoice::Error => return "refused".to_owned(),
        LoopChoice::Delay => return "delayed by a step".to_owned(),
        LoopChoice::Iterate => {}
    }
    let said = [
        options.method.as_ref().map(|it| it.value.name().to_owned()),
        options.tolerance.as_ref().map(|it| format!("tolerance {}", number(it.value))),
        options.limit.as_ref().map(|it| format!("limit {}", it.value)),
        options.relaxation.as_ref().map(|it| format!("relaxation {}", number(it.value))),
        options.accept_after.as_ref().map(|it| format!("accepted after {}", it.value)),
    ];
    let said: Vec<String> =
        std::iter::once("iterated".to_owned()).chain(said.into_iter().flatten()).collect();
    said.join(", ")
}

/// `of changing size, first 0.1 s, longest 1 s`
fn sizes(step: &VariableStep) -> String {
    let size = |name: &str, size: &Option<Spanned<Seconds>>| {
        size.as_ref().map(|size| format!("{name} {} s", size.value))
    };
    let tolerance = |name: &str, found: &Option<Spanned<f64>>| {
        found.as_ref().map(|it| format!("{name} tolerance {}", number(it.value)))
    };
    let uncontrolled = step.error_control.as_ref().is_some_and(|it| !it.value);
    let said = [
        Some("of changing size".to_owned()),
        size("first", &step.initial),
        size("shortest", &step.min),
        size("longest", &step.max),
        tolerance("relative", &step.relative),
        tolerance("absolute", &step.absolute),
        uncontrolled.then(|| "without control of the error".to_owned()),
    ];
    let constraints = step.constraints.iter().map(|it| Some(format!("with a {}", it.kind())));
    said.into_iter().chain(constraints).flatten().collect::<Vec<_>>().join(", ")
}

fn reactive(system: &SystemDescription) -> Option<String> {
    let names = system.components.iter().flat_map(|component| {
        component.reactive.iter().map(|it| format!("{}.{}", component.name.value, it.value))
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}
