//! Randomness that repeats: a seeded generator, split by name.
//!
//! Every component draws from `Prng::new(seed).split(path)`, so the numbers a component sees depend
//! on the experiment's seed and its own path, never on other components or on the order of
//! draws. The algorithm (xoshiro256++ seeded by SplitMix64) is written out here rather than taken
//! from a crate because its output reaches traces and may never change with a version.

/// A generator of 64-bit numbers: plain data, cloned and compared like any value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prng {
    state: [u64; 4],
    /// What `split` derives children from; not touched by drawing.
    identity: u64,
}

impl Prng {
    /// The generator of an experiment's seed.
    pub fn new(seed: u64) -> Self {
        let mut word = seed;
        let state = std::array::from_fn(|_| splitmix(&mut word));
        Self { state, identity: seed }
    }

    /// The generator for the part of the experiment called `name`; independent of how much was
    /// drawn from `self`.
    #[must_use]
    pub fn split(&self, name: &str) -> Self {
        let mut identity = self.identity ^ 0x9E37_79B9_7F4A_7C15;
        for byte in name.bytes() {
            identity = (identity ^ u64::from(byte)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
            identity ^= identity >> 32;
        }
        // The length keeps "ab" + "c" apart from "a" + "bc" in nested splits.
        identity ^= name.len() as u64;
        Self::new(splitmix(&mut identity))
    }

    /// All there is to know about the generator: what it takes to make the same one elsewhere.
    pub fn to_words(&self) -> [u64; 5] {
        let [a, b, c, d] = self.state;
        [a, b, c, d, self.identity]
    }

    /// The generator with these [words](Prng::to_words).
    pub fn from_words([a, b, c, d, identity]: [u64; 5]) -> Self {
        Prng { state: [a, b, c, d], identity }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in `0..bound`, without bias.
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(0 < bound, "an empty range has no member");
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.next_u64();
            if draw < limit {
                return draw % bound;
            }
        }
    }
}

fn splitmix(word: &mut u64) -> u64 {
    *word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *word;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut prng = Prng::new(42);
        let drawn: Vec<u64> = (0..3).map(|_| prng.next_u64()).collect();
        assert_eq!(
            drawn,
            [15_021_278_609_987_233_951, 5_881_210_131_331_364_753, 18_149_643_915_985_481_100]
        );
    }

    #[test]
    fn words_make_the_same_generator() {
        let mut prng = Prng::new(7).split("tank");
        prng.next_u64();
        assert_eq!(Prng::from_words(prng.to_words()), prng);
    }

    #[test]
    fn splitting_ignores_how_much_was_drawn() {
        let fresh = Prng::new(7);
        let mut used = fresh.clone();
        used.next_u64();
        assert_eq!(fresh.split("tank"), used.split("tank"));
        assert_ne!(fresh.split("tank"), fresh.split("valve"));
        assert_ne!(fresh.split("a").split("bc"), fresh.split("ab").split("c"));
    }

    #[test]
    fn below_reaches_every_member_and_no_other() {
        let mut prng = Prng::new(1);
        let mut seen = [false; 6];
        for _ in 0..200 {
            seen[usize::try_from(prng.below(6)).unwrap()] = true;
        }
        assert_eq!(seen, [true; 6]);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&prng.next_f64())));
    }
}
