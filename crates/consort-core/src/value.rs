//! Values of every FMI 3 type, alone, in arrays, and in the typed slices that cross the boundary to
//! an instance.
//!
//! A batch of values of one type is one slice: [`ValuesRef`] to set, [`ValuesMut`] to get,
//! [`Values`] to own. Strings and binaries are buffers that grow and keep their capacity, so that a
//! run in its steady state allocates nothing for them either.

mod numbers;

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// Calls a macro with one row per value type: variant, element type, name in text.
#[macro_export]
macro_rules! for_each_value_type {
    ($callback:ident) => {
        $callback! {
            (Float64, f64, "Float64"),
            (Float32, f32, "Float32"),
            (Int8, i8, "Int8"),
            (UInt8, u8, "UInt8"),
            (Int16, i16, "Int16"),
            (UInt16, u16, "UInt16"),
            (Int32, i32, "Int32"),
            (UInt32, u32, "UInt32"),
            (Int64, i64, "Int64"),
            (UInt64, u64, "UInt64"),
            (Boolean, bool, "Boolean"),
            (String, String, "String"),
            (Binary, Vec<u8>, "Binary"),
            (Enumeration, i64, "Enumeration"),
            (Clock, bool, "Clock"),
        }
    };
}

macro_rules! define_values {
    ($(($variant:ident, $element:ty, $name:literal),)*) => {
        /// The type of a variable's elements. FMI 2 `Real` is `Float64`, `Integer` is `Int32`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum ValueType {
            $(#[doc = concat!("`", $name, "`")] #[serde(rename = $name)] $variant,)*
        }

        impl ValueType {
            /// Every type, in the fixed order in which batches are made.
            pub const ALL: [ValueType; 15] = [$(ValueType::$variant,)*];

            /// The type's name, as FMI 3 writes it.
            pub const fn name(self) -> &'static str {
                match self { $(ValueType::$variant => $name,)* }
            }
        }

        /// An owned array of values of one type.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub enum Values {
            $(#[doc = concat!("Elements of type `", $name, "`.")] $variant(Vec<$element>),)*
        }

        /// A borrowed array of values of one type: what is handed to an instance.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum ValuesRef<'a> {
            $(#[doc = concat!("Elements of type `", $name, "`.")] $variant(&'a [$element]),)*
        }

        /// A place for values of one type: what an instance fills.
        #[derive(PartialEq, Debug)]
        pub enum ValuesMut<'a> {
            $(#[doc = concat!("Elements of type `", $name, "`.")] $variant(&'a mut [$element]),)*
        }

        impl Values {
            /// `count` elements of the type's zero: 0, false, the empty string.
            pub fn zeros(value_type: ValueType, count: usize) -> Self {
                match value_type {
                    $(ValueType::$variant => Values::$variant(vec![Default::default(); count]),)*
                }
            }

            /// The type of the elements.
            #[inline]
            pub fn value_type(&self) -> ValueType {
                self.view().value_type()
            }

            /// The number of elements.
            #[inline]
            pub fn len(&self) -> usize {
                self.view().len()
            }

            /// How many bytes the elements take; of text and binary without what they point to.
            pub fn bytes(&self) -> usize {
                match self { $(Values::$variant(values) => size_of_val(&values[..]),)* }
            }

            /// All elements, to be read.
            #[inline]
            pub fn view(&self) -> ValuesRef<'_> {
                match self { $(Values::$variant(values) => ValuesRef::$variant(values),)* }
            }

            /// The elements `start..start + count`, to be read.
            #[inline]
            pub fn slice(&self, start: usize, count: usize) -> ValuesRef<'_> {
                match self {
                    $(Values::$variant(values) => ValuesRef::$variant(&values[start..start + count]),)*
                }
            }

            /// The elements `start..start + count`, to be filled.
            #[inline]
            pub fn slice_mut(&mut self, start: usize, count: usize) -> ValuesMut<'_> {
                match self {
                    $(Values::$variant(values) => ValuesMut::$variant(&mut values[start..start + count]),)*
                }
            }

            /// Appends copies of `other`'s elements; false, and nothing done, if the types differ.
            pub fn extend(&mut self, other: ValuesRef<'_>) -> bool {
                match (self, other) {
                    $((Values::$variant(values), ValuesRef::$variant(other)) => {
                        values.extend_from_slice(other);
                        true
                    })*
                    _ => false,
                }
            }
        }

        impl<'a> ValuesRef<'a> {
            /// The type of the elements.
            #[inline]
            pub fn value_type(&self) -> ValueType {
                match self { $(ValuesRef::$variant(_) => ValueType::$variant,)* }
            }

            /// The number of elements.
            #[inline]
            pub fn len(&self) -> usize {
                match self { $(ValuesRef::$variant(values) => values.len(),)* }
            }

            /// A copy that is owned.
            pub fn to_values(&self) -> Values {
                match self { $(ValuesRef::$variant(values) => Values::$variant(values.to_vec()),)* }
            }

            /// The element at `index`, alone.
            #[inline]
            pub fn element(&self, index: usize) -> ValuesRef<'a> {
                match self {
                    $(ValuesRef::$variant(values) => ValuesRef::$variant(&values[index..=index]),)*
                }
            }
        }

        impl ValuesMut<'_> {
            /// The type of the elements.
            #[inline]
            pub fn value_type(&self) -> ValueType {
                match self { $(ValuesMut::$variant(_) => ValueType::$variant,)* }
            }

            /// The number of elements.
            #[inline]
            pub fn len(&self) -> usize {
                match self { $(ValuesMut::$variant(values) => values.len(),)* }
            }

            /// Copies `source` here, keeping the capacity of strings and binaries.
            ///
            /// # Panics
            /// If the types or lengths differ.
            #[inline]
            pub fn copy_from(&mut self, source: ValuesRef<'_>) {
                match (self, source) {
                    $((ValuesMut::$variant(to), ValuesRef::$variant(from)) => copy_elements(to, from),)*
                    (to, from) => panic!("{} cannot take {}", to.value_type(), from.value_type()),
                }
            }
        }
    };
}

for_each_value_type!(define_values);

#[inline]
fn copy_elements<T: Clone>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "a batch and its place have one length");
    for (to, from) in to.iter_mut().zip(from) {
        to.clone_from(from);
    }
}

impl ValueType {
    /// Whether values are numbers that can be scaled by a unit conversion.
    pub const fn is_float(self) -> bool {
        matches!(self, ValueType::Float64 | ValueType::Float32)
    }

    /// Whether values are whole numbers, enumerations included.
    pub const fn is_integer(self) -> bool {
        use ValueType::{Enumeration, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        matches!(
            self,
            Int8 | UInt8 | Int16 | UInt16 | Int32 | UInt32 | Int64 | UInt64 | Enumeration
        )
    }

    /// Whether every value of `self` has an exact counterpart in `target`, so that a connection
    /// between the two loses nothing.
    pub fn widens_to(self, target: ValueType) -> bool {
        use ValueType::{Boolean, Clock, Enumeration, Float32, Float64, Int64};
        if self == target {
            return true;
        }
        match (self, target) {
            (Float32, Float64) | (Enumeration, Int64) | (Int64, Enumeration) => true,
            (Boolean, Clock) | (Clock, Boolean) => false,
            (from, to) if from.is_integer() && to.is_integer() => integer_fits(from, to),
            (from, Float64) if from.is_integer() => from.integer_bits() <= 32,
            (from, Float32) if from.is_integer() => from.integer_bits() <= 16,
            _ => false,
        }
    }

    /// The width of a whole-number type; 64 for enumerations, 0 for what is no whole number.
    pub const fn integer_bits(self) -> u32 {
        match self {
            ValueType::Int8 | ValueType::UInt8 => 8,
            ValueType::Int16 | ValueType::UInt16 => 16,
            ValueType::Int32 | ValueType::UInt32 => 32,
            ValueType::Int64 | ValueType::UInt64 | ValueType::Enumeration => 64,
            _ => 0,
        }
    }

    const fn is_unsigned(self) -> bool {
        matches!(self, ValueType::UInt8 | ValueType::UInt16 | ValueType::UInt32 | ValueType::UInt64)
    }
}

fn integer_fits(from: ValueType, to: ValueType) -> bool {
    match (from.is_unsigned(), to.is_unsigned()) {
        (true, true) | (false, false) => from.integer_bits() <= to.integer_bits(),
        (true, false) => from.integer_bits() < to.integer_bits(),
        (false, true) => false,
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Values {
    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl ValuesRef<'_> {
    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both hold the same elements; unlike in `==`, not a number is the same as not a number,
    /// so that a value which stays NaN does not seem to change forever.
    pub fn is_same(&self, other: ValuesRef<'_>) -> bool {
        macro_rules! same {
            ($own:ident, $other:ident) => {
                $own.len() == $other.len()
                    && $own.iter().zip(*$other).all(|(own, other)| {
                        own.partial_cmp(other) == Some(Ordering::Equal)
                            || own.is_nan() && other.is_nan()
                    })
            };
        }
        match (self, &other) {
            (ValuesRef::Float64(own), ValuesRef::Float64(other)) => same!(own, other),
            (ValuesRef::Float32(own), ValuesRef::Float32(other)) => same!(own, other),
            _ => *self == other,
        }
    }

    /// The element at `index` as a double, for plots and conditions; `None` for text and binary.
    pub fn as_f64(&self, index: usize) -> Option<f64> {
        Some(match self {
            ValuesRef::Float64(values) => values[index],
            ValuesRef::Float32(values) => f64::from(values[index]),
            ValuesRef::Int8(values) => f64::from(values[index]),
            ValuesRef::UInt8(values) => f64::from(values[index]),
            ValuesRef::Int16(values) => f64::from(values[index]),
            ValuesRef::UInt16(values) => f64::from(values[index]),
            ValuesRef::Int32(values) => f64::from(values[index]),
            ValuesRef::UInt32(values) => f64::from(values[index]),
            ValuesRef::Int64(values) | ValuesRef::Enumeration(values) => values[index] as f64,
            ValuesRef::UInt64(values) => values[index] as f64,
            ValuesRef::Boolean(values) | ValuesRef::Clock(values) => f64::from(values[index]),
            ValuesRef::String(_) | ValuesRef::Binary(_) => return None,
        })
    }
}

impl ValuesMut<'_> {
    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for ValuesRef<'_> {
    /// One element alone, several in brackets; floats in their shortest exact form, binary in hex.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.len() == 1 {
            return write_element(f, self, 0);
        }
        f.write_str("[")?;
        for index in 0..self.len() {
            if index != 0 {
                f.write_str(", ")?;
            }
            write_element(f, self, index)?;
        }
        f.write_str("]")
    }
}

fn write_element(f: &mut fmt::Formatter<'_>, values: &ValuesRef<'_>, index: usize) -> fmt::Result {
    if let ValuesRef::Binary(values) = values {
        return values[index].iter().try_for_each(|byte| write!(f, "{byte:02x}"));
    }
    macro_rules! write_any {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match values { $(ValuesRef::$variant(values) => write!(f, "{:?}", values[index]),)* }
        };
    }
    for_each_value_type!(write_any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_never_loses_a_value() {
        use ValueType::*;
        assert!(Float32.widens_to(Float64));
        assert!(Int32.widens_to(Float64));
        assert!(UInt8.widens_to(Int16));
        for (from, to) in [
            (Int64, Float64),
            (Float64, Float32),
            (Int8, UInt64),
            (UInt32, Int32),
            (Boolean, Int32),
        ] {
            assert!(!from.widens_to(to), "{from} to {to}");
        }
    }

    #[test]
    fn what_stays_nan_stays_the_same() {
        let nan = Values::Float64(vec![1.0, f64::NAN]);
        assert!(nan.view().is_same(nan.view()));
        assert!(!nan.view().is_same(ValuesRef::Float64(&[f64::NAN, 1.0])));
        assert!(!nan.view().is_same(ValuesRef::Float64(&[1.0])));
        assert!(!ValuesRef::Int32(&[0]).is_same(ValuesRef::UInt32(&[0])));
    }

    #[test]
    fn copying_strings_keeps_their_capacity() {
        let mut place = Values::String(vec![String::with_capacity(64)]);
        let source = Values::String(vec!["short".to_owned()]);
        place.slice_mut(0, 1).copy_from(source.view());
        let Values::String(strings) = &place else { unreachable!() };
        assert_eq!(strings[0], "short");
        assert!(64 <= strings[0].capacity());
    }

    #[test]
    fn values_print_as_a_person_reads_them() {
        assert_eq!(Values::Float64(vec![0.1]).view().to_string(), "0.1");
        assert_eq!(
            Values::Int64(vec![i64::MAX, -1]).view().to_string(),
            "[9223372036854775807, -1]"
        );
        assert_eq!(Values::Binary(vec![vec![0xCA, 0xFE]]).view().to_string(), "cafe");
        assert_eq!(Values::String(vec!["a\"b".to_owned()]).view().to_string(), "\"a\\\"b\"");
    }
}
