//! The interpreter: one for initialization, for the present tag and for the way to the next.

use crate::error::RunError;
use crate::intervene::Fresh;
use crate::lane::{Order, Rejection};
use crate::run::Run;
use crate::stage::{ExchangeStage, Stage, WorkStage};
use consort_core::{ComponentId, Step};

/// Which program is interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Instances are in initialization mode.
    Starting,
    /// Values are those of the present tag.
    Present,
    /// The shared bank is a copy that holds values of the next tags.
    Ahead,
}

/// Why a program stopped before its end.
#[derive(Debug)]
pub(crate) enum Halt {
    Failed(RunError),
    /// An instance did not take a step to its end, and somebody wants to try a shorter one.
    Rejected(Rejection),
}

impl From<RunError> for Halt {
    fn from(error: RunError) -> Self {
        Halt::Failed(error)
    }
}

impl Halt {
    /// Outside of an attempt no step is rejected.
    pub(crate) fn into_error(self) -> RunError {
        match self {
            Halt::Failed(error) => error,
            Halt::Rejected(_) => unreachable!("only an attempt lets steps be rejected"),
        }
    }
}

impl Run {
    pub(crate) fn run_stages(&mut self, stages: &mut [Stage]) -> Result<(), Halt> {
        stages.iter_mut().try_for_each(|stage| match stage {
            Stage::Exchange(exchange) => {
                self.exchange(exchange);
                Ok(())
            }
            Stage::Work(work) => {
                self.work(work);
                self.collect(work, true)
            }
            Stage::Iterate(it) => self.solve_loop(it),
            Stage::Attempt(attempt) => self.attempt(attempt),
        })
    }

    /// At a tag, `present`'s tasks read and set, and take no step.
    pub(crate) fn stand_still(&mut self, step: Step) {
        self.steps.fill(step);
    }

    fn exchange(&mut self, stage: &ExchangeStage) {
        for rate in 0..self.due.len() {
            if self.due[rate] {
                stage.by_rate[rate].run(&mut self.program.shared);
                if self.delays_known {
                    stage.delayed[rate].run(&mut self.program.shared);
                }
            }
        }
        if self.phase == Phase::Present && !stage.slopes.is_empty() {
            self.follow_slopes(stage);
        }
        if !self.interventions.is_empty() {
            self.adjust_inputs(stage);
        }
    }

    fn follow_slopes(&mut self, stage: &ExchangeStage) {
        let resolution = self.system.experiment.resolution;
        for &index in &stage.slopes {
            let slope = &mut self.program.slopes[index];
            let (now, fresh) = (self.tag.time, self.due[slope.rate]);
            slope.run(now, fresh, resolution, &mut self.program.shared);
        }
    }

    fn adjust_inputs(&mut self, stage: &ExchangeStage) {
        for rate in 0..self.due.len() {
            if self.due[rate] {
                self.adjust(Fresh::Connections(&stage.by_rate[rate].connections));
                if self.delays_known {
                    self.adjust(Fresh::Connections(&stage.delayed[rate].connections));
                }
            }
        }
        if self.phase == Phase::Present {
            for &index in &stage.slopes {
                let slope = &self.program.slopes[index];
                if !self.due[slope.rate] {
                    let connection = slope.connection;
                    self.adjust(Fresh::Connections(&[connection]));
                }
            }
        }
    }

    /// What is in force acts on fresh values before anybody sees them.
    pub(crate) fn adjust(&mut self, fresh: Fresh<'_>) {
        if self.interventions.is_empty() {
            return;
        }
        let shared = &mut self.program.shared;
        match self.phase {
            Phase::Starting => {}
            Phase::Present => self.interventions.freshen(fresh, &self.due, shared),
            Phase::Ahead => self.interventions.freshen_ahead(fresh, &self.due, shared),
        }
    }

    /// Hands every lane of a stage its inputs, and lets them work.
    pub(crate) fn work(&self, work: &WorkStage) {
        let mut lanes = 0;
        let mut last = None;
        for share in work.shares.iter().filter(|share| self.due[share.rate]) {
            let mut lane = self.pool.lane(share.lane);
            for segment in &share.scatter {
                lane.bank.put(segment.lane, self.program.shared.get(segment.shared()));
            }
            let (start, end) = (share.operations.start, share.operations.end);
            let (step, negotiates) = (self.steps[share.rate], self.negotiates);
            lane.orders.push(Order { start, end, step, negotiates });
            lanes += usize::from(last != Some(share.lane));
            last = Some(share.lane);
        }
        // Waking others for the work of one costs more than it brings.
        if 1 < lanes && 1 < self.pool.workers() {
            self.pool.work();
        } else {
            self.work_here(work);
        }
    }

    fn work_here(&self, work: &WorkStage) {
        let mut last = None;
        for share in work.shares.iter().filter(|share| self.due[share.rate]) {
            if last != Some(share.lane) {
                self.pool.work_on(share.lane);
                last = Some(share.lane);
            }
        }
    }

    /// After the work of a stage: what was read, if anybody waits for it, and what went wrong. Of
    /// several failures the one of the smallest component id counts; of several rejections the
    /// earliest.
    pub(crate) fn collect(&mut self, work: &WorkStage, gather: bool) -> Result<(), Halt> {
        let mut failure: Option<(ComponentId, RunError)> = None;
        let mut rejection: Option<Rejection> = None;
        for share in work.shares.iter().filter(|share| self.due[share.rate]) {
            let mut lane = self.pool.lane(share.lane);
            self.remarkable |= std::mem::take(&mut lane.remarkable);
            if let Some((component, error)) = lane.failure.take()
                && failure.as_ref().is_none_or(|(first, _)| component < *first)
            {
                failure = Some((component, error));
            }
            if let Some(other) = lane.rejection.take()
                && rejection.as_ref().is_none_or(|first| other.comes_before(first))
            {
                rejection = Some(other);
            }
            if gather {
                for segment in &share.gather {
                    self.program.shared.put(segment.shared(), lane.bank.get(segment.lane));
                }
            }
        }
        if gather {
            self.adjust(Fresh::Work(work.index));
        }
        match (failure, rejection) {
            (Some((_, error)), _) => Err(Halt::Failed(self.in_phase(error))),
            (None, Some(rejection)) => Err(Halt::Rejected(rejection)),
            (None, None) => Ok(()),
        }
    }

    /// What fails in initialization is told as that.
    fn in_phase(&self, error: RunError) -> RunError {
        match error {
            RunError::Call { component, error, .. } if self.phase == Phase::Starting => {
                RunError::Initialize { component, error }
            }
            other => other,
        }
    }
}
