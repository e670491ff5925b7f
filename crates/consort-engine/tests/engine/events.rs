//! Event mode: microsteps, chains of events, announced events.

use crate::support::{Behavior, Bench, TestModel, column, variable};
use consort_core::model::CallResult;
use consort_core::{
    Causality, EventUpdate, Model, Step, StepOutcome, StepReason, Time, ValueType, Values,
};
use consort_engine::RunError;
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
    let RunError::EventsDoNotSettle { components, .. } = failure.error else { panic!() };
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
