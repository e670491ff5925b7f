//! How a long call is made: by a thread of ours, while the caller's waits without the interpreter's lock and looks for
//! Ctrl-C.
//!
//! Threads that make calls never end: processes of isolated models are ended by the kernel with the *thread* that
//! started them, and a Python thread may end at any time.

use crate::errors::bug;
use consort::CancelToken;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the waiting thread looks for signals.
const INTERVAL: Duration = Duration::from_millis(20);
/// After Ctrl-C a call has so long to come to its end; then it is left to itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a thread does; it returns what tells the caller that it is done.
type Job = Box<dyn FnOnce() -> Notify + Send>;
type Notify = Box<dyn FnOnce() + Send>;
/// A result, or the panic that came instead.
type Outcome<T> = Result<T, Box<dyn Any + Send>>;

/// Threads without work. Those of a parent process do not exist in its fork.
static IDLE: Mutex<Vec<(u32, Sender<Job>)>> = Mutex::new(Vec::new());

/// Where a result is put.
struct Slot<T> {
    result: Mutex<Option<Outcome<T>>>,
    is_there: Condvar,
}

/// Makes a call that may take long. Ctrl-C cancels it by the token; its exception is raised once the call has ended, or
/// does not end.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Arc<CancelToken>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let slot = Arc::new(Slot { result: Mutex::new(None), is_there: Condvar::new() });
    let place = Arc::clone(&slot);
    submit(Box::new(move || {
        let outcome = catch_unwind(AssertUnwindSafe(work));
        Box::new(move || place.put(outcome))
    }));
    let (outcome, interrupt) = py.detach(|| slot.wait(cancel));
    match (interrupt, outcome) {
        (Some(interrupt), _) => Err(interrupt),
        (None, Some(Ok(value))) => Ok(value),
        (None, Some(Err(panic))) => Err(bug(py, &*panic)),
        (None, None) => unreachable!("only what was interrupted is left"),
    }
}

/// Makes a short call here and now.
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| bug(py, &*panic))
}

impl<T> Slot<T> {
    fn put(&self, outcome: Outcome<T>) {
        *lock(&self.result) = Some(outcome);
        self.is_there.notify_all();
    }

    /// The outcome and the exception of a signal, if there was one; only with one there may be no outcome.
    fn wait(&self, cancel: &CancelToken) -> (Option<Outcome<T>>, Option<PyErr>) {
        let mut interrupt: Option<(PyErr, Instant)> = None;
        loop {
            let waited =
                self.is_there.wait_timeout_while(lock(&self.result), INTERVAL, |it| it.is_none());
            let outcome = waited.unwrap_or_else(PoisonError::into_inner).0.take();
            let is_left = interrupt.as_ref().is_some_and(|(_, since)| PATIENCE < since.elapsed());
            if outcome.is_some() || is_left {
                return (outcome, interrupt.map(|(error, _)| error));
            }
            // In other threads than the main one nothing is ever found.
            if let Err(signal) = Python::attach(signal_heard) {
                cancel.cancel();
                interrupt.get_or_insert((signal, Instant::now()));
            }
        }
    }
}

/// The exception of a signal that came.
fn signal_heard(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Gives a job to an idle thread, or to a new one.
fn submit(mut job: Job) {
    let here = std::process::id();
    loop {
        let idle = lock(&IDLE).pop();
        job = match idle {
            Some((process, thread)) if process == here => match thread.send(job) {
                Ok(()) => return,
                Err(returned) => returned.0,
            },
            Some(_) => job,
            None => break,
        };
    }
    let (sender, jobs) = channel::<Job>();
    let own = sender.clone();
    let serve = move || {
        for job in jobs {
            let notify = job();
            lock(&IDLE).push((here, own.clone()));
            notify();
        }
    };
    let thread = std::thread::Builder::new().name("consort".to_owned()).spawn(serve);
    drop(thread.expect("a thread can be started"));
    drop(sender.send(job));
}

/// A lock whose holder panicked is as good as any: what it guards is replaced or looked at, never half made.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
