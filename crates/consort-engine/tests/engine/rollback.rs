//! Going back: all components with everything, whatever happened on the way.

use crate::loops::pair;
use crate::support::{
    Behavior, Bench, TestModel, clock, depends_on_inputs, float, in_and_out, numbers, put, variable,
};
use crate::variable::{announcer, integrate_unless, ticks, variable_step};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, Causality, EventUpdate, Model, Refresh, Step, StepOutcome, StepReason,
    Time, ValueType, Values,
};
use consort_engine::{Advance, RunError};
use consort_system::{
    ColumnFeed, Effect, Feed, Hold, Iteration, IterationMethod, LoopPolicy, ResolvedIntervention,
    Target, Trigger,
};
use std::sync::Arc;

/// y = -3 u + 1 by steps, with something that goes wrong.
struct Fragile {
    saving: CallResult<()>,
    restoring: CallResult<()>,
}

impl Behavior for Fragile {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 1, -3.0 * float(&values[0]) + 1.0);
        Ok(StepOutcome::complete(step))
    }
    fn saving(&mut self) -> CallResult<()> {
        self.saving.clone()
    }
    fn restoring(&mut self) -> CallResult<()> {
        self.restoring.clone()
    }
}

fn by_step<B: Behavior + 'static>(make: impl Fn() -> B + Send + Sync + 'static) -> Arc<dyn Model> {
    TestModel::new(in_and_out(), make)
        .adjust(|description| description.capabilities.refresh = Refresh::ByStep)
        .adjust(depends_on_inputs)
        .shared()
}

/// The loop of two components by steps, with another one for its second.
fn pair_with(back: Arc<dyn Model>) -> Bench {
    let mut bench = pair(-3.0);
    bench.models[2] = back;
    bench
}

#[test]
fn a_component_that_cannot_save_or_restore_after_all_is_named_with_the_call() {
    let failed = |call| Err(CallError::new(call, CallStatus::Error));
    for call in ["fmi2GetFMUstate", "fmi2SetFMUstate"] {
        let back = by_step(move || Fragile {
            saving: if call == "fmi2GetFMUstate" { failed(call) } else { Ok(()) },
            restoring: if call == "fmi2SetFMUstate" { failed(call) } else { Ok(()) },
        });
        let in_steps = variable_step(pair_with(Arc::clone(&back)), [1, 1, 1], None);
        for bench in [pair_with(back), in_steps] {
            let (mut run, _) = bench.start(2).expect("it starts");
            let failure = run.advance(Time::MAX).expect_err("it fails");
            let RunError::Call { component, tag, error } = &failure else { panic!("{failure:?}") };
            assert_eq!((component.as_str(), tag.time, error.call), ("back", Time::ZERO, call));
            assert_eq!(run.finish().problems, []);
        }
    }
}

/// y = -3 u + 1 by steps; wants the run to end wherever u is not what the loop comes to.
struct Touchy;

impl Behavior for Touchy {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let given = float(&values[0]);
        put(values, 1, -3.0 * given + 1.0);
        let exact = (step.start + step.length + 1.0) / 4.0;
        let is_close = (given - exact).abs() < 1e-3;
        let reason = if is_close { StepReason::Complete } else { StepReason::Terminate };
        Ok(StepOutcome { reason, ..StepOutcome::complete(step) })
    }
}

#[test]
fn a_wish_to_end_counts_only_in_the_evaluation_that_stays() {
    let (mut run, _) = pair_with(by_step(|| Touchy)).start(2).expect("it starts");
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Finished));
    assert_eq!(run.tag().time, ticks(5));
}

/// y = k h u + 1 by steps of size h.
struct Stiff(f64);

impl Behavior for Stiff {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 1, self.0 * step.length * float(&values[0]) + 1.0);
        Ok(StepOutcome::complete(step))
    }
}

fn stiff(min: i64) -> Bench {
    let mut bench = pair_with(by_step(|| Stiff(-200.0)));
    bench.system.experiment.stop = ticks(400);
    let iteration = Iteration { method: IterationMethod::FixedPoint, ..Iteration::default() };
    bench.system.coupling.loops = LoopPolicy::Iterate(iteration);
    variable_step(bench, [80, min, 80], None)
}

#[test]
fn a_loop_that_is_not_solved_over_a_long_step_is_tried_over_a_shorter_one() {
    let (trace, summary) = stiff(1).run(1);
    assert!(0 < summary.statistics.steps_rejected, "{:?}", summary.statistics);
    let times: Vec<f64> = trace.tags().iter().map(|tag| tag.time.ticks() as f64 * 1e-4).collect();
    assert_eq!(trace.tags().last().expect("rows").time, ticks(400));
    let outputs = numbers(&trace, "sum.y");
    for index in 1..times.len() {
        let exact = (times[index] + 1.0) / (1.0 + 200.0 * (times[index] - times[index - 1]));
        assert!((outputs[index] - exact).abs() < 1e-6, "{outputs:?}");
    }
    let (mut run, _) = stiff(80).start(1).expect("it starts");
    let failure = run.advance(Time::MAX).expect_err("no step may be shorter");
    assert!(matches!(failure, RunError::LoopNotSolved { .. }), "{failure:?}");
}

/// Finds an event at the end of a step that ends at 50 ticks or, if it is `eager`, of every step.
struct Finder {
    eager: bool,
}

impl Behavior for Finder {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 0, step.to.ticks() as f64);
        let reason = match self.eager || step.to == ticks(50) {
            true => StepReason::Event,
            false => StepReason::Complete,
        };
        Ok(StepOutcome { reason, ..StepOutcome::complete(step) })
    }
    fn update(&mut self, _: &mut [Values]) -> EventUpdate {
        EventUpdate::default()
    }
}

#[test]
fn an_event_in_the_middle_is_not_stepped_over_because_another_component_has_some_too() {
    let finder = |eager, event_mode| {
        let variables = vec![variable("y", Causality::Output, ValueType::Float64)];
        TestModel::new(variables, move || Finder { eager })
            .adjust(|description| description.capabilities.event_mode = event_mode)
            .shared()
    };
    let bench = Bench::new(100).add("a", finder(true, false), 1).add("b", finder(false, true), 1);
    let (trace, _) = variable_step(bench, [100, 1, 100], Some(1e9)).run(1);
    let tags: Vec<(i64, u32)> =
        trace.tags().iter().map(|tag| (tag.time.ticks(), tag.microstep)).collect();
    assert_eq!(tags, [(0, 0), (0, 1), (50, 0), (50, 1), (100, 0)]);
}

/// y' = u + the slope of u; the slope is kept in a variable, so that it goes back.
struct Sloped;

impl Behavior for Sloped {
    fn slope(&mut self, slope: f64) {
        assert!(slope.is_finite());
    }
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 1, float(&values[1]) + step.length * float(&values[0]));
        Ok(StepOutcome::complete(step))
    }
}

/// Comes no further than 10 ticks.
pub(crate) fn short_of_breath(step: &Step) -> Option<StepOutcome> {
    let (reached, reason) = (step.from.time + ticks(10), StepReason::EarlyReturn);
    let outcome = StepOutcome { reached, reason, ..StepOutcome::complete(step) };
    (reached < step.to).then_some(outcome)
}

/// Everything that has a memory, beside a component that may not come far.
pub(crate) fn with_memory(refuses: fn(&Step) -> Option<StepOutcome>, size: i64) -> Bench {
    let sloped = TestModel::new(in_and_out(), || Sloped)
        .adjust(|description| description.capabilities.input_derivatives_max = 1)
        .shared();
    let mut bench = Bench::new(300)
        .add("refuser", integrate_unless(1.0, 1.0, refuses), 1)
        .add("clock", clock(), 1)
        .add("late", integrate_unless(1.0, 0.0, |_| None), 1)
        .add("sloped", sloped, 1)
        .add("fed", integrate_unless(1.0, 0.0, |_| None), 1)
        .add("announcer", announcer(), 1)
        .wire("clock.y", "refuser.u")
        .wire("refuser.y", "late.u")
        .wire("refuser.y", "sloped.u");
    bench.system.connections[1].delay = true;
    bench.system.connections[2].hold = Hold::Extrapolate;
    let to = bench.port("fed.u");
    let values = Values::Float64((0..31).map(|row| f64::from(row * row)).collect());
    let times = (0..31).map(|row| ticks(row * 10)).collect();
    let columns = vec![ColumnFeed { to, values, interpolate: true }];
    bench.system.feed = Some(Feed { times, columns, ..Feed::default() });
    bench.system.interventions = vec![ResolvedIntervention {
        trigger: Trigger::At(ticks(100)),
        target: Target::Output(bench.port("refuser.y")),
        effect: Effect::Offset(Values::Float64(vec![10.0])),
    }];
    variable_step(bench, [size, 1, size], None)
}

#[test]
fn nothing_that_has_a_memory_remembers_a_step_that_was_rejected() {
    let (reference, _) = with_memory(|_| None, 10).run(1);
    for workers in [1, 2, 8] {
        let (trace, summary) = with_memory(short_of_breath, 40).run(workers);
        assert!(0 < summary.statistics.steps_rejected, "{:?}", summary.statistics);
        assert_eq!(trace, reference, "{workers} workers");
    }
}
