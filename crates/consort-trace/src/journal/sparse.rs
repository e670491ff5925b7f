//! Rows of numbers without those that did not change, which are most of them in many systems.
//!
//! There is a bit per element, in words of 64, that says whether it differs from that of the row before, and the
//! elements that do. Before the words and before the elements stands how many there are. The row before the
//! first of a record is the last of the record before it, and before that all are zero.

use super::chunk::impossible;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{ValueType, Values, ValuesRef, for_each_value_type};

/// How many elements a word of bits is for.
const BLOCK: usize = 64;

/// Compares two elements to the bit.
trait Same: Clone {
    /// A number that is not zero if they differ.
    fn difference(&self, other: &Self) -> u64;
}

macro_rules! same {
    ($($element:ty, $one:ident $bits:expr;)*) => {$(
        impl Same for $element {
            #[inline]
            fn difference(&self, other: &Self) -> u64 {
                let bits = |$one: &Self| $bits;
                u64::from(bits(self) ^ bits(other))
            }
        }
    )*};
}

same! {
    f64, it it.to_bits(); f32, it it.to_bits(); bool, it *it; u8, it *it; u16, it *it; u32, it *it; u64, it *it;
    i8, it it.cast_unsigned(); i16, it it.cast_unsigned(); i32, it it.cast_unsigned(); i64, it it.cast_unsigned();
}

impl Same for String {
    fn difference(&self, other: &Self) -> u64 {
        u64::from(self != other)
    }
}

impl Same for Vec<u8> {
    fn difference(&self, other: &Self) -> u64 {
        u64::from(self != other)
    }
}

/// Room that is used again and again while rows are written.
#[derive(Debug, Default)]
pub(super) struct Room {
    bits: Vec<u64>,
    /// Of one value type after another; each grows to what it takes.
    changed: Vec<Values>,
}

impl Room {
    fn of(&mut self, value_type: ValueType) -> (&mut Vec<u64>, &mut Values) {
        let known = self.changed.iter().position(|values| values.value_type() == value_type);
        let at = known.unwrap_or_else(|| {
            self.changed.push(Values::zeros(value_type, 0));
            self.changed.len() - 1
        });
        (&mut self.bits, &mut self.changed[at])
    }
}

/// Writes rows as wide as the row before them, which the last one becomes.
pub(super) fn encode(values: &Values, before: &mut Values, room: &mut Room, body: &mut Writer) {
    let (bits, changed) = room.of(values.value_type());
    macro_rules! encode_any {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match (values, before, changed) {
                $((Values::$variant(list), Values::$variant(before), Values::$variant(changed)) => {
                    changes(list, before, bits, changed);
                    body.values(ValuesRef::UInt64(bits));
                    body.values(ValuesRef::$variant(changed));
                })*
                _ => unreachable!("rows of one bank are of one type"),
            }
        };
    }
    for_each_value_type!(encode_any);
}

/// Which elements differ from the row before, and those that do.
fn changes<T: Same>(list: &[T], before: &mut [T], bits: &mut Vec<u64>, changed: &mut Vec<T>) {
    bits.clear();
    changed.clear();
    let width = before.len().min(list.len());
    let (first, later) = list.split_at(width);
    compare(before, first, bits, changed);
    compare(list, later, bits, changed);
    before[..width].clone_from_slice(&list[list.len() - width..]);
}

fn compare<T: Same>(before: &[T], now: &[T], bits: &mut Vec<u64>, changed: &mut Vec<T>) {
    for (before, now) in before.chunks(BLOCK).zip(now.chunks(BLOCK)) {
        let differences = || before.iter().zip(now).map(|(before, now)| before.difference(now));
        // Most blocks are the same, which is found out many elements at a time.
        let word = match differences().fold(0, std::ops::BitOr::bitor) {
            0 => 0,
            _ => {
                differences().enumerate().fold(0, |word, (at, it)| word | u64::from(it != 0) << at)
            }
        };
        bits.push(word);
        match word {
            0 => {}
            u64::MAX => changed.extend_from_slice(now),
            _ => extend_by(word, now, changed),
        }
    }
}

/// Adds those elements whose bit is set. All are copied and then moved together: what is set follows no pattern that a
/// branch could be predicted by.
fn extend_by<T: Same>(word: u64, now: &[T], changed: &mut Vec<T>) {
    let start = changed.len();
    changed.extend_from_slice(now);
    let (copied, mut count) = (&mut changed[start..], 0);
    for at in 0..now.len() {
        copied[count] = copied[at].clone();
        count += (word >> at & 1) as usize;
    }
    changed.truncate(start + count);
}

/// Reads so many rows.
pub(super) fn decode(
    reader: &mut Reader<'_>,
    before: &mut Values,
    count: usize,
) -> Result<Values, BytesError> {
    let Values::UInt64(bits) = reader.values(ValueType::UInt64)? else {
        return Err(impossible("change"));
    };
    macro_rules! decode_any {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match (reader.values(before.value_type())?, before) {
                $((Values::$variant(changed), Values::$variant(before)) => {
                    rows(&bits, changed, before, count).map(Values::$variant)
                })*
                _ => Err(impossible("type")),
            }
        };
    }
    for_each_value_type!(decode_any)
}

fn rows<T: Same>(
    bits: &[u64],
    changed: Vec<T>,
    before: &mut [T],
    count: usize,
) -> Result<Vec<T>, BytesError> {
    let wrong = impossible("number of changes");
    let width = before.len();
    let all = count.checked_mul(width).ok_or(wrong)?;
    let first = width.min(all);
    let (first_words, later_words) = (first.div_ceil(BLOCK), (all - first).div_ceil(BLOCK));
    if bits.len() != first_words + later_words {
        return Err(wrong);
    }
    let (first_bits, later_bits) = bits.split_at(first_words);
    let mut changed = changed.into_iter();
    let mut list: Vec<T> = Vec::new();
    for at in 0..all {
        let (bits, place) = if at < first { (first_bits, at) } else { (later_bits, at - first) };
        let is_changed = bits[place / BLOCK] >> (place % BLOCK) & 1 == 1;
        let kept = || if at < first { before[at].clone() } else { list[at - width].clone() };
        let element = if is_changed { changed.next().ok_or(wrong)? } else { kept() };
        list.push(element);
    }
    if changed.next().is_some() {
        return Err(wrong);
    }
    before[..first].clone_from_slice(&list[all - first..]);
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: [u8; 8] = *b"testing1";

    /// Rows of `width` come back; they take so many bytes.
    fn check(values: &Values, width: usize, written: usize) {
        let value_type = values.value_type();
        let zeros = || Values::zeros(value_type, width);
        let mut writer = Writer::new(MAGIC);
        let mut before = zeros();
        encode(values, &mut before, &mut Room::default(), &mut writer);
        let bytes = writer.finish();
        assert_eq!(bytes.len(), 8 + 16 + written, "{values:?}");
        let read = |count| {
            let mut before = zeros();
            let mut reader = Reader::new(&bytes, MAGIC)?;
            decode(&mut reader, &mut before, count).map(|values| (values, before))
        };
        let count = values.len() / width;
        let (again, last) = read(count).unwrap();
        assert!(again.view().is_same(values.view()), "{values:?}");
        assert!(last.view().is_same(before.view()), "{values:?}");
        assert!(before.view().is_same(values.slice((count - 1) * width, width)));
        for other in [count + 64, count + 640] {
            assert!(read(other).is_err(), "{other}");
        }
    }

    #[test]
    fn what_does_not_change_is_not_written_and_every_bit_comes_back() {
        let zeros = Values::Float64(vec![0.0; 300]);
        check(&zeros, 100, 2 * 8 + 4 * 8);
        check(&zeros, 1, 8 + 5 * 8);
        let odd = Values::Float64(vec![0.0, f64::NAN, -0.0, f64::NAN, -0.0, 1.0]);
        check(&odd, 2, 8 + 8 + 3 * 8);
        let numbers = Values::Int32((0..200).collect());
        check(&numbers, 100, 2 * 8 + 2 * 8 + 199 * 4);
        check(&Values::Boolean(vec![true, true, false, true]), 1, 8 + 8 + 3);
    }
}
