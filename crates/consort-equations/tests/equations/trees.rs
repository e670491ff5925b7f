//! Models built without text, as an importer does.

use crate::Setting;
use consort_core::Report;
use consort_equations::tree::{
    Equation, Event, EventAssignment, Function, Kind, VariableDeclaration,
};
use consort_equations::{Builtin, EquationModel, Expression, compile};
use consort_testkit::render;

fn var(name: &str) -> Expression {
    Expression::variable(name)
}

fn decay() -> EquationModel {
    let rate = Expression::builtin(Builtin::Multiply, vec![var("k"), var("s"), 2.0.into()]);
    let minus = Expression::builtin(Builtin::Negate, vec![Expression::call("id", vec![rate])]);
    let chain = vec![0.0.into(), var("s"), 1.0.into()];
    let condition = Expression::builtin(Builtin::Less, chain);
    EquationModel {
        name: "decay".into(),
        declarations: vec![
            VariableDeclaration::new(Kind::Parameter, "k", Some(0.5.into())),
            VariableDeclaration::new(Kind::State, "s", Some(3.0.into())),
        ],
        equations: vec![Equation::derivative("s", minus)],
        functions: vec![Function::new("id", &["x"], var("x"))],
        events: vec![Event::new(condition, vec![EventAssignment::new("s", 3.0.into())])],
        ..EquationModel::default()
    }
}

#[test]
fn a_tree_is_compiled_like_text() {
    let mut report = Report::default();
    let equations = compile(&decay(), &mut report).expect("the tree is right");
    let mut setting = Setting::start(&equations);
    assert_eq!(setting.evaluate(&equations, &equations.programs.derivatives), [-3.0]);
    assert_eq!(setting.evaluate(&equations, &equations.events[0].condition), [0.0]);
    setting.states = vec![0.5];
    assert_eq!(setting.evaluate(&equations, &equations.events[0].condition), [1.0]);
    assert_eq!(equations.indicators.len(), 2, "a chain of comparisons is several");
}

#[test]
fn mistakes_in_a_tree_are_reported_without_a_place() {
    let mut model = decay();
    model.equations[0].right = Expression::builtin(Builtin::Exp, vec![]);
    model.events[0].assignments[0].name = "k".into();
    model.declarations.push(VariableDeclaration::new(Kind::Variable, "w", Some(var("kk"))));
    let mut report = Report::default();
    assert_eq!(compile(&model, &mut report), None);
    insta::assert_snapshot!("trees", render::report(&report));
}

#[test]
fn the_same_tree_gives_the_same_programs() {
    let compiled = || compile(&decay(), &mut Report::default());
    assert_eq!(compiled(), compiled());
}
