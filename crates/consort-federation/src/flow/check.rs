//! Whether a topology is well-formed: what must hold before any node starts, all mistakes at once.
//!
//! What depends on how flows meet at an instant (circuits without delay) is left to the analysis.

use super::error::shown;
use super::machine::MICROSTEPS_MAX;
use super::topology::{Flow, FlowId, FlowKind, FlowTiming, Topology};
use consort_core::{Diagnostic, NodeId, Report, Tag, Time};

/// Reports every mistake in a topology, with the names of flows and nodes and a remedy. Machines may be made of
/// a topology without errors.
pub fn check(topology: &Topology, horizon: Option<Tag>, report: &mut Report) {
    check_nodes(topology, report);
    check_names(topology, report);
    for flow in &topology.flows {
        let checked = Checked { topology, flow };
        checked.ends(report);
        checked.timing(report);
        checked.event(report);
        checked.feedthrough(report);
        checked.horizon(horizon, report);
    }
}

fn check_nodes(topology: &Topology, report: &mut Report) {
    for (place, name) in topology.nodes.iter().enumerate() {
        if topology.nodes[..place].contains(name) {
            let message = format!("two nodes are called `{name}`");
            let help = "give each node a name of its own";
            report.push(Diagnostic::error("flow::duplicate-node", message).help(help));
        }
        let is_there = |flow: &Flow| {
            flow.source.index() == place || flow.sinks.contains(&NodeId::from_index(place))
        };
        if !topology.flows.iter().any(is_there) {
            let message = format!("node `{name}` has no flow: it does nothing and is done at once");
            let help = "connect it, or leave it out";
            report.push(Diagnostic::warning("flow::lonely-node", message).help(help));
        }
    }
}

fn check_names(topology: &Topology, report: &mut Report) {
    for pair in topology.flows.windows(2) {
        let (first, second) = (&pair[0].name, &pair[1].name);
        if first == second {
            let message = format!("two flows are called `{first}`");
            let help =
                "give each flow a name of its own: names decide the order of what is simultaneous";
            report.push(Diagnostic::error("flow::duplicate-name", message).help(help));
        } else if second < first {
            let message = format!("flow `{second}` comes after `{first}`");
            let help = "sort flows by name, bytewise: then all nodes number them alike";
            report.push(Diagnostic::error("flow::unsorted", message).help(help));
        }
    }
}

/// One flow under test.
struct Checked<'a> {
    topology: &'a Topology,
    flow: &'a Flow,
}

impl Checked<'_> {
    fn node(&self, node: NodeId) -> String {
        let name = self.topology.nodes.get(node.index());
        name.map_or_else(|| format!("number {}", node.0), |name| format!("`{name}`"))
    }

    fn error(&self, code: &'static str, rest: &str, help: &str, report: &mut Report) {
        let message = format!("flow `{}` {rest}", self.flow.name);
        report.push(Diagnostic::error(code, message).help(help));
    }

    fn warn(&self, code: &'static str, rest: &str, help: &str, report: &mut Report) {
        let message = format!("flow `{}` {rest}", self.flow.name);
        report.push(Diagnostic::warning(code, message).help(help));
    }

    fn ends(&self, report: &mut Report) {
        let flow = self.flow;
        for node in flow.sinks.iter().chain([&flow.source]) {
            if self.topology.nodes.len() <= node.index() {
                let rest =
                    format!("names node {}, there are {}", node.0, self.topology.nodes.len());
                let help = "a flow goes between nodes of its topology";
                self.error("flow::unknown-node", &rest, help, report);
            }
        }
        for (place, sink) in flow.sinks.iter().enumerate() {
            if flow.sinks[..place].contains(sink) {
                let rest = format!("goes to node {} twice", self.node(*sink));
                let help = "an input is connected once; name each sink once";
                self.error("flow::duplicate-sink", &rest, help, report);
            }
        }
        if flow.sinks.contains(&flow.source) && !flow.self_flow {
            let rest = format!("goes from node {0} to node {0} itself", self.node(flow.source));
            let help = "set `self_flow` if that is meant, else remove the sink";
            self.error("flow::self-flow", &rest, help, report);
        }
        if flow.sinks.is_empty() {
            let help = "name a node that receives it, or remove it";
            self.warn("flow::no-sink", "has no sink", help, report);
        }
        if flow.capacity == 0 {
            let help = "grant at least 1; more lets the source run ahead, and changes no result";
            let rest = "has capacity 0: no message ever fits";
            self.error("flow::capacity", rest, help, report);
        }
    }

    fn timing(&self, report: &mut Report) {
        let flow = self.flow;
        if let FlowTiming::Periodic(period) = flow.timing
            && period <= Time::ZERO
        {
            let rest = format!("has a period of {} ticks", period.ticks());
            let help = "a period is at least one tick; take a finer resolution for a shorter one";
            self.error("flow::period", &rest, help, report);
        }
        if flow.timing == FlowTiming::Variable && MICROSTEPS_MAX < flow.first.microstep {
            let rest = format!("begins at {}", shown(flow.first));
            let help = format!("at one time there are at most {MICROSTEPS_MAX} microsteps");
            self.error("flow::microsteps", &rest, &help, report);
        }
    }

    fn event(&self, report: &mut Report) {
        let FlowKind::Event { lookahead, adds_microstep, .. } = self.flow.kind else { return };
        if self.flow.timing != FlowTiming::Variable {
            let help = "declare it `variable`, or make it a state or an observation flow";
            let rest = "is an event flow with a declared period: the times of events are not known";
            self.error("flow::event-timing", rest, help, report);
        }
        if lookahead < Time::ZERO {
            let rest = format!("has a lookahead of {} ticks", lookahead.ticks());
            let help = "an event cannot come before its cause: take zero or more";
            self.error("flow::lookahead", &rest, help, report);
        }
        if Time::ZERO < lookahead && adds_microstep {
            let help = "choose one: with a lookahead an event is at microstep 0 of a later time";
            let rest = "has a lookahead and adds a microstep";
            self.error("flow::lookahead-and-microstep", rest, help, report);
        }
    }

    fn feedthrough(&self, report: &mut Report) {
        let Some(list) = &self.flow.feedthrough else { return };
        if self.flow.kind == FlowKind::State && !list.is_empty() {
            let help = "leave the list out, or make it an observation";
            let rest = "is a state flow with feedthrough: it never waits for inputs of its own tag";
            self.warn("flow::state-feedthrough", rest, help, report);
        }
        for (place, id) in list.iter().enumerate() {
            if list[..place].contains(id) {
                let rest = format!("lists {} twice", self.name(*id));
                let help = "list each input once";
                self.error("flow::feedthrough-twice", &rest, help, report);
            }
            let flow = self.topology.flows.get(id.index());
            if !flow.is_some_and(|flow| flow.sinks.contains(&self.flow.source)) {
                let source = self.node(self.flow.source);
                let rest =
                    format!("waits for {}, which does not go to node {source}", self.name(*id));
                let help = format!("list flows that go to node {source} only");
                self.error("flow::feedthrough", &rest, &help, report);
            }
        }
    }

    fn name(&self, id: FlowId) -> String {
        let flow = self.topology.flows.get(id.index());
        flow.map_or_else(|| format!("flow number {}", id.0), |flow| format!("`{}`", flow.name))
    }

    fn horizon(&self, horizon: Option<Tag>, report: &mut Report) {
        let Some(horizon) = horizon.filter(|horizon| *horizon < self.flow.first) else { return };
        let (first, horizon) = (shown(self.flow.first), shown(horizon));
        let rest = format!("begins at {first}, after the end at {horizon}: it carries nothing");
        let help = "begin earlier, end later, or leave it out";
        self.warn("flow::after-horizon", &rest, help, report);
    }
}
