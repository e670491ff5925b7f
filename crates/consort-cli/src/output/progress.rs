//! How far a run is: a line that is drawn again and again, or JSON lines for a program.

use super::printer::{draw, erase, one_line, tell};
use crate::cli::ProgressMode;
use consort_view::numbers;
use serde_json::json;
use std::time::{Duration, Instant};

/// How often progress is shown.
const INTERVAL: Duration = Duration::from_millis(100);
/// Runs shorter than this show nothing on a terminal: a flicker tells nobody anything.
const PATIENCE: Duration = Duration::from_millis(500);

/// Told how far a run is, in seconds.
pub(crate) type Listener = Box<dyn FnMut(f64) + Send>;

/// Shows how far a run is.
pub(crate) struct Progress {
    mode: ProgressMode,
    name: String,
    start: f64,
    stop: f64,
    began: Instant,
    shown: Option<Instant>,
    drawn: bool,
    listener: Option<Listener>,
}

/// How far a run is, as numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Standing {
    /// Simulated seconds.
    time: f64,
    /// From 0 to 1.
    part: f64,
    /// Simulated seconds per second.
    rate: f64,
    /// Seconds until the end, if that can be guessed.
    left: Option<f64>,
}

impl Progress {
    /// For a run of `name` from `start` to `stop`, in seconds.
    pub(crate) fn new(mode: ProgressMode, name: &str, start: f64, stop: f64) -> Self {
        let (name, began) = (one_line(name), Instant::now());
        Progress { mode, name, start, stop, began, shown: None, drawn: false, listener: None }
    }

    /// Tells `listener`, if there is one, instead of the user.
    pub(crate) fn tell(&mut self, listener: Option<Listener>) {
        self.listener = listener;
    }

    /// Shows that the run is at `time`, in seconds, if it is worth it.
    pub(crate) fn at(&mut self, time: f64) {
        self.at_after(time, || ());
    }

    /// The same; before a listener is told, it is made true by `prepare`.
    pub(crate) fn at_after(&mut self, time: f64, prepare: impl FnOnce()) {
        let now = Instant::now();
        let elapsed = now - self.began;
        let patient = self.mode == ProgressMode::Json || PATIENCE <= elapsed;
        let due = self.shown.is_none_or(|shown| INTERVAL <= now - shown);
        if let Some(listener) = self.listener.as_mut().filter(|_| due) {
            prepare();
            self.shown = Some(now);
            return listener(time);
        }
        if self.mode == ProgressMode::None || !patient || !due {
            return;
        }
        self.shown = Some(now);
        self.show(standing(self.start, self.stop, time, elapsed.as_secs_f64()));
    }

    /// Takes the line away: the run has ended at `time`, in seconds.
    pub(crate) fn end(&mut self, time: f64) {
        if self.mode == ProgressMode::Json {
            let elapsed = self.began.elapsed().as_secs_f64();
            self.show(standing(self.start, self.stop, time, elapsed));
        }
        if std::mem::take(&mut self.drawn) {
            erase();
        }
    }

    fn show(&mut self, standing: Standing) {
        if self.mode == ProgressMode::Json {
            return tell(&json_line(&self.name, self.stop, standing));
        }
        self.drawn = true;
        draw(&text_line(&self.name, self.stop, standing));
    }
}

fn standing(start: f64, stop: f64, time: f64, elapsed: f64) -> Standing {
    let length = stop - start;
    let part = if 0.0 < length { ((time - start) / length).clamp(0.0, 1.0) } else { 1.0 };
    let rate = if 0.0 < elapsed { (time - start) / elapsed } else { 0.0 };
    let left = (0.0 < rate).then(|| ((stop - time) / rate).max(0.0));
    Standing { time, part, rate, left }
}

fn text_line(name: &str, stop: f64, standing: Standing) -> String {
    let left = standing.left.map(|left| format!(", {} left", numbers::duration(left)));
    format!(
        "{name}: {:.0} %, {} of {} s, {} x real time{}",
        standing.part * 100.0,
        numbers::short(standing.time),
        numbers::short(stop),
        numbers::short(standing.rate),
        left.unwrap_or_default()
    )
}

fn json_line(name: &str, stop: f64, standing: Standing) -> String {
    let object = json!({
        "event": "progress",
        "system": name,
        "time": standing.time,
        "stop": stop,
        "part": standing.part,
        "rate": standing.rate,
        "seconds_left": standing.left,
    });
    object.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_where_how_fast_and_how_long() {
        let standing = standing(-10.0, 90.0, 15.0, 2.5);
        assert_eq!(
            text_line("tank", 90.0, standing),
            "tank: 25 %, 15 of 90 s, 10 x real time, 7.5 s left"
        );
        assert_eq!(
            json_line("tank", 90.0, standing),
            "{\"event\":\"progress\",\"system\":\"tank\",\"time\":15.0,\"stop\":90.0,\
             \"part\":0.25,\"rate\":10.0,\"seconds_left\":7.5}"
        );
    }

    #[test]
    fn a_run_of_no_length_is_done() {
        let standing = standing(1.0, 1.0, 1.0, 0.0);
        assert_eq!((standing.part, standing.left), (1.0, None));
    }
}
