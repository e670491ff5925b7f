//! The coupling: numbers that make sense, loops through variables that exist, reactive inputs.

use super::clock::Timing;
use super::constraints;
use super::context::{Context, Written};
use crate::coupling::{
    Coupling, Iteration, IterationOptions, LoopChoice, LoopPolicy, LoopRule, ResolvedCoupling,
    ResolvedLoopRule, ResolvedVariableStep, StepTolerances, VariableStep,
};
use crate::system::Spanned;
use consort_core::{Causality, ComponentId, Diagnostic, Span, VariableId};

/// The coupling and, by component, its reactive inputs.
pub(super) struct Coupled {
    pub(super) coupling: ResolvedCoupling,
    pub(super) reactive: Vec<Vec<VariableId>>,
}

pub(super) fn resolve(context: &mut Context<'_, '_>, timing: Option<&Timing>) -> Coupled {
    let written = &context.system.experiment.coupling;
    let iteration = iteration(context, &written.iteration, Iteration::default());
    let loops = written.loops.as_ref().map(|loops| loops.value).unwrap_or_default();
    let rules: Vec<_> =
        written.rules.iter().filter_map(|it| rule(context, it, iteration)).collect();
    note_unused_iteration(context, written);
    check_models(context, written);
    let tolerances = written.variable_step.as_ref().map(|step| tolerances(context, step));
    let sizes = timing.and_then(|timing| timing.sizes);
    let variable_step = sizes.zip(tolerances).map(|(sizes, tolerances)| ResolvedVariableStep {
        initial: sizes.initial,
        min: sizes.min,
        max: sizes.max,
        tolerances,
    });
    let constraints = written.variable_step.as_ref().map_or(&[][..], |step| &step.constraints);
    let constraints = constraints::resolve(context, constraints, timing);
    let coupling = ResolvedCoupling {
        constraints,
        order: written.order.as_ref().map(|order| order.value).unwrap_or_default(),
        loops: policy(loops, iteration),
        rules,
        variable_step,
        continuous: written.continuous.as_ref().map(|it| it.value).unwrap_or_default(),
        on_divergence: written.on_divergence.as_ref().map(|it| it.value).unwrap_or_default(),
    };
    Coupled { coupling, reactive: reactive(context) }
}

fn policy(choice: LoopChoice, iteration: Iteration) -> LoopPolicy {
    match choice {
        LoopChoice::Error => LoopPolicy::Error,
        LoopChoice::Iterate => LoopPolicy::Iterate(iteration),
        LoopChoice::Delay => LoopPolicy::Delay,
    }
}

fn rule(
    context: &mut Context<'_, '_>,
    rule: &LoopRule,
    default: Iteration,
) -> Option<ResolvedLoopRule> {
    let iteration = iteration(context, &rule.iteration, default);
    let found = context.find(Written::new(&rule.through), None)?;
    let causality = found.variable.causality;
    if !matches!(causality, Causality::Input | Causality::Output) {
        let message = format!("no loop goes through `{}`", rule.through.value);
        context.push(
            Diagnostic::error("system::not-on-a-loop", message)
                .maybe_at(rule.through.span, format!("this is of causality {causality}"))
                .help("name an input or an output on the loop; `consort plan` shows loops"),
        );
        return None;
    }
    let policy = policy(rule.policy, iteration);
    let (component, variable) = (found.port.component, found.port.variable);
    Some(ResolvedLoopRule { component, variable, policy })
}

/// What is said, checked, and the defaults for the rest.
fn iteration(
    context: &mut Context<'_, '_>,
    options: &IterationOptions,
    default: Iteration,
) -> Iteration {
    let is_positive = |value: f64| 0.0 < value && value.is_finite();
    let is_part = |value: f64| 0.0 < value && value <= 1.0;
    let (tolerance, relaxation) = (&options.tolerance, &options.relaxation);
    check(
        context,
        tolerance.as_ref(),
        "the tolerance of an iteration",
        NumberRule { label: POSITIVE, example: "1e-9" },
        is_positive,
    );
    check(
        context,
        relaxation.as_ref(),
        "the relaxation",
        NumberRule { label: PART, example: "0.5" },
        is_part,
    );
    for (given, what) in
        [(&options.limit, "the limit of an iteration"), (&options.accept_after, "`accept-after`")]
    {
        if let Some(given) = given.as_ref().filter(|given| given.value == 0) {
            report(
                context,
                &format!("{what} is 0"),
                given.span,
                NumberRule { label: "must be at least 1", example: "100" },
            );
        }
    }
    let number =
        |given: &Option<Spanned<f64>>, default| given.as_ref().map_or(default, |it| it.value);
    Iteration {
        method: options.method.as_ref().map_or(default.method, |method| method.value),
        tolerance: number(tolerance, default.tolerance),
        limit: options.limit.as_ref().map_or(default.limit, |limit| limit.value),
        relaxation: number(relaxation, default.relaxation),
        accept_after: options.accept_after.as_ref().map(|it| it.value).or(default.accept_after),
    }
}

pub(super) const POSITIVE: &str = "must be more than zero and finite";
const PART: &str = "must be more than 0 and at most 1";
const NOT_NEGATIVE: &str = "must not be negative, and must be finite";

/// What a setting must be, for messages, with an example.
#[derive(Clone, Copy)]
pub(super) struct NumberRule<'r> {
    pub(super) label: &'r str,
    pub(super) example: &'r str,
}

/// Reports a number that breaks its rule.
pub(super) fn check(
    context: &mut Context<'_, '_>,
    given: Option<&Spanned<f64>>,
    what: &str,
    rule: NumberRule<'_>,
    is_right: impl Fn(f64) -> bool,
) {
    if let Some(given) = given.filter(|given| !is_right(given.value)) {
        report(context, &format!("{what} is {}", given.value), given.span, rule);
    }
}

pub(super) fn report(
    context: &mut Context<'_, '_>,
    message: &str,
    span: Option<Span>,
    NumberRule { label, example }: NumberRule<'_>,
) {
    context.push(
        Diagnostic::error("system::bad-coupling", message)
            .maybe_at(span, label)
            .help(format!("such as `{example}`")),
    );
}

fn note_unused_iteration(context: &mut Context<'_, '_>, written: &Coupling) {
    let options = &written.iteration;
    let spans = [
        options.method.as_ref().map(|it| it.span),
        options.tolerance.as_ref().map(|it| it.span),
        options.limit.as_ref().map(|it| it.span),
        options.relaxation.as_ref().map(|it| it.span),
        options.accept_after.as_ref().map(|it| it.span),
    ];
    let choices = written.rules.iter().map(|rule| rule.policy);
    let choices = choices.chain(written.loops.as_ref().map(|loops| loops.value));
    let iterates = choices.into_iter().any(|choice| choice == LoopChoice::Iterate);
    let Some(span) = spans.into_iter().flatten().next().filter(|_| !iterates) else { return };
    context.push(
        Diagnostic::warning("system::unused-iteration", "no loop is iterated")
            .maybe_at(span, "this is not used")
            .help("write `loops = \"iterate\"` in `[experiment]`, or name a loop in `[[loops]]`"),
    );
}

/// Steps of changing size need models that take them.
fn check_models(context: &mut Context<'_, '_>, written: &Coupling) {
    if written.variable_step.is_none() {
        return;
    }
    for index in 0..context.system.components.len() {
        let Some((_, model)) = context.names.model_key(index) else { continue };
        if model.capabilities.variable_step {
            continue;
        }
        let component = &context.system.components[index];
        let message = format!(
            "the model of `{}`, `{}`, cannot take steps of changing size",
            component.name.value, model.name
        );
        context.push(
            Diagnostic::error("system::variable-step-unsupported", message)
                .maybe_at(component.model.span, "takes steps of one size only")
                .help("remove `[experiment.variable-step]`, or use another model"),
        );
    }
}

fn tolerances(context: &mut Context<'_, '_>, step: &VariableStep) -> Option<StepTolerances> {
    let fits = |value: f64| 0.0 <= value && value.is_finite();
    let (relative, absolute) = (step.relative.as_ref(), step.absolute.as_ref());
    check(
        context,
        relative,
        "the relative tolerance of a step",
        NumberRule { label: NOT_NEGATIVE, example: "1e-4" },
        fits,
    );
    check(
        context,
        absolute,
        "the absolute tolerance of a step",
        NumberRule { label: NOT_NEGATIVE, example: "1e-6" },
        fits,
    );
    let value = |given: Option<&Spanned<f64>>, default| given.map_or(default, |it| it.value);
    let tolerances = StepTolerances {
        relative: value(relative, StepTolerances::default().relative),
        absolute: value(absolute, StepTolerances::default().absolute),
    };
    if step.error_control.as_ref().is_some_and(|control| !control.value) {
        note_unused_tolerances(context, step);
        return None;
    }
    if tolerances.relative == 0.0 && tolerances.absolute == 0.0 {
        let span = relative.and_then(|it| it.span);
        report(
            context,
            "both tolerances of a step are 0",
            span,
            NumberRule { label: POSITIVE, example: "1e-4" },
        );
    }
    Some(tolerances)
}

fn note_unused_tolerances(context: &mut Context<'_, '_>, step: &VariableStep) {
    let Some(given) = step.relative.as_ref().or(step.absolute.as_ref()) else { return };
    let message = "without error control, the tolerances of a step are not used";
    context.push(
        Diagnostic::warning("system::unused-tolerances", message)
            .maybe_at(given.span, "this is not used")
            .help("remove it, or `error-control = false`"),
    );
}

/// The reactive inputs of each component, sorted.
fn reactive(context: &mut Context<'_, '_>) -> Vec<Vec<VariableId>> {
    let system = context.system;
    let mut all = Vec::with_capacity(system.components.len());
    for (index, component) in system.components.iter().enumerate() {
        let id = ComponentId::from_index(index);
        let mut inputs: Vec<VariableId> = component
            .reactive
            .iter()
            .filter_map(|name| reactive_input(context, id, name))
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        all.push(inputs);
    }
    all
}

fn reactive_input(
    context: &mut Context<'_, '_>,
    id: ComponentId,
    name: &Spanned<String>,
) -> Option<VariableId> {
    let model = context.names.model(id)?;
    let Some(variable) = context.names.variable(id, &name.value) else {
        let before = context.doubtful[id.index()];
        context.report_unknown_variable(id, model, Written::new(name), Some(Causality::Input));
        // A wrong name here explains nothing about inputs that nothing feeds.
        context.doubtful[id.index()] = before;
        return None;
    };
    let causality = model.variables[variable.index()].causality;
    if causality == Causality::Input {
        return Some(variable);
    }
    let message = format!("`{}` is no input, so it cannot be reactive", name.value);
    context.push(
        Diagnostic::error("system::not-an-input", message)
            .maybe_at(Written::new(name).span, format!("this is of causality {causality}"))
            .help("name inputs that take their value at the end of a step"),
    );
    None
}
