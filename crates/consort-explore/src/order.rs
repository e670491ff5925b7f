//! Random orders and random draws that can be computed at any place alone.

use consort_core::Prng;

/// Rounds of the network; four suffice against an adversary, small domains mix better with more.
const ROUNDS: usize = 12;

/// A random order of `0..count`, given by a seed: each place holds one number, without a table.
///
/// A Feistel network permutes the numbers of an even number of bits; walking along its cycle until the
/// number is in range makes it a permutation of any range (Black and Rogaway, 2002).
pub(crate) struct Permutation {
    count: u128,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    pub(crate) fn new(seed: u64, count: u128) -> Self {
        let bits = u128::BITS - count.saturating_sub(1).leading_zeros();
        let mut prng = Prng::new(seed).split("order");
        let keys = std::array::from_fn(|_| prng.next_u64());
        Self { count, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// The number at a place.
    pub(crate) fn at(&self, place: u128) -> u128 {
        assert!(place < self.count, "the place is not in the range");
        let mut number = self.mixed(place);
        while self.count <= number {
            number = self.mixed(number);
        }
        number
    }

    fn mixed(&self, number: u128) -> u128 {
        let mask = u64::MAX >> (u64::BITS - self.half_bits);
        let mut left = (number >> self.half_bits) as u64 & mask;
        let mut right = number as u64 & mask;
        for key in self.keys {
            (left, right) = (right, left ^ (scrambled(right ^ key) & mask));
        }
        u128::from(left) << self.half_bits | u128::from(right)
    }
}

fn scrambled(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number that follows from a seed and a place, and from nothing else.
pub(crate) fn order_key(seed: u64, place: u128) -> u64 {
    scrambled(scrambled(seed ^ (place >> 64) as u64) ^ place as u64)
}

/// The scenario that is drawn as the `number`th, of `count`, each equally likely: a function of the seed
/// and the number alone.
pub(crate) fn draw(seed: u64, number: u64, count: u128) -> u128 {
    let mut prng = Prng::new(seed).split("draws").split(&number.to_string());
    let mask = u128::MAX >> (count - 1).leading_zeros().min(u128::BITS - 1);
    loop {
        let word = u128::from(prng.next_u64()) << u64::BITS | u128::from(prng.next_u64());
        if word & mask < count {
            return word & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_has_one_place(seed: u64, count in 1_u128..3000) {
            let permutation = Permutation::new(seed, count);
            let mut numbers: Vec<u128> = (0..count).map(|place| permutation.at(place)).collect();
            numbers.sort_unstable();
            prop_assert!(numbers.into_iter().eq(0..count));
        }
    }

    /// Chi-square of counts that should be equal, in standard deviations from its mean.
    fn excess(counts: &[u64]) -> f64 {
        let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        let squares = counts.iter().map(|&count| (count as f64 - mean).powi(2) / mean);
        let freedom = counts.len() as f64 - 1.0;
        (squares.sum::<f64>() - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn a_number_is_at_each_place_equally_often_over_seeds() {
        for count in [3_u128, 5, 16, 77] {
            let mut counts = vec![0; usize::try_from(count).unwrap()];
            for seed in 0..20_000 {
                counts[usize::try_from(Permutation::new(seed, count).at(1)).unwrap()] += 1;
            }
            assert!(excess(&counts).abs() < 5.0, "{count}: {}", excess(&counts));
        }
    }

    #[test]
    fn draws_are_uniform_and_stay_in_range() {
        for count in [1_u128, 6, 64, 1000] {
            let mut counts = vec![0; usize::try_from(count).unwrap()];
            for number in 0..50_000 {
                counts[usize::try_from(draw(7, number, count)).unwrap()] += 1;
            }
            assert!(count == 1 || excess(&counts).abs() < 5.0, "{count}: {}", excess(&counts));
        }
        assert!(draw(7, 0, u128::MAX) != draw(7, 1, u128::MAX));
    }
}
