//! What was tried before, and what came of it.

use consort_core::Report;
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Results by what they were made from; what cannot be made is known too.
pub(super) struct Tried<K, T>(BTreeMap<K, Option<T>>);

impl<K, T> Default for Tried<K, T> {
    fn default() -> Self {
        Tried(BTreeMap::new())
    }
}

impl<K: Ord, T> Tried<K, T> {
    /// Whether there is no need to try: it went well, or the report says already that something did not.
    pub(super) fn is_settled<Q: Ord + ?Sized>(&self, key: &Q, report: &Report) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.get(key).is_some_and(|result| result.is_some() || report.has_errors())
    }

    pub(super) fn insert(&mut self, key: K, result: Option<T>) {
        self.0.insert(key, result);
    }

    pub(super) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut T>
    where
        K: Borrow<Q>,
    {
        self.0.get_mut(key)?.as_mut()
    }
}
