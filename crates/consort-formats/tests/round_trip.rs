//! What is written is read as the same system.

use consort_core::{
    HashMode, Interface, Literal, Provider, Report, Seconds, SetupOrder, SolverKind,
};
use consort_formats::{read_system, write_system};
use consort_system::{
    Action, Component, Connection, Continuous, Coupling, DeclaredNode, Experiment, Hold,
    Intervention, Isolation, IterationMethod, IterationOptions, Linear, LoopChoice, LoopRule,
    OnDivergence, Order, Parameter, Record, SolverDefaults, Solving, Spanned, StepConstraint,
    StepLength, SystemDescription, VariableStep, When,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    // Everything TOML has to escape, and what people write.
    let odd = vec(
        prop::sample::select(vec![
            '"',
            '\\',
            '\n',
            '\t',
            '\r',
            '\u{7f}',
            '\u{1}',
            'é',
            '\u{1F600}',
        ]),
        0..4,
    );
    let odd = odd.prop_map(|chars| chars.into_iter().collect::<String>());
    prop_oneof!["[a-z]{1,6}[.][a-z]{1,6}", ".{0,8}", odd]
}

fn spanned_text() -> impl Strategy<Value = Spanned<String>> {
    text().prop_map(Spanned::assumed)
}

fn seconds() -> impl Strategy<Value = Spanned<Seconds>> {
    let fraction = (any::<i64>(), 1..u64::MAX);
    let short = (-1000i64..1000, prop_oneof![Just(1u64), Just(10), Just(1000), Just(30), Just(7)]);
    prop_oneof![fraction, short].prop_map(|(above, below)| {
        Spanned::assumed(Seconds::new(above, below).expect("below is not zero"))
    })
}

fn literal() -> impl Strategy<Value = Spanned<Literal>> {
    let scalar = prop_oneof![
        any::<bool>().prop_map(Literal::Boolean),
        any::<i128>().prop_map(Literal::Integer),
        any::<f64>()
            .prop_filter("NaN differs from itself", |it| !it.is_nan())
            .prop_map(Literal::Float),
        text().prop_map(Literal::Text),
    ];
    let nested = scalar.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(Literal::Array));
    nested.prop_map(Spanned::assumed)
}

fn parameters() -> impl Strategy<Value = Vec<Parameter>> {
    let map = btree_map(text(), (literal(), option::of(spanned_text())), 0..4);
    map.prop_map(|map| {
        let parameter =
            |(name, (value, unit))| Parameter { name: Spanned::assumed(name), value, unit };
        map.into_iter().map(parameter).collect()
    })
}

fn solver() -> impl Strategy<Value = SolverDefaults> {
    let kind = prop::sample::select(SolverKind::ALL.map(|(kind, _)| kind).to_vec());
    (option::of(kind.prop_map(Spanned::assumed)), option::of(seconds()))
        .prop_map(|(solver, step)| SolverDefaults { solver, step })
}

fn part() -> impl Strategy<Value = Spanned<f64>> {
    (1e-300..1e300f64).prop_map(Spanned::assumed)
}

fn solving() -> impl Strategy<Value = Solving> {
    let interface = prop::sample::select(Interface::ALL.map(|(interface, _)| interface).to_vec());
    let interface = option::of(interface.prop_map(Spanned::assumed));
    (interface, solver(), option::of(part())).prop_map(|(interface, defaults, tolerance)| {
        let SolverDefaults { solver, step } = defaults;
        Solving { interface, solver, tolerance, step }
    })
}

fn isolation() -> impl Strategy<Value = Isolation> {
    let provider = prop::sample::select(Provider::ALL.map(|(provider, _)| provider).to_vec());
    let state = option::of(provider.prop_map(Spanned::assumed));
    (option::of(any::<bool>().prop_map(Spanned::assumed)), state)
        .prop_map(|(isolate, state)| Isolation { isolate, state })
}

fn components() -> impl Strategy<Value = Vec<Component>> {
    let setups = prop::sample::select(SetupOrder::ALL.map(|(order, _)| order).to_vec());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), setups);
    let rest = (
        spanned_text(),
        parameters(),
        option::of(seconds()),
        flags,
        vec(spanned_text(), 0..3),
        solving(),
        isolation(),
    );
    btree_map("[A-Za-zäö0-9_-]{1,6}(/[a-z]{1,3}){0,2}", rest, 1..4).prop_map(|map| {
        let component = |(name, (model, parameters, step, flags, reactive, solving, isolation))| {
            let (to_end, concurrent, send_start_values, event_mode, setup): (bool, _, _, _, _) =
                flags;
            Component {
                name: Spanned::assumed(name),
                model,
                parameters,
                step,
                step_length: if to_end { StepLength::ToEnd } else { StepLength::Fixed },
                concurrent,
                send_start_values,
                setup,
                event_mode,
                reactive,
                solving,
                isolation,
            }
        };
        map.into_iter().map(component).collect()
    })
}

fn connections() -> impl Strategy<Value = Vec<Connection>> {
    let hold = prop_oneof![Just(Hold::Hold), Just(Hold::Extrapolate)];
    let linear = (number(), number())
        .prop_map(|(factor, offset)| Linear { factor: factor.value, offset: offset.value });
    let wire = (spanned_text(), spanned_text(), hold, option::of(text()));
    let more = (any::<bool>(), option::of(linear), any::<bool>(), any::<bool>());
    vec(
        (wire, more).prop_map(|((from, to, hold, group), more)| {
            let (delay, transformation, suppress, convert) = more;
            Connection {
                hold,
                group,
                delay,
                transformation,
                suppress_unit_conversion: suppress,
                convert,
                ..Connection::new(from, to)
            }
        }),
        0..4,
    )
}

fn number() -> impl Strategy<Value = Spanned<f64>> {
    let number = any::<f64>().prop_filter("NaN differs from itself", |it| !it.is_nan());
    number.prop_map(Spanned::assumed)
}

fn iteration() -> impl Strategy<Value = IterationOptions> {
    let method = prop::sample::select(IterationMethod::ALL.map(|(method, _)| method).to_vec());
    let limit = any::<u32>().prop_map(Spanned::assumed);
    let method = method.prop_map(Spanned::assumed);
    let after = any::<u32>().prop_map(Spanned::assumed);
    let numbers = (option::of(number()), option::of(number()));
    (option::of(method), numbers, option::of(limit), option::of(after)).prop_map(
        |(method, (tolerance, relaxation), limit, accept_after)| IterationOptions {
            method,
            tolerance,
            limit,
            relaxation,
            accept_after,
        },
    )
}

fn variable_step() -> impl Strategy<Value = VariableStep> {
    let sizes = (option::of(seconds()), option::of(seconds()), option::of(seconds()));
    let control = any::<bool>().prop_map(Spanned::assumed);
    let rest = (option::of(number()), option::of(number()), option::of(control));
    (sizes, rest, vec(constraint(), 0..3)).prop_map(
        |((initial, min, max), (relative, absolute, error_control), constraints)| VariableStep {
            initial,
            min,
            max,
            relative,
            absolute,
            error_control,
            constraints,
        },
    )
}

fn constraint() -> impl Strategy<Value = StepConstraint> {
    let variables = || vec(spanned_text(), 0..3);
    prop_oneof![
        (variables(), option::of(number())).prop_map(|(variables, tolerance)| {
            StepConstraint::ZeroCrossing { variables, tolerance }
        }),
        (variables(), option::of(number()), option::of(number())).prop_map(
            |(variables, absolute, relative)| StepConstraint::BoundedDifference {
                variables,
                absolute,
                relative,
            }
        ),
        (option::of(seconds()), seconds())
            .prop_map(|(start, period)| StepConstraint::Sampling { start, period }),
        Just(StepConstraint::ComponentMax),
    ]
}

fn coupling() -> impl Strategy<Value = Coupling> {
    let order = prop::sample::select(Order::ALL.map(|(order, _)| order).to_vec());
    let order = option::of(order.prop_map(Spanned::assumed));
    let choice = || prop::sample::select(LoopChoice::ALL.map(|(choice, _)| choice).to_vec());
    let loops = option::of(choice().prop_map(Spanned::assumed));
    let rule = (spanned_text(), choice(), iteration());
    let rule =
        rule.prop_map(|(through, policy, iteration)| LoopRule { through, policy, iteration });
    let divergence = prop::sample::select(OnDivergence::ALL.map(|(it, _)| it).to_vec());
    let continuous = prop::sample::select(Continuous::ALL.map(|(it, _)| it).to_vec());
    let divergence = option::of(divergence.prop_map(Spanned::assumed));
    let choices = (order, option::of(continuous.prop_map(Spanned::assumed)), divergence);
    (choices, loops, iteration(), vec(rule, 0..3), option::of(variable_step())).prop_map(
        |((order, continuous, on_divergence), loops, iteration, rules, variable_step)| Coupling {
            order,
            continuous,
            on_divergence,
            loops,
            iteration,
            rules,
            variable_step,
        },
    )
}

fn interventions() -> impl Strategy<Value = Vec<Intervention>> {
    let when = prop_oneof![seconds().prop_map(When::At), spanned_text().prop_map(When::Condition)];
    let action = prop_oneof![
        literal().prop_map(Action::Set),
        literal().prop_map(Action::Override),
        literal().prop_map(Action::Offset),
        Just(Action::Freeze),
        Just(Action::Release),
    ];
    let one = (when, spanned_text(), action, option::of(spanned_text()));
    let make = |(when, target, action, unit)| Intervention { when, target, action, unit };
    vec(one.prop_map(make), 0..4)
}

fn nodes() -> impl Strategy<Value = Vec<DeclaredNode>> {
    let make =
        |(name, components): (String, _)| DeclaredNode { name: Spanned::assumed(name), components };
    let all = btree_map(text(), vec(spanned_text(), 0..3), 0..3);
    all.prop_map(move |nodes| nodes.into_iter().map(make).collect())
}

fn experiment() -> impl Strategy<Value = Experiment> {
    let record = prop_oneof![
        Just(Record::Outputs),
        Just(Record::All),
        Just(Record::Nothing),
        vec(spanned_text(), 0..3).prop_map(Record::These),
    ];
    let times = (seconds(), option::of(seconds()), option::of(seconds()), option::of(seconds()));
    let solving = (option::of(part()), solver(), any::<bool>());
    let names = (vec(spanned_text(), 0..3), vec(spanned_text(), 0..3), option::of(spanned_text()));
    let modes = prop::sample::select(HashMode::ALL.map(|(mode, _)| mode).to_vec());
    let record = (record, modes);
    (times, any::<u64>(), solving, record, names, coupling()).prop_map(
        |(times, seed, solving, (record, hash), (unhashed, plot, input), coupling)| {
            let (tolerance, solver, isolate) = solving;
            let (start, stop, step, resolution) = times;
            Experiment {
                start,
                stop,
                step,
                resolution,
                seed,
                tolerance,
                solver,
                isolate,
                record,
                hash,
                unhashed,
                plot,
                input,
                coupling,
            }
        },
    )
}

fn systems() -> impl Strategy<Value = SystemDescription> {
    // Boxed: all of it at once is too large for the stack of a test.
    let parts = (experiment().boxed(), components().boxed());
    let rest = (connections().boxed(), interventions().boxed(), nodes().boxed());
    (text(), parts, rest).prop_map(
        |(name, (experiment, components), (connections, interventions, nodes))| SystemDescription {
            name,
            experiment,
            components,
            connections,
            interventions,
            inputs: None,
            nodes,
        },
    )
}

fn forget<T>(spanned: &mut Option<Spanned<T>>) {
    spanned.iter_mut().for_each(|it| it.span = None);
}

fn forget_iteration(options: &mut IterationOptions) {
    forget(&mut options.method);
    forget(&mut options.tolerance);
    forget(&mut options.limit);
    forget(&mut options.relaxation);
    forget(&mut options.accept_after);
}

fn forget_constraint(constraint: &mut StepConstraint) {
    match constraint {
        StepConstraint::ZeroCrossing { variables, tolerance } => {
            variables.iter_mut().for_each(|it| it.span = None);
            forget(tolerance);
        }
        StepConstraint::BoundedDifference { variables, absolute, relative } => {
            variables.iter_mut().for_each(|it| it.span = None);
            [absolute, relative].into_iter().for_each(forget);
        }
        StepConstraint::Sampling { start, period } => {
            forget(start);
            period.span = None;
        }
        StepConstraint::ComponentMax => {}
    }
}

fn forget_coupling(coupling: &mut Coupling) {
    forget(&mut coupling.order);
    forget(&mut coupling.loops);
    forget(&mut coupling.on_divergence);
    forget(&mut coupling.continuous);
    forget_iteration(&mut coupling.iteration);
    for rule in &mut coupling.rules {
        rule.through.span = None;
        forget_iteration(&mut rule.iteration);
    }
    if let Some(step) = &mut coupling.variable_step {
        [&mut step.initial, &mut step.min, &mut step.max].into_iter().for_each(forget);
        [&mut step.relative, &mut step.absolute].into_iter().for_each(forget);
        forget(&mut step.error_control);
        step.constraints.iter_mut().for_each(forget_constraint);
    }
}

/// The system with nothing known about where it was written.
fn without_spans(mut system: SystemDescription) -> SystemDescription {
    let experiment = &mut system.experiment;
    forget_coupling(&mut experiment.coupling);
    experiment.start.span = None;
    let times = [&mut experiment.stop, &mut experiment.step, &mut experiment.resolution];
    times.into_iter().flatten().for_each(|it| it.span = None);
    forget(&mut experiment.tolerance);
    forget(&mut experiment.solver.solver);
    forget(&mut experiment.solver.step);
    if let Record::These(patterns) = &mut experiment.record {
        patterns.iter_mut().for_each(|it| it.span = None);
    }
    let patterns = experiment.unhashed.iter_mut().chain(&mut experiment.plot);
    patterns.chain(&mut experiment.input).for_each(|it| it.span = None);
    for component in &mut system.components {
        component.name.span = None;
        component.model.span = None;
        component.step.iter_mut().for_each(|it| it.span = None);
        component.reactive.iter_mut().for_each(|it| it.span = None);
        let solving = &mut component.solving;
        forget(&mut solving.interface);
        forget(&mut solving.solver);
        forget(&mut solving.tolerance);
        forget(&mut solving.step);
        forget(&mut component.isolation.isolate);
        forget(&mut component.isolation.state);
        for parameter in &mut component.parameters {
            parameter.name.span = None;
            parameter.value.span = None;
            parameter.unit.iter_mut().for_each(|it| it.span = None);
        }
    }
    for wire in &mut system.connections {
        (wire.from.span, wire.to.span) = (None, None);
    }
    for intervention in &mut system.interventions {
        intervention.target.span = None;
        intervention.unit.iter_mut().for_each(|it| it.span = None);
        match &mut intervention.when {
            When::At(at) => at.span = None,
            When::Condition(condition) => condition.span = None,
        }
        if let Action::Set(value) | Action::Override(value) | Action::Offset(value) =
            &mut intervention.action
        {
            value.span = None;
        }
    }
    for node in &mut system.nodes {
        node.name.span = None;
        node.components.iter_mut().for_each(|it| it.span = None);
    }
    system
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn reading_what_was_written_gives_the_same_system(system in systems()) {
        let written = write_system(&system);
        let mut report = Report::default();
        let again = read_system("test", &written, &mut report);
        prop_assert!(!report.has_errors(), "{}: {:#?}", written, report.diagnostics());
        prop_assert_eq!(again.map(without_spans), Some(system), "{}", written);
    }
}
