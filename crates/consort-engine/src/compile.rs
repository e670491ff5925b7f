//! From a plan to a program: every name becomes a place in a bank, every operation a batched call.

mod lanes;
mod layout;
mod stages;

use crate::exchange::{CopyOp, SlopeOp};
use crate::lane::{Batch, Lane, Member};
use crate::pool::Pool;
use crate::stage::{Arriving, Stage};
use crate::store::{Bank, Segment, Slot};
use crate::timing::Rates;
use consort_core::{
    ComponentId, ConnectionId, Instance, ModelDescription, NodeId, Reference, VariableId,
};
use consort_system::{Plan, Projection, ResolvedSystem};
use layout::Layout;

/// Where a component's instance lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub(crate) lane: usize,
    pub(crate) member: u32,
}

/// A connection that hands over previous values: where its source's value is kept until the
/// source's next tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delay {
    /// The rate of the source.
    pub(crate) rate: usize,
    /// From the source to where it is kept.
    pub(crate) keep: CopyOp,
}

/// A compiled plan, but for the lanes themselves.
pub(crate) struct Program {
    pub(crate) present: Vec<Stage>,
    pub(crate) advance: Vec<Stage>,
    /// The values components share, as of the present tag.
    pub(crate) shared: Bank,
    /// Room for values of the next tags while `advance` computes them; empty if it needs none.
    pub(crate) ahead: Bank,
    /// By component.
    pub(crate) homes: Vec<Home>,
    /// By component: where its variables are, in the shared bank and in its lane's.
    pub(crate) places: Vec<Vec<Option<Segment>>>,
    /// What the lanes hold after `advance`.
    pub(crate) arriving: Vec<Arriving>,
    /// By connection.
    pub(crate) copies: Vec<CopyOp>,
    /// By component: the connections that start there and are not delayed.
    pub(crate) outgoing: Vec<Vec<ConnectionId>>,
    pub(crate) slopes: Vec<SlopeOp>,
    pub(crate) delays: Vec<Delay>,
    /// By component: inputs that are given, variables that are read, in description order.
    pub(crate) inputs: Vec<Vec<VariableId>>,
    pub(crate) observed: Vec<Vec<VariableId>>,
    /// Recorded variables that do not change by stepping: read once.
    pub(crate) once: Vec<Vec<VariableId>>,
    /// Components with a clock that ticks whenever they are due.
    pub(crate) ticks: Vec<(ComponentId, VariableId)>,
    /// Components that `present` sets or reads, sorted.
    pub(crate) refreshed: Vec<usize>,
    /// Components that are integrated as one, group by group.
    pub(crate) groups: Vec<Vec<ComponentId>>,
    /// The components that live here, in id order: all, or those of one node.
    pub(crate) own: Vec<usize>,
}

/// What is compiled, together.
pub(crate) struct Source<'a> {
    pub(crate) system: &'a ResolvedSystem,
    pub(crate) plan: &'a Plan,
    pub(crate) models: &'a [&'a ModelDescription],
    pub(crate) rates: &'a Rates,
    pub(crate) log_calls: bool,
    /// Which node of a run that is spread over nodes this is; `None` for the whole system.
    pub(crate) cut: Option<(&'a Projection, NodeId)>,
}

/// By component: its instance, if it lives here.
pub(crate) type Instances = Vec<Option<Box<dyn Instance>>>;

impl Source<'_> {
    /// Whether a component lives here.
    pub(crate) fn is_own(&self, component: ComponentId) -> bool {
        self.cut.is_none_or(|(it, node)| it.placement.of_component[component.index()] == node)
    }

    /// Gives every instance its lane and every value its place; there is nothing to do yet.
    pub(crate) fn place(&self, instances: Instances) -> (Program, Vec<Lane>) {
        let layout = Layout::of(self);
        let assignment = lanes::assign(self);
        let program = layout.place(self, &assignment);
        let mut lanes = self.lanes(&assignment, instances);
        for (lane, members) in lanes.iter_mut().zip(&assignment) {
            lane.bank = layout::lane_bank(members, &program);
        }
        (program, lanes)
    }

    /// What runs once; [`Source::compile_cycle`] replaces it.
    pub(crate) fn compile_initialization(&self, program: &mut Program, pool: &Pool) -> Vec<Stage> {
        stages::initialization(self, program, pool)
    }

    /// What runs at every tag and between tags. Lanes forget what was compiled for them before: a
    /// long chain's initialization takes more room than all the rest.
    pub(crate) fn compile_cycle(&self, program: &mut Program, pool: &Pool) {
        for index in 0..pool.len() {
            let mut lane = pool.lane(index);
            (lane.operations, lane.references) = (Vec::new(), Vec::new());
        }
        stages::cycle(self, program, pool);
    }

    fn lanes(&self, assignment: &[Vec<ComponentId>], mut instances: Instances) -> Vec<Lane> {
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
                orders: Vec::with_capacity(self.rates.list.len()),
                resolution: self.system.experiment.resolution,
                trouble: None,
                log_calls: self.log_calls,
                taken: Vec::new(),
                remarkable: false,
            });
        }
        lanes
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
