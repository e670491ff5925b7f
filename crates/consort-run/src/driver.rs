//! Drives a run from its start to its end: progress, pacing, Ctrl-C.
//!
//! Nothing here reaches the trace: how far each `advance` goes depends on the clock, what it
//! computes does not.

use crate::cancel::CancelToken;
use crate::files::log::Log;
use crate::files::recorder::Recorder;
use crate::monitor::ProgressReporter;
use crate::prepared::Prepared;
use crate::saving::Saving;
use consort_core::{Diagnostic, Resolution, Time};
use consort_engine::{Advance, CallSink, ChunkSink, Part, Run, RunError, RunOptions, Summary};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An `advance` that takes less than this is followed by a longer one.
const SLICE_MIN: Duration = Duration::from_millis(10);
/// An `advance` that takes more than this is followed by a shorter one, so that Ctrl-C is noticed.
const SLICE_MAX: Duration = Duration::from_millis(50);
/// Rows are written at least so often: who kills the run loses no more, and who follows a file sees them.
const HAND_OVER: Duration = Duration::from_millis(20);
/// Lateness up to this is the operating system's and not worth a line in the log.
const LATE_MIN: Duration = Duration::from_millis(1);

/// What a run needs besides its system.
pub struct DriverSettings<'a> {
    /// The number of workers.
    pub workers: usize,
    /// FMUs log all they can.
    pub verbose: bool,
    /// Where to end, if that is before the experiment's stop.
    pub until: Option<Time>,
    /// The state to resume from, as the engine wrote it; from the start without it.
    pub snapshot: Option<&'a [u8]>,
    /// The saves of the run.
    pub saving: Saving,
    /// Saves are checked by restored twins.
    pub verify: bool,
    /// How many simulated seconds pass per second; `None`: as fast as it can.
    pub real_time: Option<f64>,
    /// Receives log lines.
    pub log: Arc<Log>,
    /// Receives the rows.
    pub sink: Option<Box<dyn ChunkSink>>,
    /// Receives every step of every component.
    pub calls: Option<Box<dyn CallSink>>,
    /// Which part of the system this is, if it is not the whole.
    pub part: Option<Part>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// It came to its stop time.
    Finished,
    /// A component asked for the end.
    Terminated {
        /// The name of the component.
        component: String,
    },
    /// The user asked for the end.
    Interrupted,
    /// An instance failed.
    Failed {
        /// The error that ended the run.
        error: RunError,
    },
    /// The trace could not be written any more.
    RecordingFailed,
    /// A node of a distributed run died or failed.
    Lost {
        /// The error that ended the run.
        failure: Box<Diagnostic>,
    },
}

impl End {
    /// Its name in the manifest.
    pub fn name(&self) -> &'static str {
        match self {
            End::Finished => "finished",
            End::Terminated { .. } => "terminated",
            End::Interrupted => "interrupted",
            End::Failed { .. } | End::RecordingFailed | End::Lost { .. } => "failed",
        }
    }
}

/// The result of a run from its start to its end, before its record is complete.
pub struct RunOutcome {
    /// How the run ended.
    pub end: End,
    /// Where, and the hashes.
    pub summary: Summary,
    /// Wall-clock times.
    pub timing: RunTiming,
    /// When the last step was done; instances are ended and rows are written after it.
    pub ended: Instant,
    /// What was saved on the way.
    pub saving: Saving,
}

/// Wall-clock times; never part of the trace.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct RunTiming {
    /// Making and initializing the instances.
    pub start: Duration,
    /// From the first step to the last.
    pub run: Duration,
    /// How many steps of a paced run were late, and by how much at most.
    pub late: u64,
    /// The greatest delay behind the pace.
    pub late_max: Duration,
}

/// A run that has started.
pub struct Driver<'p> {
    run: Run,
    prepared: &'p Prepared,
    workers: usize,
    log: Arc<Log>,
    resolution: Resolution,
    start: Time,
    stop: Time,
    grid: Time,
    real_time: Option<f64>,
    timing: RunTiming,
    saving: Saving,
    is_part: bool,
}

impl<'p> Driver<'p> {
    /// Makes and initializes the instances.
    ///
    /// # Errors
    /// If one of them fails; all are ended then.
    pub fn start(
        prepared: &'p Prepared,
        mut settings: DriverSettings<'_>,
    ) -> Result<Self, RunError> {
        let began = Instant::now();
        let experiment = &prepared.resolved().experiment;
        let (resolution, stop) = (experiment.resolution, experiment.stop);
        let grid = prepared.shortest_period();
        let is_part = settings.part.is_some();
        if settings.verify && !is_part {
            settings.saving.plan_checks(prepared, settings.real_time.is_some());
        }
        let workers = settings.workers;
        let options = RunOptions {
            workers: settings.workers,
            log: settings.log.sink(),
            verbose: settings.verbose,
            recorder: settings.sink,
            call_log: settings.calls,
            observer: None,
            part: settings.part,
        };
        let executable = prepared.executable();
        let run = match settings.snapshot {
            None => Run::start(executable, options),
            Some(state) => Run::resume(executable, options, state),
        }?;
        Ok(Driver {
            start: run.tag().time,
            run,
            prepared,
            workers,
            log: settings.log,
            resolution,
            stop: settings.until.map_or(stop, |until| until.min(stop)),
            grid: grid.unwrap_or(experiment.stop - experiment.start),
            real_time: settings.real_time,
            timing: RunTiming { start: began.elapsed(), ..RunTiming::default() },
            saving: settings.saving,
            is_part,
        })
    }

    /// The saves that wait, and those that were made.
    pub fn saving(&self) -> &Saving {
        &self.saving
    }

    /// The time up to which everything is done.
    pub fn now(&self) -> Time {
        self.run.tag().time
    }

    /// Runs to the end, whatever it is, and ends all instances.
    pub fn drive(
        mut self,
        recorder: Option<&Recorder>,
        progress: &mut ProgressReporter,
        cancel: &CancelToken,
    ) -> RunOutcome {
        let began = Instant::now();
        // What is to be saved must come to the end of its step.
        if self.saving.times().is_empty() {
            self.run.set_cancel_flag(cancel.flag());
        }
        let end = self.advance_to_end(recorder, progress, cancel);
        if matches!(end, End::Finished | End::Terminated { .. }) {
            self.run.hand_over_rows();
        }
        match end {
            // Other nodes may have gone further.
            End::Terminated { .. } if self.is_part => {}
            End::Finished | End::Terminated { .. } => self.saving.save_at_end(&mut self.run),
            End::Interrupted => self.saving.save_interrupted(&mut self.run),
            End::Failed { .. } | End::RecordingFailed | End::Lost { .. } => {}
        }
        let end = match end {
            // The wait for another node was cancelled: there is no state to save, and no node failed.
            End::Failed { error: RunError::Courier { .. } } if cancel.is_cancelled() => {
                End::Interrupted
            }
            end => end,
        };
        progress.end(self.resolution.to_f64(self.run.tag().time));
        let ended = Instant::now();
        self.timing.run = ended - began;
        let Driver { mut run, timing, mut saving, prepared, workers, .. } = self;
        saving.before_last_checks(&mut run);
        let summary = run.finish();
        let end = match (end, saving.check_last(prepared, workers)) {
            (End::Finished | End::Terminated { .. } | End::Interrupted, Err(error)) => {
                End::Failed { error }
            }
            (end, _) => end,
        };
        RunOutcome { end, summary, timing, ended, saving }
    }

    fn advance_to_end(
        &mut self,
        recorder: Option<&Recorder>,
        progress: &mut ProgressReporter,
        cancel: &CancelToken,
    ) -> End {
        let began = Instant::now();
        let mut slice = 1;
        let mut now = self.start;
        let mut handed_over = began;
        loop {
            if cancel.is_cancelled() {
                return End::Interrupted;
            }
            if recorder.is_some_and(Recorder::has_failed) {
                return End::RecordingFailed;
            }
            if self.saving.next().is_some_and(|at| at <= now) {
                // A resumed run finds all rows before the snapshot.
                self.hand_over(recorder);
                self.saving.save_due(now, &mut self.run);
            }
            let called = Instant::now();
            let until = self.next_time(now, slice);
            let advanced = self.run.advance(until).and_then(|advanced| {
                let checked = self.saving.stepped(&self.run, until, self.prepared, self.workers);
                checked.map(|()| advanced)
            });
            match advanced {
                Ok(Advance::Reached) if until < self.stop => now = until,
                Ok(Advance::Reached | Advance::Finished | Advance::Decided) => {
                    self.keep_pace(self.stop, began, cancel);
                    return End::Finished;
                }
                Ok(Advance::Terminated { component }) => return End::Terminated { component },
                Err(error) if error.is_cancelled() => return End::Interrupted,
                Err(error) => return End::Failed { error },
            }
            // Who receives progress finds all rows up to there, whatever happens next.
            progress.at_after(self.resolution.to_f64(now), || self.hand_over(recorder));
            if HAND_OVER <= handed_over.elapsed() {
                self.run.hand_over_rows();
                handed_over = Instant::now();
            }
            slice = next_slice(slice, called.elapsed(), self.real_time.is_some());
            self.keep_pace(now, began, cancel);
        }
    }

    /// Waits until all rows so far are written.
    fn hand_over(&mut self, recorder: Option<&Recorder>) {
        if let Some(recorder) = recorder {
            self.run.hand_over_rows();
            recorder.flush();
        }
    }

    /// `slice` points of the grid later, or the end.
    fn next_time(&mut self, now: Time, slice: i64) -> Time {
        let later = self.grid.checked_mul(slice).and_then(|length| now.checked_add(length));
        let mut later = later.unwrap_or(self.stop).min(self.stop);
        if self.saving.is_watching() {
            // What goes wrong here goes wrong in the step as well, and is reported there.
            later = self.run.next_time().map_or(later, |next| later.min(next));
        }
        self.saving.next().map_or(later, |save| later.min(save))
    }

    /// Waits until the clock has come as far as the run, or notes by how much it is ahead.
    fn keep_pace(&mut self, now: Time, began: Instant, cancel: &CancelToken) {
        let Some(factor) = self.real_time else { return };
        let simulated = self.resolution.to_f64(now - self.start);
        let Ok(due) = Duration::try_from_secs_f64(simulated / factor) else { return };
        let elapsed = began.elapsed();
        if elapsed < due {
            return cancel.wait(due - elapsed);
        }
        let late = elapsed - due;
        if LATE_MIN < late {
            self.timing.late += 1;
            self.timing.late_max = self.timing.late_max.max(late);
            let t = self.resolution.to_f64(now);
            self.log.event(&json!({"event": "late", "t": t, "seconds": late.as_secs_f64()}));
        }
    }
}

pub(crate) fn next_slice(slice: i64, took: Duration, is_paced: bool) -> i64 {
    match took {
        _ if is_paced => 1,
        _ if took < SLICE_MIN => slice.saturating_mul(2),
        _ if SLICE_MAX < took => (slice / 2).max(1),
        _ => slice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_the_clock_unless_the_run_is_paced() {
        let (short, right, long) =
            (Duration::from_millis(1), Duration::from_millis(20), Duration::from_millis(500));
        assert_eq!(next_slice(4, short, false), 8);
        assert_eq!(next_slice(4, right, false), 4);
        assert_eq!(next_slice(4, long, false), 2);
        assert_eq!(next_slice(1, long, false), 1);
        assert_eq!(next_slice(4, short, true), 1);
        assert_eq!(next_slice(i64::MAX, short, false), i64::MAX);
    }
}
