//! Ends what takes long, from another thread: at the end of the current tag, or in the midst of a step that does not
//! come to its end.

use consort_core::CancelFlag;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So long a step has to come to its end before it is abandoned.
const GRACE: Duration = Duration::from_secs(1);

/// A stop request that several threads share: one asks, others notice.
#[derive(Default)]
pub struct CancelToken {
    is_cancelled: Mutex<bool>,
    changed: Condvar,
    flag: CancelFlag,
    on_cancel: Mutex<Vec<Callback>>,
}

type Callback = Box<dyn Fn() + Send>;

impl CancelToken {
    /// Cancels: from now on [`CancelToken::is_cancelled`].
    pub fn cancel(&self) {
        *self.lock() = true;
        self.changed.notify_all();
        let callbacks = self.on_cancel.lock().unwrap_or_else(PoisonError::into_inner);
        callbacks.iter().for_each(|callback| callback());
        let flag = self.flag.clone();
        std::thread::spawn(move || {
            std::thread::sleep(GRACE);
            flag.cancel();
        });
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.lock()
    }

    /// Calls `callback` as soon as the end is asked for, to wake what waits elsewhere.
    pub fn on_cancel(&self, callback: impl Fn() + Send + 'static) {
        let mut callbacks = self.on_cancel.lock().unwrap_or_else(PoisonError::into_inner);
        callbacks.push(Box::new(callback));
    }

    /// The flag that cancels within a step, a grace period after [`CancelToken::cancel`].
    pub fn flag(&self) -> &CancelFlag {
        &self.flag
    }

    /// Waits for `time`, but no longer than until the end is asked for.
    pub fn wait(&self, time: Duration) {
        let waited = self.changed.wait_timeout_while(self.lock(), time, |it| !*it);
        drop(waited);
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken")
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    #[test]
    fn waiting_ends_when_the_run_is_cancelled() {
        let token = Arc::new(CancelToken::default());
        token.wait(Duration::from_millis(1));
        assert!(!token.is_cancelled());
        let called = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&called);
        token.on_cancel(move || noted.store(true, Ordering::SeqCst));
        let other = Arc::clone(&token);
        let began = Instant::now();
        let thread = std::thread::spawn(move || other.wait(Duration::from_secs(600)));
        token.cancel();
        thread.join().unwrap();
        assert!(token.is_cancelled() && called.load(Ordering::SeqCst));
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}
