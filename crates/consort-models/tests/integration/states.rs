//! Going back to a saved state continues as if nothing had happened, to the bit.

use crate::harness::{Bench, count, samples};
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
    for (name, parameters) in samples() {
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

#[test]
fn bytes_that_are_no_state_of_the_block_are_refused() {
    let mut bench = Bench::started("pid", "", "0.1");
    let saved = bench.instance.save().unwrap();
    let bytes = bench.instance.serialize(&saved).unwrap();
    for length in 0..bytes.len() {
        assert!(bench.instance.deserialize(&bytes[..length]).is_err(), "{length} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(bench.instance.deserialize(&longer).is_err());
    let mut other = Bench::started("gain", "", "0.1");
    assert!(other.instance.deserialize(&bytes).is_err());
    let error = other.instance.restore(&saved).unwrap_err();
    assert_eq!(error.to_string(), "restore() was refused: the state is another model's");
}
