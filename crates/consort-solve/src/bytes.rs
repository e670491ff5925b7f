//! A solver's state as bytes: exact, little-endian, checked on the way back.

mod parts;

use crate::fixed_step::FixedStep;
use crate::method::Method;
use std::fmt;

pub(crate) use parts::{Reader, Writer};

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTFIXS\x01";

/// Magic, method, how much history, states, length of the steps.
const HEAD: usize = 8 + 1 + 1 + 8 + 8;

/// Why bytes are no solver's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BytesError {
    /// They do not begin as a solver's bytes of this version do.
    Foreign,
    /// They end too early or too late.
    Length {
        /// How many there should be, as far as can be told.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// They say what no solver would.
    Impossible {
        /// What that is about.
        what: &'static str,
    },
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BytesError::Foreign => write!(f, "the bytes are not those of a solver of this kind"),
            BytesError::Length { expected, found } => {
                write!(f, "a solver of {expected} bytes was expected, there are {found}")
            }
            BytesError::Impossible { what } => write!(f, "no solver has such a {what}"),
        }
    }
}

impl std::error::Error for BytesError {}

impl FixedStep {
    /// Everything it needs to continue exactly; equal solvers have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + 8 * self.live().len());
        bytes.extend(MAGIC);
        bytes.push(self.method.code());
        bytes.push(u8::try_from(self.filled).expect("a history has a few rows"));
        bytes.extend((self.states as u64).to_le_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.live().iter().flat_map(|slope| slope.to_le_bytes()));
        bytes
    }

    /// The solver that [`FixedStep::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let found = bytes.len();
        let begins = found.min(MAGIC.len());
        if bytes[..begins] != MAGIC[..begins] {
            return Err(BytesError::Foreign);
        }
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return Err(BytesError::Length { expected: HEAD, found });
        };
        let head = Head::read(head)?;
        let expected = HEAD + 8 * head.filled * head.states;
        if found != expected {
            return Err(BytesError::Length { expected, found });
        }
        let mut solver = FixedStep::new(head.method, head.states);
        (solver.filled, solver.length) = (head.filled, head.length);
        let (slopes, _) = rest.as_chunks::<8>();
        for (place, slope) in solver.history.iter_mut().zip(slopes) {
            *place = f64::from_le_bytes(*slope);
        }
        Ok(solver)
    }
}

/// Everything but the history's values, checked before anything is allocated.
struct Head {
    method: Method,
    filled: usize,
    states: usize,
    length: f64,
}

impl Head {
    fn read(bytes: &[u8; HEAD]) -> Result<Self, BytesError> {
        let impossible = |what| BytesError::Impossible { what };
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let method = Method::from_code(bytes[8]).ok_or(impossible("method"))?;
        let filled = usize::from(bytes[9]);
        if method.history() < filled {
            return Err(impossible("history"));
        }
        let states = usize::try_from(word(10)).ok();
        let states = states.filter(|states| *states <= FixedStep::STATES_MAX);
        let states = states.ok_or(impossible("number of states"))?;
        let length = f64::from_bits(word(18));
        let is_none = length.to_bits() == 0;
        if (filled == 0) != is_none || !length.is_finite() || (length == 0.0 && !is_none) {
            return Err(impossible("length of a step"));
        }
        Ok(Head { method, filled, states, length })
    }
}
