//! The side of a campaign that decides: cuts work into leases, hands them to worker processes, writes
//! down what comes back, and stops when the answer is known.
//!
//! # Determinism
//! What a strategy concludes depends on the results of its units in their order and on nothing else:
//! not on the number of workers, on who did what, on what arrived first, or on how often the campaign
//! was stopped and resumed. A unit whose worker dies is done again in a fresh one that tells of every step; a step
//! that ends two of them is quarantined: it counts as failed with what happened, and the rest of the unit is done.

mod crew;

use crate::journal::{Journal, JournalError};
use crate::lease::{Lease, Offered, Queue, QueueError};
use crate::strategy::{Conclusion, Strategy, Unit, UnitResult};
use crate::visit::Effort;
use crate::worker::{Asked, Quarantined, Said};
use crew::{Crew, Event};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

/// A worker that cannot even start is tried this often.
const STARTS_MAX: u32 = 3;
/// So many steps of one unit may end their workers; then something else is wrong.
const QUARANTINED_MAX: usize = 1_000;
/// Nobody is waited for longer than this without a look around.
const PATIENCE: Duration = Duration::from_millis(100);

/// How a campaign is carried out; nothing here changes what it concludes.
pub struct Settings<'s> {
    /// How many workers there are at a time.
    pub workers: usize,
    /// How a worker process is started.
    pub launch: &'s dyn Fn() -> Command,
    /// What all workers must say they work on.
    pub fingerprint: &'s str,
    /// A worker that gives no sign of life for so long is ended.
    pub silence: Duration,
    /// When no more units are handed out.
    pub deadline: Option<Instant>,
}

/// Where a campaign is, for whoever watches.
#[derive(Clone, Debug)]
pub struct Status {
    /// How many units were done, now and before.
    pub units: u64,
    /// How many of them were found in the journal.
    pub units_before: u64,
    /// How many workers live.
    pub workers: usize,
    /// What the workers did so far.
    pub effort: Effort,
    /// How many steps were found to end their worker.
    pub quarantined: usize,
    /// How many workers died, or were ended because they gave no sign of life.
    pub lost: u64,
}

/// What a watcher wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// To go on.
    Continue,
    /// To stop after the units in work.
    Stop,
}

/// How a campaign, or a part of it, ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// The answer is known.
    Concluded(Conclusion),
    /// The watcher wanted it to stop.
    Stopped,
    /// There was no more time.
    OutOfTime,
}

/// Why a campaign cannot go on. Everything acknowledged so far is in the journal.
#[derive(Debug)]
#[non_exhaustive]
pub enum CampaignError {
    /// A worker process cannot be started.
    Launch {
        /// What the system said.
        source: std::io::Error,
    },
    /// Workers end before they are ready, again and again.
    Start {
        /// What the last one said.
        reason: String,
    },
    /// A worker works on something else: a file was changed meanwhile.
    Different {
        /// What this process works on.
        expected: String,
        /// What the worker works on.
        found: String,
    },
    /// A unit ends its workers whatever is left out of it.
    Unit {
        /// Which.
        number: u64,
        /// What happened last.
        reason: String,
    },
    /// The journal cannot be written.
    Journal {
        /// Why.
        source: JournalError,
    },
    /// The queue refused.
    Queue {
        /// Why.
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
                write!(f, "a worker works on something else: {found}, not {expected}")
            }
            CampaignError::Unit { number, reason } => {
                write!(f, "unit {number} ends every worker: {reason}")
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
    /// What the entries of a journal tell.
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
    fn take(&mut self, phase: &str, unit: &Unit) -> Option<UnitResult> {
        let (known, result) = self.results.remove(&(phase.to_owned(), unit.number))?;
        let is_same = serde_json::to_value(unit).is_ok_and(|unit| unit == known);
        if is_same { serde_json::from_value(result).ok() } else { None }
    }
}

/// Where units and results are kept while a strategy is followed.
pub struct Books<'b> {
    /// Lends units.
    pub queue: &'b mut dyn Queue,
    /// Keeps results.
    pub journal: &'b mut Journal,
    /// What the journal held at the start.
    pub past: &'b mut Past,
    /// Which part of the campaign this is.
    pub phase: &'b str,
}

/// Follows a strategy to its conclusion, or until somebody stops it.
///
/// # Errors
/// If workers cannot be started, or the journal cannot be written.
pub fn follow<'a>(
    strategy: &'a mut dyn Strategy,
    books: Books<'a>,
    settings: &'a Settings<'a>,
    watch: &mut dyn FnMut(&Status, &dyn Strategy) -> Wish,
) -> Result<Ending, CampaignError> {
    let mut coordinator = Coordinator::new(strategy, books, settings);
    let ending = coordinator.run(watch);
    coordinator.crew.dismiss();
    ending
}

struct Coordinator<'c> {
    strategy: &'c mut dyn Strategy,
    books: Books<'c>,
    settings: &'c Settings<'c>,
    crew: Crew,
    began: Instant,
    /// Units that were offered and have no result yet.
    open: BTreeMap<u64, Unit>,
    /// By unit: the steps that are left out.
    quarantined: BTreeMap<u64, Vec<Quarantined>>,
    /// Units that ended a worker: they are done carefully. With the step that was to blame last time.
    suspicious: BTreeMap<u64, Option<Vec<u32>>>,
    starts_failed: u32,
    status: Status,
    /// What workers that have ended had done.
    effort_before: Effort,
}

impl<'c> Coordinator<'c> {
    fn new(strategy: &'c mut dyn Strategy, books: Books<'c>, settings: &'c Settings<'c>) -> Self {
        let status = Status {
            units: 0,
            units_before: 0,
            workers: 0,
            effort: Effort::default(),
            quarantined: 0,
            lost: 0,
        };
        Coordinator {
            strategy,
            books,
            settings,
            crew: Crew::new(),
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
        watch: &mut dyn FnMut(&Status, &dyn Strategy) -> Wish,
    ) -> Result<Ending, CampaignError> {
        let mut halt = None;
        loop {
            self.offer()?;
            self.status.workers = self.crew.len();
            self.status.effort = self.effort_before.plus(&self.crew.effort());
            if watch(&self.status, self.strategy) == Wish::Stop {
                halt.get_or_insert(Ending::Stopped);
            }
            if let Some(conclusion) = self.strategy.conclusion() {
                return Ok(Ending::Concluded(conclusion));
            }
            if self.settings.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                halt.get_or_insert(Ending::OutOfTime);
            }
            match &halt {
                Some(ending) if self.crew.is_idle() => return Ok(ending.clone()),
                Some(_) => {}
                None => self.assign()?,
            }
            self.listen()?;
        }
    }

    /// Offers what the strategy has; what was done before is not done again.
    fn offer(&mut self) -> Result<(), CampaignError> {
        let enough = 2 * self.settings.workers;
        while self.books.queue.waiting() < enough && self.strategy.conclusion().is_none() {
            let units = self.strategy.offer(enough);
            if units.is_empty() {
                break;
            }
            for unit in units {
                match self.books.past.take(self.books.phase, &unit) {
                    Some(result) => {
                        self.status.units += 1;
                        self.status.units_before += 1;
                        self.strategy.absorb(&unit, result);
                    }
                    None => {
                        let payload = serde_json::to_string(&unit).expect("units are plain data");
                        self.books.queue.offer(Offered { number: unit.number, payload })?;
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
        while let Some(worker) = self.crew.idle() {
            let Some(lease) = self.books.queue.pull(1, now)?.pop() else { return Ok(()) };
            let unit = self.open[&lease.unit.number].clone();
            let careful = self.suspicious.contains_key(&unit.number);
            let quarantined = self.quarantined.get(&unit.number).cloned().unwrap_or_default();
            // A worker that died meanwhile is heard of soon, and the unit given back.
            self.crew.ask(worker, lease, &Asked::Work { unit, careful, quarantined });
        }
        let wanted = self.books.queue.waiting().min(self.settings.workers);
        while self.crew.starting() < wanted && self.crew.len() < self.settings.workers {
            let started = self.crew.start((self.settings.launch)());
            started.map_err(|source| CampaignError::Launch { source })?;
        }
        Ok(())
    }

    /// Waits for somebody to say something, then hears everybody.
    fn listen(&mut self) -> Result<(), CampaignError> {
        let mut event = self.crew.wait(PATIENCE);
        while let Some(heard) = event {
            self.hear(heard)?;
            event = self.crew.wait(Duration::ZERO);
        }
        for worker in self.crew.silent(self.settings.silence) {
            let seconds = self.settings.silence.as_secs_f64();
            self.bury(worker, Some(format!("its worker gave no sign of life for {seconds} s")))?;
        }
        self.collect()
    }

    fn hear(&mut self, event: Event) -> Result<(), CampaignError> {
        match event {
            Event::Said(worker, Said::Ready { fingerprint }) => {
                self.starts_failed = 0;
                if fingerprint != self.settings.fingerprint {
                    let expected = self.settings.fingerprint.to_owned();
                    return Err(CampaignError::Different { expected, found: fingerprint });
                }
                self.crew.ready(worker);
            }
            Event::Said(worker, Said::At { prefix }) => {
                if let Some(lease) = self.crew.at(worker, prefix) {
                    self.books.queue.extend(&lease, self.began.elapsed())?;
                }
            }
            Event::Said(worker, Said::Done { result, effort, .. }) => {
                if let Some(lease) = self.crew.done(worker, effort) {
                    let result = serde_json::to_string(&result).expect("results are plain data");
                    self.books.queue.acknowledge(&lease, result)?;
                }
            }
            Event::Said(worker, Said::Failed { reason }) => self.bury(worker, Some(reason))?,
            Event::Garbage(worker) => {
                let reason = "its worker wrote something to standard output".to_owned();
                self.bury(worker, Some(reason))?;
            }
            Event::Gone(worker) => self.bury(worker, None)?,
        }
        Ok(())
    }

    /// A worker is no more: its unit is given back, and what ended it is remembered.
    fn bury(&mut self, worker: u64, reason: Option<String>) -> Result<(), CampaignError> {
        let Some(end) = self.crew.bury(worker) else { return Ok(()) };
        self.status.lost += 1;
        self.effort_before = self.effort_before.plus(&end.effort);
        let reason = reason.unwrap_or(end.how);
        if !end.was_ready {
            self.starts_failed += 1;
            return match self.starts_failed < STARTS_MAX {
                true => Ok(()),
                false => Err(CampaignError::Start { reason }),
            };
        }
        let Some(lease) = end.lease else { return Ok(()) };
        self.blame(&lease, end.at, reason)?;
        self.books.queue.give_back(&lease)?;
        Ok(())
    }

    fn blame(
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

    /// Writes down what was acknowledged, then tells the strategy.
    fn collect(&mut self) -> Result<(), CampaignError> {
        let mut news = Vec::new();
        for (number, text) in self.books.queue.take_results()? {
            let Some(unit) = self.open.remove(&number) else { continue };
            let result: UnitResult = serde_json::from_str(&text).expect("it was written by us");
            let entry = json!({"phase": self.books.phase, "unit": unit, "result": result});
            self.books.journal.write(&entry)?;
            news.push((unit, result));
        }
        if news.is_empty() {
            return Ok(());
        }
        self.books.journal.sync()?;
        for (unit, result) in news {
            self.status.units += 1;
            self.strategy.absorb(&unit, result);
        }
        Ok(())
    }
}
