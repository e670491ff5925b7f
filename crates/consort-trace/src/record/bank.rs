//! The elements of one type of all rows of a chunk.

use crate::cell::Cell;
use consort_core::{ValueType, Values, ValuesRef};

/// One type's elements, row by row, `width` in each row.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    pub(crate) width: usize,
    pub(crate) elements: Elements,
}

/// Numbers as they are; texts and binaries one behind the other in one buffer, so that a chunk
/// that comes back keeps one allocation and not one per string.
#[derive(Clone, Debug)]
pub(crate) enum Elements {
    Fixed(Values),
    Variable { value_type: ValueType, bytes: Vec<u8>, ends: Vec<usize> },
}

impl Bank {
    pub(super) fn with_capacity(value_type: ValueType, width: usize, rows: usize) -> Self {
        let count = width * rows;
        let elements = match value_type {
            ValueType::String | ValueType::Binary => {
                let ends = Vec::with_capacity(count);
                Elements::Variable { value_type, bytes: Vec::new(), ends }
            }
            _ => {
                let mut values = Values::zeros(value_type, count);
                clear(&mut values);
                Elements::Fixed(values)
            }
        };
        Bank { width, elements }
    }

    #[inline]
    pub(super) fn extend(&mut self, values: ValuesRef<'_>) {
        match &mut self.elements {
            Elements::Fixed(bank) => {
                bank.extend(values);
            }
            Elements::Variable { bytes, ends, .. } => match values {
                ValuesRef::String(list) => {
                    list.iter().for_each(|text| append(bytes, ends, text.as_bytes()));
                }
                ValuesRef::Binary(list) => list.iter().for_each(|item| append(bytes, ends, item)),
                _ => {}
            },
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.elements {
            Elements::Fixed(values) => values.len(),
            Elements::Variable { ends, .. } => ends.len(),
        }
    }

    pub(super) fn clear(&mut self) {
        match &mut self.elements {
            Elements::Fixed(values) => clear(values),
            Elements::Variable { bytes, ends, .. } => {
                bytes.clear();
                ends.clear();
            }
        }
    }
}

impl Elements {
    pub(crate) fn cell(&self, index: usize) -> Cell<'_> {
        match self {
            Elements::Fixed(values) => Cell::of(values.view(), index),
            Elements::Variable { value_type: ValueType::String, .. } => {
                let text = std::str::from_utf8(self.bytes(index));
                Cell::String(text.expect("the bytes of a string were appended as a string"))
            }
            Elements::Variable { .. } => Cell::Binary(self.bytes(index)),
        }
    }

    /// The bytes of a text or binary; none for numbers.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        match self {
            Elements::Fixed(_) => &[],
            Elements::Variable { bytes, ends, .. } => {
                let start = if index == 0 { 0 } else { ends[index - 1] };
                &bytes[start..ends[index]]
            }
        }
    }
}

#[inline]
fn append(bytes: &mut Vec<u8>, ends: &mut Vec<usize>, item: &[u8]) {
    bytes.extend_from_slice(item);
    ends.push(bytes.len());
}

fn clear(values: &mut Values) {
    macro_rules! clear_any {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match values { $(Values::$variant(list) => list.clear(),)* }
        };
    }
    consort_core::for_each_value_type!(clear_any);
}
