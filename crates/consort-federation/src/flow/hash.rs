//! The hash of the messages of a flow, in 64 bits.

use consort_core::{Tag, rolling};
use std::sync::Arc;

/// The rolling hash of a flow: takes in (tag, payload) of each message, in order.
///
/// Each absorption is a bijection of the state for a given word and of the word for a given state, so a
/// single differing word always changes the hash: two runs are compared by one number per flow. It guards
/// against accidents, not against an adversary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct FlowHash(u64);

impl Default for FlowHash {
    fn default() -> Self {
        FlowHash(rolling::START)
    }
}

impl FlowHash {
    /// Continues from a state that [`FlowHash::to_bits`] gave.
    pub const fn from_bits(bits: u64) -> Self {
        FlowHash(bits)
    }

    /// The state, to be compared or kept.
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// Takes in one word.
    #[inline]
    pub fn absorb(&mut self, word: u64) {
        self.0 = rolling::absorb(self.0, word);
    }

    /// Takes in bytes, and how many they are.
    pub fn absorb_bytes(&mut self, bytes: &[u8]) {
        self.absorb(bytes.len() as u64);
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let word = chunk.try_into().expect("exact chunks have eight bytes");
            self.absorb(u64::from_le_bytes(word));
        }
        let mut last = [0; 8];
        last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        self.absorb(u64::from_le_bytes(last));
    }

    /// Takes in one message.
    #[inline]
    pub(super) fn absorb_message<P: Payload>(&mut self, tag: Tag, payload: &P) {
        self.absorb(tag.time.ticks() as u64);
        self.absorb(u64::from(tag.microstep));
        payload.absorb(self);
    }
}

/// What a message can carry: it is copied once per sink, and its bits are hashed.
pub trait Payload: Clone {
    /// Takes all of it into the hash of its flow.
    fn absorb(&self, hash: &mut FlowHash);
}

impl Payload for () {
    fn absorb(&self, _: &mut FlowHash) {}
}

impl Payload for u64 {
    #[inline]
    fn absorb(&self, hash: &mut FlowHash) {
        hash.absorb(*self);
    }
}

impl<const N: usize> Payload for [f64; N] {
    #[inline]
    fn absorb(&self, hash: &mut FlowHash) {
        self.iter().for_each(|value| hash.absorb(value.to_bits()));
    }
}

impl Payload for Vec<u8> {
    fn absorb(&self, hash: &mut FlowHash) {
        hash.absorb_bytes(self);
    }
}

impl Payload for Arc<[u8]> {
    fn absorb(&self, hash: &mut FlowHash) {
        hash.absorb_bytes(self);
    }
}
