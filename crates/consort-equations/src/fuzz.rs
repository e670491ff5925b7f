//! What the fuzz target calls.

use crate::program::{NoHistory, Program};
use crate::tree::EquationModel;
use crate::{Equations, compile, read};
use consort_core::Report;

/// Reads bytes as a model, compiles it and evaluates every program once.
///
/// # Panics
/// If a model is refused without a reason, or accepted with one, or a program is not well made: that is
/// a finding.
pub fn model(data: &[u8]) {
    let Some(equations) = compiled(data, |text, report| read("fuzz.eq", text, report)) else {
        return;
    };
    for program in all(&equations) {
        evaluate(&equations, program);
    }
}

/// Bytes as a model that is read and compiled, each with a reason where there is nothing.
pub(crate) fn compiled(
    data: &[u8],
    read: impl Fn(&str, &mut Report) -> Option<EquationModel>,
) -> Option<Equations> {
    let mut report = Report::default();
    let model = read(&String::from_utf8_lossy(data), &mut report);
    assert_eq!(model.is_none(), report.has_errors(), "no model without a reason");
    let equations = compile(&model?, &mut report);
    assert_eq!(equations.is_none(), report.has_errors(), "nothing is refused without a reason");
    equations
}

fn all(equations: &Equations) -> Vec<&Program> {
    let programs = &equations.programs;
    let mut all = vec![
        &programs.initial,
        &programs.derivatives,
        &programs.outputs,
        &programs.locals,
        &programs.indicators,
        &programs.instants,
        &programs.remembered,
        &programs.durations,
        &programs.state_jacobian.program,
        &programs.feedthrough.program,
    ];
    for event in &equations.events {
        all.extend([&event.condition, &event.assignments]);
        all.extend(event.delay.iter().chain(&event.priority));
    }
    all
}

fn evaluate(equations: &Equations, program: &Program) {
    let layout = equations.layout;
    let ones = |count: usize| vec![1.0; count];
    let (parameters, inputs) = (ones(layout.parameters), ones(layout.inputs));
    let (states, discretes) = (ones(layout.states), ones(layout.discretes));
    let point = equations.point(0.5, [&parameters, &inputs, &states, &discretes]);
    let mut results = ones(program.results.len());
    program.evaluate(&point, &mut NoHistory, &mut program.registers(), &mut results);
}
