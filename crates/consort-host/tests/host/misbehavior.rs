//! Whatever a model does to its process, we get an error that says what happened and where.

use super::fixture::{
    Log, host, initialize, instantiation, isolated, isolated_by, set, set_whole, start, step,
};
use consort_core::{
    CallError, CallStatus, Instance, LiveModel, Model, Reference, ValuesMut, ValuesRef,
};
use consort_host::{HostOptions, ProcessLimits};
use consort_testkit::fmus::Fmi;
use std::time::{Duration, Instant};

const PHASES: [(i32, &str); 8] = [
    (2, "fmi2EnterInitializationMode"),
    (3, "fmi2ExitInitializationMode"),
    (4, "fmi2SetReal"),
    (5, "fmi2GetReal"),
    (6, "fmi2DoStep"),
    (7, "fmi2Terminate"),
    (9, "fmi2GetFMUstate"),
    (10, "fmi2SetFMUstate"),
];

/// Does everything until something fails.
fn live(instance: &mut dyn Instance) -> Result<(), Box<CallError>> {
    instance.enter_initialization(&super::fixture::SETUP)?;
    instance.exit_initialization()?;
    instance.set(&[Reference(1)], ValuesRef::Float64(&[1.0]))?;
    instance.get(&[Reference(7)], ValuesMut::Float64(&mut [0.0]))?;
    instance.step(&step(0))?;
    let state = instance.save()?;
    instance.restore(&state)?;
    instance.terminate()
}

/// What came of an instance that does `status` in the call `phase`.
fn misbehave(phase: i32, status: i32, host: HostOptions, log: &Log) -> Box<CallError> {
    let mut instance = start(&isolated_by("misbehave", Fmi::V2, host), log);
    set_whole(&mut instance, 2, phase);
    set_whole(&mut instance, 3, status);
    let error = live(&mut instance).unwrap_err();
    // Nothing can be asked any more, and asking is harmless.
    let again = instance.step(&step(1)).unwrap_err();
    assert_eq!(again.status, error.status);
    error
}

fn check(phase: (i32, &str), status: i32, expected: &str) {
    let error = misbehave(phase.0, status, host(), &Log::default());
    assert_eq!(error.call, phase.1);
    assert_eq!(error.status, CallStatus::Gone(expected.to_owned()), "in {}", phase.1);
}

#[test]
fn leaving_in_any_call_is_an_error_that_names_it() {
    for phase in PHASES {
        check(phase, 100, "its process exited with code 0");
    }
}

#[test]
fn crashing_in_any_call_is_an_error_that_names_it() {
    let expected = "its process crashed with SIGSEGV: an invalid memory access";
    for phase in PHASES {
        check(phase, 101, expected);
    }
}

#[test]
fn looping_for_ever_in_any_call_is_an_error_that_names_it() {
    let silence = Duration::from_millis(300);
    for (phase, call) in PHASES {
        let limits = ProcessLimits { silence, ..ProcessLimits::default() };
        let begin = Instant::now();
        let error = misbehave(phase, 102, HostOptions { limits, ..host() }, &Log::default());
        assert_eq!(error.call, call);
        assert_eq!(error.status, CallStatus::NoAnswer("no answer for 0.3 s".to_owned()));
        assert!(silence <= begin.elapsed());
    }
}

#[test]
fn garbage_on_every_descriptor_does_not_reach_us() {
    let log = Log::default();
    let mut instance = start(&isolated("misbehave", Fmi::V2), &log);
    set_whole(&mut instance, 2, 6);
    set_whole(&mut instance, 3, 103);
    initialize(&mut instance);
    set(&mut instance, 1, 2.5);
    // Its third descriptor is the memory we share: what it writes there is found out.
    let error = (0..1000).find_map(|index| instance.step(&step(index)).err());
    drop(instance);
    let said = log.lines();
    assert!(said.contains(&"[output] garbage of misbehave".to_owned()), "{said:?}");
    if let Some(error) = error {
        assert!(matches!(error.status, CallStatus::Gone(_) | CallStatus::Refused(_)), "{error}");
    }
}

#[test]
fn printing_without_end_is_stopped() {
    let error = misbehave(6, 104, host(), &Log::default());
    let expected = "it printed more than 64 MiB in one call";
    assert_eq!(error.status, CallStatus::Gone(expected.to_owned()));
    assert!(error.log.iter().all(|line| line.starts_with("[output] more and more")));
    assert_eq!(error.arguments, "t = 0, h = 0.1");
}

#[test]
fn the_last_messages_are_in_the_error() {
    let abort = 7;
    let mut instance = start(&isolated("misbehave", Fmi::V2), &Log::default());
    set_behavior(&mut instance, abort);
    initialize(&mut instance);
    let error = instance.step(&step(0)).unwrap_err();
    insta::assert_snapshot!(error.to_string(), @"fmi2DoStep(t = 0, h = 0.1) did not return: its process crashed with SIGABRT: it called `abort`");
}

/// What a step does besides.
fn set_behavior(instance: &mut dyn Instance, behavior: i32) {
    let _ = instance.set(&[Reference(4)], consort_core::ValuesRef::Int32(&[behavior]));
}

#[test]
fn a_worker_that_dies_while_nothing_is_asked_is_found_out_at_the_next_call() {
    let mut instance = start(&isolated("misbehave", Fmi::V2), &Log::default());
    initialize(&mut instance);
    let pid = instance.pid().to_string();
    let killed = std::process::Command::new("kill").args(["-9", &pid]).status();
    assert!(killed.unwrap().success());
    let error = instance.step(&step(0)).unwrap_err();
    let expected = "its process crashed with SIGKILL: killed from outside, or out of memory";
    assert_eq!(error.status, CallStatus::Killed(expected.to_owned()));
}

#[test]
fn others_live_on_when_one_dies() {
    let model = isolated("misbehave", Fmi::V2);
    let mut others: Vec<_> = (0..3).map(|_| start(&model, &Log::default())).collect();
    others.iter_mut().for_each(|it| initialize(it));
    misbehave(6, 101, host(), &Log::default());
    for other in &mut others {
        set(other, 1, 4.0);
        other.step(&step(0)).unwrap();
        assert_eq!(super::fixture::get(other, 7).to_bits(), 4.0_f64.to_bits());
    }
}

#[test]
fn what_is_printed_goes_to_the_log_of_the_component() {
    let log = Log::default();
    let mut instance = start(&isolated("misbehave", Fmi::V2), &log);
    set_behavior(&mut instance, 2);
    initialize(&mut instance);
    instance.step(&step(0)).unwrap();
    instance.terminate().unwrap();
    assert_eq!(log.lines(), ["[output] misbehave prints at 0"]);
}

#[test]
fn a_model_that_is_refused_leaves_no_process() {
    let model = isolated("misbehave", Fmi::V2);
    let log = Log::default();
    let refused = consort_core::Instantiation { name: "refuse", ..instantiation(&log) };
    let error = model.instantiate(&refused).err().unwrap();
    assert_eq!(error.status, CallStatus::NoInstance);
    assert_eq!(error.log, ["[logStatusError] no license for `refuse` [time 0]"]);
}

#[test]
fn an_instance_outlives_the_thread_that_made_it() {
    let made = std::thread::spawn(|| {
        let mut instance = start(&isolated("misbehave", Fmi::V2), &Log::default());
        initialize(&mut instance);
        instance
    });
    let mut instance = made.join().unwrap();
    // Long enough for a signal to come.
    std::thread::sleep(Duration::from_millis(20));
    set(&mut instance, 1, 7.0);
    instance.step(&step(0)).unwrap();
    assert_eq!(super::fixture::get(&mut instance, 7).to_bits(), 7.0_f64.to_bits());
}

#[test]
fn no_process_is_left_when_an_instance_is_dropped() {
    let mut instance = start(&isolated("misbehave", Fmi::V2), &Log::default());
    initialize(&mut instance);
    let folder = format!("/proc/{}", instance.pid());
    assert!(std::path::Path::new(&folder).exists());
    drop(instance);
    assert!(!std::path::Path::new(&folder).exists());
}
