//! FMUs that say how long their next step may be, here and in processes of their own.

use super::fixture::{
    Log, get, here, initialize, instantiation, isolated, load_recipe, set_whole, start, step,
};
use consort_core::{CallStatus, Instance};
use consort_testkit::fmus::{BuildOptions, Fmi, build};

const FAULT: u32 = 4;

fn both(name: &str) -> [Box<dyn Instance>; 2] {
    let direct = here(name, Fmi::V2).instantiate(&instantiation(&Log::default())).unwrap();
    let mut both = [direct, Box::new(start(&isolated(name, Fmi::V2), &Log::default()))];
    both.iter_mut().for_each(|instance| initialize(&mut **instance));
    both
}

#[test]
fn an_fmu_says_how_long_its_next_step_may_be() {
    for mut instance in both("paced") {
        for index in 0..12 {
            let expected = if get(&mut *instance, 3) < 0.99 { 0.1 } else { 0.03 };
            assert_eq!(instance.step_max().unwrap(), Some(expected), "step {index}");
            instance.step(&step(index)).unwrap();
        }
    }
}

#[test]
fn both_spellings_are_known_and_most_fmus_have_neither() {
    let flags = vec!["-DSTEP_MAX=fmi2GetMaxStepSize".to_owned()];
    let folder = build("paced", Fmi::V2, &BuildOptions { flags, ..BuildOptions::binary() });
    let model = load_recipe(folder.to_str().unwrap().as_bytes()).unwrap();
    let mut instance = model.instantiate(&instantiation(&Log::default())).unwrap();
    initialize(&mut *instance);
    assert_eq!(instance.step_max().unwrap(), Some(0.1));
    set_whole(&mut *instance, FAULT, 6);
    assert_eq!(instance.step_max().unwrap_err().call, "fmi2GetMaxStepSize");
    for mut instance in both("integrator") {
        assert_eq!(instance.step_max().unwrap(), None);
    }
    let mut third = here("stair", Fmi::V3).instantiate(&instantiation(&Log::default())).unwrap();
    initialize(&mut *third);
    assert_eq!(third.step_max().unwrap(), None);
}

#[test]
fn an_answer_that_cannot_be_is_an_error_with_its_value() {
    let refused = |size: &str| {
        let reason =
            format!("it answered with a longest step of `{size}` s, which must be above zero");
        Err(CallStatus::Refused(reason))
    };
    let cases = [
        (1, refused("NaN")),
        (2, refused("0")),
        (3, refused("-0.5")),
        (4, Ok(None)),
        (5, refused("NaN")),
        (6, Err(CallStatus::Discard)),
        (0, Ok(Some(0.1))),
        (7, Err(CallStatus::Error)),
    ];
    for mut instance in both("paced") {
        for (fault, expected) in &cases {
            set_whole(&mut *instance, FAULT, *fault);
            let answer = instance.step_max();
            let call = answer.as_ref().err().map(|error| error.call);
            assert_eq!(answer.map_err(|error| error.status), *expected, "{fault}");
            assert!(call.is_none_or(|call| call == "fmi2GetMaxStepsize"), "{call:?}");
        }
        // After an error there is nothing more to ask.
        assert!(instance.step_max().is_err());
    }
}

#[test]
fn nothing_is_asked_before_the_first_step_can_be_taken() {
    let model = here("paced", Fmi::V2);
    let mut instance = model.instantiate(&instantiation(&Log::default())).unwrap();
    let error = instance.step_max().unwrap_err();
    assert!(matches!(error.status, CallStatus::WrongState(_)), "{error}");
}
