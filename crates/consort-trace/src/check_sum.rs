//! A check sum of bytes, fast enough to be made of everything that is written. It guards against
//! accidents, not against an adversary.

use crate::hash::VariableHash;
use std::fmt;

/// How many bytes are taken in at once.
const BLOCK: usize = 32;

/// The check sum of bytes that come in pieces of any size.
///
/// ```
/// use consort_trace::CheckSum;
///
/// let mut pieces = CheckSum::default();
/// pieces.update(b"tank");
/// pieces.update(b".level");
/// assert_eq!(pieces.finish(), CheckSum::of(b"tank.level"));
/// ```
#[derive(Clone, Default, Debug)]
pub struct CheckSum {
    /// Four hashes side by side: a single one would wait for itself at every word.
    lanes: [VariableHash; 4],
    length: u64,
    /// Less than a block.
    rest: Vec<u8>,
}

impl CheckSum {
    /// The check sum of these bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut sum = CheckSum::default();
        sum.update(bytes);
        sum.finish()
    }

    /// Takes in more bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if !self.rest.is_empty() {
            let (more, others) = bytes.split_at(bytes.len().min(BLOCK - self.rest.len()));
            self.rest.extend_from_slice(more);
            bytes = others;
            if let Ok(block) = <[u8; BLOCK]>::try_from(self.rest.as_slice()) {
                self.absorb(&[block]);
                self.rest.clear();
            }
        }
        let (blocks, others) = bytes.as_chunks::<BLOCK>();
        self.absorb(blocks);
        self.rest.extend_from_slice(others);
    }

    fn absorb(&mut self, blocks: &[[u8; BLOCK]]) {
        for block in blocks {
            for (lane, word) in self.lanes.iter_mut().zip(block.as_chunks::<8>().0) {
                lane.absorb(u64::from_le_bytes(*word));
            }
        }
    }

    /// The sum of everything so far.
    pub fn finish(&self) -> u64 {
        let mut hash = VariableHash::default();
        hash.absorb(self.length);
        self.lanes.iter().for_each(|lane| hash.absorb(lane.to_bits()));
        hash.absorb_bytes(&self.rest);
        hash.to_bits()
    }
}

/// As manifests have it.
impl fmt::Display for CheckSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_matter_and_every_byte_does() {
        let bytes: Vec<u8> = (0..200_u8).map(|byte| byte.wrapping_mul(37)).collect();
        let whole = CheckSum::of(&bytes);
        for size in 1..70 {
            let mut sum = CheckSum::default();
            bytes.chunks(size).for_each(|piece| sum.update(piece));
            assert_eq!(sum.finish(), whole, "{size}");
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_ne!(CheckSum::of(&other), whole, "{at}");
            assert_ne!(CheckSum::of(&bytes[..at]), whole, "{at}");
        }
        assert_ne!(CheckSum::of(&[&bytes[..], &[0]].concat()), whole);
    }
}
