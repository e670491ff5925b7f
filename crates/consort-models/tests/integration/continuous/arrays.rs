//! A state that is an array, whose size a structural parameter says: the rod of the test kit.

use super::{Bench, assert_near};
use consort_core::{SolverKind, Values, ValuesMut};
use consort_testkit::fmus::Fmi;

/// A rod of so many cells at its start.
fn rod(cells: u64, kind: SolverKind) -> Bench {
    let mut rod = Bench::instantiated("exchange-rod", Fmi::V3, kind);
    rod.instance.enter_configuration().unwrap();
    rod.set("n", &Values::UInt64(vec![cells]));
    rod.instance.exit_configuration().unwrap();
    rod.set("rate", &Values::Float64(vec![400.0]));
    rod.initialize();
    rod
}

fn temperatures(rod: &mut Bench, cells: usize) -> Vec<f64> {
    let mut values = vec![0.0; cells];
    let reference = [rod.reference("T")];
    rod.instance.get(&reference, ValuesMut::Float64(&mut values)).unwrap();
    values
}

/// The same by the classical Runge-Kutta method, in small steps.
fn expected(cells: usize, seconds: f64) -> Vec<f64> {
    let flow = |x: &[f64]| -> Vec<f64> {
        let left = |i: usize| if i == 0 { 300.0 } else { x[i - 1] };
        let right = |i: usize| if i + 1 == cells { x[i] } else { x[i + 1] };
        (0..cells).map(|i| 400.0 * ((left(i) - x[i]) + (right(i) - x[i]))).collect()
    };
    let add = |x: &[f64], h: f64, k: &[f64]| -> Vec<f64> {
        x.iter().zip(k).map(|(x, k)| x + h * k).collect()
    };
    let (mut x, steps) = (vec![280.0; cells], 2_000);
    let h = seconds / f64::from(steps);
    for _ in 0..steps {
        let first = flow(&x);
        let second = flow(&add(&x, h / 2.0, &first));
        let third = flow(&add(&x, h / 2.0, &second));
        let fourth = flow(&add(&x, h, &third));
        for i in 0..cells {
            x[i] += h / 6.0 * (first[i] + 2.0 * second[i] + 2.0 * third[i] + fourth[i]);
        }
    }
    x
}

#[test]
fn a_hundred_states_in_one_array_are_integrated_by_every_solver() {
    let expected = expected(100, 0.5);
    for kind in super::KINDS {
        let mut rod = rod(100, kind);
        rod.run(50, "rate");
        let found = temperatures(&mut rod, 100);
        for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_near(*found, *expected, 1e-4, &format!("{kind:?}, cell {cell}"));
        }
    }
}

/// The size is asked again after a state of another instance, with another size, was restored.
#[test]
fn restored_arrays_continue_bit_for_bit_whatever_size_came_before() {
    for kind in super::KINDS {
        let mut large = rod(100, kind);
        large.run(10, "rate");
        let (state, ticks) = (large.instance.save().unwrap(), large.ticks);
        let bytes = large.instance.serialize(&state).unwrap();
        large.run(20, "rate");
        let expected = temperatures(&mut large, 100);
        large.instance.restore(&state).unwrap();
        large.ticks = ticks;
        large.run(20, "rate");
        assert_eq!(temperatures(&mut large, 100), expected, "{kind:?}");
        let mut small = rod(7, kind);
        small.run(30, "rate");
        let state = small.instance.deserialize(&bytes).unwrap();
        small.instance.restore(&state).unwrap();
        small.ticks = ticks;
        small.run(20, "rate");
        assert_eq!(temperatures(&mut small, 100), expected, "{kind:?}: from bytes");
    }
}
