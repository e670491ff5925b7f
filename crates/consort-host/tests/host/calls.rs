//! Every call gives in a process of its own what it gives here.

use super::fixture::{
    Log, SETUP, here, initialize, instantiation, isolated, set_whole, start, step,
};
use consort_core::{
    CallError, Causality, Instance, Instantiation, Model, ModelDescription, Prng, Reference,
    StepReason, ValueType, Values, ValuesMut, ValuesRef,
};
use consort_testkit::fmus::{Fmi, MODELS, source_fmu_folder};

/// References and zeros of all variables of each type with that causality.
fn batches(of: &ModelDescription, causality: Causality) -> Vec<(Vec<Reference>, Values)> {
    let scalars = of.variables.iter().filter(|it| it.dimensions.is_empty());
    let wanted: Vec<_> = scalars.filter(|it| it.causality == causality).collect();
    let of_type = |value_type: ValueType| {
        let these = wanted.iter().filter(|it| it.value_type == value_type);
        let references: Vec<Reference> = these.map(|it| it.reference).collect();
        let values = Values::zeros(value_type, references.len());
        (references, values)
    };
    ValueType::ALL.map(of_type).into_iter().filter(|(list, _)| !list.is_empty()).collect()
}

/// Steps with changing inputs; everything that can be read, as text that shows every bit.
fn drive(instance: &mut dyn Instance, of: &ModelDescription, seed: u64) -> Vec<String> {
    let mut prng = Prng::new(seed);
    let inputs = batches(of, Causality::Input);
    let mut outputs = batches(of, Causality::Output);
    initialize(instance);
    let mut seen = Vec::new();
    for index in 0..40 {
        for (references, values) in inputs.iter().filter(|it| it.1.value_type().is_float()) {
            let numbers: Vec<f64> = references.iter().map(|_| prng.next_f64()).collect();
            if values.value_type() == ValueType::Float64 {
                instance.set(references, ValuesRef::Float64(&numbers)).unwrap();
            }
        }
        seen.push(format!("{:?}", instance.step(&step(index))));
        for (references, values) in &mut outputs {
            let count = values.len();
            instance.get(references, values.slice_mut(0, count)).unwrap();
            seen.push(values.view().to_string());
        }
    }
    seen.push(format!("{:?}", instance.terminate()));
    seen
}

#[test]
fn every_test_model_gives_the_same_bits_here_and_there() {
    let models = MODELS.iter().flat_map(|it| it.versions.iter().map(|fmi| (it.name, *fmi)));
    for (name, fmi) in models.filter(|(name, _)| *name != "misbehave") {
        let (model, log) = (here(name, fmi), Log::default());
        let mut direct = model.instantiate(&instantiation(&log)).unwrap();
        let mut apart = start(&isolated(name, fmi), &Log::default());
        let expected = drive(&mut *direct, model.description(), 7);
        assert_eq!(drive(&mut apart, model.description(), 7), expected, "{name} {fmi:?}, seed 7");
    }
}

#[test]
fn values_of_every_type_go_in_and_come_out() {
    let model = isolated("feedthrough", Fmi::V3);
    let mut instance = start(&model, &Log::default());
    initialize(&mut instance);
    let text = |text: &str| text.to_owned();
    let cases = [
        Values::Float64(vec![-5e-324]),
        Values::Float32(vec![1e-45]),
        Values::Int8(vec![i8::MIN]),
        Values::UInt8(vec![u8::MAX]),
        Values::Int16(vec![i16::MIN]),
        Values::UInt16(vec![u16::MAX]),
        Values::Int32(vec![i32::MIN]),
        Values::UInt32(vec![u32::MAX]),
        Values::Int64(vec![(1 << 53) + 1]),
        Values::UInt64(vec![u64::MAX]),
        Values::Boolean(vec![true]),
        Values::Enumeration(vec![2]),
        Values::String(vec![text("größe, \"quoted\"")]),
        Values::Binary(vec![vec![0, 1, 255]]),
        Values::Float64(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        Values::String(vec![text(""), text("a name")]),
    ];
    for (index, values) in (0..).zip(cases) {
        check_through(&mut instance, model.description(), &values, index);
    }
}

/// Sets the input of that type and shape, steps, and reads the output of that type and shape.
fn check_through(instance: &mut dyn Instance, of: &ModelDescription, values: &Values, index: i64) {
    let find = |causality: Causality| {
        let mut fitting = of.variables.iter().filter(|it| {
            let is_array = 1 < values.len();
            it.causality == causality
                && it.value_type == values.value_type()
                && it.dimensions.is_empty() != is_array
        });
        fitting.next().unwrap_or_else(|| panic!("{causality:?} {}", values.view())).reference
    };
    instance.set(&[find(Causality::Input)], values.view()).unwrap();
    instance.step(&step(index)).unwrap();
    let mut back = Values::zeros(values.value_type(), values.len());
    instance.get(&[find(Causality::Output)], back.slice_mut(0, values.len())).unwrap();
    assert_eq!(back, *values);
}

#[test]
fn events_clocks_and_early_returns_are_the_same() {
    let run = |instance: &mut dyn Instance| {
        let mut seen = Vec::new();
        initialize(instance);
        for index in 0..6 {
            instance.set(&[Reference(1)], ValuesRef::Clock(&[index % 2 == 0])).unwrap();
            seen.push(format!("{:?}", instance.update_discrete_states()));
            instance.enter_step_mode().unwrap();
            seen.push(format!("{:?}", instance.step(&step(index))));
            instance.enter_event_mode().unwrap();
            let mut counts = [0; 2];
            let references = [Reference(2), Reference(3)];
            instance.get(&references, ValuesMut::Int32(&mut counts)).unwrap();
            seen.push(format!("{counts:?}"));
        }
        seen
    };
    let log = Log::default();
    let eventful = || Instantiation { event_mode: true, early_return: true, ..instantiation(&log) };
    let mut direct = here("clocks", Fmi::V3).instantiate(&eventful()).unwrap();
    let mut apart = isolated("clocks", Fmi::V3).instantiate(&eventful()).unwrap();
    assert_eq!(run(&mut *apart), run(&mut *direct));
}

#[test]
fn calls_that_fail_fail_alike() {
    // Enter and exit initialization, set, get, step, terminate, get and set state; discard to unknown.
    for (phase, status) in (2..=10).flat_map(|phase| (1..=6).map(move |status| (phase, status))) {
        let fail = |instance: &mut dyn Instance| {
            set_whole(instance, 2, phase);
            set_whole(instance, 3, status);
            all_calls(instance)
        };
        let log = Log::default();
        let mut direct = here("misbehave", Fmi::V2).instantiate(&instantiation(&log)).unwrap();
        let apart_log = Log::default();
        let mut apart = start(&isolated("misbehave", Fmi::V2), &apart_log);
        let expected = fail(&mut *direct);
        assert_eq!(fail(&mut apart), expected, "phase {phase}, status {status}");
        assert_eq!(apart_log.lines(), log.lines(), "phase {phase}, status {status}");
    }
}

/// Does everything once; what failed.
fn all_calls(instance: &mut dyn Instance) -> Vec<CallError> {
    let mut errors = Vec::new();
    let mut note = |result: Result<(), Box<CallError>>| errors.extend(result.err().map(|it| *it));
    note(instance.enter_initialization(&SETUP));
    note(instance.exit_initialization());
    note(instance.set(&[Reference(1)], ValuesRef::Float64(&[1.0])));
    note(instance.get(&[Reference(7)], ValuesMut::Float64(&mut [0.0])));
    note(instance.step(&step(0)).and_then(|outcome| match outcome.reason {
        StepReason::Discard => instance.take_discarded().map_or(Ok(()), Err),
        _ => Ok(()),
    }));
    note(instance.save().and_then(|state| instance.restore(&state)));
    note(instance.terminate());
    errors
}

#[test]
fn what_cannot_be_loaded_is_reported_with_its_reason() {
    let model = isolated("gain", Fmi::V2);
    let description = model.description().clone();
    let host = std::sync::Arc::new(super::fixture::host());
    let provider = consort_core::Provider::Native;
    let folder = source_fmu_folder("gain", Fmi::V2);
    let recipe = folder.to_str().unwrap().as_bytes().to_vec();
    let model = consort_host::IsolatedModel::new(description, recipe, host, provider);
    let error = model.start(&instantiation(&Log::default())).err().unwrap();
    let expected = "load the model() was refused: `test.fmu` has no binary for this platform";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn a_program_that_is_not_there_is_reported() {
    let host =
        consort_host::HostOptions { program: "/nowhere/consort".into(), ..super::fixture::host() };
    let model = super::fixture::isolated_by("gain", Fmi::V2, host);
    let error = model.start(&instantiation(&Log::default())).err().unwrap();
    insta::assert_snapshot!(error.to_string());
}
