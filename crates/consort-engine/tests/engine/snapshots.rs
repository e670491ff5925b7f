//! Whole runs, saved and restored: what follows is what would have followed.

mod bytes;
mod observer;

use crate::equations::Equations;
use crate::repeatability::ring;
use crate::rollback::{short_of_breath, with_memory};
use crate::support::{
    Behavior, Bench, TestModel, clock, float, gain, in_and_out, options, put, stepped, through,
    variable,
};
use crate::together::events::{growing, kicked, ticking, trigger};
use crate::together::{oscillator, tolerant};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, Causality, EventUpdate, Fidelity, SolverKind, Step, StepOutcome, Time,
    ValueType, Values, Variability,
};
use consort_engine::{Advance, Recorded, Run, RunError, StateCall};
use consort_system::{
    ColumnFeed, Comparison, Condition, Effect, Feed, ResolvedIntervention, Target, Trigger,
};
use consort_trace::{Trace, TraceHash};

/// Continues to the end.
fn end(mut run: Run) -> TraceHash {
    run.advance(Time::MAX).expect("it runs");
    run.finish().trace_hash
}

fn resume(bench: &Bench, workers: usize, bytes: &[u8]) -> Result<(Run, Recorded), RunError> {
    let (options, recorded) = options(workers);
    Ok((Run::resume(&bench.executable(), options, bytes)?, recorded))
}

/// The rows of a trace after a tag, as text.
fn rows(trace: &Trace, after: consort_core::Tag) -> Vec<String> {
    let tags = trace.tags().iter().enumerate().filter(|(_, tag)| after < **tag);
    let columns = trace.schema().columns();
    let row = |(row, tag): (usize, &consort_core::Tag)| {
        let values = columns.iter().map(|column| {
            let values = trace.column(column.path()).expect("its own column");
            values.view().element(row).to_string()
        });
        format!("{tag:?}: {}", values.collect::<Vec<_>>().join(" "))
    };
    tags.map(row).collect()
}

/// Saves at each of the times, continues, comes back more than once, and resumes from bytes: always the
/// same run.
fn check(bench: impl Fn() -> Bench, times: impl IntoIterator<Item = i64>) {
    let (whole, summary) = bench().run(1);
    for ticks in times {
        let (mut run, _) = bench().start(2).expect("it starts");
        run.advance(Time::from_ticks(ticks)).expect("it runs");
        let saved = run.snapshot().expect("it can be saved");
        assert_eq!(saved.tag(), run.tag());
        let bytes = run.serialize(&saved).expect("it has bytes");
        for _ in 0..2 {
            run.advance(Time::from_ticks(ticks + 7)).expect("it runs");
            run.restore(&saved).expect("it can be restored");
        }
        run.advance(Time::MAX).expect("it runs");
        run.restore(&saved).expect("also after the end");
        let again = run.snapshot().expect("it can be saved again");
        assert_eq!(run.serialize(&again).expect("it has bytes"), bytes, "at {ticks}");
        assert_eq!(end(run), summary.trace_hash, "in the same run, at {ticks}");
        for workers in [1, 2, 8] {
            let (run, recorded) = resume(&bench(), workers, &bytes).expect("it resumes");
            assert_eq!(end(run), summary.trace_hash, "{workers} workers, at {ticks}");
            let found = rows(&recorded.trace(), Default::default());
            assert_eq!(found, rows(&whole, saved.tag()), "{workers} workers, at {ticks}");
        }
    }
}

#[test]
fn many_rates_continue_as_they_were() {
    check(|| ring(7, 3), [0, 1, 2, 5, 17, 59, 60]);
}

#[test]
fn rejected_steps_slopes_delays_tables_and_announced_events_continue_as_they_were() {
    check(|| with_memory(short_of_breath, 40), [0, 30, 95, 100, 137, 222]);
}

#[test]
fn what_is_integrated_as_one_continues_with_its_solver() {
    for (kind, _) in SolverKind::ALL {
        check(move || oscillator(2, kind), [0, 2, 14]);
    }
}

#[test]
fn events_within_a_group_continue_as_they_were() {
    let follows = || Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
    let bench = || {
        tolerant(Bench::new(12), 1e-8)
            .add("b", kicked().shared(), 1)
            .add("a", trigger().shared(), 1)
            .add("t", ticking().shared(), 1)
            .add("s", follows().shared(), 1)
            .add("g", growing().shared(), 1)
            .add("f", follows().shared(), 1)
            .wire("a.y0", "b.u0")
            .wire("t.y0", "s.u0")
            .wire("g.y0", "f.u0")
    };
    check(bench, 0..=12);
}

fn intervened() -> Bench {
    let mut bench = Bench::new(20)
        .add("clock", clock(), 1)
        .add("gain", gain(1.0), 1)
        .add("follow", through(2.0, 0.5), 3)
        .add("fed", stepped(1.0, 0.0), 1)
        .wire("clock.y", "gain.u")
        .wire("gain.y", "follow.u");
    bench.system.connections[0].delay = true;
    let number = |value: f64| Values::Float64(vec![value]);
    let at = |time| Trigger::At(Time::from_ticks(time));
    let when =
        Condition { port: bench.port("follow.y"), comparison: Comparison::Greater, number: 2.5 };
    let (wire, output, input) = (
        Target::Input(bench.port("follow.u")),
        Target::Output(bench.port("gain.y")),
        Target::Input(bench.port("fed.u")),
    );
    let list = [
        (at(2), wire, Effect::Offset(number(3.0))),
        (at(4), output, Effect::Freeze),
        (at(6), input, Effect::Set(number(-1.0))),
        (at(8), wire, Effect::Override(number(7.0))),
        (at(11), output, Effect::Release),
        (Trigger::When(when), input, Effect::Override(number(9.0))),
        (at(15), wire, Effect::Release),
    ];
    let list = list
        .map(|(trigger, target, effect)| ResolvedIntervention { trigger, target, effect })
        .to_vec();
    bench.system.interventions = list;
    let to = bench.port("fed.u");
    let values = Values::Float64((0..8).map(f64::from).collect());
    let times = (0..8).map(|row| Time::from_ticks(row * 3)).collect();
    bench.system.feed = Some(Feed {
        times,
        columns: vec![ColumnFeed { to, values, interpolate: true }],
        ..Feed::default()
    });
    bench
}

#[test]
fn interventions_under_way_continue_as_they_were() {
    check(intervened, 0..=20);
}

/// Counts its events in its output, and announces the next one three ticks ahead; an input that
/// changes is an event, too. Its memory: time, count.
struct Announces;

impl Behavior for Announces {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 2, step.to.ticks() as f64);
        Ok(StepOutcome::complete(step))
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        let (now, count) = (float(&values[2]), float(&values[1]));
        put(values, 1, count + 1.0 + 10.0 * float(&values[0]));
        let next = (now as i64 / 3 + 1) * 3;
        EventUpdate { next_event: Some(Time::from_ticks(next)), ..EventUpdate::default() }
    }
}

fn announcing() -> std::sync::Arc<dyn consort_core::Model> {
    let mut variables = vec![
        variable("u", Causality::Input, ValueType::Float64),
        variable("y", Causality::Output, ValueType::Float64),
        variable("now", Causality::Local, ValueType::Float64),
    ];
    variables[0].variability = Variability::Discrete;
    TestModel::new(variables, || Announces)
        .adjust(|description| description.capabilities.event_mode = true)
        .shared()
}

fn announced() -> Bench {
    Bench::new(24)
        .add("slow", announcing(), 4)
        .add("fast", announcing(), 1)
        .wire("slow.y", "fast.u")
}

#[test]
fn events_that_were_announced_come_when_they_are_due() {
    check(announced, 0..=24);
}

/// A component without declared inputs, but one that can be set.
fn driven() -> Bench {
    let mut bench = Bench::new(10).add("a", gain(2.0), 1).add("e", announcing(), 2);
    for component in &mut bench.system.components {
        component.recorded.remove(0);
    }
    bench
}

#[test]
fn inputs_that_are_not_read_can_be_set_and_are_saved() {
    let steer = |run: &mut Run| {
        run.set("a.u", &Values::Float64(vec![3.0])).expect("an input");
        run.set("e.u", &Values::Float64(vec![5.0])).expect("an input of an event");
    };
    let (mut run, recorded) = driven().start(1).expect("it starts");
    run.advance(Time::from_ticks(3)).expect("it runs");
    steer(&mut run);
    let whole = end(run);
    assert_eq!(crate::support::column(&recorded.trace(), "a.y").last().expect("rows"), "6.0");
    let (mut run, _) = driven().start(1).expect("it starts");
    let start = run.snapshot().expect("saved");
    run.advance(Time::from_ticks(3)).expect("it runs");
    steer(&mut run);
    let saved = run.snapshot().expect("saved");
    let bytes = run.serialize(&saved).expect("bytes");
    run.restore(&start).expect("restored");
    run.advance(Time::MAX).expect("it runs without");
    run.restore(&saved).expect("restored");
    assert_eq!(end(run), whole);
    let (run, _) = resume(&driven(), 2, &bytes).expect("it resumes");
    assert_eq!(end(run), whole);
    let (run, _) = driven().start(1).expect("it starts");
    assert_ne!(end(run), whole, "what was set is seen");
}

#[test]
fn a_later_stop_continues_after_the_end() {
    let longer = || Bench::new(25).add("clock", clock(), 2).add("g", gain(2.0), 1);
    let shorter = || {
        let mut bench = longer();
        bench.system.experiment.stop = Time::from_ticks(10);
        bench
    };
    let (mut run, _) = shorter().start(1).expect("it starts");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Finished));
    let saved = run.snapshot().expect("saved");
    let bytes = run.serialize(&saved).expect("bytes");
    run.restore(&saved).expect("restored");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Finished));
    let (run, _) = resume(&longer(), 1, &bytes).expect("it resumes");
    assert_eq!(end(run), longer().run(1).1.trace_hash);
}

/// Fails in the step from `at` on, as long as its memory says so.
struct Fails;

impl Behavior for Fails {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        if 0.5 < float(&values[0]) && 3 <= step.from.time.ticks() {
            return Err(CallError::new("step", CallStatus::Discard));
        }
        put(values, 1, float(&values[1]) + 1.0);
        Ok(StepOutcome::complete(step))
    }
}

#[test]
fn a_run_that_failed_is_restored_and_goes_another_way() {
    let bench = || {
        let fails = TestModel::new(in_and_out(), || Fails).shared();
        Bench::new(9)
            .add("f", fails, 1)
            .add("c", clock(), 1)
            .add("g", through(1.0, 0.0), 1)
            .wire("f.y", "g.u")
    };
    let (mut run, _) = bench().start(2).expect("it starts");
    run.advance(Time::from_ticks(2)).expect("it runs");
    let saved = run.snapshot().expect("saved");
    run.set("f.u", &Values::Float64(vec![1.0])).expect("an input");
    run.advance(Time::MAX).expect_err("it fails");
    run.restore(&saved).expect("restored");
    assert_eq!(end(run), bench().run(1).1.trace_hash);
}

/// Its restore is noticed: y jumps by 100, once.
struct Resets;

impl Behavior for Resets {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let jump = std::mem::take(match &mut values[0] {
            Values::Float64(list) => &mut list[0],
            _ => unreachable!("a number"),
        });
        put(values, 1, float(&values[1]) + 1.0 + jump);
        Ok(StepOutcome::complete(step))
    }
    fn restored(&mut self, values: &mut [Values]) {
        put(values, 0, 100.0);
    }
}

fn resets(fidelity: Fidelity) -> Bench {
    let mut variables = in_and_out();
    variables[0].causality = Causality::Local;
    let model = TestModel::new(variables, || Resets)
        .adjust(|description| description.capabilities.fidelity = fidelity);
    Bench::new(9).add("r", model.shared(), 1)
}

/// The trace's hash with a save at tick 4: of the run that continues, and of the one that is restored.
fn with_save(fidelity: Fidelity) -> [TraceHash; 2] {
    let (mut run, _) = resets(fidelity).start(1).expect("it starts");
    run.advance(Time::from_ticks(4)).expect("it runs");
    let saved = run.snapshot().expect("saved");
    let bytes = run.serialize(&saved).expect("bytes");
    let went_on = end(run);
    let (run, _) = resume(&resets(fidelity), 1, &bytes).expect("it resumes");
    [went_on, end(run)]
}

#[test]
fn where_a_restore_is_noticed_all_that_follows_follows_from_the_restored_state() {
    let undisturbed = resets(Fidelity::Exact).run(1).1.trace_hash;
    let [went_on, resumed] = with_save(Fidelity::Exact);
    assert_eq!(went_on, undisturbed);
    assert_ne!(resumed, undisturbed, "it is not exact, whatever was said");
    let [went_on, resumed] = with_save(Fidelity::Repeatable);
    assert_eq!(went_on, resumed);
    assert_ne!(went_on, undisturbed);
}

#[test]
fn what_behaves_differently_each_time_is_not_saved() {
    let (mut run, _) = resets(Fidelity::None).start(1).expect("it starts");
    let Err(RunError::State { component, call, .. }) = run.snapshot() else {
        panic!("it is saved")
    };
    assert_eq!((component.as_str(), call), ("r", StateCall::Save));
    run.advance(Time::MAX).expect("the run can continue");
}

#[test]
fn a_snapshot_shows_what_it_holds_and_makes_room_for_the_next() {
    let (mut run, _) = ring(7, 3).start(1).expect("it starts");
    let mut saved = run.snapshot().expect("saved");
    let bytes = run.unshared_bytes(&saved);
    assert!(8 * 1000 < bytes && bytes < 8 * 1000 + 4096, "{bytes}");
    run.advance(Time::from_ticks(10)).expect("it runs");
    run.snapshot_into(&mut saved).expect("saved");
    run.advance(Time::from_ticks(20)).expect("it runs");
    run.restore(&saved).expect("restored");
    assert_eq!(run.tag().time, Time::from_ticks(10));
    assert_eq!(end(run), ring(7, 3).run(1).1.trace_hash);
}
