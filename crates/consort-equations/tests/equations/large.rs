//! Large and regular models: how instructions are put together.

use crate::{Setting, compiled};
use consort_core::Prng;
use consort_equations::{Equations, Program, Side};
use std::fmt::Write as _;

/// Heat in a rod of `n` elements.
fn rod(n: usize) -> String {
    let mut text = String::from("model rod\nparameter k = 0.5\n");
    for i in 0..n {
        let _ = writeln!(text, "state x{i} = {i}");
    }
    for i in 0..n {
        let left = if i == 0 { "0".to_owned() } else { format!("x{}", i - 1) };
        let right = if i + 1 == n { "0".to_owned() } else { format!("x{}", i + 1) };
        let _ = writeln!(text, "der(x{i}) = k*({left} - 2*x{i} + {right})");
    }
    text + "end"
}

#[test]
fn equal_operations_run_together() {
    let equations = compiled(&rod(1000));
    let program = &equations.programs.derivatives;
    assert!(program.runs.len() < 20, "{} runs", program.runs.len());
    let count = program.instruction_count();
    assert!(count <= 2000, "{count}: a product and a sum are one instruction");
    assert_eq!(equations.programs.state_jacobian.row_of.len(), 2998);
}

#[test]
fn a_large_model_computes_what_the_loop_does() {
    let equations = compiled(&rod(100));
    let mut setting = Setting::start(&equations);
    let seed = 4;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    for x in &mut setting.states {
        *x = prng.next_f64();
    }
    let x = |i: usize| setting.states.get(i).copied().unwrap_or(0.0);
    let found = setting.evaluate(&equations, &equations.programs.derivatives);
    for (i, dx) in found.iter().enumerate() {
        let expected = 0.5 * (x(i.wrapping_sub(1)) - 2.0 * x(i) + x(i + 1));
        assert_eq!(dx.to_bits(), expected.to_bits(), "x{i}");
    }
}

/// Reactions among random species, so that operands stand anywhere.
fn network(n: u64, prng: &mut Prng) -> String {
    let mut text = String::from("model network\nparameter k = 0.5\nparameter h = 2.5\n");
    for i in 0..n {
        let _ = writeln!(text, "state x{i} = {}", prng.next_f64());
    }
    for i in 0..n {
        let [a, b, c] = [(); 3].map(|()| prng.below(n));
        let _ = match prng.below(4) {
            0 => writeln!(text, "der(x{i}) = k*(x{a} + x{b}) - h*x{i}*x{c}"),
            1 => writeln!(text, "der(x{i}) = x{a}/(k + x{a}) + sin(x{b})"),
            _ => writeln!(text, "der(x{i}) = k*x{a}*x{b} - h*x{i} + 0.{c}*x{c}*x{i}"),
        };
    }
    text + "end"
}

#[test]
fn instructions_one_by_one_compute_the_same() {
    let seed = 7;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let mut models = vec![rod(1), rod(2), rod(50)];
    models.extend([1, 3, 20, 100, 400].map(|n| network(n, &mut prng)));
    for model in &models {
        let equations = compiled(model);
        let programs = &equations.programs;
        for program in [&programs.derivatives, &programs.state_jacobian.program] {
            check_one_by_one(&equations, program);
        }
    }
}

fn check_one_by_one(equations: &Equations, program: &Program) {
    let setting = Setting::start(equations);
    let mut registers = vec![0.0];
    registers.extend(&setting.parameters);
    registers.extend(&setting.states);
    registers.push(Side::At.sign());
    registers.extend(&program.constants);
    for instruction in program.instructions() {
        assert_eq!(instruction.out as usize, registers.len(), "each writes the next register");
        let operands = instruction.operands.map(|place| registers[place as usize]);
        registers.push(instruction.op.apply(operands).expect("no delays here"));
    }
    let results: Vec<f64> = program.results.iter().map(|at| registers[*at as usize]).collect();
    assert_eq!(results, setting.evaluate(equations, program));
}

#[test]
fn a_network_computes_what_its_text_says() {
    let mut text = String::from("model m\nparameter k = 0.5\n");
    for i in 0..200 {
        let _ = writeln!(text, "state x{i} = {}", f64::from(i) * 0.25);
        let _ = writeln!(text, "der(x{i}) = k*x{}*x{} - 3*x{i}", i * 7 % 200, i * i % 200);
    }
    let equations = compiled(&(text + "end"));
    let found = Setting::start(&equations).evaluate(&equations, &equations.programs.derivatives);
    let x = |i: i32| f64::from(i % 200) * 0.25;
    for (dx, i) in found.iter().zip(0..) {
        let expected = 0.5 * x(i * 7) * x(i * i) - 3.0 * x(i);
        assert_eq!(dx.to_bits(), expected.to_bits(), "x{i}");
    }
}
