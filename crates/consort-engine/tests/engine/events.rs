//! Event mode: microsteps, chains of events, announced events.

use crate::support::{Behavior, Bench, TestModel, clock, column, variable};
use consort_core::model::CallResult;
use consort_core::{
    Causality, EventUpdate, Model, Step, StepOutcome, StepReason, Time, ValueType, Values,
    Variability, VariableId,
};
use consort_engine::RunError;
use consort_system::{Operation, Stage};
use std::sync::Arc;

fn eventful<B: Behavior + 'static>(make: impl Fn() -> B + Send + Sync + 'static) -> Arc<dyn Model> {
    let variables = vec![
        variable("u", Causality::Input, ValueType::Int32),
        variable("y", Causality::Output, ValueType::Int32),
    ];
    TestModel::new(variables, make)
        .adjust(|description| description.capabilities.event_mode = true)
        .shared()
}

fn int(values: &Values) -> i32 {
    let Values::Int32(list) = values else { panic!("an Int32") };
    list[0]
}

/// Counts events; reports one at the end of every second step.
#[derive(Default)]
struct Source {
    steps: u32,
    pending: bool,
}

impl Behavior for Source {
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.steps += 1;
        self.pending = self.steps.is_multiple_of(2);
        let reason = if self.pending { StepReason::Event } else { StepReason::Complete };
        Ok(StepOutcome { reason, ..StepOutcome::complete(step) })
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        if std::mem::take(&mut self.pending) {
            values[1] = Values::Int32(vec![int(&values[1]) + 1]);
        }
        EventUpdate::default()
    }
}

/// y = u + 100, in event mode only.
struct Follower;

impl Behavior for Follower {
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        values[1] = Values::Int32(vec![int(&values[0]) + 100]);
        EventUpdate::default()
    }
}

#[test]
fn events_travel_along_connections_in_microsteps() {
    let bench = Bench::new(4)
        .add("source", eventful(Source::default), 1)
        .add("follower", eventful(|| Follower), 1)
        .wire("source.y", "follower.u");
    let (trace, _) = bench.run(1);
    let tags: Vec<(i64, u32)> =
        trace.tags().iter().map(|tag| (tag.time.ticks(), tag.microstep)).collect();
    // At the start both leave event mode; at 2 and 4 an event, then the follower's.
    let expected = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (2, 2), (3, 0), (4, 0), (4, 1), (4, 2)];
    assert_eq!(tags, expected);
    assert_eq!(column(&trace, "source.y"), ["0", "0", "0", "0", "1", "1", "1", "1", "2", "2"]);
    let follower = ["0", "100", "100", "100", "100", "101", "101", "101", "101", "102"];
    assert_eq!(column(&trace, "follower.y"), follower);
}

/// y = 1 - u: two of them in a ring never settle.
struct Flip;

impl Behavior for Flip {
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        values[1] = Values::Int32(vec![1 - int(&values[0])]);
        EventUpdate::default()
    }
}

#[test]
fn events_without_end_are_an_error_that_names_the_components() {
    let bench = Bench::new(4)
        .add("flip", eventful(|| Flip), 1)
        .add("follow", eventful(|| Copy), 1)
        .wire("flip.y", "follow.u")
        .wire("follow.y", "flip.u");
    let failure = bench.start(1).err().expect("it never settles");
    let RunError::EventsDoNotSettle { components, .. } = failure else { panic!() };
    assert!(components == ["flip"] || components == ["follow"], "{components:?}");
}

struct Copy;

impl Behavior for Copy {
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        values[1] = values[0].clone();
        EventUpdate::default()
    }
}

/// Announces an event at tick 5, in the middle of a step, and checks that no step passes it.
#[derive(Default)]
struct Announcer {
    now: i64,
}

impl Behavior for Announcer {
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        assert!(step.to.ticks() <= 5 || 5 <= step.from.time.ticks(), "a step passed the event");
        self.now = step.to.ticks();
        Ok(StepOutcome::complete(step))
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        if self.now == 5 {
            values[1] = Values::Int32(vec![55]);
        }
        let next_event = (self.now < 5).then_some(Time::from_ticks(5));
        EventUpdate { next_event, ..EventUpdate::default() }
    }
}

#[test]
fn a_step_is_split_at_an_announced_event_inside_of_it() {
    let (trace, _) = Bench::new(8).add("a", eventful(Announcer::default), 4).run(1);
    assert_eq!(column(&trace, "a.y"), ["0", "0", "0", "55"]);
}

/// Announces the next event when it handles one: at 2, then at 4, the end of its first step.
#[derive(Default)]
struct Twice {
    now: i64,
}

impl Behavior for Twice {
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.now = step.to.ticks();
        Ok(StepOutcome::complete(step))
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        values[1] = Values::Int32(vec![i32::try_from(self.now).expect("a small time")]);
        let next_event = [2, 4].into_iter().find(|&at| self.now < at).map(Time::from_ticks);
        EventUpdate { next_event, ..EventUpdate::default() }
    }
}

#[test]
fn an_event_announced_inside_of_a_step_for_its_end_is_handled_there() {
    let (trace, _) = Bench::new(8).add("a", eventful(Twice::default), 4).run(1);
    assert_eq!(column(&trace, "a.y"), ["0", "0", "2", "4", "4"]);
}

/// Finds an event at the end of every step and counts them.
#[derive(Default)]
struct Counter(i32);

impl Behavior for Counter {
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.0 += 1;
        Ok(StepOutcome { reason: StepReason::Event, ..StepOutcome::complete(step) })
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        values[1] = Values::Int32(vec![self.0]);
        EventUpdate::default()
    }
}

#[test]
fn an_event_of_a_slow_component_waits_for_the_end_of_its_step() {
    let bench = Bench::new(4).add("slow", eventful(Counter::default), 4).add("fast", clock(), 1);
    let (trace, _) = bench.run(1);
    let tags: Vec<(i64, u32)> =
        trace.tags().iter().map(|tag| (tag.time.ticks(), tag.microstep)).collect();
    assert_eq!(tags, [(0, 0), (0, 1), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1)]);
    assert_eq!(column(&trace, "slow.y"), ["0", "0", "0", "0", "0", "0", "1"]);
}

#[test]
fn a_slow_component_sees_a_discrete_input_when_its_step_ends() {
    let bench = Bench::new(4)
        .add("source", eventful(Counter::default), 1)
        .add("slow", eventful(|| Follower), 4)
        .wire("source.y", "slow.u");
    let (trace, _) = bench.run(1);
    let slow = column(&trace, "slow.y");
    let at = |time: i64| trace.tags().iter().rposition(|tag| tag.time.ticks() == time);
    let last = |time: i64| slow[at(time).expect("a tag of that time")].as_str();
    assert_eq!([0, 1, 2, 3, 4].map(last), ["100", "100", "100", "100", "104"]);
}

/// Its discrete input is a number that is none.
struct Undefined;

impl Behavior for Undefined {
    fn refresh(&mut self, values: &mut [Values]) {
        values[1] = Values::Float64(vec![f64::NAN]);
    }
}

#[test]
fn a_discrete_input_that_stays_nan_is_no_event_without_end() {
    let variables = || {
        let mut variables = crate::support::in_and_out();
        variables.iter_mut().for_each(|variable| variable.variability = Variability::Discrete);
        variables
    };
    let model = |description: &mut consort_core::ModelDescription| {
        description.capabilities.event_mode = true;
    };
    let make = || TestModel::new(variables(), || Undefined).adjust(model).shared();
    let bench = Bench::new(2).add("a", make(), 1).add("b", make(), 1).wire("a.y", "b.u");
    let (trace, _) = bench.run(1);
    assert_eq!(trace.tags().last().expect("rows").time.ticks(), 2);
}

/// Counts the ticks of its clock, the third variable.
struct Ticked;

impl Behavior for Ticked {
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        if values[2] == Values::Clock(vec![true]) {
            values[1] = Values::Int32(vec![int(&values[1]) + 1]);
            values[2] = Values::Clock(vec![false]);
        }
        EventUpdate::default()
    }
}

/// Variables of a component with a clock, which is an input or an output.
fn clocked<B: Behavior + 'static>(
    clock: Causality,
    make: impl Fn() -> B + Send + Sync + 'static,
) -> Arc<dyn Model> {
    let variables = vec![
        variable("u", Causality::Input, ValueType::Int32),
        variable("y", Causality::Output, ValueType::Int32),
        variable("clock", clock, ValueType::Clock),
    ];
    TestModel::new(variables, make)
        .adjust(|description| description.capabilities.event_mode = true)
        .shared()
}

/// Its clock ticks at an event at the end of every second step, until that is handled.
#[derive(Default)]
struct Ticking(u32);

impl Behavior for Ticking {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.0 += 1;
        let ticks = self.0.is_multiple_of(2);
        values[2] = Values::Clock(vec![ticks]);
        let reason = if ticks { StepReason::Event } else { StepReason::Complete };
        Ok(StepOutcome { reason, ..StepOutcome::complete(step) })
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        values[2] = Values::Clock(vec![false]);
        EventUpdate::default()
    }
}

#[test]
fn a_clock_that_ticks_lets_the_clocks_connected_to_it_tick_once() {
    let mut bench = Bench::new(4)
        .add("source", clocked(Causality::Output, Ticking::default), 1)
        .add("ticked", clocked(Causality::Input, || Ticked), 1)
        .wire("source.clock", "ticked.clock");
    for component in &mut bench.system.components {
        component.recorded.retain(|id| id.index() < 2);
        component.hashed.retain(|id| id.index() < 2);
    }
    let (trace, _) = bench.run(1);
    let ticked = column(&trace, "ticked.y");
    let at = |time: i64| trace.tags().iter().rposition(|tag| tag.time.ticks() == time);
    let last = |time: i64| ticked[at(time).expect("a tag of that time")].as_str();
    assert_eq!([0, 1, 2, 3, 4].map(last), ["0", "0", "1", "1", "2"]);
}

#[test]
fn a_plan_may_let_a_clock_tick_once_whenever_its_component_is_due() {
    let model = clocked(Causality::Input, || Ticked);
    let mut bench = Bench::new(4).add("ticked", model, 2).add("fast", clock(), 1);
    bench.system.components[0].recorded.retain(|id| id.index() < 2);
    let tick = |plan: &mut consort_system::Plan| {
        let Some(Stage::Work(tasks)) = plan.advance.get_mut(0) else { panic!("a work stage") };
        tasks[0].operations.insert(0, Operation::Tick(VariableId(2)));
    };
    let (mut run, recorded) = bench.start_planned(1, tick).expect("the run starts");
    run.advance(Time::MAX).expect("the run succeeds");
    run.finish();
    let trace = recorded.trace();
    let tags: Vec<(i64, u32)> =
        trace.tags().iter().map(|tag| (tag.time.ticks(), tag.microstep)).collect();
    assert_eq!(tags, [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (3, 0), (4, 0), (4, 1)]);
    assert_eq!(column(&trace, "ticked.y"), ["0", "1", "1", "1", "2", "2", "2", "3"]);
}
