//! A saved state and its bytes: exact, little-endian, checked on the way back.

use super::instance::Phase;
use super::store::Store;
use consort_core::{Resolution, Seconds, Time, Values, for_each_value_type};
use consort_solve::FixedStep;

/// Everything an instance is, but what its construction fixed and its random seed.
pub(super) struct BlockState {
    pub(super) block: String,
    pub(super) phase: Phase,
    pub(super) time: Time,
    pub(super) resolution: Resolution,
    pub(super) store: Store,
}

/// The first byte; to be counted up when the form changes.
const FORM: u8 = 2;

impl BlockState {
    /// Whether an instance of `block` with values like `store` can take this state.
    pub(super) fn fits(&self, block: &str, store: &Store) -> bool {
        let shape = |values: &Values| (values.value_type(), values.len());
        let (mine, theirs) = (self.store.values.iter(), store.values.iter());
        let same_solver = match (&self.store.solver, &store.solver) {
            (Some(mine), Some(theirs)) => mine.is_like(theirs),
            (mine, theirs) => mine.is_none() && theirs.is_none(),
        };
        self.block == block && same_solver && mine.map(shape).eq(theirs.map(shape))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORM, self.phase as u8];
        put_bytes(&mut bytes, self.block.as_bytes());
        bytes.extend(self.time.ticks().to_le_bytes());
        bytes.extend(self.resolution.tick().numerator().to_le_bytes());
        bytes.extend(self.resolution.tick().denominator().to_le_bytes());
        for values in &self.store.values {
            put_values(&mut bytes, values);
        }
        if let Some(solver) = &self.store.solver {
            put_bytes(&mut bytes, &solver.to_bytes());
        }
        bytes
    }

    /// Reads what [`BlockState::to_bytes`] wrote for a block with values like `like`; `None` for anything
    /// else, be it short, long or foreign.
    pub(super) fn from_bytes(bytes: &[u8], block: &str, like: &Store) -> Option<BlockState> {
        let mut bytes = bytes;
        let [form, phase] = take(&mut bytes)?;
        let phase = *Phase::ALL.iter().find(|candidate| **candidate as u8 == phase)?;
        if form != FORM || take_bytes(&mut bytes)? != block.as_bytes() {
            return None;
        }
        let time = Time::from_ticks(i64::from_le_bytes(take(&mut bytes)?));
        let numerator = i64::from_le_bytes(take(&mut bytes)?);
        let denominator = u64::from_le_bytes(take(&mut bytes)?);
        let resolution = Resolution::new(Seconds::new(numerator, denominator)?)?;
        let mut store = like.clone();
        for values in &mut store.values {
            take_values(&mut bytes, values)?;
        }
        if let Some(solver) = &mut store.solver {
            let taken = FixedStep::from_bytes(take_bytes(&mut bytes)?).ok()?;
            *solver = Some(taken).filter(|taken| taken.is_like(solver))?;
        }
        let state = BlockState { block: block.to_owned(), phase, time, resolution, store };
        bytes.is_empty().then_some(state)
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u64).to_le_bytes());
    to.extend(bytes);
}

fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(u64::from_le_bytes(take(bytes)?)).ok()?;
    let (head, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(head)
}

/// A value as bytes that keep every bit of it.
trait Exact: Sized {
    fn put(&self, to: &mut Vec<u8>);
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! exact_numbers {
    ($($number:ty)*) => {
        $(impl Exact for $number {
            fn put(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                take(bytes).map(<$number>::from_le_bytes)
            }
        })*
    };
}

exact_numbers!(f64 f32 i8 u8 i16 u16 i32 u32 i64 u64);

impl Exact for bool {
    fn put(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let [byte] = take(bytes)?;
        (byte <= 1).then_some(byte == 1)
    }
}

impl Exact for String {
    fn put(&self, to: &mut Vec<u8>) {
        put_bytes(to, self.as_bytes());
    }
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        String::from_utf8(take_bytes(bytes)?.to_vec()).ok()
    }
}

impl Exact for Vec<u8> {
    fn put(&self, to: &mut Vec<u8>) {
        put_bytes(to, self);
    }
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        take_bytes(bytes).map(<[u8]>::to_vec)
    }
}

macro_rules! define_values_bytes {
    ($(($variant:ident, $element:ty, $name:literal),)*) => {
        fn put_values(to: &mut Vec<u8>, values: &Values) {
            match values {
                $(Values::$variant(list) => list.iter().for_each(|item| item.put(to)),)*
            }
        }

        fn take_values(bytes: &mut &[u8], values: &mut Values) -> Option<()> {
            match values {
                $(Values::$variant(list) => {
                    for item in list {
                        *item = Exact::take(bytes)?;
                    }
                })*
            }
            Some(())
        }
    };
}

for_each_value_type!(define_values_bytes);
