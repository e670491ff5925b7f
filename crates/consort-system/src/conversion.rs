//! The conversion of a value on a connection between two types. `docs/conversions.md` has the table.

use consort_core::model::Enumeration;
use consort_core::{ValueType, named};

/// What becomes of values of one type on their way to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeConversion {
    /// Every value arrives as it is; false and true are 0 and 1.
    Exact,
    /// The nearest value arrives, which is said once in a warning.
    Rounded,
    /// Only where it is asked for, as multi-models do, and with a warning; else the block converts.
    OnRequest(ConvertingBlock),
    /// The types cannot be converted.
    Refused,
}

named! {
    /// A native block that makes one type of another.
    pub enum ConvertingBlock {
        /// `native:threshold`: a number to a Boolean.
        Threshold => "native:threshold",
        /// `native:round`: a number to a whole number.
        Round => "native:round",
    }
}

/// What becomes of a value of type `from` on a connection to type `to`.
///
/// An enumeration converts as its items do, if these are known: they decide whether all of them fit.
pub fn conversion(from: ValueType, to: ValueType, items: Option<&Enumeration>) -> TypeConversion {
    use TypeConversion::{Exact, OnRequest, Refused, Rounded};
    let is_number = |it: ValueType| it.is_float() || it.is_integer() || it == ValueType::Boolean;
    if from.widens_to(to) {
        return Exact;
    }
    if !is_number(from) || !is_number(to) {
        return Refused;
    }
    if to == ValueType::Boolean {
        return OnRequest(ConvertingBlock::Threshold);
    }
    let is_small = from == ValueType::Boolean && to != ValueType::Enumeration
        || from == ValueType::Enumeration && items.is_some_and(|items| all_fit(items, to));
    match to {
        _ if is_small => Exact,
        _ if to.is_float() => Rounded,
        _ => OnRequest(ConvertingBlock::Round),
    }
}

/// Whether a type has a value for every item, and there is an item at all.
fn all_fit(items: &Enumeration, to: ValueType) -> bool {
    let (min, max) = match to {
        ValueType::Float64 => (-(1 << 53), 1 << 53),
        ValueType::Float32 => (-(1 << 24), 1 << 24),
        _ => whole_numbers(to),
    };
    let fits = |item: &(String, i64)| (min..=max).contains(&i128::from(item.1));
    !items.items.is_empty() && items.items.iter().all(fits)
}

/// The least and the greatest value of a whole-number type.
///
/// # Panics
/// If it is another type.
pub fn whole_numbers(value_type: ValueType) -> (i128, i128) {
    use ValueType::{Enumeration, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let bits = value_type.integer_bits();
    match value_type {
        Int8 | Int16 | Int32 | Int64 | Enumeration => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        UInt8 | UInt16 | UInt32 | UInt64 => (0, (1 << bits) - 1),
        other => panic!("{other} is no type of whole numbers"),
    }
}
