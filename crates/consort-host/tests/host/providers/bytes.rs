//! States go to other processes as bytes.

use super::{FILE, KINDS, go, is_here, ready};
use consort_core::{CallStatus, LiveModel, Prng, Provider};
use consort_testkit::fmus::Fmi;

/// A state of one process continues in another that has made a few steps of its own, and can be saved and
/// restored there like any other.
fn check(fmi: Fmi, provider: Provider, kind: usize) {
    if !is_here(provider) {
        return;
    }
    let what = format!("{fmi:?} {provider} {}", KINDS[kind]);
    let mut one = ready("hidden", fmi, provider, kind);
    go(&mut one, 0..40, 0.0);
    let state = one.save().unwrap();
    let bytes = one.serialize(&state).unwrap();
    let expected = go(&mut one, 40..60, 0.0);
    drop(one);
    let mut other = ready("hidden", fmi, provider, kind);
    go(&mut other, 0..3, 0.5);
    let state = other.deserialize(&bytes).unwrap();
    other.restore(&state).unwrap();
    assert_eq!(go(&mut other, 40..50, 0.0), expected[..10], "{what}");
    let middle = other.save().unwrap();
    assert_eq!(go(&mut other, 50..60, 0.0), expected[10..], "{what}");
    other.restore(&middle).unwrap();
    assert_eq!(go(&mut other, 50..60, 0.0), expected[10..], "{what}");
    other.restore(&state).unwrap();
    assert_eq!(go(&mut other, 40..60, 0.0), expected, "{what}");
}

#[test]
fn an_image_continues_in_another_process() {
    for kind in (0..KINDS.len()).filter(|kind| *kind != FILE) {
        check(Fmi::V2, Provider::Image, kind);
    }
    check(Fmi::V3, Provider::Image, 2);
}

#[test]
fn what_was_done_is_done_again_in_another_process() {
    for kind in [0, 1, FILE] {
        check(Fmi::V2, Provider::Replay, kind);
    }
}

/// The reason why something was refused.
fn reason(result: Result<impl Sized, Box<consort_core::CallError>>) -> String {
    let Err(error) = result else { panic!("this should be refused") };
    match error.status {
        CallStatus::Refused(reason) => reason,
        status => panic!("{status}"),
    }
}

#[test]
fn bytes_that_are_no_image_of_this_model_are_refused() {
    if !is_here(Provider::Image) {
        return;
    }
    let mut one = ready("hidden", Fmi::V2, Provider::Image, 0);
    let state = one.save().unwrap();
    let bytes = one.serialize(&state).unwrap();
    let foreign = reason(one.deserialize(b"something else"));
    assert_eq!(foreign, "invalid image: invalid magic bytes");
    for end in [0, 4, 8, 20, 200, bytes.len() / 2, bytes.len() - 1] {
        let cut = reason(one.deserialize(&bytes[..end]));
        assert!(cut.starts_with("invalid image: "), "{end}: {cut}");
    }
    let mut other = ready("hazard", Fmi::V2, Provider::Image, 0);
    let wrong = reason(other.deserialize(&bytes));
    assert!(wrong.starts_with("the image is of another model: "), "{wrong}");
    assert!(wrong.contains("hazard"), "{wrong}");
    assert_eq!(reason(other.restore(&state)), "the state belongs to another instance");
}

#[test]
fn a_copy_of_a_process_is_no_bytes() {
    let mut one = ready("hidden", Fmi::V2, Provider::Fork, 0);
    let state = one.save().unwrap();
    let message = reason(one.serialize(&state));
    assert_eq!(message, "a copy of a process cannot be written as bytes: use `image` or `replay`");
}

#[test]
fn an_open_file_keeps_an_image_from_leaving() {
    if !is_here(Provider::Image) {
        return;
    }
    let mut one = ready("hidden", Fmi::V2, Provider::Image, FILE);
    let state = one.save().unwrap();
    let message = reason(one.serialize(&state));
    assert!(
        message.ends_with("hidden.txt` is open, and another process cannot continue to read it"),
        "{message}"
    );
}

#[test]
fn a_damaged_image_is_refused_wherever_the_damage_is() {
    if !is_here(Provider::Image) {
        return;
    }
    let mut one = ready("hidden", Fmi::V2, Provider::Image, 0);
    let state = one.save().unwrap();
    let bytes = one.serialize(&state).unwrap();
    let seed = 3;
    let mut prng = Prng::new(seed);
    for round in 0..30 {
        let mut damaged = bytes.clone();
        let most = if round % 2 == 0 { bytes.len() } else { 4096 };
        let at = 8 + prng.below(most as u64 - 8) as usize;
        damaged[at] ^= 1 << prng.below(8);
        let message = reason(one.deserialize(&damaged));
        assert_eq!(message, "invalid image: the checksum differs", "seed {seed}, byte {at}");
    }
}
