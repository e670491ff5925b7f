//! Values moving along connections: from slot to slot of the shared bank.

use crate::store::{Bank, Slot};
use consort_core::{ConnectionId, Conversion, Resolution, Time, ValueType, Values, ValuesRef};
use std::cmp::Ordering;

/// One connection, compiled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CopyOp {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) conversion: Conversion,
}

impl CopyOp {
    /// Whether one value moves as it is.
    pub(crate) fn is_plain_scalar(&self) -> bool {
        self.is_plain() && self.from.count == 1
    }

    fn is_plain(&self) -> bool {
        self.from.value_type == self.to.value_type && self.conversion.is_identity()
    }
}

/// Connections of one stage whose sources have one rate. Sources are outputs and targets inputs, so
/// their order cannot be seen.
#[derive(Clone, Default, Debug)]
pub(crate) struct Exchange {
    /// The common case, apart and tight: one value to one value of its type, as it is; by type.
    plain: Vec<PlainMoves>,
    others: Vec<CopyOp>,
    /// Which connections these are.
    pub(crate) connections: Vec<ConnectionId>,
}

/// Scalars of one type that move as they are: from where to where in their column.
#[derive(Clone, PartialEq, Debug)]
struct PlainMoves {
    value_type: ValueType,
    places: Vec<(u32, u32)>,
}

impl Exchange {
    /// The given ones of all compiled connections.
    pub(crate) fn of(connections: &[ConnectionId], copies: &[CopyOp]) -> Self {
        let mut exchange = Exchange::default();
        for &id in connections {
            exchange.push(id, copies[id.index()]);
        }
        exchange
    }

    fn push(&mut self, connection: ConnectionId, op: CopyOp) {
        self.connections.push(connection);
        if !op.is_plain_scalar() {
            self.others.push(op);
            return;
        }
        let value_type = op.from.value_type;
        let place = (op.from.at, op.to.at);
        match self.plain.iter_mut().find(|moves| moves.value_type == value_type) {
            Some(moves) => moves.places.push(place),
            None => self.plain.push(PlainMoves { value_type, places: vec![place] }),
        }
    }

    pub(crate) fn run(&self, bank: &mut Bank) {
        for moves in &self.plain {
            move_scalars(bank.column_mut(moves.value_type), &moves.places);
        }
        for op in &self.others {
            copy(bank, op);
        }
    }
}

/// Moves values within a column: from where to where.
#[inline]
pub(crate) fn move_scalars(column: &mut Values, places: &[(u32, u32)]) {
    macro_rules! move_any {
        ($($variant:ident),*) => {
            match column {
                $(Values::$variant(list) => {
                    for &(from, to) in places {
                        list[to as usize] = list[from as usize];
                    }
                })*
                Values::String(list) => move_buffers(list, places),
                Values::Binary(list) => move_buffers(list, places),
            }
        };
    }
    move_any!(
        Float64,
        Float32,
        Int8,
        UInt8,
        Int16,
        UInt16,
        Int32,
        UInt32,
        Int64,
        UInt64,
        Boolean,
        Enumeration,
        Clock
    );
}

/// Copies texts or binaries that are different, without allocating.
fn move_buffers<T: Clone + PartialEq>(list: &mut [T], places: &[(u32, u32)]) {
    for &(from, to) in places {
        if let Ok([from, to]) = list.get_disjoint_mut([from as usize, to as usize])
            && from != to
        {
            to.clone_from(from);
        }
    }
}

/// Moves the value of one connection.
pub(crate) fn copy(bank: &mut Bank, op: &CopyOp) {
    if op.is_plain() {
        move_within(bank.column_mut(op.from.value_type), op);
    } else {
        convert(bank, op);
    }
}

fn move_within(column: &mut Values, op: &CopyOp) {
    macro_rules! move_any {
        ($(($variant:ident, $element:ty, $name:literal),)*) => {
            match column { $(Values::$variant(list) => move_elements(list, op),)* }
        };
    }
    consort_core::for_each_value_type!(move_any);
}

/// Copies within one list without allocating: the two places never overlap.
fn move_elements<T: Clone>(list: &mut [T], op: &CopyOp) {
    let (from, to, count) = (op.from.at(), op.to.at(), op.from.count());
    let (source, target) = if from < to {
        let (low, high) = list.split_at_mut(to);
        (&low[from..from + count], &mut high[..count])
    } else {
        let (low, high) = list.split_at_mut(from);
        (&high[..count], &mut low[to..to + count])
    };
    for (target, source) in target.iter_mut().zip(source) {
        target.clone_from(source);
    }
}

/// Converts types and units, element by element: see `docs/conversions.md`.
fn convert(bank: &mut Bank, op: &CopyOp) {
    for index in 0..op.from.count {
        let (from, to) = (op.from.part(index, 1), op.to.part(index, 1));
        let number = |bank: &Bank| bank.get(from).as_f64(0).expect("the resolver connects numbers");
        if to.value_type.is_float() {
            let value = op.conversion.apply(number(bank));
            put_float(bank, to, value);
        } else if to.value_type == ValueType::Boolean {
            let value = number(bank).partial_cmp(&0.0) != Some(Ordering::Equal);
            bank.put(to, ValuesRef::Boolean(&[value]));
        } else if from.value_type.is_float() {
            // Halves go away from zero; what does not fit stops at the ends, not a number is 0.
            let value = number(bank).round() as i128;
            put_whole_number(bank, to, value);
        } else {
            let value = whole_number(bank, from);
            put_whole_number(bank, to, value);
        }
    }
}

pub(crate) fn put_float(bank: &mut Bank, to: Slot, value: f64) {
    match bank.column_mut(to.value_type) {
        Values::Float64(list) => list[to.at()] = value,
        Values::Float32(list) => list[to.at()] = value as f32,
        _ => unreachable!("the caller checked for a float"),
    }
}

/// Calls a macro body for every whole-number column.
macro_rules! whole_numbers {
    ($column:expr, $list:ident => $body:expr) => {
        match $column {
            Values::Int8($list) => $body,
            Values::UInt8($list) => $body,
            Values::Int16($list) => $body,
            Values::UInt16($list) => $body,
            Values::Int32($list) => $body,
            Values::UInt32($list) => $body,
            Values::Int64($list) | Values::Enumeration($list) => $body,
            Values::UInt64($list) => $body,
            _ => unreachable!("the caller checked for a whole number"),
        }
    };
}

fn whole_number(bank: &Bank, from: Slot) -> i128 {
    if let Values::Boolean(list) = bank.column(from.value_type) {
        return i128::from(list[from.at()]);
    }
    whole_numbers!(bank.column(from.value_type), list => i128::from(list[from.at()]))
}

fn put_whole_number(bank: &mut Bank, to: Slot, value: i128) {
    let (min, max) = consort_system::conversion::whole_numbers(to.value_type);
    let value = value.clamp(min, max);
    whole_numbers!(bank.column_mut(to.value_type), list => {
        list[to.at()] = value.try_into().expect("it is within the ends of the type");
    });
}

/// Adds `offset` to a place, element by element; whole numbers stop at the ends of their range.
pub(crate) fn add(bank: &mut Bank, slot: Slot, offset: ValuesRef<'_>) {
    let range = slot.at()..slot.at() + slot.count();
    macro_rules! add_any {
        ($($variant:ident => $sum:expr,)*) => {
            match (bank.column_mut(slot.value_type), offset) {
                $((Values::$variant(list), ValuesRef::$variant(offset)) => {
                    for (value, &offset) in list[range].iter_mut().zip(offset) {
                        *value = $sum(*value, offset);
                    }
                })*
                _ => unreachable!("the resolver allows offsets of numbers only"),
            }
        };
    }
    add_any! {
        Float64 => |a, b| a + b,
        Float32 => |a, b| a + b,
        Int8 => i8::saturating_add,
        UInt8 => u8::saturating_add,
        Int16 => i16::saturating_add,
        UInt16 => u16::saturating_add,
        Int32 => i32::saturating_add,
        UInt32 => u32::saturating_add,
        Int64 => i64::saturating_add,
        UInt64 => u64::saturating_add,
        Enumeration => i64::saturating_add,
    }
}

/// A connection whose input also gets a slope: the difference quotient of the last two values. In
/// between, the input follows the straight line through them.
#[derive(Clone, Debug)]
pub(crate) struct SlopeOp {
    pub(crate) connection: ConnectionId,
    /// The rate of the source.
    pub(crate) rate: usize,
    /// The slot of the input.
    pub(crate) input: Slot,
    /// The slot of its slope.
    pub(crate) slope: Slot,
    pub(crate) memory: SlopeMemory,
}

/// What a slope is computed from.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct SlopeMemory {
    /// When the last value came, the value, and the slope since the one before.
    pub(crate) last: Option<(Time, f64, f64)>,
    /// The value before the last, and when it came.
    pub(crate) before: Option<(Time, f64)>,
}

impl SlopeOp {
    /// After the exchange at `now`; `fresh` if the source gave a new value. A tag may be gone through
    /// more than once: what counts is its last value.
    pub(crate) fn run(&mut self, now: Time, fresh: bool, resolution: Resolution, bank: &mut Bank) {
        let memory = &mut self.memory;
        if fresh {
            if let Some((since, value, _)) = memory.last.filter(|(since, ..)| *since < now) {
                memory.before = Some((since, value));
            }
            let value = bank.get(self.input).as_f64(0).expect("slopes are compiled for floats");
            let rise = |(since, before)| (value - before) / resolution.to_f64(now - since);
            let slope = memory.before.map_or(0.0, rise);
            memory.last = Some((now, value, slope));
            put_float(bank, self.slope, slope);
        } else if let Some((since, value, slope)) = memory.last {
            put_float(bank, self.input, value + slope * resolution.to_f64(now - since));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &Values, to: ValueType, conversion: Conversion, expected: &str) {
        let mut bank = Bank::new();
        let count = u32::try_from(from.len()).unwrap();
        let source = bank.reserve(from.value_type(), count);
        let target = bank.reserve(to, count);
        bank.put(source, from.view());
        copy(&mut bank, &CopyOp { from: source, to: target, conversion });
        assert_eq!(bank.get(target).to_string(), expected);
    }

    #[test]
    fn values_arrive_exactly_or_converted() {
        let same = Conversion::IDENTITY;
        check(&Values::Float64(vec![1.5, 2.5]), ValueType::Float64, same, "[1.5, 2.5]");
        check(&Values::Float32(vec![0.1]), ValueType::Float64, same, "0.10000000149011612");
        check(&Values::UInt32(vec![u32::MAX]), ValueType::Int64, same, "4294967295");
        check(&Values::Int64(vec![i64::MIN]), ValueType::Enumeration, same, "-9223372036854775808");
        check(&Values::Int16(vec![-3]), ValueType::Float64, same, "-3.0");
        check(&Values::String(vec!["on".into()]), ValueType::String, same, "\"on\"");
        let celsius = Conversion { gain: 1.0, offset: 273.15 };
        check(&Values::Float64(vec![20.0]), ValueType::Float64, celsius, "293.15");
    }

    #[test]
    fn every_type_of_number_becomes_every_other() {
        use ValueType::{
            Boolean, Enumeration, Float32, Float64, Int8, Int32, Int64, UInt8, UInt64,
        };
        let same = Conversion::IDENTITY;
        let flags = Values::Boolean(vec![false, true]);
        for to in [Float64, Float32] {
            check(&flags, to, same, "[0.0, 1.0]");
        }
        for to in [Int8, UInt8, Int32, UInt64, Int64, Enumeration] {
            check(&flags, to, same, "[0, 1]");
        }
        check(&flags, Float64, Conversion { gain: -2.0, offset: 5.0 }, "[5.0, 3.0]");
        check(&Values::Enumeration(vec![3, -1]), Float64, same, "[3.0, -1.0]");
        check(&Values::Enumeration(vec![3, -1]), Int8, same, "[3, -1]");
        check(&Values::Int64(vec![(1 << 53) + 1]), Float64, same, "9007199254740992.0");
        check(&Values::UInt64(vec![u64::MAX]), Float32, same, "1.8446744e19");
        check(&Values::Float64(vec![0.1]), Float32, same, "0.1");
        let numbers = Values::Float64(vec![0.0, -0.0, 0.4, -2.5, 2.5, 1e300, f64::NAN]);
        check(&numbers, Boolean, same, "[false, false, true, true, true, true, true]");
        check(&numbers, Int32, same, "[0, 0, 0, -3, 3, 2147483647, 0]");
        check(&numbers, UInt8, same, "[0, 0, 0, 0, 3, 255, 0]");
        check(&Values::Int64(vec![-1, 300, 7]), UInt8, same, "[0, 255, 7]");
        check(&Values::Int32(vec![-1, 0, 1]), Boolean, same, "[true, false, true]");
    }

    #[test]
    fn plain_scalars_of_every_type_take_the_short_way() {
        let (mut bank, mut exchange) = (Bank::new(), Exchange::default());
        let ones = [
            Values::Float64(vec![7.0]),
            Values::Int32(vec![-7]),
            Values::Boolean(vec![true]),
            Values::Enumeration(vec![7]),
            Values::String(vec!["seven".to_owned()]),
            Values::Binary(vec![vec![7]]),
        ];
        let mut targets = Vec::new();
        for (id, value) in (0..).zip(&ones) {
            let [from, to] = [(); 2].map(|()| bank.reserve(value.value_type(), 1));
            bank.put(from, value.view());
            let conversion = Conversion::IDENTITY;
            exchange.push(ConnectionId(id), CopyOp { from, to, conversion });
            targets.push(to);
        }
        assert_eq!((exchange.plain.len(), exchange.others.len()), (ones.len(), 0));
        exchange.run(&mut bank);
        for (to, value) in targets.into_iter().zip(&ones) {
            assert_eq!(bank.get(to), value.view());
        }
    }
}
