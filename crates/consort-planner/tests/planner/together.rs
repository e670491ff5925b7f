//! Components that are integrated as one.

use crate::properties::{part, sketch};
use crate::support::{Sketch, These};
use consort_core::{ComponentId, ModelDescription, Refresh, Report, SolvedBy, SolverKind, Time};
use consort_system::{Continuous, Order, Plan, ResolvedVariableStep, Stage};
use insta::assert_snapshot;
use proptest::prelude::{Just, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

impl Sketch {
    /// The last component is given by its equations.
    pub(crate) fn solved(mut self) -> Self {
        let (settings, tolerance) = (SolverKind::Bdf.into(), 1e-6);
        self.last().capabilities.solved_by = Some(SolvedBy { settings, tolerance });
        self
    }

    /// The plan as text, after the judge has seen it and it was read back.
    fn judged(&self) -> String {
        let (plan, report) = self.plan();
        let plan = plan.unwrap_or_else(|| panic!("{:?}", report.diagnostics()));
        let models: Vec<&ModelDescription> = self.models.iter().collect();
        if let Err(violation) = consort_check::check_plan(&self.system, &models, &plan) {
            panic!("{violation}\n{}", plan.to_text(&self.system, &models));
        }
        let text = plan.to_text(&self.system, &models);
        let again = Plan::parse(&text, &self.system, &models, &mut Report::default());
        assert_eq!(again.as_ref(), Some(&plan), "{text}");
        self.text()
    }
}

/// `a` and `c` have states, `b` hands on what it gets; `s` steps by itself.
fn three() -> Sketch {
    Sketch::new()
        .part("a", &["u", "v"], &[("y", These(&[]))])
        .solved()
        .part("s", &["u"], &[("y", These(&[]))])
        .by_step()
        .part("b", &["u"], &[("y", These(&["u"]))])
        .solved()
        .part("c", &["u"], &[("y", These(&[]))])
        .solved()
        .wire("a.y", "b.u")
        .wire("b.y", "c.u")
        .wire("c.y", "a.u")
        .wire("b.y", "s.u")
        .wire("s.y", "a.v")
}

#[test]
fn values_between_them_move_in_the_order_of_their_dependencies() {
    assert_snapshot!("derived", three().judged());
    assert_snapshot!("jacobi", three().order(Order::Jacobi).judged());
    assert_snapshot!("gauss_seidel", three().order(Order::GaussSeidel).judged());
}

#[test]
fn a_loop_between_them_is_refused_or_solved_in_every_evaluation() {
    let sketch = Sketch::new()
        .part("a", &["u"], &[("y", These(&["u"]))])
        .solved()
        .part("b", &["u"], &[("y", These(&["u"]))])
        .solved()
        .wire("a.y", "b.u")
        .wire("b.y", "a.u");
    assert_snapshot!("refused_loop", sketch.text());
    assert_snapshot!("solved_loop", sketch.iterated().judged());
}

#[test]
fn between_them_nothing_is_reactive() {
    let sketch = three().reactive("c.u");
    let text = sketch.judged();
    assert!(
        text.contains("`c.u` is not reactive: it is integrated together with its source"),
        "{text}"
    );
}

#[test]
fn they_wait_for_what_a_reactive_input_of_one_needs() {
    assert_snapshot!(three().reactive("a.v").judged());
}

#[test]
fn a_loop_over_their_step_takes_all_of_them_back() {
    let sketch = Sketch::new()
        .part("a", &["u", "v"], &[("y", These(&[]))])
        .solved()
        .part("c", &["u"], &[("y", These(&[]))])
        .solved()
        .part("s", &["u"], &[("y", These(&[]))])
        .by_step()
        .wire("a.y", "c.u")
        .wire("c.y", "a.u")
        .wire("c.y", "s.u")
        .wire("s.y", "a.v")
        .reactive("a.v")
        .reactive("s.u")
        .iterated();
    assert_snapshot!(sketch.judged());
}

#[test]
fn steps_that_may_be_rejected_have_them_inside() {
    let mut sketch = three();
    sketch.system.coupling.variable_step = Some(ResolvedVariableStep {
        initial: Time::from_ticks(1),
        min: Time::from_ticks(1),
        max: Time::from_ticks(9),
        tolerances: None,
    });
    assert!(sketch.judged().contains("  attempt rollback a, s, b, c\n    work\n"));
}

#[test]
fn components_outside_of_a_group_are_listed_with_the_reason() {
    let rendered = |sketch: &Sketch| {
        let explanation = sketch.explain();
        let apart =
            explanation.apart.iter().map(|it| format!("{} -> {}: {}", it.from, it.to, it.why));
        let together = explanation.together.iter().map(|it| it.components.join(", "));
        together.chain(apart).collect::<Vec<String>>()
    };
    assert_eq!(rendered(&three()), ["a, b, c"]);
    let mut apart = three();
    apart.system.coupling.continuous = Continuous::Apart;
    let wanted = "`continuous = \"apart\"` is asked for";
    assert_eq!(
        rendered(&apart),
        ["a.y -> b.u", "b.y -> c.u", "c.y -> a.u"].map(|wire| format!("{wire}: {wanted}"))
    );
    let mut others = three();
    others.system.connections[0].delay = true;
    others.models[3].capabilities.solved_by.as_mut().expect("it is solved").settings.kind =
        SolverKind::Adams;
    others.system.components[2].period = Time::from_ticks(2);
    let solvers = "they ask for different solvers, or for different longest steps";
    assert_eq!(
        rendered(&others),
        [
            "a.y -> b.u: the connection is delayed".to_owned(),
            "b.y -> c.u: they step at different rates".to_owned(),
            format!("c.y -> a.u: {solvers}"),
        ]
    );
}

/// All components that step, sorted.
fn steps(stages: &[Stage], into: &mut Vec<ComponentId>) {
    for stage in stages {
        match stage {
            Stage::Exchange(_) => {}
            Stage::Work(tasks) => {
                let stepping = tasks
                    .iter()
                    .filter(|task| task.operations.contains(&consort_system::Operation::Step));
                into.extend(stepping.map(|task| task.component));
            }
            Stage::Iterate(it) => steps(&it.stages, into),
            Stage::Attempt { stages, .. } => steps(stages, into),
            Stage::Integrate(it) => into.extend(&it.components),
        }
    }
    into.sort_unstable();
}

proptest! {
    #[test]
    fn every_plan_with_groups_is_right_and_steps_all_components_once(
        parts in prop::collection::vec((part(), prop::bool::weighted(0.7)), 1..8),
        wires in prop::collection::vec((0usize..8, 0usize..2, 0usize..16, prop::bool::weighted(0.2)), 0..16),
        order in prop_oneof![Just(Order::Derived), Just(Order::GaussSeidel), Just(Order::Jacobi)],
        one_rate in any::<bool>(),
    ) {
        let (mut parts, solved): (Vec<_>, Vec<bool>) = parts.into_iter().unzip();
        if one_rate {
            parts.iter_mut().for_each(|part| part.period = 1);
        }
        let mut sketch = sketch(&parts, &wires, order);
        for (model, _) in sketch.models.iter_mut().zip(&solved).filter(|(_, solved)| **solved) {
            let (settings, tolerance) = (SolverKind::Bdf.into(), 1e-6);
            model.capabilities.refresh = Refresh::AtOnce;
            model.capabilities.solved_by = Some(SolvedBy { settings, tolerance });
        }
        let (plan, report) = sketch.plan();
        prop_assert!(plan.is_some(), "{:?}", report.diagnostics());
        let plan = plan.expect("just looked at");
        let models: Vec<&ModelDescription> = sketch.models.iter().collect();
        let verdict = consort_check::check_plan(&sketch.system, &models, &plan);
        let text = plan.to_text(&sketch.system, &models);
        prop_assert!(verdict.is_ok(), "{}\n{text}", verdict.expect_err("just looked at"));
        let mut stepped = Vec::new();
        steps(&plan.advance, &mut stepped);
        let all: Vec<ComponentId> = (0..parts.len()).map(ComponentId::from_index).collect();
        prop_assert_eq!(stepped, all);
        let again = Plan::parse(&text, &sketch.system, &models, &mut Report::default());
        prop_assert_eq!(again, Some(plan));
        sketch.explain();
    }
}
