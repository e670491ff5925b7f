//! Blocks that make one type of another, where a connection alone does not.

use super::behavior::{BlockBehavior, BlockMoment};
use super::draft::BlockDraft;
use super::store::{Slot, Store};
use consort_core::{DependencyKind, Step, ValueType, Values};

struct Threshold {
    threshold: Slot,
    u: Slot,
    y: Slot,
}

pub(super) fn threshold(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let shape = draft.size();
    let threshold = draft.tunable("threshold", 0.5, "from which value on `y` is true").slot();
    let u = draft.input("u", &shape, "what is compared").slot();
    let y = draft.output("y", &shape, "threshold <= u").value_type(ValueType::Boolean).slot();
    for known in [u, threshold] {
        draft.depends(y, known, DependencyKind::Dependent);
    }
    Some(Box::new(Threshold { threshold, u, y }))
}

impl BlockBehavior for Threshold {
    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let threshold = store.scalar(self.threshold);
        let (u, y) = store.list_and_values(self.u, self.y);
        let Values::Boolean(y) = y else { unreachable!("declared so") };
        for (y, u) in y.iter_mut().zip(u) {
            *y = threshold <= *u;
        }
    }

    fn advance(&self, _step: &Step, store: &mut Store) -> Result<(), String> {
        let is_bad = store.list(self.u).iter().any(|u| u.is_nan());
        if is_bad { Err("`u` is not a number".to_owned()) } else { Ok(()) }
    }
}

/// Makes a number a whole one.
type Method = fn(f64) -> f64;

const METHODS: [(&str, Method); 4] =
    [("nearest", f64::round), ("down", f64::floor), ("up", f64::ceil), ("toward-zero", f64::trunc)];

struct Round {
    method: Method,
    value_type: ValueType,
    u: Slot,
    y: Slot,
}

pub(super) fn round(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let shape = draft.size();
    let method = draft.choice("method", &METHODS.map(|it| it.0), "to which whole number");
    let types: Vec<ValueType> = std::iter::once(ValueType::Int32).chain(whole_types()).collect();
    let names: Vec<&'static str> = types.iter().map(|it| it.name()).collect();
    let chosen = draft.choice("type", &names, "the type of `y`");
    let value_type = types.into_iter().find(|it| it.name() == chosen)?;
    let u = draft.input("u", &shape, "what is rounded").slot();
    let y = draft.output("y", &shape, "the whole number").value_type(value_type).slot();
    draft.depends(y, u, DependencyKind::Dependent);
    let method = METHODS.iter().find(|it| it.0 == method)?.1;
    Some(Box::new(Round { method, value_type, u, y }))
}

fn whole_types() -> impl Iterator<Item = ValueType> {
    let is_whole = |it: &ValueType| it.is_integer() && *it != ValueType::Enumeration;
    ValueType::ALL.into_iter().filter(is_whole).filter(|it| *it != ValueType::Int32)
}

/// Fills whole numbers of any type; what does not fit stops at the ends of the type.
macro_rules! fill {
    ($values:expr, $u:expr, $method:expr, $($variant:ident),*) => {
        match $values {
            $(Values::$variant(list) => {
                for (y, u) in list.iter_mut().zip($u) {
                    *y = $method(*u) as _;
                }
            })*
            _ => unreachable!("declared as a whole number"),
        }
    };
}

impl BlockBehavior for Round {
    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let (u, y) = store.list_and_values(self.u, self.y);
        let method = self.method;
        fill!(y, u, method, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64);
    }

    /// A value that does not fit is an error: what was handed on is not what `u` is.
    fn advance(&self, _step: &Step, store: &mut Store) -> Result<(), String> {
        let bits = self.value_type.integer_bits();
        let is_signed = self.value_type.name().starts_with("Int");
        let (min, end) = match is_signed {
            true => (-libm::exp2(f64::from(bits - 1)), libm::exp2(f64::from(bits - 1))),
            false => (0.0, libm::exp2(f64::from(bits))),
        };
        let fits = |u: f64| (min..end).contains(&(self.method)(u));
        let bad = store.list(self.u).iter().find(|u| !fits(**u));
        bad.map_or(Ok(()), |u| Err(format!("`u` = {u:?} does not fit in {}", self.value_type)))
    }
}
