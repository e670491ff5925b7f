//! A queue of units of work that are leased to workers, with five operations.
//!
//! Units are *offered*, *pulled* under a lease, *extended* while a worker works on them, and in the
//! end *acknowledged* with their result or *given back*. A lease that is not extended expires, and its
//! unit is leased again. The queue neither knows what a unit is nor looks at the clock: both are bytes
//! and numbers to it, so that a distributed queue (work-queue streams have the same verbs) can take
//! the place of [`EmbeddedQueue`] without change to the rest.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Duration;

/// A unit of work as a queue sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offered {
    /// What it is called; each number is offered once.
    pub number: u64,
    /// What is to be done, for the worker to understand.
    pub payload: String,
}

/// A unit that was leased.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    /// The leased unit.
    pub unit: Offered,
    /// How often it was leased before without being acknowledged.
    pub tries: u32,
    /// Distinguishes this lease from earlier ones of the same unit.
    pub ticket: u64,
}

/// Why a verb was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum QueueError {
    /// The unit is not leased under this lease any more: it expired, or it was acknowledged.
    NotLeased {
        /// The number of the unit.
        number: u64,
    },
    /// A unit of this number was offered before.
    OfferedTwice {
        /// The number of the unit.
        number: u64,
    },
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueError::NotLeased { number } => write!(f, "unit {number} is not leased any more"),
            QueueError::OfferedTwice { number } => write!(f, "unit {number} was offered before"),
        }
    }
}

impl std::error::Error for QueueError {}

/// Units of work that are leased to workers; times are those of the caller's clock, from any start.
pub trait Queue {
    /// Adds a unit to the queue.
    ///
    /// # Errors
    /// If its number was offered before.
    fn offer(&mut self, unit: Offered) -> Result<(), QueueError>;

    /// Leases at most `count` units in the order in which they were offered; expired ones come before all others.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    fn pull(&mut self, count: usize, now: Duration) -> Result<Vec<Lease>, QueueError>;

    /// Extends a lease: its worker is still busy.
    ///
    /// # Errors
    /// If it is not leased under this lease any more.
    fn extend(&mut self, lease: &Lease, now: Duration) -> Result<(), QueueError>;

    /// It is done, with this result.
    ///
    /// # Errors
    /// If it is not leased under this lease any more; the result is dropped then.
    fn acknowledge(&mut self, lease: &Lease, result: String) -> Result<(), QueueError>;

    /// Gives a unit back that is not done; it is leased again before all others.
    ///
    /// # Errors
    /// If it is not leased under this lease any more.
    fn give_back(&mut self, lease: &Lease) -> Result<(), QueueError>;

    /// The results that were acknowledged since the last call.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    fn take_results(&mut self) -> Result<Vec<(u64, String)>, QueueError>;

    /// How many units wait to be leased.
    fn waiting(&self) -> usize;

    /// The number of leased units.
    fn leased(&self) -> usize;
}

/// A queue in the memory of one process.
#[derive(Debug)]
pub struct EmbeddedQueue {
    /// How long a lease lasts unless it is extended.
    term: Duration,
    waiting: VecDeque<(Offered, u32)>,
    leased: BTreeMap<u64, ActiveLease>,
    known: u64,
    tickets: u64,
    results: Vec<(u64, String)>,
}

#[derive(Debug)]
struct ActiveLease {
    lease: Lease,
    until: Duration,
}

impl EmbeddedQueue {
    /// An empty queue whose leases last for `term`.
    pub fn new(term: Duration) -> Self {
        EmbeddedQueue {
            term,
            waiting: VecDeque::new(),
            leased: BTreeMap::new(),
            known: 0,
            tickets: 0,
            results: Vec::new(),
        }
    }

    fn reclaim(&mut self, now: Duration) {
        let over = self.leased.iter().filter(|(_, leased)| leased.until <= now);
        let over: Vec<u64> = over.map(|(number, _)| *number).collect();
        for number in over.into_iter().rev() {
            if let Some(leased) = self.leased.remove(&number) {
                self.waiting.push_front((leased.lease.unit, leased.lease.tries + 1));
            }
        }
    }

    /// Takes a unit out of those that are leased, if it is under this lease.
    fn close(&mut self, lease: &Lease) -> Result<ActiveLease, QueueError> {
        let number = lease.unit.number;
        let is_same = |leased: &ActiveLease| leased.lease.ticket == lease.ticket;
        match self.leased.get(&number).is_some_and(is_same) {
            true => Ok(self.leased.remove(&number).expect("it was found")),
            false => Err(QueueError::NotLeased { number }),
        }
    }
}

impl Queue for EmbeddedQueue {
    fn offer(&mut self, unit: Offered) -> Result<(), QueueError> {
        // Numbers ascend, so one of them stands for all before it.
        if unit.number < self.known {
            return Err(QueueError::OfferedTwice { number: unit.number });
        }
        self.known = unit.number + 1;
        self.waiting.push_back((unit, 0));
        Ok(())
    }

    fn pull(&mut self, count: usize, now: Duration) -> Result<Vec<Lease>, QueueError> {
        self.reclaim(now);
        let count = count.min(self.waiting.len());
        let mut leases = Vec::with_capacity(count);
        for (unit, tries) in self.waiting.drain(..count) {
            self.tickets += 1;
            let lease = Lease { unit, tries, ticket: self.tickets };
            let leased = ActiveLease { lease: lease.clone(), until: now + self.term };
            self.leased.insert(lease.unit.number, leased);
            leases.push(lease);
        }
        Ok(leases)
    }

    fn extend(&mut self, lease: &Lease, now: Duration) -> Result<(), QueueError> {
        let number = lease.unit.number;
        let term = self.term;
        let leased =
            self.leased.get_mut(&number).filter(|leased| leased.lease.ticket == lease.ticket);
        leased.ok_or(QueueError::NotLeased { number })?.until = now + term;
        Ok(())
    }

    fn acknowledge(&mut self, lease: &Lease, result: String) -> Result<(), QueueError> {
        let leased = self.close(lease)?;
        self.results.push((leased.lease.unit.number, result));
        Ok(())
    }

    fn give_back(&mut self, lease: &Lease) -> Result<(), QueueError> {
        let leased = self.close(lease)?;
        self.waiting.push_front((leased.lease.unit, leased.lease.tries + 1));
        Ok(())
    }

    fn take_results(&mut self) -> Result<Vec<(u64, String)>, QueueError> {
        Ok(std::mem::take(&mut self.results))
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn leased(&self) -> usize {
        self.leased.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERM: Duration = Duration::from_secs(10);
    const START: Duration = Duration::ZERO;

    fn queue(units: u64) -> EmbeddedQueue {
        let mut queue = EmbeddedQueue::new(TERM);
        for number in 0..units {
            queue.offer(Offered { number, payload: format!("unit {number}") }).unwrap();
        }
        queue
    }

    fn numbers(leases: &[Lease]) -> Vec<u64> {
        leases.iter().map(|lease| lease.unit.number).collect()
    }

    #[test]
    fn units_are_lent_in_the_order_of_offers_and_each_result_comes_once() {
        let mut queue = queue(3);
        let leases = queue.pull(2, START).unwrap();
        assert_eq!(numbers(&leases), [0, 1]);
        queue.acknowledge(&leases[1], "one".to_owned()).unwrap();
        assert_eq!(queue.take_results().unwrap(), [(1, "one".to_owned())]);
        assert!(queue.take_results().unwrap().is_empty());
        assert_eq!((queue.waiting(), queue.leased()), (1, 1));
    }

    #[test]
    fn what_is_given_back_is_lent_next_and_remembers_its_tries() {
        let mut queue = queue(3);
        let leases = queue.pull(1, START).unwrap();
        queue.give_back(&leases[0]).unwrap();
        let again = queue.pull(2, START).unwrap();
        assert_eq!(numbers(&again), [0, 1]);
        assert_eq!((again[0].tries, again[1].tries), (1, 0));
    }

    #[test]
    fn a_lease_expires_unless_it_is_extended_and_late_answers_are_refused() {
        let mut queue = queue(2);
        let leases = queue.pull(2, START).unwrap();
        queue.extend(&leases[1], TERM / 2).unwrap();
        let again = queue.pull(2, TERM).unwrap();
        assert_eq!(numbers(&again), [0], "the other was extended");
        let late = queue.acknowledge(&leases[0], "late".to_owned());
        assert_eq!(late, Err(QueueError::NotLeased { number: 0 }));
        assert_eq!(queue.extend(&leases[0], TERM), Err(QueueError::NotLeased { number: 0 }));
        queue.acknowledge(&again[0], "right".to_owned()).unwrap();
        assert_eq!(queue.take_results().unwrap(), [(0, "right".to_owned())]);
    }

    #[test]
    fn a_number_is_offered_once() {
        let mut queue = queue(2);
        let twice = queue.offer(Offered { number: 1, payload: String::new() });
        assert_eq!(twice, Err(QueueError::OfferedTwice { number: 1 }));
    }
}
