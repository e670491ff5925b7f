//! Our own annotations.

use super::super::document::Settings;
use super::super::xml::{Session, Tag};
use super::positive;
use consort_core::{Diagnostic, HashMode, Literal, Provider, SetupOrder, SolverKind};
use consort_system::{
    Action, Component, Continuous, DeclaredNode, Experiment, Intervention, Isolation,
    IterationMethod, IterationOptions, LoopChoice, LoopRule, OnDivergence, Order, Parameter,
    Record, Solving, Spanned, StepConstraint, StepLength, VariableStep, When,
};

pub(super) fn experiment(session: &mut Session<'_>, tag: Tag<'_>, settings: &mut Settings) {
    const ATTRIBUTES: &[&str] = &[
        "start",
        "stop",
        "step",
        "resolution",
        "seed",
        "tolerance",
        "solver",
        "solverStep",
        "isolate",
        "record",
        "hash",
        "input",
        "order",
        "continuous",
        "loops",
        "onDivergence",
        "connectorUnits",
    ];
    const CHILDREN: &[&str] = &[
        "Record",
        "Unhashed",
        "Plot",
        "Iteration",
        "Loop",
        "VariableStep",
        "Intervention",
        "Node",
    ];
    session.known(tag, ATTRIBUTES, CHILDREN);
    settings.repeats_model_units = tag.text("connectorUnits") == Some("model");
    times(session, tag, &mut settings.experiment);
    record(session, tag, &mut settings.experiment);
    coupling(session, tag, &mut settings.experiment);
    for child in tag.all("Intervention") {
        settings.interventions.extend(intervention(session, child));
    }
    for child in tag.all("Node") {
        settings.nodes.extend(node(session, child));
    }
}

fn node(session: &mut Session<'_>, tag: Tag<'_>) -> Option<DeclaredNode> {
    session.known(tag, &["name"], &["Component"]);
    let name = session.required(tag, "name", "name the node: `name=\"plant\"`")?;
    let name = Spanned { value: name.value.to_owned(), span: name.span };
    Some(DeclaredNode { name, components: patterns(session, tag, "Component") })
}

fn times(session: &mut Session<'_>, tag: Tag<'_>, experiment: &mut Experiment) {
    if let Some(start) = session.seconds(tag, "start") {
        experiment.start = start;
    }
    for (name, place) in [
        ("stop", &mut experiment.stop),
        ("step", &mut experiment.step),
        ("resolution", &mut experiment.resolution),
    ] {
        if let Some(time) = session.seconds(tag, name) {
            *place = Some(time);
        }
    }
    if let Some(seed) = session.number(tag, "seed", "a whole number from 0 on") {
        experiment.seed = seed.value;
    }
    if let Some(tolerance) = positive(session, tag, "tolerance") {
        experiment.tolerance = Some(tolerance);
    }
    experiment.solver.solver = solver(session, tag);
    experiment.solver.step = session.seconds(tag, "solverStep");
    experiment.isolate = session.flag(tag, "isolate").unwrap_or(false);
}

fn record(session: &mut Session<'_>, tag: Tag<'_>, experiment: &mut Experiment) {
    const CHOICES: [(u8, &str); 4] = [(0, "outputs"), (1, "all"), (2, "nothing"), (3, "these")];
    if let Some(choice) = session.choice(tag, "record", &CHOICES) {
        experiment.record = match choice.value {
            0 => Record::Outputs,
            1 => Record::All,
            2 => Record::Nothing,
            _ => Record::These(patterns(session, tag, "Record")),
        };
    }
    if let Some(hash) = session.choice(tag, "hash", &HashMode::ALL) {
        experiment.hash = hash.value;
    }
    experiment.unhashed = patterns(session, tag, "Unhashed");
    experiment.plot = patterns(session, tag, "Plot");
    experiment.input = tag.owned("input");
}

fn patterns(session: &mut Session<'_>, tag: Tag<'_>, name: &'static str) -> Vec<Spanned<String>> {
    let mut pattern = |tag: Tag<'_>| {
        let found = session.required(tag, "pattern", "such as `pattern=\"tank.*\"`")?;
        Some(Spanned { value: found.value.to_owned(), span: found.span })
    };
    tag.all(name).filter_map(&mut pattern).collect()
}

fn coupling(session: &mut Session<'_>, tag: Tag<'_>, experiment: &mut Experiment) {
    let coupling = &mut experiment.coupling;
    coupling.order = session.choice(tag, "order", &Order::ALL);
    coupling.continuous = session.choice(tag, "continuous", &Continuous::ALL);
    coupling.loops = session.choice(tag, "loops", &LoopChoice::ALL);
    coupling.on_divergence = session.choice(tag, "onDivergence", &OnDivergence::ALL);
    if let Some(tag) = tag.child("Iteration") {
        session.known(tag, &ITERATION, &[]);
        coupling.iteration = iteration(session, tag);
    }
    for tag in tag.all("Loop") {
        session.known(tag, &[&ITERATION[..], &["through", "iterate", "policy"]].concat(), &[]);
        let policy = match session.flag(tag, "iterate") {
            Some(false) => LoopChoice::Error,
            Some(true) | None => LoopChoice::Iterate,
        };
        let written = session.choice(tag, "policy", &LoopChoice::ALL);
        let policy = written.map_or(policy, |written| written.value);
        let help = "name a variable on the loop: `through=\"tank.level\"`";
        let Some(through) = session.required(tag, "through", help) else { continue };
        let through = Spanned { value: through.value.to_owned(), span: through.span };
        let iteration = iteration(session, tag);
        coupling.rules.push(LoopRule { through, policy, iteration });
    }
    if let Some(tag) = tag.child("VariableStep") {
        coupling.variable_step = Some(variable_step(session, tag));
    }
}

const ITERATION: [&str; 5] = ["method", "tolerance", "limit", "relaxation", "acceptAfter"];

fn iteration(session: &mut Session<'_>, tag: Tag<'_>) -> IterationOptions {
    IterationOptions {
        method: session.choice(tag, "method", &IterationMethod::ALL),
        tolerance: positive(session, tag, "tolerance"),
        limit: session.number(tag, "limit", "a whole number"),
        relaxation: positive(session, tag, "relaxation"),
        accept_after: session.number(tag, "acceptAfter", "a whole number"),
    }
}

fn variable_step(session: &mut Session<'_>, tag: Tag<'_>) -> VariableStep {
    let attributes = ["initial", "min", "max", "relative", "absolute", "errorControl"];
    session.known(tag, &attributes, &["Constraint"]);
    let constraints = tag.all("Constraint").filter_map(|tag| constraint(session, tag)).collect();
    VariableStep {
        constraints,
        initial: session.seconds(tag, "initial"),
        min: session.seconds(tag, "min"),
        max: session.seconds(tag, "max"),
        relative: positive(session, tag, "relative"),
        absolute: positive(session, tag, "absolute"),
        error_control: session.choice(tag, "errorControl", &[(true, "true"), (false, "false")]),
    }
}

fn constraint(session: &mut Session<'_>, tag: Tag<'_>) -> Option<StepConstraint> {
    let attributes = ["kind", "tolerance", "absolute", "relative", "start", "period"];
    session.known(tag, &attributes, &["Variable"]);
    let kinds = StepConstraint::KINDS.map(|kind| (kind, kind));
    let variables = patterns(session, tag, "Variable");
    match session.choice(tag, "kind", &kinds)?.value {
        "zero-crossing" => {
            let tolerance = positive(session, tag, "tolerance");
            Some(StepConstraint::ZeroCrossing { variables, tolerance })
        }
        "bounded-difference" => Some(StepConstraint::BoundedDifference {
            variables,
            absolute: positive(session, tag, "absolute"),
            relative: positive(session, tag, "relative"),
        }),
        "component-max-step" => Some(StepConstraint::ComponentMax),
        _ => Some(StepConstraint::Sampling {
            start: session.seconds(tag, "start"),
            period: session.seconds(tag, "period")?,
        }),
    }
}

fn intervention(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Intervention> {
    const ACTIONS: [&str; 5] = ["set", "override", "offset", "freeze", "release"];
    session.known(tag, &[&ACTIONS[..], &["at", "when", "target", "unit"]].concat(), &[]);
    let when = match tag.owned("when") {
        Some(condition) => When::Condition(condition),
        None => {
            session.required(tag, "at", "say when: `at=\"10\"` or `when=\"tank.level &gt; 1\"`")?;
            When::At(session.seconds(tag, "at")?)
        }
    };
    let help = "name what it acts on: `target=\"pid.kp\"`";
    let target = session.required(tag, "target", help)?;
    let target = Spanned { value: target.value.to_owned(), span: target.span };
    let action = action(session, tag)?;
    Some(Intervention { when, target, action, unit: tag.owned("unit") })
}

fn action(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Action> {
    if tag.text("freeze").is_some() {
        return Some(Action::Freeze);
    }
    if tag.text("release").is_some() {
        return Some(Action::Release);
    }
    const VALUES: [&str; 3] = ["set", "override", "offset"];
    let Some(name) = VALUES.into_iter().find(|name| tag.text(name).is_some()) else {
        session.report(
            Diagnostic::error("ssp::missing-attribute", "an intervention does nothing")
                .at(tag.span(), "no action in here")
                .help("write `set`, `override`, `offset`, `freeze` or `release`"),
        );
        return None;
    };
    let value = literal(session, tag, name)?;
    Some(match name {
        "set" => Action::Set(value),
        "override" => Action::Override(value),
        _ => Action::Offset(value),
    })
}

/// A value as `system.toml` has it.
fn literal(session: &mut Session<'_>, tag: Tag<'_>, name: &str) -> Option<Spanned<Literal>> {
    let found = tag.attribute(name)?;
    let literal = consort_toml::parse_literal(found.value);
    if literal.is_none() {
        session.bad_value(name, &found, "a value as in `system.toml`");
    }
    Some(Spanned { value: literal?, span: found.span })
}

pub(super) fn component(session: &mut Session<'_>, tag: Tag<'_>, component: &mut Component) {
    const ATTRIBUTES: &[&str] = &[
        "step",
        "stepLength",
        "concurrent",
        "sendStartValues",
        "setup",
        "eventMode",
        "solver",
        "tolerance",
        "solverStep",
        "isolate",
        "state",
    ];
    session.known(tag, ATTRIBUTES, &["Reactive", "Parameter"]);
    if let Some(step) = session.seconds(tag, "step") {
        component.step = Some(step);
    }
    let length = session.choice(tag, "stepLength", &StepLength::ALL);
    component.step_length = length.map_or(StepLength::Fixed, |length| length.value);
    component.concurrent = session.flag(tag, "concurrent").unwrap_or(false);
    component.send_start_values = session.flag(tag, "sendStartValues").unwrap_or(false);
    let setup = session.choice(tag, "setup", &SetupOrder::ALL);
    component.setup = setup.map_or(SetupOrder::First, |setup| setup.value);
    component.event_mode = session.flag(tag, "eventMode").unwrap_or(true);
    solving(session, tag, &mut component.solving);
    component.isolation = isolation(session, tag);
    for tag in tag.all("Reactive") {
        let found = session.required(tag, "variable", "name an input: `variable=\"valve\"`");
        let own = |it: Spanned<&str>| Spanned { value: it.value.to_owned(), span: it.span };
        component.reactive.extend(found.map(own));
    }
    for tag in tag.all("Parameter") {
        component.parameters.extend(parameter(session, tag));
    }
}

fn solving(session: &mut Session<'_>, tag: Tag<'_>, solving: &mut Solving) {
    solving.solver = solver(session, tag);
    solving.tolerance = positive(session, tag, "tolerance");
    solving.step = session.seconds(tag, "solverStep");
}

fn isolation(session: &mut Session<'_>, tag: Tag<'_>) -> Isolation {
    let span = tag.attribute("isolate").and_then(|found| found.span);
    let isolate = session.flag(tag, "isolate").map(|value| Spanned { value, span });
    Isolation { isolate, state: session.choice(tag, "state", &Provider::ALL) }
}

fn solver(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Spanned<SolverKind>> {
    let found = tag.attribute("solver")?;
    let Some(kind) = SolverKind::from_name(found.value) else {
        session.report(crate::unknown_solver(found.value, found.span));
        return None;
    };
    Some(Spanned { value: kind, span: found.span })
}

fn parameter(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Parameter> {
    session.known(tag, &["name", "value", "unit"], &[]);
    let name = session.required(tag, "name", "name the variable: `name=\"area\"`")?;
    session.required(tag, "value", "write the value: `value=\"1.5\"`")?;
    let value = literal(session, tag, "value")?;
    let name = Spanned { value: name.value.to_owned(), span: name.span };
    Some(Parameter { name, value, unit: tag.owned("unit") })
}
