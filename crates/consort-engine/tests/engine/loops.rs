//! Algebraic loops: solved at every tag, by reading again or by stepping again.

use crate::support::{
    Behavior, Bench, TestModel, clock, depends_on_inputs, float, in_and_out, numbers, put, stepped,
    through, variable,
};
use consort_core::model::CallResult;
use consort_core::{
    Causality, Model, Refresh, Step, StepOutcome, Time, ValueType, Values, VariableId,
};
use consort_engine::{LoopFailure, RunError};
use consort_system::{
    Effect, Iteration, IterationMethod, LoopPolicy, ResolvedIntervention, Target, Trigger,
};
use std::sync::Arc;

/// y = u + v at once: v is the outside.
struct Sum;

impl Behavior for Sum {
    fn refresh(&mut self, values: &mut [Values]) {
        put(values, 2, float(&values[0]) + float(&values[1]));
    }
}

fn sum() -> Arc<dyn Model> {
    let variables = vec![
        variable("u", Causality::Input, ValueType::Float64),
        variable("v", Causality::Input, ValueType::Float64),
        variable("y", Causality::Output, ValueType::Float64),
    ];
    TestModel::new(variables, || Sum).adjust(depends_on_inputs).shared()
}

fn iterate(mut bench: Bench, method: IterationMethod) -> Bench {
    bench.system.coupling.loops = LoopPolicy::Iterate(Iteration { method, ..Iteration::default() });
    bench
}

/// sum.y = clock + k sum.y + c
fn feedback(model: Arc<dyn Model>) -> Bench {
    Bench::new(5)
        .add("clock", clock(), 1)
        .add("sum", sum(), 1)
        .add("back", model, 1)
        .wire("clock.y", "sum.v")
        .wire("sum.y", "back.u")
        .wire("back.y", "sum.u")
}

const METHODS: [IterationMethod; 4] = [
    IterationMethod::Auto,
    IterationMethod::FixedPoint,
    IterationMethod::Newton,
    IterationMethod::Broyden,
];

fn check_closed_form(bench: Bench, factor: f64, constant: f64) {
    let (trace, summary) = bench.run(1);
    let (inputs, outputs) = (numbers(&trace, "clock.y"), numbers(&trace, "sum.y"));
    for (input, output) in inputs.iter().zip(outputs) {
        let exact = (input + constant) / (1.0 - factor);
        assert!((output - exact).abs() < 1e-8, "{output} is not {exact}");
    }
    assert!(5 <= summary.statistics.loop_evaluations, "{:?}", summary.statistics);
}

#[test]
fn a_loop_of_feedthrough_has_its_closed_form_at_every_tag() {
    for method in METHODS {
        check_closed_form(iterate(feedback(through(-0.4, 1.0)), method), -0.4, 1.0);
    }
    for method in [IterationMethod::Auto, IterationMethod::Newton, IterationMethod::Broyden] {
        check_closed_form(iterate(feedback(through(-3.0, 1.0)), method), -3.0, 1.0);
    }
}

#[test]
fn a_loop_without_a_unique_solution_says_so() {
    // 0 = clock: true at the start, and at no other tag.
    let bench = iterate(feedback(through(1.0, 0.0)), IterationMethod::Auto);
    let (mut run, _) = bench.start(1).expect("at the start every value is a solution");
    let failure = run.advance(Time::MAX).expect_err("there is no solution");
    let RunError::LoopNotSolved { why: LoopFailure::Singular, tag, residuals, .. } = failure else {
        panic!("{failure:?}")
    };
    assert_eq!((tag.time.ticks(), residuals.len()), (1, 1), "{residuals:?}");
}

#[test]
fn a_loop_that_is_given_up_names_its_connections_and_residuals() {
    let mut bench = iterate(feedback(through(-3.0, 1.0)), IterationMethod::FixedPoint);
    if let LoopPolicy::Iterate(iteration) = &mut bench.system.coupling.loops {
        iteration.limit = 7;
    }
    let resolution = bench.system.experiment.resolution;
    let failure = bench.start(1).err().expect("it does not contract");
    let RunError::LoopNotSolved { why, evaluations, residuals, .. } = &failure else {
        panic!("{failure:?}")
    };
    assert_eq!((*why, *evaluations), (LoopFailure::Limit, 7));
    let [(connection, residual)] = &residuals[..] else { panic!("{residuals:?}") };
    assert!(1.0 < residual.abs(), "{residual}");
    let text = format!("{:?}", failure.diagnostic(resolution));
    assert!(text.contains(connection) && text.contains("given up after 7 evaluations"), "{text}");
    assert!(text.contains(&format!("residual {residual:.3e} at")), "{text}");
}

/// The same, with the values of the last of so many evaluations.
fn accepting(mut bench: Bench, method: IterationMethod, after: u32) -> Bench {
    let accept_after = Some(after);
    let iteration = Iteration { method, accept_after, ..Iteration::default() };
    bench.system.coupling.loops = LoopPolicy::Iterate(iteration);
    bench
}

#[test]
fn a_loop_that_is_not_solved_in_time_is_accepted_with_a_warning() {
    // Fixed point: z -> clock - 0.5 z + 1 halves its distance to the solution, from the last one.
    for after in [1, 2, 3, 8] {
        let bench = accepting(feedback(through(-0.5, 1.0)), IterationMethod::FixedPoint, after);
        let (trace, summary) = bench.run(1);
        let (inputs, outputs) = (numbers(&trace, "clock.y"), numbers(&trace, "sum.y"));
        let mut last = None;
        for (input, output) in inputs.iter().zip(outputs) {
            let exact = (input + 1.0) / 1.5;
            let error: f64 = output - exact;
            if let Some((before, exact_before)) = last {
                let start: f64 = before - exact_before + exact_before - exact;
                let expected = start * (-0.5_f64).powi(i32::try_from(after).unwrap());
                assert!((error - expected).abs() < 1e-9, "{after}: {error} is not {expected}");
            }
            last = Some((output, exact));
        }
        let [RunError::LoopsAccepted(accepted)] = &summary.problems[..] else {
            panic!("{:?}", summary.problems)
        };
        assert!((5..=7).contains(&accepted.times), "{accepted:?}");
        assert!(accepted.connection.contains(" -> "), "{accepted:?}");
        assert!(0.0 < accepted.residual && accepted.residual.is_finite(), "{accepted:?}");
    }
}

#[test]
fn a_loop_that_is_solved_in_time_is_as_if_nothing_were_accepted() {
    for method in [IterationMethod::Auto, IterationMethod::Newton, IterationMethod::Broyden] {
        let bench = accepting(feedback(through(-3.0, 1.0)), method, 90);
        let (trace, summary) = bench.run(1);
        let (plain, _) = iterate(feedback(through(-3.0, 1.0)), method).run(1);
        assert_eq!(numbers(&trace, "sum.y"), numbers(&plain, "sum.y"));
        assert_eq!(summary.problems, []);
    }
}

#[test]
fn a_loop_without_a_solution_is_accepted_unless_it_is_no_number() {
    let bench = accepting(feedback(through(1.0, 0.0)), IterationMethod::Auto, 9);
    let (_, summary) = bench.run(1);
    assert!(matches!(summary.problems[..], [RunError::LoopsAccepted(_)]), "{summary:?}");
    let failure = accepting(feedback(through(f64::NAN, 0.0)), IterationMethod::Auto, 9).start(1);
    let failure = failure.err();
    let why = match failure {
        Some(RunError::LoopNotSolved { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(why, LoopFailure::NotFinite);
}

#[test]
fn steps_that_are_repeated_are_accepted_too() {
    let bench = accepting(pair(-3.0), IterationMethod::FixedPoint, 4);
    let (_, summary) = bench.run(1);
    assert!(matches!(summary.problems[..], [RunError::LoopsAccepted(_)]), "{summary:?}");
}

#[test]
fn a_loop_through_which_no_number_comes_says_where() {
    for method in METHODS {
        let failure = iterate(feedback(through(f64::NAN, 0.0)), method).start(1).err();
        let Some(RunError::LoopNotSolved { why, starting: true, residuals, .. }) = failure else {
            panic!("{failure:?}")
        };
        assert_eq!(why, LoopFailure::NotFinite);
        assert!(residuals.len() == 1 && residuals[0].1.is_nan(), "{residuals:?}");
    }
}

/// Two components by steps, each with a reactive input from the other: both ends of a step must
/// agree, which takes going back.
pub(crate) fn pair(factor: f64) -> Bench {
    let mut bench = Bench::new(5)
        .add("clock", clock(), 1)
        .add("sum", stepped_sum(), 1)
        .add("back", stepped(factor, 1.0), 1)
        .wire("clock.y", "sum.v")
        .wire("sum.y", "back.u")
        .wire("back.y", "sum.u");
    bench.system.components[1].reactive = vec![VariableId(0), VariableId(1)];
    bench.system.components[2].reactive = vec![VariableId(0)];
    iterate(bench, IterationMethod::Auto)
}

/// y = u + v by steps; counts its steps in `n`, which goes back with the rest.
struct SteppedSum;

impl Behavior for SteppedSum {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 2, float(&values[0]) + float(&values[1]));
        put(values, 3, float(&values[3]) + 1.0);
        Ok(StepOutcome::complete(step))
    }
}

fn stepped_sum() -> Arc<dyn Model> {
    let variables = vec![
        variable("u", Causality::Input, ValueType::Float64),
        variable("v", Causality::Input, ValueType::Float64),
        variable("y", Causality::Output, ValueType::Float64),
        variable("n", Causality::Output, ValueType::Float64),
    ];
    TestModel::new(variables, || SteppedSum)
        .adjust(|description| {
            description.capabilities.refresh = Refresh::ByStep;
            depends_on_inputs(description);
        })
        .shared()
}

#[test]
fn a_loop_of_steps_goes_back_and_agrees_at_the_end_of_the_step() {
    let (trace, summary) = pair(-3.0).run(1);
    assert!(numbers(&trace, "sum.y").len() == 6);
    let (inputs, outputs) = (numbers(&trace, "clock.y"), numbers(&trace, "sum.y"));
    for (input, output) in inputs.iter().zip(outputs).skip(1) {
        let exact = (input + 1.0) / 4.0;
        assert!((output - exact).abs() < 1e-8, "{output} is not {exact}");
    }
    let steps = numbers(&trace, "sum.n");
    assert_eq!(steps, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "what stays is one step per tag");
    assert!(5 < summary.statistics.loop_evaluations);
}

#[test]
fn loops_are_repeatable_whatever_the_workers_do() {
    for make in [
        || iterate(feedback(through(-3.0, 1.0)), IterationMethod::Auto),
        || pair(-3.0),
        || pair(0.3),
    ] {
        let (reference, summary) = make().run(1);
        for workers in [2, 8] {
            let (trace, other) = make().run(workers);
            assert_eq!(other.trace_hash, summary.trace_hash, "{workers} workers");
            assert_eq!(trace, reference, "{workers} workers");
            assert_eq!(
                other.statistics.loop_evaluations, summary.statistics.loop_evaluations,
                "{workers} workers"
            );
        }
    }
}

#[test]
fn an_offset_inside_of_a_loop_is_part_of_what_is_solved() {
    let mut bench = iterate(feedback(through(-3.0, 1.0)), IterationMethod::Auto);
    bench.system.interventions = vec![ResolvedIntervention {
        trigger: Trigger::At(Time::from_ticks(2)),
        target: Target::Output(bench.port("back.y")),
        effect: Effect::Offset(Values::Float64(vec![10.0])),
    }];
    let (trace, _) = bench.run(1);
    let (inputs, outputs) = (numbers(&trace, "clock.y"), numbers(&trace, "sum.y"));
    for (index, (input, output)) in inputs.iter().zip(outputs).enumerate() {
        let offset = if index < 2 { 0.0 } else { 10.0 };
        let exact = (input + 1.0 + offset) / 4.0;
        assert!((output - exact).abs() < 1e-8, "{output} is not {exact}");
    }
}

#[test]
fn a_loop_over_two_rates_is_solved_for_those_that_are_due() {
    let bench = Bench::new(4)
        .add("clock", clock(), 1)
        .add("sum", sum(), 1)
        .add("back", through(-3.0, 0.0), 2)
        .wire("clock.y", "sum.v")
        .wire("sum.y", "back.u")
        .wire("back.y", "sum.u");
    let (trace, _) = iterate(bench, IterationMethod::Auto).run(1);
    let (inputs, back) = (numbers(&trace, "clock.y"), numbers(&trace, "back.y"));
    for (index, output) in numbers(&trace, "sum.y").into_iter().enumerate() {
        // Where the slow one is not due, it stays, and the fast one follows what there is.
        let exact =
            if index % 2 == 0 { inputs[index] / 4.0 } else { inputs[index] + back[index - 1] };
        assert!((output - exact).abs() < 1e-8, "{index}: {output} is not {exact}");
    }
}

/// y = k u + t at once; the time is that of the last step.
struct Drift(f64);

impl Behavior for Drift {
    fn refresh(&mut self, values: &mut [Values]) {
        put(values, 1, self.0 * float(&values[0]) + float(&values[2]));
    }
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 2, step.start + step.length);
        Ok(StepOutcome::complete(step))
    }
    fn derivative(&self) -> Option<f64> {
        Some(self.0)
    }
}

#[test]
fn derivatives_of_the_components_save_evaluations() {
    let ring = |derivatives: bool| {
        let model = |factor| {
            let mut variables = in_and_out();
            variables.push(variable("t", Causality::Local, ValueType::Float64));
            TestModel::new(variables, move || Drift(factor))
                .adjust(depends_on_inputs)
                .adjust(|it| it.capabilities.directional_derivatives = derivatives)
                .shared()
        };
        let mut bench = Bench::new(5)
            .add("a", model(4.0), 1)
            .add("b", model(-2.0), 1)
            .wire("a.y", "b.u")
            .wire("b.y", "a.u");
        bench.system.connections[1].conversion.gain = 0.5;
        // a = 4 (b / 2) + t and b = -2 a + t, so a = 0.6 t
        let (trace, summary) = iterate(bench, IterationMethod::Newton).run(1);
        let solution = numbers(&trace, "a.y");
        assert_eq!(solution.len(), 6);
        for (index, value) in solution.iter().enumerate() {
            assert!((value - 0.06 * index as f64).abs() < 1e-8, "{solution:?}");
        }
        summary.statistics.loop_evaluations
    };
    let (with, without) = (ring(true), ring(false));
    assert!(with < without, "{with} < {without}");
}

/// A whole number counts up to 3 by feedback: n = min(m + 1, 3) at once.
struct Count;

impl Behavior for Count {
    fn refresh(&mut self, values: &mut [Values]) {
        let Values::Int32(given) = &values[0] else { panic!("an Int32") };
        values[1] = Values::Int32(vec![(given[0] + 1).min(3)]);
    }
}

#[test]
fn what_is_no_real_number_must_come_back_as_it_was_given() {
    let variables = || {
        vec![
            variable("u", Causality::Input, ValueType::Int32),
            variable("y", Causality::Output, ValueType::Int32),
        ]
    };
    let model = TestModel::new(variables(), || Count).adjust(depends_on_inputs).shared();
    let bench = Bench::new(2).add("count", model, 1).wire("count.y", "count.u");
    let (trace, _) = iterate(bench, IterationMethod::Auto).run(1);
    assert_eq!(crate::support::column(&trace, "count.u"), ["3", "3", "3"]);
}

#[test]
fn a_gain_in_a_loop_of_its_own_is_a_loop_too() {
    let model = TestModel::new(in_and_out(), || Half).adjust(depends_on_inputs).shared();
    let bench = Bench::new(2).add("half", model, 1).wire("half.y", "half.u");
    let (trace, _) = iterate(bench, IterationMethod::Newton).run(1);
    assert!(numbers(&trace, "half.y").iter().all(|value| (value - 2.0).abs() < 1e-8));
}

/// y = u / 2 + 1 at once.
struct Half;

impl Behavior for Half {
    fn refresh(&mut self, values: &mut [Values]) {
        put(values, 1, float(&values[0]) / 2.0 + 1.0);
    }
}
