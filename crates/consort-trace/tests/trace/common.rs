//! Traces of every type for the tests, made by proptest.

use consort_core::{Resolution, Seconds, Tag, Time, ValueType, Values};
use consort_trace::{Chunk, Column, Schema, Trace, TraceWriter};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

/// `count` values of a type, among them its extremes.
pub(crate) fn values(value_type: ValueType, count: usize) -> BoxedStrategy<Values> {
    macro_rules! strategy {
        ($variant:ident, $element:expr) => {
            vec($element, count).prop_map(Values::$variant).boxed()
        };
    }
    match value_type {
        ValueType::Float64 => strategy!(Float64, doubles()),
        ValueType::Float32 => strategy!(Float32, any::<u32>().prop_map(f32::from_bits)),
        ValueType::Int8 => strategy!(Int8, any::<i8>()),
        ValueType::UInt8 => strategy!(UInt8, any::<u8>()),
        ValueType::Int16 => strategy!(Int16, any::<i16>()),
        ValueType::UInt16 => strategy!(UInt16, any::<u16>()),
        ValueType::Int32 => strategy!(Int32, any::<i32>()),
        ValueType::UInt32 => strategy!(UInt32, any::<u32>()),
        ValueType::Int64 => {
            strategy!(Int64, prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX)])
        }
        ValueType::UInt64 => strategy!(UInt64, prop_oneof![any::<u64>(), Just(u64::MAX)]),
        ValueType::Boolean => strategy!(Boolean, any::<bool>()),
        ValueType::String => strategy!(String, texts()),
        ValueType::Binary => strategy!(Binary, vec(any::<u8>(), 0..20)),
        ValueType::Enumeration => strategy!(Enumeration, any::<i64>()),
        ValueType::Clock => strategy!(Clock, any::<bool>()),
    }
}

fn doubles() -> impl Strategy<Value = f64> {
    let special = [
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        -2.0e-310,
        f64::MAX,
        f64::MIN_POSITIVE,
        0.1,
        1e22,
        f64::from_bits(0x7FF0_0000_0000_0001),
        f64::from_bits(0xFFF8_0000_0000_1234),
    ];
    prop_oneof![any::<u64>().prop_map(f64::from_bits), prop::sample::select(special.to_vec())]
}

fn texts() -> impl Strategy<Value = String> {
    let special = ["", "\"", "a,b", "two\nlines", "\r", " padded ", "é", "\0", "#", "1.5"];
    prop_oneof![any::<String>(), prop::sample::select(special.map(str::to_owned).to_vec())]
}

fn columns() -> impl Strategy<Value = Vec<Column>> {
    let shape = prop::sample::select(vec![vec![], vec![], vec![3], vec![2, 2], vec![0]]);
    let column = (prop::sample::select(ValueType::ALL.to_vec()), shape);
    vec(column, 0..8).prop_map(|columns| {
        let named = columns.into_iter().enumerate().map(|(index, (value_type, shape))| {
            Column::new("part \"1\"", &format!("v{index}, é"), value_type).with_dimensions(&shape)
        });
        named.collect()
    })
}

/// Tags that increase, with microsteps but none left out, so that CSV can hold them.
fn tags(rows: usize) -> impl Strategy<Value = Vec<Tag>> {
    (-1000_i64..1000, vec(0_i64..5, rows)).prop_map(|(start, steps)| {
        let mut tag = Tag::at(Time::from_ticks(start));
        let next = steps.into_iter().map(|step| {
            let this = tag;
            tag = match step {
                0 => this.next_microstep(),
                step => Tag::at(this.time + Time::from_ticks(step)),
            };
            this
        });
        next.collect()
    })
}

/// A trace of any columns and up to 40 rows.
pub(crate) fn traces() -> impl Strategy<Value = Trace> {
    (columns(), 0_usize..40).prop_flat_map(|(columns, rows)| {
        let values: Vec<_> = columns
            .iter()
            .map(|column| values(column.value_type, rows * column.element_count()))
            .collect();
        (Just(columns), tags(rows), values).prop_map(|(columns, tags, values)| {
            let resolution = Resolution::new(Seconds::new(1, 300).unwrap()).unwrap();
            trace(&Arc::new(Schema::new(resolution, columns).unwrap()), &tags, &values)
        })
    })
}

/// The trace of these tags and columns.
pub(crate) fn trace(schema: &Arc<Schema>, tags: &[Tag], columns: &[Values]) -> Trace {
    let mut trace = Trace::new(schema);
    let mut chunk = Chunk::with_rows(schema, 7);
    for (row, &tag) in tags.iter().enumerate() {
        chunk.begin_row(tag);
        for (column, values) in schema.columns().iter().zip(columns) {
            let count = column.element_count();
            chunk.extend(values.slice(row * count, count));
        }
        chunk.end_row();
        if chunk.is_full() {
            trace.write(&chunk).unwrap();
            chunk.clear();
        }
    }
    trace.write(&chunk).unwrap();
    trace
}

/// The bits of a trace, since NaN is not equal to itself; all NaNs as one where that is wanted.
pub(crate) fn bits(trace: &Trace, canonical: bool) -> Vec<String> {
    let columns = trace.columns().iter().map(|values| match values {
        Values::Float64(list) => {
            let bits = |v: &f64| if canonical && v.is_nan() { 1 } else { v.to_bits() };
            format!("{:?}", list.iter().map(bits).collect::<Vec<_>>())
        }
        Values::Float32(list) => {
            let bits = |v: &f32| if canonical && v.is_nan() { 1 } else { v.to_bits() };
            format!("{:?}", list.iter().map(bits).collect::<Vec<_>>())
        }
        other => format!("{other:?}"),
    });
    columns.collect()
}
