//! The explanation of a plan.

use crate::support::{Sketch, These, Unsaid, chain_of_four, flight, long_chain, loop_of_two};
use consort_core::{Resolution, Seconds, Time, Variability};
use consort_planner::{DelayReason, EdgeKind, Explanation, NodeKind};
use consort_system::Order;
use insta::assert_debug_snapshot;

/// Component, strategy, publications and grants.
fn strategies(explanation: &Explanation) -> Vec<String> {
    let federates = explanation.federation.federates.iter();
    let line = |federate: &consort_planner::Federate| {
        let published: Vec<&str> =
            federate.groups.iter().map(|group| group.published_at.as_str()).collect();
        format!(
            "{}: {}, published at {}, granted {}",
            federate.component,
            federate.strategy,
            published.join(" and "),
            federate.grants.join(" and ")
        )
    };
    federates.map(line).collect()
}

#[test]
fn the_four_federates_have_the_strategies_of_the_tables() {
    let explanation = chain_of_four(true).explain();
    assert_eq!(
        strategies(&explanation),
        [
            "f0: TAR, published at n*dt + lk, granted ",
            "f1: TAR, published at n*dt + lk, granted ",
            "f2: NER+TAR, published at n*dt + 2*lk, granted n*dt + lk",
            "f3: NER+TAR, published at n*dt + 3*lk, granted n*dt + 2*lk",
        ]
    );
    let federation = explanation.federation;
    assert_eq!((federation.levels, &*federation.lookahead_max), (3, "1/300"));
    let standard = chain_of_four(false).explain();
    assert!(standard.federation.federates.iter().all(|federate| federate.strategy == "TAR"));
    assert_eq!(standard.federation.lookahead_max, "0.01");
}

#[test]
fn flight_dynamics_publishes_twice_per_cycle() {
    let explanation = flight().explain();
    assert_eq!(
        strategies(&explanation)[1],
        "dynamics: NER+TAR, published at n*dt + lk and n*dt + 3*lk, granted n*dt + lk and n*dt + 2*lk"
    );
    let levels: Vec<Vec<String>> = explanation.levels.into_iter().map(|it| it.outputs).collect();
    assert_eq!(
        levels,
        [
            vec!["actuators.deflection".to_owned(), "dynamics.position".to_owned()],
            vec!["environment.density".to_owned()],
            vec!["dynamics.acceleration".to_owned()],
        ]
    );
}

#[test]
fn a_chain_of_fifty_lags_by_forty_nine_steps_in_jacobi_order_and_by_none_in_the_derived() {
    assert_eq!(long_chain(50).explain().lags, []);
    let jacobi = long_chain(50).order(Order::Jacobi).explain();
    let last = jacobi.lags.last().expect("the last is late");
    assert_eq!((&*last.output, last.steps, last.path.len()), ("c49.y", 49, 99));
    assert!(jacobi.delays.iter().all(|delay| delay.reason == DelayReason::Jacobi));
    assert_eq!(jacobi.delays.len(), 49);
}

#[test]
fn every_reason_for_a_delay_is_reported_with_its_cure() {
    let sketch = Sketch::new()
        .part("slow", &[], &[("y", These(&[]))])
        .every(5)
        .part("fmu", &["u", "v"], &[("y", These(&["u"])), ("z", These(&[]))])
        .by_step()
        .part("gain", &["u"], &[("y", These(&["u"]))])
        .wire("slow.y", "gain.u")
        .wire("gain.y", "fmu.u")
        .delayed_wire("gain.y", "fmu.v");
    assert_debug_snapshot!(sketch.explain().delays);
    // Reactive, the delay by the step is gone.
    let mut sketch = sketch.reactive("fmu.u");
    sketch.system.components[0].period = Time::from_ticks(1);
    let reasons: Vec<DelayReason> =
        sketch.explain().delays.iter().map(|delay| delay.reason).collect();
    assert_eq!(reasons, [DelayReason::Asked]);
}

#[test]
fn a_way_round_is_counted_once() {
    let lags = loop_of_two(true, true).order(Order::Jacobi).explain().lags;
    let steps: Vec<(&str, u32)> = lags.iter().map(|lag| (&*lag.output, lag.steps)).collect();
    assert_eq!(steps, [("f1.y", 1), ("f2.y", 2)]);
}

#[test]
fn loops_are_reported_with_everything_about_them() {
    assert_debug_snapshot!(loop_of_two(true, true).iterated().explain().loops);
}

#[test]
fn a_federation_with_a_loop_gets_a_remark() {
    let is_reported = |sketch: Sketch| {
        let warnings = sketch.iterated().explain().warnings;
        warnings.iter().any(|it| it.starts_with("no sequence of messages solves the loop"))
    };
    assert!(is_reported(loop_of_two(true, true)));
    assert!(!is_reported(loop_of_two(true, false)));
}

/// A controller with a direct and a filtered measurement.
fn controller() -> Sketch {
    let mut sketch = Sketch::new()
        .part("plant", &["u"], &[("y", These(&[]))])
        .part("filter", &["u"], &[("y", These(&["u"]))])
        .part("controller", &["a", "b"], &[("u", Unsaid)])
        .by_step()
        .wire("plant.y", "filter.u")
        .wire("plant.y", "controller.a")
        .wire("filter.y", "controller.b")
        .wire("controller.u", "plant.u");
    sketch.last().variables[2].variability = Variability::Discrete;
    sketch
}

#[test]
fn inputs_of_different_age_are_reported_for_discrete_components() {
    let derived = controller().explain().equal_delays;
    assert_eq!(derived.len(), 1);
    assert_eq!((&*derived[0].component, derived[0].steps), ("controller", Some(0)));
    let jacobi = controller().order(Order::Jacobi).explain().equal_delays;
    let broken = jacobi[0].broken.as_ref().expect("two ages");
    assert_eq!(broken.least.steps, 0);
    assert_eq!(broken.greatest.steps, 1);
    assert_eq!(broken.greatest.variables, ["plant.y", "filter.u", "filter.y", "controller.b"]);
}

#[test]
fn patterns_that_leave_the_grid_are_warned_about() {
    assert_debug_snapshot!(chain_of_four(true).explain().warnings);
    // An eighth of a second is a double.
    let mut exact = chain_of_four(false);
    exact.system.experiment.resolution =
        Seconds::new(1, 8).and_then(Resolution::new).expect("an eighth");
    assert_eq!(exact.explain().warnings, Vec::<String>::new());
}

#[test]
fn the_graph_has_every_kind_of_edge() {
    let sketch = Sketch::new()
        .part("a", &["u"], &[("y", These(&["u"]))])
        .part("b", &["u", "v"], &[("y", Unsaid)])
        .by_step()
        .part("c", &["u"], &[])
        .wire("a.y", "b.u")
        .wire("b.y", "c.u")
        .delayed_wire("b.y", "a.u")
        .reactive("c.u");
    let explanation = sketch.explain();
    let kinds: Vec<EdgeKind> = explanation.edges.iter().map(|edge| edge.kind).collect();
    for kind in [
        EdgeKind::Connected,
        EdgeKind::Delayed,
        EdgeKind::Feedthrough,
        EdgeKind::LateFeedthrough,
        EdgeKind::Step,
    ] {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
    let reactive = explanation.nodes.iter().find(|node| node.name == "c.u").expect("drawn");
    assert_eq!(reactive.kind, NodeKind::ReactiveInput);
}
