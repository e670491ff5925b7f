//! A node: it joins the others, computes its part of the system, and leaves.

use super::joining::{self, Joined, Joining, Refusal};
use super::merge::last_standing;
use super::words::{EndWay, Ending, Wish, hashes_to_json};
use crate::cli::RunArgs;
use crate::commands::replay;
use crate::commands::run::resuming::Resumed;
use crate::commands::run::saving::Saving;
use crate::commands::run::{self, Recorded, Way};
use crate::execute::{End, Outcome};
use crate::outcome::CommandError;
use crate::output::folder::RunFolder;
use crate::output::log::Log;
use crate::output::printer::Printer;
use crate::output::progress::Listener;
use crate::output::recorder::{Recorder, TraceFiles};
use crate::pipeline::Prepared;
use consort_core::{Diagnostic, Resolution, Severity};
use consort_engine::{RowContent, RunError, Summary};
use consort_node::{Wait, WaitListener};
use consort_system::Projection;
use consort_view::numbers::short;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a node has to do.
pub(crate) struct Job<'a> {
    /// The options of the run.
    pub(crate) args: &'a RunArgs,
    /// The whole system.
    pub(crate) prepared: &'a Prepared,
    /// How it is cut into nodes.
    pub(crate) projection: Arc<Projection>,
    /// How it finds the others.
    pub(crate) joining: Joining,
    /// Where its rows go, if its starter makes the record.
    pub(crate) journal: Option<PathBuf>,
    /// Where its record goes, if one is kept.
    pub(crate) folder: Option<RunFolder>,
    /// Its saves.
    pub(crate) saving: Saving,
    /// What it goes on from, if not from the start.
    pub(crate) resumed: Option<Resumed>,
    /// Who is told how far it is.
    pub(crate) listener: Option<Listener>,
}

/// A node that has ended.
pub(crate) struct Done {
    /// What it came to.
    pub(crate) ending: Ending,
    /// What it left, if it began.
    pub(crate) recorded: Option<Recorded>,
    /// What the others said at last, by name: the hashes of their variables.
    pub(crate) last_words: BTreeMap<String, Vec<u8>>,
}

/// Joins, computes, leaves. Whatever happens is in the answer: others shall be told, too.
pub(crate) fn run(mut job: Job<'_>, printer: &Printer) -> Done {
    let resolution = job.prepared.resolved.experiment.resolution;
    let name = job.joining.name.clone();
    let log = match job.folder {
        Some(_) => Log::held(printer),
        None => Log::nowhere(printer),
    };
    job.joining.waiting = wait_listener(&name, resolution, &log, printer);
    let (part, joined) = match joining::join(&job.joining, &job.projection, resolution) {
        Ok(both) => both,
        Err(refusal) => {
            let why = vec![refusal.diagnostic];
            return Done::unbegun(Ending::unbegun(why, refusal.blamed));
        }
    };
    let way = Way {
        until: None,
        resumed: job.resumed.as_ref(),
        saving: job.saving,
        part: Some(part),
        listener: job.listener.take(),
        log: Some(log),
        journal: job.journal,
    };
    let journal = way.journal.clone();
    let recorded = match &job.folder {
        Some(folder) => run::record(job.args, job.prepared, way, folder, printer),
        None => without_files(job.args, job.prepared, way, (&name, printer)),
    };
    match recorded {
        Ok(recorded) => {
            let mut done = leave(recorded, &joined, resolution);
            done.heed_journal(journal.as_deref());
            done
        }
        Err(error) => {
            let why: Vec<Diagnostic> = errors(error).into_iter().map(unmet).collect();
            joined.fail(why.first().map_or("it could not start", |first| &first.message));
            Done::unbegun(Ending::unbegun(why, None))
        }
    }
}

/// Reports long waits, to the user and in the log.
fn wait_listener(
    name: &str,
    resolution: Resolution,
    log: &Arc<Log>,
    printer: &Printer,
) -> Option<WaitListener> {
    // Who has no descriptors left has other things to say.
    let printer = printer.hushed().ok()?;
    let (name, log) = (name.to_owned(), Arc::clone(log));
    Some(WaitListener::new(move |wait| {
        let line = wait_line(&name, wait, resolution);
        printer.say(&line);
        log.wait(&json!({
            "event": "wait",
            "node": name,
            "for_node": wait.for_node,
            "what": wait.what.to_string(),
            "flow": wait.flow,
            "at": wait.tag.map(|tag| resolution.to_f64(tag.time)),
            "seconds": wait.since.as_secs_f64(),
            "message": line,
        }));
    }))
}

/// `` node `a` has waited for node `b` for 5 s: a message at 1.5 s, flow `b>a/...` ``.
fn wait_line(name: &str, wait: &Wait, resolution: Resolution) -> String {
    let Wait { for_node, what, .. } = wait;
    let since = wait.since.as_secs();
    let at = wait.tag.map(|tag| format!(" at {} s", short(resolution.to_f64(tag.time))));
    let flow = wait.flow.as_ref().map(|flow| format!(", flow `{flow}`"));
    let (at, flow) = (at.unwrap_or_default(), flow.unwrap_or_default());
    format!("node `{name}` has waited for node `{for_node}` for {since} s: {what}{at}{flow}")
}

impl Done {
    /// What is not in the journal was not done: nobody can be told where the run stood there.
    fn heed_journal(&mut self, journal: Option<&Path>) {
        let recorded = self.recorded.as_ref();
        let has_failed = recorded.is_some_and(|it| it.outcome.end == End::RecordingFailed);
        if let Some(journal) = journal.filter(|_| has_failed) {
            let last = last_standing(journal).ok().flatten();
            self.ending.tag = last.map(|standing| standing.tag);
        }
    }

    fn unbegun(ending: Ending) -> Self {
        Done { ending, recorded: None, last_words: BTreeMap::new() }
    }
}

fn without_files(
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    told: (&str, &Printer),
) -> Result<Recorded, CommandError> {
    let (recorder, sink) = way.journal.as_ref().map(|_| Recorder::of(RowContent::Standing)).unzip();
    if let (Some(recorder), Some(journal)) = (&recorder, &way.journal) {
        recorder.open(TraceFiles::only_journal(journal.clone(), String::new()));
    }
    let outcome = replay::run_recorded((sink, recorder.as_ref()), args, prepared, way, told)?;
    recorder.map(Recorder::close);
    let problems = outcome.summary.problems.iter();
    let resolution = prepared.resolved.experiment.resolution;
    let problems = problems.map(|problem| Diagnostic {
        severity: Severity::Warning,
        ..problem.diagnostic(resolution)
    });
    Ok(Recorded { problems: problems.collect(), logged: (0, 0), outcome })
}

fn leave(mut recorded: Recorded, joined: &Joined, resolution: Resolution) -> Done {
    let way = match wish(&recorded.outcome, joined) {
        Some(wish) => EndWay::Ended(wish),
        None => end_way(&recorded.outcome.end, resolution),
    };
    if let EndWay::Ended(Wish { component, .. }) = &way {
        recorded.outcome.end = End::Terminated { component: component.clone() };
    }
    let (way, last_words) = take_leave(way, &recorded.outcome.summary, joined);
    let outcome = &recorded.outcome;
    let ending = Ending {
        way,
        tag: Some(outcome.summary.done),
        hashes: outcome.summary.hashes.clone(),
        statistics: outcome.summary.statistics,
        timing: outcome.timing,
        logged: recorded.logged,
        links_remade: joined.links_remade(),
        problems: recorded.problems.clone(),
    };
    Done { ending, recorded: Some(recorded), last_words }
}

/// Tells the others, and hears what they say.
fn take_leave(
    way: EndWay,
    summary: &Summary,
    joined: &Joined,
) -> (EndWay, BTreeMap<String, Vec<u8>>) {
    let left = match &way {
        EndWay::Finished => joined.leave(hashes_to_json(&summary.hashes).to_string().as_bytes()),
        EndWay::Ended(wish) => joined.break_off(wish.to_json().to_string().as_bytes()),
        EndWay::Interrupted => {
            joined.fail("it was interrupted");
            Ok(BTreeMap::new())
        }
        EndWay::Failed { why, .. } => {
            joined.fail(why.first().map_or("it failed", |first| &first.message));
            Ok(BTreeMap::new())
        }
    };
    match left {
        Ok(words) => (way, words),
        Err(refusal) => {
            let Refusal { diagnostic, blamed } = *refusal;
            (EndWay::Failed { why: vec![diagnostic], blamed }, BTreeMap::new())
        }
    }
}

/// Who wants the run to end, and where: a component of this node, or one of a node that left for that
/// and that this one has waited for ever since. Everything up to there is done here then.
fn wish(outcome: &Outcome, joined: &Joined) -> Option<Wish> {
    match &outcome.end {
        End::Terminated { component } => {
            let tag = outcome.summary.end.as_ref().map_or(outcome.summary.tag, |(tag, _)| *tag);
            Some(Wish { tag, component: component.clone() })
        }
        End::Failed { error: RunError::Courier { error, .. } } => {
            let said = joined.farewells();
            let wish = |words: &Vec<u8>| Wish::from_json(&serde_json::from_slice(words).ok()?);
            wish(said.get(&error.node)?)?;
            said.values().filter_map(wish).min_by_key(|wish| wish.tag)
        }
        _ => None,
    }
}

/// How the end of a run is told to its starter. Nodes that were interrupted may have been waiting for
/// one that ended before them.
fn end_way(end: &End, resolution: Resolution) -> EndWay {
    let failed = |diagnostic: Diagnostic| EndWay::Failed { why: vec![diagnostic], blamed: None };
    match end {
        End::Finished | End::Terminated { .. } => EndWay::Finished,
        End::Interrupted => EndWay::Interrupted,
        End::Failed { error: RunError::Courier { .. } }
            if crate::interrupt::Interrupt::listen().is_asked() =>
        {
            EndWay::Interrupted
        }
        End::Failed { error } => {
            EndWay::Failed { why: vec![error.diagnostic(resolution)], blamed: blamed(error) }
        }
        End::Lost { failure } => failed((**failure).clone()),
        End::RecordingFailed => failed(
            Diagnostic::error("run::trace-not-written", "the trace could not be written any more")
                .help(
                    "make room on the disk of the cache, or choose another with `--cache-dir DIR`",
                ),
        ),
    }
}

fn blamed(error: &RunError) -> Option<String> {
    match error {
        RunError::Courier { error, .. } => Some(error.node.clone()),
        _ => None,
    }
}

/// A node that never met the others has nothing to say about times and snapshots.
fn unmet(mut why: Diagnostic) -> Diagnostic {
    if why.code == "run::node" {
        why.notes.clear();
    }
    let is_interrupted = crate::interrupt::Interrupt::listen().is_asked();
    if why.code == "run::node" && !is_interrupted {
        let help = "start every node with the same system, and tell each where the others listen";
        why = why.help(help);
    }
    why
}

/// What keeps a node from beginning.
pub(crate) fn errors(error: CommandError) -> Vec<Diagnostic> {
    match error {
        CommandError::Invalid { report } | CommandError::Failed { report } => {
            let is_error = |told: &&Diagnostic| told.severity == Severity::Error;
            report.diagnostics().iter().filter(is_error).cloned().collect()
        }
        CommandError::Output { source } => {
            let message = format!("its words could not be told: {}", crate::outcome::said(&source));
            vec![Diagnostic::error("node::unheard", message)]
        }
    }
}
