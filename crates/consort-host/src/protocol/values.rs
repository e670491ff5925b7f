//! Values of every type.

use super::{Family, Op, Reader, Writer};
use consort_core::{Reference, Step, ValueType, Values, ValuesMut, ValuesRef, for_each_value_type};

/// What one element looks like in bytes.
trait Element: Sized {
    fn write(&self, to: &mut Writer<'_>);
    /// Puts the next element here, keeping what capacity there is.
    fn read(&mut self, from: &mut Reader<'_>) -> Option<()>;
}

macro_rules! plain_elements {
    ($($element:ty),*) => {
        $(impl Element for $element {
            fn write(&self, to: &mut Writer<'_>) {
                to.raw(&self.to_ne_bytes());
            }

            fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
                *self = Self::from_ne_bytes(from.array()?);
                Some(())
            }
        })*
    };
}

plain_elements!(f64, f32, i8, u8, i16, u16, i32, u32, i64, u64);

impl Element for bool {
    fn write(&self, to: &mut Writer<'_>) {
        to.flag(*self);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
        *self = from.flag()?;
        Some(())
    }
}

impl Element for String {
    fn write(&self, to: &mut Writer<'_>) {
        to.text(self);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let text = from.text()?;
        self.clear();
        self.push_str(text);
        Some(())
    }
}

impl Element for Vec<u8> {
    fn write(&self, to: &mut Writer<'_>) {
        to.bytes(self);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let bytes = from.bytes()?;
        self.clear();
        self.extend_from_slice(bytes);
        Some(())
    }
}

macro_rules! name_accesses {
    ($(($variant:ident, $fmi2:literal, $fmi3:literal),)*) => {
        /// The function that sets values of a type.
        pub(super) fn setter(family: Family, of: ValueType) -> &'static str {
            match (family, of) {
                (Family::Other, _) => Op::Set.name(family),
                $((Family::Fmi2, ValueType::$variant) => concat!("fmi2Set", $fmi2),
                (Family::Fmi3, ValueType::$variant) => concat!("fmi3Set", $fmi3),)*
            }
        }

        /// The function that gets values of a type.
        pub(super) fn getter(family: Family, of: ValueType) -> &'static str {
            match (family, of) {
                (Family::Other, _) => Op::Get.name(family),
                $((Family::Fmi2, ValueType::$variant) => concat!("fmi2Get", $fmi2),
                (Family::Fmi3, ValueType::$variant) => concat!("fmi3Get", $fmi3),)*
            }
        }
    };
}

// Types that FMI 2 does not have are never used.
name_accesses! {
    (Float64, "Real", "Float64"),
    (Float32, "Real", "Float32"),
    (Int8, "Integer", "Int8"),
    (UInt8, "Integer", "UInt8"),
    (Int16, "Integer", "Int16"),
    (UInt16, "Integer", "UInt16"),
    (Int32, "Integer", "Int32"),
    (UInt32, "Integer", "UInt32"),
    (Int64, "Integer", "Int64"),
    (UInt64, "Integer", "UInt64"),
    (Boolean, "Boolean", "Boolean"),
    (String, "String", "String"),
    (Binary, "String", "Binary"),
    (Enumeration, "Integer", "Int64"),
    (Clock, "Boolean", "Clock"),
}

/// The type of values, from its code.
pub(crate) fn read_type(from: &mut Reader<'_>) -> Option<ValueType> {
    let code = from.byte()?;
    ValueType::ALL.into_iter().find(|value_type| *value_type as u8 == code)
}

/// The elements, without type and count.
pub(crate) fn write_values(to: &mut Writer<'_>, values: &ValuesRef<'_>) {
    macro_rules! write {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match values {
                $(ValuesRef::$variant(values) => values.iter().for_each(|value| value.write(to)),)*
            }
        };
    }
    for_each_value_type!(write);
}

/// As many elements as there is place for.
pub(crate) fn read_values(from: &mut Reader<'_>, place: &mut ValuesMut<'_>) -> Option<()> {
    macro_rules! read {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match place {
                $(ValuesMut::$variant(values) => {
                    values.iter_mut().try_for_each(|value| value.read(from))
                })*
            }
        };
    }
    for_each_value_type!(read)
}

/// What a worker needs while it does a command, used again and again.
pub(crate) struct Scratch {
    pub(crate) references: Vec<Reference>,
    pub(crate) others: Vec<Reference>,
    pub(crate) numbers: Vec<f64>,
    pub(crate) results: Vec<f64>,
    pub(crate) orders: Vec<i32>,
    pub(crate) steps: Vec<Step>,
    /// One of each type.
    values: Vec<Values>,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Scratch {
            references: Vec::new(),
            others: Vec::new(),
            numbers: Vec::new(),
            results: Vec::new(),
            orders: Vec::new(),
            steps: Vec::new(),
            values: ValueType::ALL.map(|value_type| Values::zeros(value_type, 0)).into(),
        }
    }

    /// References, and a place for so many values of a type.
    pub(crate) fn place(&mut self, of: ValueType, count: usize) -> (&[Reference], &mut Values) {
        let values = &mut self.values[of as usize];
        resize(values, count);
        (&self.references, values)
    }
}

/// Makes room for so many elements; keeps capacities, of elements too.
fn resize(values: &mut Values, count: usize) {
    macro_rules! resize_any {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match values {
                $(Values::$variant(values) => {
                    if values.len() < count {
                        values.resize(count, Default::default());
                    }
                })*
            }
        };
    }
    for_each_value_type!(resize_any);
}
