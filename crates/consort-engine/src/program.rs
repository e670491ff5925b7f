//! What a run goes through: a plan's programs, compiled to stages over preallocated places.
//!
//! These are values and what can be said of them alone; `compile` makes them, and a run carries them out.

pub(crate) mod attempt;
pub(crate) mod crossing;
pub(crate) mod iterate;
pub(crate) mod rollback;
pub(crate) mod stage;
pub(crate) mod together;

use crate::exchange::{CopyOp, SlopeOp};
use crate::store::{Bank, Segment, Slot};
use crate::timing::Rates;
use consort_core::{ComponentId, ConnectionId, Instance, ModelDescription, NodeId, VariableId};
use consort_system::{Plan, Port, Projection, ResolvedSystem};
use stage::{Arriving, Stage};

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
    /// Where the values of each component live, by component.
    pub(crate) homes: Vec<Home>,
    /// By component: where its variables are, in the shared bank and in its lane's.
    pub(crate) places: Vec<Vec<Option<Segment>>>,
    /// What the lanes hold after `advance`.
    pub(crate) arriving: Vec<Arriving>,
    /// The compiled connections, by number.
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

impl Program {
    /// Where a port's elements are in the shared bank.
    pub(crate) fn port(&self, port: Port) -> Slot {
        let place = self.places[port.component.index()][port.variable.index()];
        let place = place.expect("every port has a place");
        place.shared().part(port.first, port.count)
    }
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
}
