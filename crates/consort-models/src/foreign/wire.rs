//! Messages between an instance and its program: `docs/foreign-nodes.md` describes them.
//!
//! A message is the length of what follows (four bytes, little-endian), one byte for its kind, and its body.

use consort_core::{ValueType, Values};

/// The version of all of this; programs with another one are turned away.
pub const VERSION: u32 = 1;

/// The longest message, in both directions.
pub const FRAME_BYTES_MAX: usize = 256 << 20;

/// How a program begins.
pub(super) const MAGIC: [u8; 8] = *b"consort\0";

/// Kinds of messages to the program.
pub(super) mod ask {
    pub(crate) const TABLE: u8 = b'T';
    pub(crate) const INITIALIZE: u8 = b'I';
    pub(crate) const STEP: u8 = b'S';
    pub(crate) const SAVE: u8 = b'G';
    pub(crate) const RESTORE: u8 = b'R';
    pub(crate) const END: u8 = b'E';
}

/// Kinds of messages from the program.
pub(super) mod answer {
    pub(crate) const HELLO: u8 = b'H';
    pub(crate) const DONE: u8 = b'D';
    pub(crate) const BLOB: u8 = b'B';
    pub(crate) const ACCEPTED: u8 = b'A';
    pub(crate) const FAILED: u8 = b'F';
    pub(crate) const LEAVING: u8 = b'L';
}

/// The letter of a type; none for those that no program has.
pub(super) fn letter(value_type: ValueType) -> Option<u8> {
    match value_type {
        ValueType::Float64 => Some(b'r'),
        ValueType::Int32 | ValueType::Int64 => Some(b'w'),
        ValueType::Boolean => Some(b'b'),
        ValueType::String => Some(b's'),
        _ => None,
    }
}

pub(super) fn put_count(out: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).expect("what is longer than a message was refused");
    out.extend_from_slice(&count.to_le_bytes());
}

pub(super) fn put_real(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// All elements of a variable.
pub(super) fn put_values(out: &mut Vec<u8>, values: &Values) {
    match values {
        Values::Float64(list) => list.iter().for_each(|value| put_real(out, *value)),
        Values::Int32(list) => {
            list.iter().for_each(|value| out.extend_from_slice(&i64::from(*value).to_le_bytes()));
        }
        Values::Int64(list) => {
            list.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        }
        Values::Boolean(list) => out.extend(list.iter().map(|value| u8::from(*value))),
        Values::String(list) => list.iter().for_each(|text| put_text(out, text)),
        other => panic!("an interface has no {}", other.value_type()),
    }
}

/// Why a body is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Misread {
    Short,
    Long(usize),
    NotUtf8,
    NoBoolean(u8),
    TooLarge(i64),
}

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misread::Short => f.write_str("it ends too early"),
            Misread::Long(more) => write!(f, "it has extra bytes at the end: {more}"),
            Misread::NotUtf8 => f.write_str("it has a text that is not UTF-8"),
            Misread::NoBoolean(byte) => write!(f, "it has a Boolean that is {byte}"),
            Misread::TooLarge(value) => write!(f, "it has an Int32 that is {value}"),
        }
    }
}

/// The body of a message, taken piece by piece.
pub(super) struct Body<'a>(pub(super) &'a [u8]);

impl<'a> Body<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Misread> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Misread::Short)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Misread> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(Misread::Short)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(super) fn count(&mut self) -> Result<u32, Misread> {
        self.chunk().map(u32::from_le_bytes)
    }

    fn whole(&mut self) -> Result<i64, Misread> {
        self.chunk().map(i64::from_le_bytes)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Misread> {
        let count = self.count()? as usize;
        std::str::from_utf8(self.bytes(count)?).map_err(|_| Misread::NotUtf8)
    }

    /// All elements of a variable, into where it is.
    pub(super) fn values(&mut self, into: &mut Values) -> Result<(), Misread> {
        match into {
            Values::Float64(list) => {
                for value in list {
                    *value = f64::from_le_bytes(self.chunk()?);
                }
            }
            Values::Int32(list) => {
                for value in list {
                    let whole = self.whole()?;
                    *value = i32::try_from(whole).map_err(|_| Misread::TooLarge(whole))?;
                }
            }
            Values::Int64(list) => {
                for value in list {
                    *value = self.whole()?;
                }
            }
            Values::Boolean(list) => list.iter_mut().try_for_each(|value| {
                *value = self.boolean()?;
                Ok(())
            })?,
            Values::String(list) => {
                for value in list {
                    self.text()?.clone_into(value);
                }
            }
            other => panic!("an interface has no {}", other.value_type()),
        }
        Ok(())
    }

    fn boolean(&mut self) -> Result<bool, Misread> {
        match self.chunk::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(Misread::NoBoolean(other)),
        }
    }

    pub(super) fn end(&self) -> Result<(), Misread> {
        if self.0.is_empty() { Ok(()) } else { Err(Misread::Long(self.0.len())) }
    }
}
