//! The interpreter of compiled programs: one for initialization, for the present tag and for the way to
//! the next.
//!
//! It moves values and calls instances. What is hashed and recorded of it, and when a run ends, is for
//! `run` to decide.

mod attempt;
mod crossing;
mod iterate;
mod members;
mod rollback;
mod together;

use crate::clock::Clock;
use crate::error::RunError;
use crate::executable::Executable;
use crate::external::External;
use crate::intervene::Fresh;
use crate::lane::{Lane, LaneError, Order, Rejection};
use crate::pool::Pool;
use crate::program::Program;
use crate::program::stage::{ExchangeStage, Share, Stage, WorkStage};
use crate::statistics::Statistics;
use crate::store::Segment;
use consort_core::{CancelFlag, Time};
use consort_solve::integrate::Integration;

pub(crate) use crossing::Link;
pub(crate) use together::join;

use attempt::Unmet;
use iterate::Accepted;

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
    /// An instance did not take a step to its end, and a shorter one is to be tried.
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

/// Executes a compiled plan: what is executed, with its instances, values and time.
pub(crate) struct Interpreter {
    pub(crate) executable: Executable,
    pub(crate) program: Program,
    pub(crate) pool: Pool,
    pub(crate) clock: Clock,
    /// What comes from outside of the system.
    pub(crate) external: External,
    /// By group of components that are integrated as one: where they are, once they have begun.
    pub(crate) integrations: Vec<Option<Integration>>,
    /// To the other nodes, if this is a part of a run.
    pub(crate) link: Option<Box<Link>>,
    pub(crate) statistics: Statistics,
    phase: Phase,
    /// Steps may be rejected just now.
    allows_step_rejection: bool,
    /// Some step ended in an event or with a request to end the run.
    has_event_or_end: bool,
    /// Loops whose last values were taken although they were not solved.
    accepted: Option<Accepted>,
    /// Steps that broke a constraint and could not be shorter.
    unmet: Option<Unmet>,
    /// Cancels within a step.
    cancel: CancelFlag,
}

impl Interpreter {
    /// Ready to initialize instances.
    pub(crate) fn new(
        executable: Executable,
        program: Program,
        pool: Pool,
        clock: Clock,
        external: External,
    ) -> Self {
        Interpreter {
            executable,
            program,
            pool,
            clock,
            external,
            integrations: Vec::new(),
            link: None,
            statistics: Statistics::default(),
            phase: Phase::Starting,
            allows_step_rejection: false,
            has_event_or_end: false,
            accepted: None,
            unmet: None,
            cancel: CancelFlag::default(),
        }
    }

    /// All instances are initialized, and the program of the cycle is compiled.
    pub(crate) fn end_initialization(&mut self) {
        self.integrations.resize_with(self.program.groups.len(), || None);
        self.phase = Phase::Present;
    }

    /// What a step that failed left behind is of no use.
    pub(crate) fn forget_failure(&mut self) {
        self.phase = Phase::Present;
        self.allows_step_rejection = false;
        self.has_event_or_end = false;
        for index in 0..self.pool.len() {
            self.pool.lane(index).forget_failure();
        }
    }

    /// Whether a step since the last call ended in an event or with a request to end the run.
    #[inline]
    pub(crate) fn take_event_or_end(&mut self) -> bool {
        std::mem::take(&mut self.has_event_or_end)
    }

    /// Installs the flag that cancels within a step in instances and integrations.
    pub(crate) fn set_cancel_flag(&mut self, flag: &CancelFlag) {
        self.cancel = flag.clone();
        for index in 0..self.pool.len() {
            let mut lane = self.pool.lane(index);
            lane.members.iter_mut().for_each(|member| member.instance.set_cancel_flag(flag));
        }
    }

    /// Whether the plan lets steps be rejected.
    fn is_variable(&self) -> bool {
        self.program.advance.iter().any(|stage| matches!(stage, Stage::Attempt(_)))
    }

    /// The next time at which something is computed, unless a step is cut short.
    pub(crate) fn planned_next(&mut self) -> Result<Time, RunError> {
        if !self.is_variable() {
            return Ok(self.clock.planned_end());
        }
        self.ask_step_max()?;
        Ok(self.clock.time() + self.bounded_size())
    }

    /// What was not as it should be and did not end the run.
    pub(crate) fn problems(&self) -> impl Iterator<Item = RunError> {
        let all = [self.accepted_loops(), self.unmet_constraints(), self.no_step_limit_reported()];
        all.into_iter().flatten()
    }

    /// Runs the program of the tag. It steps nothing, so it may run again when something changed.
    pub(crate) fn run_present(&mut self) -> Result<(), Halt> {
        let mut stages = std::mem::take(&mut self.program.present);
        let result = self.run_stages(&mut stages);
        self.program.present = stages;
        result
    }

    /// Runs the program that leads to the next tags. A single stage needs nothing from the values it
    /// brings about; several hand them on, and no other may see them before their time, so they
    /// work on a copy.
    pub(crate) fn run_advance(&mut self) -> Result<(), Halt> {
        self.clock.begin_steps();
        self.enable_crossings(true);
        let mut stages = std::mem::take(&mut self.program.advance);
        let result = match &mut stages[..] {
            [Stage::Work(work)] => self.work(work, false),
            stages => self.run_ahead(stages),
        };
        self.program.advance = stages;
        result
    }

    fn run_ahead(&mut self, stages: &mut [Stage]) -> Result<(), Halt> {
        self.program.ahead.copy_from(&self.program.shared);
        std::mem::swap(&mut self.program.ahead, &mut self.program.shared);
        self.phase = Phase::Ahead;
        let result = self.run_stages(stages);
        self.phase = Phase::Present;
        std::mem::swap(&mut self.program.ahead, &mut self.program.shared);
        result
    }

    /// Collects what the steps that end now brought.
    pub(crate) fn gather(&mut self) {
        for arriving in self.program.arriving.iter().filter(|it| self.clock.is_due(it.rate)) {
            let lane = self.pool.lane(arriving.lane);
            Segment::gather(&arriving.gather, &lane.bank, &mut self.program.shared);
        }
        self.adjust(Fresh::Arriving);
    }

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

    fn exchange(&mut self, stage: &ExchangeStage) {
        for moves in &stage.moves {
            if self.clock.hands_over(moves.rate, moves.is_delayed) {
                moves.exchange.run(&mut self.program.shared);
            }
        }
        if self.phase == Phase::Present && !stage.slopes.is_empty() {
            self.follow_slopes(stage);
        }
        if !self.external.interventions.is_empty() {
            self.adjust_inputs(stage);
        }
    }

    fn follow_slopes(&mut self, stage: &ExchangeStage) {
        for &index in &stage.slopes {
            let slope = &mut self.program.slopes[index];
            let (now, fresh) = (self.clock.time(), self.clock.is_due(slope.rate));
            slope.run(now, fresh, self.clock.resolution(), &mut self.program.shared);
        }
    }

    fn adjust_inputs(&mut self, stage: &ExchangeStage) {
        for moves in &stage.moves {
            if self.clock.hands_over(moves.rate, moves.is_delayed) {
                self.adjust(Fresh::Connections(&moves.exchange.connections));
            }
        }
        if self.phase == Phase::Present {
            for &index in &stage.slopes {
                let slope = &self.program.slopes[index];
                if !self.clock.is_due(slope.rate) {
                    let connection = slope.connection;
                    self.adjust(Fresh::Connections(&[connection]));
                }
            }
        }
    }

    /// What is in force acts on fresh values before any component sees them.
    #[inline]
    pub(crate) fn adjust(&mut self, fresh: Fresh<'_>) {
        let interventions = &mut self.external.interventions;
        if interventions.is_empty() {
            return;
        }
        let (due, shared) = (self.clock.due(), &mut self.program.shared);
        match self.phase {
            Phase::Starting => {}
            Phase::Present => interventions.freshen(fresh, due, shared),
            Phase::Ahead => interventions.freshen_ahead(fresh, due, shared),
        }
    }

    /// Lets the lanes of a stage work; what they read is taken back if it is to be used at once.
    fn work(&mut self, work: &WorkStage, gather: bool) -> Result<(), Halt> {
        // Waking others for the work of one costs more than it brings.
        let side_by_side = 1 < self.pool.workers() && !work.is_brief && 1 < self.lanes_due(work);
        if side_by_side {
            for shares in work.by_lane() {
                self.order(shares, &mut self.pool.lane(shares[0].lane));
            }
            self.pool.work();
        }
        // Places belong to one lane each: what one gives back, no other is given in this stage.
        let mut error: Option<Box<LaneError>> = None;
        for shares in work.by_lane() {
            let mut lane = self.pool.lane(shares[0].lane);
            if !side_by_side {
                self.order(shares, &mut lane);
                lane.work();
            }
            self.has_event_or_end |= std::mem::take(&mut lane.has_event_or_end);
            if let Some(other) = lane.error.take()
                && error.as_ref().is_none_or(|first| other.comes_before(first))
            {
                error = Some(other);
            }
            let is_due = |share: &&Share| gather && self.clock.is_due(share.rate);
            for share in shares.iter().filter(is_due) {
                Segment::gather(&share.gather, &lane.bank, &mut self.program.shared);
            }
        }
        if gather {
            self.adjust(Fresh::Work(work.index));
        }
        error.map_or(Ok(()), |error| Err(self.halt(*error)))
    }

    fn lanes_due(&self, work: &WorkStage) -> usize {
        let is_due = |share: &Share| self.clock.is_due(share.rate);
        work.by_lane().filter(|shares| shares.iter().any(is_due)).count()
    }

    /// Hands a lane its inputs, and what to do with them.
    fn order(&self, shares: &[Share], lane: &mut Lane) {
        for share in shares.iter().filter(|share| self.clock.is_due(share.rate)) {
            Segment::scatter(&share.scatter, &self.program.shared, &mut lane.bank);
            let (start, end) = (share.operations.start, share.operations.end);
            let (step, allows_step_rejection) =
                (self.clock.step(share.rate), self.allows_step_rejection);
            lane.orders.push(Order { start, end, step, allows_step_rejection });
        }
    }

    /// What fails in initialization is reported as that.
    #[cold]
    fn halt(&self, error: LaneError) -> Halt {
        match error {
            LaneError::Failed(_, RunError::Call { component, error, .. })
                if self.phase == Phase::Starting =>
            {
                RunError::Initialize { component, error }.into()
            }
            LaneError::Failed(_, error) => error.into(),
            LaneError::Rejected(rejection) => Halt::Rejected(Box::new(rejection)),
        }
    }
}
