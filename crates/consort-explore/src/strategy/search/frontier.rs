//! The nodes a search may continue from, best first.

use super::super::Reached;
use crate::world::RobustnessInterval;
use consort_core::Prng;
use std::collections::BTreeSet;

/// A node, ordered by how promising it is: by its score, then the one with more letters, then at random, so
/// that equally good nodes are not taken in the order of their letters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    score: i64,
    letters_missing: u32,
    lot: u64,
    prefix: Vec<u32>,
}

impl Candidate {
    pub(super) fn new(reached: &Reached, seed: u64) -> Self {
        let prefix = reached.prefix.clone();
        let lot = Prng::new(seed).split("lots").split(&format!("{prefix:?}")).next_u64();
        let letters = u32::try_from(prefix.len()).expect("a prefix has no more letters than u32");
        Self {
            score: ordered(score(&reached.robustness)),
            letters_missing: u32::MAX - letters,
            lot,
            prefix,
        }
    }
}

/// How far the worst property is from being violated, as far as that is known: the least robustness seen,
/// or, where nothing bounds it from above yet, the least it can become.
fn score(robustness: &[RobustnessInterval]) -> f64 {
    let level =
        |bounds: &RobustnessInterval| match (bounds.low.is_finite(), bounds.high.is_finite()) {
            (_, true) => bounds.high,
            (true, false) => bounds.low,
            (false, false) => f64::INFINITY,
        };
    robustness.iter().map(level).min_by(f64::total_cmp).unwrap_or(f64::INFINITY)
}

/// An integer in the order of the doubles.
fn ordered(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// The nodes known and not expanded.
pub(super) struct Frontier {
    candidates: BTreeSet<Candidate>,
    merge_equal: bool,
    /// Futures that are known: the number of letters, what the space allows, what the world is.
    futures: BTreeSet<(usize, u32, u128)>,
    depth: u32,
}

impl Frontier {
    pub(super) fn new(merge_equal: bool) -> Self {
        Self { candidates: BTreeSet::new(), merge_equal, futures: BTreeSet::new(), depth: 0 }
    }

    /// Adds a node, unless one with the same future was added before.
    pub(super) fn push(&mut self, candidate: Candidate, reached: &Reached) {
        if let Some(fingerprint) = reached.fingerprint.filter(|_| self.merge_equal)
            && !self.futures.insert((reached.prefix.len(), reached.state, fingerprint))
        {
            return;
        }
        self.depth = self.depth.max(u32::MAX - candidate.letters_missing);
        self.candidates.insert(candidate);
    }

    /// Leaves out all but the best.
    pub(super) fn keep(&mut self, count: u32) {
        while (count as usize) < self.candidates.len() {
            self.candidates.pop_last();
        }
    }

    /// Removes and returns the best nodes.
    pub(super) fn pop(&mut self, count: u32) -> Vec<Vec<u32>> {
        let best = (0..count).map_while(|_| self.candidates.pop_first());
        best.map(|candidate| candidate.prefix).collect()
    }

    /// The most letters of any node so far.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ordered_as_numbers() {
        let numbers = [f64::NEG_INFINITY, -2.0, -0.5, -0.0, 0.0, 1e-300, 3.0, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert!(ordered(pair[0]) < ordered(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn the_score_is_what_is_known_of_the_worst_property() {
        let check = |robustness: &[(f64, f64)], expected: f64| {
            let bounds = robustness.iter().map(|&(low, high)| RobustnessInterval { low, high });
            let found = score(&bounds.collect::<Vec<RobustnessInterval>>());
            assert!(found.total_cmp(&expected).is_eq(), "{robustness:?}: {found}");
        };
        let (none, all) = (f64::NEG_INFINITY, f64::INFINITY);
        check(&[(none, 2.0), (none, 1.0)], 1.0);
        check(&[(-3.0, all), (none, 1.0)], -3.0);
        check(&[(none, all)], all);
        check(&[], all);
    }
}
