//! The scenarios that a visit has to run.

use crate::space::PrefixNode;

/// A set of indices.
pub(super) enum Wanted {
    /// The scenarios from `first` on.
    Range { first: u128, count: u128 },
    /// These, in order; some perhaps more than once.
    List(Vec<u128>),
}

impl Wanted {
    pub(super) fn list(mut indices: Vec<u128>) -> Self {
        indices.sort_unstable();
        Self::List(indices)
    }

    /// How many of those below a node are wanted.
    pub(super) fn count_in(&self, node: PrefixNode) -> u128 {
        let end = node.first + node.count;
        match self {
            Self::Range { first, count } => {
                end.min(first + count).saturating_sub(node.first.max(*first))
            }
            Self::List(indices) => (place(indices, end) - place(indices, node.first)) as u128,
        }
    }

    /// The first wanted one below a node where some are wanted.
    pub(super) fn first_in(&self, node: PrefixNode) -> u128 {
        match self {
            Self::Range { first, .. } => node.first.max(*first),
            Self::List(indices) => indices[place(indices, node.first)],
        }
    }

    /// Whether a node counts as visited here, not in the range that lies before.
    pub(super) fn owns(&self, node: PrefixNode) -> bool {
        match self {
            Self::Range { first, .. } => *first <= node.first,
            Self::List(_) => true,
        }
    }
}

fn place(indices: &[u128], index: u128) -> usize {
    indices.partition_point(|known| *known < index)
}
