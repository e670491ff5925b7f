//! Models written as equations, seen from outside.
#![expect(clippy::print_stdout, reason = "random tests print their seed")]

#[path = "equations/allocation.rs"]
mod allocation;
#[path = "equations/bad_models.rs"]
mod bad_models;
#[path = "equations/dependence.rs"]
mod dependence;
#[path = "equations/derivatives.rs"]
mod derivatives;
#[path = "equations/events.rs"]
mod events;
#[path = "equations/large.rs"]
mod large;
#[path = "equations/robustness.rs"]
mod robustness;
#[path = "equations/trees.rs"]
mod trees;
#[path = "equations/values.rs"]
mod values;

use consort_core::Report;
use consort_equations::{Equations, History, NoHistory, Program, compile, read};
use consort_testkit::render;

/// A model that must be right.
fn compiled(text: &str) -> Equations {
    let mut report = Report::default();
    let model = read("model.eq", text, &mut report);
    let equations = model.and_then(|model| compile(&model, &mut report));
    equations.unwrap_or_else(|| panic!("{text}\n{}", render::report(&report)))
}

/// Values of all kinds, to evaluate programs at.
#[derive(Clone, Default)]
struct Setting {
    time: f64,
    parameters: Vec<f64>,
    inputs: Vec<f64>,
    states: Vec<f64>,
    discretes: Vec<f64>,
}

impl Setting {
    /// Parameters and inputs as declared; states and discretes as the model starts.
    fn start(equations: &Equations) -> Self {
        let mut setting = Setting {
            parameters: equations.parameters.iter().map(|one| one.start).collect(),
            inputs: equations.inputs.iter().map(|one| one.start).collect(),
            states: vec![f64::NAN; equations.states.len()],
            discretes: vec![f64::NAN; equations.discretes.len()],
            ..Setting::default()
        };
        let mut first = setting.evaluate(equations, &equations.programs.initial);
        setting.discretes = first.split_off(equations.states.len());
        setting.states = first;
        setting
    }

    fn evaluate(&self, equations: &Equations, program: &Program) -> Vec<f64> {
        self.evaluate_with(equations, program, &mut NoHistory)
    }

    fn evaluate_with(
        &self,
        equations: &Equations,
        program: &Program,
        history: &mut impl History,
    ) -> Vec<f64> {
        let slices = [&self.parameters[..], &self.inputs, &self.states, &self.discretes];
        let point = equations.point(self.time, slices);
        let mut results = vec![0.0; program.results.len()];
        program.evaluate(&point, history, &mut program.registers(), &mut results);
        results
    }
}
