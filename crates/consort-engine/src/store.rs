//! Preallocated places for values: one growable column per value type.

use consort_core::model::{Batch, Columns};
use consort_core::{ValueType, Values, ValuesMut, ValuesRef};
use std::ops::Range;

/// A column of values per type.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    columns: Columns,
}

/// The place of a variable, or of several that lie side by side, in a bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub(crate) value_type: ValueType,
    pub(crate) at: u32,
    pub(crate) count: u32,
}

impl Slot {
    pub(crate) fn at(self) -> usize {
        self.at as usize
    }

    pub(crate) fn count(self) -> usize {
        self.count as usize
    }

    /// The indices of its elements in the column.
    #[inline]
    pub(crate) fn range(self) -> Range<usize> {
        self.at as usize..(self.at + self.count) as usize
    }

    /// A batch of one variable: it has this place, and one reference.
    pub(crate) fn batch(self, references_at: u32) -> Batch {
        let Slot { value_type, at, count } = self;
        Batch { value_type, at, count, references_at, references: 1 }
    }

    /// Some elements of this place.
    pub(crate) fn part(self, first: u32, count: u32) -> Slot {
        assert!(first + count <= self.count, "a part lies within the whole");
        Slot { at: self.at + first, count, ..self }
    }
}

impl Bank {
    pub(crate) fn new() -> Self {
        Bank { columns: ValueType::ALL.map(|value_type| Values::zeros(value_type, 0)) }
    }

    #[inline]
    pub(crate) fn column(&self, value_type: ValueType) -> &Values {
        &self.columns[value_type as usize]
    }

    #[inline]
    pub(crate) fn column_mut(&mut self, value_type: ValueType) -> &mut Values {
        &mut self.columns[value_type as usize]
    }

    #[inline]
    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }

    #[inline]
    pub(crate) fn columns_mut(&mut self) -> &mut Columns {
        &mut self.columns
    }

    /// How many values there are, by type.
    pub(crate) fn lengths(&self) -> [usize; 15] {
        std::array::from_fn(|index| self.columns[index].len())
    }

    /// Makes room for `count` more values of a type.
    pub(crate) fn reserve(&mut self, value_type: ValueType, count: u32) -> Slot {
        let column = self.column_mut(value_type);
        let at = u32::try_from(column.len()).expect("a bank holds fewer than 2^32 values");
        let room = Values::zeros(value_type, count as usize);
        assert!(column.extend(room.view()), "a column keeps its type");
        Slot { value_type, at, count }
    }

    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> ValuesRef<'_> {
        self.column(slot.value_type).slice(slot.at(), slot.count())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> ValuesMut<'_> {
        self.column_mut(slot.value_type).slice_mut(slot.at(), slot.count())
    }

    /// Copies values here, keeping the capacity of strings and binaries.
    #[inline]
    pub(crate) fn put(&mut self, slot: Slot, values: ValuesRef<'_>) {
        self.get_mut(slot).copy_from(values);
    }
}

impl Bank {
    /// Copies a place of another bank to one here of the same type and length.
    #[inline]
    fn copy_place(&mut self, to: Slot, other: &Bank, from: Slot) {
        copy_values(self.column_mut(to.value_type), to, other.column(from.value_type), from);
    }

    /// Takes over all values of a bank with the same places.
    pub(crate) fn copy_from(&mut self, other: &Bank) {
        let columns = self.columns.iter_mut().zip(&other.columns).zip(ValueType::ALL);
        for ((to, from), value_type) in columns.filter(|((to, _), _)| !to.is_empty()) {
            let count = u32::try_from(from.len()).expect("a bank holds fewer than 2^32 values");
            let all = Slot { value_type, at: 0, count };
            copy_values(to, all, from, all);
        }
    }
}

/// Copies values between two columns of one type. Texts and binaries that are the same are left alone: comparing is
/// cheaper than copying, and most do not change.
#[inline]
fn copy_values(own: &mut Values, to: Slot, other: &Values, from: Slot) {
    macro_rules! copy_any {
        (plain $($plain:ident),*; buffers $($buffers:ident),*) => {
            match (own, other) {
                $((Values::$plain(own), Values::$plain(other)) => {
                    own[to.range()].copy_from_slice(&other[from.range()]);
                })*
                $((Values::$buffers(own), Values::$buffers(other)) => {
                    for (to, from) in own[to.range()].iter_mut().zip(&other[from.range()]) {
                        if to != from {
                            to.clone_from(from);
                        }
                    }
                })*
                _ => unreachable!("both places have one type"),
            }
        };
    }
    copy_any!(
        plain Float64, Float32, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Boolean,
            Enumeration, Clock;
        buffers String, Binary
    );
}

/// A stretch of a lane's bank and its counterpart in the shared bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub(crate) lane: Slot,
    pub(crate) shared_at: u32,
}

impl Segment {
    pub(crate) fn shared(self) -> Slot {
        Slot { at: self.shared_at, ..self.lane }
    }

    /// Whether a place of the shared bank lies within.
    pub(crate) fn covers(self, slot: Slot) -> bool {
        let own = self.shared();
        own.value_type == slot.value_type
            && own.at <= slot.at
            && slot.at + slot.count <= own.at + own.count
    }

    /// Hands a lane its share of the shared values.
    #[inline]
    pub(crate) fn scatter(segments: &[Segment], shared: &Bank, lane: &mut Bank) {
        for segment in segments {
            lane.copy_place(segment.lane, shared, segment.shared());
        }
    }

    /// Takes back what a lane holds.
    #[inline]
    pub(crate) fn gather(segments: &[Segment], lane: &Bank, shared: &mut Bank) {
        for segment in segments {
            shared.copy_place(segment.shared(), lane, segment.lane);
        }
    }

    /// Joins segments that lie side by side on both sides, so that one copy moves them all.
    pub(crate) fn joined(mut segments: Vec<Segment>) -> Vec<Segment> {
        segments.sort_unstable_by_key(|segment| (segment.lane.value_type, segment.lane.at));
        let mut joined: Vec<Segment> = Vec::new();
        for segment in segments {
            match joined.last_mut() {
                Some(last)
                    if last.lane.value_type == segment.lane.value_type
                        && last.lane.at + last.lane.count == segment.lane.at
                        && last.shared_at + last.lane.count == segment.shared_at =>
                {
                    last.lane.count += segment.lane.count;
                }
                _ => joined.push(segment),
            }
        }
        joined.shrink_to_fit(); // long chains have very many short ones
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_by_side_segments_become_one_copy() {
        let segment = |at, shared_at| Segment {
            lane: Slot { value_type: ValueType::Float64, at, count: 2 },
            shared_at,
        };
        let joined = Segment::joined(vec![segment(2, 12), segment(0, 10), segment(6, 20)]);
        assert_eq!(joined.len(), 2);
        assert_eq!(joined[0].lane.count, 4);
    }
}
