//! Several workers: in rounds, all nodes that can continue work side by side; then what they sent is handed out,
//! node by node in the order of the topology. So threads decide when a node works, never what it computes.

use super::slot::Slot;
use super::{Behavior, ReadyQueue, Scheduler, SchedulerError, Slots};
use crate::flow::hash::Payload;
use consort_core::NodeId;
use std::any::Any;
use std::ops::DerefMut;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

impl<P: Payload + Send, B: Behavior<P> + Send> Scheduler<P, B> {
    /// Runs until every node is done, on so many threads, the caller's among them. Worth it where behaviors
    /// are heavy: all threads meet twice per round.
    ///
    /// # Errors
    /// As [`Scheduler::run`].
    ///
    /// # Panics
    /// If a behavior does.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place with threads: they decide when nodes work, never what they compute"
    )]
    pub fn run_on(&mut self, workers: usize) -> Result<(), SchedulerError> {
        let workers = workers.clamp(1, self.slots.len().max(1));
        let pool = Pool::new(&mut self.slots, workers);
        let queue = &mut self.queue;
        std::thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(|| pool.help());
            }
            let ran = pool.run(queue);
            pool.stop();
            ran
        })?;
        self.finish()
    }
}

/// What the threads share.
struct Pool<'a, P, B> {
    slots: Vec<Mutex<&'a mut Slot<P, B>>>,
    round: Mutex<Vec<NodeId>>,
    /// Index of the next node of the round that was not taken yet.
    next: AtomicUsize,
    meeting: Barrier,
    is_over: AtomicBool,
    failed: Mutex<Option<Failure>>,
}

/// Why a round is the last one.
enum Failure {
    Refused(SchedulerError),
    Panicked(Box<dyn Any + Send>),
}

impl<P, B> Slots<P, B> for &Pool<'_, P, B> {
    fn at(&mut self, node: NodeId) -> impl DerefMut<Target = Slot<P, B>> {
        Locked(lock(&self.slots[node.index()]))
    }
}

/// A slot under its lock, without the reference in between.
struct Locked<'a, 'b, P, B>(MutexGuard<'a, &'b mut Slot<P, B>>);

impl<P, B> std::ops::Deref for Locked<'_, '_, P, B> {
    type Target = Slot<P, B>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<P, B> DerefMut for Locked<'_, '_, P, B> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<'a, P: Payload, B: Behavior<P>> Pool<'a, P, B> {
    fn new(slots: &'a mut [Slot<P, B>], workers: usize) -> Self {
        Pool {
            slots: slots.iter_mut().map(Mutex::new).collect(),
            round: Mutex::new(Vec::new()),
            next: AtomicUsize::new(0),
            meeting: Barrier::new(workers),
            is_over: AtomicBool::new(false),
            failed: Mutex::new(None),
        }
    }

    /// The caller's thread: one round after the other.
    fn run(&self, queue: &mut ReadyQueue<P>) -> Result<(), SchedulerError> {
        while !queue.ready.is_empty() {
            let mut round: Vec<NodeId> = queue.ready.drain(..).collect();
            round.sort_unstable();
            lock(&self.round).clone_from(&round);
            self.next.store(0, Ordering::Release);
            self.meeting.wait();
            self.work();
            self.meeting.wait();
            match lock(&self.failed).take() {
                Some(Failure::Refused(error)) => return Err(error),
                Some(Failure::Panicked(panic)) => {
                    self.stop();
                    std::panic::resume_unwind(panic);
                }
                None => round.into_iter().try_for_each(|node| queue.hand_out(&mut &*self, node))?,
            }
        }
        Ok(())
    }

    /// The loop of a helper thread.
    fn help(&self) {
        loop {
            self.meeting.wait();
            if self.is_over.load(Ordering::Acquire) {
                return;
            }
            self.work();
            self.meeting.wait();
        }
    }

    fn stop(&self) {
        if !self.is_over.swap(true, Ordering::AcqRel) {
            self.meeting.wait();
        }
    }

    /// Takes nodes of the round until none is left. Of several failures the one of the first node counts.
    fn work(&self) {
        let mut slots = self;
        loop {
            let place = self.next.fetch_add(1, Ordering::AcqRel);
            let Some(node) = lock(&self.round).get(place).copied() else { return };
            let work = AssertUnwindSafe(|| slots.at(node).work(usize::MAX));
            let failure = match std::panic::catch_unwind(work) {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => Failure::Refused(error),
                Err(panic) => Failure::Panicked(panic),
            };
            *lock(&self.failed) = Some(failure);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
