//! The order at a tag.

use crate::support::{Sketch, These, Unsaid, chain_of_four, flight, long_chain, loop_of_two};
use consort_core::{Causality, Reference, Time, Variable, VariableId};
use consort_system::{Order, ResolvedVariableStep, Stage};
use insta::assert_snapshot;

#[test]
fn without_feedthrough_the_derived_order_is_jacobi() {
    for sketch in [chain_of_four(false), loop_of_two(false, false)] {
        let (derived, _) = sketch.plan();
        let (jacobi, _) = sketch.clone().order(Order::Jacobi).plan();
        let (derived, jacobi) = (derived.expect("a plan"), jacobi.expect("a plan"));
        assert_eq!(derived.present, jacobi.present);
        assert_eq!(derived.advance, jacobi.advance);
    }
}

#[test]
fn feedthrough_is_read_after_its_input() {
    assert_snapshot!(chain_of_four(true).text());
}

#[test]
fn a_loop_with_one_feedthrough_is_no_algebraic_loop() {
    assert_snapshot!(loop_of_two(true, false).text());
}

#[test]
fn the_outputs_of_one_component_are_split_over_levels() {
    assert_snapshot!(flight().text());
}

#[test]
fn by_step_components_are_read_right_after_their_step() {
    assert_snapshot!(flight().all_by_step().text());
}

#[test]
fn a_chain_of_fifty_has_fifty_levels() {
    let (plan, _) = long_chain(50).plan();
    let plan = plan.expect("a plan");
    let exchanges = plan.present.iter().filter(|stage| matches!(stage, Stage::Exchange(_)));
    assert_eq!(exchanges.count(), 49);
}

#[test]
fn a_table_counts_as_a_source_that_is_known_first() {
    let sketch = Sketch::new()
        .part("a", &["u"], &[("y", These(&["u"]))])
        .part("b", &["u"], &[("y", These(&["u"]))])
        .wire("a.y", "b.u")
        .fed("a.u");
    assert_snapshot!(sketch.text());
}

#[test]
fn a_delayed_connection_is_exchanged_first_and_waits_for_nothing() {
    let sketch = loop_of_two(true, true);
    let mut sketch = sketch.delayed_wire("f2.y", "f1.v");
    sketch.system.connections.remove(2);
    assert_snapshot!(sketch.text());
}

#[test]
fn several_rates_have_one_order() {
    let sketch = Sketch::new()
        .part("slow", &["u"], &[("y", These(&["u"]))])
        .every(10)
        .part("fast", &["u"], &[("y", These(&["u"]))])
        .part("source", &[], &[("y", These(&[]))])
        .every(5)
        .wire("source.y", "slow.u")
        .wire("slow.y", "fast.u");
    assert_snapshot!(sketch.text());
}

#[test]
fn locals_are_read_after_all_inputs() {
    let mut sketch = chain_of_four(false);
    for (model, component) in sketch.models.iter_mut().zip(&mut sketch.system.components) {
        component.recorded.push(VariableId::from_index(model.variables.len()));
        component.counts.push(1);
        model.variables.push(Variable::scalar("x", Reference(0), Causality::Local));
    }
    assert_snapshot!(sketch.text());
}

#[test]
fn what_declares_nothing_depends_on_everything_and_is_named_once() {
    let sketch = Sketch::new()
        .part("a", &["u", "v"], &[("y", Unsaid), ("z", These(&[]))])
        .part("b", &["u"], &[("y", These(&["u"]))])
        .wire("a.z", "b.u")
        .wire("b.y", "a.v");
    assert_snapshot!(sketch.text());
}

fn variable_step() -> ResolvedVariableStep {
    let (initial, min, max) = (Time::from_ticks(1), Time::from_ticks(1), Time::from_ticks(100));
    ResolvedVariableStep { initial, min, max, tolerances: None }
}

#[test]
fn steps_of_changing_size_are_an_attempt_of_all() {
    let mut sketch = chain_of_four(true);
    sketch.system.coupling.variable_step = Some(variable_step());
    let (plan, _) = sketch.plan();
    let advance = plan.expect("a plan").advance;
    let [Stage::Attempt { components, stages }] = &advance[..] else { panic!("{advance:?}") };
    assert_eq!((components.len(), stages.len()), (4, 1));
}

#[test]
fn steps_of_changing_size_need_one_rate_and_a_way_back() {
    let mut sketch = chain_of_four(true).one_way().every(2);
    sketch.system.coupling.variable_step = Some(variable_step());
    assert_snapshot!(sketch.text());
}
