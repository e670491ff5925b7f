//! A rolling hash of 64 bits: what a variable did, what a flow carried.
//!
//! Each absorption is a bijection of the state for a given word and of the word for a given state, so a
//! single differing word always changes the hash. It guards against accidents, not against an adversary.

/// An odd number with well-mixed bits (the fractional part of the golden ratio).
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Where every hash starts: the first hexadecimal digits of pi's fractional part.
pub const START: u64 = 0x243F_6A88_85A3_08D3;

/// The state after one more word.
#[inline]
pub const fn absorb(state: u64, word: u64) -> u64 {
    let mixed = (state ^ word).wrapping_mul(MULTIPLIER);
    mixed ^ (mixed >> 32)
}
