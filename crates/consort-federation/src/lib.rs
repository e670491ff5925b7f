//! Decides which node may advance: flows between nodes, as pure state machines.
//!
//! Several programs that simulate parts of one world exchange messages with tags, without a central process:
//! each node decides by itself what it may do next, from what its sources have announced. The tour:
//!
//! 1. [`flow::Topology`]: nodes, flows, their first tags and periods; checked by [`flow::check()`], and by
//!    [`flow::analyse`] for circuits that would wait for themselves.
//! 2. [`flow::FlowNode`]: one node's machine (after DSAAM, Reymann, Foughali and Lacroix, QRS 2019):
//!    [`flow::FlowNode::poll`] returns the next step or what is lacking, [`flow::FlowNode::handle`] carries it out.
//! 3. [`flow::Scheduler`]: all nodes in one process, as values on a work list.
//!
//! There is no IO here, no clock and no thread (but those of the scheduler's worker pool, which decide when a
//! node works, never what it computes).
//!
//! ```
//! use consort_core::{NodeId, Tag, Time};
//! use consort_federation::flow::{Behavior, Flow, FlowId, FlowKind, Scheduler, FlowTiming, Topology};
//!
//! /// Sends its level; takes half of the level that it receives.
//! struct Tank(f64);
//!
//! impl Behavior<[f64; 1]> for Tank {
//!     fn on_inputs(&mut self, _: Tag, inputs: &[(FlowId, [f64; 1])]) {
//!         inputs.iter().for_each(|(_, [level])| self.0 += 0.5 * (level - self.0));
//!     }
//!     fn emit(&mut self, _: FlowId, _: Tag, next: Option<Tag>) -> ([f64; 1], Option<Tag>) {
//!         ([self.0], next)
//!     }
//! }
//!
//! let level = |name: &str, source: u32, period: i64| Flow {
//!     name: name.into(),
//!     source: NodeId(source),
//!     sinks: vec![NodeId(1 - source)],
//!     kind: FlowKind::State,
//!     first: Tag::at(Time::ZERO),
//!     timing: FlowTiming::Periodic(Time::from_ticks(period)),
//!     payload: "f64".into(),
//!     priority: 0,
//!     capacity: 8,
//!     feedthrough: None,
//!     self_flow: false,
//! };
//! let topology = Topology {
//!     nodes: vec!["left".into(), "right".into()],
//!     flows: vec![level("left.level", 0, 2), level("right.level", 1, 3)],
//! };
//! let levels = || {
//!     let horizon = Some(Tag::at(Time::from_ticks(2)));
//!     let mut scheduler = Scheduler::new(&topology, vec![Tank(4.0), Tank(0.0)], horizon);
//!     scheduler.run()?;
//!     Ok::<_, consort_federation::flow::SchedulerError>(
//!         scheduler.behaviors().map(|tank| tank.0).collect::<Vec<_>>(),
//!     )
//! };
//! // At 0 each receives the other's first level; at 2 `right` receives the new level of `left`.
//! assert_eq!(levels()?, [2.0, 2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod flow;
