//! Components that say how long their next step may be.

use crate::support::{Behavior, Bench, TestModel, float, put, variable};
use crate::variable::{ticks, times, variable_step};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, Causality, Model, Step, StepOutcome, Time, ValueType, Values,
};
use consort_engine::RunError;
use consort_system::ResolvedStepConstraint;
use std::sync::Arc;

/// Where it is [s], and the longest step from there [s].
struct Paced(fn(f64) -> CallResult<Option<f64>>);

impl Behavior for Paced {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 0, step.start + step.length);
        Ok(StepOutcome::complete(step))
    }
    fn step_max(&mut self, values: &[Values]) -> CallResult<Option<f64>> {
        (self.0)(float(&values[0]))
    }
}

fn paced(bound: fn(f64) -> CallResult<Option<f64>>, saves: bool) -> Arc<dyn Model> {
    let y = variable("y", Causality::Output, ValueType::Float64);
    let model = TestModel::new(vec![y], move || Paced(bound));
    model.adjust(|it| it.capabilities.save_state = saves).shared()
}

/// A tenth of a second in the first second, then 30 ms.
fn in_two_speeds(now: f64) -> CallResult<Option<f64>> {
    Ok(Some(if now < 1.0 - 1e-9 { 0.1 } else { 0.03 }))
}

/// Ticks are 0.1 ms.
fn asked(bench: Bench, limits: [i64; 3], tolerances: Option<f64>) -> Bench {
    let mut bench = variable_step(bench, limits, tolerances);
    bench.system.coupling.constraints.push(ResolvedStepConstraint::ComponentMax);
    bench
}

/// By hand: the tags of `in_two_speeds` where nothing else bounds steps.
fn two_speeds() -> Vec<i64> {
    let slow = (0..10).map(|step| 1000 * step);
    let fast = (0..34).map(|step| 10_000 + 300 * step);
    slow.chain(fast).chain([20_000]).collect()
}

fn one(saves: bool) -> Bench {
    Bench::new(20_000).add("a", paced(in_two_speeds, saves), 1)
}

#[test]
fn steps_are_as_long_as_a_component_allows_and_no_longer() {
    for (saves, tolerances) in [(true, None), (false, None), (true, Some(1e-3))] {
        for workers in [1, 2] {
            let (trace, summary) = asked(one(saves), [5000, 1, 5000], tolerances).run(workers);
            assert_eq!(times(&trace), two_speeds(), "{saves} {tolerances:?} {workers}");
            assert_eq!(summary.statistics.steps_rejected, 0);
            assert_eq!(summary.problems, []);
        }
    }
    // Without the constraint nothing is asked.
    let (trace, summary) = variable_step(one(true), [5000, 1, 5000], None).run(1);
    assert_eq!(times(&trace), [0, 5000, 10_000, 15_000, 20_000]);
    assert_eq!(summary.problems, []);
}

#[test]
fn the_least_of_all_answers_counts_and_is_rounded_down() {
    // 12.7, 3333.3 and 40 ticks.
    let bench = Bench::new(100)
        .add("none", paced(|_| Ok(None), true), 1)
        .add("long", paced(|_| Ok(Some(1.0 / 3.0)), true), 1)
        .add("short", paced(|now| Ok((now < 30e-4).then_some(12.7e-4)), false), 1)
        .add("middle", paced(|_| Ok(Some(40e-4)), true), 1);
    let (trace, summary) = asked(bench, [5000, 1, 5000], None).run(2);
    assert_eq!(times(&trace), [0, 12, 24, 36, 76, 100]);
    assert_eq!(summary.problems, []);
}

#[test]
fn a_bound_below_the_shortest_step_is_reported() {
    let bound = |now: f64| Ok(Some(if now < 50e-4 { 10e-4 } else { 5e-4 }));
    let bench = Bench::new(100).add("a", paced(bound, true), 1);
    let (trace, summary) = asked(bench, [20, 8, 20], None).run(1);
    assert_eq!(times(&trace), [0, 10, 20, 30, 40, 50, 58, 66, 74, 82, 90, 98, 100]);
    let [RunError::ConstraintUnmet { times: 6, first, .. }] = &summary.problems[..] else {
        panic!("{:?}", summary.problems)
    };
    assert_eq!(first.time.ticks(), 50);
}

#[test]
fn every_tag_up_to_the_time_asked_for_is_done() {
    let (mut run, _) = asked(one(true), [5000, 1, 5000], None).start(1).expect("it starts");
    for until in (0..=20_000).step_by(50) {
        run.advance(ticks(until)).expect("it runs");
        let expected = two_speeds().into_iter().rfind(|&tag| tag <= until);
        assert_eq!(Some(run.tag().time.ticks()), expected, "up to {until}");
    }
    let (_, summary) = asked(one(true), [5000, 1, 5000], None).run(1);
    assert_eq!(run.finish().trace_hash, summary.trace_hash);
}

#[test]
fn a_refusal_names_the_component() {
    let refuses = |now: f64| match now {
        ..0.15 => Ok(Some(0.1)),
        _ => Err(CallError::new("fmi2GetMaxStepsize", CallStatus::Discard)),
    };
    let bench = Bench::new(20_000).add("a", paced(in_two_speeds, true), 1).add(
        "b",
        paced(refuses, true),
        1,
    );
    let (mut run, _) = asked(bench, [5000, 1, 5000], None).start(1).expect("it starts");
    let failure = run.advance(Time::MAX).expect_err("it refuses");
    let RunError::Call { component, tag, error } = &failure else { panic!("{failure:?}") };
    assert_eq!((component.as_str(), tag.time.ticks()), ("b", 2000));
    assert_eq!(error.call, "fmi2GetMaxStepsize");
}

#[test]
fn a_constraint_that_no_component_knows_of_is_reported() {
    let bench = Bench::new(100).add("a", paced(|_| Ok(None), true), 1);
    let (trace, summary) = asked(bench, [50, 1, 50], None).run(1);
    assert_eq!(times(&trace), [0, 50, 100]);
    assert_eq!(summary.problems, [RunError::NoStepLimitReported]);
}
