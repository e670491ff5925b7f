//! The interpreter: one for initialization, for the present tag and for the way to the next.

use super::Run;
use crate::error::RunError;
use crate::intervene::Fresh;
use crate::lane::{Lane, Order, Rejection, Trouble};
use crate::program::stage::{ExchangeStage, Moves, Share, Stage, WorkStage};
use crate::store::Segment;
use consort_core::Step;

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
    Failed(Box<RunError>),
    /// An instance did not take a step to its end, and somebody wants to try a shorter one.
    Rejected(Box<Rejection>),
}

impl From<RunError> for Halt {
    fn from(error: RunError) -> Self {
        Halt::Failed(Box::new(error))
    }
}

impl Halt {
    /// Outside of an attempt no step is rejected.
    pub(crate) fn into_error(self) -> RunError {
        match self {
            Halt::Failed(error) => *error,
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
            Stage::Work(work) => self.work(work, true),
            Stage::Iterate(it) => self.solve_loop(it),
            Stage::Attempt(attempt) => self.attempt(attempt),
            Stage::Integrate(it) => self.integrate(it),
            Stage::Cross(it) => self.cross(it).map_err(Halt::from),
        })
    }

    /// At a tag, `present`'s tasks read and set, and take no step.
    pub(crate) fn stand_still(&mut self, step: Step) {
        self.steps.fill(step);
    }

    pub(crate) fn exchange(&mut self, stage: &ExchangeStage) {
        for moves in &stage.moves {
            if self.hands_over(moves) {
                moves.exchange.run(&mut self.program.shared);
            }
        }
        if self.phase == Phase::Present && !stage.slopes.is_empty() {
            self.follow_slopes(stage);
        }
        if !self.interventions.is_empty() {
            self.adjust_inputs(stage);
        }
    }

    fn hands_over(&self, moves: &Moves) -> bool {
        self.due[moves.rate] && (self.delays_known || !moves.is_delayed)
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
        for moves in &stage.moves {
            if self.hands_over(moves) {
                self.adjust(Fresh::Connections(&moves.exchange.connections));
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

    /// Lets the lanes of a stage work; what they read is taken back if anybody waits for it.
    pub(crate) fn work(&mut self, work: &WorkStage, gather: bool) -> Result<(), Halt> {
        // Waking others for the work of one costs more than it brings.
        let side_by_side = 1 < self.pool.workers() && !work.is_brief && 1 < self.lanes_due(work);
        if side_by_side {
            for shares in work.by_lane() {
                self.order(shares, &mut self.pool.lane(shares[0].lane));
            }
            self.pool.work();
        }
        // Places belong to one lane each: what one gives back, no other is given in this stage.
        let mut trouble: Option<Box<Trouble>> = None;
        for shares in work.by_lane() {
            let mut lane = self.pool.lane(shares[0].lane);
            if !side_by_side {
                self.order(shares, &mut lane);
                lane.work();
            }
            self.remarkable |= std::mem::take(&mut lane.remarkable);
            if let Some(other) = lane.trouble.take()
                && trouble.as_ref().is_none_or(|first| other.comes_before(first))
            {
                trouble = Some(other);
            }
            for share in shares.iter().filter(|share| gather && self.due[share.rate]) {
                Segment::gather(&share.gather, &lane.bank, &mut self.program.shared);
            }
        }
        if gather {
            self.adjust(Fresh::Work(work.index));
        }
        trouble.map_or(Ok(()), |trouble| Err(self.halt(*trouble)))
    }

    fn lanes_due(&self, work: &WorkStage) -> usize {
        let is_due = |share: &Share| self.due[share.rate];
        work.by_lane().filter(|shares| shares.iter().any(is_due)).count()
    }

    /// Hands a lane its inputs, and what to do with them.
    fn order(&self, shares: &[Share], lane: &mut Lane) {
        for share in shares.iter().filter(|share| self.due[share.rate]) {
            Segment::scatter(&share.scatter, &self.program.shared, &mut lane.bank);
            let (start, end) = (share.operations.start, share.operations.end);
            let (step, negotiates) = (self.steps[share.rate], self.negotiates);
            lane.orders.push(Order { start, end, step, negotiates });
        }
    }

    /// What fails in initialization is told as that.
    #[cold]
    fn halt(&self, trouble: Trouble) -> Halt {
        match trouble {
            Trouble::Failed(_, RunError::Call { component, error, .. })
                if self.phase == Phase::Starting =>
            {
                RunError::Initialize { component, error }.into()
            }
            Trouble::Failed(_, error) => error.into(),
            Trouble::Rejected(rejection) => Halt::Rejected(Box::new(rejection)),
        }
    }
}
