//! Plans cut into nodes: what crosses when, and who must share a node.

use crate::support::{Sketch, These, chain_of_four, flight, loop_of_two};
use consort_core::{ComponentId, ModelDescription, Report, Time};
use consort_planner::{groups, project};
use consort_system::{
    Comparison, Condition, Effect, Order, Placement, Plan, ResolvedIntervention,
    ResolvedVariableStep, Target, Trigger,
};
use insta::assert_snapshot;
use std::fmt::Write as _;

impl Sketch {
    fn models(&self) -> Vec<&ModelDescription> {
        self.models.iter().collect()
    }

    fn planned(&self) -> Plan {
        let (plan, report) = self.plan();
        plan.unwrap_or_else(|| panic!("{:?}", report.diagnostics()))
    }

    /// The crossings, or why there are none; each component on the node of that name.
    fn projected(&self, nodes: &[&str]) -> String {
        let mut report = Report::default();
        let placement = Placement::from_names(nodes);
        let projection =
            project(&self.system, &self.models(), &self.planned(), &placement, &mut report);
        assert_eq!(projection.is_none(), report.has_errors());
        let mut text = projection.map_or(String::new(), |it| it.to_text());
        for it in report.diagnostics() {
            let _ = writeln!(text, "{} {}: {}", it.severity, it.code, it.message);
            for note in &it.notes {
                let _ = writeln!(text, "  note: {note}");
            }
            let _ = writeln!(text, "  help: {}", it.help.as_ref().expect("every error has help"));
        }
        text
    }

    /// Who must share a node.
    fn grouped(&self) -> Vec<Vec<&str>> {
        let name = |id: &ComponentId| self.system.components[id.index()].name.as_str();
        let groups = groups(&self.system, &self.models(), &self.planned());
        groups.iter().map(|group| group.components.iter().map(name).collect()).collect()
    }

    /// The last component uses event mode.
    fn eventful(mut self) -> Self {
        self.last().capabilities.event_mode = true;
        self.system.components.last_mut().expect("a component was added").event_mode = true;
        self
    }

    fn intervened(mut self, trigger: Trigger) -> Self {
        let target = Target::Output(self.port("f0.y"));
        let effect = Effect::Freeze;
        self.system.interventions.push(ResolvedIntervention { trigger, target, effect });
        self
    }
}

#[test]
fn values_cross_at_the_exchange_that_moves_them() {
    let sketch = flight();
    assert_snapshot!(sketch.projected(&["plane", "plane", "world"]), @r"
    node plane: 0 1
    node world: 2
    crossing plane>world/initialization.0 from 0 to 0: 1
    crossing plane>world/present.2/0.01s from 0 to 1000: 1
    crossing world>plane/initialization.1 from 0 to 0: 2
    crossing world>plane/present.3/0.01s from 0 to 1000: 2
    ");
    assert_snapshot!(sketch.projected(&["plane", "plane", "plane"]), @r"
    node plane: 0 1 2
    ");
}

#[test]
fn every_rate_and_every_delay_crosses_for_itself() {
    let sketch = Sketch::new()
        .part("a", &["u"], &[("x", These(&[])), ("y", These(&[]))])
        .part("b", &["u"], &[("y", These(&[]))])
        .every(4)
        .part("c", &["u", "v", "w", "z"], &[("y", These(&[]))])
        .every(2)
        .wire("b.y", "c.u")
        .wire("a.x", "c.v")
        .delayed_wire("a.y", "c.w")
        .wire("a.y", "c.z")
        .delayed_wire("c.y", "a.u");
    assert_snapshot!(sketch.projected(&["one", "one", "two"]), @r"
    node one: 0 1
    node two: 2
    crossing one>two/initialization.0 from 0 to 0: 0 1 3
    crossing one>two/present.1/0.01s from 0 to 1000: 1 3
    crossing one>two/present.1/0.01s/delayed from 1 to 1000: 2
    crossing one>two/present.1/0.04s from 0 to 1000: 0
    crossing two>one/present.1/0.02s/delayed from 2 to 1000: 4
    ");
}

#[test]
fn reactive_inputs_cross_between_steps() {
    let sketch = Sketch::new()
        .part("a", &[], &[("y", These(&[]))])
        .part("b", &["u"], &[("y", These(&[]))])
        .wire("a.y", "b.u")
        .reactive("b.u");
    assert_snapshot!(sketch.projected(&["one", "two"]), @r"
    node one: 0
    node two: 1
    crossing one>two/advance.2/0.01s from 0 to 999: 0
    crossing one>two/initialization.0 from 0 to 0: 0
    crossing one>two/present.1/0.01s from 0 to 1000: 0
    ");
    let gauss_seidel = chain_of_four(false).all_by_step().order(Order::GaussSeidel);
    assert_snapshot!(gauss_seidel.projected(&["a", "b", "a", "b"]), @r"
    node a: 0 2
    node b: 1 3
    crossing a>b/advance.2/0.01s from 0 to 999: 0
    crossing a>b/advance.4/0.01s from 0 to 999: 2
    crossing a>b/initialization.0 from 0 to 0: 0 2
    crossing a>b/present.1/0.01s from 0 to 1000: 0 2
    crossing b>a/advance.3/0.01s from 0 to 999: 1
    crossing b>a/initialization.0 from 0 to 0: 1
    crossing b>a/present.1/0.01s from 0 to 1000: 1
    ");
}

#[test]
fn a_run_that_is_over_at_once_sends_nothing_more() {
    let mut sketch = loop_of_two(false, false);
    sketch.system.experiment.stop = Time::ZERO;
    sketch.system.connections[1].delay = true;
    assert_snapshot!(sketch.projected(&["a", "b", "c"]), @r"
    node a: 0
    node b: 1
    node c: 2
    crossing a>b/initialization.0 from 0 to 0: 0
    crossing a>b/present.1/0.01s from 0 to 0: 0
    crossing c>b/initialization.0 from 0 to 0: 2
    crossing c>b/present.1/0.01s from 0 to 0: 2
    ");
}

#[test]
fn a_loop_is_solved_on_one_node() {
    let sketch = loop_of_two(true, true).iterated();
    assert_eq!(sketch.grouped(), [["f1", "f2"]]);
    assert_snapshot!(sketch.projected(&["a", "b", "c"]), @r"
    error plan::group-split: `f1`, `f2` must be on one node, but are on `b`, `c`
      note: they are solved as one loop: f1.y --connected--> f2.u --feedthrough--> f2.y --connected--> f1.v --feedthrough--> f1.y
      note: on `b`: `f1`
      note: on `c`: `f2`
      help: place them on one node; `delay = true` at a connection of the loop breaks it
    ");
    assert!(!sketch.projected(&["a", "b", "b"]).contains("error"));
    let by_step = loop_of_two(true, true).all_by_step();
    assert!(by_step.projected(&["a", "b", "c"]).contains("their initial values are solved"));
}

#[test]
fn steps_of_changing_size_are_taken_on_one_node() {
    let mut sketch = chain_of_four(false);
    let size = Time::from_ticks(1);
    let variable = ResolvedVariableStep { initial: size, min: size, max: size, tolerances: None };
    sketch.system.coupling.variable_step = Some(variable);
    assert_eq!(sketch.grouped(), [["f0", "f1", "f2", "f3"]]);
    assert_snapshot!(sketch.projected(&["a", "b", "b", "b"]), @r"
    error plan::group-split: `f0`, `f1`, `f2`, `f3` must be on one node, but are on `a`, `b`
      note: steps change their size: a step that is too long for one is taken back by all
      note: on `a`: `f0`
      note: on `b`: `f1`, `f2`, `f3`
      help: place all components on one node, or remove `[experiment.variable-step]`
    ");
}

#[test]
fn what_is_integrated_as_one_is_on_one_node() {
    let sketch = Sketch::new()
        .part("f0", &[], &[("y", These(&[]))])
        .solved()
        .part("f1", &["u"], &[("y", These(&[]))])
        .solved()
        .part("f2", &["u"], &[("y", These(&[]))])
        .wire("f0.y", "f1.u")
        .wire("f1.y", "f2.u");
    assert_eq!(sketch.grouped(), [["f0", "f1"]]);
    assert_snapshot!(sketch.projected(&["a", "b", "b"]), @r#"
    error plan::group-split: `f0`, `f1` must be on one node, but are on `a`, `b`
      note: they are integrated as one
      note: on `a`: `f0`
      note: on `b`: `f1`
      help: place them on one node; `continuous = "apart"` in `[experiment]` integrates each alone
    "#);
}

#[test]
fn a_condition_is_looked_at_on_one_node_and_a_time_on_any() {
    let sketch = chain_of_four(false);
    let port = sketch.port("f1.y");
    let condition = Condition { port, comparison: Comparison::Less, number: 0.0 };
    let conditional = sketch.clone().intervened(Trigger::When(condition));
    assert_eq!(conditional.grouped(), [["f0", "f1", "f2", "f3"]]);
    assert_snapshot!(conditional.projected(&["a", "b", "b", "b"]), @r"
    error plan::group-split: `f0`, `f1`, `f2`, `f3` must be on one node, but are on `a`, `b`
      note: an intervention begins by a condition: it looks at the values of a tag, and may change them, before the tag is over
      note: on `a`: `f0`
      note: on `b`: `f1`, `f2`, `f3`
      help: place all components on one node, or let the intervention begin `at` a time
    ");
    assert!(sketch.intervened(Trigger::At(Time::ZERO)).grouped().is_empty());
}

#[test]
fn events_reach_others_on_one_node_unless_the_connection_is_delayed() {
    let part = |sketch: Sketch, name: &str| sketch.part(name, &["u"], &[("y", These(&[]))]);
    let sketch = part(part(part(Sketch::new(), "a").eventful(), "b"), "c").wire("b.y", "c.u");
    assert!(sketch.clone().delayed_wire("a.y", "b.u").grouped().is_empty());
    let undelayed = sketch.wire("a.y", "b.u");
    assert_eq!(undelayed.grouped(), [["a", "b"]]);
    assert_snapshot!(undelayed.projected(&["one", "two", "two"]), @r"
    error plan::group-split: `a`, `b` must be on one node, but are on `one`, `two`
      note: an event of one changes what the others are given before the tag is over
      note: on `one`: `a`
      note: on `two`: `b`
      help: place them on one node; `delay = true` at a connection, or `event-mode = false` in a component, lets them be apart
    ");
}

#[test]
fn what_is_read_again_at_events_is_on_the_node_of_the_events() {
    let sketch = Sketch::new()
        .part("a", &[], &[("y", These(&[]))])
        .eventful()
        .part("b", &["u"], &[("y", These(&["u"]))])
        .part("c", &["u"], &[("y", These(&[]))])
        .part("d", &["u"], &[("y", These(&[]))])
        .wire("d.y", "b.u")
        .wire("b.y", "c.u")
        .wire("c.y", "d.u");
    assert_eq!(sketch.grouped(), [["a", "b", "c"]]);
    assert_snapshot!(sketch.projected(&["one", "two", "two", "two"]), @r"
    error plan::group-split: `a`, `b`, `c` must be on one node, but are on `one`, `two`
      note: at an event of one, outputs of the others that follow inputs at once are read again
      note: on `one`: `a`
      note: on `two`: `b`, `c`
      help: place them on one node; `delay = true` at a connection, or `event-mode = false` in a component, lets them be apart
    ");
}

#[test]
fn groups_that_overlap_are_one() {
    let sketch = Sketch::new()
        .part("a", &["u"], &[("y", These(&[]))])
        .eventful()
        .part("b", &["u"], &[("y", These(&[]))])
        .part("c", &["u"], &[("y", These(&[]))])
        .eventful()
        .wire("a.y", "b.u")
        .wire("c.y", "a.u");
    assert_eq!(sketch.grouped(), [["a", "b", "c"]]);
}
