//! A run: a value its caller drives.

mod access;
mod attempt;
mod build;
mod crossing;
mod divergence;
mod events;
mod finish;
mod initialize;
mod interpret;
mod iterate;
mod observe;
mod publish;
mod ranges;
mod rollback;
mod together;

use crate::courier::Part;
use crate::error::RunError;
use crate::executable::Executable;
use crate::feed::FeedProgram;
use crate::intervene::{Fresh, Interventions};
use crate::pool::Pool;
use crate::program::Program;
use crate::program::stage::Stage;
use crate::record::{ChunkSink, Hashes, Recorder};
use crate::statistics::Statistics;
use crate::store::Segment;
use crate::timing::Rates;
use consort_core::{CancelFlag, ComponentId, LogSink, Model, Step, StepOutcome, Tag, Time};
use consort_solve::integrate::Integration;
use consort_system::{Plan, ResolvedSystem};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use access::Retuned;
pub use access::VariableHandle;
pub use finish::Summary;
pub(crate) use interpret::Phase;
pub use observe::Observation;

use attempt::{StepSize, Unmet};
use crossing::Link;
use divergence::Watch;
use events::EventComponent;
use initialize::Keeping;
use interpret::Halt;
use iterate::Accepted;
use observe::Watched;
use ranges::Ranges;

/// How a run is carried out; nothing here changes what it computes.
pub struct RunOptions {
    /// How many threads work on lanes, the caller's among them.
    pub workers: usize,
    /// Where instances' log lines and the engine's remarks go.
    pub log: LogSink,
    /// Instances shall log all they can.
    pub verbose: bool,
    /// Who writes the trace down; `None` if nobody does.
    pub recorder: Option<Box<dyn ChunkSink>>,
    /// Who is told of every step; `None` if nobody is.
    pub call_log: Option<Box<dyn CallSink>>,
    /// Who looks at the run while it goes, and may end it; `None` if nobody does.
    pub observer: Option<Observation>,
    /// Which part of a run that is spread over nodes this is; `None` for the whole system.
    pub part: Option<Part>,
}

impl RunOptions {
    /// Of a run of a whole system that nobody writes down, watches or listens to.
    pub fn quiet(workers: usize) -> Self {
        RunOptions {
            workers,
            log: Arc::new(|_| {}),
            verbose: false,
            recorder: None,
            call_log: None,
            observer: None,
            part: None,
        }
    }
}

/// Told of every step that every instance took, in id order per tag.
pub trait CallSink: Send {
    /// A step was taken.
    fn step(&mut self, component: &str, step: &Step, outcome: &StepOutcome);
}

/// How far a run came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The time asked for; there is more to come.
    Reached,
    /// The end of the experiment.
    Finished,
    /// A component asked for the run to end.
    Terminated {
        /// Which one.
        component: String,
    },
    /// The observer wants to see nothing more.
    Decided,
}

/// A system being executed.
///
/// Dropping a run ends its instances; [`Run::finish`] does so and tells what happened.
pub struct Run {
    pub(crate) system: Arc<ResolvedSystem>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) models: Arc<[Arc<dyn Model>]>,
    pub(crate) program: Program,
    pub(crate) pool: Pool,
    pub(crate) rates: Rates,
    /// By group of components that are integrated as one: where they are, once they have begun.
    pub(crate) integrations: Vec<Option<Integration>>,
    /// By rate: its components have fresh values at the present tag.
    pub(crate) due: Vec<bool>,
    /// By rate: the step that its components take, if they take any.
    pub(crate) steps: Vec<Step>,
    /// How long steps are that may be rejected.
    pub(crate) step_size: StepSize,
    /// Steps may be rejected just now.
    pub(crate) negotiates: bool,
    pub(crate) phase: Phase,
    /// There was a tag before, so that delayed connections have something to hand over.
    pub(crate) delays_known: bool,
    /// Some step ended in an event or with the wish to end.
    pub(crate) remarkable: bool,
    pub(crate) tag: Tag,
    /// The last tag up to which everything is done.
    pub(crate) done: Tag,
    pub(crate) hashes: Hashes,
    /// Looks for values that nothing can have.
    pub(crate) divergence: Watch,
    pub(crate) ranges: Ranges,
    /// Loops whose last values were taken although they were not solved.
    pub(crate) accepted: Option<Accepted>,
    /// Steps that broke a constraint and could not be shorter.
    pub(crate) unmet: Option<Unmet>,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) interventions: Interventions,
    pub(crate) feed: Option<FeedProgram>,
    pub(crate) eventful: Vec<EventComponent>,
    /// Components whose clocks ticked at the present time already.
    pub(crate) ticked: Vec<usize>,
    /// What was given to components that use event mode, and was not handed over yet.
    pub(crate) retuned: Vec<Retuned>,
    /// When a component asked for the run to end, and which.
    pub(crate) ending: Option<(Time, ComponentId)>,
    pub(crate) names: BTreeMap<String, ComponentId>,
    pub(crate) call_log: Option<Box<dyn CallSink>>,
    pub(crate) observer: Option<Watched>,
    /// To the other nodes, if this is a part of a run.
    pub(crate) link: Option<Box<Link>>,
    pub(crate) statistics: Statistics,
    /// Whether parameters were kept.
    pub(crate) keeping: Keeping,
    /// Cancels within a step.
    pub(crate) cancel: CancelFlag,
    pub(crate) over: Option<Advance>,
    /// The last tag that belongs to the run, and who wanted it to end there.
    pub(crate) end: Option<(Tag, ComponentId)>,
    pub(crate) ended: bool,
}

impl Run {
    /// The present tag: everything up to it was computed, hashed and recorded.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// What the run was made of.
    pub fn executable(&self) -> Executable {
        let (system, plan) = (Arc::clone(&self.system), Arc::clone(&self.plan));
        Executable { system, plan, models: Arc::clone(&self.models) }
    }

    /// The system being run.
    pub fn system(&self) -> &ResolvedSystem {
        &self.system
    }

    /// Installs the flag that cancels within a step, where an instance can interrupt one: see
    /// [`RunError::is_cancelled`].
    pub fn set_cancel_flag(&mut self, flag: &CancelFlag) {
        self.cancel = flag.clone();
        for index in 0..self.pool.len() {
            let mut lane = self.pool.lane(index);
            lane.members.iter_mut().for_each(|member| member.instance.set_cancel_flag(flag));
        }
    }

    /// Moves on until every tag up to and including `until` is done, or the run is over.
    ///
    /// Where steps may be rejected, the next tag is known only once its step was taken: a step that
    /// is planned to end after `until` is not begun.
    ///
    /// # Errors
    /// If an instance fails or a loop has no solution. The run cannot go on then; [`Run::finish`]
    /// still works.
    pub fn advance(&mut self, until: Time) -> Result<Advance, RunError> {
        while self.over.is_none() {
            if self.system.experiment.stop <= self.tag.time {
                self.over = Some(Advance::Finished);
            } else if until < self.planned_next()? {
                return Ok(Advance::Reached);
            } else {
                self.tick()?;
            }
        }
        Ok(self.over.clone().expect("the loop ends when the run is over"))
    }

    pub(crate) fn planned_next(&mut self) -> Result<Time, RunError> {
        if !self.is_variable() {
            return Ok(self.rates.after(self.tag.time));
        }
        self.ask_step_max()?;
        Ok(self.tag.time + self.bounded_size())
    }

    /// Whether the plan lets steps be rejected.
    fn is_variable(&self) -> bool {
        self.program.advance.iter().any(|stage| matches!(stage, Stage::Attempt(_)))
    }

    /// From one tag to the next.
    fn tick(&mut self) -> Result<(), RunError> {
        self.statistics.tags += 1;
        let stepped = self.step_on();
        self.tell_calls();
        if std::mem::take(&mut self.remarkable) {
            self.collect_endings();
        }
        stepped.map_err(Halt::into_error)?;
        let next = self.rates.next();
        if self.ends_by(next - Time::from_ticks(1)) {
            return Ok(()); // values at `next` would be those of a component that stopped before
        }
        self.tag = Tag::at(next);
        for (due, rate) in self.due.iter_mut().zip(&self.rates.list) {
            *due = rate.due == self.tag.time;
        }
        self.gather();
        self.publish()?;
        self.ends_by(self.tag.time);
        self.reached();
        Ok(())
    }

    /// Runs the program that leads to the next tags. A single stage needs nothing from the values it
    /// brings about; several hand them on, and nobody else may see them before their time, so they
    /// work on a copy.
    fn step_on(&mut self) -> Result<(), Halt> {
        self.plan_steps();
        self.let_cross(true);
        let mut stages = std::mem::take(&mut self.program.advance);
        let result = match &mut stages[..] {
            [Stage::Work(work)] => self.work(work, false),
            stages => {
                self.program.ahead.copy_from(&self.program.shared);
                std::mem::swap(&mut self.program.ahead, &mut self.program.shared);
                self.phase = Phase::Ahead;
                let result = self.run_stages(stages);
                self.phase = Phase::Present;
                std::mem::swap(&mut self.program.ahead, &mut self.program.shared);
                result
            }
        };
        self.program.advance = stages;
        result
    }

    /// The steps that begin now; an attempt plans its own.
    fn plan_steps(&mut self) {
        let resolution = self.system.experiment.resolution;
        let start = resolution.to_f64(self.tag.time);
        for (step, rate) in self.steps.iter_mut().zip(&mut self.rates.list) {
            if rate.due == self.tag.time {
                *step = rate.step_from(self.tag, start, resolution);
                rate.due = step.to;
            }
        }
    }

    /// Whether a component asked for the end at `time` or earlier; the run is over then.
    fn ends_by(&mut self, time: Time) -> bool {
        let Some((time, component)) = self.ending.filter(|(end, _)| *end <= time) else {
            return false;
        };
        self.end_at(Tag { time, microstep: u32::MAX }, component);
        true
    }

    /// The run is over because a component wants it so; who wanted it first is named.
    pub(crate) fn end_at(&mut self, tag: Tag, component: ComponentId) {
        self.end.get_or_insert((tag, component));
        let component = self.system.components[component.index()].name.clone();
        self.over.get_or_insert(Advance::Terminated { component });
    }

    /// Everything up to the present tag is done.
    pub(crate) fn reached(&mut self) {
        self.done = self.tag;
        self.tell_reached();
    }

    /// Requests to end: the earliest, then the smallest id.
    fn collect_endings(&mut self) {
        for index in 0..self.pool.len() {
            let asked = self.pool.lane(index).asked_to_end();
            self.ending = [self.ending, asked].into_iter().flatten().min();
        }
    }

    fn tell_calls(&mut self) {
        let Some(sink) = &mut self.call_log else { return };
        let mut taken = Vec::new();
        for index in 0..self.pool.len() {
            taken.append(&mut self.pool.lane(index).taken);
        }
        taken.sort_by_key(|taken| taken.component);
        for call in &taken {
            let name = &self.system.components[call.component.index()].name;
            sink.step(name, &call.step, &call.outcome);
        }
    }

    /// Collects what the steps that end now brought.
    fn gather(&mut self) {
        for arriving in self.program.arriving.iter().filter(|it| self.due[it.rate]) {
            let lane = self.pool.lane(arriving.lane);
            Segment::gather(&arriving.gather, &lane.bank, &mut self.program.shared);
        }
        self.adjust(Fresh::Arriving);
    }
}
