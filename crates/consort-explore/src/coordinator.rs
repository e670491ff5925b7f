//! The side of a campaign that decides: cuts work into leases, hands them to worker processes, writes
//! down what comes back, and stops when the answer is known.
//!
//! # Determinism
//! What a strategy concludes depends on the results of its units in their order and on nothing else:
//! not on the number of workers, on who did what, on what arrived first, or on how often the campaign
//! was stopped and resumed. A unit whose worker dies is done again in a fresh one that reports every step; a step
//! that ends two of them is quarantined: it counts as failed with what happened, and the rest of the unit is done.

mod workers;

use crate::journal::{CampaignJournal, JournalError};
use crate::lease::{Lease, Offered, Queue, QueueError};
use crate::strategy::{Conclusion, Strategy, UnitResult, WorkUnit};
use crate::visit::Effort;
use crate::worker::{Quarantined, WorkerCommand, WorkerMessage};
use consort_process::{ChildEvent, ChildId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::process::Command;
use std::time::{Duration, Instant};
use workers::Workers;

/// A worker that cannot even start is tried this often.
const STARTS_MAX: u32 = 3;
/// So many steps of one unit may end their workers; then something else is wrong.
const QUARANTINED_MAX: usize = 1_000;
/// The longest wait for a message.
const PATIENCE: Duration = Duration::from_millis(100);

/// How a campaign is carried out; nothing here changes what it concludes.
pub struct Settings<'s> {
    /// How many workers there are at a time.
    pub workers: usize,
    /// How a worker process is started.
    pub launch: &'s dyn Fn() -> Command,
    /// Identifies what all workers must work on.
    pub fingerprint: &'s str,
    /// A worker that sends no message for so long is killed.
    pub silence: Duration,
    /// When no more units are handed out.
    pub deadline: Option<Instant>,
}

/// How far a campaign is.
#[derive(Clone, Debug)]
pub struct CampaignStatus {
    /// How many units were done, now and before.
    pub units: u64,
    /// How many of them were found in the journal.
    pub units_before: u64,
    /// The number of workers.
    pub workers: usize,
    /// What the workers did so far.
    pub effort: Effort,
    /// How many steps were found to end their worker.
    pub quarantined: usize,
    /// How many workers died, or were killed because they sent nothing.
    pub lost: u64,
}

/// How a campaign, or a part of it, ended.
#[derive(Clone, PartialEq, Debug)]
pub enum CampaignEnd {
    /// The answer is known.
    Concluded(Conclusion),
    /// The campaign was stopped on request.
    Stopped,
    /// Its time was over.
    OutOfTime,
}

/// Why a campaign cannot continue. Everything acknowledged so far is in the journal.
#[derive(Debug)]
#[non_exhaustive]
pub enum CampaignError {
    /// A worker process cannot be started.
    Launch {
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Workers end before they are ready, again and again.
    Start {
        /// The last message of the worker.
        reason: String,
    },
    /// A worker loaded different inputs: a file was changed meanwhile.
    Different {
        /// The fingerprint of the inputs of this process.
        expected: String,
        /// The fingerprint of the inputs of the worker.
        found: String,
    },
    /// A unit ends its workers whatever is left out of it.
    Unit {
        /// The number of the unit.
        number: u64,
        /// The reason of the last failure.
        reason: String,
    },
    /// The journal cannot be written.
    Journal {
        /// The error of the journal.
        source: JournalError,
    },
    /// The queue refused an operation.
    Queue {
        /// The error of the queue.
        source: QueueError,
    },
}

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CampaignError::Launch { source } => {
                write!(f, "a worker could not be started: {source}")
            }
            CampaignError::Start { reason } => {
                write!(f, "{STARTS_MAX} workers ended before they were ready: {reason}")
            }
            CampaignError::Different { expected, found } => {
                write!(
                    f,
                    "a worker loaded different inputs (fingerprint {found}, expected {expected})"
                )
            }
            CampaignError::Unit { number, reason } => {
                write!(f, "work unit {number} crashes every worker: {reason}")
            }
            CampaignError::Journal { source } => {
                write!(f, "the journal cannot be written: {source}")
            }
            CampaignError::Queue { source } => write!(f, "the queue refused: {source}"),
        }
    }
}

impl std::error::Error for CampaignError {}

impl From<JournalError> for CampaignError {
    fn from(source: JournalError) -> Self {
        CampaignError::Journal { source }
    }
}

impl From<QueueError> for CampaignError {
    fn from(source: QueueError) -> Self {
        CampaignError::Queue { source }
    }
}

/// What was done before, found in a journal: by the phase of the campaign and the unit's number.
#[derive(Debug, Default)]
pub struct Past {
    results: BTreeMap<(String, u64), (Value, Value)>,
}

impl Past {
    /// From the entries of a journal.
    pub fn of(entries: Vec<Value>) -> Self {
        let mut past = Past::default();
        for mut entry in entries {
            let phase = entry["phase"].as_str().unwrap_or_default().to_owned();
            let number = entry["unit"]["number"].as_u64().unwrap_or_default();
            let pair = (entry["unit"].take(), entry["result"].take());
            past.results.insert((phase, number), pair);
        }
        past
    }

    /// The result of a unit, if it is the same unit and understood.
    fn take(&mut self, phase: &str, unit: &WorkUnit) -> Option<UnitResult> {
        let (known, result) = self.results.remove(&(phase.to_owned(), unit.number))?;
        let is_same = serde_json::to_value(unit).is_ok_and(|unit| unit == known);
        if is_same { serde_json::from_value(result).ok() } else { None }
    }
}

/// Where units and results are kept while a strategy is followed.
pub struct CampaignStores<'b> {
    /// Leases units to workers.
    pub queue: &'b mut dyn Queue,
    /// Stores the results.
    pub journal: &'b mut CampaignJournal,
    /// What the journal held at the start.
    pub past: &'b mut Past,
    /// Which part of the campaign this is.
    pub phase: &'b str,
}

/// Follows a strategy to its conclusion, or until `watch` breaks; the units in work are finished then.
///
/// # Errors
/// If workers cannot be started, or the journal cannot be written.
pub fn follow<'a>(
    strategy: &'a mut dyn Strategy,
    stores: CampaignStores<'a>,
    settings: &'a Settings<'a>,
    watch: &mut dyn FnMut(&CampaignStatus, &dyn Strategy) -> ControlFlow<()>,
) -> Result<CampaignEnd, CampaignError> {
    let mut coordinator = Coordinator::new(strategy, stores, settings);
    let ending = coordinator.run(watch);
    coordinator.workers.dismiss();
    ending
}

struct Coordinator<'c> {
    strategy: &'c mut dyn Strategy,
    stores: CampaignStores<'c>,
    settings: &'c Settings<'c>,
    workers: Workers,
    began: Instant,
    /// Units that were offered and have no result yet.
    open: BTreeMap<u64, WorkUnit>,
    /// By unit: the steps that are left out.
    quarantined: BTreeMap<u64, Vec<Quarantined>>,
    /// Units that ended a worker, with the step at which it ended: every step of them is reported.
    suspicious: BTreeMap<u64, Option<Vec<u32>>>,
    starts_failed: u32,
    status: CampaignStatus,
    /// What workers that have ended had done.
    effort_before: Effort,
}

impl<'c> Coordinator<'c> {
    fn new(
        strategy: &'c mut dyn Strategy,
        stores: CampaignStores<'c>,
        settings: &'c Settings<'c>,
    ) -> Self {
        let status = CampaignStatus {
            units: 0,
            units_before: 0,
            workers: 0,
            effort: Effort::default(),
            quarantined: 0,
            lost: 0,
        };
        Coordinator {
            strategy,
            stores,
            settings,
            workers: Workers::default(),
            began: Instant::now(),
            open: BTreeMap::new(),
            quarantined: BTreeMap::new(),
            suspicious: BTreeMap::new(),
            starts_failed: 0,
            status,
            effort_before: Effort::default(),
        }
    }

    fn run(
        &mut self,
        watch: &mut dyn FnMut(&CampaignStatus, &dyn Strategy) -> ControlFlow<()>,
    ) -> Result<CampaignEnd, CampaignError> {
        let mut halt = None;
        loop {
            self.offer()?;
            self.status.workers = self.workers.len();
            self.status.effort = self.effort_before.plus(&self.workers.effort());
            if watch(&self.status, self.strategy).is_break() {
                halt.get_or_insert(CampaignEnd::Stopped);
            }
            if let Some(conclusion) = self.strategy.conclusion() {
                return Ok(CampaignEnd::Concluded(conclusion));
            }
            if self.settings.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                halt.get_or_insert(CampaignEnd::OutOfTime);
            }
            match &halt {
                Some(ending) if self.workers.are_idle() => return Ok(ending.clone()),
                Some(_) => {}
                None => self.assign()?,
            }
            self.listen()?;
        }
    }

    /// Offers what the strategy has; what was done before is not done again.
    fn offer(&mut self) -> Result<(), CampaignError> {
        let enough = 2 * self.settings.workers;
        while self.stores.queue.waiting() < enough && self.strategy.conclusion().is_none() {
            let units = self.strategy.offer(enough);
            if units.is_empty() {
                break;
            }
            for unit in units {
                match self.stores.past.take(self.stores.phase, &unit) {
                    Some(result) => {
                        self.status.units += 1;
                        self.status.units_before += 1;
                        self.strategy.absorb(&unit, result);
                    }
                    None => {
                        let payload = serde_json::to_string(&unit).expect("units are plain data");
                        self.stores.queue.offer(Offered { number: unit.number, payload })?;
                        self.open.insert(unit.number, unit);
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives every idle worker something to do; starts workers while there is more.
    fn assign(&mut self) -> Result<(), CampaignError> {
        let now = self.began.elapsed();
        while let Some(worker) = self.workers.idle() {
            let Some(lease) = self.stores.queue.pull(1, now)?.pop() else { return Ok(()) };
            let unit = self.open[&lease.unit.number].clone();
            let careful = self.suspicious.contains_key(&unit.number);
            let quarantined = self.quarantined.get(&unit.number).cloned().unwrap_or_default();
            // If the worker has died, its output is closed, and the unit is given back.
            self.workers.assign(worker, lease, &WorkerCommand::Work { unit, careful, quarantined });
        }
        let wanted = self.stores.queue.waiting().min(self.settings.workers);
        while self.workers.starting() < wanted && self.workers.len() < self.settings.workers {
            let started = self.workers.start((self.settings.launch)());
            started.map_err(|source| CampaignError::Launch { source })?;
        }
        Ok(())
    }

    /// Waits for a message, then takes all that are there.
    fn listen(&mut self) -> Result<(), CampaignError> {
        let mut event = self.workers.wait(PATIENCE);
        while let Some((worker, received)) = event {
            self.receive(worker, received)?;
            event = self.workers.wait(Duration::ZERO);
        }
        for worker in self.workers.silent(self.settings.silence) {
            let seconds = self.settings.silence.as_secs_f64();
            let reason = format!("its worker process sent nothing for {seconds} s");
            self.remove(worker, Some(reason))?;
        }
        self.collect()
    }

    fn receive(
        &mut self,
        worker: ChildId,
        event: ChildEvent<WorkerMessage>,
    ) -> Result<(), CampaignError> {
        match event {
            ChildEvent::Message(WorkerMessage::Ready { fingerprint }) => {
                self.starts_failed = 0;
                if fingerprint != self.settings.fingerprint {
                    let expected = self.settings.fingerprint.to_owned();
                    return Err(CampaignError::Different { expected, found: fingerprint });
                }
                self.workers.ready(worker);
            }
            ChildEvent::Message(WorkerMessage::At { prefix }) => {
                if let Some(lease) = self.workers.at(worker, prefix) {
                    self.stores.queue.extend(&lease, self.began.elapsed())?;
                }
            }
            ChildEvent::Message(WorkerMessage::Done { result, effort, .. }) => {
                if let Some(lease) = self.workers.done(worker, effort) {
                    let result = serde_json::to_string(&result).expect("results are plain data");
                    self.stores.queue.acknowledge(&lease, result)?;
                }
            }
            ChildEvent::Message(WorkerMessage::Failed { reason }) => {
                self.remove(worker, Some(reason))?;
            }
            ChildEvent::Invalid(_) => {
                let reason = "its worker process wrote to standard output".to_owned();
                self.remove(worker, Some(reason))?;
            }
            ChildEvent::Closed => self.remove(worker, None)?,
        }
        Ok(())
    }

    /// A worker has ended: its unit is given back, and the step that ended it is recorded.
    fn remove(&mut self, worker: ChildId, reason: Option<String>) -> Result<(), CampaignError> {
        let Some(lost) = self.workers.remove(worker) else { return Ok(()) };
        self.status.lost += 1;
        self.effort_before = self.effort_before.plus(&lost.effort);
        let reason = reason.unwrap_or(lost.how);
        if !lost.was_ready {
            self.starts_failed += 1;
            return match self.starts_failed < STARTS_MAX {
                true => Ok(()),
                false => Err(CampaignError::Start { reason }),
            };
        }
        let Some(lease) = lost.lease else { return Ok(()) };
        self.record_loss(&lease, lost.at, reason)?;
        self.stores.queue.give_back(&lease)?;
        Ok(())
    }

    fn record_loss(
        &mut self,
        lease: &Lease,
        at: Option<Vec<u32>>,
        reason: String,
    ) -> Result<(), CampaignError> {
        let number = lease.unit.number;
        let before = self.suspicious.insert(number, at.clone()).flatten();
        let known = self.quarantined.entry(number).or_default();
        if known.len() == QUARANTINED_MAX || STARTS_MAX < lease.tries && at.is_none() {
            return Err(CampaignError::Unit { number, reason });
        }
        // Workers also die of what is outside of them: twice at one step is no accident.
        if let Some(prefix) = at.filter(|at| before.as_ref() == Some(at)) {
            self.status.quarantined += 1;
            known.push(Quarantined { prefix, reason });
        }
        Ok(())
    }

    /// Writes what was acknowledged to the journal, then hands it to the strategy.
    fn collect(&mut self) -> Result<(), CampaignError> {
        let mut results = Vec::new();
        for (number, text) in self.stores.queue.take_results()? {
            let Some(unit) = self.open.remove(&number) else { continue };
            let result: UnitResult = serde_json::from_str(&text).expect("it was written by us");
            let entry = json!({"phase": self.stores.phase, "unit": unit, "result": result});
            self.stores.journal.write(&entry)?;
            results.push((unit, result));
        }
        if results.is_empty() {
            return Ok(());
        }
        self.stores.journal.sync()?;
        for (unit, result) in results {
            self.status.units += 1;
            self.strategy.absorb(&unit, result);
        }
        Ok(())
    }
}
