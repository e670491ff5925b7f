//! `consort explore CAMPAIGN`: explores the scenarios of a system and reports what was found.

mod counter_examples;
mod folder;
mod page;
pub(crate) mod prepare;
mod progress;
pub(crate) mod repeat;
mod verification;

use crate::cli::{ExploreArgs, Global};
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use consort_core::Diagnostic;
use consort_explore::coordinator::{
    self, Books, CampaignError, Ending, Past, Settings, Status, Wish,
};
use consort_explore::journal::{Journal, JournalError};
use consort_explore::lease::EmbeddedQueue;
use consort_explore::report::{Account, Answer};
use consort_explore::strategy::Strategy;
use consort_view::numbers::short;
use folder::CampaignFolder;
use prepare::Ready;
use progress::Progress;
use serde_json::json;
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A worker that gives no sign of life for so long is ended, unless the campaign says otherwise.
const SILENCE: Duration = Duration::from_secs(60);

/// Explores it and says what was found.
pub(crate) fn execute(args: &ExploreArgs, global: &Global, printer: &Printer) -> CommandResult {
    let began = Instant::now();
    let ready = prepare::prepare(&args.campaign, &args.changes, None, global, printer)?;
    printer.report(&ready.prepared.report, "");
    let folder = folder(args, &ready)?;
    let mut session = Session::open(args, global, &ready, &folder)?;
    let mut chronicle = consort_explore::campaign::strategy(&ready.campaign, &ready.resolved.space);
    let ending = session.follow("explore", &mut chronicle, printer)?;
    let verified = verification::verify(&mut session, &chronicle, &ending, printer)?;
    let (counter_examples, pictures) =
        counter_examples::find(&mut session, &chronicle, &ending, global, printer)?;
    let progress = chronicle.progress();
    let account = Account {
        campaign: &ready.campaign,
        resolved: &ready.resolved,
        identity: &ready.identity,
        saving: &ready.saving(),
        ending: &ending,
        progress: &progress,
        summary: chronicle.summary(),
        moments: chronicle.moments(),
        counter_examples: &counter_examples,
        verified,
    };
    let report = account.to_json();
    folder.write(folder::REPORT, &pretty(&report))?;
    folder.write(folder::PAGE, &page::html(&report, &chronicle, &pictures))?;
    folder.write(folder::TIMING, &pretty(&session.timing(began.elapsed())))?;
    say(&account, &folder, printer);
    Ok(exit_of(&account, args, &folder, printer))
}

fn pretty(value: &serde_json::Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("values are plain data");
    text.push('\n');
    text
}

fn folder(args: &ExploreArgs, ready: &Ready) -> Result<CampaignFolder, CommandError> {
    match (&args.resume, &args.out) {
        (Some(resumed), _) => CampaignFolder::resumed(resumed),
        (None, Some(out)) => CampaignFolder::fresh(out),
        (None, None) => {
            // A run of the same system leaves its record in the folder of that name.
            let name = format!("{}-campaign", ready.campaign.name);
            CampaignFolder::fresh(&super::run::default_out(&name))
        }
    }
}

/// A campaign being carried out.
pub(crate) struct Session<'s> {
    ready: &'s Ready,
    folder: &'s CampaignFolder,
    journal: Journal,
    past: Past,
    workers: usize,
    deadline: Option<Instant>,
    command: Vec<std::ffi::OsString>,
    /// What was done, for `timing.json`.
    parts: Vec<serde_json::Value>,
}

impl<'s> Session<'s> {
    fn open(
        args: &ExploreArgs,
        global: &Global,
        ready: &'s Ready,
        folder: &'s CampaignFolder,
    ) -> Result<Self, CommandError> {
        folder.make()?;
        let path = folder.file(folder::JOURNAL);
        let opened = match args.resume {
            Some(_) => Journal::resume(&path, &ready.identity),
            None => Journal::create(&path, &ready.identity).map(|journal| (journal, Vec::new())),
        };
        let (journal, entries) = opened.map_err(|error| unusable_journal(&error))?;
        folder.clear();
        let time = args.time.or(ready.campaign.limit.time.as_ref().map(|time| time.value));
        let time = time.and_then(|time| Duration::try_from_secs_f64(time).ok());
        let written = ready.campaign.workers.as_ref().map(|count| count.value as usize);
        let workers = args.workers.or(written).unwrap_or_else(super::run::available_workers);
        Ok(Session {
            ready,
            folder,
            journal,
            past: Past::of(entries),
            workers,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            command: worker_command(args, global, ready),
            parts: Vec::new(),
        })
    }

    /// What it is about.
    pub(crate) fn ready(&self) -> &'s Ready {
        self.ready
    }

    /// Where its files are.
    pub(crate) fn folder(&self) -> &'s CampaignFolder {
        self.folder
    }

    /// Lets workers follow a strategy.
    ///
    /// # Errors
    /// If workers cannot be started, or the journal cannot be written.
    pub(crate) fn follow(
        &mut self,
        phase: &str,
        strategy: &mut dyn Strategy,
        printer: &Printer,
    ) -> Result<Ending, CommandError> {
        let began = Instant::now();
        let interrupt = Interrupt::listen();
        let silence = self.ready.campaign.watchdog.as_ref().map(|seconds| seconds.value);
        let silence = silence.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let log = self.folder.open_log()?;
        let launch = || launch(&self.command, &log);
        let settings = Settings {
            workers: self.workers,
            launch: &launch,
            fingerprint: &self.ready.fingerprint(),
            silence: silence.unwrap_or(SILENCE),
            deadline: self.deadline,
        };
        let mut progress = Progress::new(printer.progress(), &self.ready.campaign.name);
        let mut last = None;
        let mut watch = |status: &Status, strategy: &dyn Strategy| {
            progress.at(status, strategy);
            last = Some(status.clone());
            if interrupt.is_asked() { Wish::Stop } else { Wish::Continue }
        };
        // A lease outlasts silence: whoever is silent for so long is ended, not waited for.
        let mut queue = EmbeddedQueue::new(settings.silence * 2);
        let books =
            Books { queue: &mut queue, journal: &mut self.journal, past: &mut self.past, phase };
        let ending = coordinator::follow(strategy, books, &settings, &mut watch);
        progress.end();
        let ending = ending.map_err(|error| self.failed(&error))?;
        if let Some(status) = last {
            self.parts.push(part(phase, &status, began.elapsed()));
        }
        Ok(ending)
    }

    fn failed(&self, error: &CampaignError) -> CommandError {
        let resume = format!(
            "what was done is kept: `consort explore {} --resume {}` goes on",
            self.ready.path.display(),
            self.folder.path().display()
        );
        let diagnostic = Diagnostic::error("campaign::failed", error.to_string());
        let said = self.folder.last_words();
        let diagnostic = said.into_iter().fold(diagnostic, Diagnostic::with_note);
        CommandError::failed(diagnostic.help(resume))
    }

    fn timing(&self, elapsed: Duration) -> serde_json::Value {
        json!({
            "seconds": elapsed.as_secs_f64(),
            "workers": self.workers,
            "parts": self.parts,
        })
    }
}

/// What a part of a campaign took.
fn part(phase: &str, status: &Status, elapsed: Duration) -> serde_json::Value {
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

/// How a worker is started: this program, with the hidden verb.
fn worker_command(args: &ExploreArgs, global: &Global, ready: &Ready) -> Vec<std::ffi::OsString> {
    let program = std::env::current_exe().map_or_else(|_| "consort".into(), Into::into);
    let mut words: Vec<std::ffi::OsString> = vec![program, "campaign-worker".into()];
    words.push(ready.path.clone().into());
    let mut option = |name: &str, value: Option<std::ffi::OsString>| {
        if let Some(value) = value {
            words.push(name.into());
            words.push(value);
        }
    };
    let number = |value: Option<u64>| value.map(|value| value.to_string().into());
    let share = args.changes.verify_share.map(|share| share.to_string().into());
    option("--verify-share", share);
    option("--seed", number(args.changes.seed));
    option("--limit", number(args.changes.limit));
    option("--memory", number(args.changes.memory));
    words.extend(global.model_arguments());
    words.extend(["--progress", "none"].map(Into::into));
    words
}

fn launch(words: &[std::ffi::OsString], log: &File) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    match log.try_clone() {
        Ok(log) => command.stderr(log),
        Err(_) => command.stderr(Stdio::null()),
    };
    command
}

fn unusable_journal(error: &JournalError) -> CommandError {
    let (code, help) = match error {
        JournalError::OtherCampaign { .. } => (
            "campaign::other-campaign",
            "put everything back as it was, or begin anew with `--out DIR`",
        ),
        JournalError::Damaged { .. } => {
            ("campaign::damaged-journal", "begin anew with `--out DIR`")
        }
        JournalError::InUse { .. } => {
            ("campaign::in-use", "wait until the other one has ended, or use another folder")
        }
        _ => ("campaign::journal", "choose another folder with `--out DIR`"),
    };
    CommandError::failed(Diagnostic::error(code, error.to_string()).help(help))
}

/// What was found, in a few lines.
fn say(account: &Account<'_>, folder: &CampaignFolder, printer: &Printer) {
    let tally = &account.summary.tally;
    let name = one_line(&account.campaign.name);
    let total = account.resolved.space.count();
    let mut counts = vec![format!("{} hold", tally.holds), format!("{} violated", tally.violated)];
    for (count, what) in [(tally.undecided, "undecided"), (tally.failed, "failed")] {
        if 0 < count {
            counts.push(format!("{count} {what}"));
        }
    }
    let counts = counts.join(", ");
    printer.say(&format!("{name}: {} of {total} scenarios: {counts}", tally.total()));
    for line in certainty(account) {
        printer.say(&format!("  {line}"));
    }
    for found in account.counter_examples {
        printer.say(&format!("  {}", counter_examples::line(found, account.resolved, folder)));
    }
    printer.say(&format!("  report: {}", folder.file(folder::PAGE).display()));
}

/// How sure the answer is.
fn certainty(account: &Account<'_>) -> Vec<String> {
    let mut lines = verification::lines(account.verified);
    if let Some(omission) = account.progress.omission {
        lines.push(format!("probability to have missed a violation: at most {}", short(omission)));
    }
    if let Some(estimate) = account.progress.estimate {
        let percent = estimate.confidence * 100.0;
        let (low, high) = (short(estimate.low), short(estimate.high));
        lines.push(format!("probability of a violation: {low} to {high} ({percent} % confidence)"));
    }
    lines
}

fn exit_of(
    account: &Account<'_>,
    args: &ExploreArgs,
    folder: &CampaignFolder,
    printer: &Printer,
) -> Exit {
    let campaign = args.campaign.display();
    let resume = format!("consort explore {campaign} --resume {}", folder.path().display());
    match account.ending {
        Ending::Concluded(_) => {}
        Ending::Stopped => printer.insist(&format!("stopped; go on with: {resume}")),
        Ending::OutOfTime => printer.insist(&format!("out of time; go on with: {resume}")),
    }
    match account.answer() {
        Answer::Holds => Exit::Done,
        Answer::Violated => Exit::No,
        Answer::Unknown => Exit::Failed,
    }
}
