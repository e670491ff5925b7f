//! States that a model saves itself, in its process.

use super::fixture::{Log, get, initialize, isolated, set, start, step};
use consort_core::{CallStatus, Instance, LiveModel, Prng, SavedState};
use consort_host::IsolatedInstance;
use consort_testkit::fmus::Fmi;

fn ready() -> IsolatedInstance {
    let mut instance = start(&isolated("oscillator", Fmi::V2), &Log::default());
    initialize(&mut instance);
    set(&mut instance, 1, 1.0);
    instance
}

/// Steps on; every position on the way, as bits.
fn go(instance: &mut dyn Instance, steps: std::ops::Range<i64>) -> Vec<u64> {
    let mut seen = Vec::new();
    for index in steps {
        instance.step(&step(index)).unwrap();
        seen.push(get(instance, 7).to_bits());
    }
    seen
}

#[test]
fn a_restored_instance_continues_bit_for_bit() {
    let mut instance = ready();
    let mut saved: Vec<(i64, SavedState)> = Vec::new();
    for index in 0..100 {
        saved.push((index, instance.save().unwrap()));
        go(&mut instance, index..index + 1);
    }
    let expected = go(&mut ready(), 0..105);
    let mut prng = Prng::new(5);
    for _ in 0..100 {
        let at = usize::try_from(prng.below(saved.len() as u64)).unwrap();
        let (index, state) = &saved[at];
        instance.restore(state).unwrap();
        let from = usize::try_from(*index).unwrap();
        assert_eq!(go(&mut instance, *index..index + 5), expected[from..from + 5], "at {index}");
        if at % 3 == 0 && 10 < saved.len() {
            drop(saved.swap_remove(at));
        }
    }
}

#[test]
fn bytes_go_to_another_process() {
    let (mut one, mut other) = (ready(), ready());
    go(&mut one, 0..20);
    let state = one.save().unwrap();
    let bytes = one.serialize(&state).unwrap();
    let expected = go(&mut one, 20..30);
    let state = other.deserialize(&bytes).unwrap();
    other.restore(&state).unwrap();
    assert_eq!(go(&mut other, 20..30), expected);
}

#[test]
fn a_state_of_another_process_is_refused() {
    let (mut one, mut other) = (ready(), ready());
    let state = one.save().unwrap();
    let error = other.restore(&state).unwrap_err();
    assert_eq!(
        error.status,
        CallStatus::Refused("the state belongs to another instance".to_owned())
    );
}
