//! Ctrl-C: the first cancels what is running, which keeps its record; the second ends the program.

use crate::outcome::Exit;
use crate::output::printer::{Printer, to_user};
use consort::{CancelToken, Context};
use nix::sys::signal::{SigSet, Signal};
use std::sync::{Arc, OnceLock};

/// What reports to the user and is cancelled by Ctrl-C. To be called before threads start.
pub(crate) fn context(printer: &Printer) -> Context {
    Context { monitor: Arc::new(printer.clone()), cancel: listen() }
}

/// The same for a process whose starter asks it to stop and reports to the user itself.
pub(crate) fn context_of_node(printer: &Printer) -> Context {
    // A starter that listens has left its signals to its listener, which this process does not have.
    let _ = signals().thread_unblock();
    Context { monitor: Arc::new(printer.hushed()), cancel: once(true) }
}

/// Listens from now on; the same token for every caller.
pub(crate) fn listen() -> Arc<CancelToken> {
    once(false)
}

/// The exit code, which says so if Ctrl-C kept a command from its end.
pub(crate) fn ended_by_user(exit: Exit) -> Exit {
    let is_interrupted = ONCE.get().is_some_and(|token| token.is_cancelled());
    match exit {
        Exit::Failed if is_interrupted => Exit::Interrupted,
        exit => exit,
    }
}

/// Set when somebody listens for the first time.
static ONCE: OnceLock<Arc<CancelToken>> = OnceLock::new();

fn once(is_silent: bool) -> Arc<CancelToken> {
    let listen = || {
        let token = Arc::new(CancelToken::default());
        let cancelled = Arc::clone(&token);
        // Where no handler can be set, Ctrl-C ends the program as it always did.
        let _ = ctrlc::set_handler(move || cancel(&cancelled, is_silent));
        leave_to_listener();
        token
    };
    Arc::clone(ONCE.get_or_init(listen))
}

fn cancel(token: &CancelToken, is_silent: bool) {
    if token.is_cancelled() {
        let this = rustix::process::getpid();
        let _ = rustix::process::kill_process(this, rustix::process::Signal::KILL);
    }
    token.cancel();
    if !is_silent {
        to_user("interrupted: ends after the current step; once more ends the program at once");
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
