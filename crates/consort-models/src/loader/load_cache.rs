//! Results of earlier loads, failed ones included.

use consort_core::Report;
use std::collections::BTreeMap;

/// Loaded items by key; `None` for those that could not be loaded.
pub(super) struct LoadCache<K, T>(BTreeMap<K, Option<T>>);

impl<K, T> Default for LoadCache<K, T> {
    fn default() -> Self {
        LoadCache(BTreeMap::new())
    }
}

impl<K: Ord, T> LoadCache<K, T> {
    /// Whether there is no need to try: it went well, or the report says already that something did not.
    pub(super) fn is_settled(&self, key: &K, report: &Report) -> bool {
        self.0.get(key).is_some_and(|result| result.is_some() || report.has_errors())
    }

    pub(super) fn insert(&mut self, key: K, result: Option<T>) {
        self.0.insert(key, result);
    }

    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut T> {
        self.0.get_mut(key)?.as_mut()
    }
}
