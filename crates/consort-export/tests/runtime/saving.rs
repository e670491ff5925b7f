//! Saved states: what is restored continues bit for bit, wherever.

use crate::bench::{Bench, Form, VERSIONS, compiled, compiled_with, make};
use consort_equations::Equations;
use consort_solve::integrate::SolverKind;
use std::sync::Arc;

/// Events that wait, delays, instants, and a chain of everything into the derivatives.
pub(crate) const EVERYTHING: &str = "model everything
  parameter d = 0.3
  parameter g = 9.81
  input u = 0
  output state h = 1
  state v = 0
  state x = 1
  discrete n = 0
  discrete next = 0.25
  output seen = delay(delay(x, d), 0.2)
  output wave = 0.5*time + u
  variable w = h*v
  der(h) = v
  der(v) = u - g
  der(x) = -delay(x, 0.5) + (if x < 0 then 0.5 else 0)
  when h < 0 and v < 0 then
    v = -0.9*v
    n = n + 1
  end
  when time >= next after 0.05 priority n then
    x = x + 0.1
    next = next + 0.25
  end
end";

const STEPS: usize = 120;
/// So many steps are compared after each restore.
const AFTER: usize = 10;
const STEP: i64 = 25_000_000;
const TOLERANCE: f64 = 1e-7;

fn input(n: usize) -> f64 {
    (n / 7) as f64 * 0.125
}

fn go_on(bench: &mut Bench, equations: &Equations, from: usize, to: usize) -> Vec<Vec<u64>> {
    let step = |n: usize| {
        bench.set("u", input(n));
        bench.step();
        bench.all(equations)
    };
    (from..to).map(step).collect()
}

fn forms() -> Vec<Form> {
    let both = |version| [Form::CoSimulation(version), Form::Exchange(version, SolverKind::Bdf)];
    VERSIONS.into_iter().flat_map(both).collect()
}

#[test]
fn what_is_restored_continues_bit_for_bit() {
    let equations = compiled(EVERYTHING);
    for form in forms() {
        let model = make(&equations, form);
        let fresh = || Bench::of(Arc::clone(&model), STEP, TOLERANCE);
        let whole = go_on(&mut fresh(), &equations, 0, STEPS);
        let (mut bench, mut other) = (fresh(), fresh());
        let mut saved = Vec::new();
        for n in 0..STEPS {
            saved.push((bench.save(), bench.bytes()));
            assert_eq!(go_on(&mut bench, &equations, n, n + 1), whole[n..=n], "saving disturbs");
        }
        for (n, (state, bytes)) in saved.iter().enumerate() {
            let end = STEPS.min(n + AFTER);
            bench.restore(state);
            assert_eq!(go_on(&mut bench, &equations, n, end), whole[n..end], "{form:?} at {n}");
            // Into an instance that is anywhere.
            other.load(bytes);
            assert_eq!(go_on(&mut other, &equations, n, end), whole[n..end], "{form:?} at {n}");
        }
    }
}

#[test]
fn states_of_another_model_are_refused() {
    let (ours, theirs) = (compiled(EVERYTHING), compiled(&EVERYTHING.replace("0.9*v", "0.8*v")));
    for form in forms() {
        let bytes = Bench::new(&ours, form, STEP, TOLERANCE).bytes();
        let mut other = Bench::new(&theirs, form, STEP, TOLERANCE);
        let refused =
            other.instance.deserialize(&bytes.0).map(|state| other.instance.restore(&state));
        assert!(matches!(refused, Err(_) | Ok(Err(_))), "{form:?}");
    }
}

/// Two events at every second, in any order, and how often the second came last.
const TIED: &str = "model tied
  discrete next = 1
  discrete p = 0
  output discrete n = 0
  when time >= next priority 1 then
    p = 1
  end
  when time >= next priority 1 then
    p = 2
  end
  when time >= next then
    next = next + 1
    n = n + p - 1
  end
end";

/// Of 200 draws about half, and the same in every run and after a restore.
#[test]
fn events_in_any_order_are_drawn_with_a_fixed_seed() {
    let equations = compiled_with(TIED, |tree| {
        tree.events_are_unordered = true;
        tree.events.iter_mut().for_each(|event| event.values_from_trigger = false);
    });
    let second = 1_000_000_000;
    for form in forms() {
        let fresh = || Bench::of(make(&equations, form), second, TOLERANCE);
        let (mut bench, mut other) = (fresh(), fresh());
        bench.run_to(77.5);
        let bytes = bench.bytes();
        bench.run_to(200.5);
        other.load(&bytes);
        other.run_to(200.5);
        let second_was_last = bench.get("n");
        assert!((70.0..=130.0).contains(&second_was_last), "{form:?}: {second_was_last}");
        assert_eq!(second_was_last.to_bits(), other.get("n").to_bits(), "{form:?}");
        let mut again = fresh();
        again.run_to(200.5);
        assert_eq!(second_was_last.to_bits(), again.get("n").to_bits(), "{form:?}");
    }
}
