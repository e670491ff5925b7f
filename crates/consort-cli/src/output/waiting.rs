//! A line for work of unknown length: models being compiled, ten thousand instances being made.

use super::printer::{draw, erase};
use crate::cli::ProgressMode;
use consort_view::numbers;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long it is quiet, and how often the line is drawn anew.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows what is being waited for until it is dropped; only on a terminal, and only if it takes
/// long.
#[derive(Debug)]
pub(crate) struct Waiting {
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// Waits for `what`: `loading the models`.
    pub(crate) fn start(mode: ProgressMode, what: &str) -> Self {
        if mode != ProgressMode::Auto {
            return Waiting { thread: None };
        }
        let (over, is_over) = channel();
        let what = what.to_owned();
        let thread = std::thread::spawn(move || show(&what, &is_over));
        Waiting { thread: Some((over, thread)) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.thread.take() {
            drop(over);
            // A thread that only draws a line returns nothing.
            let _ = thread.join();
        }
    }
}

fn show(what: &str, is_over: &Receiver<()>) {
    let began = Instant::now();
    let mut drawn = false;
    while is_over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
        drawn = true;
        let elapsed = numbers::duration(began.elapsed().as_secs_f64());
        draw(&format!("{what}: {elapsed}"));
    }
    if drawn {
        erase();
    }
}
