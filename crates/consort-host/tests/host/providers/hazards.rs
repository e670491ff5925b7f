//! What no copy contains is named, and refused by those who would lose it.

use super::{FILE, go, is_here, ready};
use consort_core::{CallStatus, Instance, LiveModel, Provider};
use consort_host::{Hazard, HazardKind, IsolatedInstance};
use consort_testkit::fmus::Fmi;
use std::time::Duration;

/// What refuses to be saved says why.
fn refusal(instance: &mut IsolatedInstance) -> Option<String> {
    match instance.save().map_err(|error| error.status) {
        Ok(_) => None,
        Err(CallStatus::Refused(reason)) => Some(reason),
        Err(status) => panic!("{status}"),
    }
}

/// The hazards, once that kind is among them: a thread that works may need a moment to show it.
fn seen(instance: &mut IsolatedInstance, kind: HazardKind) -> Vec<Hazard> {
    let mut hazards = instance.hazards().unwrap();
    for _ in 0..200 {
        if hazards.iter().any(|hazard| hazard.kind == kind) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
        hazards = instance.hazards().unwrap();
    }
    hazards
}

/// The model does one thing in its first step; `kind` and `words` are what is seen of it, `image` and
/// `fork` say who refuses.
fn check(number: usize, kind: HazardKind, words: &str, [image, fork]: [bool; 2]) {
    for (provider, refuses) in [(Provider::Image, image), (Provider::Fork, fork)] {
        if !is_here(provider) {
            continue;
        }
        let mut instance = ready("hazard", Fmi::V2, provider, number);
        assert_eq!(refusal(&mut instance), None, "nothing has happened yet");
        assert_eq!(instance.hazards().unwrap(), []);
        go(&mut instance, 0..1, 0.0);
        let hazards = seen(&mut instance, kind);
        let [hazard] = &hazards[..] else { panic!("{number}: {hazards:?}") };
        assert_eq!(hazard.kind, kind);
        assert!(hazard.what.contains(words), "`{}` says nothing of `{words}`", hazard.what);
        assert_eq!(hazard.refuses.contains(&provider), refuses);
        let first = refusal(&mut instance);
        std::thread::sleep(Duration::from_millis(20));
        // A thread shows its work between two looks; a refused one continues without saving.
        go(&mut instance, 1..2, 0.0);
        let refusal = refusal(&mut instance);
        assert!(first.is_none() || refusal.is_some(), "{first:?}, then nothing");
        assert_eq!(refusal.is_some(), refuses, "{kind:?}: {refusal:?}");
        let about = refusal.unwrap_or_else(|| words.to_owned());
        assert!(about.contains(words), "`{about}` says nothing of `{words}`");
    }
}

#[test]
fn each_hazard_is_refused_by_those_who_would_lose_it() {
    check(1, HazardKind::SleepingThread, "thread", [false, true]);
    check(2, HazardKind::BusyThread, "thread", [true, true]);
    check(3, HazardKind::FileWritten, "written.txt", [true, true]);
    check(4, HazardKind::Socket, "socket", [true, true]);
    check(5, HazardKind::SharedMemory, "shared", [true, true]);
    check(7, HazardKind::KernelObject, "timerfd", [true, true]);
    check(8, HazardKind::SharedMemory, "System V", [true, true]);
    check(9, HazardKind::ChildProcess, "processes", [true, true]);
    check(10, HazardKind::KernelObject, "eventfd", [true, true]);
}

#[test]
fn a_pipe_has_two_ends_and_is_refused() {
    for provider in [Provider::Image, Provider::Fork] {
        if !is_here(provider) {
            continue;
        }
        let mut instance = ready("hazard", Fmi::V3, provider, 6);
        go(&mut instance, 0..1, 0.0);
        let hazards = instance.hazards().unwrap();
        assert_eq!(
            hazards.iter().map(|hazard| hazard.kind).collect::<Vec<_>>(),
            [HazardKind::Pipe; 2]
        );
        assert!(refusal(&mut instance).unwrap().contains("a pipe is open"));
    }
}

#[test]
fn a_file_that_is_read_is_refused_by_copies_of_processes() {
    let mut instance = ready("hidden", Fmi::V2, Provider::Fork, FILE);
    assert!(refusal(&mut instance).unwrap().contains("hidden.txt` is open for reading"));
}

#[test]
fn an_image_from_before_a_thread_continues_in_another_process() {
    if !is_here(Provider::Image) {
        return;
    }
    let mut instance = ready("hazard", Fmi::V2, Provider::Image, 1);
    let before = instance.save().unwrap();
    let expected = go(&mut instance, 0..5, 0.0);
    let (pid, after) = (instance.pid(), instance.save().unwrap());
    instance.restore(&before).unwrap();
    assert_ne!(instance.pid(), pid);
    assert_eq!(instance.hazards().unwrap(), []);
    assert_eq!(go(&mut instance, 0..5, 0.0), expected);
    // This process has such a thread as well, the next one would not.
    instance.restore(&after).unwrap();
    let thread = instance.hazards().unwrap();
    assert_eq!(
        thread.iter().map(|hazard| hazard.kind).collect::<Vec<_>>(),
        [HazardKind::SleepingThread]
    );
    instance.restore(&before).unwrap();
    let error = instance.restore(&after).unwrap_err();
    let reason = "threads were started, ended or moved on since the state was saved".to_owned();
    assert_eq!(error.status, CallStatus::Refused(reason.clone()));
    let error = instance.step(&crate::fixture::step(0)).unwrap_err();
    assert_eq!(error.status, CallStatus::Gone(reason));
    instance.restore(&before).unwrap();
    assert_eq!(go(&mut instance, 0..5, 0.0), expected);
}

#[test]
fn a_model_that_reads_the_clock_is_not_repeated_but_copied() {
    let mut instance = ready("hazard", Fmi::V2, Provider::Replay, 11);
    let state = instance.save().unwrap();
    go(&mut instance, 0..2, 0.0);
    let later = instance.save().unwrap();
    instance.restore(&state).unwrap();
    let error = instance.restore(&later).unwrap_err();
    let CallStatus::Refused(reason) = error.status else { panic!("{error}") };
    assert!(reason.starts_with("the model is not repeatable: call "), "{reason}");
    if !is_here(Provider::Image) {
        return;
    }
    let mut instance = ready("hazard", Fmi::V2, Provider::Image, 11);
    go(&mut instance, 0..1, 0.0);
    let state = instance.save().unwrap();
    instance.restore(&state).unwrap();
}
