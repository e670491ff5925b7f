//! How long a check may take.

use super::verdict::Failure;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The least time for each provider.
const LEAST: Duration = Duration::from_secs(60);
/// As long as so many runs that are never saved; what is done all over again at each restore may take longer.
const RUNS: f64 = 50.0;
const RUNS_OF_REPLAY: f64 = 250.0;

/// When a check is given up. It decides whether there is a verdict, never which.
pub(super) struct Deadline {
    /// The requested limit.
    budget: Option<Duration>,
    end: Cell<Option<(Instant, Duration)>>,
}

impl Deadline {
    /// A deadline that has not started to count.
    pub(super) fn new(budget: Option<Duration>) -> Self {
        Deadline { budget, end: Cell::new(None) }
    }

    /// From now on there is time for runs that are never saved, which have no measure yet.
    pub(super) fn begin_plain(&self) {
        let budget = self.budget;
        self.end.set(budget.and_then(|it| Some((Instant::now().checked_add(it)?, it))));
    }

    /// From now on there is time for one provider, if a run that is never saved takes so many seconds.
    pub(super) fn begin(&self, run: f64, is_replay: bool) {
        let runs = if is_replay { RUNS_OF_REPLAY } else { RUNS };
        let scaled = Duration::try_from_secs_f64(runs * run).unwrap_or(Duration::MAX);
        let budget = self.budget.unwrap_or(LEAST.max(scaled));
        self.end.set(Instant::now().checked_add(budget).map(|end| (end, budget)));
    }

    /// Whether there is time left for an instance that is at `time`.
    pub(super) fn check(&self, time: f64) -> Result<(), Failure> {
        match self.end.get() {
            Some((end, budget)) if end <= Instant::now() => Err(Failure::late(budget, time)),
            _ => Ok(()),
        }
    }
}
