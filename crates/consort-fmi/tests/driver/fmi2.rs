//! What an FMI 2.0 FMU may do, and what the driver makes of it.

use crate::fixture::{
    Log, Probe, SETUP, check_round_trip, get, initialize, instantiate, instantiation, order, ready,
    step, step_from,
};
use consort_core::{
    CallStatus, Direction, Instance, LogLevel, Model, Reference, StepReason, Time, Values,
    ValuesMut, ValuesRef,
};
use consort_fmi::description::FmiVersion;

// The probe's orders, as in probe2.c.
const STEP_STATUS: u32 = 100;
const GET_STATUS: u32 = 101;
const SET_STATUS: u32 = 102;
const INIT_STATUS: u32 = 103;
const END_STATUS: u32 = 104;
const CHATTY: u32 = 105;
const FLUSH: u32 = 106;
const WANTS_END: u32 = 107;
const STATES: u32 = 108;
const LOST_TIME: u32 = 109;

const DISCARD: i32 = 2;
const ERROR: i32 = 3;
const FATAL: i32 = 4;

fn probe() -> Probe {
    Probe::compile(FmiVersion::V2, &[])
}

#[test]
fn values_of_every_type_go_in_and_come_out() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let instance = &mut *instance;
    for values in [
        Values::Float64(vec![0.1, -5e-324]),
        Values::Int32(vec![i32::MIN, i32::MAX]),
        Values::Enumeration(vec![-3, 2_147_483_647]),
        Values::Boolean(vec![true, false]),
        Values::String(vec!["größe".to_owned(), String::new()]),
    ] {
        check_round_trip(instance, &[3, 5], &values);
    }
}

#[test]
fn texts_that_are_null_or_not_utf8_are_read_all_the_same() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let place = Values::String(vec![String::new(); 2]);
    assert_eq!(
        get(&mut *instance, &[6, 7], &place),
        Values::String(vec![String::new(), "caf\u{FFFD}".to_owned()])
    );
}

#[test]
fn what_cannot_be_handed_over_is_refused_before_the_call() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let two = [Reference(0), Reference(1)];
    let mut refuse = |values: Values, reason: &str| {
        let error = instance.set(&two, values.view()).unwrap_err();
        assert_eq!(error.status, CallStatus::Refused(reason.to_owned()));
    };
    refuse(Values::Float64(vec![1.0]), "1 values for 2 references");
    refuse(Values::Int8(vec![1, 2]), "FMI 2.0 has no type `Int8`");
    refuse(Values::Enumeration(vec![1, 1 << 40]), "1099511627776 does not fit in 32 bits");
    refuse(Values::String(vec!["a\0b".to_owned(), String::new()]), "a string contains a NUL");
    let error = instance.get(&two, ValuesMut::Float64(&mut [0.0])).unwrap_err();
    assert_eq!(error.status, CallStatus::Refused("1 values for 2 references".to_owned()));
    assert_eq!(instance.step(&step(1)).unwrap().reason, StepReason::Complete);
}

#[test]
fn the_experiment_reaches_the_fmu_before_initialization() {
    let model = probe().load();
    let log = Log::default();
    drop(ready(&model, &log));
    assert_eq!(log.messages()[0], "experiment 1 0.0001 -1 1 5");
}

#[test]
fn a_step_uses_the_times_it_is_given() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    instance.set(&[Reference(0)], ValuesRef::Float64(&[2.0])).unwrap();
    let outcome = instance.step(&step_from(500_000_000, 250_000_000)).unwrap();
    assert_eq!(outcome.reached, Time::from_ticks(750_000_000));
    assert_eq!(
        get(&mut *instance, &[1, 2], &Values::Float64(vec![0.0; 2])),
        Values::Float64(vec![0.5, 0.75])
    );
}

#[test]
fn a_discarded_step_reports_how_far_it_came() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    order(&mut *instance, STEP_STATUS, DISCARD);
    let outcome = instance.step(&step(1000)).unwrap();
    assert_eq!((outcome.reached.ticks(), outcome.reason), (500, StepReason::Discard));

    order(&mut *instance, WANTS_END, 1);
    let outcome = instance.step(&step(1000)).unwrap();
    assert_eq!((outcome.reached.ticks(), outcome.reason), (500, StepReason::Terminate));

    order(&mut *instance, WANTS_END, 0);
    order(&mut *instance, LOST_TIME, 1);
    let outcome = instance.step(&step_from(100, 1000)).unwrap();
    assert_eq!((outcome.reached.ticks(), outcome.reason), (100, StepReason::Discard));

    order(&mut *instance, STEP_STATUS, 0);
    assert_eq!(instance.step(&step(1000)).unwrap().reason, StepReason::Complete);
}

#[test]
fn a_warning_is_logged_once_and_the_run_continues() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, STEP_STATUS, 1);
    for _ in 0..3 {
        assert_eq!(instance.step(&step(10)).unwrap().reason, StepReason::Complete);
    }
    assert_eq!(log.count("fmi2DoStep(t = 0, h = 0.00000001) returned a warning"), 1);
}

#[test]
fn a_failed_step_names_call_arguments_and_the_last_messages() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, STEP_STATUS, ERROR);
    let error = instance.step(&step_from(3_250_000_000, 10_000_000)).unwrap_err();
    assert_eq!(error.to_string(), "fmi2DoStep(t = 3.25, h = 0.01) returned `error`");
    assert_eq!(
        error.log.last().unwrap(),
        "[logStatusError] Newton did not converge in 50 iterations"
    );
}

/// After `status` from a step: what the next call says, and what is called at the end.
fn check_aftermath(status: i32, expected: &CallStatus, terminated: usize, freed: usize) {
    let model = probe().load();
    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, STEP_STATUS, status);
    let error = instance.step(&step(10)).unwrap_err();
    assert_eq!(error.status, *expected);
    let later = instance.get(&[Reference(0)], ValuesMut::Float64(&mut [0.0])).unwrap_err();
    assert_eq!(later.status, CallStatus::WrongState("an instance that has failed"));
    instance.terminate().unwrap();
    drop(instance);
    assert_eq!((log.count("terminated"), log.count("freed")), (terminated, freed), "{status}");
}

#[test]
fn after_an_error_an_instance_is_only_freed_and_after_fatal_not_even_that() {
    check_aftermath(ERROR, &CallStatus::Error, 0, 1);
    check_aftermath(FATAL, &CallStatus::Fatal, 0, 0);
    check_aftermath(5, &CallStatus::Pending, 0, 1);
    check_aftermath(77, &CallStatus::Unknown(77), 0, 1);
    check_aftermath(-1, &CallStatus::Unknown(-1), 0, 1);
}

#[test]
fn a_pending_step_is_called_off() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, STEP_STATUS, 5);
    assert!(instance.step(&step(10)).is_err());
    assert_eq!(log.count("canceled"), 1);
}

#[test]
fn statuses_of_get_and_set_are_errors_that_name_the_variables() {
    for (which, call) in
        [(GET_STATUS, "fmi2GetReal(u, #5)"), (SET_STATUS, "fmi2SetReal(u = 1.5, #5 = -2.0)")]
    {
        for (status, word) in [(DISCARD, "discard"), (ERROR, "error"), (FATAL, "fatal")] {
            let model = probe().load();
            let mut instance = ready(&model, &Log::default());
            order(&mut *instance, which, status);
            let both = [Reference(0), Reference(5)];
            let error = match which {
                GET_STATUS => instance.get(&both, ValuesMut::Float64(&mut [0.0; 2])),
                _ => instance.set(&both, ValuesRef::Float64(&[1.5, -2.0])),
            };
            assert_eq!(error.unwrap_err().to_string(), format!("{call} returned `{word}`"));
            assert_eq!(instance.step(&step(1)).is_ok(), status == DISCARD);
        }
    }
}

#[test]
fn a_refused_instantiation_carries_the_formatted_log() {
    let mut probe = probe();
    probe.token = "refuse".to_owned();
    let log = Log::default();
    let error = probe.load().instantiate(&instantiation(&log, false)).err().unwrap();
    assert_eq!((error.call, &error.status), ("fmi2Instantiate", &CallStatus::NoInstance));
    assert_eq!(error.log, ["[logStatusError] no license for tank.probe, code 42"]);
    assert_eq!(log.entries()[0].level, LogLevel::Error);
    assert_eq!(log.entries()[0].component, "tank.probe");
}

#[test]
fn messages_of_any_length_come_formatted_and_references_stay() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, CHATTY, 1);
    instance.step(&step(10)).unwrap();
    assert_eq!(log.count("step at 0 of probe, #r1#"), 1);
    order(&mut *instance, CHATTY, 2);
    instance.step(&step(10)).unwrap();
    let long = format!("{:>2000}", 7);
    assert_eq!(log.count(&long), 1);
}

#[test]
fn an_error_carries_the_last_ten_lines() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, CHATTY, 1);
    for _ in 0..20 {
        instance.step(&step(10)).unwrap();
    }
    order(&mut *instance, STEP_STATUS, ERROR);
    let error = instance.step(&step(10)).unwrap_err();
    assert_eq!(error.log.len(), 10);
}

#[test]
fn debug_logging_is_asked_for_only_when_verbose() {
    let model = probe().load();
    let log = Log::default();
    drop(instantiate(&model, &log));
    assert_eq!(log.messages(), ["freed"]);
    drop(model.instantiate(&instantiation(&log, true)).unwrap());
    assert_eq!(
        log.messages()[1..],
        ["instantiated tank.probe", "debug logging 1, 0 categories", "freed"]
    );
}

#[test]
fn an_instance_is_terminated_once_and_freed_on_every_path() {
    let model = probe().load();
    let end = |log: &Log| (log.count("terminated"), log.count("freed"));

    let log = Log::default();
    let mut instance = ready(&model, &log);
    instance.terminate().unwrap();
    instance.terminate().unwrap();
    let place = Values::Float64(vec![0.0]);
    assert_eq!(get(&mut *instance, &[1], &place), Values::Float64(vec![0.0]));
    drop(instance);
    assert_eq!(end(&log), (1, 1));

    let log = Log::default();
    drop(ready(&model, &log));
    assert_eq!(end(&log), (1, 1), "dropped without a word");

    let log = Log::default();
    drop(instantiate(&model, &log));
    assert_eq!(end(&log), (0, 1), "never initialized");

    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, END_STATUS, DISCARD);
    assert_eq!(instance.terminate().unwrap_err().status, CallStatus::Discard);
    drop(instance);
    assert_eq!(end(&log), (1, 1), "refused to terminate");
}

#[test]
fn calls_at_the_wrong_time_are_refused_and_do_no_harm() {
    let model = probe().load();
    let mut instance = instantiate(&model, &Log::default());
    let wrong = |status: CallStatus| matches!(status, CallStatus::WrongState(_));
    assert!(wrong(instance.step(&step(1)).unwrap_err().status));
    assert!(wrong(instance.exit_initialization().unwrap_err().status));
    assert!(wrong(
        instance.get(&[Reference(0)], ValuesMut::Float64(&mut [0.0])).unwrap_err().status
    ));
    initialize(&mut *instance);
    assert!(wrong(instance.enter_initialization(&SETUP).unwrap_err().status));
    assert_eq!(instance.enter_event_mode().unwrap_err().status, CallStatus::Unsupported);
    instance.step(&step(1)).unwrap();
    instance.terminate().unwrap();
    assert!(wrong(instance.set(&[Reference(0)], ValuesRef::Float64(&[0.0])).unwrap_err().status));
}

#[test]
fn nothing_is_called_for_no_variables() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    order(&mut *instance, GET_STATUS, FATAL);
    order(&mut *instance, SET_STATUS, FATAL);
    instance.set(&[], ValuesRef::Float64(&[])).unwrap();
    instance.get(&[], ValuesMut::Float64(&mut [])).unwrap();
}

#[test]
fn a_failed_initialization_says_where_it_started() {
    let model = probe().load();
    let mut instance = instantiate(&model, &Log::default());
    order(&mut *instance, INIT_STATUS, ERROR);
    let error = instance.enter_initialization(&SETUP).unwrap_err();
    assert_eq!(
        error.to_string(),
        "fmi2EnterInitializationMode(start = -1, stop = 5) returned `error`"
    );
}

#[test]
fn a_saved_state_is_gone_back_to_and_freed_by_its_instance() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let instance = &mut *instance;
    let count = |instance: &mut dyn Instance| get(instance, &[STATES], &Values::Int32(vec![0]));
    let output = |instance: &mut dyn Instance| get(instance, &[1], &Values::Float64(vec![0.0]));
    instance.set(&[Reference(0)], ValuesRef::Float64(&[1.0])).unwrap();
    instance.step(&step(500_000_000)).unwrap();
    let state = instance.save().unwrap();
    instance.step(&step(500_000_000)).unwrap();
    assert_eq!(output(instance), Values::Float64(vec![1.0]));
    instance.restore(&state).unwrap();
    assert_eq!(output(instance), Values::Float64(vec![0.5]));
    assert_eq!(count(instance), Values::Int32(vec![1]));
    for _ in 0..10 {
        drop(instance.save().unwrap());
    }
    drop(state);
    let last = instance.save().unwrap();
    assert_eq!(count(instance), Values::Int32(vec![1]), "all but the last are freed");
    drop(last);
}

#[test]
fn an_instance_goes_back_after_an_error_but_not_after_a_fatal_one() {
    for (status, can) in [(ERROR, true), (FATAL, false)] {
        let model = probe().load();
        let mut instance = ready(&model, &Log::default());
        let state = instance.save().unwrap();
        order(&mut *instance, STEP_STATUS, status);
        instance.step(&step(10)).unwrap_err();
        assert_eq!(instance.restore(&state).is_ok(), can, "{status}");
        let got = instance.get(&[Reference(0)], ValuesMut::Float64(&mut [0.0]));
        assert_eq!(got.is_ok(), can, "{status}");
    }
}

#[test]
fn the_fmu_knows_whether_it_may_have_to_go_back() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let never_back = |instance: &mut dyn Instance| get(instance, &[7], &Values::Int32(vec![0]));
    instance.step(&step(10)).unwrap();
    assert_eq!(never_back(&mut *instance), Values::Int32(vec![1]));
    let _state = instance.save().unwrap();
    instance.step(&step(10)).unwrap();
    assert_eq!(never_back(&mut *instance), Values::Int32(vec![0]));
}

#[test]
fn a_state_of_another_instance_is_refused_even_after_its_owner_is_gone() {
    let model = probe().load();
    let mut first = ready(&model, &Log::default());
    let mut second = ready(&model, &Log::default());
    let state = first.save().unwrap();
    let refused = |status| matches!(status, CallStatus::Refused(_));
    assert!(refused(second.restore(&state).unwrap_err().status));
    assert!(refused(second.serialize(&state).unwrap_err().status));
    drop(first);
    assert!(refused(second.restore(&state).unwrap_err().status));
    drop(state);
    second.step(&step(1)).unwrap();
}

#[test]
fn a_serialized_state_goes_into_another_instance() {
    let model = probe().load();
    let mut first = ready(&model, &Log::default());
    first.set(&[Reference(4)], ValuesRef::Float64(&[42.0])).unwrap();
    let state = first.save().unwrap();
    let bytes = first.serialize(&state).unwrap();
    let mut second = ready(&model, &Log::default());
    let state = second.deserialize(&bytes).unwrap();
    second.restore(&state).unwrap();
    let place = Values::Float64(vec![0.0]);
    assert_eq!(get(&mut *second, &[4], &place), Values::Float64(vec![42.0]));

    for (bad, status) in [
        (&bytes[..0], CallStatus::Refused("the bytes are no saved state".to_owned())),
        (&[9, 9][..], CallStatus::Refused("the bytes are no saved state".to_owned())),
        (&bytes[..7], CallStatus::Discard),
    ] {
        assert_eq!(second.deserialize(bad).err().unwrap().status, status);
    }
}

#[test]
fn derivatives_are_passed_on() {
    let model = probe().load();
    let mut instance = ready(&model, &Log::default());
    let mut sensitivity = [0.0; 2];
    let (unknowns, knowns) = ([Reference(1), Reference(2)], [Reference(3), Reference(4)]);
    instance
        .directional_derivative(
            Direction { unknowns: &unknowns, knowns: &knowns, seed: &[1.0, 0.5] },
            &mut sensitivity,
        )
        .unwrap();
    assert_eq!(sensitivity.map(f64::to_bits), [20.0f64, 35.0].map(f64::to_bits));
    let short = instance.directional_derivative(
        Direction { unknowns: &unknowns, knowns: &knowns, seed: &[1.0] },
        &mut sensitivity,
    );
    assert!(matches!(short.unwrap_err().status, CallStatus::Refused(_)));

    instance.set_input_derivatives(&[Reference(5)], &[1], &[0.25]).unwrap();
    let place = Values::Float64(vec![0.0]);
    assert_eq!(get(&mut *instance, &[5], &place), Values::Float64(vec![0.25]));
}

#[test]
fn resources_are_named_by_an_absolute_uri() {
    let probe = probe();
    let model = probe.load();
    let mut instance = ready(&model, &Log::default());
    let place = Values::String(vec![String::new()]);
    let Values::String(uri) = get(&mut *instance, &[8], &place) else { unreachable!() };
    let folder = probe.directory.path().canonicalize().unwrap();
    assert_eq!(uri[0], format!("file://{}/resources", folder.display()));
}

#[test]
fn an_fmu_that_flushes_subnormals_to_zero_does_not_spoil_the_thread() {
    let model = probe().load();
    let log = Log::default();
    let mut instance = ready(&model, &log);
    order(&mut *instance, FLUSH, 1);
    for _ in 0..2 {
        instance.step(&step(10)).unwrap();
        let half = std::hint::black_box(f64::MIN_POSITIVE) * std::hint::black_box(0.5);
        assert!(0.0 < half, "a subnormal survives");
    }
    let warning = "the FMU changed the floating-point mode of the thread; it was put back";
    assert_eq!(log.count(warning), usize::from(cfg!(target_arch = "x86_64")));
}
