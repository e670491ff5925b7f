//! Saved states: a run continues from one as it did the first time.

use crate::fixture::{BOTH, Row, euler, load, ready, reference};
use consort_core::{ContinuousInstance, ValuesRef};
use consort_testkit::fmus::Fmi;

const STEP: f64 = 0.01;

/// Some steps from a row on; where they lead.
fn go_on(it: &mut dyn ContinuousInstance, first: u32, count: u32, next: Option<f64>) -> Vec<Row> {
    let mut rows = vec![Row::read(it, false, next)];
    for index in first..first + count {
        let (row, _) = euler(it, rows.last().unwrap(), f64::from(index) * STEP, STEP);
        rows.push(row);
    }
    rows
}

fn check(name: &str, fmi: Fmi, next: Option<f64>) {
    let model = load(name, fmi);
    let mut it = ready(&model);
    let before = go_on(&mut *it, 1, 90, next);
    let next = before.last().unwrap().next;
    let state = it.save().unwrap();
    let bytes = it.serialize(&state).unwrap();
    let expected = go_on(&mut *it, 91, 60, next);
    assert!(expected.iter().any(|row| row.event), "{name}: an event comes after the save");
    // From the middle of events back to continuous mode.
    it.enter_event_mode().unwrap();
    it.restore(&state).unwrap();
    assert_eq!(go_on(&mut *it, 91, 60, next), expected, "{name} {fmi:?}");
    let mut other = ready(&model);
    let state = other.deserialize(&bytes).unwrap();
    other.restore(&state).unwrap();
    assert_eq!(go_on(&mut *other, 91, 60, next), expected, "{name} {fmi:?} from bytes");
}

#[test]
fn a_restored_state_continues_bit_for_bit() {
    for fmi in BOTH {
        check("exchange-ball", fmi, None);
        check("exchange-stair", fmi, Some(1.0));
    }
}

#[test]
fn a_state_of_another_size_brings_its_size_along() {
    let model = load("exchange-rod", Fmi::V3);
    let mut it = ready(&model);
    let state = it.save().unwrap();
    it.enter_event_mode().unwrap();
    it.enter_configuration().unwrap();
    it.set(&[reference(&model, "n")], ValuesRef::UInt64(&[7])).unwrap();
    it.exit_configuration().unwrap();
    assert_eq!(it.sizes().states, 7);
    it.restore(&state).unwrap();
    assert_eq!(it.sizes().states, 4);
}
