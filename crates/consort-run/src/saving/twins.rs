//! Saves that are checked: a restored twin takes the steps after a save again, and every bit is compared.
//!
//! The first save is checked, then the second, the fourth, the eighth and so on. How many steps a twin takes
//! follows from the experiment alone, so that what is found does not depend on the clock.

use crate::prepared::Prepared;
use consort_core::{Diagnostic, Model, Provider, Resolution, Tag, Time};
use consort_engine::{Run, RunError, RunOptions, Trail};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Twins take no more than this part of the steps of the run,
const STEPS_PART: i64 = 25;
/// but so many each at least,
const STEPS_MIN: i64 = 2;
/// and so many at most.
const STEPS_MAX: i64 = 100;

/// The checks of a run's saves.
#[derive(Default)]
pub(super) struct TwinChecks {
    /// How many steps a twin takes; zero if nothing is checked.
    steps: usize,
    /// A twin may live beside the run: they share nothing.
    is_beside: bool,
    /// The number of saves.
    saves: u64,
    /// The number of the save that is checked next.
    next: u64,
    /// The save that is checked, and what has followed it so far.
    trail: Option<Trail>,
    /// Those whose twins have not started yet.
    waiting: Vec<Trail>,
    /// How many twins there were, how many steps they took, and how long.
    done: (u64, u64, Duration),
    /// Why a twin could not be made.
    unmade: Option<RunError>,
}

impl TwinChecks {
    /// The checks of a run that is to be saved so often.
    pub(super) fn plan(prepared: &Prepared, saves: usize, is_paced: bool) -> Self {
        // A twin of a state that is made by doing everything again takes as long as the run.
        let is_replayed =
            |model: &Arc<dyn Model>| model.description().state_provider() == Provider::Replay;
        if prepared.executable().models().iter().any(is_replayed) {
            return TwinChecks::default();
        }
        let experiment = &prepared.resolved().experiment;
        let length = (experiment.stop - experiment.start).ticks();
        let steps = length / grid(prepared).ticks().max(1);
        let twins = i64::from(saves.max(1).ilog2()) + 1;
        let each = (steps / STEPS_PART / twins).clamp(STEPS_MIN, STEPS_MAX);
        let shares_nothing = |model: &Arc<dyn Model>| {
            let can = &model.description().capabilities;
            can.lane.is_none() && !can.single_instance
        };
        TwinChecks {
            steps: usize::try_from(each).unwrap_or(0),
            is_beside: !is_paced && prepared.executable().models().iter().all(shares_nothing),
            next: 1,
            ..TwinChecks::default()
        }
    }

    /// Where to save a run that is saved at its end only, so that there are steps to be taken again.
    pub(super) fn before_end(&self, prepared: &Prepared) -> Option<Time> {
        // Where a run is saved that notices it is part of what happens: it is saved where that was asked for only.
        if self.steps == 0 || prepared.is_restore_noticed() {
            return None;
        }
        let experiment = &prepared.resolved().experiment;
        let length = grid(prepared).checked_mul(i64::try_from(self.steps).ok()?)?;
        Some((experiment.stop - length).max(experiment.start))
    }

    /// The run was saved.
    pub(super) fn saved(&mut self, tag: Tag, state: &[u8]) {
        self.saves += 1;
        match &mut self.trail {
            Some(trail) => trail.note_save(),
            None if 0 < self.steps && self.next <= self.saves => {
                self.trail = Some(Trail::new(tag, state.to_vec()));
                self.next = 2 * self.saves;
            }
            None => {}
        }
    }

    /// Whether every step counts now.
    pub(super) fn is_watching(&self) -> bool {
        self.trail.is_some()
    }

    /// The run was asked to advance to a time, and did.
    pub(super) fn stepped(&mut self, run: &Run, until: Time) {
        let Some(trail) = &mut self.trail else { return };
        trail.note(run, until);
        if self.steps <= trail.len() {
            self.waiting.extend(self.trail.take());
        }
    }

    /// Lets twins go that may live beside the run.
    pub(super) fn check(&mut self, prepared: &Prepared, workers: usize) -> Result<(), RunError> {
        if self.is_beside { self.follow(prepared, workers) } else { Ok(()) }
    }

    /// The run is at its end. It is saved once more, so that states that share one place are found.
    pub(super) fn save_last(&self, run: &mut Run) {
        if self.trail.is_some() || !self.waiting.is_empty() {
            // Whether that works does not matter any more.
            let _ = run.snapshot();
        }
    }

    /// The run is over: starts all twins that have not started yet.
    pub(super) fn check_last(
        &mut self,
        prepared: &Prepared,
        workers: usize,
    ) -> Result<(), RunError> {
        self.waiting.extend(self.trail.take().filter(|trail| !trail.is_empty()));
        self.follow(prepared, workers)
    }

    fn follow(&mut self, prepared: &Prepared, workers: usize) -> Result<(), RunError> {
        for trail in std::mem::take(&mut self.waiting) {
            let began = Instant::now();
            let options = RunOptions::quiet(workers);
            match trail.follow(prepared.executable(), options) {
                Err(error) if error.is_before_start() || error.is_accident() => {
                    self.unmade = Some(error);
                    continue;
                }
                followed => followed?,
            }
            let (twins, steps, time) = &mut self.done;
            (*twins, *steps) = (*twins + 1, *steps + trail.len() as u64);
            *time += began.elapsed();
        }
        Ok(())
    }

    /// Why a save was not checked; the save itself may be right.
    pub(super) fn take_problem(&mut self, resolution: Resolution) -> Option<Diagnostic> {
        let reason = self.unmade.take()?.diagnostic(resolution);
        let message = "saves were not checked: no second instance could be restored beside the run";
        let problem = Diagnostic::warning("run::not-checked", message);
        let notes = std::iter::once(reason.message).chain(reason.notes);
        let problem = notes.fold(problem, Diagnostic::with_note);
        Some(problem.help(
            "`run --resume FILE --verify` compares a resumed run with one from the start; `isolate = true` \
             of a component gives every instance a process of its own",
        ))
    }

    /// For the manifest; nothing if no save was checked.
    pub(super) fn to_json(&self) -> Value {
        match self.done {
            (0, ..) => Value::Null,
            (saves, steps, time) => {
                json!({"saves": saves, "steps": steps, "seconds": time.as_secs_f64()})
            }
        }
    }
}

/// The shortest time between two steps.
fn grid(prepared: &Prepared) -> Time {
    let experiment = &prepared.resolved().experiment;
    prepared.shortest_period().unwrap_or(experiment.stop - experiment.start)
}
