//! Types of values, and memory for values of every type.

use super::{Family, Op, Read, Reader, invalid};
use consort_core::{Reference, Step, ValueType, Values, for_each_value_type};

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
pub(crate) fn read_type(from: &mut Reader<'_>) -> Read<ValueType> {
    let code = from.byte()?;
    ValueType::ALL.into_iter().find(|value_type| *value_type as u8 == code).ok_or(invalid("type"))
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
