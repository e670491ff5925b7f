//! Snapshots of many prefixes within a budget.
//!
//! What to let go is decided by GreedyDual: each snapshot is worth what bringing it back would cost, in
//! periods to compute again from the nearest ancestor, per byte that only it holds; the worth of what was
//! let go last is added to all that comes or is used later, so that what is not used grows old.

use crate::budget::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// Snapshots by prefix.
pub struct SnapshotArchive<S> {
    budget: Budget,
    entries: BTreeMap<Vec<u32>, Entry<S>>,
    /// By worth, least first; then by the number of the use, oldest first.
    ranking: BTreeSet<(Worth, u64, Vec<u32>)>,
    bytes: u64,
    /// The worth of what was let go last.
    age: f64,
    uses: u64,
}

struct Entry<S> {
    saved: S,
    bytes: u64,
    worth: Worth,
    used: u64,
}

/// A worth that is never negative, in an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Worth(u64);

impl Worth {
    fn new(worth: f64) -> Self {
        // The bits of doubles that are not negative are ordered as the doubles are.
        Self(worth.to_bits())
    }
}

impl<S> SnapshotArchive<S> {
    /// An empty archive.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            entries: BTreeMap::new(),
            ranking: BTreeSet::new(),
            bytes: 0,
            age: 0.0,
            uses: 0,
        }
    }

    /// The number of snapshots held.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many bytes are held that no other snapshot holds.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether this very prefix is held.
    pub fn contains(&self, prefix: &[u32]) -> bool {
        self.entries.contains_key(prefix)
    }

    /// The snapshot of the longest held beginning of `prefix`, with its length. That is a use of it.
    pub fn nearest(&mut self, prefix: &[u32]) -> Option<(usize, &S)> {
        let length = self.nearest_length(prefix)?;
        self.touch(&prefix[..length]);
        self.entries.get(&prefix[..length]).map(|entry| (length, &entry.saved))
    }

    /// Holds a snapshot, and lets others go, or this one, until all is within the budget.
    pub fn insert(&mut self, prefix: &[u32], saved: S, bytes: u64) {
        self.remove(prefix);
        let entry = Entry { saved, bytes, worth: Worth::new(0.0), used: 0 };
        self.entries.insert(prefix.to_vec(), entry);
        self.ranking.insert((Worth::new(0.0), 0, prefix.to_vec()));
        self.bytes += bytes;
        self.touch(prefix);
        while self.budget.snapshots_max < self.len() || self.budget.bytes_max < self.bytes {
            let Some((worth, _, least)) = self.ranking.first().cloned() else { break };
            self.age = f64::from_bits(worth.0);
            self.remove(&least);
        }
    }

    /// Removes all snapshots.
    pub fn clear(&mut self) {
        *self = Self::new(self.budget);
    }

    fn nearest_length(&self, prefix: &[u32]) -> Option<usize> {
        (0..=prefix.len()).rev().find(|&length| self.entries.contains_key(&prefix[..length]))
    }

    fn remove(&mut self, prefix: &[u32]) {
        if let Some(entry) = self.entries.remove(prefix) {
            self.ranking.remove(&(entry.worth, entry.used, prefix.to_vec()));
            self.bytes -= entry.bytes;
        }
    }

    /// Notes a use: it is worth its full price again.
    fn touch(&mut self, prefix: &[u32]) {
        let above = prefix.len().checked_sub(1).map(|length| &prefix[..length]);
        let nearest = above.and_then(|above| self.nearest_length(above)).unwrap_or(0);
        let distance = (prefix.len() - nearest) as f64;
        self.uses += 1;
        let entry = self.entries.get_mut(prefix).expect("only what is held is used");
        self.ranking.remove(&(entry.worth, entry.used, prefix.to_vec()));
        entry.worth = Worth::new(self.age + distance / entry.bytes.max(1) as f64);
        entry.used = self.uses;
        self.ranking.insert((entry.worth, entry.used, prefix.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(snapshots_max: usize, bytes_max: u64) -> SnapshotArchive<&'static str> {
        SnapshotArchive::new(Budget { snapshots_max, bytes_max })
    }

    #[test]
    fn the_longest_held_beginning_is_found() {
        let mut archive = archive(8, 100);
        archive.insert(&[1], "one", 1);
        archive.insert(&[1, 2, 3], "three", 1);
        assert_eq!(archive.nearest(&[1, 2, 3, 4]), Some((3, &"three")));
        assert_eq!(archive.nearest(&[1, 2]), Some((1, &"one")));
        assert_eq!(archive.nearest(&[2]), None);
    }

    #[test]
    fn what_costs_least_per_byte_to_bring_back_goes_first() {
        let mut archive = archive(2, 100);
        archive.insert(&[1, 1, 1, 1], "far", 1);
        archive.insert(&[1, 1, 1, 1, 1], "one step away", 1);
        archive.insert(&[2, 2, 2], "three steps", 1);
        assert!(!archive.contains(&[1, 1, 1, 1, 1]));
        archive.insert(&[3, 3, 3, 3, 3, 3], "six steps, eight times the bytes", 8);
        assert!(!archive.contains(&[3, 3, 3, 3, 3, 3]));
        assert_eq!(archive.len(), 2);
    }

    #[test]
    fn what_is_not_used_grows_old() {
        let mut archive = archive(2, 100);
        archive.insert(&[9, 9, 9], "three steps", 1);
        for letter in 0..4 {
            archive.insert(&[letter, 0], "two steps", 1);
        }
        assert!(!archive.contains(&[9, 9, 9]));
    }

    #[test]
    fn the_bytes_stay_within_the_budget() {
        let mut archive = archive(100, 10);
        for letter in 0..20 {
            archive.insert(&[letter], "three bytes", 3);
            assert!(archive.bytes() <= 10);
        }
        assert_eq!((archive.len(), archive.bytes()), (3, 9));
        archive.insert(&[1, 1], "too large", 11);
        assert!(archive.bytes() <= 10);
        assert!(!archive.contains(&[1, 1]));
    }
}
