//! In which order outputs are read and components step.

use crate::output::page::Page;
use consort_planner::{EdgeKind, Explanation, Level, NodeKind};
use consort_system::ResolvedSystem;
use std::collections::BTreeMap;

/// The most names in one list.
const NAMES_MAX: usize = 60;
/// The most inputs that are named as what an output follows.
const INPUTS_MAX: usize = 6;
/// Of many levels, the last ones are shown too.
const LAST_LEVELS: usize = 2;

/// At a tag level by level, then the steps.
pub(super) fn section(
    page: &mut Page,
    system: &ResolvedSystem,
    explanation: &Explanation,
    lines_max: usize,
) {
    page.heading("Order");
    let followed = Followed::of(explanation);
    let mut facts: Vec<(String, String)> = Vec::new();
    let levels = &explanation.levels;
    let cut = lines_max < levels.len();
    let first = if cut { lines_max - LAST_LEVELS } else { levels.len() };
    facts.extend(levels[..first].iter().map(|level| fact(level, &followed)));
    if cut {
        let more = levels.len() - first - LAST_LEVELS;
        facts.push(("...".to_owned(), format!("{more} more levels; `--verbose` shows them")));
        let last = &levels[levels.len() - LAST_LEVELS..];
        facts.extend(last.iter().map(|level| fact(level, &followed)));
    }
    facts.extend(steps(system, &explanation.step_order));
    page.facts(&facts);
}

fn fact(level: &Level, followed: &Followed<'_>) -> (String, String) {
    let what = match level.level {
        0 => "known at once".to_owned(),
        number => format!("read at level {number}"),
    };
    (what, followed.groups(&level.outputs).join(", "))
}

fn steps(system: &ResolvedSystem, order: &[Vec<String>]) -> Vec<(String, String)> {
    let together = if system.coupling.variable_step.is_some() {
        " (side by side; all go back if one cannot)"
    } else {
        " (side by side)"
    };
    let mut facts = Vec::new();
    for (index, group) in order.iter().enumerate() {
        let when = if index == 0 { "then step" } else { "then" };
        let beside = if group.len() == 1 { "" } else { together };
        facts.push((when.to_owned(), format!("{}{beside}", listed(group, NAMES_MAX))));
    }
    facts
}

/// Names, cut after `most`.
fn listed(names: &[String], most: usize) -> String {
    if names.len() <= most {
        return names.join(", ");
    }
    format!("{} and {} more", names[..most].join(", "), names.len() - most)
}

/// For each output whose it is and which inputs it follows.
struct Followed<'a> {
    outputs: BTreeMap<&'a str, Output<'a>>,
}

#[derive(Default)]
struct Output<'a> {
    component: &'a str,
    /// Names of inputs of the same component.
    inputs: Vec<&'a str>,
    /// Whether something must happen at the tag before it can be read.
    waits: bool,
}

impl<'a> Followed<'a> {
    fn of(explanation: &'a Explanation) -> Self {
        let nodes = &explanation.nodes;
        let mut outputs: BTreeMap<&str, Output<'_>> = BTreeMap::new();
        for node in nodes.iter().filter(|node| node.kind == NodeKind::Output) {
            let output =
                Output { component: &node.component, inputs: Vec::new(), waits: 0 < node.level };
            outputs.insert(&node.name, output);
        }
        for edge in explanation.edges.iter().filter(|edge| edge.kind == EdgeKind::Feedthrough) {
            let from = &nodes[edge.from];
            let input = match from.kind {
                NodeKind::AllInputs => "all inputs",
                _ => short(&from.name, &from.component),
            };
            if let Some(output) = outputs.get_mut(nodes[edge.to].name.as_str()) {
                output.inputs.push(input);
            }
        }
        Followed { outputs }
    }

    /// Outputs, those of one component that follow the same inputs together.
    fn groups(&self, names: &[String]) -> Vec<String> {
        let key = |name: &String| {
            let output = self.outputs.get(name.as_str());
            output.map(|output| (output.component, &output.inputs, output.waits))
        };
        let groups = names.chunk_by(|a, b| key(a).is_some() && key(a) == key(b));
        groups.map(|group| self.group(group)).collect()
    }

    fn group(&self, names: &[String]) -> String {
        let Some(output) = self.outputs.get(names[0].as_str()) else { return names.join(", ") };
        let inside = names.iter().map(|name| short(name, output.component).to_owned());
        let inside: Vec<String> = inside.collect();
        let name = match names {
            [name] => name.clone(),
            _ => format!("{} ({})", output.component, listed(&inside, NAMES_MAX)),
        };
        let after = match (output.waits, output.inputs.as_slice()) {
            (false, _) => String::new(),
            (true, []) => " by its step".to_owned(),
            (true, inputs) => format!(" after {}", after(inputs)),
        };
        format!("{name}{after}")
    }
}

fn after(inputs: &[&str]) -> String {
    match inputs {
        [one] => (*one).to_owned(),
        [all @ .., last] if inputs.len() <= INPUTS_MAX => format!("{} and {last}", all.join(", ")),
        _ => format!("{} inputs", inputs.len()),
    }
}

fn short<'a>(name: &'a str, component: &str) -> &'a str {
    name.strip_prefix(component).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}
