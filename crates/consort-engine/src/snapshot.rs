//! Whole runs, saved and restored.
//!
//! A snapshot has everything that decides how a run goes on: the states of all instances, the values
//! on their way between them, integrations, rates, events that were announced, interventions under way,
//! delays, hashes and the observer. It is taken between two calls of [`Run::advance`]; what is only
//! used while one of them computes (room for loops, attempts and orders) means nothing then.

mod bytes;
mod tape;

use crate::error::{RunError, StateCall};
use crate::exchange::SlopeMemory;
use crate::intervene::{Progress, SavedTarget};
use crate::run::{Advance, Phase, Retuned, Run};
use crate::statistics::Statistics;
use consort_core::model::CallResult;
use consort_core::model::stepping::Arrival;
use consort_core::{CallError, CallStatus, ComponentId, Fidelity, SavedState, Sizes, Tag, Time};
use consort_solve::integrate::Integration;
use consort_trace::VariableHash;
use tape::{Playback, Tape};

/// A run as it was at a tag.
///
/// It belongs to the run that made it, which restores it any number of times. [`Run::serialize`] makes
/// bytes of it, which another run of the same system and plan reads, in another process too.
#[derive(Default)]
pub struct RunSnapshot {
    tag: Tag,
    /// The shared bank, those of the lanes, and discrete inputs as components last saw them.
    values: Tape,
    /// By component that lives here.
    members: Vec<SavedMember>,
    integrations: Vec<Option<Integration>>,
    /// By rate: where the step under way ends, and whether its components are at the tag.
    rates: Vec<(Time, bool)>,
    /// How long the next step is where steps may be rejected.
    proposed: Time,
    delays_known: bool,
    slopes: Vec<SlopeMemory>,
    hashes: Vec<VariableHash>,
    progress: Vec<Progress>,
    targets: Vec<SavedTarget>,
    retuned: Vec<Retuned>,
    ending: Option<(Time, ComponentId)>,
    over: Option<Advance>,
    statistics: Statistics,
    observer: Option<SavedState>,
}

/// An instance as it was.
struct SavedMember {
    state: SavedState,
    next_event: Option<Time>,
    arrival: Option<Arrival>,
    in_event_mode: bool,
}

impl RunSnapshot {
    /// Where the run was.
    pub fn tag(&self) -> Tag {
        self.tag
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
        self.retuned.clear();
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
    /// An instance that is known to go on differently once it is restored, though always in the same way
    /// ([`Fidelity::Repeatable`]), is restored at once: so all that follows, now or later, follows from
    /// the restored state. Such a save point is part of what happens; the caller shall count it as such.
    ///
    /// # Errors
    /// If an instance cannot be saved. The run can continue.
    pub fn snapshot(&mut self) -> Result<RunSnapshot, RunError> {
        let mut snapshot = RunSnapshot::default();
        self.snapshot_into(&mut snapshot)?;
        self.tell_saved();
        Ok(snapshot)
    }

    /// The same into a snapshot that is not needed any more, whose room is used again.
    ///
    /// # Errors
    /// As [`Run::snapshot`]; the snapshot is of no use then.
    pub fn snapshot_into(&mut self, into: &mut RunSnapshot) -> Result<(), RunError> {
        into.clear();
        self.save_members(&mut into.members)?;
        self.save_values(&mut into.values);
        into.tag = self.tag;
        into.integrations.clone_from(&self.integrations);
        let rates = self.rates.list.iter().zip(&self.due);
        into.rates.extend(rates.map(|(rate, is_due)| (rate.due, *is_due)));
        into.proposed = self.step_size.proposed();
        into.delays_known = self.delays_known;
        into.slopes.extend(self.program.slopes.iter().map(|slope| slope.memory));
        into.hashes.extend_from_slice(self.hashes.states());
        self.interventions.save(&mut into.progress, &mut into.targets);
        into.retuned.clone_from(&self.retuned);
        into.ending = self.ending;
        into.over = self.over.clone().filter(|over| *over != Advance::Finished);
        into.statistics = self.statistics;
        into.observer = self.observer.as_ref().map(|watched| watched.observer.save());
        Ok(())
    }

    /// Goes back (or on) to a snapshot of this run, also after it was over or failed, as often as one
    /// likes. A record is of one way: what was recorded stays, and recording ends where a run goes back.
    ///
    /// # Errors
    /// If an instance cannot be restored, or the snapshot is another run's. The run cannot go on then
    /// until it is restored.
    pub fn restore(&mut self, from: &RunSnapshot) -> Result<(), RunError> {
        self.check_shape(from)?;
        self.forget_failure();
        self.recorder.take_if(|recorder| !recorder.rewind(from.tag));
        self.restore_members(&from.members)?;
        self.restore_values(&from.values);
        self.tag = from.tag;
        self.integrations.clone_from(&from.integrations);
        self.check_integrations()?;
        let rates = self.rates.list.iter_mut().zip(&mut self.due);
        for ((rate, is_due), saved) in rates.zip(&from.rates) {
            (rate.due, *is_due) = *saved;
        }
        self.step_size.propose(from.proposed);
        self.delays_known = from.delays_known;
        for (slope, memory) in self.program.slopes.iter_mut().zip(&from.slopes) {
            slope.memory = *memory;
        }
        self.hashes.set_states(&from.hashes);
        self.interventions.restore(&from.progress, &from.targets);
        self.retuned.clone_from(&from.retuned);
        self.ending = from.ending;
        self.over.clone_from(&from.over);
        self.statistics = from.statistics;
        (self.done, self.end) = (self.tag, None);
        if let (Some(watched), Some(saved)) = (&mut self.observer, &from.observer) {
            watched.observer.restore(saved);
        }
        self.go_on_together()
    }

    /// How many bytes a snapshot holds that no other one holds, as far as instances tell: what is won
    /// by dropping it.
    pub fn unshared_bytes(&self, snapshot: &RunSnapshot) -> u64 {
        let mut bytes = snapshot.own_bytes();
        for (&index, saved) in self.program.own.iter().zip(&snapshot.members) {
            let home = self.program.homes[index];
            let lane = self.pool.lane(home.lane);
            bytes += lane.members[home.member as usize].instance.unshared_bytes(&saved.state);
        }
        bytes
    }

    fn save_members(&self, members: &mut Vec<SavedMember>) -> Result<(), RunError> {
        members.reserve_exact(self.program.own.len());
        for &index in &self.program.own {
            let saved = self.save_one(index);
            members.push(saved.map_err(|error| self.state_failed(index, StateCall::Save, error))?);
        }
        for (&index, saved) in self.program.own.iter().zip(&*members) {
            if self.fidelity(index) == Fidelity::Repeatable {
                self.restore_one(index, saved)
                    .map_err(|error| self.state_failed(index, StateCall::Restore, error))?;
            }
        }
        Ok(())
    }

    fn fidelity(&self, component: usize) -> Fidelity {
        self.models[component].description().capabilities.fidelity
    }

    fn save_one(&self, index: usize) -> CallResult<SavedMember> {
        if self.fidelity(index) == Fidelity::None {
            let reason = "it was found to go on differently each time it is restored";
            let status = CallStatus::Refused(reason.to_owned());
            return Err(CallError::new("save its state", status));
        }
        let home = self.program.homes[index];
        let mut lane = self.pool.lane(home.lane);
        let member = &mut lane.members[home.member as usize];
        let state = member.instance.save()?;
        let (next_event, arrival) = (member.next_event, member.arrival);
        Ok(SavedMember { state, next_event, arrival, in_event_mode: member.in_event_mode })
    }

    fn restore_members(&self, members: &[SavedMember]) -> Result<(), RunError> {
        for (&index, saved) in self.program.own.iter().zip(members) {
            self.restore_one(index, saved)
                .map_err(|error| self.state_failed(index, StateCall::Restore, error))?;
        }
        Ok(())
    }

    fn restore_one(&self, index: usize, saved: &SavedMember) -> CallResult<()> {
        let home = self.program.homes[index];
        let mut lane = self.pool.lane(home.lane);
        let member = &mut lane.members[home.member as usize];
        member.next_event = saved.next_event;
        member.arrival = saved.arrival;
        member.in_event_mode = saved.in_event_mode;
        member.instance.restore(&saved.state)
    }

    #[cold]
    fn state_failed(&self, index: usize, call: StateCall, error: Box<CallError>) -> RunError {
        let component = self.system.components[index].name.clone();
        RunError::State { component, tag: self.tag, call, error }
    }

    /// What a step that failed left behind.
    fn forget_failure(&mut self) {
        self.phase = Phase::Present;
        self.negotiates = false;
        self.remarkable = false;
        self.ticked.clear();
        for index in 0..self.pool.len() {
            let mut lane = self.pool.lane(index);
            lane.orders.clear();
            lane.taken.clear();
            (lane.trouble, lane.remarkable) = (None, false);
        }
    }

    fn save_values(&self, tape: &mut Tape) {
        tape.push_bank(&self.program.shared);
        for index in 0..self.pool.len() {
            tape.push_bank(&self.pool.lane(index).bank);
        }
        for (_, seen) in self.eventful.iter().flat_map(|eventful| &eventful.discrete) {
            tape.push(seen.view());
        }
    }

    fn restore_values(&mut self, tape: &Tape) {
        let mut playback = Playback::new(tape);
        playback.fill_bank(&mut self.program.shared);
        for index in 0..self.pool.len() {
            playback.fill_bank(&mut self.pool.lane(index).bank);
        }
        for (_, seen) in self.eventful.iter_mut().flat_map(|eventful| &mut eventful.discrete) {
            playback.fill(seen);
        }
    }

    /// How many values of each type a snapshot of this run has.
    fn value_counts(&self) -> [usize; 15] {
        let mut counts = self.program.shared.lengths();
        let mut add = |more: [usize; 15]| {
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        };
        for index in 0..self.pool.len() {
            add(self.pool.lane(index).bank.lengths());
        }
        for (_, seen) in self.eventful.iter().flat_map(|eventful| &eventful.discrete) {
            counts[seen.value_type() as usize] += seen.len();
        }
        counts
    }

    fn check_shape(&self, snapshot: &RunSnapshot) -> Result<(), RunError> {
        let no = |reason| Err(RunError::ForeignSnapshot { reason });
        let watches = self.observer.is_some();
        if snapshot.members.len() != self.program.own.len()
            || snapshot.values.lengths() != self.value_counts()
            || snapshot.hashes.len() != self.hashes.states().len()
            || snapshot.integrations.len() != self.integrations.len()
        {
            return no("it is of another system");
        }
        let is_like_ours = snapshot.rates.len() == self.rates.list.len()
            && snapshot.slopes.len() == self.program.slopes.len()
            && self.interventions.fit(&snapshot.progress, &snapshot.targets);
        match is_like_ours {
            false => no("it is of another plan, or has other interventions"),
            true if watches && snapshot.observer.is_none() => no("nobody observed the run then"),
            true => Ok(()),
        }
    }

    /// Whoever is integrated together has as many states as their integration.
    fn check_integrations(&self) -> Result<(), RunError> {
        for (group, integration) in self.program.groups.iter().zip(&self.integrations) {
            let mut sizes = Sizes::default();
            for component in group {
                let home = self.program.homes[component.index()];
                let mut lane = self.pool.lane(home.lane);
                let member = &mut lane.members[home.member as usize];
                let (instance, _) = member.instance.joined().expect("groups have joined");
                let own = instance.sizes();
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
