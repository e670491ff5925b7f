//! The worker processes of a campaign: the unit of each, and when it sent its last message.

use crate::lease::Lease;
use crate::visit::Effort;
use crate::worker::{WorkerCommand, WorkerMessage};
use consort_process::{ChildEvent, ChildId, Input, Supervisor, describe_exit};
use std::collections::BTreeMap;
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the models of idle workers may take to end, all together.
const GRACE: Duration = Duration::from_secs(2);
/// How long a worker whose output is closed may take to end by itself.
const EXIT_GRACE: Duration = Duration::from_millis(20);

/// A worker that has ended.
#[derive(Debug)]
pub(super) struct LostWorker {
    pub(super) was_ready: bool,
    pub(super) lease: Option<Lease>,
    /// The last step it reported of its unit.
    pub(super) at: Option<Vec<u32>>,
    pub(super) effort: Effort,
    /// The exit status of its process, as text.
    pub(super) how: String,
}

/// All workers of a campaign.
#[derive(Debug, Default)]
pub(super) struct Workers {
    supervisor: Supervisor<WorkerMessage>,
    workers: BTreeMap<ChildId, Worker>,
}

#[derive(Debug)]
struct Worker {
    is_ready: bool,
    lease: Option<Lease>,
    at: Option<Vec<u32>>,
    effort: Effort,
    last_message: Instant,
}

impl Worker {
    fn is_idle(&self) -> bool {
        self.is_ready && self.lease.is_none()
    }
}

impl Workers {
    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    /// How many have not reported that they are ready.
    pub(super) fn starting(&self) -> usize {
        self.workers.values().filter(|worker| !worker.is_ready).count()
    }

    /// Whether no worker has a unit.
    pub(super) fn are_idle(&self) -> bool {
        self.workers.values().all(|worker| worker.lease.is_none())
    }

    /// A worker that has nothing to do.
    pub(super) fn idle(&self) -> Option<ChildId> {
        self.workers.iter().find(|(_, worker)| worker.is_idle()).map(|(id, _)| *id)
    }

    /// What the running workers have done.
    pub(super) fn effort(&self) -> Effort {
        self.workers.values().fold(Effort::default(), |sum, worker| sum.plus(&worker.effort))
    }

    /// Starts a worker.
    pub(super) fn start(&mut self, command: Command) -> io::Result<()> {
        let id = self.supervisor.start(command, Input::Lines)?;
        let worker = Worker {
            is_ready: false,
            lease: None,
            at: None,
            effort: Effort::default(),
            last_message: Instant::now(),
        };
        self.workers.insert(id, worker);
        Ok(())
    }

    /// Gives a worker a unit.
    pub(super) fn assign(&mut self, id: ChildId, lease: Lease, command: &WorkerCommand) {
        let Some(worker) = self.workers.get_mut(&id) else { return };
        (worker.lease, worker.at, worker.last_message) = (Some(lease), None, Instant::now());
        self.supervisor.send(id, command);
    }

    /// A worker is ready.
    pub(super) fn ready(&mut self, id: ChildId) {
        if let Some(worker) = self.workers.get_mut(&id) {
            (worker.is_ready, worker.last_message) = (true, Instant::now());
        }
    }

    /// A worker reports a step; returns the lease of its unit.
    pub(super) fn at(&mut self, id: ChildId, prefix: Vec<u32>) -> Option<Lease> {
        let worker = self.workers.get_mut(&id)?;
        (worker.at, worker.last_message) = (Some(prefix), Instant::now());
        worker.lease.clone()
    }

    /// A unit is done; returns its lease.
    pub(super) fn done(&mut self, id: ChildId, effort: Effort) -> Option<Lease> {
        let worker = self.workers.get_mut(&id)?;
        (worker.effort, worker.last_message) = (effort, Instant::now());
        worker.lease.take()
    }

    /// Workers that should have sent a message by now.
    pub(super) fn silent(&self, silence: Duration) -> Vec<ChildId> {
        let is_silent =
            |worker: &Worker| !worker.is_idle() && silence <= worker.last_message.elapsed();
        let silent = self.workers.iter().filter(|(_, worker)| is_silent(worker));
        silent.map(|(id, _)| *id).collect()
    }

    /// The next event of a worker, if there is one within `timeout`.
    pub(super) fn wait(
        &mut self,
        timeout: Duration,
    ) -> Option<(ChildId, ChildEvent<WorkerMessage>)> {
        self.supervisor.wait(timeout)
    }

    /// Removes a worker, which is killed if it does not end.
    pub(super) fn remove(&mut self, id: ChildId) -> Option<LostWorker> {
        let worker = self.workers.remove(&id)?;
        let status = self.supervisor.remove(id, EXIT_GRACE);
        let how = status.map_or_else(|| "has ended".to_owned(), describe_exit);
        Some(LostWorker {
            was_ready: worker.is_ready,
            lease: worker.lease,
            at: worker.at,
            effort: worker.effort,
            how: format!("its worker process {how}"),
        })
    }

    /// Ends all of them. An idle worker ends by itself when its input is closed: so it takes its models with it, and
    /// the folders they worked in.
    pub(super) fn dismiss(&mut self) {
        let workers = std::mem::take(&mut self.workers);
        for (&id, _) in workers.iter().filter(|(_, worker)| worker.is_idle()) {
            if let Some(process) = self.supervisor.process(id) {
                process.close_input();
            }
        }
        let began = Instant::now();
        for (id, worker) in workers {
            let left = GRACE.saturating_sub(began.elapsed());
            let grace = if worker.is_idle() { left } else { Duration::ZERO };
            self.supervisor.remove(id, grace);
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.dismiss();
    }
}
