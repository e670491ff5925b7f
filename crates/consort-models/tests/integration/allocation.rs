//! Stepping, setting and getting allocate nothing.

use crate::harness::Bench;
use crate::samples::{all_samples, count};
use consort_core::{Causality, Reference, ValueType, ValuesMut, ValuesRef};

#[test]
fn no_block_allocates_in_a_step() {
    for (name, parameters) in all_samples() {
        let mut bench = Bench::started(name, &parameters, "0.01");
        let pick = |causality: Causality| -> (Vec<Reference>, Vec<f64>) {
            let variables = bench.description.variables.iter();
            let picked: Vec<_> = variables
                .filter(|variable| variable.causality == causality)
                .filter(|variable| variable.value_type == ValueType::Float64)
                .collect();
            let elements = picked.iter().map(|variable| count(variable)).sum();
            (picked.iter().map(|variable| variable.reference).collect(), vec![0.5; elements])
        };
        let (inputs, fed) = pick(Causality::Input);
        let (outputs, mut got) = pick(Causality::Output);
        let info = allocation_counter::measure(|| {
            for _ in 0..100 {
                bench.instance.set(&inputs, ValuesRef::Float64(&fed)).unwrap();
                bench.instance.get(&outputs, ValuesMut::Float64(&mut got)).unwrap();
                bench.step();
            }
        });
        assert_eq!(info.count_total, 0, "{name}");
    }
}
