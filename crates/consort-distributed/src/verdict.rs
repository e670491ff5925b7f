//! The result of a run whose nodes have all ended: how it ended, which node failed, its hashes and statistics.

use crate::message::{NodeEnd, NodeOutcome, StopRequest, is_about_others};
use crate::node_process::NodeProcess;
use crate::processes::NodeProcesses;
use consort_core::{Diagnostic, Resolution, Tag, Time};
use consort_engine::{Statistics, Summary};
use consort_process::describe_exit;
use consort_run::paths::quoted;
use consort_run::{End, RunOutcome, RunTiming, Saving};
use consort_system::ResolvedExperiment;
use consort_trace::ProgressMark;
use consort_view::numbers::short;
use std::process::ExitStatus;
use std::time::Instant;

/// How a run ended, from the ends of its nodes.
pub(crate) struct Verdict {
    /// How the run ended.
    pub(crate) end: End,
    /// Further diagnostics.
    pub(crate) more: Vec<Diagnostic>,
    /// The last tag that every node has done; none if a node never began.
    pub(crate) tag: Option<Tag>,
    /// Whatever was done after this tag does not belong to the run.
    pub(crate) cut: Option<Tag>,
}

/// Decides how the run ended. Of stop requests at one tag that of the component with the least `rank` counts.
pub(crate) fn judge(
    processes: &NodeProcesses,
    resolution: Resolution,
    saving: &Saving,
    is_interrupted: bool,
    rank: &dyn Fn(&str) -> usize,
) -> Verdict {
    let nodes = &processes.nodes;
    let tag = consistent(nodes);
    let mut verdict = Verdict { end: End::Finished, more: Vec::new(), tag, cut: None };
    if let Some(request) = fulfilled(nodes, rank) {
        verdict.end = End::Terminated { component: request.component.clone() };
        (verdict.tag, verdict.cut) = (Some(request.tag), Some(request.tag));
        return verdict;
    }
    if nodes.iter().all(|node| end_of(node) == Some(&NodeEnd::Finished)) {
        return verdict;
    }
    verdict.cut = tag;
    if is_interrupted {
        verdict.end = End::Interrupted;
        return verdict;
    }
    let mut failures = failures(nodes, processes.first_lost);
    let resolved = |time: Time| short(resolution.to_f64(time));
    let upto = match tag {
        Some(tag) => format!("every node has done everything up to {} s", resolved(tag.time)),
        None => "no value was computed by all nodes".to_owned(),
    };
    let mut failure = failures.remove(0).with_note(upto);
    if let Some(file) = saving.last_file() {
        let line = format!("consort run --resume {}", quoted(&file.display().to_string()));
        failure = failure.with_note(format!("resume from the last snapshot with `{line}`"));
    }
    verdict.end = End::Lost { failure: Box::new(failure) };
    verdict.more = failures;
    verdict
}

fn end_of(node: &NodeProcess) -> Option<&NodeEnd> {
    node.outcome.as_ref().map(|outcome| &outcome.end)
}

/// The last time that is done everywhere, with all of its microsteps. A node that died may have done
/// more than it reported.
fn consistent(nodes: &[NodeProcess]) -> Option<Tag> {
    let time = nodes.iter().map(done).min().flatten()?;
    Some(Tag { time, microstep: u32::MAX })
}

fn done(node: &NodeProcess) -> Option<Time> {
    match &node.outcome {
        Some(outcome) => outcome.tag.map(|tag| tag.time),
        None => node.at,
    }
}

/// The earliest request that the run end, if every node has come so far: what happened later anywhere, and
/// be it a failure, would not have happened then.
fn fulfilled<'a>(
    nodes: &'a [NodeProcess],
    rank: &dyn Fn(&str) -> usize,
) -> Option<&'a StopRequest> {
    let request = |node: &'a NodeProcess| match end_of(node)? {
        NodeEnd::Stopped(request) => Some(request),
        _ => None,
    };
    let first = nodes.iter().filter_map(request);
    let first = first.min_by_key(|request| (request.tag, rank(&request.component)))?;
    let is_there = |node: &NodeProcess| {
        node.outcome.as_ref().is_some_and(NodeOutcome::is_finished)
            || done(node).is_some_and(|done| first.tag.time <= done)
    };
    nodes.iter().all(is_there).then_some(first)
}

/// The diagnostics of the node that failed: one that died, one that failed by itself, one that others
/// report. There is at least one.
fn failures(nodes: &[NodeProcess], first_lost: Option<usize>) -> Vec<Diagnostic> {
    let first = first_lost.map(|index| &nodes[index]);
    if let Some(dead) = first.filter(|node| node.outcome.is_none()) {
        return vec![death(dead)];
    }
    let failed = |node: &NodeProcess| match end_of(node) {
        Some(NodeEnd::Failed { reasons, blamed }) => {
            Some((node.name.clone(), reasons.clone(), blamed.clone()))
        }
        _ => None,
    };
    let failed: Vec<_> = nodes.iter().filter_map(failed).collect();
    let is_own = |(_, why, blamed): &&(String, Vec<Diagnostic>, Option<String>)| {
        blamed.is_none() && !why.iter().any(is_about_others)
    };
    match failed.iter().find(is_own).or(failed.first()) {
        Some((name, why, _)) if !why.is_empty() => {
            let named = why.iter().map(|why| with_node(name, why.clone()));
            named.collect()
        }
        // A node that was killed because it did not end on request is reported last.
        _ => match nodes.iter().find(|node| node.outcome.is_none()) {
            Some(dead) => vec![death(dead)],
            None => vec![Diagnostic::error("node::failed", "a node ended too early")],
        },
    }
}

fn with_node(name: &str, mut why: Diagnostic) -> Diagnostic {
    // Places point into texts that only the node has.
    (why.primary, why.labels) = (None, Vec::new());
    if !why.message.starts_with("node `") {
        why.message = format!("node `{name}`: {}", why.message);
    }
    why
}

fn death(node: &NodeProcess) -> Diagnostic {
    let name = &node.name;
    let how = node.status.map_or("ended without a status".to_owned(), how);
    let diagnostic = Diagnostic::error("node::died", format!("node `{name}` {how}"));
    let help = "run it again; with `--save-every SECONDS --save FILE` a run can be resumed from its last \
                snapshot";
    diagnostic.help(help)
}

fn how(status: ExitStatus) -> String {
    match status.code() {
        Some(101) => "ended by a bug in Consort (exit code 101)".to_owned(),
        _ => describe_exit(status),
    }
}

/// The result of a run, from those of its nodes; if it is cut, from where each stood there, as far as
/// that is known.
pub(crate) fn outcome(
    nodes: &[NodeProcess],
    verdict: &Verdict,
    marks: &[Option<ProgressMark>],
    saving: Saving,
    experiment: &ResolvedExperiment,
) -> RunOutcome {
    let outcomes: Vec<&NodeOutcome> =
        nodes.iter().filter_map(|node| node.outcome.as_ref()).collect();
    let (mut hashes, mut statistics) = (Vec::new(), Statistics::default());
    for (node, mark) in nodes.iter().zip(marks) {
        let outcome = node.outcome.as_ref();
        let mut own = outcome.map(|outcome| outcome.statistics).unwrap_or_default();
        match mark {
            Some(mark) => {
                hashes.extend_from_slice(&mark.hashes);
                let counts = mark.counts.as_slice().try_into();
                own = own.with_counts(counts.unwrap_or_default());
            }
            None => hashes.extend(outcome.into_iter().flat_map(|it| it.hashes.iter().cloned())),
        }
        statistics.add(&own);
    }
    let stood = marks.iter().flatten().map(|mark| mark.tag).max();
    let tag = stood.or(verdict.tag).unwrap_or(Tag::at(experiment.start));
    // Where a component ends between two tags, the step to the second one was begun.
    let is_begun = matches!(verdict.end, End::Terminated { .. })
        && verdict.cut.is_some_and(|cut| tag.time < cut.time);
    statistics.tags += u64::from(is_begun);
    let summary = Summary::new(tag, experiment.hash, hashes, statistics, Vec::new());
    let (end, timing) = (verdict.end.clone(), timing(&outcomes));
    RunOutcome { end, summary, timing, ended: Instant::now(), saving }
}

fn timing(outcomes: &[&NodeOutcome]) -> RunTiming {
    let mut all = RunTiming::default();
    for NodeOutcome { timing, .. } in outcomes {
        all.start = all.start.max(timing.start);
        all.run = all.run.max(timing.run);
        all.late += timing.late;
        all.late_max = all.late_max.max(timing.late_max);
    }
    all
}
