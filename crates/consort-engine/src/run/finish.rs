//! Ending a run on every path.

use super::Run;
use crate::error::RunError;
use crate::interpreter::Interpreter;
use crate::statistics::Statistics;
use consort_core::{CallStatus, ComponentId, HashMode, SolverWork, Tag, ValueType};
use consort_trace::{TraceHash, VariableHash, trace_hash};

/// The result of the engine: hash, statistics, and what did not go as it should.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The last tag that was done, or begun if the run failed there.
    pub tag: Tag,
    /// The last tag up to which everything was done.
    pub done: Tag,
    /// The component that asked for the run to end, if one did; everything up to and including this tag
    /// belongs to the run, and nothing after it.
    pub end: Option<(Tag, String)>,
    /// The hash of everything hashed.
    pub trace_hash: TraceHash,
    /// Which variables were hashed.
    pub hash_mode: HashMode,
    /// Path, type and hash of each hashed variable, sorted by path bytes.
    pub hashes: Vec<(String, ValueType, VariableHash)>,
    /// The counters of the run.
    pub statistics: Statistics,
    /// What our solvers did, by component; those that are integrated together have their names joined by ` + `.
    pub solvers: Vec<(String, SolverWork)>,
    /// What did not go as it should and did not end the run: parameters that were not kept, what failed
    /// while instances were ended, loops that were not solved and accepted, values that diverged.
    pub problems: Vec<RunError>,
}

impl Summary {
    /// The result of a run whose variables, which a mode has chosen, have these hashes, in any order.
    pub fn new(
        tag: Tag,
        hash_mode: HashMode,
        mut hashes: Vec<(String, ValueType, VariableHash)>,
        statistics: Statistics,
        problems: Vec<RunError>,
    ) -> Summary {
        hashes.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        let entries = hashes.iter().map(|(path, of, hash)| (path, *of, *hash));
        Summary {
            tag,
            done: tag,
            end: None,
            trace_hash: trace_hash(hash_mode, entries),
            hash_mode,
            hashes,
            statistics,
            solvers: Vec::new(),
            problems,
        }
    }

    /// The result of a distributed run, from those of its nodes, in any order. All were run in one mode.
    pub fn compose(parts: impl IntoIterator<Item = Summary>) -> Summary {
        let mut tag = Tag::default();
        let (mut hashes, mut problems, mut solvers) = (Vec::new(), Vec::new(), Vec::new());
        let (mut statistics, mut hash_mode) = (Statistics::default(), HashMode::default());
        for (index, part) in parts.into_iter().enumerate() {
            tag = if index == 0 { part.tag } else { tag.max(part.tag) };
            hash_mode = part.hash_mode;
            hashes.extend(part.hashes);
            problems.extend(part.problems);
            solvers.extend(part.solvers);
            statistics.add(&part.statistics);
        }
        Summary { solvers, ..Summary::new(tag, hash_mode, hashes, statistics, problems) }
    }
}

impl Run {
    /// Whether it is over: at the stop time, or where a component or an observer ended it.
    pub fn is_over(&self) -> bool {
        self.ending.over().is_some()
    }

    /// The hash of everything hashed so far.
    pub fn trace_hash(&self) -> TraceHash {
        trace_hash(self.system().experiment.hash, self.trace.hashes().list())
    }

    /// Ends every instance, hands the last rows to the recorder, and reports what happened.
    pub fn finish(mut self) -> Summary {
        let solvers = self.solver_work();
        let mut problems: Vec<RunError> = self.parameters.take_lost().collect();
        problems.extend(self.end_instances());
        problems.extend(self.interpreter.problems());
        problems.extend(self.trace.problems(&self.interpreter.executable));
        let Interpreter { executable, program, pool, clock, .. } = &self.interpreter;
        let statistics = Statistics {
            components: program.own.len(),
            lanes: pool.len(),
            workers: pool.workers(),
            busy_max: pool.busy_max(),
            ..self.interpreter.statistics
        };
        let name = |component: ComponentId| executable.name(component.index()).to_owned();
        let end = self.ending.last().map(|(tag, component)| (tag, name(component)));
        let hashes = self.trace.hashes().list();
        let mode = executable.system.experiment.hash;
        let summary = Summary::new(clock.tag(), mode, hashes, statistics, problems);
        Summary { done: clock.done(), end, solvers, ..summary }
    }

    /// What our solvers did so far, component by component, then those that are integrated together.
    pub fn solver_work(&self) -> Vec<(String, SolverWork)> {
        let mut found = Vec::new();
        let run = &self.interpreter;
        for &index in &run.program.own {
            if let Some(work) = run.with_member(index, |it| it.instance.solver_work()) {
                found.push((run.executable.name(index).to_owned(), work));
            }
        }
        let groups = run.program.groups.iter().zip(&run.integrations);
        for (components, integration) in groups {
            if let Some(integration) = integration {
                let names = components.iter().map(|id| run.executable.name(id.index()));
                found.push((names.collect::<Vec<_>>().join(" + "), integration.work()));
            }
        }
        found
    }

    /// Ends every instance and lets go of it, so that another run may have what it held. Nothing can be
    /// asked of this run then but what it is of.
    pub fn end(&mut self) {
        self.end_instances();
        for index in 0..self.interpreter.pool.len() {
            self.interpreter.pool.lane(index).members.clear();
        }
    }

    /// Terminates every instance once, in id order.
    fn end_instances(&mut self) -> Vec<RunError> {
        if std::mem::replace(&mut self.is_closed, true) {
            return Vec::new();
        }
        self.trace.hand_over();
        let run = &self.interpreter;
        let mut problems = Vec::new();
        for &index in &run.program.own {
            let result = run.with_member(index, |it| it.instance.terminate());
            // An instance that failed before is in no state to be terminated: that is known.
            if let Err(error) = result
                && !matches!(error.status, CallStatus::WrongState(_))
            {
                problems.push(run.call_failed(index, error));
            }
        }
        problems
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.end_instances();
    }
}
