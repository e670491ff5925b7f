//! Flows: streams of messages with tags, and the machine of a node that emits and consumes them.
//!
//! Three kinds ([`FlowKind`]): a *state* flow carries what follows from the strict past, an *observation* what
//! follows from the present, an *event* flow happens when it happens. What happens at a node is in the order
//! (time, microstep, phase, priority, name of the flow), where the phases of a tag are: state flows and events with
//! a delay are emitted; everything of the tag is consumed, as one batch; observations and events without delay are
//! emitted.
//!
//! # Determinism
//! What a node does next depends on the tags of its next messages alone, never on what has arrived, so the
//! sequence of messages on each flow is unique: whatever the speed of nodes and links, the capacities, the
//! placement, the number of workers.
//!
//! ```
//! use consort_core::{NodeId, Tag, Time};
//! use consort_federation::flow::{NextAction, Flow, FlowId, FlowKind, FlowNode, FlowInput, FlowTiming, Topology};
//!
//! let flow = Flow {
//!     name: "position".into(),
//!     source: NodeId(0),
//!     sinks: vec![NodeId(1)],
//!     kind: FlowKind::State,
//!     first: Tag::at(Time::ZERO),
//!     timing: FlowTiming::Periodic(Time::from_ticks(10)),
//!     payload: "f64".into(),
//!     priority: 0,
//!     capacity: 1,
//!     feedthrough: None,
//!     self_flow: false,
//! };
//! let topology = Topology { nodes: vec!["sun".into(), "earth".into()], flows: vec![flow] };
//! let mut sun = FlowNode::<u64>::new(&topology, NodeId(0), None);
//! let now = Tag::at(Time::ZERO);
//! assert_eq!(sun.poll(), NextAction::Emit { flow: FlowId(0), tag: now });
//! let next = topology.flows[0].following(now);
//! let mut out = Vec::new();
//! sun.handle(FlowInput::Emit { flow: FlowId(0), payload: 7, next }, &mut out)?;
//! assert_eq!(out.len(), 1, "one message to `earth`");
//! # Ok::<(), consort_federation::flow::FlowError>(())
//! ```

mod analysis;
mod check;
mod error;
mod hash;
mod machine;
mod message;
mod scheduler;
mod topology;

pub use analysis::{Ahead, Analysis, Buffer, Circuit, Remark, analyse};
pub use check::check;
pub use error::FlowError;
pub use hash::{FlowHash, Payload};
pub use machine::{FlowNode, MICROSTEPS_MAX, SavedPayload};
pub use message::{FlowInput, FlowOutput, FlowRecord, FlowSide, Message, NEVER, NextAction};
pub use scheduler::{Behavior, NextEvent, Scheduler, SchedulerError};
pub use topology::{BoundPolicy, Flow, FlowId, FlowKind, FlowTiming, Topology};
