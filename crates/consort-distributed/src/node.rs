//! A node: it joins the others, computes its part of the system, and leaves.

use crate::join::{self, Membership, Refusal};
use crate::message::{NodeEnd, NodeOutcome, StopRequest};
use consort_core::{Diagnostic, Resolution, Severity};
use consort_engine::{RowContent, RunError, Summary};
use consort_node::{JoinOptions, Wait, WaitListener};
use consort_run::files::folder::RunFolder;
use consort_run::files::journals::last_mark;
use consort_run::files::log::Log;
use consort_run::files::recorder::{Recorder, TraceFiles};
use consort_run::monitor::{Context, Listener};
use consort_run::record::{record, run_unrecorded};
use consort_run::{
    End, Error, Prepared, RecordOutcome, RecordSettings, Resumed, RunOutcome, RunTask, Saving,
};
use consort_system::Projection;
use consort_view::numbers::short;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a node has to do.
pub struct NodeTask<'a> {
    /// The options of the run, as manifests keep them.
    pub options: Value,
    /// The whole system.
    pub prepared: &'a Prepared,
    /// How it is cut into nodes.
    pub projection: Arc<Projection>,
    /// How it finds the others.
    pub join: JoinOptions,
    /// How many messages of a flow may wait.
    pub capacity: u32,
    /// Where its rows go, if its starter makes the record.
    pub journal: Option<PathBuf>,
    /// The saves it has to make, and those it has made.
    pub saving: Saving,
    /// The snapshot it resumes from, if it does.
    pub resumed: Option<Resumed>,
    /// Receives how far it is.
    pub listener: Option<Listener>,
}

/// A node that has ended.
pub struct NodeRun {
    /// Its result, as its starter gets it.
    pub outcome: NodeOutcome,
    /// What it recorded, if it started.
    pub recorded: Option<RecordOutcome>,
    /// What the others said at last, by name: the hashes of their variables.
    pub final_messages: BTreeMap<String, Vec<u8>>,
}

/// Joins, computes, leaves, with a record if it has a folder. Whatever happens is in the answer: other nodes are
/// informed, too.
pub fn run(
    mut task: NodeTask<'_>,
    settings: &RecordSettings,
    folder: Option<&RunFolder>,
    context: &Context,
) -> NodeRun {
    let resolution = task.prepared.resolved().experiment.resolution;
    let name = task.join.name.clone();
    let log = match folder {
        Some(_) => Log::held(&context.monitor),
        None => Log::nowhere(&context.monitor),
    };
    task.join.waiting = Some(wait_listener(&name, resolution, &log, context));
    let joined = join::join(&task.join, task.capacity, &task.projection, &context.cancel);
    let (part, membership) = match joined {
        Ok(both) => both,
        Err(refusal) => {
            let reasons = vec![refusal.diagnostic];
            return NodeRun::not_begun(NodeOutcome::not_begun(reasons, refusal.blamed));
        }
    };
    let journal = task.journal.clone();
    let run = RunTask {
        name,
        resumed: task.resumed.as_ref(),
        saving: task.saving,
        part: Some(part),
        listener: task.listener.take(),
        log: Some(log),
        journal: task.journal,
        ..RunTask::new(task.prepared, settings, task.options)
    };
    let recorded = match folder {
        Some(folder) => record(run, folder, context),
        None => without_files(run, context),
    };
    match recorded {
        Ok(recorded) => {
            let mut run = leave(recorded, &membership, resolution, context);
            run.cut_to_journal(journal.as_deref());
            run
        }
        Err(error) => {
            let reasons = error.errors().into_iter();
            let reasons: Vec<Diagnostic> = reasons.map(|it| join_failure(it, context)).collect();
            membership.fail(reasons.first().map_or("it could not start", |first| &first.message));
            NodeRun::not_begun(NodeOutcome::not_begun(reasons, None))
        }
    }
}

/// Reports long waits, to the user and in the log.
fn wait_listener(
    name: &str,
    resolution: Resolution,
    log: &Arc<Log>,
    context: &Context,
) -> WaitListener {
    let monitor = Arc::clone(&context.monitor);
    let (name, log) = (name.to_owned(), Arc::clone(log));
    WaitListener::new(move |wait| {
        let line = wait_line(&name, wait, resolution);
        monitor.message(&line);
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
    })
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

impl NodeRun {
    /// What is not in the journal was not done: where the run stood there is not known.
    fn cut_to_journal(&mut self, journal: Option<&Path>) {
        let recorded = self.recorded.as_ref();
        let has_failed = recorded.is_some_and(|it| it.outcome.end == End::RecordingFailed);
        if let Some(journal) = journal.filter(|_| has_failed) {
            let last = last_mark(journal).ok().flatten();
            self.outcome.tag = last.map(|mark| mark.tag);
        }
    }

    fn not_begun(outcome: NodeOutcome) -> Self {
        NodeRun { outcome, recorded: None, final_messages: BTreeMap::new() }
    }
}

fn without_files(task: RunTask<'_>, context: &Context) -> Result<RecordOutcome, Error> {
    let (recorder, sink) = task.journal.as_ref().map(|_| Recorder::of(RowContent::Marks)).unzip();
    if let (Some(recorder), Some(journal)) = (&recorder, &task.journal) {
        recorder.open(TraceFiles::only_journal(journal.clone(), String::new()));
    }
    let resolution = task.prepared.resolved().experiment.resolution;
    let outcome = run_unrecorded(task, sink, recorder.as_ref(), context)?;
    recorder.map(Recorder::close);
    let problems = outcome.summary.problems.iter();
    let problems = problems.map(|problem| Diagnostic {
        severity: Severity::Warning,
        ..problem.diagnostic(resolution)
    });
    Ok(RecordOutcome { problems: problems.collect(), logged: (0, 0), outcome })
}

fn leave(
    mut recorded: RecordOutcome,
    membership: &Membership,
    resolution: Resolution,
    context: &Context,
) -> NodeRun {
    let end = match stop_request(&recorded.outcome, membership) {
        Some(request) => NodeEnd::Stopped(request),
        None => node_end(&recorded.outcome.end, resolution, context),
    };
    if let NodeEnd::Stopped(StopRequest { component, .. }) = &end {
        recorded.outcome.end = End::Terminated { component: component.clone() };
    }
    let (end, final_messages) = leave_run(end, &recorded.outcome.summary, membership);
    let outcome = &recorded.outcome;
    let outcome = NodeOutcome {
        end,
        tag: Some(outcome.summary.done),
        hashes: outcome.summary.hashes.clone(),
        statistics: outcome.summary.statistics,
        timing: outcome.timing,
        logged: recorded.logged,
        links_remade: membership.links_remade(),
        problems: recorded.problems.clone(),
    };
    NodeRun { outcome, recorded: Some(recorded), final_messages }
}

/// Leaves the run: sends how it ended, and receives the final messages of the others.
fn leave_run(
    end: NodeEnd,
    summary: &Summary,
    membership: &Membership,
) -> (NodeEnd, BTreeMap<String, Vec<u8>>) {
    let left = match &end {
        NodeEnd::Finished => membership.leave(&json(&summary.hashes)),
        NodeEnd::Stopped(request) => membership.leave_early(&json(request)),
        NodeEnd::Interrupted => {
            membership.fail("cancelled");
            Ok(BTreeMap::new())
        }
        NodeEnd::Failed { reasons, .. } => {
            membership.fail(reasons.first().map_or("it failed", |first| &first.message));
            Ok(BTreeMap::new())
        }
    };
    match left {
        Ok(final_messages) => (end, final_messages),
        Err(refusal) => {
            let Refusal { diagnostic, blamed } = *refusal;
            (NodeEnd::Failed { reasons: vec![diagnostic], blamed }, BTreeMap::new())
        }
    }
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("it is plain data")
}

/// Which component asked for the end of the run, and where: one of this node, or one of a node that left for that
/// and that this one has waited for ever since. Everything up to there is done here then.
fn stop_request(outcome: &RunOutcome, membership: &Membership) -> Option<StopRequest> {
    match &outcome.end {
        End::Terminated { component } => {
            let tag = outcome.summary.end.as_ref().map_or(outcome.summary.tag, |(tag, _)| *tag);
            Some(StopRequest { tag, component: component.clone() })
        }
        End::Failed { error: RunError::Courier { error, .. } } => {
            let left = membership.final_messages();
            let request = |bytes: &Vec<u8>| serde_json::from_slice::<StopRequest>(bytes).ok();
            request(left.get(&error.node)?)?;
            left.values().filter_map(request).min_by_key(|request| request.tag)
        }
        _ => None,
    }
}

/// How the end of a run is reported to its starter. Nodes that were interrupted may have been waiting for one that
/// ended before them.
fn node_end(end: &End, resolution: Resolution, context: &Context) -> NodeEnd {
    let failed =
        |diagnostic: Diagnostic| NodeEnd::Failed { reasons: vec![diagnostic], blamed: None };
    match end {
        End::Finished | End::Terminated { .. } => NodeEnd::Finished,
        End::Interrupted => NodeEnd::Interrupted,
        End::Failed { error: RunError::Courier { .. } } if context.cancel.is_cancelled() => {
            NodeEnd::Interrupted
        }
        End::Failed { error } => {
            NodeEnd::Failed { reasons: vec![error.diagnostic(resolution)], blamed: blamed(error) }
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

/// A node that never joined has no times and snapshots to report.
fn join_failure(mut why: Diagnostic, context: &Context) -> Diagnostic {
    if why.code == "run::node" {
        why.notes.clear();
    }
    let is_interrupted = context.cancel.is_cancelled();
    if why.code == "run::node" && !is_interrupted {
        let help =
            "start every node with the same system, and give each the endpoints of the others";
        why = why.help(help);
    }
    why
}
