//! Steps that may be rejected: all components go back, and a shorter one is tried.
//!
//! A step is rejected because a component stopped before its end or refused it, because a loop was
//! not solved over it, or because it was too coarse: with tolerances, each step is taken once whole
//! and once in two halves, and the difference in the real outputs says how wrong it is. The halves
//! are what stays.

use super::{Halt, Interpreter, Phase};
use crate::error::{RunError, StepFailure};
use crate::intervene::Fresh;
use crate::lane::{Member, Rejection};
use crate::program::Program;
use crate::program::attempt::Attempt;
use consort_core::model::stepping::Arrival;
use consort_core::{ComponentId, Resolution, Tag, Time};
use consort_system::StepTolerances;

/// Steps as short as allowed that break a constraint all the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unmet {
    times: u64,
    first: Tag,
    last: Tag,
}

/// The greatest error of a step in units of what is tolerated, and whose output has it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Inaccuracy {
    error: f64,
    component: usize,
}

/// How a try ended.
enum Verdict {
    /// All components are at `to`.
    Arrived {
        to: Time,
        inaccuracy: Option<Inaccuracy>,
    },
    Rejected(Rejection),
    /// A loop was not solved; over a shorter step it may be.
    Unsolved(RunError),
}

impl Verdict {
    /// What a shorter step may mend is no failure yet.
    fn of(halt: Halt) -> Result<Verdict, Halt> {
        match halt {
            Halt::Rejected(rejection) => Ok(Verdict::Rejected(*rejection)),
            Halt::Failed(error) if matches!(*error, RunError::LoopNotSolved { .. }) => {
                Ok(Verdict::Unsolved(*error))
            }
            failed @ Halt::Failed(_) => Err(failed),
        }
    }
}

impl Interpreter {
    /// From the present tag to the next, by the longest step that all components take.
    pub(super) fn attempt(&mut self, attempt: &mut Attempt) -> Result<(), Halt> {
        self.allows_step_rejection = true;
        self.keep_for_rollback(&attempt.components, &mut attempt.saved)?;
        let arrived = self.try_sizes(attempt);
        attempt.saved.clear();
        self.allows_step_rejection = false;
        self.clock.end_steps(arrived?);
        Ok(())
    }

    fn try_sizes(&mut self, attempt: &mut Attempt) -> Result<Time, Halt> {
        let from = self.clock.time();
        let mut size = self.bounded_size();
        loop {
            let verdict = self.try_step(attempt, from + size);
            size = match verdict.or_else(Verdict::of)? {
                Verdict::Arrived { to, inaccuracy }
                    if inaccuracy.is_none_or(|it| it.error <= 1.0) =>
                {
                    match self.shortened(attempt, to, inaccuracy.is_some())? {
                        Some(shorter) => shorter,
                        None => {
                            if self.clock.step_size.is_beyond(to - from) {
                                self.note_unmet();
                            }
                            self.statistics.steps_accepted += 1;
                            self.clock.step_size.accept(to - from, inaccuracy.map(|it| it.error));
                            return Ok(to);
                        }
                    }
                }
                Verdict::Arrived { inaccuracy, .. } => {
                    let Inaccuracy { error, component } = inaccuracy.expect("it was too great");
                    let shorter = self.clock.step_size.more_accurate(size, error);
                    let why = StepFailure::Inaccurate { error };
                    shorter.ok_or_else(|| self.too_short(component, size, why))?
                }
                Verdict::Rejected(rejection) => self.shorter(size, rejection)?,
                Verdict::Unsolved(error) => {
                    self.clock.step_size.shorter(size, Time::ZERO, true).ok_or(error)?
                }
            };
            self.statistics.steps_rejected += 1;
            self.go_back(attempt)?;
        }
    }

    /// The size to try instead of a step that breaks a constraint. One that is as short as allowed is
    /// taken as it is.
    fn shortened(
        &mut self,
        attempt: &Attempt,
        to: Time,
        is_known: bool,
    ) -> Result<Option<Time>, Halt> {
        if attempt.constraints.is_empty() || self.ends_early(attempt) {
            return Ok(None);
        }
        if attempt.looks_ahead && !is_known {
            self.present_ahead(to)?;
        }
        let Program { ahead: before, shared: after, .. } = &self.program;
        let broken = attempt.constraints.iter().filter_map(|it| it.broken(before, after));
        let Some(broken) = broken.min_by(|a, b| a.part.total_cmp(&b.part)) else {
            return Ok(None);
        };
        let shorter =
            self.clock.step_size.constrained(to - self.clock.time(), broken.part, broken.is_event);
        if shorter.is_none() && !broken.is_event {
            self.note_unmet();
        }
        Ok(shorter)
    }

    /// Counts the present step, once.
    fn note_unmet(&mut self) {
        let tag = self.clock.tag();
        match &mut self.unmet {
            Some(unmet) if unmet.last == tag => {}
            Some(unmet) => (unmet.times, unmet.last) = (unmet.times + 1, tag),
            None => self.unmet = Some(Unmet { times: 1, first: tag, last: tag }),
        }
    }

    /// Asks components how long the next step may be, where that is wanted.
    pub(super) fn ask_step_max(&mut self) -> Result<(), RunError> {
        if !self.clock.step_size.asks() {
            return Ok(());
        }
        let mut least = f64::INFINITY;
        for &component in &self.program.own {
            let asked = self.with_member(component, |it| it.instance.step_max());
            let size = asked.map_err(|error| self.call_failed(component, error))?;
            least = least.min(size.unwrap_or(f64::INFINITY));
        }
        let longest = whole_ticks(self.clock.resolution(), least);
        self.clock.step_size.bound(longest);
        Ok(())
    }

    /// No component ever said how long its steps may be, although all were asked.
    pub(super) fn no_step_limit_reported(&self) -> Option<RunError> {
        let has_stepped = 0 < self.statistics.steps_accepted;
        (has_stepped && self.clock.step_size.has_no_reported_limit())
            .then_some(RunError::NoStepLimitReported)
    }

    /// Constraints that were not met.
    pub(super) fn unmet_constraints(&self) -> Option<RunError> {
        let Unmet { times, first, .. } = self.unmet?;
        Some(RunError::ConstraintUnmet { times, first, min: self.clock.step_size.min() })
    }

    /// What is left for a component that did not come to the end of a step.
    fn shorter(&mut self, size: Time, rejection: Rejection) -> Result<Time, RunError> {
        let Rejection { reached, component, refused, error } = rejection;
        let done = reached - self.clock.time();
        let shorter = self.clock.step_size.shorter(size, done, refused);
        let why = StepFailure::Rejected { reached, error };
        shorter.ok_or_else(|| self.too_short(component.index(), size, why))
    }

    fn too_short(&self, component: usize, size: Time, why: StepFailure) -> RunError {
        let component = self.executable.name(component).to_owned();
        RunError::StepTooShort {
            component,
            tag: self.clock.tag(),
            size,
            min: self.clock.step_size.min(),
            why,
        }
    }

    /// The proposed size, but neither past the end nor past an event that a component announced, nor
    /// past a jump of the table of inputs.
    pub(super) fn bounded_size(&self) -> Time {
        let now = self.clock.time();
        let mut end = self.clock.step_size.end_from(now);
        for (index, component) in self.executable.system.components.iter().enumerate() {
            if component.event_mode {
                let event = self.with_member(index, |it| it.next_event);
                end = event.filter(|&event| now < event).map_or(end, |event| event.min(end));
            }
        }
        self.external.next_jump(now).map_or(end, |jump| jump.min(end)) - now
    }

    fn go_back(&mut self, attempt: &Attempt) -> Result<(), Halt> {
        self.roll_back(&attempt.saved)?;
        self.has_event_or_end = false;
        self.program.shared.copy_from(&self.program.ahead);
        Ok(())
    }

    fn try_step(&mut self, attempt: &mut Attempt, to: Time) -> Result<Verdict, Halt> {
        let from = self.clock.tag();
        let half = Time::from_ticks((to - from.time).ticks() / 2);
        self.step_to(attempt, from, to)?;
        let tolerances = self.clock.step_size.tolerances().filter(|_| Time::ZERO < half);
        let Some(tolerances) = tolerances.filter(|_| !self.ends_early(attempt)) else {
            return Ok(Verdict::Arrived { to, inaccuracy: None });
        };
        self.present_ahead(to)?;
        self.read_outputs(attempt);
        self.go_back(attempt)?;
        let middle = from.time + half;
        self.step_to(attempt, from, middle)?;
        if self.ends_early(attempt) {
            return Ok(Verdict::Arrived { to: middle, inaccuracy: None });
        }
        if let Some(component) = self.event_waits(attempt) {
            let (reached, refused, error) = (middle, false, None);
            return Ok(Verdict::Rejected(Rejection { reached, component, refused, error }));
        }
        self.present_ahead(middle)?;
        self.step_to(attempt, Tag::at(middle), to)?;
        self.present_ahead(to)?;
        let inaccuracy = Some(self.inaccuracy(attempt, tolerances));
        Ok(Verdict::Arrived { to, inaccuracy })
    }

    fn step_to(&mut self, attempt: &mut Attempt, from: Tag, to: Time) -> Result<(), Halt> {
        self.clock.plan_step(from, to);
        self.run_stages(&mut attempt.stages)
    }

    /// What `present` would make of the values at a time that is no tag (yet).
    fn present_ahead(&mut self, time: Time) -> Result<(), Halt> {
        debug_assert_eq!(self.phase, Phase::Ahead);
        if self.external.feed(time, &mut self.program.shared) {
            self.adjust(Fresh::Table);
        }
        self.clock.stand_still(Tag::at(time));
        self.run_present()
    }

    fn ends_early(&self, attempt: &Attempt) -> bool {
        self.has_event_or_end && self.arrived(attempt, |_, arrival| arrival.terminate).is_some()
    }

    fn event_waits(&self, attempt: &Attempt) -> Option<ComponentId> {
        self.arrived(attempt, |member, arrival| member.event_mode && arrival.event)
    }

    fn arrived(
        &self,
        attempt: &Attempt,
        wanted: fn(&Member, &Arrival) -> bool,
    ) -> Option<ComponentId> {
        attempt.components.iter().copied().find(|component| {
            self.with_member(component.index(), |member| {
                member.arrival.as_ref().is_some_and(|arrival| wanted(member, arrival))
            })
        })
    }

    fn read_outputs(&self, attempt: &mut Attempt) {
        let mut places = attempt.coarse.iter_mut();
        for (_, slot) in &attempt.outputs {
            let values = self.program.shared.get(*slot);
            for (element, place) in (0..slot.count()).zip(&mut places) {
                *place = values.as_f64(element).expect("real outputs are floats");
            }
        }
    }

    fn inaccuracy(&self, attempt: &Attempt, tolerances: StepTolerances) -> Inaccuracy {
        let StepTolerances { relative, absolute } = tolerances;
        let mut worst = Inaccuracy { error: 0.0, component: 0 };
        let mut coarse = attempt.coarse.iter();
        for &(component, slot) in &attempt.outputs {
            let values = self.program.shared.get(slot);
            for (element, coarse) in (0..slot.count()).zip(&mut coarse) {
                let fine = values.as_f64(element).expect("real outputs are floats");
                let error = (fine - coarse).abs() / (absolute + relative * fine.abs());
                let error = if error.is_nan() { f64::INFINITY } else { error };
                if worst.error < error {
                    worst = Inaccuracy { error, component };
                }
            }
        }
        worst
    }
}

/// As many ticks as fit into a time; `None` if that is beyond all times.
fn whole_ticks(resolution: Resolution, seconds: f64) -> Option<Time> {
    let nearest = resolution.from_f64(seconds).ok()?;
    let is_beyond = seconds < resolution.to_f64(nearest);
    Some(if is_beyond { nearest - Time::from_ticks(1) } else { nearest })
}
