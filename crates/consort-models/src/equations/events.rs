//! What happens at once: conditions that become true, the queue of what is due, and the next event that
//! is known ahead.

use super::state::{State, Waiting};
use super::work::{EventRooms, Work};
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, ContinuousEvent};
use consort_equations::equations::CompiledEvent;
use consort_equations::{Equations, EventTarget};
use std::cmp::Ordering;

/// More executions at one instant have no end.
const EXECUTIONS_MAX: u32 = 10_000;
/// More events than this without progress switch something back and forth.
const EVENTS_WITHOUT_PROGRESS_MAX: u64 = 1_000;
/// Progress is at least this part of the time since the start,
const PROGRESS_FRACTION_MIN: f64 = 1e-9;
/// and at least this long, in seconds: near the start doubles are finer.
const PROGRESS_TIME_MIN: f64 = 1e-15;

/// What the handling of an event reads and changes.
pub(super) struct EventMoment<'a> {
    pub(super) equations: &'a Equations,
    pub(super) state: &'a mut State,
    pub(super) work: &'a mut Work,
    /// How long delays are, as far as that is settled.
    pub(super) durations: &'a [Option<f64>],
}

impl EventMoment<'_> {
    /// The first look at conditions: those that count as false before and are true now fire.
    pub(super) fn begin(&mut self) -> CallResult<()> {
        let equations = self.equations;
        for (index, event) in equations.events.iter().enumerate() {
            let holds = self.holds(index);
            self.state.held[index] = holds;
            if holds && !event.initially {
                self.fire(index)?;
            }
        }
        Ok(())
    }

    /// Everything that happens now, in one microstep: the first if time is where no event was handled
    /// yet. There time is what it is; in those that follow it is more than every instant up to now.
    pub(super) fn update(&mut self) -> CallResult<ContinuousEvent> {
        if !std::mem::take(&mut self.state.is_first) {
            self.count()?;
        }
        let arrived = self.arrived();
        let fired = self.state.fired;
        self.state.is_first = self.state.last_event.to_bits() != self.state.time.to_bits();
        (self.state.last_event, self.state.is_still) = (self.state.time, true);
        let (states_changed, has_executed) = self.run_queue()?;
        self.expect_solutions()?;
        let is_own = has_executed || fired < self.state.fired;
        self.follow(arrived.filter(|_| !is_own).unwrap_or(0));
        self.state.next_event = self.next_event();
        let next_event = Some(self.state.next_event).filter(|next| next.is_finite());
        let again = self.state.is_first && self.is_instant();
        self.state.is_first = again;
        Ok(ContinuousEvent { next_event, states_changed, again, ..ContinuousEvent::default() })
    }

    /// Executes what fires and is due until nothing is; whether a state has changed, and whether there was
    /// anything.
    fn run_queue(&mut self) -> CallResult<(bool, bool)> {
        let (mut states_changed, mut has_executed) = (false, false);
        self.look()?;
        for count in 0.. {
            let Some(next) = self.next_due() else { break };
            let waiting = self.state.queue.remove(next);
            if EXECUTIONS_MAX <= count {
                return Err(self.endless(waiting.event));
            }
            states_changed |= self.execute(waiting);
            has_executed = true;
            self.look()?;
        }
        Ok((states_changed, has_executed))
    }

    /// Whether time is an instant that it is compared with.
    fn is_instant(&mut self) -> bool {
        let (state, instants) = (&*self.state, &self.equations.programs.instants);
        let instants = self.work.instants.compute(instants, state);
        instants.iter().any(|it| *it <= state.time && state.time <= *it)
    }

    /// Through how many delays that has come which arrives now, if nothing else is due by the clock.
    fn arrived(&mut self) -> Option<u64> {
        let generation = self.state.breaks.take_due(self.state.time)?;
        (!self.is_instant()).then_some(generation)
    }

    /// What happens now arrives again after each delay.
    fn follow(&mut self, generation: u64) {
        let State { breaks, time, .. } = &mut *self.state;
        breaks.follow(*time, generation, self.durations.iter().flatten().copied());
    }

    /// Refuses events that follow each other so closely that time stands still.
    fn count(&mut self) -> CallResult<()> {
        let State { start, time, without_progress: (since, count), .. } = &mut *self.state;
        if (PROGRESS_FRACTION_MIN * (*time - *start)).max(PROGRESS_TIME_MIN) < *time - *since {
            (*since, *count) = (*time, 0);
        }
        *count += 1;
        if *count <= EVENTS_WITHOUT_PROGRESS_MAX {
            return Ok(());
        }
        let changes =
            (0..self.equations.events.len()).find(|at| self.holds(*at) != self.state.held[*at]);
        let which = changes.map_or("something".to_owned(), |at| condition(self.equations, at));
        let reason = format!(
            "events follow each other without end: {which} changes back and forth; give it a hysteresis, or a \
             state of its own"
        );
        Err(self.refuse(reason))
    }

    /// Looks at all conditions: those that have become true fire, those that have become false take back
    /// what does not persist.
    fn look(&mut self) -> CallResult<()> {
        let events = &self.equations.events;
        for (event, rooms) in events.iter().zip(&mut self.work.events) {
            rooms.condition.compute(&event.condition, self.state);
        }
        for (index, event) in events.iter().enumerate() {
            let holds = is_true(&self.work.events[index]);
            let held = std::mem::replace(&mut self.state.held[index], holds);
            match (held, holds) {
                (false, true) => self.fire(index)?,
                (true, false) if !event.persistent => self.take_back(index),
                _ => {}
            }
        }
        Ok(())
    }

    fn holds(&mut self, index: usize) -> bool {
        let rooms = &mut self.work.events[index];
        rooms.condition.compute(&self.equations.events[index].condition, self.state);
        is_true(rooms)
    }

    /// Puts an event into the queue.
    fn fire(&mut self, index: usize) -> CallResult<()> {
        let event = &self.equations.events[index];
        let delay = self.delay(index)?;
        let mut values = self.work.spare.pop().unwrap_or_default();
        if event.values_from_trigger {
            let rooms = &mut self.work.events[index];
            values.extend(rooms.assignments.compute(&event.assignments, self.state));
        }
        let state = &mut *self.state;
        let (due, sequence) = (state.time + delay, state.fired);
        state.fired += 1;
        state.queue.push(Waiting { due, event: index, sequence, values });
        Ok(())
    }

    fn delay(&mut self, index: usize) -> CallResult<f64> {
        let (event, rooms) = (&self.equations.events[index], &mut self.work.events[index]);
        let Some((program, room)) = event.delay.as_ref().zip(rooms.delay.as_mut()) else {
            return Ok(0.0);
        };
        let delay = room.compute(program, self.state)[0];
        if 0.0 <= delay {
            return Ok(delay);
        }
        let name = title(event, index);
        Err(self.refuse(format!("the delay of {name} is {delay} s")))
    }

    fn take_back(&mut self, index: usize) {
        let spare = &mut self.work.spare;
        self.state.queue.retain_mut(|waiting| {
            let stays = waiting.event != index;
            if !stays {
                spare.push(emptied(std::mem::take(&mut waiting.values)));
            }
            stays
        });
    }

    /// The place in the queue of what comes first of all that is due.
    fn next_due(&mut self) -> Option<usize> {
        if !self.state.is_due() {
            return None;
        }
        for (event, rooms) in self.equations.events.iter().zip(&mut self.work.events) {
            if let Some((program, room)) = event.priority.as_ref().zip(rooms.priority.as_mut()) {
                room.compute(program, self.state);
            }
        }
        let priority = |waiting: &Waiting| {
            let room = self.work.events[waiting.event].priority.as_ref();
            let value = room.map_or(f64::NEG_INFINITY, |room| room.known()[0]);
            if value.is_nan() { f64::NEG_INFINITY } else { value }
        };
        let order = |(_, a): &(usize, &Waiting), (_, b): &(usize, &Waiting)| -> Ordering {
            let first = priority(b).total_cmp(&priority(a)).then(a.due.total_cmp(&b.due));
            first.then(a.event.cmp(&b.event)).then(a.sequence.cmp(&b.sequence))
        };
        let State { queue, time, prng, .. } = &mut *self.state;
        let due = || queue.iter().enumerate().filter(|(_, waiting)| waiting.due <= *time);
        let first = due().min_by(order)?;
        let is_tied = |(_, other): &(usize, &Waiting)| {
            priority(other) >= priority(first.1) && other.due <= first.1.due
        };
        let tied = || due().filter(is_tied);
        // Those of infinite priority are made by the reader and have their order.
        match (prng, tied().count()) {
            (Some(prng), count @ 2..) if priority(first.1) < f64::INFINITY => {
                let drawn = prng.below(count as u64);
                tied().nth(drawn as usize).map(|(place, _)| place)
            }
            _ => Some(first.0),
        }
    }

    /// Assigns what an event has to assign; whether a state has changed.
    fn execute(&mut self, waiting: Waiting) -> bool {
        let Waiting { event: index, mut values, .. } = waiting;
        let event = &self.equations.events[index];
        if !event.values_from_trigger {
            let rooms = &mut self.work.events[index];
            values.extend(rooms.assignments.compute(&event.assignments, self.state));
        }
        let mut states_changed = false;
        for (target, value) in event.targets.iter().zip(&values) {
            match *target {
                EventTarget::State(at) => {
                    let old = std::mem::replace(&mut self.state.states[at], *value);
                    states_changed |= old.to_bits() != value.to_bits();
                }
                EventTarget::Discrete(at) => self.state.discretes[at] = *value,
            }
        }
        self.work.spare.push(emptied(values));
        states_changed
    }

    /// When the next event that is known ahead is due.
    fn next_event(&mut self) -> f64 {
        let state = &*self.state;
        let instants = self.work.instants.compute(&self.equations.programs.instants, state);
        let due = state.queue.iter().map(|waiting| waiting.due);
        let due = due.chain([state.breaks.next()]).chain(instants.iter().copied());
        let later = due.filter(|time| state.time < *time);
        later.fold(f64::INFINITY, f64::min)
    }

    /// Refuses to continue where equations have no solution, rather than at the next derivative.
    fn expect_solutions(&self) -> CallResult<()> {
        let missing = self.equations.determined().find(|state| self.state.states[*state].is_nan());
        let Some(state) = missing else { return Ok(()) };
        let quantity = &self.equations.states[state];
        Err(self.refuse(format!(
            "`{}` ({}) has no value: its equations have no solution, or reactions would leave it at the least \
             disturbance; start them elsewhere, or make fast reactions slow ones with large rates",
            quantity.name, quantity.description
        )))
    }

    fn endless(&self, index: usize) -> Box<CallError> {
        let name = title(&self.equations.events[index], index);
        self.refuse(format!("events bring about each other without end, the last is {name}"))
    }

    fn refuse(&self, reason: String) -> Box<CallError> {
        let arguments = format!("t = {}", self.state.time);
        let status = CallStatus::Refused(reason);
        Box::new(CallError { call: "handle events", arguments, status, log: Vec::new() })
    }
}

fn is_true(rooms: &EventRooms) -> bool {
    rooms.condition.known()[0] != 0.0
}

fn emptied(mut values: Vec<f64>) -> Vec<f64> {
    values.clear();
    values
}

/// The condition of an event, for a message.
pub(super) fn condition(equations: &Equations, index: usize) -> String {
    format!("the condition of {}", title(&equations.events[index], index))
}

/// An event by its name, or its place in the text.
fn title(event: &CompiledEvent, index: usize) -> String {
    match &event.name[..] {
        "" => format!("event {} of the model", index + 1),
        name => format!("the event `{name}`"),
    }
}
