//! Counters of a run.

/// How much a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Statistics {
    /// Tags after the first.
    pub tags: u64,
    /// Number of components.
    pub components: usize,
    /// Lanes: groups of instances that run one after another.
    pub lanes: usize,
    /// Number of workers.
    pub workers: usize,
    /// The most workers that were busy at once.
    pub busy_max: usize,
    /// Steps that might have been rejected and were not.
    pub steps_accepted: u64,
    /// Steps that were rejected.
    pub steps_rejected: u64,
    /// Number of evaluations of loops.
    pub loop_evaluations: u64,
}

impl Statistics {
    /// The counters of a run, by the names of [`Statistics::counts`].
    pub(crate) const COUNTED: [&str; 4] =
        ["tags", "steps_accepted", "steps_rejected", "loop_evaluations"];

    /// The counters of a run.
    pub fn counts(&self) -> [u64; 4] {
        [self.tags, self.steps_accepted, self.steps_rejected, self.loop_evaluations]
    }

    /// The same with other counts, as [`Statistics::counts`] gave them earlier.
    #[must_use]
    pub fn with_counts(self, counts: [u64; 4]) -> Self {
        let [tags, steps_accepted, steps_rejected, loop_evaluations] = counts;
        Statistics { tags, steps_accepted, steps_rejected, loop_evaluations, ..self }
    }

    /// What another node did beside; all nodes go through the same tags.
    pub fn add(&mut self, other: &Statistics) {
        self.tags = self.tags.max(other.tags);
        self.components += other.components;
        self.lanes += other.lanes;
        self.workers += other.workers;
        self.busy_max += other.busy_max;
        self.steps_accepted += other.steps_accepted;
        self.steps_rejected += other.steps_rejected;
        self.loop_evaluations += other.loop_evaluations;
    }
}
