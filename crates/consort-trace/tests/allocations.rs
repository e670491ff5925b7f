//! Recording and hashing do not allocate once they are warm.

use consort_core::{Resolution, Tag, Time, ValueType, ValuesRef};
use consort_trace::{Chunk, Column, Schema, VariableHash, absorb_values, tag_word};
use std::sync::Arc;

fn record(chunk: &mut Chunk, hashes: &mut [VariableHash], texts: &[String]) {
    let floats = [0.5; 8];
    let mut tag = Tag::at(Time::ZERO);
    while !chunk.is_full() {
        chunk.begin_row(tag);
        chunk.extend(ValuesRef::Float64(&floats[..3]));
        chunk.extend(ValuesRef::String(texts));
        chunk.extend(ValuesRef::Boolean(&[true]));
        chunk.extend(ValuesRef::Float64(&floats[3..]));
        chunk.end_row();
        absorb_values(hashes, tag_word(tag), ValuesRef::Float64(&floats));
        tag.time = tag.time + Time::from_ticks(1);
    }
}

#[test]
fn a_chunk_that_comes_back_is_filled_without_allocating() {
    let columns = vec![
        Column::new("a", "x", ValueType::Float64).with_dimensions(&[3]),
        Column::new("a", "text", ValueType::String).with_dimensions(&[2]),
        Column::new("b", "on", ValueType::Boolean),
        Column::new("b", "y", ValueType::Float64).with_dimensions(&[5]),
    ];
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
    let texts = ["some text".to_owned(), "more".to_owned()];
    let mut chunk = Chunk::new(&schema);
    let mut hashes = [VariableHash::default(); 8];
    record(&mut chunk, &mut hashes, &texts);
    let counted = allocation_counter::measure(|| {
        for _ in 0..3 {
            chunk.clear();
            record(&mut chunk, &mut hashes, &texts);
        }
    });
    assert!(chunk.is_full());
    assert_eq!(counted.count_total, 0);
}
