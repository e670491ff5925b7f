//! Drawing from a seed.

use consort_core::Prng;

/// Random decisions.
pub(super) struct Draw(Prng);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Draw(Prng::new(seed))
    }

    /// True for that many in a hundred.
    pub(super) fn percent(&mut self, share: u64) -> bool {
        self.0.below(100) < share
    }

    /// A number from `first` to `last`.
    pub(super) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.0.below(last - first + 1)
    }

    /// An index below `len`, which is not zero.
    pub(super) fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.0.below(len as u64)).expect("an index")
    }

    pub(super) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }

    /// One of the values, by weights that sum up to 100.
    pub(super) fn weighted<T: Copy>(&mut self, list: &[(u64, T)]) -> T {
        let mut left = self.0.below(100);
        for &(weight, value) in list {
            if left < weight {
                return value;
            }
            left -= weight;
        }
        list[list.len() - 1].1
    }
}
