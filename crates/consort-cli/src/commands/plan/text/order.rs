//! In which order outputs are read and components step.

use consort_planner::{EdgeKind, Explanation, Level, NodeKind};
use consort_system::ResolvedSystem;
use consort_view::page::Page;
use std::collections::BTreeMap;

/// The most names in one list, for each line that a table may have.
const NAMES_PER_LINE: usize = 5;
/// The most inputs that are named as what an output follows.
const INPUTS_MAX: usize = 4;
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
    let names_max = lines_max.saturating_mul(NAMES_PER_LINE);
    let followed = Followed::of(explanation, names_max);
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
    facts.push(steps(system, explanation, names_max));
    page.facts(&facts);
}

fn fact(level: &Level, followed: &Followed<'_>) -> (String, String) {
    let what = match level.level {
        0 => "known at once".to_owned(),
        number => format!("read at level {number}"),
    };
    let groups = followed.groups(&level.outputs);
    let between = if level.level == 0 { ", " } else { "; " };
    (what, listed(&groups, followed.names_max, between))
}

fn steps(system: &ResolvedSystem, explanation: &Explanation, names_max: usize) -> (String, String) {
    let side_by_side = if system.coupling.variable_step.is_some() {
        " (side by side; all go back if one cannot)"
    } else {
        " (side by side)"
    };
    let line = |group: &Vec<String>| {
        let is_one = explanation.together.iter().any(|it| it.components == *group);
        let beside = match group.len() {
            _ if is_one => " (as one)",
            1 => "",
            _ => side_by_side,
        };
        format!("{}{beside}", listed(group, names_max, ", "))
    };
    let groups: Vec<String> = explanation.step_order.iter().map(line).collect();
    ("then step".to_owned(), listed(&groups, names_max, "; then "))
}

/// Names, cut after `most`.
fn listed(names: &[String], most: usize, between: &str) -> String {
    if names.len() <= most {
        return names.join(between);
    }
    let more = names.len() - most;
    let between_last = if between.starts_with(';') { "; " } else { ", " };
    format!("{}{between_last}and {more} more; `--verbose` shows them", names[..most].join(between))
}

/// For each output whose it is and which inputs it follows.
struct Followed<'a> {
    names_max: usize,
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
    fn of(explanation: &'a Explanation, names_max: usize) -> Self {
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
        Followed { names_max, outputs }
    }

    /// Outputs, those of one component that follow the same inputs together.
    fn groups(&self, names: &[String]) -> Vec<String> {
        let key = |name: &String| {
            let output = self.outputs.get(name.as_str());
            output.map(|output| (output.component, output.waits.then_some(&output.inputs)))
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
            _ => format!("{} ({})", output.component, listed(&inside, self.names_max, ", ")),
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
