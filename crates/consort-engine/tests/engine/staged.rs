//! Plans of several stages: feedthrough, reactive inputs, delays, and what interferes with them.

use crate::support::{
    Behavior, Bench, TestModel, clock, column, gain, numbers, stepped, through, variable,
};
use consort_core::model::CallResult;
use consort_core::{
    Causality, EventUpdate, Step, StepOutcome, StepReason, Time, ValueType, Values, VariableId,
};
use consort_system::{
    ColumnFeed, Comparison, Condition, Effect, Feed, Order, ResolvedIntervention, Target, Trigger,
};

/// A clock and `count` components that pass its value on.
fn chain(count: usize, order: Order) -> Bench {
    let mut bench = Bench::new(8).add("clock", clock(), 1);
    bench.system.coupling.order = order;
    for index in 0..count {
        bench = bench.add(&format!("c{index}"), through(1.0, 0.0), 1);
    }
    bench = bench.wire("clock.y", "c0.u");
    for index in 1..count {
        bench = bench.wire(&format!("c{}.y", index - 1), &format!("c{index}.u"));
    }
    bench
}

#[test]
fn a_chain_of_feedthrough_has_no_delay_in_derived_order_and_one_per_component_in_jacobi() {
    let (trace, _) = chain(6, Order::Derived).run(1);
    assert_eq!(column(&trace, "c5.y"), column(&trace, "clock.y"));
    let (trace, _) = chain(6, Order::Jacobi).run(1);
    let (first, last) = (column(&trace, "clock.y"), column(&trace, "c5.y"));
    assert_eq!(last[6..], first[..3], "six steps late");
    assert!(last[..6].iter().all(|value| value == "0.0"), "{last:?}");
}

#[test]
fn stages_give_the_same_trace_whatever_the_workers_do() {
    let wide = || {
        let mut bench = chain(5, Order::Derived);
        for index in 0..20 {
            let name = format!("w{index}");
            let (factor, period) = (f64::from(index), 1 + i64::from(index % 2));
            bench = bench.add(&name, through(factor, 1.0), period);
            bench = bench.wire(&format!("c{}.y", index % 5), &format!("{name}.u"));
        }
        bench
    };
    let (reference, summary) = wide().run(1);
    for workers in [2, 8] {
        let (trace, other) = wide().run(workers);
        assert_eq!((other.trace_hash, &trace), (summary.trace_hash, &reference), "{workers}");
    }
}

fn reactive(mut bench: Bench, component: usize) -> Bench {
    bench.system.components[component].reactive = vec![VariableId(0)];
    bench
}

#[test]
fn a_reactive_input_has_its_value_of_the_end_of_the_step() {
    let bench = Bench::new(4)
        .add("clock", clock(), 1)
        .add("first", stepped(1.0, 0.0), 1)
        .add("second", stepped(10.0, 0.0), 1)
        .wire("clock.y", "first.u")
        .wire("first.y", "second.u");
    let (trace, _) = reactive(reactive(bench, 1), 2).run(1);
    assert_eq!(column(&trace, "first.y"), column(&trace, "clock.y"));
    assert_eq!(column(&trace, "second.y"), ["0.0", "1.0", "2.0", "3.0000000000000004", "4.0"]);
}

#[test]
fn what_a_slow_pair_hands_on_early_is_not_visible_to_others_before_its_time() {
    let bench = Bench::new(6)
        .add("slow", clock(), 3)
        .add("follower", stepped(1.0, 0.0), 3)
        .add("fast", through(1.0, 0.0), 1)
        .wire("slow.y", "follower.u")
        .wire("follower.y", "fast.u");
    let (trace, _) = reactive(bench, 1).run(1);
    let seen = ["0.0", "0.0", "0.0", "0.3", "0.3", "0.3", "0.6"];
    for path in ["slow.y", "follower.y", "fast.u", "fast.y"] {
        assert_eq!(column(&trace, path), seen, "{path}");
    }
}

#[test]
fn a_delayed_connection_hands_over_the_value_of_the_tag_before() {
    let mut bench = Bench::new(6)
        .add("slow", clock(), 2)
        .add("gain", through(10.0, 0.0), 1)
        .wire("slow.y", "gain.u");
    bench.system.connections[0].delay = true;
    let start =
        consort_core::Setting { variable: VariableId(0), values: number(7.0), is_given: true };
    bench.system.components[1].settings = vec![start];
    let (trace, _) = bench.run(1);
    assert_eq!(
        column(&trace, "slow.y"),
        ["0.0", "0.0", "0.2", "0.2", "0.4", "0.4", "0.6000000000000001"]
    );
    assert_eq!(column(&trace, "gain.u"), ["7.0", "7.0", "0.0", "0.0", "0.2", "0.2", "0.4"]);
    assert_eq!(column(&trace, "gain.y"), ["70.0", "70.0", "0.0", "0.0", "2.0", "2.0", "4.0"]);
}

fn number(value: f64) -> Values {
    Values::Float64(vec![value])
}

fn intervene(bench: &mut Bench, trigger: Trigger, target: Target, effect: Effect) {
    bench.system.interventions.push(ResolvedIntervention { trigger, target, effect });
}

fn when(bench: &Bench, path: &str, number: f64) -> Trigger {
    let port = bench.port(path);
    Trigger::When(Condition { port, comparison: Comparison::Greater, number })
}

#[test]
fn an_offset_on_an_output_within_a_chain_is_added_once_and_handed_on() {
    let mut bench = chain(3, Order::Derived);
    let target = Target::Output(bench.port("c1.y"));
    intervene(&mut bench, Trigger::At(Time::from_ticks(2)), target, Effect::Offset(number(10.0)));
    let target = Target::Input(bench.port("c2.u"));
    intervene(&mut bench, Trigger::At(Time::from_ticks(3)), target, Effect::Offset(number(100.0)));
    intervene(&mut bench, Trigger::At(Time::from_ticks(5)), target, Effect::Release);
    let (trace, _) = bench.run(1);
    let added: Vec<f64> = numbers(&trace, "c2.y")
        .iter()
        .zip(numbers(&trace, "clock.y"))
        .map(|(seen, raw)| (seen - raw).round())
        .collect();
    assert_eq!(added, [0.0, 0.0, 10.0, 110.0, 110.0, 10.0, 10.0, 10.0, 10.0]);
    assert_eq!(column(&trace, "c0.y"), column(&trace, "clock.y"));
}

#[test]
fn a_condition_on_feedthrough_acts_at_its_own_tag_and_down_the_chain() {
    let mut bench = chain(3, Order::Derived);
    let trigger = when(&bench, "c0.y", 0.35);
    let target = Target::Output(bench.port("c1.y"));
    intervene(&mut bench, trigger, target, Effect::Override(number(-1.0)));
    let trigger = when(&bench, "clock.y", 0.55);
    intervene(&mut bench, trigger, target, Effect::Release);
    let (trace, _) = bench.run(1);
    let (raw, seen) = (numbers(&trace, "clock.y"), numbers(&trace, "c2.y"));
    assert_eq!(seen[..4], raw[..4]);
    assert_eq!(seen[4..6], [-1.0, -1.0]);
    assert_eq!(seen[6..], raw[6..]);
}

#[test]
fn a_frozen_feedthrough_output_keeps_its_value_of_that_tag() {
    let mut bench = chain(2, Order::Derived);
    let target = Target::Output(bench.port("c0.y"));
    intervene(&mut bench, Trigger::At(Time::from_ticks(2)), target, Effect::Freeze);
    let (trace, _) = bench.run(1);
    assert_eq!(numbers(&trace, "c1.y")[..5], [0.0, 0.1, 0.2, 0.2, 0.2]);
}

#[test]
fn an_offset_in_force_reaches_reactive_inputs_once_and_leaves_the_present_alone() {
    let bench = Bench::new(4)
        .add("clock", clock(), 2)
        .add("follower", stepped(1.0, 0.0), 2)
        .add("fast", gain(1.0), 1)
        .wire("clock.y", "follower.u")
        .wire("clock.y", "fast.u");
    let mut bench = reactive(bench, 1);
    let target = Target::Output(bench.port("clock.y"));
    intervene(&mut bench, Trigger::At(Time::ZERO), target, Effect::Offset(number(10.0)));
    let (trace, _) = bench.run(1);
    let seen = ["10.0", "10.0", "10.2", "10.2", "10.4"];
    assert_eq!(column(&trace, "clock.y"), seen);
    assert_eq!(column(&trace, "fast.u"), seen);
    assert_eq!(column(&trace, "follower.y"), ["0.0", "0.0", "10.2", "10.2", "10.4"]);
}

#[test]
fn what_a_table_feeds_is_in_place_before_feedthrough_is_read() {
    let mut bench = Bench::new(4)
        .add("a", through(2.0, 0.0), 1)
        .add("b", through(2.0, 0.0), 1)
        .wire("a.y", "b.u");
    let to = bench.port("a.u");
    let columns =
        vec![ColumnFeed { to, values: Values::Float64(vec![1.0, 3.0]), interpolate: true }];
    bench.system.feed =
        Some(Feed { times: [0, 4].map(Time::from_ticks).to_vec(), columns, ..Feed::default() });
    let (trace, _) = bench.run(1);
    assert_eq!(column(&trace, "b.y"), ["4.0", "6.0", "8.0", "10.0", "12.0"]);
}

/// Finds an event at the end of every step, and counts them when they are handled.
#[derive(Default)]
struct Counter(f64);

impl Behavior for Counter {
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        self.0 += 1.0;
        Ok(StepOutcome { reason: StepReason::Event, ..StepOutcome::complete(step) })
    }
    fn update(&mut self, values: &mut [Values]) -> EventUpdate {
        crate::support::put(values, 0, self.0);
        EventUpdate::default()
    }
}

#[test]
fn feedthrough_follows_an_event_within_its_microstep() {
    let variables = vec![variable("y", Causality::Output, ValueType::Float64)];
    let counter = TestModel::new(variables, Counter::default)
        .adjust(|description| description.capabilities.event_mode = true)
        .shared();
    let bench = Bench::new(2)
        .add("counter", counter, 1)
        .add("gain", through(10.0, 0.0), 1)
        .add("same", through(1.0, 0.0), 1)
        .wire("counter.y", "gain.u")
        .wire("counter.y", "same.u");
    let (trace, summary) = bench.run(1);
    let tags: Vec<(i64, u32)> =
        trace.tags().iter().map(|tag| (tag.time.ticks(), tag.microstep)).collect();
    assert_eq!(tags, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    assert_eq!(column(&trace, "gain.y"), ["0.0", "0.0", "0.0", "10.0", "10.0", "20.0"]);
    let hash = |path: &str| {
        let found = summary.hashes.iter().find(|(name, ..)| name == path);
        found.expect("a hashed variable").2
    };
    assert_eq!(hash("same.y"), hash("counter.y"), "the same values at the same microsteps");
    assert_ne!(hash("gain.y"), hash("counter.y"));
}
