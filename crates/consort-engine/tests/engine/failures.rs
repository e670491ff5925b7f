//! Runs that fail: the right name, everything recorded kept, every instance ended.

use crate::support::{
    Behavior, Bench, TestModel, clock, column, float, in_and_out, numbers, put, through,
};
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Model, Step, StepOutcome, StepReason, Time, Values};
use consort_engine::{Advance, RunError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ends its third step as configured.
struct Troubled {
    steps: u32,
    outcome: fn(&Step) -> CallResult<StepOutcome>,
    ended: Arc<AtomicUsize>,
}

impl Behavior for Troubled {
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.steps += 1;
        if self.steps < 3 { Ok(StepOutcome::complete(step)) } else { (self.outcome)(step) }
    }
    fn terminated(&mut self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

fn troubled(
    outcome: fn(&Step) -> CallResult<StepOutcome>,
    ended: &Arc<AtomicUsize>,
) -> Arc<dyn Model> {
    let ended = Arc::clone(ended);
    let make = move || Troubled { steps: 0, outcome, ended: Arc::clone(&ended) };
    TestModel::new(in_and_out(), make).shared()
}

fn error(_: &Step) -> CallResult<StepOutcome> {
    Err(CallError::new("fmi2DoStep", CallStatus::Error))
}

fn early(reason: StepReason, step: &Step) -> CallResult<StepOutcome> {
    Ok(StepOutcome { reached: step.from.time, reason, stopped_at: None, next_event: None })
}

fn fails_with(outcome: fn(&Step) -> CallResult<StepOutcome>) -> RunError {
    let ended = Arc::new(AtomicUsize::new(0));
    let bench = Bench::new(10)
        .add("clock", clock(), 1)
        .add("zeta", troubled(outcome, &ended), 1)
        .add("alpha", troubled(outcome, &ended), 1);
    let (mut run, recorded) = bench.start(8).expect("it starts");
    let failure = run.advance(Time::MAX).expect_err("it fails");
    run.finish();
    assert_eq!(ended.load(Ordering::SeqCst), 2, "every instance is ended once");
    assert_eq!(column(&recorded.trace(), "clock.y"), ["0.0", "0.1", "0.2"], "the record is kept");
    failure
}

#[test]
fn of_several_failures_at_one_tag_the_first_component_is_named() {
    for _ in 0..20 {
        let RunError::Call { component, tag, error } = fails_with(error) else { panic!() };
        assert_eq!((component.as_str(), tag.time.ticks()), ("zeta", 2));
        assert_eq!(error.to_string(), "fmi2DoStep() returned `error`");
    }
}

#[test]
fn a_discarded_step_names_how_far_it_came() {
    let failure = fails_with(|step| early(StepReason::Discard, step));
    let expected = RunError::Discarded {
        component: "zeta".into(),
        tag: consort_core::Tag::at(Time::from_ticks(2)),
        to: Time::from_ticks(3),
        reached: Time::from_ticks(2),
        error: None,
    };
    assert_eq!(failure, expected);
    let text = format!("{:?}", failure.diagnostic(consort_core::Resolution::NANOSECOND));
    assert!(text.contains("[experiment.variable-step]"), "the help is named: {text}");
}

/// y grows by one per second of its own time; it goes no further than to the next multiple of a limit.
struct Short {
    limit: f64,
    time: f64,
    /// How often it refused.
    refused: Arc<AtomicUsize>,
}

impl Behavior for Short {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        assert!((step.start - self.time).abs() < 1e-12, "{} is not {}", step.start, self.time);
        let end = step.start + step.length;
        let stop = ((step.start / self.limit + 1e-9).floor() + 1.0) * self.limit;
        self.time = end.min(stop);
        put(values, 1, self.time + float(&values[0]));
        if end <= stop + 1e-12 {
            return Ok(StepOutcome::complete(step));
        }
        self.refused.fetch_add(1, Ordering::SeqCst);
        let reached = Time::from_ticks((stop * 10.0).round() as i64);
        let (stopped_at, reason, next_event) = (Some(stop), StepReason::Discard, None);
        Ok(StepOutcome { reached, stopped_at, reason, next_event })
    }
}

fn short(limit: f64, refused: &Arc<AtomicUsize>) -> Arc<dyn Model> {
    let refused = Arc::clone(refused);
    let make = move || Short { limit, time: 0.0, refused: Arc::clone(&refused) };
    TestModel::new(in_and_out(), make).shared()
}

/// Ticks are 0.1 s. Who refuses continues from where it came, in as many parts as it takes, with its inputs
/// held; the others are where they were, and the grid is what it was.
#[test]
fn a_refused_step_continues_from_where_it_came_while_the_others_wait() {
    for (limit, parts) in [(0.25, 2), (0.033, 16), (0.1, 5), (0.001, 500)] {
        let refused = Arc::new(AtomicUsize::new(0));
        let bench = Bench::new(10)
            .add("clock", clock(), 5)
            .add("short", short(limit, &refused), 5)
            .add("next", through(2.0, 0.0), 5)
            .wire("clock.y", "short.u")
            .wire("short.y", "next.u");
        let (trace, _) = bench.run(4);
        assert_eq!(column(&trace, "clock.y"), ["0.0", "0.5", "1.0"]);
        let times: Vec<f64> = numbers(&trace, "short.y");
        let expected = [0.0, 0.5, 1.0 + 0.5];
        for (found, expected) in times.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{limit}: {times:?}");
        }
        let count = refused.load(Ordering::SeqCst);
        assert!((2 * parts - 4..2 * parts).contains(&count), "{limit}: {count} refusals");
    }
    let refused = Arc::new(AtomicUsize::new(0));
    let bench = Bench::new(10).add("short", short(1e-4, &refused), 5);
    let (mut run, _) = bench.start(1).expect("it starts");
    let failure = run.advance(Time::MAX).expect_err("too many parts");
    assert!(matches!(failure, RunError::Discarded { .. }), "{failure:?}");
    assert_eq!(refused.load(Ordering::SeqCst), 1002);
}

#[test]
fn returning_early_forever_is_found_out() {
    let failure = fails_with(|step| early(StepReason::EarlyReturn, step));
    assert!(matches!(failure, RunError::NoProgress { tries: 100, .. }), "{failure:?}");
}

#[test]
fn a_component_may_end_the_run() {
    let ended = Arc::new(AtomicUsize::new(0));
    let ends = |step: &Step| {
        Ok(StepOutcome {
            reached: step.to,
            reason: StepReason::Terminate,
            stopped_at: None,
            next_event: None,
        })
    };
    let bench = Bench::new(10).add("clock", clock(), 1).add("judge", troubled(ends, &ended), 1);
    let (mut run, _) = bench.start(2).expect("it starts");
    let over = Advance::Terminated { component: "judge".into() };
    assert_eq!(run.advance(Time::MAX), Ok(over));
    assert_eq!(run.tag().time.ticks(), 3);
}

/// Ticks are 0.1 s in these tests; what happens between two of them keeps its time.
#[test]
fn an_early_return_between_two_ticks_is_resumed_from_its_very_time() {
    const EVENT: f64 = 0.033;
    struct Between;
    impl Behavior for Between {
        fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
            if step.start < EVENT {
                let stopped_at = Some(EVENT);
                let reason = StepReason::EarlyReturn;
                return Ok(StepOutcome { stopped_at, reason, ..StepOutcome::complete(step) });
            }
            values[1] = Values::Float64(vec![step.start]);
            let end = 0.1 * step.to.ticks() as f64;
            assert_eq!((step.start + step.length).to_bits(), end.to_bits());
            Ok(StepOutcome::complete(step))
        }
    }
    let model = TestModel::new(in_and_out(), || Between).shared();
    let (trace, _) = Bench::new(2).add("between", model, 1).run(1);
    assert_eq!(column(&trace, "between.y"), ["0.0", "0.033", "0.1"]);
}

#[test]
fn an_early_return_is_resumed_to_the_end_of_the_step() {
    /// Comes half way first.
    struct Lazy;
    impl Behavior for Lazy {
        fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
            let ticks = step.to.ticks() - step.from.time.ticks();
            if ticks == 1 {
                values[1] = Values::Float64(vec![step.start + step.length]);
                return Ok(StepOutcome::complete(step));
            }
            let reached = Time::from_ticks(step.from.time.ticks() + ticks / 2);
            Ok(StepOutcome {
                reached,
                reason: StepReason::EarlyReturn,
                stopped_at: None,
                next_event: None,
            })
        }
    }
    let model = TestModel::new(in_and_out(), || Lazy).shared();
    let (trace, _) = Bench::new(8).add("lazy", model, 4).run(1);
    assert_eq!(column(&trace, "lazy.y"), ["0.0", "0.4", "0.7999999999999999"], "0.7 + 0.1");
}

#[test]
fn a_component_that_stopped_inside_a_step_ends_the_run_before_it() {
    let ended = Arc::new(AtomicUsize::new(0));
    let ends = |step: &Step| {
        let reached = step.from.time;
        let reason = StepReason::Terminate;
        Ok(StepOutcome { reached, reason, ..StepOutcome::complete(step) })
    };
    let bench = Bench::new(10).add("clock", clock(), 1).add("judge", troubled(ends, &ended), 2);
    let (mut run, recorded) = bench.start(2).expect("it starts");
    let over = Advance::Terminated { component: "judge".into() };
    assert_eq!(run.advance(Time::MAX), Ok(over));
    // Its third step began at 4 and stopped there: it is not visible at 6.
    assert_eq!(run.tag().time.ticks(), 4);
    run.finish();
    assert_eq!(column(&recorded.trace(), "clock.y").len(), 5);
}

#[test]
fn outputs_cannot_be_set_by_the_caller() {
    let (mut run, _) = Bench::new(10).add("clock", clock(), 1).start(1).expect("it starts");
    let refused = run.set("clock.y", &Values::Float64(vec![9.0]));
    assert!(matches!(refused, Err(RunError::NoSuchVariable { .. })), "{refused:?}");
    assert_eq!(run.get("clock.y"), Some(Values::Float64(vec![0.0])));
}

#[test]
fn lines_of_a_log_that_repeat_are_reported_once_with_their_number() {
    let mut error = CallError::new("fmi2DoStep", CallStatus::Error);
    error.log = ["too long", "too long", "too long", "given up"].map(str::to_owned).to_vec();
    let tag = consort_core::Tag::at(Time::ZERO);
    let failure = RunError::Call { component: "pump".into(), tag, error };
    let resolution = Bench::new(1).system.experiment.resolution;
    let notes = failure.diagnostic(resolution).notes;
    assert_eq!(notes[1..], ["its log (3 times): too long", "its log: given up"]);
}

#[test]
fn what_fails_in_a_later_stage_is_named_with_its_tag() {
    let ended = Arc::new(AtomicUsize::new(0));
    for workers in [1, 2, 8] {
        let mut bench = Bench::new(10).add("clock", clock(), 1);
        for name in ["first", "second", "third"] {
            bench =
                bench.add(name, troubled(error, &ended), 1).wire("clock.y", &format!("{name}.u"));
        }
        for component in &mut bench.system.components[2..] {
            component.reactive = vec![consort_core::VariableId(0)];
        }
        bench.models[1] = crate::support::gain(1.0);
        let (mut run, recorded) = bench.start(workers).expect("it starts");
        let failure = run.advance(Time::MAX).expect_err("it fails");
        run.finish();
        let RunError::Call { component, tag, .. } = &failure else { panic!("{failure:?}") };
        assert_eq!((component.as_str(), tag.time.ticks()), ("second", 2), "{workers} workers");
        assert_eq!(column(&recorded.trace(), "clock.y"), ["0.0", "0.1", "0.2"]);
    }
}
