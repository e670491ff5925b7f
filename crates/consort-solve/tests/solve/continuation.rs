//! A clone, a copy and a solver from bytes continue as the original does, to the bit.

use crate::{METHODS, pendulum};
use consort_core::Prng;
use consort_solve::FixedStep;

/// Every `x` of so many steps from step `from` on. The length changes every 17 steps.
fn run(solver: &mut FixedStep, x: &mut [f64; 2], from: u64, steps: u64) -> Vec<[u64; 2]> {
    let mut trace = Vec::new();
    for n in from..from + steps {
        let h = if n / 17 % 2 == 0 { 0.01 } else { 0.007 };
        solver.step(x, pendulum, n as f64 * 0.01, h);
        trace.push(x.map(f64::to_bits));
    }
    trace
}

#[test]
fn every_method_continues_exactly_from_any_point() {
    let seed = 20_261_115;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    for method in METHODS {
        for _ in 0..50 {
            let (before, after) = (prng.below(60), 1 + prng.below(60));
            println!("{method:?}: saved after {before} steps, compared over {after}");
            let (mut solver, mut x) = (FixedStep::new(method, 2), [1.0, prng.next_f64()]);
            run(&mut solver, &mut x, 0, before);
            let (saved, bytes, at) = (solver.clone(), solver.to_bytes(), x);
            let expected = run(&mut solver, &mut x, before, after);

            solver.copy_from(&saved);
            assert_eq!(run(&mut solver, &mut at.clone(), before, after), expected, "copied");

            let mut revived = FixedStep::from_bytes(&bytes).expect("just written");
            assert_eq!(revived, saved);
            assert_eq!(revived.to_bytes(), bytes);
            assert_eq!(run(&mut revived, &mut at.clone(), before, after), expected, "from bytes");
            assert_eq!(revived, solver);
        }
    }
}

#[test]
fn solvers_that_continue_differently_are_not_equal() {
    for method in METHODS {
        let (mut one, mut other) = (FixedStep::new(method, 2), FixedStep::new(method, 2));
        run(&mut one, &mut [1.0, 0.0], 0, 5);
        run(&mut other, &mut [1.0, 1e-12], 0, 5);
        let has_history = FixedStep::new(method, 2) != one;
        assert_eq!(one != other, has_history, "{method:?}");
    }
    for (one, other) in METHODS.iter().zip(&METHODS[1..]) {
        assert_ne!(FixedStep::new(*one, 2), FixedStep::new(*other, 2));
        assert_ne!(FixedStep::new(*one, 2), FixedStep::new(*one, 3));
    }
}
