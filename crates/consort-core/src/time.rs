//! Exact time: ticks, tags and conversions that are correctly rounded.
//!
//! `Time` is an `i64` count of ticks and a tick is a positive rational number of seconds, fixed per
//! run. So 1/30 s and 1/100 s steps meet exactly where they should (at every 1/10 s), and time is
//! never accumulated by adding `f64`s. Conversions follow the rules of Ptolemy-HLA (its functions
//! *f* and *g*): ticks to `f64` is correctly rounded, `f64` to ticks is the nearest tick with ties
//! to even; both are monotone, neither is the other's inverse; what does not fit is an error.

mod mistake;
mod rational;
mod resolution;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

pub use mistake::TimeMistake;
pub use rational::Seconds;
pub use resolution::Resolution;

/// A point in time, or a difference of two: a count of ticks of the run's [`Resolution`].
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Time(i64);

impl Time {
    /// Tick zero.
    pub const ZERO: Time = Time(0);
    /// The last point in time; used as "never".
    pub const MAX: Time = Time(i64::MAX);

    /// The time `ticks` ticks after zero.
    #[inline]
    pub const fn from_ticks(ticks: i64) -> Self {
        Time(ticks)
    }

    /// How many ticks after zero this is.
    #[inline]
    pub const fn ticks(self) -> i64 {
        self.0
    }

    /// `self + other`, or `None` where that leaves 64 bits.
    #[inline]
    pub fn checked_add(self, other: Time) -> Option<Time> {
        self.0.checked_add(other.0).map(Time)
    }

    /// `self - other`, or `None` where that leaves 64 bits.
    #[inline]
    pub fn checked_sub(self, other: Time) -> Option<Time> {
        self.0.checked_sub(other.0).map(Time)
    }

    /// `count` times this difference, or `None` where that leaves 64 bits.
    #[inline]
    pub fn checked_mul(self, count: i64) -> Option<Time> {
        self.0.checked_mul(count).map(Time)
    }
}

impl Add for Time {
    type Output = Time;
    /// # Panics
    /// On overflow, in release builds too: a wrapped time would be a wrong result.
    #[inline]
    fn add(self, other: Time) -> Time {
        self.checked_add(other).expect("time stays within 64 bits of ticks")
    }
}

impl Sub for Time {
    type Output = Time;
    /// # Panics
    /// On overflow, in release builds too.
    #[inline]
    fn sub(self, other: Time) -> Time {
        self.checked_sub(other).expect("time stays within 64 bits of ticks")
    }
}

/// Superdense time: a time and the microstep within it, ordered by time, then microstep.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Tag {
    /// The time in ticks.
    pub time: Time,
    /// The index of the event iteration at that time; 0 for the value reached by stepping.
    pub microstep: u32,
}

impl Tag {
    /// The first tag of a time.
    #[inline]
    pub const fn at(time: Time) -> Self {
        Tag { time, microstep: 0 }
    }

    /// The next tag of the same time.
    #[must_use]
    pub fn next_microstep(self) -> Self {
        Tag { time: self.time, microstep: self.microstep + 1 }
    }
}

/// Why a time could not be represented.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum TimeError {
    /// A number is not a time at all: NaN, infinite, or not written as a number.
    NotATime {
        /// The text as given.
        given: String,
    },
    /// A time lies outside of 64 bits of ticks. Take a coarser resolution or a nearer time.
    OutOfRange {
        /// The value as given.
        given: String,
        /// The tick it was measured in.
        resolution: Resolution,
    },
    /// A time falls between two ticks.
    NotAMultiple {
        /// The value as given.
        given: Seconds,
        /// The tick it is no multiple of.
        resolution: Resolution,
    },
    /// No common tick of two numbers fits in 64 bits.
    NoCommonTick {
        /// One of the two.
        first: Seconds,
        /// The other value.
        second: Seconds,
    },
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeError::NotATime { given } => write!(f, "`{given}` is not a time in seconds"),
            TimeError::OutOfRange { given, resolution } => {
                write!(f, "{given} s is more than 64 bits of ticks of {resolution}")
            }
            TimeError::NotAMultiple { given, resolution } => {
                write!(f, "{given} s is not a multiple of the resolution {resolution}")
            }
            TimeError::NoCommonTick { first, second } => {
                write!(f, "{first} s and {second} s have no common tick that fits in 64 bits")
            }
        }
    }
}

impl std::error::Error for TimeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_ordered_by_time_then_microstep() {
        let early = Tag { time: Time(-1), microstep: 9 };
        let late = Tag::at(Time(0));
        assert!(early < late);
        assert!(late < late.next_microstep());
    }

    #[test]
    fn adding_past_the_end_is_none_and_never_wraps() {
        assert_eq!(Time::MAX.checked_add(Time(1)), None);
        assert_eq!(Time(i64::MIN).checked_sub(Time(1)), None);
        assert_eq!(Time(3).checked_mul(4), Some(Time(12)));
    }
}
