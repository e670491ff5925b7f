//! How far a campaign is: a line that is drawn again and again, or JSON lines for a program.

use crate::cli::ProgressMode;
use crate::output::printer::{draw, erase, one_line, tell};
use consort_explore::coordinator::Status;
use consort_explore::strategy::Strategy;
use consort_view::numbers::{duration, short};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How often progress is shown.
const INTERVAL: Duration = Duration::from_millis(100);
/// Campaigns shorter than this show nothing on a terminal.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows how far a campaign is.
pub(super) struct Progress {
    mode: ProgressMode,
    name: String,
    began: Instant,
    shown: Option<Instant>,
    drawn: bool,
    /// What was done when this session began.
    first: Option<u128>,
    last: Option<Standing>,
}

/// How far a campaign is, as numbers.
#[derive(Clone, PartialEq, Debug)]
struct Standing {
    done: u128,
    total: Option<u128>,
    violated: u128,
    failed: u128,
    /// The least robustness so far.
    lowest: Option<f64>,
    /// The probability that a violation was missed.
    omission: Option<f64>,
    /// Where the probability of a violation lies.
    estimate: Option<(f64, f64)>,
    snapshots: u64,
    workers: usize,
    /// Scenarios per second.
    rate: f64,
    /// Seconds until the end, if that can be guessed.
    left: Option<f64>,
}

impl Progress {
    pub(super) fn new(mode: ProgressMode, name: &str) -> Self {
        let (name, began) = (one_line(name), Instant::now());
        Progress { mode, name, began, shown: None, drawn: false, first: None, last: None }
    }

    /// Shows where the campaign is, if it is worth it.
    pub(super) fn at(&mut self, status: &Status, strategy: &dyn Strategy) {
        let now = Instant::now();
        let elapsed = now - self.began;
        let done = strategy.progress().done;
        let first = *self.first.get_or_insert(done);
        let is_due = self.shown.is_none_or(|shown| INTERVAL <= now - shown);
        if self.mode == ProgressMode::None || !is_due {
            return;
        }
        self.shown = Some(now);
        let standing = standing(status, strategy, first, elapsed.as_secs_f64());
        if self.mode == ProgressMode::Json {
            tell(&json_line(&self.name, &standing).to_string());
        } else if PATIENCE <= elapsed {
            self.drawn = true;
            draw(&text_line(&self.name, &standing));
        }
        self.last = Some(standing);
    }

    /// Takes the line away.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.drawn) {
            erase();
        }
    }
}

fn standing(status: &Status, strategy: &dyn Strategy, first: u128, elapsed: f64) -> Standing {
    let (progress, summary) = (strategy.progress(), strategy.summary());
    let fresh = progress.done.saturating_sub(first);
    let rate = if 0.0 < elapsed { fresh as f64 / elapsed } else { 0.0 };
    let left = progress.total.filter(|_| 0.0 < rate);
    Standing {
        done: progress.done,
        total: progress.total,
        violated: summary.tally.violated,
        failed: summary.tally.failed,
        lowest: summary.lowest(),
        omission: progress.omission,
        estimate: progress.estimate.map(|estimate| (estimate.low, estimate.high)),
        snapshots: status.effort.snapshots,
        workers: status.workers,
        rate,
        left: left.map(|total| total.saturating_sub(progress.done) as f64 / rate),
    }
}

fn text_line(name: &str, standing: &Standing) -> String {
    let mut parts = vec![match standing.total {
        Some(total) => format!("{} of {total}", standing.done),
        None => standing.done.to_string(),
    }];
    parts.push(format!("{} violated", standing.violated));
    if 0 < standing.failed {
        parts.push(format!("{} failed", standing.failed));
    }
    parts.extend(standing.lowest.map(|lowest| format!("least robustness {}", short(lowest))));
    parts.extend(standing.omission.map(|omission| format!("omission {}", short(omission))));
    let interval = |(low, high): (f64, f64)| format!("p {} to {}", short(low), short(high));
    parts.extend(standing.estimate.map(interval));
    parts.push(format!("{} snapshots", standing.snapshots));
    parts.push(format!("{}/s", short(standing.rate)));
    parts.extend(standing.left.map(|left| format!("{} left", duration(left))));
    format!("{name}: {}", parts.join(", "))
}

fn json_line(name: &str, standing: &Standing) -> Value {
    json!({
        "event": "progress",
        "campaign": name,
        "done": standing.done.to_string(),
        "total": standing.total.map(|total| total.to_string()),
        "violated": standing.violated.to_string(),
        "failed": standing.failed.to_string(),
        "lowest": standing.lowest,
        "omission": standing.omission,
        "estimate": standing.estimate.map(|(low, high)| [low, high]),
        "snapshots": standing.snapshots,
        "workers": standing.workers,
        "rate": standing.rate,
        "seconds_left": standing.left,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_how_much_how_sure_how_bad_and_how_long() {
        let standing = Standing {
            done: 25,
            total: Some(100),
            violated: 2,
            failed: 1,
            lowest: Some(-0.5),
            omission: Some(0.75),
            estimate: Some((0.01, 0.1)),
            snapshots: 6,
            workers: 2,
            rate: 10.0,
            left: Some(7.5),
        };
        assert_eq!(
            text_line("tank", &standing),
            "tank: 25 of 100, 2 violated, 1 failed, least robustness -0.5, omission 0.75, \
             p 0.01 to 0.1, 6 snapshots, 10/s, 7.5 s left"
        );
        let line = json_line("tank", &standing);
        assert_eq!((&line["done"], &line["seconds_left"]), (&json!("25"), &json!(7.5)));
    }
}
