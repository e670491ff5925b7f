//! The record of a distributed run: made of those of its nodes.

use crate::assignment::NodeAssignment;
use crate::deployment::Deployment;
use crate::node_process::NodeProcess;
use crate::processes::NodeProcesses;
use crate::record_folder::RecordFolder;
use crate::verdict::Verdict;
use consort_core::{Diagnostic, Report, Severity, Tag};
use consort_run::Context;
use consort_run::files::folder::{self, RunFolder};
use consort_run::files::journals::{JournalCursor, Merged, merge_logs};
use consort_run::files::log::Log;
use consort_run::files::recorder::{TraceFiles, Written};
use consort_run::record::manifest::RunHeader;
use consort_run::record::{Closed, TraceResult};
use consort_run::{End, Error, Prepared, RecordOutcome, RecordSettings, RunOutcome};
use consort_trace::ProgressMark;
use consort_view::numbers::plural;
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// A run whose nodes have ended.
pub(crate) struct EndedRun<'a> {
    pub(crate) processes: &'a NodeProcesses,
    pub(crate) verdict: Verdict,
    pub(crate) outcome: RunOutcome,
    pub(crate) assignment: &'a NodeAssignment,
    pub(crate) deployment: &'a Deployment,
    pub(crate) prepared: &'a Prepared,
    pub(crate) began: u64,
    pub(crate) resumed_from: Option<Value>,
}

impl EndedRun<'_> {
    /// Makes one record of those of the nodes, if one is wanted; also whether theirs are not needed any more.
    ///
    /// # Errors
    /// If the run never began, or the folder cannot be written.
    pub(crate) fn join(
        mut self,
        mut opening: RecordFolder<'_>,
        context: &Context,
    ) -> Result<(RecordOutcome, bool), Error> {
        let mut problems = self.problems();
        if self.verdict.tag.is_none()
            && let End::Lost { failure } = &self.outcome.end
        {
            let mut report = Report::default();
            report.push((**failure).clone());
            problems.into_iter().for_each(|problem| report.push(problem));
            return Err(Error::Failed { report });
        }
        let logged = self.logged();
        let Some(folder) = opening.folder else {
            problems.extend(self.outcome.saving.take_problems());
            return Ok((RecordOutcome { logged, outcome: self.outcome, problems }, true));
        };
        opening.open();
        let Some(begun) = opening.begun else {
            return Err(opening.failure.unwrap_or(Error::Failed { report: Report::default() }));
        };
        let _waiting = context.monitor.waiting("writing the record");
        problems.extend(begun.remark());
        let log = self.join_logs(begun.log, folder)?;
        let settings = &self.assignment.settings;
        let trace = match settings.no_record {
            true => TraceResult::default(),
            false => self.join_traces(settings, folder, &mut problems),
        };
        let prepared = self.prepared;
        let closed = Closed::close(trace, &log, &mut self.outcome, prepared, folder);
        problems.extend(closed.problems.clone());
        let is_torn = closed.is_torn;
        let origin = RunHeader {
            prepared,
            options: &self.assignment.options,
            began: self.began,
            resumed_from: self.resumed_from.as_ref(),
            nodes: Some(self.deployment.to_json(prepared)),
        };
        closed.write_manifest(origin, &self.outcome, folder, &mut problems);
        if !is_torn {
            // No node answers any more; a list that cannot be removed is harmless.
            let _ = std::fs::remove_file(folder.file(folder::NODES));
        }
        Ok((RecordOutcome { logged, outcome: self.outcome, problems }, !is_torn))
    }

    /// The problems of nodes.
    fn problems(&self) -> Vec<Diagnostic> {
        let mut problems = self.verdict.more.clone();
        let outcomes = self.processes.nodes.iter().filter_map(|node| node.outcome.as_ref());
        problems.extend(outcomes.flat_map(|outcome| outcome.problems.iter()).cloned());
        if let End::Lost { failure } = &self.verdict.end
            && failure.code == "run::trace-not-written"
        {
            // Nodes without room can write neither logs nor manifests: one error is enough.
            problems.retain(|problem| problem.severity != Severity::Error);
        }
        problems.extend(self.links_remade());
        problems
    }

    /// A note about connections that broke by themselves: nothing is lost, but the network may be faulty.
    fn links_remade(&self) -> Option<Diagnostic> {
        let outcomes = self.processes.nodes.iter().filter_map(|node| node.outcome.as_ref());
        let count: u64 = outcomes.map(|outcome| outcome.links_remade).sum();
        if count == 0 || self.assignment.faults.is_some() {
            return None;
        }
        let times = plural(count, "time");
        let message = format!("connections between nodes were lost and re-established {times}");
        Some(Diagnostic::note("node::links-remade", message).with_note("the trace is not affected"))
    }

    fn logged(&self) -> (u64, u64) {
        let outcomes = self.processes.nodes.iter().filter_map(|node| node.outcome.as_ref());
        outcomes.fold((0, 0), |(warnings, errors), outcome| {
            (warnings + outcome.logged.0, errors + outcome.logged.1)
        })
    }

    fn node_file(&self, node: &str, name: &str) -> PathBuf {
        self.assignment.records.as_deref().unwrap_or(std::path::Path::new("")).join(node).join(name)
    }

    fn join_logs(&self, file: File, folder: &RunFolder) -> Result<Arc<Log>, Error> {
        let log = Log::silent();
        let path = folder.file(folder::LOG);
        log.open(file).map_err(|error| Error::unwritable(&path, &error))?;
        let files: Vec<(&str, PathBuf)> = self
            .processes
            .nodes
            .iter()
            .map(|node| (node.name.as_str(), self.node_file(&node.name, folder::LOG)))
            .collect();
        let files: Vec<_> = files.iter().map(|(name, path)| (*name, path.as_path())).collect();
        merge_logs(&files).iter().for_each(|line| log.event(line));
        Ok(log)
    }

    /// What nodes recorded. One that has not a single row while others do has lost what it had.
    fn journals(&self, problems: &mut Vec<Diagnostic>) -> Vec<JournalCursor> {
        let members = self.processes.nodes.iter();
        let open = |node: &NodeProcess| {
            JournalCursor::open(&self.assignment.parts.journal(&node.name)).ok()
        };
        let opened: Vec<(&NodeProcess, Option<JournalCursor>)> =
            members.map(|node| (node, open(node))).collect();
        let is_used = opened.iter().any(|(_, it)| it.as_ref().is_some_and(JournalCursor::has_rows));
        let mut kept = Vec::new();
        for (node, journal) in opened {
            match journal.filter(|journal| journal.has_rows() || !is_used) {
                Some(journal) => kept.push(journal),
                None => problems.push(unread(&node.name)),
            }
        }
        kept
    }

    /// Joins what was recorded, chunk by chunk.
    fn join_traces(
        &self,
        settings: &RecordSettings,
        folder: &RunFolder,
        problems: &mut Vec<Diagnostic>,
    ) -> TraceResult {
        let parts = self.journals(problems);
        let rank = |name: &str| rank(self.prepared, name);
        let (columns, written) = match Merged::new(parts, &rank, self.verdict.cut) {
            Ok(Some(merged)) => merged.write(TraceFiles::of(settings, folder)),
            Ok(None) => (Vec::new(), Written::default()),
            Err(error) => (Vec::new(), Written { failure: Some(error), ..Written::default() }),
        };
        TraceResult { columns, written }
    }
}

fn unread(name: &str) -> Diagnostic {
    let message = format!("what node `{name}` recorded is lost");
    let diagnostic = Diagnostic::warning("node::trace-lost", message);
    diagnostic.with_note("its journal is not there, or has no row")
}

/// Where a component is in the system.
pub(crate) fn rank(prepared: &Prepared, name: &str) -> usize {
    let mut components = prepared.resolved().components.iter();
    components.position(|known| known.name == name).unwrap_or(usize::MAX)
}

/// The progress mark of each node at `cut`, from its journal; none if the run is not cut.
pub(crate) fn marks(
    processes: &NodeProcesses,
    assignment: &NodeAssignment,
    cut: Option<Tag>,
) -> Vec<Option<ProgressMark>> {
    let mark = |node: &NodeProcess| {
        let cut = cut?;
        let journal = JournalCursor::open(&assignment.parts.journal(&node.name)).ok()?;
        journal.mark(cut).ok()?
    };
    processes.nodes.iter().map(mark).collect()
}
