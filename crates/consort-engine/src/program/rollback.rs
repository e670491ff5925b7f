//! Room for components as they were at the start of a step, or of an evaluation.

use consort_core::model::stepping::Arrival;
use consort_core::{ComponentId, SavedState, Time};
use consort_solve::integrate::Integration;

/// Components as they were.
#[derive(Default)]
pub(crate) struct Rollback {
    pub(crate) members: Vec<SavedMember>,
    /// Where groups of them that are integrated as one were.
    pub(crate) integrations: Vec<(usize, Option<Integration>)>,
}

pub(crate) struct SavedMember {
    pub(crate) component: ComponentId,
    pub(crate) state: SavedState,
    pub(crate) next_event: Option<Time>,
    pub(crate) arrival: Option<Arrival>,
}

impl Rollback {
    /// Lets the states go, so that instances may free what they hold.
    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.integrations.clear();
    }
}
