//! A lane: instances that run one after another, with their own copy of the values they need.

use crate::error::RunError;
use crate::exchange::{self, CopyOp};
use crate::store::Bank;
use consort_core::model::stepping::{self, Arrival, StepContext, Stopped};
use consort_core::model::{Batch, CallResult, WholeStep};
use consort_core::{
    CallError, ComponentId, Instance, Reference, Resolution, SavedState, Step, StepOutcome, Tag,
    Time, ValueType, Values, ValuesRef,
};
use std::ops::Range;

/// A call into an instance, or values that move between instances of a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LaneOp {
    /// Set, step, and get what lies at other places, in one call.
    Whole(Whole),
    /// The same for the common case that one batch of doubles is set, and one that lies behind is read.
    Floats {
        member: u32,
        inputs: Batch,
        outputs: Batch,
    },
    Set(CallBatch),
    Get(CallBatch),
    Step(u32),
    /// A step of a member that uses event mode, or whose steps are logged.
    CarefulStep(u32),
    /// Set the first derivatives of some inputs.
    Slope(CallBatch),
    /// Values move along connections between members, as they are.
    Move(LaneMoves),
    /// A value moves along a connection: an index into [`Lane::copies`].
    Copy(u32),
}

/// Values of one type that move: a range of [`Lane::moved`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneMoves {
    pub(crate) value_type: ValueType,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A whole step of a member: ranges of [`Lane::batches`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    member: u32,
    sets_at: u32,
    gets_at: u32,
    end: u32,
}

/// A batch of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallBatch {
    /// Index into [`Lane::members`].
    pub(crate) member: u32,
    pub(crate) batch: Batch,
}

impl LaneOp {
    fn member(self) -> u32 {
        use LaneOp::{CarefulStep, Copy, Floats, Get, Move, Set, Slope, Step, Whole};
        match self {
            Set(call) | Get(call) | Slope(call) => call.member,
            Whole(whole) => whole.member,
            Step(member) | CarefulStep(member) | Floats { member, .. } => member,
            Move(_) | Copy(_) => unreachable!("moving values does not fail"),
        }
    }
}

impl Whole {
    /// Makes one call of the operations from `start` on if they are but setting, a step and reading. What is set and
    /// what is read are not at the same places: inputs are never read.
    pub(crate) fn join(lane: &mut Lane, start: usize) {
        let operations = &lane.operations[start..];
        let is_set = |it: &&LaneOp| matches!(it, LaneOp::Set(_));
        let sets = operations.iter().take_while(is_set).count();
        let Some(LaneOp::Step(member)) = operations.get(sets).copied() else { return };
        if !operations[sets + 1..].iter().all(|it| matches!(it, LaneOp::Get(_))) {
            return;
        }
        if let [LaneOp::Set(set), LaneOp::Step(_), LaneOp::Get(get)] = operations
            && let (inputs, outputs) = (set.batch, get.batch)
            && [inputs, outputs].iter().all(|it| it.value_type == ValueType::Float64)
            && inputs.range().end <= outputs.range().start
        {
            lane.operations.truncate(start);
            lane.operations.push(LaneOp::Floats { member, inputs, outputs });
            return;
        }
        let batch = |it: &LaneOp| match it {
            LaneOp::Set(call) | LaneOp::Get(call) => Some(call.batch),
            _ => None,
        };
        let at = |index: usize| u32::try_from(index).expect("batches fit in 32 bits");
        let sets_at = lane.batches.len();
        lane.batches.extend(operations.iter().filter_map(batch));
        let (gets_at, end) = (at(sets_at + sets), at(lane.batches.len()));
        let sets_at = at(sets_at);
        lane.operations.truncate(start);
        lane.operations.push(LaneOp::Whole(Whole { member, sets_at, gets_at, end }));
    }

    #[inline]
    fn calls<'a>(
        &self,
        batches: &'a [Batch],
        references: &'a [Reference],
        step: &'a Step,
    ) -> WholeStep<'a> {
        let (sets_at, gets_at) = (self.sets_at as usize, self.gets_at as usize);
        let (sets, gets) = batches[sets_at..self.end as usize].split_at(gets_at - sets_at);
        WholeStep { sets, step, gets, references }
    }
}

/// Why the fast path stopped.
enum FastPathExit {
    /// A call failed.
    Failed(Box<CallError>),
    /// A step did not simply come to its end.
    Step(StepOutcome),
    /// The operation takes more than one call.
    Operation,
}

/// An instance in its lane.
pub(crate) struct Member {
    pub(crate) component: ComponentId,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) event_mode: bool,
    /// The instance is in event mode right now.
    pub(crate) in_event_mode: bool,
    pub(crate) next_event: Option<Time>,
    /// Where the last step led, if that is more than its end.
    pub(crate) arrival: Option<Arrival>,
}

impl Member {
    /// The instance as it is.
    pub(crate) fn save(&mut self) -> CallResult<SavedMember> {
        let state = self.instance.save()?;
        let Member { next_event, arrival, in_event_mode, .. } = *self;
        Ok(SavedMember { state, next_event, arrival, in_event_mode })
    }

    /// Goes back to what was saved.
    pub(crate) fn restore(&mut self, saved: &SavedMember) -> CallResult<()> {
        self.next_event = saved.next_event;
        self.arrival = saved.arrival;
        self.in_event_mode = saved.in_event_mode;
        self.instance.restore(&saved.state)
    }
}

/// An instance as it was.
pub(crate) struct SavedMember {
    pub(crate) state: SavedState,
    pub(crate) next_event: Option<Time>,
    pub(crate) arrival: Option<Arrival>,
    pub(crate) in_event_mode: bool,
}

/// A step that was taken, for the call log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TakenStep {
    pub(crate) component: ComponentId,
    pub(crate) step: Step,
    pub(crate) outcome: StepOutcome,
}

/// A share of work: which operations, and the step they may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) step: Step,
    /// A step that does not come to its end is rejected, so that a shorter one can be tried.
    pub(crate) allows_step_rejection: bool,
}

/// A step that an instance did not take to its end.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Rejection {
    /// The time that was reached.
    pub(crate) reached: Time,
    pub(crate) component: ComponentId,
    /// It refused, instead of stopping where something happens.
    pub(crate) refused: bool,
    /// The error of the call, if there was one.
    pub(crate) error: Option<Box<CallError>>,
}

/// Why a lane could not continue.
pub(crate) enum LaneError {
    Failed(ComponentId, RunError),
    Rejected(Rejection),
}

/// Instances that run one after another.
pub(crate) struct Lane {
    pub(crate) members: Vec<Member>,
    pub(crate) bank: Bank,
    pub(crate) references: Vec<Reference>,
    /// What whole steps set and get.
    pub(crate) batches: Vec<Batch>,
    pub(crate) operations: Vec<LaneOp>,
    /// Connections between members that hand over while the lane works: from where to where.
    pub(crate) moved: Vec<(u32, u32)>,
    /// The same for those that take more than moving one value.
    pub(crate) copies: Vec<CopyOp>,
    /// What to do next; empty again when it is done.
    pub(crate) orders: Vec<Order>,
    pub(crate) resolution: Resolution,
    /// Why it could not continue, if it could not.
    pub(crate) error: Option<Box<LaneError>>,
    pub(crate) log_calls: bool,
    pub(crate) taken: Vec<TakenStep>,
    /// Some member's `arrival` is set.
    pub(crate) has_event_or_end: bool,
    /// Names for messages; the hot path never looks.
    pub(crate) names: Vec<String>,
}

impl Lane {
    /// Forgets what work that failed left behind.
    pub(crate) fn forget_failure(&mut self) {
        self.orders.clear();
        self.taken.clear();
        (self.error, self.has_event_or_end) = (None, false);
    }

    /// Does this lane's share of the work.
    pub(crate) fn work(&mut self) {
        for index in 0..self.orders.len() {
            if !self.carry_out(self.orders[index]) {
                break;
            }
        }
        self.orders.clear();
    }

    /// False if the lane cannot continue.
    fn carry_out(&mut self, order: Order) -> bool {
        let Order { mut start, end, .. } = order;
        while let Some((index, exit)) = self.fast_path(start..end, &order.step) {
            if !self.handle_exit(index, exit, &order) {
                return false;
            }
            start = index + 1;
        }
        true
    }

    /// The fast path: runs operations until one fails, takes more than one call, or a step does not
    /// come to its end.
    #[inline]
    fn fast_path(&mut self, range: Range<usize>, step: &Step) -> Option<(usize, FastPathExit)> {
        let Lane { members, bank, references, batches, operations, moved, copies, .. } = self;
        let (operations, mut index) = (&operations[..range.end], range.start);
        while let Some(operation) = operations.get(index) {
            let result = match operation {
                LaneOp::Whole(whole) => {
                    let calls = whole.calls(batches, references, step);
                    let instance = &mut members[whole.member as usize].instance;
                    match instance.step_whole(&calls, bank.columns_mut()) {
                        Ok(None) => Ok(()),
                        Ok(Some(outcome)) => return Some((index, FastPathExit::Step(outcome))),
                        Err(error) => Err(error),
                    }
                }
                LaneOp::Floats { member, inputs, outputs } => {
                    let [Values::Float64(floats), ..] = bank.columns_mut() else {
                        unreachable!("Float64 is the first of the value types")
                    };
                    let (given, read) = floats.split_at_mut(outputs.at as usize);
                    let given = (inputs.of(references), &given[inputs.range()]);
                    let read = (outputs.of(references), &mut read[..outputs.count as usize]);
                    match members[*member as usize].instance.set_step_get(given, step, read) {
                        Ok(None) => Ok(()),
                        Ok(Some(outcome)) => return Some((index, FastPathExit::Step(outcome))),
                        Err(error) => Err(error),
                    }
                }
                LaneOp::Step(member) => match members[*member as usize].instance.step(step) {
                    Ok(outcome) if outcome.is_plain(step) => Ok(()),
                    Ok(outcome) => return Some((index, FastPathExit::Step(outcome))),
                    Err(error) => Err(error),
                },
                LaneOp::Set(CallBatch { member, batch }) => {
                    let values = batch.values(bank.columns());
                    members[*member as usize].instance.set(batch.of(references), values)
                }
                LaneOp::Get(CallBatch { member, batch }) => {
                    let values = batch.values_mut(bank.columns_mut());
                    members[*member as usize].instance.get(batch.of(references), values)
                }
                LaneOp::Move(LaneMoves { value_type, start, end }) => {
                    let places = &moved[*start as usize..*end as usize];
                    exchange::move_scalars(bank.column_mut(*value_type), places);
                    Ok(())
                }
                LaneOp::Copy(index) => {
                    exchange::copy(bank, &copies[*index as usize]);
                    Ok(())
                }
                LaneOp::CarefulStep(_) | LaneOp::Slope(_) => {
                    return Some((index, FastPathExit::Operation));
                }
            };
            if let Err(error) = result {
                return Some((index, FastPathExit::Failed(error)));
            }
            index += 1;
        }
        None
    }

    /// Completes the operation that ended the fast path; false if the lane cannot continue.
    fn handle_exit(&mut self, index: usize, exit: FastPathExit, order: &Order) -> bool {
        let operation = self.operations[index];
        let step = &order.step;
        match (exit, operation) {
            (FastPathExit::Failed(error), _) => self.fail(operation.member(), step.from, error),
            (FastPathExit::Step(outcome), LaneOp::Whole(whole)) => {
                self.finish_step(whole.member, order, outcome) && self.read_all(whole, step)
            }
            (FastPathExit::Step(outcome), LaneOp::Floats { member, outputs, .. }) => {
                let read = CallBatch { member, batch: outputs };
                self.finish_step(member, order, outcome) && self.read(read, step)
            }
            (FastPathExit::Step(outcome), _) => {
                self.finish_step(operation.member(), order, outcome)
            }
            (FastPathExit::Operation, LaneOp::CarefulStep(member))
                if order.allows_step_rejection =>
            {
                self.single_step(member, order)
            }
            (FastPathExit::Operation, LaneOp::CarefulStep(member)) => {
                self.careful_step(member, step)
            }
            (FastPathExit::Operation, LaneOp::Slope(slope)) => match self.slope(slope) {
                Ok(()) => true,
                Err(error) => self.fail(slope.member, step.from, error),
            },
            (FastPathExit::Operation, _) => unreachable!("the fast path does all others"),
        }
    }

    /// The rest of a whole step; false if the lane cannot continue.
    fn read_all(&mut self, whole: Whole, step: &Step) -> bool {
        let member = whole.member;
        (whole.gets_at..whole.end)
            .all(|at| self.read(CallBatch { member, batch: self.batches[at as usize] }, step))
    }

    fn read(&mut self, call: CallBatch, step: &Step) -> bool {
        match self.get(call) {
            Ok(()) => true,
            Err(error) => self.fail(call.member, step.from, error),
        }
    }

    /// The earliest end that a member asks for; of several, the first component's.
    pub(crate) fn asked_to_end(&self) -> Option<(Time, ComponentId)> {
        let asked = self.members.iter().filter_map(|member| {
            let arrival = member.arrival.filter(|arrival| arrival.terminate)?;
            Some((arrival.reached, member.component))
        });
        asked.min()
    }

    pub(crate) fn set(&mut self, CallBatch { member, batch }: CallBatch) -> CallResult<()> {
        let (references, values) = (batch.of(&self.references), batch.values(self.bank.columns()));
        self.members[member as usize].instance.set(references, values)
    }

    pub(crate) fn get(&mut self, CallBatch { member, batch }: CallBatch) -> CallResult<()> {
        let references = batch.of(&self.references);
        let values = batch.values_mut(self.bank.columns_mut());
        self.members[member as usize].instance.get(references, values)
    }

    /// First derivatives lie in the bank like values; the order of each is 1.
    fn slope(&mut self, CallBatch { member, batch }: CallBatch) -> CallResult<()> {
        const FIRST_ORDER: [i32; 64] = [1; 64];
        let references = batch.of(&self.references);
        let ValuesRef::Float64(values) = batch.values(self.bank.columns()) else {
            unreachable!("slopes are compiled for Float64 only")
        };
        let instance = &mut self.members[member as usize].instance;
        let chunks = references.chunks(FIRST_ORDER.len()).zip(values.chunks(FIRST_ORDER.len()));
        for (references, values) in chunks {
            instance.set_input_derivatives(references, &FIRST_ORDER[..values.len()], values)?;
        }
        Ok(())
    }

    /// A step that did not simply come to its end.
    #[cold]
    fn finish_step(&mut self, index: u32, order: &Order, outcome: StepOutcome) -> bool {
        use consort_core::StepReason::{Complete, Discard, EarlyReturn, Event, Terminate};
        let step = &order.step;
        let (reached, next_event) = (outcome.reached, outcome.next_event);
        match outcome.reason {
            Complete | Event | EarlyReturn
                if stepping::is_whole(step, &outcome, self.resolution) =>
            {
                let event = outcome.reason == Event;
                self.arrive(index, Arrival { reached, event, terminate: false, next_event })
            }
            Terminate => {
                self.arrive(index, Arrival { reached, event: false, terminate: true, next_event })
            }
            Discard => {
                let error = self.members[index as usize].instance.take_discarded();
                match order.allows_step_rejection {
                    true => self.reject(index, reached, true, error),
                    // It keeps the time it reached, and continues from there while the others wait.
                    false if stepping::has_moved(step, &outcome, self.resolution) => {
                        self.resume(index, step, &outcome)
                    }
                    false => self.stop(index, step, Stopped::Discarded { reached, error }),
                }
            }
            Complete | Event | EarlyReturn if order.allows_step_rejection && reached < step.to => {
                self.reject(index, reached, false, None)
            }
            Complete | Event | EarlyReturn => self.resume(index, step, &outcome),
        }
    }

    fn arrive(&mut self, index: u32, arrival: Arrival) -> bool {
        let member = &mut self.members[index as usize];
        if member.event_mode {
            member.next_event = arrival.next_event;
        }
        member.arrival = Some(arrival);
        self.has_event_or_end |= arrival.event || arrival.terminate;
        true
    }

    fn reject(
        &mut self,
        index: u32,
        reached: Time,
        refused: bool,
        error: Option<Box<CallError>>,
    ) -> bool {
        let component = self.members[index as usize].component;
        let rejection = Rejection { reached, component, refused, error };
        self.error = Some(Box::new(LaneError::Rejected(rejection)));
        false
    }

    /// One call for one step, whatever comes of it; the attempt handles what happens on the way.
    fn single_step(&mut self, index: u32, order: &Order) -> bool {
        use consort_core::StepReason::{Complete, Event};
        let member = &mut self.members[index as usize];
        let (step, component, expected) = (order.step, member.component, member.next_event);
        let mut outcome = match member.instance.step(&step) {
            Ok(outcome) => outcome,
            Err(error) => return self.fail(index, step.from, error),
        };
        if self.log_calls {
            self.taken.push(TakenStep { component, step, outcome });
        }
        let is_announced = member.event_mode && expected == Some(step.to);
        if is_announced && outcome.reason == Complete && outcome.reached == step.to {
            outcome.reason = Event;
        }
        let later = expected.filter(|&event| outcome.reached < event);
        outcome.next_event = outcome.next_event.or(later);
        self.finish_step(index, order, outcome)
    }

    /// Continues after an early return that was not asked for.
    fn resume(&mut self, index: u32, step: &Step, outcome: &StepOutcome) -> bool {
        let place = stepping::Place::of(outcome, self.resolution);
        let rest = stepping::rest_of(step, place, None, self.resolution);
        self.careful_step(index, &rest)
    }

    fn careful_step(&mut self, index: u32, step: &Step) -> bool {
        let member = &mut self.members[index as usize];
        let context = StepContext {
            resolution: self.resolution,
            event_mode: member.event_mode,
            next_event: member.next_event,
        };
        let (taken, log, component) = (&mut self.taken, self.log_calls, member.component);
        let note = |step: &Step, outcome: &StepOutcome| {
            if log {
                taken.push(TakenStep { component, step: *step, outcome: *outcome });
            }
        };
        match stepping::take_step(member.instance.as_mut(), step, &context, note) {
            Ok(arrival) => {
                member.next_event = arrival.next_event;
                member.arrival = Some(arrival);
                self.has_event_or_end |= arrival.event || arrival.terminate;
                true
            }
            Err(stopped) => self.stop(index, step, stopped),
        }
    }

    #[cold]
    fn stop(&mut self, index: u32, step: &Step, stopped: Stopped) -> bool {
        let component = self.members[index as usize].component;
        let error = run_error(stopped, self.names[index as usize].clone(), step);
        self.error = Some(Box::new(LaneError::Failed(component, error)));
        false
    }

    #[cold]
    fn fail(&mut self, index: u32, tag: Tag, error: Box<CallError>) -> bool {
        let name = self.names[index as usize].clone();
        let error = RunError::Call { component: name, tag, error };
        let component = self.members[index as usize].component;
        self.error = Some(Box::new(LaneError::Failed(component, error)));
        false
    }
}

fn run_error(stopped: Stopped, component: String, step: &Step) -> RunError {
    match stopped {
        Stopped::Call(error) => RunError::Call { component, tag: step.from, error },
        Stopped::Discarded { reached, error } => {
            RunError::Discarded { component, tag: step.from, to: step.to, reached, error }
        }
        Stopped::NoProgress { at, tries } => RunError::NoProgress { component, at, tries },
    }
}

impl LaneError {
    /// Of what went wrong in several lanes one counts: the failure of the first component or, if
    /// none failed, the earliest rejection.
    pub(crate) fn comes_before(&self, other: &LaneError) -> bool {
        let key = |error: &LaneError| match error {
            LaneError::Failed(component, _) => (None, *component),
            LaneError::Rejected(it) => (Some(it.reached), it.component),
        };
        key(self) < key(other)
    }
}
