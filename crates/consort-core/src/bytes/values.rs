//! Values of every type as bytes.

use super::{BytesError, Reader, Sink, Writer};
use crate::for_each_value_type;
use crate::value::{ValueType, Values, ValuesMut, ValuesRef};

/// How an element is written and read; `LEAST` is the fewest bytes it takes.
pub(super) trait Element: Default {
    const LEAST: usize;
    fn write(&self, writer: &mut Writer<impl Sink>);
    /// Reads the next element into this one, and keeps its capacity.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), BytesError>;

    fn write_all(list: &[Self], writer: &mut Writer<impl Sink>) {
        list.iter().for_each(|element| element.write(writer));
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Element for $number {
            const LEAST: usize = size_of::<$number>();

            fn write(&self, writer: &mut Writer<impl Sink>) {
                writer.raw(&self.to_le_bytes());
            }

            fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), BytesError> {
                *self = <$number>::from_le_bytes(reader.chunk()?);
                Ok(())
            }

            /// All at once, which the compiler makes one copy of memory.
            fn write_all(list: &[Self], writer: &mut Writer<impl Sink>) {
                let Some(room) = writer.sink.room(size_of_val(list)) else { return };
                let places = room.chunks_exact_mut(Self::LEAST);
                places.zip(list).for_each(|(to, number)| to.copy_from_slice(&number.to_le_bytes()));
            }
        }
    )*};
}

numbers!(f64 f32 i8 u8 i16 u16 i32 u32 i64 u64);

impl Element for bool {
    const LEAST: usize = 1;

    fn write(&self, writer: &mut Writer<impl Sink>) {
        writer.flag(*self);
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), BytesError> {
        *self = reader.flag()?;
        Ok(())
    }
}

macro_rules! owned {
    ($($list:ty: $part:ident;)*) => {$(
        impl Element for $list {
            const LEAST: usize = 8;

            fn write(&self, writer: &mut Writer<impl Sink>) {
                writer.$part(self);
            }

            fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), BytesError> {
                reader.$part()?.clone_into(self);
                Ok(())
            }
        }
    )*};
}

owned!(String: text; Vec<u8>: part;);

/// Elements whose number the reader knows.
pub(super) fn write_all<T: Element>(writer: &mut Writer<impl Sink>, list: &[T]) {
    T::write_all(list, writer);
}

fn read_list<T: Element>(reader: &mut Reader<'_>) -> Result<Vec<T>, BytesError> {
    let count = reader.count(T::LEAST)?;
    let mut list = Vec::with_capacity(count);
    for _ in 0..count {
        let mut element = T::default();
        element.read(reader)?;
        list.push(element);
    }
    Ok(list)
}

impl<S: Sink> Writer<S> {
    /// Values, and how many they are; their type is known to the reader.
    pub fn values(&mut self, values: ValuesRef<'_>) {
        self.count(values.len());
        self.elements(values);
    }

    /// Values; their type and number are known to the reader.
    pub fn elements(&mut self, values: ValuesRef<'_>) {
        macro_rules! write_any {
            ($(($variant:ident, $element:ty, $name:literal),)*) => {
                match values { $(ValuesRef::$variant(list) => write_all(self, list),)* }
            };
        }
        for_each_value_type!(write_any);
    }
}

impl Reader<'_> {
    /// Values of a type.
    ///
    /// # Errors
    /// If they are none.
    pub fn values(&mut self, value_type: ValueType) -> Result<Values, BytesError> {
        macro_rules! read_any {
            ($(($variant:ident, $element:ty, $name:literal),)*) => {
                match value_type { $(ValueType::$variant => read_list(self).map(Values::$variant),)* }
            };
        }
        for_each_value_type!(read_any)
    }

    /// As many values as there is place for; keeps the capacity of texts.
    ///
    /// # Errors
    /// If they are none of that type.
    pub fn elements(&mut self, place: ValuesMut<'_>) -> Result<(), BytesError> {
        macro_rules! read_any {
            ($(($variant:ident, $element:ty, $name:literal),)*) => {
                match place {
                    $(ValuesMut::$variant(list) => {
                        list.iter_mut().try_for_each(|element| element.read(self))
                    })*
                }
            };
        }
        for_each_value_type!(read_any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_type_come_back_and_others_do_not() {
        let mut all: Vec<Values> =
            ValueType::ALL.iter().map(|value_type| Values::zeros(*value_type, 2)).collect();
        all.push(Values::Float64(vec![-0.0, f64::INFINITY]));
        all.push(Values::String(vec!["a".to_owned(), String::new(), "größer".to_owned()]));
        all.push(Values::Binary(vec![vec![0, 255]]));
        all.push(Values::Boolean(vec![true, false]));
        for values in all {
            let mut writer = Writer::new(*b"testing1");
            writer.values(values.view());
            let bytes = writer.finish();
            let mut reader = Reader::new(&bytes, *b"testing1").unwrap();
            let again = reader.values(values.value_type()).unwrap();
            assert!(again.view().is_same(values.view()), "{values:?}");
            assert_eq!(reader.end(), Ok(()));
            for end in 8..bytes.len() {
                let mut reader = Reader::new(&bytes[..end], *b"testing1").unwrap();
                assert!(reader.values(values.value_type()).is_err(), "{values:?} {end}");
            }
        }
    }
}
