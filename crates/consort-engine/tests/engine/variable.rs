//! Steps of changing size: rejected, negotiated, and as long as accuracy allows.

use crate::support::{
    Behavior, Bench, TestModel, column, float, in_and_out, numbers, put, through, variable,
};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, Causality, EventUpdate, Model, Resolution, Seconds, Step, StepOutcome,
    StepReason, Time, ValueType, Values,
};
use consort_engine::{RunError, StepFailure};
use consort_system::{ResolvedStepConstraint, ResolvedVariableStep, StepTolerances};
use std::sync::Arc;

pub(crate) fn ticks(ticks: i64) -> Time {
    Time::from_ticks(ticks)
}

/// Ticks of a tenth of a millisecond; steps from 1 to `max` of them.
pub(crate) fn variable_step(mut bench: Bench, limits: [i64; 3], tolerances: Option<f64>) -> Bench {
    let [initial, min, max] = limits.map(ticks);
    let tick = Seconds::new(1, 10_000).and_then(Resolution::new);
    bench.system.experiment.resolution = tick.expect("a tenth of a millisecond");
    let tolerances = tolerances.map(|it| StepTolerances { relative: it, absolute: it });
    let limits = ResolvedVariableStep { initial, min, max, tolerances };
    bench.system.coupling.variable_step = Some(limits);
    bench
}

/// y' = k u, with u as it was at the start of the step.
struct Integrate {
    factor: f64,
    refuses: fn(&Step) -> Option<StepOutcome>,
}

impl Behavior for Integrate {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let outcome = (self.refuses)(step);
        let reached = outcome.map_or(step.to, |outcome| outcome.reached);
        let part = (reached.ticks() - step.from.time.ticks()) as f64
            / (step.to.ticks() - step.from.time.ticks()) as f64;
        let next = float(&values[1]) + self.factor * float(&values[0]) * step.length * part;
        put(values, 1, next);
        Ok(outcome.unwrap_or(StepOutcome::complete(step)))
    }
}

fn integrate(factor: f64, start: f64) -> Arc<dyn Model> {
    integrate_unless(factor, start, |_| None)
}

pub(crate) fn integrate_unless(
    factor: f64,
    start: f64,
    refuses: fn(&Step) -> Option<StepOutcome>,
) -> Arc<dyn Model> {
    let mut variables = in_and_out();
    variables[1].start = Some(Values::Float64(vec![start]));
    TestModel::new(variables, move || Integrate { factor, refuses }).shared()
}

/// x'' = -x over one second, as two components: x = cos t, v = -sin t.
fn oscillator(stop: i64, x: Arc<dyn Model>) -> Bench {
    Bench::new(stop)
        .add("x", x, 1)
        .add("v", integrate(-1.0, 0.0), 1)
        .wire("v.y", "x.u")
        .wire("x.y", "v.u")
}

#[test]
fn steps_are_as_long_as_the_tolerance_allows_and_the_last_one_ends_at_the_stop() {
    let mut accepted = Vec::new();
    for tolerance in [1e-4, 1e-6] {
        let bench = oscillator(10_000, integrate(1.0, 1.0));
        let (trace, summary) = variable_step(bench, [10, 1, 10_000], Some(tolerance)).run(1);
        let last = trace.tags().last().expect("rows").time;
        assert_eq!(last.ticks(), 10_000);
        let (x, v) = (numbers(&trace, "x.y"), numbers(&trace, "v.y"));
        let error = (x[x.len() - 1] - 1.0_f64.cos()).hypot(v[v.len() - 1] + 1.0_f64.sin());
        // Euler in two halves: errors of steps add up to their root, and a bit.
        assert!(error < 2.0 * tolerance.sqrt(), "{error} by {tolerance}");
        assert_eq!(summary.statistics.steps_accepted, summary.statistics.tags);
        accepted.push(summary.statistics.steps_accepted);
    }
    assert!(4 * accepted[0] < accepted[1], "{accepted:?}");
}

/// Refuses steps of more than 30 ticks, or stops there.
fn impatient(step: &Step, reason: StepReason) -> Option<StepOutcome> {
    let reached = step.from.time + ticks(30);
    (reached < step.to).then_some(StepOutcome {
        reached,
        stopped_at: None,
        reason,
        next_event: None,
    })
}

#[test]
fn all_go_back_when_one_refuses_and_step_where_it_came_to() {
    let discard: fn(&Step) -> Option<StepOutcome> = |step| impatient(step, StepReason::Discard);
    let early: fn(&Step) -> Option<StepOutcome> = |step| impatient(step, StepReason::EarlyReturn);
    for refuses in [discard, early] {
        let bench = oscillator(120, integrate_unless(1.0, 1.0, refuses));
        let (trace, summary) = variable_step(bench, [40, 1, 40], None).run(1);
        let times: Vec<i64> = trace.tags().iter().map(|tag| tag.time.ticks()).collect();
        assert_eq!(times, [0, 30, 60, 90, 120]);
        assert!(2 <= summary.statistics.steps_rejected, "{:?}", summary.statistics);
        assert_eq!(summary.statistics.steps_accepted, 4);
        // As if there had never been a longer step.
        let (fixed, _) =
            variable_step(oscillator(120, integrate(1.0, 1.0)), [30, 1, 30], None).run(1);
        assert_eq!(column(&trace, "v.y"), column(&fixed, "v.y"));
        assert_eq!(column(&trace, "x.y"), column(&fixed, "x.y"));
    }
}

#[test]
fn a_refused_step_of_unknown_length_is_halved_down_to_the_least() {
    let never: fn(&Step) -> Option<StepOutcome> = |step| {
        let (reached, reason) = (step.from.time, StepReason::Discard);
        let outcome = StepOutcome { reached, stopped_at: None, reason, next_event: None };
        (ticks(100) <= step.from.time).then_some(outcome)
    };
    let bench = oscillator(400, integrate_unless(1.0, 1.0, never));
    let (mut run, recorded) = variable_step(bench, [50, 8, 50], None).start(1).expect("it starts");
    let resolution = run.system().experiment.resolution;
    let failure = run.advance(Time::MAX).expect_err("it refuses for ever");
    run.finish();
    assert_eq!(recorded.trace().tags().last().expect("rows").time.ticks(), 100);
    let RunError::StepTooShort { component, tag, size, min, why } = &failure else {
        panic!("{failure:?}")
    };
    let numbers = [tag.time, *size, *min].map(Time::ticks);
    assert_eq!((component.as_str(), numbers), ("x", [100, 8, 8]));
    assert_eq!(*why, StepFailure::Rejected { reached: ticks(100), error: None });
    let text = format!("{:?}", failure.diagnostic(resolution));
    assert!(text.contains("`x` needs a step shorter than the minimum"), "{text}");
}

#[test]
fn a_failure_in_a_step_that_may_be_rejected_is_a_failure() {
    struct Broken;
    impl Behavior for Broken {
        fn step(&mut self, _: &mut [Values], _: &Step) -> CallResult<StepOutcome> {
            Err(CallError::new("fmi2DoStep", CallStatus::Error))
        }
    }
    let bench = Bench::new(40).add("broken", TestModel::new(in_and_out(), || Broken).shared(), 1);
    let (mut run, _) = variable_step(bench, [10, 1, 10], Some(1e-3)).start(1).expect("it starts");
    let failure = run.advance(Time::MAX).expect_err("it fails");
    assert!(matches!(failure, RunError::Call { .. }), "{failure:?}");
}

fn with_feedthrough() -> Bench {
    let discard: fn(&Step) -> Option<StepOutcome> = |step| impatient(step, StepReason::Discard);
    let mut bench = oscillator(1000, integrate_unless(1.0, 1.0, discard));
    for index in 0..6 {
        let name = format!("g{index}");
        bench = bench.add(&name, through(f64::from(index), 1.0), 1);
        bench = bench.wire(["x.y", "v.y"][index as usize % 2], &format!("{name}.u"));
    }
    variable_step(bench, [10, 1, 500], Some(1e-4))
}

#[test]
fn rejected_steps_leave_no_trace_whatever_the_workers_do() {
    let (reference, summary) = with_feedthrough().run(1);
    assert!(0 < summary.statistics.steps_rejected, "{:?}", summary.statistics);
    for workers in [2, 8] {
        let (trace, other) = with_feedthrough().run(workers);
        assert_eq!((other.trace_hash, &trace), (summary.trace_hash, &reference), "{workers}");
    }
    let (mut run, _) = with_feedthrough().start(2).expect("it starts");
    for until in 0..=1000 {
        run.advance(ticks(until)).expect("it runs");
        assert!(run.tag().time <= ticks(until));
    }
    assert_eq!(run.finish().trace_hash, summary.trace_hash, "in many small advances");
}

#[test]
fn a_loop_of_steps_may_be_part_of_a_step_that_is_rejected() {
    let bench = || {
        let discard: fn(&Step) -> Option<StepOutcome> = |step| impatient(step, StepReason::Discard);
        let mut bench = crate::loops::pair(-3.0).add("x", integrate_unless(1.0, 1.0, discard), 1);
        bench.system.experiment.stop = ticks(300);
        variable_step(bench, [40, 1, 40], Some(1e-2))
    };
    let (reference, summary) = bench().run(1);
    assert!(0 < summary.statistics.steps_rejected, "{:?}", summary.statistics);
    let pairs = numbers(&reference, "clock.y").into_iter().zip(numbers(&reference, "sum.y"));
    for (input, output) in pairs.skip(1) {
        assert!((output - (input + 1.0) / 4.0).abs() < 1e-8, "{output}");
    }
    for workers in [2, 8] {
        let (trace, other) = bench().run(workers);
        assert_eq!((other.trace_hash, &trace), (summary.trace_hash, &reference), "{workers}");
    }
}

/// Counts the events it announces: every 25 ticks.
struct Announcer;

impl Behavior for Announcer {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 1, step.to.ticks() as f64);
        Ok(StepOutcome::complete(step))
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        let now = float(&values[1]);
        put(values, 0, now);
        let next_event = Some(ticks((now / 25.0).floor() as i64 * 25 + 25));
        EventUpdate { next_event, ..EventUpdate::default() }
    }
}

pub(crate) fn announcer() -> Arc<dyn Model> {
    let variables = vec![
        variable("y", Causality::Output, ValueType::Float64),
        variable("now", Causality::Local, ValueType::Float64),
    ];
    TestModel::new(variables, || Announcer)
        .adjust(|description| description.capabilities.event_mode = true)
        .shared()
}

#[test]
fn every_tag_up_to_the_time_asked_for_is_done_also_where_an_event_makes_it() {
    let bench = Bench::new(80).add("announcer", announcer(), 1);
    let (mut run, _) = variable_step(bench, [20, 1, 20], None).start(1).expect("it starts");
    run.advance(ticks(25)).expect("it runs");
    assert_eq!((run.tag().time, run.tag().microstep), (ticks(25), 1));
}

#[test]
fn a_step_ends_where_an_event_is_announced() {
    let bench = Bench::new(80).add("announcer", announcer(), 1);
    let (trace, _) = variable_step(bench, [20, 1, 20], None).run(1);
    let tags: Vec<(i64, u32)> =
        trace.tags().iter().map(|tag| (tag.time.ticks(), tag.microstep)).collect();
    let events: Vec<i64> = tags.iter().filter(|tag| 0 < tag.1).map(|tag| tag.0).collect();
    assert_eq!(events, [0, 25, 50, 75], "{tags:?}");
}

/// y = start + slope * t, and no way back.
struct Ramp(f64);

impl Behavior for Ramp {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let next = float(&values[0]) + self.0 * step.length;
        put(values, 0, next);
        Ok(StepOutcome::complete(step))
    }
}

fn ramp(start: f64, slope: f64, saves: bool) -> Arc<dyn Model> {
    let mut y = variable("y", Causality::Output, ValueType::Float64);
    y.start = Some(Values::Float64(vec![start]));
    let model = TestModel::new(vec![y], move || Ramp(slope));
    model.adjust(|it| it.capabilities.save_state = saves).shared()
}

pub(crate) fn times(trace: &consort_trace::Trace) -> Vec<i64> {
    trace.tags().iter().map(|tag| tag.time.ticks()).collect()
}

fn constrained(bench: Bench, limits: [i64; 3], constraint: ResolvedStepConstraint) -> Bench {
    let mut bench = variable_step(bench, limits, None);
    bench.system.coupling.constraints.push(constraint);
    bench
}

/// Ticks are 0.1 ms: -1 + 30 t crosses zero at a third of 0.1 s, between ticks 333 and 334.
#[test]
fn a_step_ends_where_a_value_crosses_zero() {
    for (paths, tolerance) in [(&["a.y"][..], 1e-2), (&["b.y", "c.y"], 1e-2), (&["a.y"], 1e-9)] {
        let bench = Bench::new(1000)
            .add("a", ramp(-1.0, 30.0, true), 1)
            .add("b", ramp(4.0, 10.0, true), 1)
            .add("c", ramp(5.0, -20.0, true), 1);
        let ports = paths.iter().map(|path| bench.port(path)).collect();
        let constraint = ResolvedStepConstraint::ZeroCrossing { ports, tolerance };
        let (trace, summary) = constrained(bench, [100, 1, 100], constraint).run(1);
        let times = times(&trace);
        let crossing = times.iter().position(|&time| 333 <= time).expect("past it");
        assert!(times[crossing] <= 334, "{times:?}");
        // It is one place: before it, and after, steps are as long as allowed.
        assert_eq!(&times[..4], [0, 100, 200, 300], "{times:?}");
        assert!(times.iter().filter(|&&time| 300 < time && time <= 334).count() <= 3, "{times:?}");
        assert!(times.len() < 16, "{times:?}");
        assert!(0 < summary.statistics.steps_rejected);
        assert_eq!(summary.problems, []);
        if 1e-9 < tolerance {
            let (a, b, c) =
                (numbers(&trace, "a.y"), numbers(&trace, "b.y"), numbers(&trace, "c.y"));
            let distance = if paths.len() == 1 { a[crossing] } else { b[crossing] - c[crossing] };
            assert!(distance.abs() <= tolerance, "{distance}");
        }
    }
}

#[test]
fn no_accepted_step_changes_a_value_by_more_than_its_bound() {
    for (absolute, relative) in
        [(0.02, f64::INFINITY), (f64::INFINITY, 0.01), (0.015, 0.01), (5e-3, 1.0)]
    {
        let bench = oscillator(10_000, integrate(1.0, 1.0));
        let ports = vec![bench.port("x.y")];
        let constraint = ResolvedStepConstraint::BoundedDifference { ports, absolute, relative };
        let (trace, summary) = constrained(bench, [10, 1, 2000], constraint).run(1);
        let x = numbers(&trace, "x.y");
        for pair in x.windows(2) {
            let bound = absolute.min(relative * pair[0].abs().max(pair[1].abs()));
            assert!((pair[1] - pair[0]).abs() <= bound, "{pair:?}");
        }
        assert_eq!(summary.problems, []);
        // And not by much less: 1 - cos 1 = 0.46 in all.
        assert!(x.len() < 500, "{}", x.len());
    }
}

#[test]
fn several_values_may_not_drift_apart_unnoticed() {
    let bench =
        Bench::new(1000).add("a", ramp(0.0, 1.0, true), 1).add("b", ramp(0.0, -1.0, true), 1);
    let ports = vec![bench.port("a.y"), bench.port("b.y")];
    let (absolute, relative) = (0.05, f64::INFINITY);
    let constraint = ResolvedStepConstraint::BoundedDifference { ports, absolute, relative };
    let (trace, summary) = constrained(bench, [50, 5, 50], constraint).run(1);
    // From 0.025 s on no step is short enough: all are as short as allowed, and that is said.
    let times = times(&trace);
    assert!(times.windows(2).filter(|pair| 250 <= pair[0]).all(|pair| pair[1] - pair[0] == 5));
    let [RunError::ConstraintUnmet { times: 150, first, .. }] = &summary.problems[..] else {
        panic!("{:?}", summary.problems)
    };
    assert_eq!(first.time.ticks(), 250);
}

#[test]
fn every_sample_is_hit_exactly_whatever_else_steps_do() {
    let discard: fn(&Step) -> Option<StepOutcome> = |step| impatient(step, StepReason::Discard);
    for (start, period, refuses) in
        [(0, 70, false), (35, 70, false), (-20, 33, false), (900, 50, false), (7, 64, true)]
    {
        let x = if refuses { integrate_unless(1.0, 1.0, discard) } else { integrate(1.0, 1.0) };
        let bench = oscillator(1000, x);
        let constraint =
            ResolvedStepConstraint::Sampling { start: ticks(start), period: ticks(period) };
        let (trace, _) = constrained(bench, [40, 1, 100], constraint).run(1);
        let times = times(&trace);
        let mut sample = start;
        while sample <= 1000 {
            assert!(
                sample < 0 || times.contains(&sample),
                "{sample} of {start}, {period}: {times:?}"
            );
            sample += period;
        }
        assert!(times.len() < 60, "{times:?}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 100), "{times:?}");
    }
}

/// Who cannot save waits until the others agree, and goes where they are, once.
#[test]
fn who_cannot_go_back_waits_for_the_others() {
    let discard: fn(&Step) -> Option<StepOutcome> = |step| impatient(step, StepReason::Discard);
    let bench = |refuses: bool| {
        let x = if refuses { integrate_unless(1.0, 1.0, discard) } else { integrate(1.0, 1.0) };
        let watcher =
            || TestModel::new(in_and_out(), || Integrate { factor: 1.0, refuses: |_| None });
        let one_way = watcher().adjust(|it| it.capabilities.save_state = false).shared();
        oscillator(120, x)
            .add("once", ramp(0.0, 100.0, false), 1)
            .add("sum", one_way, 1)
            .wire("x.y", "sum.u")
    };
    let (trace, summary) = variable_step(bench(true), [40, 1, 40], None).run(2);
    assert_eq!(times(&trace), [0, 30, 60, 90, 120]);
    assert!(2 <= summary.statistics.steps_rejected, "{:?}", summary.statistics);
    let (fixed, _) = variable_step(bench(false), [30, 1, 30], None).run(1);
    for path in ["x.y", "v.y", "sum.y", "once.y"] {
        assert_eq!(column(&trace, path), column(&fixed, path), "{path}");
    }
    let once = numbers(&trace, "once.y");
    assert!((once[4] - 1.2).abs() < 1e-12, "{once:?}");
}
