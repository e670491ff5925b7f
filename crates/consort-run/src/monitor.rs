//! Reports during a run, by callbacks: progress, waits, log lines.

use crate::cancel::CancelToken;
use consort_core::LogEntry;
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often progress is reported.
const INTERVAL: Duration = Duration::from_millis(100);

/// Receives what is reported while a run is prepared and carried out. Every method may be called from any thread.
pub trait Monitor: Send + Sync {
    /// Something begins that may take long and has no measure: `loading the models`. It is over when the guard is
    /// dropped.
    fn waiting(&self, _what: &str) -> Waiting {
        Waiting::default()
    }

    /// Receives the progress of a run.
    fn progress(&self, _progress: &ProgressReport<'_>) {}

    /// Receives the progress of a campaign.
    fn campaign(&self, _progress: &CampaignProgress) {}

    /// A line for the user.
    fn message(&self, _line: &str) {}

    /// A model logged something.
    fn log(&self, _entry: &LogEntry) {}

    /// Models are to log all they can.
    fn is_verbose(&self) -> bool {
        false
    }
}

/// A monitor that ignores all reports.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Silent;

impl Monitor for Silent {}

/// What receives the reports of a run, and what may cancel it.
#[derive(Clone)]
pub struct Context {
    /// Receives progress, log lines and messages.
    pub monitor: Arc<dyn Monitor>,
    /// Ends the run early.
    pub cancel: Arc<CancelToken>,
}

/// Nothing is reported, and only the run itself ends.
impl Default for Context {
    fn default() -> Self {
        Context { monitor: Arc::new(Silent), cancel: Arc::default() }
    }
}

/// Something that is waited for, until this is dropped.
#[derive(Default)]
pub struct Waiting {
    _guard: Option<Box<dyn Any + Send>>,
}

impl Waiting {
    /// Ends when `guard` is dropped.
    pub fn until(guard: impl Any + Send) -> Self {
        Waiting { _guard: Some(Box::new(guard)) }
    }
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProgressReport<'a> {
    /// The run's name.
    pub name: &'a str,
    /// Where it is, in simulated seconds.
    pub time: f64,
    /// Where it will stop, in simulated seconds.
    pub stop: f64,
    /// The share that is done, from 0 to 1.
    pub share: f64,
    /// Simulated seconds per second.
    pub rate: f64,
    /// Seconds until the end, if that can be guessed.
    pub seconds_left: Option<f64>,
    /// How long it has been computing.
    pub elapsed: Duration,
    /// Whether this is the last report.
    pub is_end: bool,
}

/// How far a campaign is.
#[derive(Clone, PartialEq, Debug)]
pub struct CampaignProgress {
    /// The campaign's name.
    pub name: String,
    /// The number of scenarios that are done.
    pub done: u128,
    /// How many there are, if that is known.
    pub total: Option<u128>,
    /// The number of scenarios that violate a property.
    pub violated: u128,
    /// How many could not be run.
    pub failed: u128,
    /// The least robustness so far.
    pub lowest: Option<f64>,
    /// The probability that a violation was missed.
    pub omission: Option<f64>,
    /// Bounds of the probability of a violation.
    pub estimate: Option<(f64, f64)>,
    /// The number of snapshots that workers hold.
    pub snapshots: u64,
    /// The number of workers.
    pub workers: usize,
    /// Scenarios per second.
    pub rate: f64,
    /// Seconds until the end, if that can be guessed.
    pub seconds_left: Option<f64>,
    /// How long it has been computing.
    pub elapsed: Duration,
    /// Whether this is the last report.
    pub is_end: bool,
}

/// Called with how far a run is, in seconds.
pub type Listener = Box<dyn FnMut(f64) + Send>;

/// Reports how far a run is, at intervals.
pub struct ProgressReporter {
    context: Context,
    name: String,
    start: f64,
    stop: f64,
    began: Instant,
    reported: Option<Instant>,
    listener: Option<Listener>,
}

impl ProgressReporter {
    /// For a run of `name` from `start` to `stop`, in seconds.
    pub fn new(context: &Context, name: &str, start: f64, stop: f64) -> Self {
        let (context, name, began) = (context.clone(), name.to_owned(), Instant::now());
        ProgressReporter { context, name, start, stop, began, reported: None, listener: None }
    }

    /// Calls `listener`, if there is one, instead of the monitor.
    pub fn set_listener(&mut self, listener: Option<Listener>) {
        self.listener = listener;
    }

    /// The run is at `time`, in seconds.
    pub fn at(&mut self, time: f64) {
        self.at_after(time, || ());
    }

    /// The same; before the listener is called, `prepare` is.
    pub fn at_after(&mut self, time: f64, prepare: impl FnOnce()) {
        let now = Instant::now();
        if self.reported.is_some_and(|before| now - before < INTERVAL) {
            return;
        }
        self.reported = Some(now);
        match &mut self.listener {
            Some(listener) => {
                prepare();
                listener(time);
            }
            None => self.report(time, false),
        }
    }

    /// The run has ended at `time`, in seconds.
    pub fn end(&mut self, time: f64) {
        self.report(time, true);
    }

    fn report(&self, time: f64, is_end: bool) {
        let span = RunSpan { start: self.start, stop: self.stop };
        let report = span.report(&self.name, time, self.began.elapsed());
        self.context.monitor.progress(&ProgressReport { is_end, ..report });
    }
}

/// From when to when a run goes, in seconds.
struct RunSpan {
    start: f64,
    stop: f64,
}

impl RunSpan {
    fn report(self, name: &str, time: f64, elapsed: Duration) -> ProgressReport<'_> {
        let RunSpan { start, stop } = self;
        let (length, seconds) = (stop - start, elapsed.as_secs_f64());
        let share = if 0.0 < length { ((time - start) / length).clamp(0.0, 1.0) } else { 1.0 };
        let rate = if 0.0 < seconds { (time - start) / seconds } else { 0.0 };
        let seconds_left = (0.0 < rate).then(|| ((stop - time) / rate).max(0.0));
        ProgressReport { name, time, stop, share, rate, seconds_left, elapsed, is_end: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_where_how_fast_and_how_long() {
        let report =
            RunSpan { start: -10.0, stop: 90.0 }.report("tank", 15.0, Duration::from_millis(2500));
        assert_eq!((report.share, report.rate, report.seconds_left), (0.25, 10.0, Some(7.5)));
    }

    #[test]
    fn a_run_of_no_length_is_done() {
        let report = RunSpan { start: 1.0, stop: 1.0 }.report("tank", 1.0, Duration::ZERO);
        assert_eq!((report.share, report.seconds_left), (1.0, None));
    }
}
