//! The record of a run that was spread over nodes: made of theirs.

use crate::cli::RunArgs;
use crate::commands::run::{self, Closed, Recorded};
use crate::execute::{End, Outcome};
use crate::options;
use crate::outcome::CommandError;
use crate::output::diagnostics::plural;
use crate::output::folder::{self, Begun, RunFolder};
use crate::output::log::Log;
use crate::output::manifest::{self, Account};
use crate::output::printer::Printer;
use crate::output::recorder::{TraceFiles, Written};
use crate::output::torn;
use crate::pipeline::Prepared;
use crate::spread::crew::order::Order;
use crate::spread::crew::{Crew, Member};
use crate::spread::merge::{Journal, Merged, merge_logs};
use crate::spread::scratch::{Scratch, id_text};
use crate::spread::verdict::Verdict;
use crate::spread::{Spread, certificates};
use consort_core::{Diagnostic, Report, Severity, Tag};
use consort_trace::Standing;
use serde_json::{Value, json};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// The folder of the record, which is made when every node has begun.
pub(crate) struct Opening<'a> {
    folder: Option<&'a RunFolder>,
    /// Where nodes can be asked how it goes.
    nodes: Value,
    begun: Option<Begun>,
    failure: Option<CommandError>,
}

impl<'a> Opening<'a> {
    pub(super) fn new(folder: Option<&'a RunFolder>, order: &Order) -> Self {
        let node = |(name, endpoint): (&String, &consort_node::Endpoint)| {
            let tls = certificates::files(order, name).map(|tls| certificates::to_json(&tls));
            json!({ "name": name, "endpoint": endpoint.to_string(), "pid": null, "tls": tls })
        };
        let nodes: Vec<Value> = order.endpoints.iter().map(node).collect();
        let nodes = json!({ "run": id_text(order.run), "nodes": nodes });
        Opening { folder, nodes, begun: None, failure: None }
    }

    /// Notes what a record can be made of if this process is killed.
    pub(super) fn tell(&mut self, about: Value, prepared: &Prepared, scratch: &Scratch) {
        let components = prepared.resolved.components.iter().map(|component| &component.name);
        self.nodes[torn::COMPONENTS] = json!(components.collect::<Vec<_>>());
        self.nodes[torn::SCRATCH] = json!(scratch.path());
        self.nodes[torn::ABOUT] = about;
    }

    /// Notes the processes of nodes.
    pub(super) fn know(&mut self, members: &[Member]) {
        for member in members {
            let nodes = self.nodes["nodes"].as_array_mut().into_iter().flatten();
            for node in nodes.filter(|node| node["name"] == member.name) {
                node["pid"] = json!(member.child.as_ref().map(std::process::Child::id));
            }
        }
    }

    /// Makes the folder, once. False if that cannot be done.
    pub(crate) fn open(&mut self) -> bool {
        let Some(folder) = self.folder.filter(|_| self.begun.is_none()) else { return true };
        if self.failure.is_some() {
            return false;
        }
        let path = folder.file(folder::NODES);
        let opened = folder.prepare().and_then(|begun| {
            let written = std::fs::write(&path, format!("{:#}\n", self.nodes));
            written.map_err(|error| CommandError::unwritable(&path, &error))?;
            Ok(begun)
        });
        match opened {
            Ok(begun) => self.begun = Some(begun),
            Err(error) => self.failure = Some(error),
        }
        self.failure.is_none()
    }
}

/// A run whose nodes have ended.
pub(super) struct Ran<'a> {
    pub(super) crew: &'a Crew,
    pub(super) verdict: Verdict,
    pub(super) outcome: Outcome,
    pub(super) order: &'a Order,
    pub(super) spread: &'a Spread,
    pub(super) began: u64,
}

impl Ran<'_> {
    /// Makes one record of those of the nodes, if one is wanted; tells also whether theirs are not needed any
    /// more.
    ///
    /// # Errors
    /// If the run never began, or the folder cannot be written.
    pub(super) fn keep(
        mut self,
        args: &RunArgs,
        prepared: &Prepared,
        mut opening: Opening<'_>,
        resumed_from: Option<Value>,
        printer: &Printer,
    ) -> Result<(Recorded, bool), CommandError> {
        let mut problems = self.problems();
        if self.verdict.tag.is_none()
            && let End::Lost { failure } = &self.outcome.end
        {
            let mut report = Report::default();
            report.push((**failure).clone());
            problems.into_iter().for_each(|problem| report.push(problem));
            return Err(CommandError::Failed { report });
        }
        let Some(folder) = opening.folder else {
            problems.extend(self.outcome.saving.take_problems());
            let logged = self.logged();
            return Ok((Recorded { logged, outcome: self.outcome, problems }, true));
        };
        opening.open();
        let Some(begun) = opening.begun else {
            return Err(opening
                .failure
                .unwrap_or(CommandError::Failed { report: Report::default() }));
        };
        let _waiting = printer.waiting("writing the record");
        problems.extend(begun.remark());
        let log = self.join_logs(begun.log, folder)?;
        let (columns, written) = match args.no_record {
            true => (Vec::new(), Written::default()),
            false => self.join_traces(args, prepared, folder, &mut problems),
        };
        let closed = Closed::of(columns, written, &log, &mut self.outcome, (prepared, folder));
        problems.extend(closed.problems);
        let account = Account {
            prepared,
            options: options::to_json(args),
            end: &self.outcome.end,
            summary: &self.outcome.summary,
            timing: self.outcome.timing,
            columns: closed.columns,
            rows: closed.rows,
            check_sum: closed.check_sum,
            problems: problems.iter().map(|problem| problem.message.clone()).collect(),
            time_to_write: closed.time,
            began: self.began,
            resumed_from,
            saving: &self.outcome.saving,
            spread: Some(self.spread.to_json(prepared)),
        };
        match manifest::write(&folder.file(folder::MANIFEST), &account.to_json()) {
            // Where there is no room for a trace there is none for a manifest: that was said.
            Err(_) if closed.is_torn => {}
            written => written.unwrap_or_else(|error| run::keep(error, &mut problems)),
        }
        if !closed.is_torn {
            // Nobody answers there any more; a list that stays misleads nobody for long.
            let _ = std::fs::remove_file(folder.file(folder::NODES));
        }
        let logged = self.logged();
        Ok((Recorded { logged, outcome: self.outcome, problems }, !closed.is_torn))
    }

    /// What nodes said did not go as it should.
    fn problems(&self) -> Vec<Diagnostic> {
        let mut problems = self.verdict.more.clone();
        let told = self.crew.members.iter().filter_map(|member| member.ending.as_ref());
        problems.extend(told.flat_map(|ending| ending.problems.iter()).cloned());
        if let End::Lost { failure } = &self.verdict.end
            && failure.code == "run::trace-not-written"
        {
            // Nodes without room can write neither logs nor manifests: one error is enough.
            problems.retain(|problem| problem.severity != Severity::Error);
        }
        problems.extend(self.links_remade());
        problems
    }

    /// Connections that broke by themselves: nothing is lost, but the network deserves a look.
    fn links_remade(&self) -> Option<Diagnostic> {
        let endings = self.crew.members.iter().filter_map(|member| member.ending.as_ref());
        let count: u64 = endings.map(|ending| ending.links_remade).sum();
        if count == 0 || self.order.faults.is_some() {
            return None;
        }
        let times = plural(count, "time");
        let message = format!("connections between nodes were lost and re-established {times}");
        Some(Diagnostic::note("node::links-remade", message).with_note("the trace is not affected"))
    }

    fn logged(&self) -> (u64, u64) {
        let endings = self.crew.members.iter().filter_map(|member| member.ending.as_ref());
        endings.fold((0, 0), |(warnings, errors), ending| {
            (warnings + ending.logged.0, errors + ending.logged.1)
        })
    }

    fn node_file(&self, node: &str, name: &str) -> PathBuf {
        self.order.records.as_deref().unwrap_or(std::path::Path::new("")).join(node).join(name)
    }

    fn join_logs(&self, file: File, folder: &RunFolder) -> Result<Arc<Log>, CommandError> {
        let log = Log::silent();
        let path = folder.file(folder::LOG);
        log.open(file).map_err(|error| CommandError::unwritable(&path, &error))?;
        let files: Vec<(&str, PathBuf)> = self
            .crew
            .members
            .iter()
            .map(|member| (member.name.as_str(), self.node_file(&member.name, folder::LOG)))
            .collect();
        let files: Vec<_> = files.iter().map(|(name, path)| (*name, path.as_path())).collect();
        merge_logs(&files).iter().for_each(|line| log.event(line));
        Ok(log)
    }

    /// What nodes recorded. One that has not a single row while others do has lost what it had.
    fn journals(&self, problems: &mut Vec<Diagnostic>) -> Vec<Journal> {
        let members = self.crew.members.iter();
        let open = |member: &Member| Journal::open(&self.order.parts.journal(&member.name)).ok();
        let opened: Vec<(&Member, Option<Journal>)> =
            members.map(|member| (member, open(member))).collect();
        let is_used = opened.iter().any(|(_, it)| it.as_ref().is_some_and(Journal::has_rows));
        let mut kept = Vec::new();
        for (member, journal) in opened {
            match journal.filter(|journal| journal.has_rows() || !is_used) {
                Some(journal) => kept.push(journal),
                None => problems.push(unread(&member.name)),
            }
        }
        kept
    }

    /// Joins what was recorded, chunk by chunk.
    fn join_traces(
        &self,
        args: &RunArgs,
        prepared: &Prepared,
        folder: &RunFolder,
        problems: &mut Vec<Diagnostic>,
    ) -> (Vec<String>, Written) {
        let parts = self.journals(problems);
        let rank = |name: &str| rank(prepared, name);
        match Merged::new(parts, &rank, self.verdict.cut) {
            Ok(Some(merged)) => merged.write(TraceFiles::of(args, folder)),
            Ok(None) => (Vec::new(), Written::default()),
            Err(error) => (Vec::new(), Written { failure: Some(error), ..Written::default() }),
        }
    }
}

fn unread(name: &str) -> Diagnostic {
    let message = format!("what node `{name}` recorded is lost");
    let diagnostic = Diagnostic::warning("node::trace-lost", message);
    diagnostic.with_note("its journal is not there, or has no row")
}

/// Where a component is in the system.
pub(super) fn rank(prepared: &Prepared, name: &str) -> usize {
    let mut components = prepared.resolved.components.iter();
    components.position(|known| known.name == name).unwrap_or(usize::MAX)
}

/// Where each node stood at `cut`, as far as its journal tells; nothing if the run is not cut.
pub(super) fn standings(crew: &Crew, order: &Order, cut: Option<Tag>) -> Vec<Option<Standing>> {
    let standing = |member: &Member| {
        let cut = cut?;
        let journal = Journal::open(&order.parts.journal(&member.name)).ok()?;
        journal.standing(cut).ok()?
    };
    crew.members.iter().map(standing).collect()
}
