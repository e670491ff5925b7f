//! A restored instance continues, bit for bit, as one that was never saved.

use super::{FILE, KINDS, U, go, is_here, model_of, ready};
use crate::fixture::{Log, initialize, set, set_whole, start, step};
use consort_core::{CallStatus, Instance, LiveModel, Prng, Provider, SavedState};
use consort_testkit::fmus::{BuildOptions, Fmi, build};

const POINTS: i64 = 100;

/// Saves before every step of a run, then goes back to one hundred of those points in random order, does
/// something else there, goes back again and does what was done the first time (Sinisi et al. 2021, Algorithm 1).
fn check(name: &str, fmi: Fmi, provider: Provider, kind: usize) {
    if !is_here(provider) {
        return;
    }
    let seed = 1000 + kind as u64;
    let what = format!("{name} {fmi:?} {provider} {}, seed {seed}", KINDS[kind]);
    let expected = go(&mut ready(name, fmi, Provider::Native, kind), 0..POINTS + 5, 0.0);
    let mut instance = ready(name, fmi, provider, kind);
    let mut saved: Vec<SavedState> = Vec::new();
    for index in 0..POINTS {
        saved.push(instance.save().unwrap());
        let seen = go(&mut instance, index..index + 1, 0.0);
        assert_eq!(
            seen[0], expected[index as usize],
            "{what}: saving changes nothing, step {index}"
        );
    }
    let mut prng = Prng::new(seed);
    for _ in 0..trials(provider) {
        let index = prng.below(POINTS as u64) as i64;
        let state = &saved[index as usize];
        instance.restore(state).unwrap();
        go(&mut instance, index..index + 1 + prng.below(5) as i64, 0.25);
        instance.restore(state).unwrap();
        let mut seen = go(&mut instance, index..index + 2, 0.0);
        // What was restored can be saved like anything else.
        let middle = instance.save().unwrap();
        go(&mut instance, index + 2..index + 3, 0.5);
        instance.restore(&middle).unwrap();
        seen.extend(go(&mut instance, index + 2..index + 5, 0.0));
        assert_eq!(seen, expected[index as usize..][..5], "{what}: restored before step {index}");
        if index % 7 == 0 {
            saved[index as usize] = instance_at(&mut instance, &saved, index);
        }
    }
    instance.restore(&saved[0]).unwrap();
    assert_eq!(go(&mut instance, 0..POINTS + 5, 0.0), expected, "{what}: the whole run again");
}

/// Another state of the same point.
fn instance_at(instance: &mut dyn Instance, saved: &[SavedState], index: i64) -> SavedState {
    instance.restore(&saved[index as usize]).unwrap();
    instance.save().unwrap()
}

fn trials(provider: Provider) -> u32 {
    // Every one of them starts two processes and does half of the run.
    if provider == Provider::Replay { 10 } else { 100 }
}

#[test]
fn images_are_exact_wherever_the_state_is() {
    for kind in 0..KINDS.len() {
        check("hidden", Fmi::V2, Provider::Image, kind);
    }
    check("hidden", Fmi::V3, Provider::Image, 1);
}

#[test]
fn copies_of_processes_are_exact() {
    // A file's place is shared by all copies of a process.
    for kind in (0..KINDS.len()).filter(|kind| *kind != FILE) {
        check("hidden", Fmi::V2, Provider::Fork, kind);
    }
    check("hidden", Fmi::V3, Provider::Fork, 1);
}

#[test]
fn doing_it_again_is_exact() {
    for kind in 0..KINDS.len() {
        check("hidden", Fmi::V2, Provider::Replay, kind);
    }
}

/// A model that ends its own process continues from a state of before.
#[test]
fn a_state_outlives_the_process_it_was_saved_from() {
    const BEHAVIOR: u32 = 4;
    const AT: u32 = 6;
    const EXIT: i32 = 6;
    for provider in [Provider::Image, Provider::Fork, Provider::Replay] {
        if !is_here(provider) {
            continue;
        }
        let folder = build("misbehave", Fmi::V2, &BuildOptions::binary());
        let mut instance = start(&model_of(&folder, provider), &Log::default());
        set_whole(&mut instance, BEHAVIOR, EXIT);
        set(&mut instance, AT, 0.45);
        initialize(&mut instance);
        for index in 0..3 {
            instance.step(&step(index)).unwrap();
        }
        let state = instance.save().unwrap();
        for _ in 0..3 {
            for index in 3..5 {
                set(&mut instance, U, 7.0);
                instance.step(&step(index)).unwrap();
            }
            let error = instance.step(&step(5)).unwrap_err();
            assert!(matches!(error.status, CallStatus::Gone(_)), "{error}");
            instance.restore(&state).unwrap();
        }
    }
}
