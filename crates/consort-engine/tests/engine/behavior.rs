//! Order, rates, feeds, the caller's hand.

use crate::support::{Behavior, Bench, TestModel, clock, column, float, gain, in_and_out};
use consort_core::model::CallResult;
use consort_core::{DependsOn, Step, StepOutcome, Time, Values, VariableId};
use consort_engine::{Advance, LoopFailure, RunError};
use consort_system::{ColumnFeed, Feed};

#[test]
fn in_jacobi_order_every_component_adds_one_step_of_delay() {
    let bench = Bench::new(4)
        .add("clock", clock(), 1)
        .add("first", gain(1.0), 1)
        .add("second", gain(10.0), 1)
        .wire("clock.y", "first.u")
        .wire("first.y", "second.u");
    let (trace, _) = bench.run(1);
    assert_eq!(column(&trace, "clock.y"), ["0.0", "0.1", "0.2", "0.30000000000000004", "0.4"]);
    assert_eq!(column(&trace, "first.y"), ["0.0", "0.0", "0.1", "0.2", "0.30000000000000004"]);
    assert_eq!(column(&trace, "second.y"), ["0.0", "0.0", "0.0", "1.0", "2.0"]);
    assert_eq!(column(&trace, "second.u"), ["0.0", "0.0", "0.1", "0.2", "0.30000000000000004"]);
}

#[test]
fn a_slow_component_is_seen_only_when_its_step_ends() {
    let bench =
        Bench::new(6).add("slow", clock(), 3).add("fast", gain(1.0), 1).wire("slow.y", "fast.u");
    let (trace, _) = bench.run(1);
    let times: Vec<i64> = trace.tags().iter().map(|tag| tag.time.ticks()).collect();
    assert_eq!(times, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(column(&trace, "slow.y"), ["0.0", "0.0", "0.0", "0.3", "0.3", "0.3", "0.6"]);
    assert_eq!(column(&trace, "fast.y"), ["0.0", "0.0", "0.0", "0.0", "0.3", "0.3", "0.3"]);
}

#[test]
fn rates_that_meet_rarely_give_the_union_of_their_tags() {
    let bench = Bench::new(15).add("a", clock(), 3).add("b", clock(), 5);
    let (trace, summary) = bench.run(1);
    let times: Vec<i64> = trace.tags().iter().map(|tag| tag.time.ticks()).collect();
    assert_eq!(times, [0, 3, 5, 6, 9, 10, 12, 15]);
    assert_eq!(summary.statistics.tags, 7);
}

#[test]
fn a_negative_start_is_a_start_like_any_other() {
    let mut bench = Bench::new(1).add("clock", clock(), 1);
    bench.system.experiment.start = Time::from_ticks(-2);
    let (trace, _) = bench.run(1);
    assert_eq!(trace.tags()[0].time.ticks(), -2);
    assert_eq!(column(&trace, "clock.y"), ["0.0", "-0.1", "0.0", "0.1"]);
}

#[test]
fn the_last_tick_of_all_is_reached_without_a_wrap() {
    let mut bench = Bench::new(i64::MAX).add("clock", clock(), 1);
    bench.system.experiment.start = Time::from_ticks(i64::MAX - 2);
    let (trace, _) = bench.run(1);
    assert_eq!(trace.tags().last().map(|tag| tag.time), Some(Time::MAX));
    assert_eq!(trace.tags().len(), 3);
}

#[test]
fn a_table_feeds_inputs_at_their_exact_times() {
    let mut bench = Bench::new(4).add("gain", gain(2.0), 1);
    let to = bench.port("gain.u");
    let values = Values::Float64(vec![1.0, 3.0]);
    let columns = vec![ColumnFeed { to, values, interpolate: true }];
    bench.system.feed =
        Some(Feed { times: [0, 4].map(Time::from_ticks).to_vec(), columns, ..Feed::default() });
    let (trace, _) = bench.run(1);
    assert_eq!(column(&trace, "gain.u"), ["1.0", "1.5", "2.0", "2.5", "3.0"]);
    assert_eq!(column(&trace, "gain.y"), ["0.0", "2.0", "3.0", "4.0", "5.0"]);
}

#[test]
fn the_caller_drives_looks_and_interferes() {
    let bench = Bench::new(10).add("gain", gain(2.0), 1);
    let (mut run, _) = bench.start(1).expect("it starts");
    assert_eq!(run.advance(Time::from_ticks(3)), Ok(Advance::Reached));
    assert_eq!(run.tag().time.ticks(), 3);
    run.set("gain.u", &Values::Float64(vec![4.0])).expect("an input can be set");
    assert_eq!(run.get("gain.y"), Some(Values::Float64(vec![0.0])));
    assert_eq!(run.advance(Time::from_ticks(4)), Ok(Advance::Reached));
    assert_eq!(run.get("gain.y"), Some(Values::Float64(vec![8.0])));
    assert_eq!(run.get("gain.nothing"), None);
    assert!(run.set("gain.u", &Values::Int32(vec![4])).is_err());
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Finished));
    assert_eq!(run.advance(Time::MAX), Ok(Advance::Finished));
}

/// y = u / 2 + 1 at once: two of them in a ring settle at 2.
struct Halve;

impl Behavior for Halve {
    fn refresh(&mut self, values: &mut [Values]) {
        values[1] = Values::Float64(vec![float(&values[0]) / 2.0 + 1.0]);
    }
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        Ok(StepOutcome::complete(step))
    }
}

fn halve(declared: bool) -> std::sync::Arc<dyn consort_core::Model> {
    TestModel::new(in_and_out(), || Halve)
        .adjust(|description| {
            let on = match declared {
                true => {
                    DependsOn::These(vec![(VariableId(0), consort_core::DependencyKind::Dependent)])
                }
                false => DependsOn::All,
            };
            description.structure.initial[0].on = on;
        })
        .shared()
}

#[test]
fn initial_equations_that_loop_are_repeated_until_they_settle() {
    let bench = Bench::new(1)
        .add("a", halve(true), 1)
        .add("b", halve(false), 1)
        .wire("a.y", "b.u")
        .wire("b.y", "a.u");
    let (trace, _) = bench.run(1);
    for path in ["a.y", "b.y"] {
        let settled: f64 = column(&trace, path)[0].parse().expect("a number");
        assert!((settled - 2.0).abs() < 1e-8, "{path} = {settled}");
    }
}

#[test]
fn initial_values_follow_the_chain_whatever_the_order_of_components() {
    let bench = Bench::new(1)
        .add("last", halve(true), 1)
        .add("middle", halve(true), 1)
        .add("first", halve(true), 1)
        .wire("first.y", "middle.u")
        .wire("middle.y", "last.u");
    let (trace, _) = bench.run(1);
    let at_start: Vec<String> =
        ["first.y", "middle.y", "last.y"].map(|path| column(&trace, path)[0].clone()).to_vec();
    assert_eq!(at_start, ["1.0", "1.5", "1.75"]);
}

/// y = the slope of u as it was received before the step.
#[derive(Default)]
struct Slope {
    received: f64,
}

impl Behavior for Slope {
    fn slope(&mut self, slope: f64) {
        self.received = slope;
    }
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        values[1] = Values::Float64(vec![self.received]);
        Ok(StepOutcome::complete(step))
    }
}

#[test]
fn an_extrapolated_input_gets_its_slope() {
    let model = TestModel::new(in_and_out(), Slope::default)
        .adjust(|description| description.capabilities.input_derivatives_max = 1)
        .shared();
    let mut bench =
        Bench::new(8).add("clock", clock(), 2).add("slope", model, 1).wire("clock.y", "slope.u");
    bench.system.connections[0].hold = consort_system::Hold::Extrapolate;
    let (trace, _) = bench.run(1);
    // The clock rises by 0.2 s every 0.2 s; its second value comes at 0.2 s.
    let slopes = column(&trace, "slope.y");
    assert_eq!(slopes[..7], ["0.0", "0.0", "0.0", "1.0", "1.0", "1.0", "1.0"]);
    // Between the clock's values the input continues along the line.
    let inputs = column(&trace, "slope.u");
    assert_eq!(inputs[..5], ["0.0", "0.0", "0.2", "0.30000000000000004", "0.4"]);
}

#[test]
fn an_input_with_its_value_of_the_end_of_the_step_is_not_extrapolated_beyond() {
    let model = TestModel::new(in_and_out(), Slope::default)
        .adjust(|description| description.capabilities.input_derivatives_max = 1)
        .shared();
    let mut bench =
        Bench::new(4).add("clock", clock(), 1).add("slope", model, 1).wire("clock.y", "slope.u");
    bench.system.connections[0].hold = consort_system::Hold::Extrapolate;
    bench.system.components[1].reactive = vec![consort_core::VariableId(0)];
    let (trace, _) = bench.run(1);
    assert!(column(&trace, "slope.y").iter().all(|slope| slope == "0.0"));
}

#[test]
fn initial_values_follow_from_what_the_table_says_of_the_start() {
    let mut bench = Bench::new(2)
        .add("last", halve(true), 1)
        .add("first", halve(true), 1)
        .wire("first.y", "last.u");
    let to = bench.port("first.u");
    let values = Values::Float64(vec![6.0, 8.0]);
    let columns = vec![ColumnFeed { to, values, interpolate: true }];
    bench.system.feed =
        Some(Feed { times: [0, 2].map(Time::from_ticks).to_vec(), columns, ..Feed::default() });
    let (trace, _) = bench.run(1);
    assert_eq!(column(&trace, "first.u")[0], "6.0");
    assert_eq!(column(&trace, "first.y")[0], "4.0");
    assert_eq!(column(&trace, "last.y")[0], "3.0");
}

/// y = k u + 1 at once.
struct Amplify(f64);

impl Behavior for Amplify {
    fn refresh(&mut self, values: &mut [Values]) {
        values[1] = Values::Float64(vec![self.0 * float(&values[0]) + 1.0]);
    }
}

fn amplifiers(factor: f64) -> Bench {
    let model = || {
        TestModel::new(in_and_out(), move || Amplify(factor))
            .adjust(|description| description.structure.initial[0].on = DependsOn::All)
            .shared()
    };
    Bench::new(1).add("a", model(), 1).add("b", model(), 1).wire("a.y", "b.u").wire("b.y", "a.u")
}

#[test]
fn initial_equations_that_do_not_contract_are_solved_all_the_same() {
    let (trace, _) = amplifiers(-2.0).run(1);
    let y: f64 = column(&trace, "a.y")[0].parse().expect("a number");
    assert!((y - 1.0 / 3.0).abs() < 1e-9, "{y}");
}

#[test]
fn initial_equations_without_a_solution_are_an_error_that_names_the_loop() {
    let failure = amplifiers(1.0).start(1).err().expect("there is no solution");
    let RunError::LoopNotSolved { starting: true, residuals, why, .. } = &failure else {
        panic!("{failure:?}")
    };
    assert_eq!(*why, LoopFailure::Singular);
    assert!(residuals.iter().any(|(name, _)| name == "b.y -> a.u"), "{residuals:?}");
    let said = failure.diagnostic(Bench::new(1).system.experiment.resolution);
    let text = format!("{said:?}");
    assert!(text.contains("no unique solution: the loop's matrix I - dF/dz is singular"), "{text}");
}
