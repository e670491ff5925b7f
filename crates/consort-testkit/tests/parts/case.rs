//! A system with everything that can cross between nodes, and its runs.

use crate::mixer::Mixer;
use crate::post::postmen;
use crate::spice::{self, pick};
use consort_core::{ModelDescription, NodeId, Prng, Report, Time};
use consort_engine::{ChunkSink, Executable, Part, Recorded, Run, RunError, RunOptions, Summary};
use consort_system::{Placement, Plan, Projection, ResolvedSystem};
use consort_testkit::random_system::{RandomSystem, Shape};
use consort_trace::Trace;
use std::sync::Arc;

/// A system, its models and its plan.
pub(crate) struct Case {
    pub(crate) system: ResolvedSystem,
    pub(crate) models: Vec<ModelDescription>,
    pub(crate) plan: Plan,
}

impl Case {
    /// `None` if there is no plan.
    pub(crate) fn random(seed: u64) -> Option<Case> {
        let RandomSystem { mut system, mut models, .. } =
            RandomSystem::new(seed, &Shape::default());
        let mut prng = Prng::new(seed).split("spice");
        system.experiment.stop = Time::from_ticks(24);
        spice::add(&mut prng, &mut system, &mut models);
        Case::planned(system, models)
    }

    pub(crate) fn planned(system: ResolvedSystem, models: Vec<ModelDescription>) -> Option<Case> {
        let refs: Vec<&ModelDescription> = models.iter().collect();
        let plan = consort_planner::plan(&system, &refs, &mut Report::default())?;
        Some(Case { system, models, plan })
    }

    pub(crate) fn refs(&self) -> Vec<&ModelDescription> {
        self.models.iter().collect()
    }

    pub(crate) fn project(&self, placement: &Placement, report: &mut Report) -> Option<Projection> {
        consort_planner::project(&self.system, &self.refs(), &self.plan, placement, report)
    }

    /// A placement that keeps together what must be.
    pub(crate) fn random_placement(&self, prng: &mut Prng) -> Placement {
        const NAMES: [&str; 5] = ["delta", "a", "b-2", "Z", "b_1"];
        let count = 1 + pick(prng, NAMES.len());
        let mut draw = || NAMES[pick(prng, count)];
        let mut names: Vec<&str> = self.system.components.iter().map(|_| draw()).collect();
        for group in consort_planner::groups(&self.system, &self.refs(), &self.plan) {
            let node = names[group.components[0].index()];
            group.components.iter().for_each(|id| names[id.index()] = node);
        }
        Placement::from_names(&names)
    }

    fn mixers(&self) -> Vec<Arc<dyn consort_core::Model>> {
        let pairs = self.models.iter().zip(&self.system.components);
        pairs.map(|(model, component)| Mixer::shared(model, &component.counts)).collect()
    }

    fn start(&self, options: RunOptions, saved: Option<&[u8]>) -> Result<Run, RunError> {
        let (system, plan) = (self.system.clone(), self.plan.clone());
        let executable = Executable::new(system, plan, self.mixers());
        match saved {
            None => Run::start(&executable, options),
            Some(bytes) => Run::resume(&executable, options, bytes),
        }
    }

    /// On one node.
    pub(crate) fn run(&self) -> Result<Outcome, RunError> {
        let (options, recorded) = options(1, None);
        carry_out(self.start(options, None)?, &recorded, None)
    }

    /// On several, each in a thread of its own; from saved parts if there are any.
    pub(crate) fn run_spread(
        &self,
        projection: &Arc<Projection>,
        saved: Option<&[Vec<u8>]>,
        save_at: Option<Time>,
    ) -> Vec<Result<Outcome, RunError>> {
        std::thread::scope(|scope| {
            let nodes = postmen(projection).into_iter().enumerate();
            let threads = nodes.map(|(index, postman)| {
                let projection = Arc::clone(projection);
                scope.spawn(move || {
                    let node = NodeId::from_index(index);
                    let part = Part { projection, node, courier: Box::new(postman) };
                    let (options, recorded) = options(1 + index % 2, Some(part));
                    let run = self.start(options, saved.map(|saved| &saved[index][..]))?;
                    carry_out(run, &recorded, save_at)
                })
            });
            let threads: Vec<_> = threads.collect();
            threads.into_iter().map(|it| it.join().expect("no node panics")).collect()
        })
    }
}

/// What a run came to.
pub(crate) struct Outcome {
    pub(crate) trace: Trace,
    pub(crate) summary: Summary,
    /// What was saved on the way.
    pub(crate) saved: Option<Vec<u8>>,
}

fn carry_out(
    mut run: Run,
    recorded: &Recorded,
    save_at: Option<Time>,
) -> Result<Outcome, RunError> {
    let mut saved = None;
    if let Some(time) = save_at {
        run.advance(time)?;
        let snapshot = run.snapshot()?;
        saved = Some(run.serialize(&snapshot)?);
    }
    run.advance(Time::MAX)?;
    let summary = run.finish();
    Ok(Outcome { trace: recorded.trace(), summary, saved })
}

fn options(workers: usize, part: Option<Part>) -> (RunOptions, Recorded) {
    let recorded = Recorded::default();
    let recorder: Option<Box<dyn ChunkSink>> = Some(Box::new(recorded.clone()));
    (RunOptions { recorder, part, ..RunOptions::quiet(workers) }, recorded)
}
