//! A ring of nodes: node i holds a few numbers x, at first all i; in each step it hands x to the next node, receives u
//! from the one before, and x = (x + u) / 2. The benchmark runs the same ring on HELICS.

use consort_core::{NodeId, Tag, Time};
use consort_federation::flow::{Flow, FlowKind, FlowTiming, Topology};
use consort_node::{Node, NodeError, NodeStep};

/// What runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) nodes: usize,
    pub(crate) doubles: usize,
    pub(crate) steps: u64,
    pub(crate) capacity: u32,
}

impl Ring {
    /// The name of a node; their order is that of the numbers.
    pub(crate) fn name(index: usize) -> String {
        format!("n{index:02}")
    }

    /// Flow i leads from node i to the next.
    pub(crate) fn topology(&self) -> Topology {
        let flow = |index: usize| Flow {
            name: format!("x{index:02}"),
            source: NodeId::from_index(index),
            sinks: vec![NodeId::from_index((index + 1) % self.nodes)],
            kind: FlowKind::State,
            first: Tag { time: Time::ZERO, microstep: 0 },
            timing: FlowTiming::Periodic(Time::from_ticks(1)),
            payload: format!("{} doubles", self.doubles),
            priority: 0,
            capacity: self.capacity,
            feedthrough: None,
            self_flow: false,
        };
        Topology {
            nodes: (0..self.nodes).map(Ring::name).collect(),
            flows: (0..self.nodes).map(flow).collect(),
        }
    }

    /// The numbers of node `index` at the start.
    pub(crate) fn start(&self, index: usize) -> Vec<f64> {
        vec![index as f64; self.doubles]
    }

    /// The tag after this one, if there is one.
    pub(crate) fn following(&self, tag: Tag) -> Option<Tag> {
        let next = tag.time.ticks() + 1;
        let is_last = self.steps <= next as u64;
        (!is_last).then_some(Tag { time: Time::from_ticks(next), microstep: 0 })
    }

    /// Runs node `index` to its end; `at` is called with each tag that was received.
    pub(crate) fn run(
        &self,
        index: usize,
        node: &mut Node,
        mut at: impl FnMut(Tag),
    ) -> Result<Vec<f64>, NodeError> {
        let (mut x, mut payload) = (self.start(index), Vec::new());
        loop {
            match node.next()? {
                NodeStep::Emit { flow, tag } => {
                    payload.clear();
                    x.iter().for_each(|x| payload.extend_from_slice(&x.to_le_bytes()));
                    node.emit(flow, &payload, self.following(tag))?;
                }
                NodeStep::Inputs { tag, batch } => {
                    for (_, bytes) in batch {
                        mix(&mut x, bytes);
                    }
                    at(tag);
                }
                NodeStep::Done => return Ok(x),
            }
        }
    }

    /// The numbers of all nodes at the end, by a loop.
    pub(crate) fn expected(&self) -> Vec<Vec<f64>> {
        let mut x: Vec<Vec<f64>> = (0..self.nodes).map(|index| self.start(index)).collect();
        for _ in 0..self.steps {
            let old = x.clone();
            for (index, x) in x.iter_mut().enumerate() {
                let before = &old[(index + self.nodes - 1) % self.nodes];
                x.iter_mut().zip(before).for_each(|(x, u)| *x = 0.5 * (*x + u));
            }
        }
        x
    }
}

/// One step with what came.
pub(crate) fn mix(x: &mut [f64], payload: &[u8]) {
    for (x, bytes) in x.iter_mut().zip(payload.chunks_exact(8)) {
        let u = f64::from_le_bytes(bytes.try_into().expect("a chunk has 8 bytes"));
        *x = 0.5 * (*x + u);
    }
}
