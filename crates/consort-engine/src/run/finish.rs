//! Ending a run on every path.

use super::Run;
use crate::error::RunError;
use crate::statistics::Statistics;
use consort_core::{CallStatus, ComponentId, SolverWork, Tag, ValueType};
use consort_system::OnDivergence;
use consort_trace::{TraceHash, VariableHash, trace_hash};

/// What a run came to.
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
    /// Path, type and hash of each hashed variable, sorted by path bytes.
    pub hashes: Vec<(String, ValueType, VariableHash)>,
    /// How much was done.
    pub statistics: Statistics,
    /// What our solvers did, by component; those that are integrated together have their names joined by ` + `.
    pub solvers: Vec<(String, SolverWork)>,
    /// What did not go as it should and did not end the run: parameters that were not kept, what failed
    /// while instances were ended, loops that were not solved and accepted, values that diverged.
    pub problems: Vec<RunError>,
}

impl Summary {
    /// What a run came to whose variables have these hashes, in any order.
    pub fn new(
        tag: Tag,
        mut hashes: Vec<(String, ValueType, VariableHash)>,
        statistics: Statistics,
        problems: Vec<RunError>,
    ) -> Summary {
        hashes.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        let trace_hash = trace_hash(hashes.iter().map(|(path, of, hash)| (path, *of, *hash)));
        let solvers = Vec::new();
        Summary { tag, done: tag, end: None, trace_hash, hashes, statistics, solvers, problems }
    }

    /// What a run came to that was spread over nodes, from what each of them came to, in any order.
    pub fn compose(parts: impl IntoIterator<Item = Summary>) -> Summary {
        let mut tag = Tag::default();
        let (mut hashes, mut problems, mut solvers) = (Vec::new(), Vec::new(), Vec::new());
        let mut statistics = Statistics::default();
        for (index, part) in parts.into_iter().enumerate() {
            tag = if index == 0 { part.tag } else { tag.max(part.tag) };
            hashes.extend(part.hashes);
            problems.extend(part.problems);
            solvers.extend(part.solvers);
            statistics.add(&part.statistics);
        }
        Summary { solvers, ..Summary::new(tag, hashes, statistics, problems) }
    }
}

impl Run {
    /// The hash of everything hashed so far.
    pub fn trace_hash(&self) -> TraceHash {
        trace_hash(self.hashes.list())
    }

    /// Ends every instance, hands the last rows to the recorder, and tells what happened.
    pub fn finish(mut self) -> Summary {
        let lost = std::mem::take(&mut self.keeping.lost).into_iter();
        let solvers = self.solver_work();
        let mut problems: Vec<RunError> =
            lost.map(|lost| RunError::ParameterLost(Box::new(lost))).collect();
        problems.extend(self.end_instances());
        problems.extend(self.accepted_loops());
        problems.extend(self.unmet_constraints());
        problems.extend(self.asked_in_vain());
        problems.extend(self.out_of_range());
        // What ended the run was said.
        let is_warned = self.system.coupling.on_divergence == OnDivergence::Warn;
        problems.extend(self.diverged().filter(|_| is_warned));
        let statistics = Statistics {
            components: self.program.own.len(),
            lanes: self.pool.len(),
            workers: self.pool.workers(),
            busy_max: self.pool.busy_max(),
            ..self.statistics
        };
        let name = |component: ComponentId| self.system.components[component.index()].name.clone();
        let end = self.end.map(|(tag, component)| (tag, name(component)));
        let summary = Summary::new(self.tag, self.hashes.list(), statistics, problems);
        Summary { done: self.done, end, solvers, ..summary }
    }

    /// What our solvers did so far, component by component, then those that are integrated together.
    pub fn solver_work(&self) -> Vec<(String, SolverWork)> {
        let mut found = Vec::new();
        for &index in &self.program.own {
            let home = self.program.homes[index];
            let lane = self.pool.lane(home.lane);
            if let Some(work) = lane.members[home.member as usize].instance.solver_work() {
                found.push((self.system.components[index].name.clone(), work));
            }
        }
        let groups = self.program.groups.iter().zip(&self.integrations);
        for (components, integration) in groups {
            if let Some(integration) = integration {
                let names = components.iter().map(|id| &*self.system.components[id.index()].name);
                found.push((names.collect::<Vec<_>>().join(" + "), integration.work()));
            }
        }
        found
    }

    /// Ends every instance and lets go of it, so that another run may have what it held. Nothing can be
    /// asked of this run then but what it is of.
    pub fn end(&mut self) {
        self.end_instances();
        for index in 0..self.pool.len() {
            self.pool.lane(index).members.clear();
        }
    }

    /// Terminates every instance once, in id order.
    fn end_instances(&mut self) -> Vec<RunError> {
        if std::mem::replace(&mut self.ended, true) {
            return Vec::new();
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.hand_over();
        }
        let mut problems = Vec::new();
        for &index in &self.program.own {
            let home = self.program.homes[index];
            let mut lane = self.pool.lane(home.lane);
            let result = lane.members[home.member as usize].instance.terminate();
            // An instance that failed before is in no state to be terminated: that is known.
            if let Err(error) = result
                && !matches!(error.status, CallStatus::WrongState(_))
            {
                let component = self.system.components[index].name.clone();
                problems.push(RunError::Call { component, tag: self.tag, error });
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
