//! What is one step late: loops that turn once per step, and loops that are broken by a delay.

use crate::support::{Sketch, These, Unsaid, loop_of_two};
use consort_core::{Diagnostic, ModelDescription, Report, Severity};
use consort_planner::{late_connections, settle_loops};
use consort_system::{LoopPolicy, Order, ResolvedLoopRule};
use insta::assert_snapshot;

/// What is said of a sketch before it has a plan, or then.
fn said(mut sketch: Sketch) -> Report {
    let mut report = Report::default();
    let models = sketch.models.clone();
    settle_loops(&mut sketch.system, &models.iter().collect::<Vec<_>>(), &mut report);
    if report.has_errors() { report } else { sketch.plan().1 }
}

/// The codes of it.
fn codes(sketch: &Sketch) -> Vec<&'static str> {
    let report = said(sketch.clone());
    report.diagnostics().iter().map(|it| it.code).collect()
}

fn text(sketch: Sketch) -> String {
    let report = said(sketch);
    let rendered = report.diagnostics().iter().map(|it| {
        format!(
            "{}: {}\n{}\n{}\n",
            it.code,
            it.message,
            it.notes.join("\n"),
            it.help.as_deref().unwrap_or("")
        )
    });
    rendered.collect()
}

fn delayed(mut sketch: Sketch) -> Sketch {
    sketch.system.coupling.loops = LoopPolicy::Delay;
    let models = sketch.models.clone();
    settle_loops(&mut sketch.system, &models.iter().collect::<Vec<_>>(), &mut Report::default());
    sketch
}

fn late(sketch: &Sketch) -> Vec<(String, i64)> {
    let models: Vec<&ModelDescription> = sketch.models.iter().collect();
    let late = late_connections(&sketch.system, &models).into_iter();
    late.map(|it| (format!("{} -> {}", it.from, it.to), it.by.ticks())).collect()
}

#[test]
fn a_loop_that_turns_once_per_step_is_not_iterated_and_says_what_to_do() {
    let stepped = loop_of_two(true, true).all_by_step();
    assert_snapshot!(text(stepped.iterated()));
    assert_snapshot!("jacobi", text(loop_of_two(true, true).order(Order::Jacobi).iterated()));
    let silent = Sketch::new()
        .part("a", &["u"], &[("y", Unsaid)])
        .by_step()
        .one_way()
        .part("b", &["u"], &[("y", These(&["u"]))])
        .wire("a.y", "b.u")
        .wire("b.y", "a.u")
        .iterated();
    assert_snapshot!("silent", text(silent));
}

#[test]
fn only_loops_that_are_to_be_iterated_are_refused() {
    const REFUSED: &str = "plan::loop-not-iterated";
    let stepped = || loop_of_two(true, true).all_by_step();
    let reactive = || stepped().reactive("f1.v").reactive("f2.u");
    for (what, sketch, expected) in [
        ("nothing said", stepped(), None),
        ("delay", delayed(stepped()), None),
        ("iterate", stepped().iterated(), Some(REFUSED)),
        ("all inputs reactive", reactive().iterated(), None),
        ("one input reactive", stepped().reactive("f1.v").iterated(), Some(REFUSED)),
        ("gauss-seidel", stepped().order(Order::GaussSeidel).iterated(), Some(REFUSED)),
        ("at once", loop_of_two(true, true).iterated(), None),
        ("at once, jacobi", loop_of_two(true, true).order(Order::Jacobi).iterated(), None),
        ("no feedthrough in one", loop_of_two(true, false).all_by_step().iterated(), None),
        ("at once, not asked", loop_of_two(true, true), Some("plan::algebraic-loop")),
        ("at once, delay", delayed(loop_of_two(true, true)), None),
    ] {
        let report = said(sketch);
        let found: Vec<&Diagnostic> =
            report.diagnostics().iter().filter(|it| it.severity == Severity::Error).collect();
        assert_eq!(found.first().map(|it| it.code), expected, "{what}: {found:?}");
    }
}

#[test]
fn a_delayed_connection_breaks_a_loop_that_turns_once_per_step() {
    let stepped = |delayed: bool| {
        let sketch = Sketch::new()
            .part("a", &["u"], &[("y", These(&["u"]))])
            .by_step()
            .part("b", &["u"], &[("y", These(&["u"]))])
            .by_step()
            .wire("a.y", "b.u")
            .iterated();
        if delayed { sketch.delayed_wire("b.y", "a.u") } else { sketch.wire("b.y", "a.u") }
    };
    assert_eq!(codes(&stepped(true)), [""; 0]);
    assert_eq!(codes(&stepped(false)), ["plan::loop-not-iterated"]);
}

#[test]
fn a_rule_may_delay_one_loop_while_others_are_solved() {
    let mut sketch = loop_of_two(true, true)
        .part("g", &["u"], &[("y", These(&["u"]))])
        .wire("g.y", "g.u")
        .iterated();
    let port = sketch.port("g.u");
    let (component, variable) = (port.component, port.variable);
    let policy = LoopPolicy::Delay;
    sketch.system.coupling.rules.push(ResolvedLoopRule { component, variable, policy });
    let models = sketch.models.clone();
    settle_loops(&mut sketch.system, &models.iter().collect::<Vec<_>>(), &mut Report::default());
    let delays: Vec<bool> = sketch.system.connections.iter().map(|wire| wire.delay).collect();
    assert_eq!(delays.iter().filter(|delay| **delay).count(), 1, "{delays:?}");
    assert!(delays.last() == Some(&true), "{delays:?}");
    let codes = codes(&sketch);
    assert!(!codes.contains(&"plan::no-such-loop"), "{codes:?}");
}

#[test]
fn late_connections_are_those_that_cost_a_step_by_their_own_step() {
    let chain = || {
        Sketch::new()
            .part("a", &[], &[("y", These(&[]))])
            .part("b", &["u"], &[("y", These(&["u"]))])
            .by_step()
            .every(3)
            .wire("a.y", "b.u")
    };
    let name = |by| vec![("a.y -> b.u".to_owned(), by)];
    for (what, sketch, expected) in [
        ("by step", chain(), name(3)),
        ("reactive, of another rate", chain().reactive("b.u"), name(3)),
        (
            "no feedthrough",
            {
                Sketch::new()
                    .part("a", &[], &[("y", These(&[]))])
                    .part("b", &["u"], &[("y", These(&[]))])
                    .by_step()
                    .wire("a.y", "b.u")
            },
            vec![],
        ),
        (
            "delayed",
            {
                Sketch::new()
                    .part("a", &[], &[("y", These(&[]))])
                    .every(2)
                    .part("b", &["u"], &[("y", These(&["u"]))])
                    .every(2)
                    .delayed_wire("a.y", "b.u")
            },
            name(2),
        ),
        (
            "delayed and by step",
            {
                Sketch::new()
                    .part("a", &[], &[("y", These(&[]))])
                    .every(2)
                    .part("b", &["u"], &[("y", These(&["u"]))])
                    .by_step()
                    .delayed_wire("a.y", "b.u")
            },
            name(3),
        ),
        (
            "jacobi",
            loop_of_two(true, false).order(Order::Jacobi),
            late(&loop_of_two(true, false).all_by_step()),
        ),
    ] {
        assert_eq!(late(&sketch), expected, "{what}");
    }
}
