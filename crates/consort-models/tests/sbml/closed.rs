//! The suite against closed forms, in every edition; and what all runs must have.

use crate::cases::{self, Case};
use crate::model::{Writer, editions};
use crate::run::{self, Live, POINTS};
use std::collections::BTreeSet;

/// What a solver with a tolerance of 1e-10 reaches, also behind many events.
const TOLERANCE: f64 = 1e-7;

/// What is wrong with a model's values, if anything; values that are no number are not compared.
fn check(case: &Case, names: &[String], rows: &[Vec<f64>]) -> Result<(), String> {
    for (name, course) in case.closed {
        let at = names.iter().position(|known| known == name);
        let at = at.unwrap_or_else(|| panic!("{}: no `{name}`", case.name));
        let times = (0..=POINTS).map(|point| case.end * point as f64 / POINTS as f64);
        let expected: Vec<f64> = times.map(course).collect();
        // Beside what it is over its whole course; values that are no number are not looked at.
        let scale = expected.iter().fold(0.0, |scale: f64, value| scale.max(value.abs()));
        for (point, (row, expected)) in rows.iter().zip(expected).enumerate() {
            let is_near = (row[at] - expected).abs() <= TOLERANCE * scale;
            if !expected.is_nan() && !is_near {
                let (title, found) = (&case.name, row[at]);
                return Err(format!("{title}: {name} at point {point} is {found}, not {expected}"));
            }
        }
    }
    Ok(())
}

fn bits(rows: &[Vec<f64>]) -> Vec<Vec<u64>> {
    rows.iter().map(|row| row.iter().map(|value| value.to_bits()).collect()).collect()
}

/// One model in every edition: the same bits, and near its closed form.
fn verdict(case: &Case) -> Result<(), String> {
    let mut first: Option<Vec<Vec<f64>>> = None;
    let all = editions(&case.text);
    assert!(!all.is_empty(), "{}: no edition has all of it", case.name);
    for edition in all {
        let writer = Writer::new(edition, &case.text);
        let names = run::names(&writer);
        let rows = run::course(case, &writer)?;
        check(case, &names, &rows)?;
        let known = first.get_or_insert_with(|| rows.clone());
        if bits(known) != bits(&rows) {
            return Err(format!("{}: differs in {edition:?}", case.name));
        }
    }
    Ok(())
}

#[test]
fn models_follow_their_closed_forms_in_every_edition() {
    let wrong: Vec<String> = cases::all().iter().filter_map(|case| verdict(case).err()).collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_suite_is_as_large_as_it_says() {
    let cases = cases::all();
    let names: BTreeSet<&str> = cases.iter().map(|case| &*case.name).collect();
    let texts: BTreeSet<&str> = cases.iter().map(|case| &*case.text).collect();
    assert_eq!(names.len(), cases.len(), "every model has a name of its own");
    assert_eq!(texts.len(), cases.len(), "every model is another one");
    assert!(150 <= cases.len(), "{}", cases.len());
    assert!(20 <= cases.iter().filter(|case| case.is_network).count());
}

#[test]
fn a_run_that_was_restored_continues_bit_for_bit() {
    let wrong: Vec<String> = cases::all().iter().filter_map(|case| restored(case).err()).collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn restored(case: &Case) -> Result<(), String> {
    let edition = *editions(&case.text).last().expect("an edition has it");
    let writer = Writer::new(edition, &case.text);
    let names = run::names(&writer);
    let model = run::load(case, &writer)?;
    let mut live = Live::start(&model, &names);
    live.advance(0.37 * case.end)?;
    let saved = live.instance.save().expect("a state");
    let bytes = live.instance.serialize(&saved).expect("bytes");
    live.advance(case.end)?;
    let expected = live.values();
    let mut other = Live::start(&model, &names);
    let state = other.instance.deserialize(&bytes).expect("a state");
    other.restore(&state, 0.37 * case.end);
    other.advance(case.end)?;
    match bits(&[expected]) == bits(&[other.values()]) {
        true => Ok(()),
        false => Err(format!("{}: continues otherwise", case.name)),
    }
}

/// Courses of every tenth model, by this many threads.
fn courses(workers: usize) -> Vec<Vec<Vec<u64>>> {
    let cases: Vec<Case> = cases::all().into_iter().step_by(10).collect();
    let course = |case: &Case| {
        let edition = editions(&case.text)[0];
        let rows = run::course(case, &Writer::new(edition, &case.text));
        bits(&rows.unwrap_or_else(|said| panic!("{said}")))
    };
    let share = cases.len().div_ceil(workers);
    std::thread::scope(|scope| {
        let shares = cases.chunks(share);
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || share.iter().map(course).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn courses_are_the_same_however_many_are_computed_at_once() {
    let alone = courses(1);
    for workers in [2, 8] {
        assert!(alone == courses(workers), "{workers} workers");
    }
}
