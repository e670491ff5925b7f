//! Room for components as they were at the start of a step, or of an evaluation.

use crate::lane::SavedMember;
use consort_core::ComponentId;
use consort_solve::integrate::Integration;

/// Components as they were.
#[derive(Default)]
pub(crate) struct Rollback {
    pub(crate) members: Vec<(ComponentId, SavedMember)>,
    /// Where groups of them that are integrated as one were.
    pub(crate) integrations: Vec<(usize, Option<Integration>)>,
}

impl Rollback {
    /// Lets the states go, so that instances may free what they hold.
    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.integrations.clear();
    }
}
