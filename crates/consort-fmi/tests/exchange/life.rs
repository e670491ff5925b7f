//! What is allowed when, what events bring about, and how failures are reported.

use crate::fixture::{BOTH, SETUP, float, instantiate, load, ready, reference, set, settle};
use consort_core::{
    CallError, CallStatus, CompletedStep, ContinuousEvent, ContinuousInstance, ContinuousModel,
    Direction, Sizes, Values, ValuesMut, ValuesRef,
};
use consort_testkit::fmus::Fmi;

fn call_and_status(result: Result<(), Box<CallError>>) -> (&'static str, CallStatus) {
    let error = result.unwrap_err();
    (error.call, error.status)
}

#[test]
fn calls_at_the_wrong_time_are_refused_and_do_no_harm() {
    for fmi in BOTH {
        let model = load("exchange-ball", fmi);
        let mut it = instantiate(&model);
        let refused = |result, call, state| {
            assert_eq!(call_and_status(result), (call, CallStatus::WrongState(state)));
        };
        let early = "the time before initialization";
        refused(it.set_time(1.0), "set the time", early);
        refused(it.states(&mut [0.0; 2]), "get the states", early);
        refused(it.enter_continuous_mode(), "enter continuous-time mode", early);
        it.enter_initialization(&SETUP).unwrap();
        refused(it.set_states(&[0.0; 2]), "set the states", "initialization mode");
        refused(it.nominals(&mut [0.0; 2]), "get the nominals", "initialization mode");
        it.exit_initialization().unwrap();
        refused(it.set_time(1.0), "set the time", "event mode");
        refused(it.enter_event_mode(), "enter event mode", "event mode");
        settle(&mut *it);
        let moving = "continuous-time mode";
        refused(it.update_discrete_states().map(drop), "update discrete states", moving);
        refused(it.enter_continuous_mode(), "enter continuous-time mode", moving);
        it.set_time(1.0).unwrap();
        it.terminate().unwrap();
        refused(it.set_time(2.0), "set the time", "the time after termination");
        let mut x = [0.0; 2];
        it.states(&mut x).unwrap();
        assert_eq!(x, [1.0, 0.0], "states can still be read");
    }
}

#[test]
fn the_wrong_number_of_values_is_refused_before_the_call() {
    let model = load("exchange-ball", Fmi::V2);
    let mut it = ready(&model);
    assert_eq!(it.sizes(), Sizes { states: 2, indicators: 1 });
    let refused = |result, call, reason: &str| {
        assert_eq!(call_and_status(result), (call, CallStatus::Refused(reason.to_owned())));
    };
    refused(it.set_states(&[1.0]), "set the states", "1 values where there are 2");
    refused(it.derivatives(&mut []), "compute the derivatives", "0 values where there are 2");
    let three = "3 values where there are 1";
    refused(it.indicators(&mut [0.0; 3]), "compute the event indicators", three);
    it.set_states(&[1.0, 2.0]).unwrap();
}

#[test]
fn refused_states_leave_an_instance_that_continues() {
    for (fmi, call) in [(Fmi::V2, "fmi2SetContinuousStates"), (Fmi::V3, "fmi3SetContinuousStates")]
    {
        let model = load("dahlquist", fmi);
        let mut it = ready(&model);
        let error = it.set_states(&[f64::NAN]).unwrap_err();
        assert_eq!((error.call, &error.status), (call, &CallStatus::Discard));
        let last = error.log.last().unwrap();
        assert!(last.contains(&format!("{call}: state 0 is nan")), "{last}");
        it.set_states(&[0.5]).unwrap();
        let mut dx = [0.0];
        it.derivatives(&mut dx).unwrap();
        assert_eq!(dx, [-0.5]);
    }
}

#[test]
fn an_error_names_the_call_and_carries_the_last_messages() {
    for (fmi, call) in BOTH.into_iter().zip(["fmi2", "fmi3"]) {
        let model = load("exchange-stair", fmi);
        let mut it = instantiate(&model);
        set(&model, &mut *it, "period", &Values::Float64(vec![-1.0]));
        it.enter_initialization(&SETUP).unwrap();
        let error = it.exit_initialization().unwrap_err();
        assert_eq!(error.to_string(), format!("{call}ExitInitializationMode() returned `error`"));
        let last = error.log.last().unwrap();
        assert!(last.contains("the period must be positive, but is -1 s"), "{last}");
        let failed = CallStatus::WrongState("an instance that has failed");
        assert_eq!(call_and_status(it.states(&mut [0.0])), ("get the states", failed));
    }
}

#[test]
fn what_is_computed_follows_time_states_and_inputs_at_once() {
    for fmi in BOTH {
        let model = load("exchange-wall", fmi);
        let mut it = ready(&model);
        let mut dx = [0.0; 6];
        it.set_states(&[290.0, 280.0, 280.0, 280.0, 280.0, 270.0]).unwrap();
        it.derivatives(&mut dx).unwrap();
        assert_eq!(dx, [0.0, 10.0, 0.0, 0.0, -10.0, 10.0]);
        let outside = [reference(&model, "outside")];
        it.set(&outside, ValuesRef::Float64(&[310.0])).unwrap();
        it.derivatives(&mut dx).unwrap();
        assert_eq!(dx, [10.0, 10.0, 0.0, 0.0, -10.0, 10.0]);
        assert_eq!(float(&model, &mut *it, "inside"), 270.0);
        assert_eq!(float(&model, &mut *it, "der(T[1])"), 10.0);
    }
}

#[test]
fn an_impact_changes_the_states() {
    for fmi in BOTH {
        let model = load("exchange-ball", fmi);
        let mut it = ready(&model);
        it.set_time(0.5).unwrap();
        it.set_states(&[-0.01, -4.0]).unwrap();
        let mut z = [0.0];
        it.indicators(&mut z).unwrap();
        assert_eq!(z, [-0.01]);
        assert_eq!(it.completed_step().unwrap(), CompletedStep::default());
        it.enter_event_mode().unwrap();
        let expected = ContinuousEvent { states_changed: true, ..ContinuousEvent::default() };
        assert_eq!(it.update_discrete_states().unwrap(), expected);
        it.enter_continuous_mode().unwrap();
        let mut x = [0.0; 2];
        it.states(&mut x).unwrap();
        assert_eq!(x, [f64::MIN_POSITIVE, 0.7 * 4.0]);
    }
}

#[test]
fn several_time_events_at_once_are_iterated() {
    for fmi in BOTH {
        let model = load("exchange-stair", fmi);
        let mut it = ready(&model);
        it.set_time(2.5).unwrap();
        it.enter_event_mode().unwrap();
        let event = it.update_discrete_states().unwrap();
        assert!(event.again);
        let event = it.update_discrete_states().unwrap();
        let expected = ContinuousEvent { next_event: Some(3.0), ..ContinuousEvent::default() };
        assert_eq!(event, expected);
    }
}

#[test]
fn a_step_event_changes_the_nominals() {
    for fmi in BOTH {
        let model = load("exchange-rescaled", fmi);
        assert!(model.continuous().needs_completed_step);
        let mut it = ready(&model);
        it.set_states(&[250.0]).unwrap();
        let completed = it.completed_step().unwrap();
        assert_eq!(completed, CompletedStep { enter_event_mode: true, terminate: false });
        it.enter_event_mode().unwrap();
        let expected = ContinuousEvent { nominals_changed: true, ..ContinuousEvent::default() };
        assert_eq!(it.update_discrete_states().unwrap(), expected);
        it.enter_continuous_mode().unwrap();
        let mut nominals = [0.0];
        it.nominals(&mut nominals).unwrap();
        assert_eq!(nominals, [100.0]);
    }
}

#[test]
fn directional_derivatives_are_columns_of_the_jacobian() {
    for fmi in BOTH {
        let model = load("exchange-wall", fmi);
        let mut it = ready(&model);
        let references = |ids: &[consort_core::VariableId]| -> Vec<_> {
            let variables = &model.description().variables;
            ids.iter().map(|id| variables[id.index()].reference).collect()
        };
        let knowns = references(&model.continuous().states);
        let unknowns = references(&model.continuous().derivatives);
        // Columns 1 and 4 touch no row together: one call gives both.
        let seed = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        let mut sensitivity = [9.0; 6];
        it.directional_derivative(
            Direction { unknowns: &unknowns, knowns: &knowns, seed: &seed },
            &mut sensitivity,
        )
        .unwrap();
        assert_eq!(sensitivity, [-2.0, 1.0, 1.0, -2.0, 1.0, 0.0]);
    }
    let model = load("dahlquist", Fmi::V2);
    let error = ready(&model)
        .directional_derivative(Direction { unknowns: &[], knowns: &[], seed: &[] }, &mut [])
        .unwrap_err();
    assert_eq!(error.status, CallStatus::Unsupported);
}

fn cells(model: &dyn ContinuousModel, it: &mut dyn ContinuousInstance, count: u64) {
    let variable = model.description().variable("n").unwrap();
    let reference = model.description().variables[variable.index()].reference;
    it.enter_configuration().unwrap();
    it.set(&[reference], ValuesRef::UInt64(&[count])).unwrap();
    it.exit_configuration().unwrap();
}

#[test]
fn the_number_of_states_may_be_set_before_a_run_and_change_at_events() {
    let model = load("exchange-rod", Fmi::V3);
    assert_eq!(model.continuous().sizes, None);
    let mut it = instantiate(&model);
    cells(&model, &mut *it, 2);
    it.enter_initialization(&SETUP).unwrap();
    assert_eq!(it.sizes().states, 2);
    it.exit_initialization().unwrap();
    assert_eq!(settle(&mut *it), ContinuousEvent::default(), "nothing is new");
    it.set_states(&[290.0, 285.0]).unwrap();
    it.enter_event_mode().unwrap();
    cells(&model, &mut *it, 3);
    let event = settle(&mut *it);
    assert!(event.sizes_changed && event.states_changed && event.nominals_changed);
    assert_eq!(it.sizes(), Sizes { states: 3, indicators: 0 });
    let mut x = [0.0; 3];
    it.states(&mut x).unwrap();
    assert_eq!(x, [290.0, 285.0, 285.0]);
    it.set_states(&[1.0, 2.0, 3.0]).unwrap();
    let mut same = [0.0; 3];
    it.get(&[reference(&model, "T")], ValuesMut::Float64(&mut same)).unwrap();
    assert_eq!(same, [1.0, 2.0, 3.0]);
}
