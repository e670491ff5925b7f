//! In its steady state a run allocates nothing: neither for numbers nor for texts.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails, in its helpers too")]

#[expect(dead_code, reason = "shared with the driver tests, which use more of it")]
#[path = "../driver/fixture.rs"]
mod fixture;

#[expect(dead_code, reason = "shared with the tests of Model Exchange, which use more of it")]
#[path = "../exchange/fixture.rs"]
mod exchange;

use consort_core::{ContinuousInstance, Instance, Reference, Values};
use consort_fmi::description::FmiVersion;
use consort_testkit::fmus::Fmi;
use fixture::{Log, Probe, ready, step};

/// Sets, steps and gets all batches; the second batch of texts is longer than the first.
fn round(instance: &mut dyn Instance, batches: &[Values], places: &mut [Values]) {
    let references = [Reference(0), Reference(5)];
    for batch in batches {
        instance.set(&references[..batch.len()], batch.view()).expect("setting works");
    }
    instance.step(&step(1000)).expect("stepping works");
    for place in places {
        let count = place.len();
        instance.get(&references[..count], place.slice_mut(0, count)).expect("getting works");
    }
}

fn check_steady_state(version: FmiVersion, batches: &[Values]) {
    let model = Probe::compile(version, &[]).load();
    let mut instance = ready(&model, &Log::default());
    let mut places: Vec<Values> =
        batches.iter().map(|batch| Values::zeros(batch.value_type(), batch.len())).collect();
    round(&mut *instance, batches, &mut places);
    let counted = allocation_counter::measure(|| {
        for _ in 0..10_000 {
            round(&mut *instance, batches, &mut places);
        }
    });
    assert_eq!(counted.count_total, 0, "allocations in 10,000 rounds");
    assert_eq!(places.last(), batches.last(), "and the values came back");
}

#[test]
fn ten_thousand_steps_of_fmi_2_allocate_nothing() {
    let text = |text: &str| text.to_owned();
    check_steady_state(
        FmiVersion::V2,
        &[
            Values::Float64(vec![1.0, 2.0]),
            Values::Int32(vec![1, 2]),
            Values::Enumeration(vec![1, 2]),
            Values::Boolean(vec![true, false]),
            Values::String(vec![text("first"), text("the second, which is longer")]),
        ],
    );
}

#[test]
fn ten_thousand_steps_of_fmi_3_allocate_nothing() {
    check_steady_state(
        FmiVersion::V3,
        &[
            Values::Float64(vec![1.0]),
            Values::UInt64(vec![1]),
            Values::Boolean(vec![true]),
            Values::String(vec!["text".to_owned()]),
            Values::Binary(vec![vec![1, 2, 3]]),
        ],
    );
}

/// What a solver asks at every trial of a step.
fn trial(instance: &mut dyn ContinuousInstance, places: &mut [[f64; 2]; 2], index: u32) {
    let [states, derivatives] = places;
    instance.set_time(f64::from(index) * 1e-3).expect("setting time works");
    instance.set_states(states).expect("setting states works");
    instance.derivatives(derivatives).expect("derivatives are computed");
    instance.indicators(&mut [0.0]).expect("indicators are computed");
    instance.completed_step().expect("a step is completed");
}

fn check_exchange(fmi: Fmi) {
    let model = exchange::load("exchange-ball", fmi);
    let mut instance = exchange::ready(&model);
    let mut places = [[1.0, 2.0], [0.0; 2]];
    trial(&mut *instance, &mut places, 0);
    let counted = allocation_counter::measure(|| {
        for index in 0..10_000 {
            trial(&mut *instance, &mut places, index);
        }
    });
    assert_eq!(counted.count_total, 0, "allocations in 10,000 trials");
    let bits = places[1].map(f64::to_bits);
    assert_eq!(bits, [2.0, -9.81].map(f64::to_bits), "and the derivatives came back");
}

#[test]
fn ten_thousand_trials_of_a_solver_allocate_nothing() {
    check_exchange(Fmi::V2);
    check_exchange(Fmi::V3);
}

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1u8; 10])));
    assert_eq!(counted.count_total, 1);
}
