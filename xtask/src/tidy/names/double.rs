//! Type names that are still defined twice, in groups by the crates whose names are to change.

use std::collections::BTreeSet;

/// This list only shrinks: a name that is defined once now is to be removed.
pub(super) fn names() -> BTreeSet<&'static str> {
    [MODELS].concat().into_iter().collect()
}

/// models, export.
const MODELS: &[&str] = &["Run"];
