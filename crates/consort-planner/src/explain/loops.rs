//! Explanations of loops.

use crate::circle::Circle;
use crate::cycle::Cycle;
use crate::flow::Flow;
use crate::nodes::{Names, Node};
use crate::{initialization, loops};
use consort_system::LoopPolicy;
use serde::Serialize;

/// A loop and what becomes of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LoopExplanation {
    /// The program it is in.
    pub program: LoopProgram,
    /// The shortest way round: `a.y --connected--> b.u --feedthrough--> b.y ...`.
    pub chain: String,
    /// The same, link by link.
    pub links: Vec<ChainLink>,
    /// All variables on the loop.
    pub members: Vec<String>,
    /// Whether it is solved; if not, the system is refused.
    pub iterated: bool,
    /// The method of evaluation.
    pub evaluation: String,
    /// The connections at which it is cut: `a.y -> b.u`.
    pub unknowns: Vec<String>,
    /// The components that are saved, stepped and restored for each evaluation.
    pub rollback: Vec<String>,
    /// Changes that would break the loop.
    pub cures: Vec<String>,
}

/// The programs of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopProgram {
    /// The program that runs once, before the first step.
    Initialization,
    /// Run at every tag.
    Present,
    /// The program that runs between tags.
    Advance,
}

/// One link of a closed chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ChainLink {
    /// Where the link begins: `component.variable`.
    pub from: String,
    /// `connected`, `feedthrough` or `step`.
    pub kind: String,
    /// Where the link ends: `component.variable`.
    pub to: String,
}

pub(super) fn all(names: &Names<'_>, cycle: &Cycle<'_>) -> Vec<LoopExplanation> {
    let initial = initialization::flow(names.system, names.models);
    let nothing = vec![false; initial.nodes.sets().len()];
    let mut found: Vec<LoopExplanation> = circles(&initial, &nothing)
        .map(|circle| {
            let explained = explained(names, &circle, LoopProgram::Initialization);
            LoopExplanation { iterated: true, cures: Vec::new(), ..explained }
        })
        .collect();
    found.extend(circles(&cycle.flow, &cycle.reactive).map(|circle| {
        let early = cycle.early[circle.members[0] as usize];
        explained(names, &circle, if early { LoopProgram::Advance } else { LoopProgram::Present })
    }));
    found
}

/// Federates cannot iterate: a loop would be an endless exchange of messages in one cycle.
pub(super) fn warnings(loops: &[LoopExplanation]) -> impl Iterator<Item = String> {
    let of_cycle = loops.iter().filter(|it| it.program != LoopProgram::Initialization);
    of_cycle.map(|it| {
        let wires: Vec<String> = it.unknowns.iter().map(|wire| format!("`{wire}`")).collect();
        format!(
            "no sequence of messages solves the loop {}: in a federation {} would bring the value \
             of the cycle before",
            it.chain,
            wires.join(", ")
        )
    })
}

fn circles<'a>(flow: &'a Flow, reactive: &'a [bool]) -> impl Iterator<Item = Circle<'a>> {
    let groups = flow.groups.iter().filter(|group| 1 < group.len());
    groups.map(|members| Circle::new(flow, members, reactive))
}

fn explained(names: &Names<'_>, circle: &Circle<'_>, program: LoopProgram) -> LoopExplanation {
    let rollback: Vec<String> =
        circle.stepped().into_iter().map(|id| names.component(id).to_owned()).collect();
    let evaluation = if rollback.is_empty() {
        "outputs are read again"
    } else {
        "components are saved, stepped, read and restored"
    };
    let unknowns = circle.unknowns(names.system).into_iter();
    let chain = circle.chain();
    LoopExplanation {
        program,
        chain: chain.text(names),
        links: links(names, &chain),
        members: circle.variables().into_iter().map(|node| name(names, node)).collect(),
        iterated: matches!(loops::policy(names, circle), LoopPolicy::Iterate(_)),
        evaluation: evaluation.to_owned(),
        unknowns: unknowns.map(|wire| names.wire(wire)).collect(),
        rollback,
        cures: loops::cures(names, circle),
    }
}

fn links(names: &Names<'_>, chain: &crate::circle::Chain) -> Vec<ChainLink> {
    let next = chain.links.iter().cycle().skip(1);
    let pairs = chain.links.iter().zip(next);
    pairs
        .map(|((from, link), (to, _))| ChainLink {
            from: name(names, *from),
            kind: link.name().to_owned(),
            to: name(names, *to),
        })
        .collect()
}

fn name(names: &Names<'_>, node: Node) -> String {
    match node {
        Node::Set(component, variable) | Node::Get(component, variable) => {
            names.variable(component, variable)
        }
        Node::Step(component) | Node::Inputs(component) => names.component(component).to_owned(),
    }
}
