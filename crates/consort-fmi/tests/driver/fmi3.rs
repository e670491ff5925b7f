//! What an FMI 3.0 FMU may do, and what the driver makes of it.

use crate::fixture::{
    Log, Probe, SETUP, check_round_trip, get, initialize, instantiate, instantiation, order, ready,
    step, step_from,
};
use consort_core::{
    CallStatus, Direction, Instance, Instantiation, Model, Reference, StepReason, Time, Values,
    ValuesMut, ValuesRef,
};
use consort_fmi::description::FmiVersion;
use consort_fmi::fmu::FmuModel;

// The probe's orders, as in probe3.c.
const STEP_STATUS: u32 = 100;
const GET_STATUS: u32 = 101;
const STEP_FLAGS: u32 = 105;
const UPDATES: u32 = 106;
const STATES: u32 = 107;
const BAD_TIME: u32 = 108;
const EVENT_STATUS: u32 = 109;

const EVENT: i32 = 1;
const TERMINATE: i32 = 2;
const EARLY: i32 = 4;

fn probe() -> Probe {
    Probe::compile(FmiVersion::V3, &[])
}

/// An instance that uses event mode and may return early; in event mode.
fn eventful(model: &FmuModel, log: &Log) -> Box<dyn Instance> {
    let request =
        Instantiation { event_mode: true, early_return: true, ..instantiation(log, true) };
    let mut instance = model.instantiate(&request).unwrap();
    initialize(&mut *instance);
    instance
}

#[test]
fn values_of_every_type_go_in_and_come_out_alone_and_in_arrays() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let text = |text: &str| text.to_owned();
    for values in [
        Values::Float64(vec![0.1, -5e-324, f64::INFINITY, 3.0]),
        Values::Float32(vec![0.1, 1e-45, 2.0, 3.0]),
        Values::Int8(vec![i8::MIN, i8::MAX, 1, 2]),
        Values::UInt8(vec![u8::MIN, u8::MAX, 1, 2]),
        Values::Int16(vec![i16::MIN, i16::MAX, 1, 2]),
        Values::UInt16(vec![u16::MIN, u16::MAX, 1, 2]),
        Values::Int32(vec![i32::MIN, i32::MAX, 1, 2]),
        Values::UInt32(vec![u32::MIN, u32::MAX, 1, 2]),
        Values::Int64(vec![i64::MIN, i64::MAX, (1 << 53) + 1, 2]),
        Values::UInt64(vec![u64::MIN, u64::MAX, (1 << 53) + 1, 2]),
        Values::Boolean(vec![true, false, true, true]),
        Values::String(vec![text("größe"), text(""), text("b"), text("c")]),
        Values::Binary(vec![vec![0, 1, 255], vec![], vec![7], vec![0]]),
        Values::Enumeration(vec![i64::MIN, i64::MAX, 1, 2]),
    ] {
        check_round_trip(&mut *instance, &[0, 1], &values);
    }
    check_round_trip(&mut *instance, &[0, 1], &Values::Clock(vec![true, false]));
}

#[test]
fn structural_parameters_change_the_size_of_arrays_in_configuration_mode() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = instantiate(&model, &log);
    instance.enter_configuration().unwrap();
    check_round_trip(&mut *instance, &[200], &Values::UInt64(vec![5]));
    assert!(instance.enter_initialization(&SETUP).is_err(), "still in configuration mode");
    instance.exit_configuration().unwrap();
    initialize(&mut *instance);
    check_round_trip(&mut *instance, &[1], &Values::Float32(vec![1.0, 2.0, 3.0, 4.0, 5.0]));
    assert_eq!(log.count("configuration"), 1);
}

#[test]
fn the_experiment_reaches_the_fmu() {
    let model = probe().load();
    let log = Log::default();
    drop(ready(&model, &log));
    assert_eq!(log.messages()[0], "experiment 1 0.0001 -1 1 5");
}

/// What a step with these flags is taken for.
fn check_step(flags: i32, reached: i64, reason: StepReason) {
    let model = probe().load();
    let mut instance = eventful(&model, &Log::default());
    instance.enter_step_mode().unwrap();
    order(&mut *instance, STEP_FLAGS, flags);
    let outcome = instance.step(&step_from(1000, 500)).unwrap();
    assert_eq!((outcome.reached.ticks(), outcome.reason), (reached, reason), "flags {flags}");
}

#[test]
fn a_step_says_how_far_it_came_and_why_it_stopped() {
    check_step(0, 1500, StepReason::Complete);
    check_step(EVENT, 1500, StepReason::Event);
    check_step(EARLY, 1250, StepReason::EarlyReturn);
    check_step(EVENT | EARLY, 1250, StepReason::Event);
    check_step(TERMINATE, 1250, StepReason::Terminate);
    check_step(TERMINATE | EVENT | EARLY, 1250, StepReason::Terminate);
}

#[test]
fn a_discarded_step_is_no_failure() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    order(&mut *instance, STEP_STATUS, 2);
    let outcome = instance.step(&step(1000)).unwrap();
    assert_eq!((outcome.reached.ticks(), outcome.reason), (250, StepReason::Discard));
    order(&mut *instance, STEP_STATUS, 0);
    assert_eq!(instance.step(&step(250)).unwrap().reason, StepReason::Complete);
}

#[test]
fn a_time_that_is_none_is_an_error_only_where_it_is_needed() {
    let model = probe().load();
    let mut instance = eventful(&model, &Log::default());
    instance.enter_step_mode().unwrap();
    order(&mut *instance, BAD_TIME, 1);
    assert_eq!(instance.step(&step(1000)).unwrap().reached, Time::from_ticks(1000));
    order(&mut *instance, STEP_FLAGS, EARLY);
    let error = instance.step(&step(1000)).unwrap_err();
    assert_eq!(error.status, CallStatus::Refused("the last successful time NaN is no time".into()));
}

#[test]
fn early_return_happens_only_if_the_caller_can_handle_it() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    order(&mut *instance, STEP_FLAGS, EARLY);
    assert_eq!(instance.step(&step(1000)).unwrap().reason, StepReason::Complete);
}

#[test]
fn statuses_of_a_step_are_errors() {
    for (status, expected) in [
        (3, CallStatus::Error),
        (4, CallStatus::Fatal),
        (5, CallStatus::Pending),
        (99, CallStatus::Unknown(99)),
    ] {
        let model = probe().load();
        let log = Log::default();
        let mut instance = ready(&model, &log);
        order(&mut *instance, STEP_STATUS, status);
        assert_eq!(instance.step(&step(10)).unwrap_err().status, expected);
        drop(instance);
        let freed = usize::from(expected != CallStatus::Fatal);
        assert_eq!((log.count("terminated"), log.count("freed")), (0, freed), "{expected}");
    }
}

#[test]
fn event_mode_comes_after_initialization_and_iterates() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = eventful(&model, &log);
    assert_eq!(log.count("instantiated tank.probe, event mode 1, early return 1"), 1);
    let error = instance.step(&step(1)).unwrap_err();
    assert_eq!(error.status, CallStatus::WrongState("event mode"));

    order(&mut *instance, UPDATES, 2);
    instance.set(&[Reference(0)], ValuesRef::Clock(&[true])).unwrap();
    let first = instance.update_discrete_states().unwrap();
    assert!(first.again && !first.terminate);
    assert_eq!(first.next_event, Some(Time::from_ticks(2_500_000_000)));
    let place = Values::Clock(vec![false]);
    assert_eq!(get(&mut *instance, &[1], &place), Values::Clock(vec![true]));
    let second = instance.update_discrete_states().unwrap();
    assert!(!second.again && second.next_event.is_none());

    instance.enter_step_mode().unwrap();
    instance.step(&step(1)).unwrap();
    instance.enter_event_mode().unwrap();
    order(&mut *instance, UPDATES, -1);
    assert!(instance.update_discrete_states().unwrap().terminate);
    instance.terminate().unwrap();
    drop(instance);
    assert_eq!((log.count("terminated"), log.count("freed")), (1, 1));
}

#[test]
fn a_failed_mode_change_is_an_error_with_its_name() {
    let model = probe().load();
    let mut instance = eventful(&model, &Log::default());
    instance.enter_step_mode().unwrap();
    order(&mut *instance, EVENT_STATUS, 3);
    let error = instance.enter_event_mode().unwrap_err();
    assert_eq!(error.to_string(), "fmi3EnterEventMode() returned `error`");
}

#[test]
fn event_mode_is_not_there_for_those_who_did_not_ask() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    assert_eq!(instance.enter_event_mode().unwrap_err().status, CallStatus::Unsupported);
    assert_eq!(instance.update_discrete_states().unwrap_err().status, CallStatus::Unsupported);
    instance.step(&step(1)).unwrap();
}

#[test]
fn a_restored_instance_is_in_the_mode_it_was_saved_in() {
    let model = probe().load();
    let mut instance = eventful(&model, &Log::default());
    let state = instance.save().unwrap();
    instance.enter_step_mode().unwrap();
    instance.step(&step(1)).unwrap();
    instance.restore(&state).unwrap();
    instance.update_discrete_states().unwrap();
}

#[test]
fn a_saved_state_is_gone_back_to_serialized_and_freed() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    check_round_trip(&mut *instance, &[0], &Values::Float64(vec![1.0]));
    let state = instance.save().unwrap();
    instance.step(&step(1_000_000_000)).unwrap();
    let bytes = instance.serialize(&state).unwrap();
    instance.restore(&state).unwrap();
    drop(state);
    let again = instance.deserialize(&bytes).unwrap();
    let count = get(&mut *instance, &[STATES], &Values::Int32(vec![0]));
    assert_eq!(count, Values::Int32(vec![1]));
    let mut other = ready(&model, &Log::default());
    assert!(matches!(other.restore(&again).unwrap_err().status, CallStatus::Refused(_)));

    let mut fresh = instantiate(&model, &Log::default());
    let foreign = fresh.deserialize(&bytes).unwrap();
    let error = fresh.restore(&foreign).unwrap_err();
    assert!(matches!(error.status, CallStatus::Refused(_)), "never initialized");
}

#[test]
fn directional_derivatives_of_arrays_have_as_many_elements_as_they_need() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let mut sensitivity = [0.0; 3];
    instance
        .directional_derivative(
            Direction { unknowns: &[Reference(1)], knowns: &[Reference(0)], seed: &[2.0] },
            &mut sensitivity,
        )
        .unwrap();
    assert_eq!(sensitivity.map(f64::to_bits), [20.0f64, 22.0, 24.0].map(f64::to_bits));
    let error = instance.set_input_derivatives(&[Reference(0)], &[1], &[0.0]).unwrap_err();
    assert_eq!(error.status, CallStatus::Unsupported);
}

#[test]
fn a_refused_get_names_the_variables() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    order(&mut *instance, GET_STATUS, 2);
    let error = instance.get(&[Reference(0)], ValuesMut::Float64(&mut [0.0])).unwrap_err();
    assert_eq!(error.to_string(), "fmi3GetFloat64(u) returned `discard`");
}

#[test]
fn a_refused_instantiation_carries_the_log() {
    let mut probe = probe();
    probe.token = "refuse".to_owned();
    let error = probe.load().instantiate(&instantiation(&Log::default(), false)).err().unwrap();
    assert_eq!(
        (error.call, &error.status),
        ("fmi3InstantiateCoSimulation", &CallStatus::NoInstance)
    );
    assert_eq!(error.log, ["[logStatusError] wrong token"]);
}

#[test]
fn the_path_of_resources_ends_with_a_separator() {
    let probe = probe();
    let model = probe.load();
    let mut instance = ready(&model, &Log::default());
    let place = Values::String(vec![String::new()]);
    let Values::String(path) = get(&mut *instance, &[200], &place) else { unreachable!() };
    let folder = probe.directory.path().canonicalize().unwrap();
    assert_eq!(path[0], format!("{}/resources/", folder.display()));
}
