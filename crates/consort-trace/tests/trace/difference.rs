//! Differences are found, counted and named.

use crate::common::{trace, traces};
use crate::round_trip::to_csv;
use consort_core::{Resolution, Seconds, Tag, Time, ValueType, Values};
use consort_trace::{
    Column, CsvOptions, DiffOptions, Schema, Tolerance, Trace, TraceComparison, compare, read_csv,
};
use proptest::prelude::*;
use std::sync::Arc;

fn mirrored(comparison: &TraceComparison) -> TraceComparison {
    let mut mirror = comparison.clone();
    mirror.resolutions.reverse();
    mirror.lone_columns.reverse();
    mirror.lone_rows.reverse();
    for variable in &mut mirror.differing {
        let first = &mut variable.first;
        std::mem::swap(&mut first.first, &mut first.second);
    }
    mirror
}

fn at(ticks: i64) -> Tag {
    Tag::at(Time::from_ticks(ticks))
}

/// A trace of `Float64` columns with the given names, ticks and values.
fn floats(names: &[&str], ticks: &[i64], columns: &[&[f64]]) -> Trace {
    let named = names.iter().map(|name| Column::new("p", name, ValueType::Float64)).collect();
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, named).unwrap());
    let tags: Vec<Tag> = ticks.iter().map(|&ticks| at(ticks)).collect();
    let columns: Vec<Values> =
        columns.iter().map(|values| Values::Float64(values.to_vec())).collect();
    trace(&schema, &tags, &columns)
}

proptest! {
    #[test]
    fn a_trace_is_the_same_as_itself(trace in traces()) {
        prop_assert!(compare(&trace, &trace, &DiffOptions::exact()).is_same());
    }

    #[test]
    fn comparing_is_symmetric(a in traces(), b in traces(), absolute in 0.0..10.0) {
        let tolerance = Tolerance { absolute, relative: 0.01 };
        let options = DiffOptions { tolerance, ..DiffOptions::default() };
        for options in [DiffOptions::exact(), options] {
            let comparison = compare(&a, &b, &options);
            prop_assert_eq!(compare(&b, &a, &options), mirrored(&comparison));
        }
    }

    #[test]
    fn a_single_flipped_bit_is_found(
        values in prop::collection::vec(-1e300_f64..1e300, 1..50),
        row in any::<prop::sample::Index>(), bit in 0..64,
    ) {
        let ticks: Vec<i64> = (0..values.len() as i64).collect();
        let row = row.index(values.len());
        let mut flipped: Vec<f64> = values.clone();
        flipped[row] = f64::from_bits(flipped[row].to_bits() ^ (1_u64 << bit));
        let (a, b) = (floats(&["x"], &ticks, &[&values]), floats(&["x"], &ticks, &[&flipped]));
        let comparison = compare(&a, &b, &DiffOptions::exact());
        prop_assert_eq!(comparison.differing.len(), 1);
        prop_assert_eq!(comparison.differing[0].count, 1);
        prop_assert_eq!(comparison.first().unwrap().tag, at(row as i64));
    }
}

#[test]
fn the_first_difference_is_first_by_tag_then_by_column() {
    let a = floats(&["z", "y", "x"], &[0, 1], &[&[0.0, 1.0], &[0.0, 1.0], &[0.0, 1.0]]);
    let b = floats(&["z", "y", "x"], &[0, 1], &[&[0.0, 2.0], &[0.5, 1.5], &[3.0, 1.0]]);
    let comparison = compare(&a, &b, &DiffOptions::exact());
    let first = comparison.first().unwrap();
    assert_eq!((first.tag, first.variable.as_str()), (at(0), "p.y"));
    assert_eq!((first.first.as_str(), first.second.as_str()), ("0.0", "0.5"));
    let counts: Vec<_> =
        comparison.differing.iter().map(|v| (v.variable.as_str(), v.count, v.largest)).collect();
    assert_eq!(counts, [("p.z", 1, 1.0), ("p.y", 2, 0.5), ("p.x", 1, 3.0)]);
}

#[test]
fn what_only_one_side_has_is_named() {
    let second = 1_000_000_000;
    let a = floats(&["x", "y"], &[0, second, 2 * second], &[&[1.0, 1.0, 1.0], &[0.0; 3]]);
    let b = floats(&["x", "w"], &[0, 2 * second, 3 * second], &[&[1.0, 2.0, 9.0], &[0.0; 3]]);
    let comparison = compare(&a, &b, &DiffOptions::exact());
    let expected = "different: first at 2.0 s in `p.x`: 1.0 and 2.0
  `p.x`: 1 of 2 values differ, by at most 1.0
  only in the first: 1 rows, the first at 1.0 s
  only in the first: `p.y`
  only in the second: 1 rows, the first at 3.0 s
  only in the second: `p.w`";
    assert_eq!(comparison.to_string(), expected);
    assert!(!comparison.is_same());
}

#[test]
fn traces_of_different_resolutions_are_matched_by_time() {
    let quarter = Resolution::new(Seconds::new(1, 4).unwrap()).unwrap();
    let columns = vec![Column::new("p", "x", ValueType::Float64)];
    let coarse = Arc::new(Schema::new(quarter, columns).unwrap());
    let tags = [at(0), at(1), at(1).next_microstep(), at(2)];
    let a = trace(&coarse, &tags, &[Values::Float64(vec![0.0, 1.0, 2.0, 3.0])]);
    let b = read_csv(b"t,p.x\n0,0\n0.25,1\n0.25,2\n0.75,3\n", &CsvOptions::default()).unwrap();
    let comparison = compare(&a, &b, &DiffOptions::exact());
    assert_eq!((comparison.rows, comparison.differing.len()), (3, 0));
    let first = comparison.lone_rows.map(|rows| rows.first);
    assert_eq!(first, [Some(at(2)), Some(at(750_000_000))]);
}

#[test]
fn texts_that_differ_are_shown_in_quotes() {
    let columns = vec![Column::new("p", "s", ValueType::String)];
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
    let text = |text: &str| trace(&schema, &[at(0)], &[Values::String(vec![text.to_owned()])]);
    let comparison = compare(&text(""), &text("a"), &DiffOptions::exact());
    let expected = "different: first at 0.0 s in `p.s`: \"\" and \"a\"
  `p.s`: 1 of 1 values differ";
    assert_eq!(comparison.to_string(), expected);
}

#[test]
fn tolerances_and_choices_hold_per_variable() {
    let a = floats(&["x", "y"], &[0], &[&[1.0], &[1.0]]);
    let b = floats(&["x", "y"], &[0], &[&[1.1], &[1.1]]);
    let wide = Tolerance { absolute: 0.2, relative: 0.0 };
    let overrides = [("p.x".to_owned(), wide)].into();
    let mut options = DiffOptions { overrides, ..DiffOptions::default() };
    let names = |options: &DiffOptions| -> Vec<String> {
        let comparison = compare(&a, &b, options);
        comparison.differing.into_iter().map(|variable| variable.variable).collect()
    };
    assert_eq!(names(&options), ["p.y"]);
    options.variables = vec!["*.x".to_owned()];
    assert!(compare(&a, &b, &options).is_same());
    options.tolerance = wide;
    options.variables.clear();
    assert_eq!(compare(&a, &b, &options).to_string(), "same: 2 variables in 1 row");
}

#[test]
fn a_trace_from_csv_is_the_same_as_the_one_it_was_written_from() {
    let columns = vec![
        Column::new("p", "x", ValueType::Float32).with_dimensions(&[2]),
        Column::new("p", "n", ValueType::Int64),
        Column::new("p", "on", ValueType::Boolean),
    ];
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
    let values = [
        Values::Float32(vec![0.1, 0.2, 0.3, f32::NAN]),
        Values::Int64(vec![1 << 52, -7]),
        Values::Boolean(vec![true, false]),
    ];
    let original = trace(&schema, &[at(0), at(5)], &values);
    let read = read_csv(&to_csv(&original), &CsvOptions::default()).unwrap();
    let comparison = compare(&original, &read, &DiffOptions::exact());
    assert!(comparison.is_same(), "{comparison}");
}
