//! Whole runs, saved and restored.
//!
//! A snapshot has everything that decides how a run continues: the states of all instances, the values
//! on their way between them, integrations, rates, events that were announced, interventions under way,
//! delays, hashes and the observer. It is taken between two calls of [`Run::advance`]; what is only
//! used while one of them computes (room for loops, attempts and orders) means nothing then.

mod bytes;
mod tape;

use crate::clock::{SavedClock, SavedRate};
use crate::error::{RunError, StateCall};
use crate::exchange::SlopeMemory;
use crate::interpreter::Interpreter;
use crate::intervene::{Progress, SavedTarget};
use crate::lane::{Member, SavedMember};
use crate::run::{PendingDiscreteInput, Run, SavedEnding};
use crate::statistics::Statistics;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Fidelity, Observer, SavedState, Sizes, Tag};
use consort_solve::integrate::Integration;
use consort_trace::VariableHash;
use tape::{Playback, Tape};

/// A run as it was at a tag.
///
/// It belongs to the run that made it, which restores it any number of times. [`Run::serialize`] makes
/// bytes of it, which another run of the same system and plan reads, in another process too.
#[derive(Default)]
pub struct RunSnapshot {
    clock: SavedClock,
    /// The shared bank, those of the lanes, and discrete inputs as components last saw them.
    values: Tape,
    /// The states of the components of this node.
    members: Vec<SavedMember>,
    integrations: Vec<Option<Integration>>,
    rates: Vec<SavedRate>,
    slopes: Vec<SlopeMemory>,
    hashes: Vec<VariableHash>,
    progress: Vec<Progress>,
    targets: Vec<SavedTarget>,
    pending_inputs: Vec<PendingDiscreteInput>,
    ending: SavedEnding,
    statistics: Statistics,
    observer: Option<SavedState>,
}

impl RunSnapshot {
    /// The tag of the run.
    pub fn tag(&self) -> Tag {
        self.clock.tag
    }

    /// Lets go what it holds, but not the room for it.
    fn clear(&mut self) {
        self.values.clear();
        self.members.clear();
        self.integrations.clear();
        self.rates.clear();
        self.slopes.clear();
        self.hashes.clear();
        self.progress.clear();
        self.targets.clear();
        self.pending_inputs.clear();
        self.observer = None;
    }

    /// What it takes itself, beside the states of instances.
    fn own_bytes(&self) -> u64 {
        let lists = size_of_val(&self.members[..])
            + size_of_val(&self.rates[..])
            + size_of_val(&self.slopes[..])
            + size_of_val(&self.hashes[..])
            + size_of_val(&self.targets[..]);
        let integrations = self.integrations.iter().flatten();
        let integrations: u64 = integrations.map(Integration::unshared_bytes).sum();
        (size_of::<Self>() + lists) as u64 + self.values.bytes() + integrations
    }
}

impl Run {
    /// Saves the run as it is at its present tag, complete or not at all.
    ///
    /// An instance that is known to behave differently once it is restored, though always in the same way
    /// ([`Fidelity::Repeatable`]), is restored at once: so all that follows, now or later, follows from
    /// the restored state. Such a save point is part of what happens; the caller shall count it as such.
    ///
    /// # Errors
    /// If an instance cannot be saved. The run can continue.
    pub fn snapshot(&mut self) -> Result<RunSnapshot, RunError> {
        let mut snapshot = RunSnapshot::default();
        self.snapshot_into(&mut snapshot)?;
        self.interpreter.report_saved();
        Ok(snapshot)
    }

    /// The same into a snapshot that is not needed any more, whose room is used again.
    ///
    /// # Errors
    /// As [`Run::snapshot`]; the snapshot is of no use then.
    pub fn snapshot_into(&mut self, into: &mut RunSnapshot) -> Result<(), RunError> {
        into.clear();
        self.interpreter.save_members(&mut into.members)?;
        self.save_values(&mut into.values);
        let run = &self.interpreter;
        into.clock = run.clock.save(&mut into.rates);
        into.integrations.clone_from(&run.integrations);
        into.slopes.extend(run.program.slopes.iter().map(|slope| slope.memory));
        into.hashes.extend_from_slice(self.trace.hashes().states());
        run.external.interventions.save(&mut into.progress, &mut into.targets);
        into.pending_inputs.clone_from(self.events.pending_inputs());
        into.ending = self.ending.save();
        into.statistics = run.statistics;
        into.observer = self.trace.observer().map(Observer::save);
        Ok(())
    }

    /// Goes back (or on) to a snapshot of this run, also after it was over or failed, as often as one
    /// likes. A record is of one way: what was recorded stays, and recording ends where a run goes back.
    ///
    /// # Errors
    /// If an instance cannot be restored, or the snapshot is another run's. The run cannot continue then
    /// until it is restored.
    pub fn restore(&mut self, from: &RunSnapshot) -> Result<(), RunError> {
        self.check_shape(from)?;
        self.interpreter.forget_failure();
        self.trace.rewind(from.clock.tag);
        self.interpreter.restore_members(&from.members)?;
        self.events.restore(&from.pending_inputs);
        self.restore_values(&from.values);
        let run = &mut self.interpreter;
        run.clock.restore(from.clock, &from.rates);
        run.integrations.clone_from(&from.integrations);
        run.check_integrations()?;
        for (slope, memory) in run.program.slopes.iter_mut().zip(&from.slopes) {
            slope.memory = *memory;
        }
        self.trace.set_hashes(&from.hashes);
        run.external.interventions.restore(&from.progress, &from.targets);
        self.ending.restore(&from.ending);
        run.statistics = from.statistics;
        if let (Some(observer), Some(saved)) = (self.trace.observer_mut(), &from.observer) {
            observer.restore(saved);
        }
        run.continue_together()
    }

    /// How many bytes a snapshot shares with no other one, as far as instances report it: the memory that
    /// dropping it frees.
    pub fn unshared_bytes(&self, snapshot: &RunSnapshot) -> u64 {
        let mut bytes = snapshot.own_bytes();
        let run = &self.interpreter;
        for (&index, saved) in run.program.own.iter().zip(&snapshot.members) {
            bytes += run.with_member(index, |it| it.instance.unshared_bytes(&saved.state));
        }
        bytes
    }

    fn save_values(&self, tape: &mut Tape) {
        tape.push_bank(&self.interpreter.program.shared);
        for index in 0..self.interpreter.pool.len() {
            tape.push_bank(&self.interpreter.pool.lane(index).bank);
        }
        self.events.seen().for_each(|seen| tape.push(seen.view()));
    }

    fn restore_values(&mut self, tape: &Tape) {
        let mut playback = Playback::new(tape);
        playback.fill_bank(&mut self.interpreter.program.shared);
        for index in 0..self.interpreter.pool.len() {
            playback.fill_bank(&mut self.interpreter.pool.lane(index).bank);
        }
        self.events.seen_mut().for_each(|seen| playback.fill(seen));
    }

    /// How many values of each type a snapshot of this run has.
    fn value_counts(&self) -> [usize; 15] {
        let mut counts = self.interpreter.program.shared.lengths();
        for index in 0..self.interpreter.pool.len() {
            let more = self.interpreter.pool.lane(index).bank.lengths();
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
        for seen in self.events.seen() {
            counts[seen.value_type() as usize] += seen.len();
        }
        counts
    }

    fn check_shape(&self, snapshot: &RunSnapshot) -> Result<(), RunError> {
        let no = |reason| Err(RunError::ForeignSnapshot { reason });
        let run = &self.interpreter;
        let is_observed = self.trace.observer().is_some();
        if snapshot.members.len() != run.program.own.len()
            || snapshot.values.lengths() != self.value_counts()
            || snapshot.hashes.len() != self.trace.hashes().states().len()
            || snapshot.integrations.len() != run.integrations.len()
        {
            return no("it is of another system");
        }
        let is_like_ours = snapshot.rates.len() == run.clock.rates().list.len()
            && snapshot.slopes.len() == run.program.slopes.len()
            && run.external.interventions.fit(&snapshot.progress, &snapshot.targets);
        match is_like_ours {
            false => no("it is of another plan, or has other interventions"),
            true if is_observed && snapshot.observer.is_none() => {
                no("the run was not observed then")
            }
            true => Ok(()),
        }
    }
}

impl Interpreter {
    fn save_members(&self, members: &mut Vec<SavedMember>) -> Result<(), RunError> {
        members.reserve_exact(self.program.own.len());
        for &index in &self.program.own {
            let saved = self.save_one(index);
            members.push(saved.map_err(|error| self.state_failed(index, StateCall::Save, error))?);
        }
        for (&index, saved) in self.program.own.iter().zip(&*members) {
            if self.fidelity(index) == Fidelity::Repeatable {
                self.restore_one(index, saved)?;
            }
        }
        Ok(())
    }

    fn fidelity(&self, component: usize) -> Fidelity {
        self.executable.description(component).capabilities.fidelity
    }

    fn save_one(&self, index: usize) -> CallResult<SavedMember> {
        if self.fidelity(index) == Fidelity::None {
            let reason = "it was found to behave differently each time it is restored";
            let status = CallStatus::Refused(reason.to_owned());
            return Err(CallError::new("save its state", status));
        }
        self.with_member(index, Member::save)
    }

    fn restore_members(&self, members: &[SavedMember]) -> Result<(), RunError> {
        let mut pairs = self.program.own.iter().zip(members);
        pairs.try_for_each(|(&index, saved)| self.restore_one(index, saved))
    }

    fn restore_one(&self, index: usize, saved: &SavedMember) -> Result<(), RunError> {
        let restored = self.with_member(index, |it| it.restore(saved));
        restored.map_err(|error| self.state_failed(index, StateCall::Restore, error))
    }

    #[cold]
    fn state_failed(&self, index: usize, call: StateCall, error: Box<CallError>) -> RunError {
        let component = self.executable.name(index).to_owned();
        RunError::State { component, tag: self.clock.tag(), call, error }
    }

    /// What is integrated together has as many states as its integration.
    fn check_integrations(&self) -> Result<(), RunError> {
        for (group, integration) in self.program.groups.iter().zip(&self.integrations) {
            let mut sizes = Sizes::default();
            for component in group {
                let own = self.with_member(component.index(), |member| {
                    member.instance.joined().expect("groups have joined").0.sizes()
                });
                sizes.states += own.states;
                sizes.indicators += own.indicators;
            }
            if integration.as_ref().is_some_and(|it| it.sizes() != sizes) {
                return Err(RunError::ForeignSnapshot {
                    reason: "its integration has other states",
                });
            }
        }
        Ok(())
    }
}
