//! Which scenarios are run again from their start, without any restored state, and what is compared.

pub use crate::explanation::DifferenceExplanation;

use crate::order::order_key;
use crate::world::{PrefixEvaluation, RobustnessInterval};
use serde::{Deserialize, Serialize};

/// The share of scenarios that is run again unless another one is asked for.
pub const SHARE: f64 = 0.01;
/// At least so many, if there are so many and time allows.
pub const LEAVES_MIN: u128 = 20;
/// No more than this part of the periods of a campaign is spent on it, unless a share was asked for.
const PERIODS_PART: u128 = 10;
/// So many in any case.
const LEAVES_ALWAYS: usize = 4;

/// A choice of scenarios that follows from the seed and the indices alone: one of each `stride`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    seed: u64,
    /// The distance between chosen scenarios; zero chooses none.
    stride: u128,
}

impl Sample {
    /// The empty sample.
    pub const NONE: Sample = Sample { seed: 0, stride: 0 };

    /// About this share of `total` scenarios; unless it was asked for, more where these are few.
    pub fn new(seed: u64, asked: Option<f64>, total: u128) -> Self {
        let share = asked.unwrap_or(SHARE);
        let stride = if 0.0 < share { (1.0 / share).round() as u128 } else { 0 };
        let least = (total / LEAVES_MIN).max(1);
        Sample { seed, stride: if asked.is_none() { stride.min(least) } else { stride } }
    }

    /// Whether one of `count` scenarios from `first` on is chosen.
    pub fn picks(&self, first: u128, count: u128) -> bool {
        if self.stride == 0 || count == 0 {
            return false;
        }
        let last = first + (count - 1);
        let is_picked = |stratum: u128| {
            let place = u128::from(order_key(self.seed, stratum)) % self.stride;
            let picked = (stratum * self.stride).saturating_add(place);
            first <= picked && picked <= last
        };
        // Two strata hold one that is chosen, wherever they begin.
        2 * self.stride <= count || (first / self.stride..=last / self.stride).any(is_picked)
    }
}

/// Where a scenario came to, by restored states.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Leaf {
    /// The letters that led there.
    pub prefix: Vec<u32>,
    /// See [`World::marks`](crate::world::World::marks).
    pub marks: Vec<u64>,
    /// The robustness of each property.
    pub robustness: Vec<RobustnessInterval>,
}

impl Leaf {
    pub(crate) fn new(prefix: &[u32], marks: Vec<u64>, evaluation: &PrefixEvaluation) -> Self {
        Leaf { prefix: prefix.to_vec(), marks, robustness: evaluation.robustness.clone() }
    }

    /// Whether a run from the start came to the same place, to the bit.
    pub(crate) fn is_where(&self, marks: &[u64], evaluation: &PrefixEvaluation) -> bool {
        let same = |(a, b): (&RobustnessInterval, &RobustnessInterval)| {
            is_same(a.low, b.low) && is_same(a.high, b.high)
        };
        self.marks == marks
            && self.robustness.len() == evaluation.robustness.len()
            && self.robustness.iter().zip(&evaluation.robustness).all(same)
    }
}

fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// A scenario that came to another place when it was run again from its start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RerunDifference {
    /// The letters of the scenario.
    pub prefix: Vec<u32>,
    /// The explanation of the difference.
    pub explanation: DifferenceExplanation,
}

/// Which of the leaves that were picked are run again: each once, in an order that follows from the
/// seed, as many as time allows.
pub fn chosen(seed: u64, leaves: &[Leaf], nodes: u128, asked: Option<f64>) -> Vec<Leaf> {
    let mut ordered: Vec<&Leaf> = leaves.iter().collect();
    ordered.sort_by_key(|leaf| (prefix_key(seed, &leaf.prefix), &leaf.prefix));
    ordered.dedup_by_key(|leaf| &leaf.prefix);
    let mut periods = 0;
    let is_within = |(place, leaf): &(usize, &Leaf)| {
        periods += leaf.prefix.len() as u128;
        asked.is_some() || *place < LEAVES_ALWAYS || periods * PERIODS_PART <= nodes
    };
    ordered.into_iter().enumerate().take_while(is_within).map(|(_, leaf)| leaf.clone()).collect()
}

fn prefix_key(seed: u64, prefix: &[u32]) -> u64 {
    prefix.iter().fold(seed, |key, letter| order_key(key, u128::from(*letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_picked_whatever_the_ranges_are() {
        for (asked, total, expected) in [
            (None, 100_000, 1000),
            (None, 400, 20),
            (None, 7, 7),
            (Some(0.1), 400, 40),
            (Some(0.0), 400, 0),
        ] {
            let sample = Sample::new(5, asked, total);
            let single = (0..total).filter(|&index| sample.picks(index, 1)).count();
            assert_eq!(single, expected, "{asked:?} of {total}");
        }
        let sample = Sample::new(5, Some(0.1), 1000);
        for first in 0..100 {
            for count in 1..40 {
                let one_by_one = (first..first + count).any(|index| sample.picks(index, 1));
                assert_eq!(sample.picks(first, count), one_by_one, "{first}, {count}");
            }
        }
        assert!(sample.picks(u128::MAX - 50, 50), "also at the end of the numbers");
    }

    #[test]
    fn other_seeds_pick_others() {
        let picked = |seed: u64| -> Vec<u128> {
            let sample = Sample::new(seed, None, 10_000);
            (0..10_000).filter(|&index| sample.picks(index, 1)).collect()
        };
        assert_ne!(picked(1), picked(2));
        assert_eq!(picked(1), picked(1));
    }

    fn leaf(letter: u32, length: usize) -> Leaf {
        Leaf { prefix: vec![letter; length], marks: Vec::new(), robustness: Vec::new() }
    }

    #[test]
    fn each_leaf_is_run_once_and_no_more_than_a_tenth_of_the_periods() {
        let leaves: Vec<Leaf> = (0..50).chain(0..50).map(|letter| leaf(letter, 10)).collect();
        assert_eq!(chosen(3, &leaves, 1_000_000, None).len(), 50);
        assert_eq!(chosen(3, &leaves, 1_000, None).len(), 10);
        assert_eq!(chosen(3, &leaves, 1, None).len(), LEAVES_ALWAYS);
        assert_eq!(chosen(3, &leaves, 1, Some(1.0)).len(), 50, "all, if all are asked for");
        let mut turned = leaves.clone();
        turned.reverse();
        assert_eq!(chosen(3, &turned, 1_000, None), chosen(3, &leaves, 1_000, None));
        assert_ne!(chosen(4, &leaves, 1_000, None), chosen(3, &leaves, 1_000, None));
    }
}
