//! Stages that may be run again with a shorter step, and the conditions for accepting a step.

mod constraint;

pub(crate) use constraint::Constraint;

use super::rollback::Rollback;
use super::stage::Stage;
use crate::store::Slot;
use consort_core::ComponentId;

/// Stages that may be run again with a shorter step.
pub(crate) struct Attempt {
    pub(crate) components: Vec<ComponentId>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) saved: Rollback,
    /// The real outputs, with their components: what a step's error is seen in.
    pub(crate) outputs: Vec<(usize, Slot)>,
    /// The outputs after the whole step.
    pub(crate) coarse: Vec<f64>,
    pub(crate) constraints: Vec<Constraint>,
    /// Values at the end of a step are known once `present` ran; not where some components wait until
    /// the others agree, since they must not be given anything before.
    pub(crate) looks_ahead: bool,
}

/// What the end of a step is judged by.
pub(crate) struct Seen {
    /// The real outputs, with their components.
    pub(crate) outputs: Vec<(usize, Slot)>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) looks_ahead: bool,
}

impl Attempt {
    pub(crate) fn new(
        mut components: Vec<ComponentId>,
        stages: Vec<Stage>,
        Seen { outputs, constraints, looks_ahead }: Seen,
    ) -> Self {
        components.sort_unstable();
        let count = outputs.iter().map(|(_, slot)| slot.count()).sum();
        Attempt {
            components,
            stages,
            saved: Rollback::default(),
            outputs,
            coarse: vec![0.0; count],
            constraints,
            looks_ahead,
        }
    }
}
