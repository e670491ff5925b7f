//! The trace hash composes.

use crate::common::traces;
use consort_core::{HashMode, Tag, Time, ValueType, Values};
use consort_trace::{Trace, VariableHash, absorb_values, tag_word, trace_hash};
use proptest::collection::vec;
use proptest::prelude::*;

type Entry = (String, ValueType, VariableHash);

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let entry = ("[a-c.]{0,4}", prop::sample::select(ValueType::ALL.to_vec()), any::<u64>());
    vec(entry.prop_map(|(path, kind, bits)| (path, kind, VariableHash::from_bits(bits))), 0..12)
}

/// The hashes of a trace's columns after its rows from `start` to `end`, continuing from `hashes`.
fn go_on(trace: &Trace, hashes: &mut [VariableHash], rows: std::ops::Range<usize>) {
    for row in rows {
        let word = tag_word(trace.tags()[row]);
        for (hash, (column, values)) in
            hashes.iter_mut().zip(trace.schema().columns().iter().zip(trace.columns()))
        {
            let count = column.element_count();
            hash.absorb_array(word, values.slice(row * count, count));
        }
    }
}

proptest! {
    #[test]
    fn the_order_of_the_parts_does_not_matter(
        (entries, shuffled) in entries().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
    ) {
        prop_assert_eq!(trace_hash(HashMode::All, entries), trace_hash(HashMode::All, shuffled));
    }

    #[test]
    fn any_change_of_an_entry_changes_the_hash(mut entries in entries(), change in 0..3) {
        prop_assume!(!entries.is_empty());
        let before = trace_hash(HashMode::All, entries.clone());
        let (path, value_type, hash) = &mut entries[0];
        match change {
            0 => path.push('x'),
            1 if *value_type == ValueType::Clock => *value_type = ValueType::Boolean,
            1 => *value_type = ValueType::Clock,
            _ => *hash = VariableHash::from_bits(hash.to_bits() ^ 1),
        }
        prop_assert_ne!(before, trace_hash(HashMode::All, entries));
    }

    #[test]
    fn a_hash_continues_from_a_snapshot(trace in traces(), cut in 0.0..1.0) {
        let rows = trace.tags().len();
        let cut = (cut * rows as f64) as usize;
        let mut whole = vec![VariableHash::default(); trace.columns().len()];
        go_on(&trace, &mut whole, 0..rows);
        let mut part = vec![VariableHash::default(); trace.columns().len()];
        go_on(&trace, &mut part, 0..cut);
        let saved: Vec<u64> = part.iter().map(|hash| hash.to_bits()).collect();
        let mut part: Vec<_> = saved.into_iter().map(VariableHash::from_bits).collect();
        go_on(&trace, &mut part, cut..rows);
        prop_assert_eq!(whole, part);
    }

    #[test]
    fn one_flipped_bit_always_shows(
        bits in vec(any::<u64>(), 1..30), at in any::<prop::sample::Index>(), bit in 0..64,
    ) {
        let hash = |bits: &[u64]| {
            let mut hash = VariableHash::default();
            for (tick, &bits) in bits.iter().enumerate() {
                let word = tag_word(Tag::at(Time::from_ticks(tick as i64)));
                hash.absorb_array(word, Values::UInt64(vec![bits]).view());
            }
            hash
        };
        let mut flipped = bits.clone();
        flipped[at.index(bits.len())] ^= 1_u64 << bit;
        prop_assert_ne!(hash(&bits), hash(&flipped));
    }

    #[test]
    fn many_scalars_at_once_are_each_of_them_alone(list in vec(any::<f64>(), 0..20), ticks: i64) {
        let word = tag_word(Tag::at(Time::from_ticks(ticks)));
        let mut together = vec![VariableHash::default(); list.len()];
        absorb_values(&mut together, word, Values::Float64(list.clone()).view());
        let alone = list.iter().map(|&value| {
            let mut hash = VariableHash::default();
            hash.absorb_f64(word, value);
            hash
        });
        prop_assert_eq!(together, alone.collect::<Vec<_>>());
    }
}
