//! The worker pool: lanes are worked on in parallel; results do not depend on which worker does which.
//!
//! The caller's thread is worker 0. Between stages the others wait: they spin for a moment when
//! there is a core for each of them, then sleep. The pool decides *when* a lane works, never *what*
//! it computes, so it may look at how many cores there are.

use crate::lane::Lane;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How often a waiting thread looks again before it sleeps.
const SPIN_ROUNDS: u32 = 2_000;

/// Lanes and the threads that work on them.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    lanes: Vec<Mutex<Lane>>,
    /// Index of the next lane that no worker took yet in this round.
    next: AtomicUsize,
    /// Lanes of this round that are not done yet.
    left: AtomicUsize,
    round: AtomicUsize,
    stop: AtomicBool,
    panicked: AtomicBool,
    busy: AtomicUsize,
    busy_max: AtomicUsize,
    spin: bool,
    sleepers: Mutex<()>,
    wake: Condvar,
}

impl Pool {
    /// A pool of `workers` in all over `lanes`; never more threads than lanes.
    pub(crate) fn new(lanes: Vec<Lane>, workers: usize) -> Self {
        let workers = workers.clamp(1, lanes.len().max(1));
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let shared = Arc::new(Shared {
            lanes: lanes.into_iter().map(Mutex::new).collect(),
            next: AtomicUsize::new(usize::MAX / 2),
            left: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
            busy_max: AtomicUsize::new(1), // the caller works alone where that is faster
            spin: workers <= cores,
            sleepers: Mutex::new(()),
            wake: Condvar::new(),
        });
        let threads = (1..workers).map(|_| spawn(Arc::clone(&shared))).collect();
        Pool { shared, threads }
    }

    /// The number of lanes.
    pub(crate) fn len(&self) -> usize {
        self.shared.lanes.len()
    }

    /// How many workers there are, the caller among them.
    pub(crate) fn workers(&self) -> usize {
        self.threads.len() + 1
    }

    /// The most workers that were ever busy at once.
    pub(crate) fn busy_max(&self) -> usize {
        self.shared.busy_max.load(Ordering::Relaxed)
    }

    /// A lane, between rounds.
    pub(crate) fn lane(&self, index: usize) -> MutexGuard<'_, Lane> {
        lock(&self.shared.lanes[index])
    }

    /// Every lane does its share of the work; returns when all are done.
    ///
    /// # Panics
    /// If a lane panicked: a bug in a native model.
    pub(crate) fn work(&self) {
        let shared = &*self.shared;
        shared.left.store(shared.lanes.len(), Ordering::Relaxed);
        shared.next.store(0, Ordering::Release);
        shared.round.fetch_add(1, Ordering::Release);
        shared.wake_all();
        shared.take_lanes();
        shared.wait_until(|| shared.left.load(Ordering::Acquire) == 0);
        assert!(!shared.panicked.load(Ordering::Acquire), "a model panicked in a worker");
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.wake_all();
        for thread in self.threads.drain(..) {
            // A worker's panic was reported by `work` already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn take_lanes(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::AcqRel);
            let Some(lane) = self.lanes.get(index) else { return };
            let busy = self.busy.fetch_add(1, Ordering::Relaxed) + 1;
            self.busy_max.fetch_max(busy, Ordering::Relaxed);
            let work = std::panic::AssertUnwindSafe(|| lock(lane).work());
            if std::panic::catch_unwind(work).is_err() {
                self.panicked.store(true, Ordering::Release);
            }
            self.busy.fetch_sub(1, Ordering::Relaxed);
            if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.wake_all();
            }
        }
    }

    fn wait_until(&self, done: impl Fn() -> bool) {
        for _ in 0..if self.spin { SPIN_ROUNDS } else { 0 } {
            if done() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut guard = lock(&self.sleepers);
        while !done() {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Taking the lock orders this wake-up after any check a sleeper made before it fell asleep.
    fn wake_all(&self) {
        drop(lock(&self.sleepers));
        self.wake.notify_all();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place with threads: they decide when lanes work, never what they compute"
)]
fn spawn(shared: Arc<Shared>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut seen = 0;
        loop {
            let stopped = || shared.stop.load(Ordering::Acquire);
            shared.wait_until(|| stopped() || shared.round.load(Ordering::Acquire) != seen);
            if stopped() {
                return;
            }
            seen = shared.round.load(Ordering::Acquire);
            shared.take_lanes();
        }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
