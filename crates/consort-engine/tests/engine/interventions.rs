//! What is done to a system while it runs.

use crate::support::{Bench, clock, column, gain};
use consort_core::{ConnectionId, Time, Values};
use consort_system::{Comparison, Condition, Effect, ResolvedIntervention, Target, Trigger};

fn bench(interventions: impl Fn(&Bench) -> Vec<(i64, Target, Effect)>) -> Bench {
    let mut bench =
        Bench::new(5).add("clock", clock(), 1).add("gain", gain(1.0), 1).wire("clock.y", "gain.u");
    let list = interventions(&bench).into_iter().map(|(at, target, effect)| ResolvedIntervention {
        trigger: Trigger::At(Time::from_ticks(at)),
        target,
        effect,
    });
    bench.system.interventions = list.collect();
    bench
}

fn check(
    expected: [&str; 6],
    path: &str,
    interventions: impl Fn(&Bench) -> Vec<(i64, Target, Effect)>,
) {
    let (trace, _) = bench(interventions).run(1);
    assert_eq!(column(&trace, path), expected, "{path}");
}

fn number(value: f64) -> Values {
    Values::Float64(vec![value])
}

#[test]
fn set_lasts_until_the_next_value_arrives() {
    check(["0.0", "0.1", "9.0", "0.30000000000000004", "0.4", "0.5"], "gain.u", |bench| {
        vec![(2, Target::Input(bench.port("gain.u")), Effect::Set(number(9.0)))]
    });
}

#[test]
fn override_lasts_until_released() {
    check(["0.0", "9.0", "9.0", "9.0", "0.4", "0.5"], "gain.u", |bench| {
        let target = Target::Input(bench.port("gain.u"));
        vec![(1, target, Effect::Override(number(9.0))), (4, target, Effect::Release)]
    });
}

#[test]
fn offset_does_not_add_up_and_all_see_it_on_an_output() {
    let offset = |bench: &Bench| {
        vec![(2, Target::Output(bench.port("clock.y")), Effect::Offset(number(10.0)))]
    };
    let seen = ["0.0", "0.1", "10.2", "10.3", "10.4", "10.5"];
    check(seen, "clock.y", offset);
    check(seen, "gain.u", offset);
}

#[test]
fn freeze_on_a_wire_is_a_fault_of_that_wire_only() {
    let freeze = |_: &Bench| vec![(2, Target::Connection(ConnectionId(0)), Effect::Freeze)];
    // The wire holds what it carried when it broke: the value before this tag's exchange.
    check(["0.0", "0.1", "0.1", "0.1", "0.1", "0.1"], "gain.u", freeze);
    check(["0.0", "0.1", "0.2", "0.30000000000000004", "0.4", "0.5"], "clock.y", freeze);
}

#[test]
fn a_condition_starts_an_intervention() {
    let mut bench = bench(|_| Vec::new());
    let condition =
        Condition { port: bench.port("clock.y"), comparison: Comparison::Greater, number: 0.25 };
    bench.system.interventions = vec![ResolvedIntervention {
        trigger: Trigger::When(condition),
        target: Target::Input(bench.port("gain.u")),
        effect: Effect::Override(number(-1.0)),
    }];
    let (trace, _) = bench.run(1);
    assert_eq!(column(&trace, "gain.u"), ["0.0", "0.1", "0.2", "-1.0", "-1.0", "-1.0"]);
}

#[test]
fn a_released_output_has_its_value_of_that_very_tag() {
    check(["0.0", "9.0", "9.0", "9.0", "0.4", "0.5"], "clock.y", |bench| {
        let target = Target::Output(bench.port("clock.y"));
        vec![(1, target, Effect::Override(number(9.0))), (4, target, Effect::Release)]
    });
}

#[test]
fn a_condition_may_read_an_input_that_is_not_fed() {
    let mut bench = bench(|_| Vec::new());
    bench.system.connections.clear();
    bench.system.components[1].recorded.clear();
    let condition =
        Condition { port: bench.port("gain.u"), comparison: Comparison::Less, number: 1.0 };
    bench.system.interventions = vec![ResolvedIntervention {
        trigger: Trigger::When(condition),
        target: Target::Output(bench.port("clock.y")),
        effect: Effect::Override(number(7.0)),
    }];
    let (trace, _) = bench.run(1);
    assert_eq!(column(&trace, "clock.y"), ["7.0"; 6]);
}

#[test]
fn interventions_change_the_hash() {
    let with = |value: f64| {
        let bench = bench(|bench| {
            vec![(2, Target::Input(bench.port("gain.u")), Effect::Set(number(value)))]
        });
        bench.run(1).1.trace_hash
    };
    assert_eq!(with(9.0), with(9.0));
    assert_ne!(with(9.0), with(8.0));
}

#[test]
fn a_condition_reads_the_published_value() {
    let mut bench = bench(|bench| {
        vec![(2, Target::Output(bench.port("clock.y")), Effect::Offset(number(10.0)))]
    });
    let port = bench.port("clock.y");
    bench.system.interventions.push(ResolvedIntervention {
        trigger: Trigger::When(Condition { port, comparison: Comparison::Greater, number: 5.0 }),
        target: Target::Input(bench.port("gain.u")),
        effect: Effect::Override(number(-1.0)),
    });
    let (trace, _) = bench.run(1);
    assert_eq!(column(&trace, "clock.y"), ["0.0", "0.1", "10.2", "10.3", "10.4", "10.5"]);
    // The offset begins at 2, and so does what it calls for.
    assert_eq!(column(&trace, "gain.u"), ["0.0", "0.1", "-1.0", "-1.0", "-1.0", "-1.0"]);
}
