//! Ctrl-C: the first ends the run at its current tag, or in the midst of a step that takes long, and keeps the
//! record; the second ends the program.

use consort_core::Stop;
use consort_node::Cancellation;
use nix::sys::signal::{SigSet, Signal};
use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// So long a step has to come to its end before it is given up.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the user wants the run to end.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    asked: Mutex<bool>,
    changed: Condvar,
    stop: Stop,
    /// Wakes nodes that wait for others.
    cancellation: Option<Cancellation>,
    is_silent: bool,
}

impl Interrupt {
    /// Listens from now on; the same value for every caller. To be called before threads start.
    pub(crate) fn listen() -> Arc<Self> {
        Self::once(false)
    }

    /// The same for a process whose starter tells it when to end, and tells the user itself.
    pub(crate) fn obey() -> Arc<Self> {
        // A starter that listens has left its signals to its listener, which this process is not.
        let _ = signals().thread_unblock();
        Self::once(true)
    }

    fn once(is_silent: bool) -> Arc<Self> {
        static ONCE: OnceLock<Arc<Interrupt>> = OnceLock::new();
        let listen = || {
            let interrupt = Arc::new(Interrupt {
                is_silent,
                // Without descriptors a node hears it when its wait is over.
                cancellation: Cancellation::new().ok(),
                ..Interrupt::default()
            });
            let heard = Arc::clone(&interrupt);
            // Where no handler can be set, Ctrl-C ends the program as it always did.
            let _ = ctrlc::set_handler(move || heard.ask());
            leave_to_listener();
            interrupt
        };
        Arc::clone(ONCE.get_or_init(listen))
    }

    fn ask(&self) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if *asked {
            let this = rustix::process::getpid();
            let _ = rustix::process::kill_process(this, rustix::process::Signal::KILL);
        }
        *asked = true;
        self.changed.notify_all();
        drop(asked);
        self.cancellation.iter().for_each(Cancellation::cancel);
        let stop = self.stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            stop.ask();
        });
        if self.is_silent {
            return;
        }
        let line = "interrupted: ends after the current step; once more ends the program at once";
        // Nobody may be reading.
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    /// Whether the run shall end.
    pub(crate) fn is_asked(&self) -> bool {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The wish that reaches into a step, a while after the user asked.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Ends what a node waits for, as soon as the user asked.
    pub(crate) fn cancellation(&self) -> Option<Cancellation> {
        self.cancellation.clone()
    }

    /// Waits, but no longer than until the run shall end.
    pub(crate) fn wait(&self, time: Duration) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(asked, time, |asked| !*asked);
        drop(waited);
    }
}

/// From now on signals reach the listening thread only: this thread, and those it starts, compute
/// models, and a signal would cut short whatever an FMU waits for.
fn leave_to_listener() {
    // Where it cannot be done the signal is heard all the same.
    let _ = signals().thread_block();
}

fn signals() -> SigSet {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    signals
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn waiting_ends_when_the_user_asks() {
        let interrupt = Arc::new(Interrupt::default());
        interrupt.wait(Duration::from_millis(1));
        assert!(!interrupt.is_asked());
        let other = Arc::clone(&interrupt);
        let began = Instant::now();
        let thread = std::thread::spawn(move || other.wait(Duration::from_secs(600)));
        interrupt.ask();
        thread.join().unwrap();
        assert!(interrupt.is_asked());
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}
