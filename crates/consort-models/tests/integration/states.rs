//! Going back to a saved state continues as if nothing had happened, to the bit.

use crate::harness::Bench;
use crate::samples::{METHODS, all_samples, count};
use consort_core::{Causality, Prng, Values, ValuesRef};

/// Sets every input to a number that depends on the tag alone.
fn feed(bench: &mut Bench, seed: u64) {
    let tick = bench.now.ticks();
    for variable in bench.description.variables.clone() {
        if variable.causality == Causality::Input {
            let mut prng = Prng::new(seed).split(&format!("{}@{tick}", variable.name));
            let values: Vec<f64> =
                (0..count(&variable)).map(|_| 4.0 * prng.next_f64() - 2.0).collect();
            bench.instance.set(&[variable.reference], ValuesRef::Float64(&values)).unwrap();
        }
    }
}

fn run(bench: &mut Bench, seed: u64, steps: u64) -> Vec<Vec<Values>> {
    let mut trace = Vec::new();
    for _ in 0..steps {
        feed(bench, seed);
        trace.push(bench.all_values());
        bench.step();
    }
    trace.push(bench.all_values());
    trace
}

#[test]
fn every_block_continues_exactly_from_any_saved_point() {
    let seed = 20_261_115;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    for (name, parameters) in all_samples() {
        for _ in 0..10 {
            let (before, after) = (prng.below(60), prng.below(60));
            println!("{name}: saved after {before} steps, compared over {after}");
            let mut bench = Bench::started(name, &parameters, "0.01");
            run(&mut bench, seed, before);
            let (at, saved) = (bench.now, bench.instance.save().unwrap());
            let expected = run(&mut bench, seed, after);

            bench.instance.restore(&saved).unwrap();
            bench.now = at;
            assert_eq!(run(&mut bench, seed, after), expected, "{name} restored");

            let bytes = bench.instance.serialize(&saved).unwrap();
            let mut other = Bench::fresh(name, &parameters, "0.01");
            let revived = other.instance.deserialize(&bytes).unwrap();
            other.instance.restore(&revived).unwrap();
            other.now = at;
            assert_eq!(run(&mut other, seed, after), expected, "{name} from bytes");
            assert_eq!(other.instance.serialize(&revived).unwrap(), bytes);
        }
    }
}

/// Every part of the bytes of a state is refused, and so are more bytes than there were.
fn check_length(bench: &mut Bench) {
    let saved = bench.instance.save().unwrap();
    let bytes = bench.instance.serialize(&saved).unwrap();
    for length in 0..bytes.len() {
        assert!(bench.instance.deserialize(&bytes[..length]).is_err(), "{length} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(bench.instance.deserialize(&longer).is_err());
}

#[test]
fn bytes_that_are_no_state_of_the_block_are_refused() {
    let mut bench = Bench::started("pid", "", "0.1");
    check_length(&mut bench);
    let saved = bench.instance.save().unwrap();
    let bytes = bench.instance.serialize(&saved).unwrap();
    let mut other = Bench::started("gain", "", "0.1");
    assert!(other.instance.deserialize(&bytes).is_err());
    let error = other.instance.restore(&saved).unwrap_err();
    assert_eq!(error.to_string(), "restore() was refused: the state is another model's");
}

#[test]
fn states_of_another_way_to_solve_are_refused() {
    let ways = || ["method = \"rk4\""].into_iter().chain(METHODS).enumerate();
    let started = |way: &str| {
        let mut bench = Bench::started("state-space", &format!("A = [[-1.0]]\n{way}"), "0.1");
        (0..3).for_each(|_| bench.step());
        bench
    };
    for (i, way) in ways() {
        let mut bench = started(way);
        check_length(&mut bench);
        let saved = bench.instance.save().unwrap();
        let bytes = bench.instance.serialize(&saved).unwrap();
        for (j, other) in ways() {
            let mut other = started(other);
            assert_eq!(other.instance.restore(&saved).is_ok(), i == j, "{way}");
            assert_eq!(other.instance.deserialize(&bytes).is_ok(), i == j, "{way}");
        }
    }
}
