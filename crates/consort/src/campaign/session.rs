//! A campaign being carried out: its journal, its workers, its deadline.

use super::CampaignRequest;
use super::folder::{self, CampaignFolder};
use super::prepare::Campaign;
use super::worker::WorkerAssignment;
use crate::models::ModelOptions;
use consort_core::Diagnostic;
use consort_explore::coordinator::{
    self, CampaignEnd, CampaignError, CampaignStatus, CampaignStores, Past, Settings,
};
use consort_explore::journal::{CampaignJournal, JournalError};
use consort_explore::lease::EmbeddedQueue;
use consort_explore::strategy::Strategy;
use consort_run::monitor::CampaignProgress;
use consort_run::settings::available_workers;
use consort_run::{Context, Error};
use serde_json::{Value, json};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A worker that sends nothing for so long is killed, unless the campaign says otherwise.
const SILENCE: Duration = Duration::from_secs(60);
/// How often progress is reported.
const INTERVAL: Duration = Duration::from_millis(100);

/// A campaign being carried out.
pub(super) struct Session<'s> {
    pub(super) campaign: &'s Campaign,
    pub(super) folder: &'s CampaignFolder,
    pub(super) models: &'s ModelOptions,
    pub(super) deadline: Option<Instant>,
    journal: CampaignJournal,
    past: Past,
    workers: usize,
    assignment: PathBuf,
    /// The parts of the campaign, for `timing.json`.
    parts: Vec<Value>,
}

impl<'s> Session<'s> {
    /// Opens the journal, and writes what workers are given.
    ///
    /// # Errors
    /// If the folder cannot be used, or its journal is another campaign's.
    pub(super) fn open(
        request: &CampaignRequest,
        campaign: &'s Campaign,
        models: &'s ModelOptions,
        folder: &'s CampaignFolder,
    ) -> Result<Self, Error> {
        folder.make()?;
        let path = folder.file(folder::JOURNAL);
        let opened = match request.resume {
            Some(_) => CampaignJournal::resume(&path, &campaign.identity),
            None => CampaignJournal::create(&path, &campaign.identity)
                .map(|journal| (journal, Vec::new())),
        };
        let (journal, entries) = opened.map_err(|error| unusable_journal(&error))?;
        folder.clear();
        let time = request.time.or(campaign.written.limit.time.as_ref().map(|time| time.value));
        let time = time.and_then(|time| Duration::try_from_secs_f64(time).ok());
        let written = campaign.written.workers.as_ref().map(|count| count.value as usize);
        let assignment = folder.file(folder::ASSIGNMENT);
        WorkerAssignment::write(campaign, models, &assignment)?;
        Ok(Session {
            campaign,
            folder,
            models,
            journal,
            past: Past::of(entries),
            workers: request.workers.or(written).unwrap_or_else(available_workers),
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            assignment,
            parts: Vec::new(),
        })
    }

    /// Lets workers follow a strategy.
    ///
    /// # Errors
    /// If workers cannot be started, or the journal cannot be written.
    pub(super) fn follow(
        &mut self,
        phase: &str,
        strategy: &mut dyn Strategy,
        context: &Context,
    ) -> Result<CampaignEnd, Error> {
        let began = Instant::now();
        let silence = self.campaign.written.watchdog.as_ref().map(|seconds| seconds.value);
        let silence = silence.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let log = self.folder.open_log()?;
        let program = self.models.program().ok_or_else(no_program)?;
        let launch = || {
            let mut command = Command::new(&program);
            command.args(["campaign-worker", "--assignment"]).arg(&self.assignment);
            log_to(&mut command, &log);
            command
        };
        let settings = Settings {
            workers: self.workers,
            launch: &launch,
            fingerprint: &self.campaign.fingerprint(),
            silence: silence.unwrap_or(SILENCE),
            deadline: self.deadline,
        };
        let mut reporter = Reporter::new(context, &self.campaign.written.name);
        let mut last = None;
        let mut watch = |status: &CampaignStatus, strategy: &dyn Strategy| {
            reporter.at(status, strategy);
            last = Some(status.clone());
            match context.cancel.is_cancelled() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        // A lease outlasts silence: a worker that is silent for so long is killed, not waited for.
        let mut queue = EmbeddedQueue::new(settings.silence * 2);
        let stores = CampaignStores {
            queue: &mut queue,
            journal: &mut self.journal,
            past: &mut self.past,
            phase,
        };
        let ending = coordinator::follow(strategy, stores, &settings, &mut watch);
        reporter.end();
        let ending = ending.map_err(|error| self.failed(&error))?;
        if let Some(status) = last {
            self.parts.push(part(phase, &status, began.elapsed()));
        }
        Ok(ending)
    }

    fn failed(&self, error: &CampaignError) -> Error {
        let resume = format!(
            "what was done is kept: `consort explore {} --resume {}` continues",
            self.campaign.path.display(),
            self.folder.path().display()
        );
        let diagnostic = Diagnostic::error("campaign::failed", error.to_string());
        let logged = self.folder.last_log_lines();
        let diagnostic = logged.into_iter().fold(diagnostic, Diagnostic::with_note);
        Error::failed(diagnostic.help(resume))
    }

    /// The content of `timing.json`.
    pub(super) fn timing(&self, elapsed: Duration) -> Value {
        json!({
            "seconds": elapsed.as_secs_f64(),
            "workers": self.workers,
            "parts": self.parts,
        })
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Only the workers of this session need it.
        WorkerAssignment::remove(&self.assignment);
    }
}

fn log_to(command: &mut Command, log: &File) {
    match log.try_clone() {
        Ok(log) => command.stderr(log),
        Err(_) => command.stderr(Stdio::null()),
    };
}

/// What a part of a campaign took.
fn part(phase: &str, status: &CampaignStatus, elapsed: Duration) -> Value {
    let effort = &status.effort;
    json!({
        "phase": phase,
        "seconds": elapsed.as_secs_f64(),
        "units": status.units,
        "units_before": status.units_before,
        "workers_lost": status.lost,
        "quarantined": status.quarantined,
        "periods": effort.steps,
        "saves": effort.saves,
        "restores": effort.restores,
        "resets": effort.resets,
        "snapshots_most": effort.snapshots_most,
        "bytes_most": effort.bytes_most,
    })
}

fn no_program() -> Error {
    let message = "the program `consort` was not found: worker processes cannot be started";
    let diagnostic = Diagnostic::error("campaign::no-program", message);
    Error::failed(diagnostic.help(consort_process::program::HELP))
}

fn unusable_journal(error: &JournalError) -> Error {
    let (code, help) = match error {
        JournalError::OtherCampaign { .. } => (
            "campaign::other-campaign",
            "put everything back as it was, or start again with `--out DIR`",
        ),
        JournalError::Damaged { .. } => {
            ("campaign::damaged-journal", "start again with `--out DIR`")
        }
        JournalError::InUse { .. } => {
            ("campaign::in-use", "wait until the other one has ended, or use another folder")
        }
        _ => ("campaign::journal", "choose another folder with `--out DIR`"),
    };
    Error::failed(Diagnostic::error(code, error.to_string()).help(help))
}

/// Reports how far a campaign is, at intervals.
struct Reporter<'r> {
    context: &'r Context,
    name: &'r str,
    began: Instant,
    reported: Option<Instant>,
    /// How many scenarios were done when this part began.
    first: Option<u128>,
    last: Option<CampaignProgress>,
}

impl<'r> Reporter<'r> {
    fn new(context: &'r Context, name: &'r str) -> Self {
        Reporter { context, name, began: Instant::now(), reported: None, first: None, last: None }
    }

    fn at(&mut self, status: &CampaignStatus, strategy: &dyn Strategy) {
        let (now, progress) = (Instant::now(), strategy.progress());
        let first = *self.first.get_or_insert(progress.done);
        if self.reported.is_some_and(|before| now - before < INTERVAL) {
            return;
        }
        self.reported = Some(now);
        let (summary, elapsed) = (strategy.summary(), now - self.began);
        let (fresh, seconds) = (progress.done.saturating_sub(first), elapsed.as_secs_f64());
        let rate = if 0.0 < seconds { fresh as f64 / seconds } else { 0.0 };
        let total = progress.total.filter(|_| 0.0 < rate);
        let report = CampaignProgress {
            name: self.name.to_owned(),
            done: progress.done,
            total: progress.total,
            violated: summary.tally.violated,
            failed: summary.tally.failed,
            lowest: summary.lowest(),
            omission: progress.omission,
            estimate: progress.estimate.map(|estimate| (estimate.low, estimate.high)),
            snapshots: status.effort.snapshots,
            workers: status.workers,
            rate,
            seconds_left: total.map(|total| total.saturating_sub(progress.done) as f64 / rate),
            elapsed,
            is_end: false,
        };
        self.context.monitor.campaign(&report);
        self.last = Some(report);
    }

    fn end(&self) {
        if let Some(last) = &self.last {
            self.context.monitor.campaign(&CampaignProgress { is_end: true, ..last.clone() });
        }
    }
}
