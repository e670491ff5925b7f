//! How many models are checked.

use crate::cli::ProgressMode;
use crate::output::printer::{draw, erase, one_line, to_user};
use consort_view::numbers;
use serde_json::json;
use std::time::Instant;

/// Shows which model is being checked, and how long the others may take.
pub(super) struct Progress {
    mode: ProgressMode,
    count: usize,
    began: Instant,
    drawn: bool,
}

impl Progress {
    pub(super) fn new(mode: ProgressMode, count: usize) -> Self {
        Progress { mode, count, began: Instant::now(), drawn: false }
    }

    /// `done` models are checked and `model` is next.
    pub(super) fn at(&mut self, done: usize, model: &str) {
        let elapsed = self.began.elapsed().as_secs_f64();
        let left = (0 < done).then(|| elapsed / done as f64 * (self.count - done) as f64);
        match self.mode {
            ProgressMode::None => {}
            ProgressMode::Json => {
                let (event, of) = ("progress", self.count);
                let line = json!({ "event": event, "done": done, "of": of, "model": model, "seconds_left": left });
                to_user(&line.to_string());
            }
            ProgressMode::Auto => {
                let left = left.map(|left| format!(", {} left", numbers::duration(left)));
                let (model, left) = (one_line(model), left.unwrap_or_default());
                draw(&format!("state-check: {} of {}, {model}{left}", done + 1, self.count));
                self.drawn = true;
            }
        }
    }

    /// Takes the line away.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.drawn) {
            erase();
        }
    }
}
