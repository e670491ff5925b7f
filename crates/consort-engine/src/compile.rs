//! From a plan to a program: every name becomes a place in a bank, every operation a batched call.

mod lanes;
mod layout;

use crate::exchange::{CopyOp, Exchange, SlopeOp};
use crate::lane::{Batch, Lane, LaneOp, Member};
use crate::store::{Bank, Segment, Slot};
use crate::timing::Rates;
use consort_core::{
    ComponentId, ConnectionId, Instance, ModelDescription, Reference, ValueType, VariableId,
};
use consort_system::{Hold, Operation, Plan, ResolvedConnection, ResolvedSystem, Stage, Task};
use layout::Layout;

/// Where a component's instance lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub(crate) lane: usize,
    pub(crate) member: u32,
}

/// A compiled plan, but for the lanes themselves.
pub(crate) struct Program {
    /// The values components share, as of the present tag.
    pub(crate) shared: Bank,
    /// By component.
    pub(crate) homes: Vec<Home>,
    /// By component: where its variables are, in the shared bank and in its lane's.
    pub(crate) places: Vec<Vec<Option<Segment>>>,
    /// By lane and rate: what a lane is given before it works, and what it gives back after.
    pub(crate) scatter: Vec<Vec<Vec<Segment>>>,
    pub(crate) gather: Vec<Vec<Vec<Segment>>>,
    /// By connection.
    pub(crate) copies: Vec<CopyOp>,
    /// By component: the connections that start there.
    pub(crate) outgoing: Vec<Vec<ConnectionId>>,
    /// By rate of the source.
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) slopes: Vec<Vec<SlopeOp>>,
    /// By component: inputs that are given, variables that are read, in description order.
    pub(crate) inputs: Vec<Vec<VariableId>>,
    pub(crate) observed: Vec<Vec<VariableId>>,
    /// Recorded variables that do not change by stepping: read once.
    pub(crate) once: Vec<Vec<VariableId>>,
    /// Components with a clock that ticks whenever they are due.
    pub(crate) ticks: Vec<(ComponentId, VariableId)>,
}

/// What is compiled, together.
pub(crate) struct Source<'a> {
    pub(crate) system: &'a ResolvedSystem,
    pub(crate) plan: &'a Plan,
    pub(crate) models: &'a [&'a ModelDescription],
    pub(crate) rates: &'a Rates,
    pub(crate) log_calls: bool,
}

impl Source<'_> {
    pub(crate) fn compile(&self, instances: Vec<Box<dyn Instance>>) -> (Program, Vec<Lane>) {
        let tasks = self.tasks();
        let layout = Layout::of(self, tasks);
        let assignment = lanes::assign(self);
        let mut program = layout.place(self, &assignment);
        let mut lanes = self.lanes(&assignment, instances, &program);
        for (lane, members) in lanes.iter_mut().zip(&assignment) {
            lane.bank = layout::lane_bank(members, &program);
            self.operations(lane, tasks, &mut program);
        }
        (program, lanes)
    }

    /// The tasks of the cycle's work.
    ///
    /// # Panics
    /// If the plan is not one exchange and then one work stage: no other order is made yet.
    fn tasks(&self) -> &[Task] {
        match (&self.plan.present[..], &self.plan.advance[..]) {
            ([Stage::Exchange(_)], [Stage::Work(tasks)]) => tasks,
            _ => panic!("this engine interprets cycles of one exchange and one work stage"),
        }
    }

    fn lanes(
        &self,
        assignment: &[Vec<ComponentId>],
        instances: Vec<Box<dyn Instance>>,
        program: &Program,
    ) -> Vec<Lane> {
        let mut instances: Vec<Option<Box<dyn Instance>>> =
            instances.into_iter().map(Some).collect();
        let mut lanes = Vec::with_capacity(assignment.len());
        for members in assignment {
            let member = |&component: &ComponentId| Member {
                component,
                instance: instances[component.index()].take().expect("each is in one lane"),
                event_mode: self.system.components[component.index()].event_mode,
                in_event_mode: false,
                next_event: None,
                arrival: None,
            };
            let name = |id: &ComponentId| self.system.components[id.index()].name.clone();
            lanes.push(Lane {
                names: members.iter().map(name).collect(),
                members: members.iter().map(member).collect(),
                bank: Bank::new(),
                references: Vec::new(),
                operations: Vec::new(),
                shares: Vec::new(),
                steps: vec![None; self.rates.list.len()],
                resolution: self.system.experiment.resolution,
                failure: None,
                log_calls: self.log_calls,
                taken: Vec::new(),
                remarkable: false,
            });
        }
        assert_eq!(program.homes.len(), self.system.components.len());
        lanes
    }

    /// The lane's share of the work stage: per rate, its members' tasks in id order.
    fn operations(&self, lane: &mut Lane, tasks: &[Task], program: &mut Program) {
        for rate in 0..self.rates.list.len() {
            let start = lane.operations.len();
            for member in 0..lane.members.len() {
                let component = lane.members[member].component;
                if self.rates.of_component[component.index()] == rate {
                    let task = &tasks[component.index()];
                    assert_eq!(task.component, component, "tasks are in id order");
                    self.task(lane, task, program);
                }
            }
            lane.shares.push(start..lane.operations.len());
        }
    }

    fn task(&self, lane: &mut Lane, task: &Task, program: &mut Program) {
        let member = program.homes[task.component.index()].member;
        let start = lane.operations.len();
        for operation in &task.operations {
            match operation {
                Operation::Set(variables) => {
                    let batches = self.batches(lane, task.component, variables, program);
                    lane.operations.extend(batches.into_iter().map(LaneOp::set));
                    self.slopes(lane, task.component, variables, program);
                }
                Operation::Get(variables) => {
                    let batches = self.batches(lane, task.component, variables, program);
                    lane.operations.extend(batches.into_iter().map(LaneOp::get));
                }
                Operation::Step => lane.operations.push(self.step(task.component, member)),
                Operation::Tick(clock) => {
                    let component = &self.system.components[task.component.index()];
                    assert!(component.event_mode, "only event mode knows clocks");
                    program.ticks.push((task.component, *clock));
                }
            }
        }
        LaneOp::join_whole(&mut lane.operations, start);
    }

    fn step(&self, component: ComponentId, member: u32) -> LaneOp {
        let careful = self.log_calls || self.system.components[component.index()].event_mode;
        if careful { LaneOp::CarefulStep(member) } else { LaneOp::Step(member) }
    }

    /// Groups variables into calls: one per type and stretch of places side by side.
    pub(crate) fn batches(
        &self,
        lane: &mut Lane,
        component: ComponentId,
        variables: &[VariableId],
        program: &Program,
    ) -> Vec<Batch> {
        let model = self.models[component.index()];
        let places = &program.places[component.index()];
        batches(lane, program.homes[component.index()].member, variables, model, places)
    }

    /// Inputs that are extrapolated get a place for their slope and a call that hands it over.
    fn slopes(
        &self,
        lane: &mut Lane,
        component: ComponentId,
        variables: &[VariableId],
        program: &mut Program,
    ) {
        if self.models[component.index()].capabilities.input_derivatives_max == 0 {
            return;
        }
        let is_ours = |wire: &&ResolvedConnection| {
            wire.hold == Hold::Extrapolate
                && wire.to.component == component
                && variables.contains(&wire.to.variable)
        };
        for wire in self.system.connections.iter().filter(is_ours) {
            let place = program.places[component.index()][wire.to.variable.index()];
            let input = place.expect("connected inputs have places");
            if input.lane.value_type == ValueType::Float64 && input.lane.count == 1 {
                self.slope(lane, wire, input, program);
            }
        }
    }

    fn slope(
        &self,
        lane: &mut Lane,
        wire: &ResolvedConnection,
        input: Segment,
        program: &mut Program,
    ) {
        let index = wire.to.component.index();
        let home = program.homes[index];
        let lane_slot = lane.bank.reserve(ValueType::Float64, 1);
        let slope = program.shared.reserve(ValueType::Float64, 1);
        let segment = Segment { lane: lane_slot, shared_at: slope.at };
        program.scatter[home.lane][self.rates.of_component[index]].push(segment);
        let source = self.rates.of_component[wire.from.component.index()];
        let period = self.system.experiment.resolution.to_f64(self.rates.list[source].period);
        let input = input.shared();
        program.slopes[source].push(SlopeOp { input, slope, period, last: None });
        let references_at = u32::try_from(lane.references.len()).expect("fits in 32 bits");
        lane.references.push(self.models[index].variables[wire.to.variable.index()].reference);
        let (member, slot) = (home.member, lane_slot);
        lane.operations.push(LaneOp::Slope(Batch { member, slot, references_at, references: 1 }));
    }
}

/// Groups variables of one instance into calls: one per type and stretch side by side.
pub(crate) fn batches(
    lane: &mut Lane,
    member: u32,
    variables: &[VariableId],
    model: &ModelDescription,
    places: &[Option<Segment>],
) -> Vec<Batch> {
    let mut placed: Vec<(Slot, Reference)> = variables
        .iter()
        .map(|id| {
            let place = places[id.index()].expect("whatever is set or read has a place");
            (place.lane, model.variables[id.index()].reference)
        })
        .collect();
    placed.sort_by_key(|(slot, _)| (slot.value_type, slot.at));
    let mut batches: Vec<Batch> = Vec::new();
    for (slot, reference) in placed {
        let references_at = u32::try_from(lane.references.len()).expect("fits in 32 bits");
        lane.references.push(reference);
        match batches.last_mut() {
            Some(last)
                if last.slot.value_type == slot.value_type
                    && last.slot.at + last.slot.count == slot.at =>
            {
                last.slot.count += slot.count;
                last.references += 1;
            }
            _ => batches.push(Batch { member, slot, references_at, references: 1 }),
        }
    }
    batches
}
