//! The findings of an analysis, as diagnostics.

use super::{Analysis, Circuit, Remark};
use crate::flow::{FlowId, FlowKind, Topology};
use consort_core::{Diagnostic, NodeId, Report, Resolution, Tag, Time};

impl Analysis {
    /// Reports what was found: circuits are errors, remarks are warnings.
    pub fn report(&self, topology: &Topology, resolution: Resolution, report: &mut Report) {
        let description = Description { topology, resolution };
        for circuit in &self.circuits {
            report.push(description.circuit(circuit));
        }
        if self.gave_up {
            report.push(description.gave_up());
        }
        for remark in &self.remarks {
            report.push(description.remark(remark));
        }
    }
}

/// Names instead of numbers.
pub(super) struct Description<'a> {
    pub(super) topology: &'a Topology,
    pub(super) resolution: Resolution,
}

/// Two flows of one node, one of which has several messages for each of the other.
struct UnevenFlows {
    many: FlowId,
    one: FlowId,
    /// How many messages of `many` there are for each of `one`.
    ratio: i64,
}

impl Description<'_> {
    pub(super) fn flow(&self, flow: FlowId) -> &str {
        &self.topology.flows[flow.index()].name
    }

    pub(super) fn node(&self, node: NodeId) -> &str {
        &self.topology.nodes[node.index()]
    }

    pub(super) fn time(&self, time: Time) -> String {
        match self.resolution.seconds(time) {
            Some(seconds) => format!("{seconds} s"),
            None => format!("{} s", self.resolution.to_f64(time)),
        }
    }

    pub(super) fn tag(&self, tag: Tag) -> String {
        match tag.microstep {
            0 => self.time(tag.time),
            microstep => format!("{}, microstep {microstep}", self.time(tag.time)),
        }
    }

    /// `a (x to y) -> b (y to x) -> a`
    pub(super) fn chain(&self, flows: &[FlowId]) -> String {
        let mut text = String::new();
        for (index, &flow) in flows.iter().enumerate() {
            let (from, to) = self.leg(flow, flows[(index + 1) % flows.len()]);
            text.push_str(&format!("`{}` ({from} to {to}) -> ", self.flow(flow)));
        }
        text + &format!("`{}`", self.flow(flows[0]))
    }

    /// From where a flow leads to where the next one comes from.
    fn leg(&self, flow: FlowId, next: FlowId) -> (&str, &str) {
        let source = |flow: FlowId| self.node(self.topology.flows[flow.index()].source);
        (source(flow), source(next))
    }

    fn circuit(&self, circuit: &Circuit) -> Diagnostic {
        let at = self.tag(circuit.at);
        let message = match circuit.flows.as_slice() {
            [flow] => format!("flow `{}` waits for itself at {at}", self.flow(*flow)),
            flows => format!("{} flows wait for each other at {at}", flows.len()),
        };
        Diagnostic::error("flow::zero-delay-circuit", message)
            .with_note(format!(
                "in a ring, each for the one before: {}",
                self.chain(&circuit.flows)
            ))
            .help(self.cure(circuit))
    }

    /// What can be done about a circuit, the easiest first.
    fn cure(&self, circuit: &Circuit) -> String {
        let cut = &self.topology.flows[circuit.cut.index()];
        let first = match cut.kind {
            FlowKind::Event { .. } => format!("give `{}` a lookahead or a microstep", cut.name),
            FlowKind::State | FlowKind::Observation => {
                format!("make `{}` a `state` flow", cut.name)
            }
        };
        let phases = match self.all_are_periodic(circuit) && 1 < circuit.flows.len() {
            true => ", choose phases and periods that never meet",
            false => "",
        };
        format!(
            "{first}{phases}, or list in `feedthrough` only what it depends on; a loop that is \
             meant needs a solver: put its components on one node"
        )
    }

    fn all_are_periodic(&self, circuit: &Circuit) -> bool {
        let timing = |flow: &FlowId| self.topology.flows[flow.index()].timing;
        circuit.flows.iter().all(|flow| timing(flow) != crate::flow::FlowTiming::Variable)
    }

    fn gave_up(&self) -> Diagnostic {
        let message = "too many different phases and periods to decide whether flows wait for each \
                       other";
        Diagnostic::error("flow::circuit-search", message)
            .help("make some flows `state`, or give flows that belong together the same period")
    }

    fn remark(&self, remark: &Remark) -> Diagnostic {
        match remark {
            Remark::Starves { node, output, input, ratio } => {
                let flows = UnevenFlows { many: *output, one: *input, ratio: *ratio };
                self.uneven("flow::starved-node", *node, &flows)
            }
            Remark::Drowns { node, output, input, ratio } => {
                let flows = UnevenFlows { many: *input, one: *output, ratio: *ratio };
                self.uneven("flow::drowned-node", *node, &flows)
            }
            Remark::EndsEarly { flow, last } => Diagnostic::warning(
                "flow::ends-early",
                format!(
                    "flow `{}` has one message, at {}, and its sinks continue without it",
                    self.flow(*flow),
                    self.tag(*last)
                ),
            )
            .help("give it a period if its value changes later"),
            Remark::BeginsLate { flow, first } => Diagnostic::warning(
                "flow::begins-late",
                format!(
                    "flow `{}` begins at {} only, and its sinks work without it until then",
                    self.flow(*flow),
                    self.tag(*first)
                ),
            )
            .help("let it begin with the others, or make sure that its start value is meant"),
            Remark::Creeps { flows, lookahead } => self.creeps(flows, Some(*lookahead)),
            Remark::Climbs { flows } => self.creeps(flows, None),
        }
    }

    /// A node with one flow that has `ratio` messages for each of another.
    fn uneven(&self, code: &'static str, node: NodeId, flows: &UnevenFlows) -> Diagnostic {
        let UnevenFlows { many, one, ratio } = *flows;
        let message = format!(
            "node `{}` has {ratio} messages of `{}` for each of `{}`",
            self.node(node),
            self.flow(many),
            self.flow(one)
        );
        let is_starved = code == "flow::starved-node";
        let (what, help) = if is_starved {
            ("most of what it emits follows from the same inputs", "slow down its outputs")
        } else {
            ("it works through all of them to emit one", "slow down its inputs")
        };
        Diagnostic::warning(code, message)
            .with_note(what)
            .help(format!("{help} unless that is meant"))
    }

    /// A ring of event flows; a round of bounds gets on by their lookahead, or by a microstep.
    fn creeps(&self, flows: &[FlowId], lookahead: Option<Time>) -> Diagnostic {
        let round = match lookahead {
            Some(lookahead) => self.time(lookahead),
            None => "microsteps only".to_owned(),
        };
        let message = format!(
            "the bounds of {} event flows rest on each other: a round of them gets on by {round}",
            flows.len()
        );
        Diagnostic::warning("flow::creeping-bounds", message)
            .with_note(format!("the ring: {}", self.chain(flows)))
            .help("list in `feedthrough` what may cause an event, or put a periodic flow between")
    }
}
