//! An analysis as text, for people.

use super::describe::Description;
use super::{Analysis, Buffer};
use crate::flow::Topology;
use consort_core::{NodeId, Resolution};
use std::fmt::Write;

impl Analysis {
    /// What was found, line by line: buffers, which nodes hold others back, and circuits.
    pub fn render(&self, topology: &Topology, resolution: Resolution) -> String {
        let description = Description { topology, resolution };
        let mut text = String::from("buffers\n");
        for buffer in &self.buffers {
            text.push_str(&description.buffer(buffer));
        }
        text.push_str("ahead of others at most\n");
        for node in (0..topology.nodes.len()).map(NodeId::from_index) {
            text.push_str(&description.ahead(self, node));
        }
        text.push_str(&description.verdict(self));
        text
    }
}

impl Description<'_> {
    fn buffer(&self, buffer: &Buffer) -> String {
        let (flow, sink) = (self.flow(buffer.flow), self.node(buffer.sink));
        let Buffer { used_max, capacity, .. } = buffer;
        format!("  {flow} at {sink}: {used_max} of {capacity} used at most\n")
    }

    fn ahead(&self, analysis: &Analysis, node: NodeId) -> String {
        let mut text = String::new();
        let bounds = analysis.ahead.of(node).into_iter().enumerate();
        for (other, bound) in bounds.map(|(other, bound)| (NodeId::from_index(other), bound)) {
            if other == node {
                continue;
            }
            let amount = bound.map_or_else(|| "any time".to_owned(), |time| self.time(time));
            writeln!(text, "  {} of {}: {amount}", self.node(node), self.node(other))
                .expect("a string takes any text");
        }
        text
    }

    fn verdict(&self, analysis: &Analysis) -> String {
        if analysis.accepts() {
            return "no flow waits for itself: every run comes to its end\n".to_owned();
        }
        let mut text = String::from("flows that wait for each other\n");
        for circuit in &analysis.circuits {
            let (at, chain) = (self.tag(circuit.at), self.chain(&circuit.flows));
            writeln!(text, "  at {at}: {chain}").expect("a string takes any text");
        }
        if analysis.gave_up {
            text.push_str("  and maybe more: the search was given up\n");
        }
        text
    }
}
