//! Values as bytes on their way to another node: element after element, little-endian; texts and
//! binaries with their length in 32 bits before them.

use crate::store::{Bank, Slot};
use consort_core::{ValuesMut, ValuesRef};

/// Writes the values of some places; what was in the buffer is lost, but not its room.
pub(super) fn pack(bank: &Bank, slots: &[Slot], into: &mut Vec<u8>) {
    into.clear();
    for &slot in slots {
        macro_rules! pack_any {
            ($(($variant:ident, $element:ty, $name:literal),)*) => {
                match bank.get(slot) {
                    $(ValuesRef::$variant(list) => list.iter().for_each(|it| it.pack(into)),)*
                }
            };
        }
        consort_core::for_each_value_type!(pack_any);
    }
}

/// Puts values into their places, or says what is wrong with the bytes.
pub(super) fn unpack(bytes: &[u8], slots: &[Slot], bank: &mut Bank) -> Result<(), &'static str> {
    let mut bytes = bytes;
    for &slot in slots {
        macro_rules! unpack_any {
            ($(($variant:ident, $element:ty, $name:literal),)*) => {
                match bank.get_mut(slot) {
                    $(ValuesMut::$variant(list) => {
                        list.iter_mut().try_for_each(|it| it.unpack(&mut bytes))?;
                    })*
                }
            };
        }
        consort_core::for_each_value_type!(unpack_any);
    }
    if bytes.is_empty() { Ok(()) } else { Err("is too long") }
}

const TOO_SHORT: &str = "is too short";

/// An element of a value.
trait Element {
    fn pack(&self, into: &mut Vec<u8>);
    /// Takes the element from the front.
    fn unpack(&mut self, bytes: &mut &[u8]) -> Result<(), &'static str>;
}

macro_rules! pack_numbers {
    ($($number:ty),*) => {$(
        impl Element for $number {
            #[inline]
            fn pack(&self, into: &mut Vec<u8>) {
                into.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn unpack(&mut self, bytes: &mut &[u8]) -> Result<(), &'static str> {
                let (first, rest) = bytes.split_first_chunk().ok_or(TOO_SHORT)?;
                (*self, *bytes) = (<$number>::from_le_bytes(*first), rest);
                Ok(())
            }
        }
    )*};
}
pack_numbers!(f64, f32, i8, u8, i16, u16, i32, u32, i64, u64);

impl Element for bool {
    fn pack(&self, into: &mut Vec<u8>) {
        into.push(u8::from(*self));
    }

    fn unpack(&mut self, bytes: &mut &[u8]) -> Result<(), &'static str> {
        let mut byte = 0_u8;
        byte.unpack(bytes)?;
        *self = match byte {
            0 => false,
            1 => true,
            _ => return Err("has something else than true and false"),
        };
        Ok(())
    }
}

impl Element for String {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_bytes(self.as_bytes(), into);
    }

    fn unpack(&mut self, bytes: &mut &[u8]) -> Result<(), &'static str> {
        let text =
            std::str::from_utf8(take_bytes(bytes)?).map_err(|_| "has text that is not UTF-8")?;
        self.clear();
        self.push_str(text);
        Ok(())
    }
}

impl Element for Vec<u8> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_bytes(self, into);
    }

    fn unpack(&mut self, bytes: &mut &[u8]) -> Result<(), &'static str> {
        let part = take_bytes(bytes)?;
        self.clear();
        self.extend_from_slice(part);
        Ok(())
    }
}

fn pack_bytes(part: &[u8], into: &mut Vec<u8>) {
    let length = u32::try_from(part.len()).expect("a value is shorter than 4 GiB");
    length.pack(into);
    into.extend_from_slice(part);
}

fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], &'static str> {
    let mut length = 0_u32;
    length.unpack(bytes)?;
    let (part, rest) = bytes.split_at_checked(length as usize).ok_or(TOO_SHORT)?;
    *bytes = rest;
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{ValueType, Values};

    /// A bank with one place of each type.
    fn bank(values: &[Values]) -> (Bank, Vec<Slot>) {
        let mut bank = Bank::new();
        let place = |values: &Values| {
            let count = u32::try_from(values.len()).unwrap();
            let slot = bank.reserve(values.value_type(), count);
            bank.put(slot, values.view());
            slot
        };
        let slots = values.iter().map(place).collect();
        (bank, slots)
    }

    fn of_all_types() -> Vec<Values> {
        vec![
            Values::Float64(vec![-0.0, f64::NAN, 1.5]),
            Values::Float32(vec![0.1]),
            Values::Int8(vec![-1]),
            Values::UInt16(vec![65535]),
            Values::Int64(vec![i64::MIN]),
            Values::Boolean(vec![true, false]),
            Values::String(vec!["häuser".into(), String::new()]),
            Values::Binary(vec![vec![0, 255], vec![]]),
            Values::Enumeration(vec![7]),
            Values::Clock(vec![true]),
        ]
    }

    #[test]
    fn values_of_every_type_arrive_bit_for_bit() {
        let (from, slots) = bank(&of_all_types());
        let zeros: Vec<Values> =
            of_all_types().iter().map(|it| Values::zeros(it.value_type(), it.len())).collect();
        let (mut to, _) = bank(&zeros);
        let mut bytes = vec![9; 3];
        pack(&from, &slots, &mut bytes);
        unpack(&bytes, &slots, &mut to).unwrap();
        for &slot in &slots {
            assert!(from.get(slot).is_same(to.get(slot)), "{slot:?}");
        }
    }

    #[test]
    fn bytes_that_are_cut_off_or_too_many_are_refused() {
        let (mut bank, slots) = bank(&of_all_types());
        let mut bytes = Vec::new();
        pack(&bank, &slots, &mut bytes);
        for length in 0..bytes.len() {
            let result = unpack(&bytes[..length], &slots, &mut bank);
            assert_eq!(result, Err(TOO_SHORT), "{length}");
        }
        bytes.push(0);
        assert_eq!(unpack(&bytes, &slots, &mut bank), Err("is too long"));
    }

    #[test]
    fn bytes_that_are_no_such_value_are_refused() {
        for (value_type, bytes, expected) in [
            (ValueType::Boolean, &[2][..], "has something else than true and false"),
            (ValueType::String, &[1, 0, 0, 0, 0xFF], "has text that is not UTF-8"),
            (ValueType::Binary, &[255, 255, 255, 255, 0], TOO_SHORT),
        ] {
            let (mut bank, slots) = bank(&[Values::zeros(value_type, 1)]);
            assert_eq!(unpack(bytes, &slots, &mut bank), Err(expected));
        }
    }
}
