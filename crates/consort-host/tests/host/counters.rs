//! What a step costs, counted.

use super::fixture::{Log, initialize, isolated, start, step};
use consort_core::{Instance, Reference, Step};
use consort_testkit::fmus::Fmi;

const IN: [Reference; 1] = [Reference(1)];
const OUT: [Reference; 1] = [Reference(3)];

#[test]
fn a_step_is_one_round_trip_and_no_allocation() {
    let mut instance = start(&isolated("integrator", Fmi::V2), &Log::default());
    initialize(&mut instance);
    let mut run = |from: i64| {
        for index in from..from + 1000 {
            let mut y = [0.0];
            let outcome = instance.set_step_get((&IN, &[1.0]), &step(index), (&OUT, &mut y));
            assert_eq!(outcome, Ok(None));
        }
        instance.round_trips()
    };
    let before = run(0);
    let mut after = 0;
    let counted = allocation_counter::measure(|| after = run(1000));
    assert_eq!(after - before, 1000);
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_whole_run_of_steps_is_one_round_trip() {
    let mut instance = start(&isolated("integrator", Fmi::V2), &Log::default());
    initialize(&mut instance);
    let steps: Vec<Step> = (0..100).map(step).collect();
    let mut rows = vec![0.0; 100];
    let before = instance.round_trips();
    let (done, outcome) = instance.run_steps((&IN, &[2.0]), &steps, (&OUT, &mut rows)).unwrap();
    assert_eq!((done, outcome, instance.round_trips() - before), (100, None, 1));
    // The same, step by step, in a process of this model's own.
    let mut alone = start(&isolated("integrator", Fmi::V2), &Log::default());
    initialize(&mut alone);
    for (step, row) in steps.iter().zip(&rows) {
        let mut y = [0.0];
        alone.set_step_get((&IN, &[2.0]), step, (&OUT, &mut y)).unwrap();
        assert_eq!(y[0].to_bits(), row.to_bits());
    }
}

#[test]
fn a_run_of_steps_ends_where_one_does_not_come_to_its_end() {
    let mut instance = start(&isolated("misbehave", Fmi::V2), &Log::default());
    // Discards steps from half a second on.
    for (reference, value) in [(2, 6), (3, 2)] {
        super::fixture::set_whole(&mut instance, reference, value);
    }
    super::fixture::set(&mut instance, 6, 0.45);
    initialize(&mut instance);
    let steps: Vec<Step> = (0..10).map(step).collect();
    let mut rows = vec![0.0; 10];
    let out = [Reference(7)];
    let (done, outcome) = instance.run_steps((&IN, &[3.0]), &steps, (&out, &mut rows)).unwrap();
    assert_eq!(done, 5);
    assert_eq!(outcome.unwrap().reason, consort_core::StepReason::Discard);
    assert_eq!(rows[..5], [3.0; 5]);
    assert_eq!(rows[5..], [0.0; 5]);
}
