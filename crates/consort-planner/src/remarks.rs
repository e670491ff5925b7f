//! What the planner had to assume, and what the user wrote without effect.

use crate::cycle::Cycle;
use crate::dependencies::{Declared, Moment};
use crate::flow::Flow;
use crate::loops::shortened;
use crate::nodes::{Names, Node};
use consort_core::{ComponentId, Diagnostic, Report};
use consort_system::LoopPolicy;
use std::collections::BTreeMap;

/// One remark per model that does not say what its outputs depend on, where the order would be freer
/// if it did: where outputs that are read follow inputs that are given, at once.
pub(crate) fn no_dependencies(names: &Names<'_>, cycle: &Cycle<'_>, report: &mut Report) {
    let mut by_model: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (index, model) in names.models.iter().enumerate() {
        let component = ComponentId::from_index(index);
        if Moment::Tag.is_at_once(model) && is_silent(names, cycle, component) {
            let quoted = format!("`{}`", names.component(component));
            by_model.entry((&model.name, &model.kind)).or_default().push(quoted);
        }
    }
    for ((model, kind), components) in by_model {
        report.push(
            Diagnostic::note(
                "plan::no-dependencies",
                format!(
                    "`{model}` ({kind}) does not say which inputs its outputs depend on; they are \
                     taken to depend on all"
                ),
            )
            .with_note(format!("used by {}", shortened(&components)))
            .help("declare the dependencies in the `ModelStructure` of its description"),
        );
    }
}

fn is_silent(names: &Names<'_>, cycle: &Cycle<'_>, component: ComponentId) -> bool {
    let nodes = &cycle.flow.nodes;
    if nodes.sets_of(component).is_empty() {
        return false;
    }
    let declared = Declared::of(names.models[component.index()], Moment::Tag);
    nodes.gets_of(component).any(|get| match nodes.node(get) {
        Node::Get(_, variable) => declared.is_silent_on(variable),
        _ => false,
    })
}

/// A rule for a loop that is not there.
pub(crate) fn rules_without_loop(
    names: &Names<'_>,
    flow: &Flow,
    wanted: impl Fn(LoopPolicy) -> bool,
    report: &mut Report,
) {
    let nodes = &flow.nodes;
    for rule in names.system.coupling.rules.iter().filter(|rule| wanted(rule.policy)) {
        let node = nodes.get(rule.component, rule.variable);
        let node = node.or_else(|| nodes.set(rule.component, rule.variable));
        if node.is_none_or(|node| !flow.is_on_loop(node)) {
            let variable = names.variable(rule.component, rule.variable);
            report.push(
                Diagnostic::warning(
                    "plan::no-such-loop",
                    format!("there is no algebraic loop through `{variable}`"),
                )
                .help("take the rule from `[[loops]]`, or name a variable on the loop"),
            );
        }
    }
}

/// The Jacobi order takes every input as it is at the start of a step.
pub(crate) fn reactive_in_jacobi(names: &Names<'_>, report: &mut Report) {
    let components = names.system.components.iter();
    let written = components.filter(|component| !component.reactive.is_empty());
    let written: Vec<String> = written.map(|component| format!("`{}`", component.name)).collect();
    if !written.is_empty() {
        report.push(
            Diagnostic::warning(
                "plan::reactive-ignored",
                format!("the order `jacobi` knows no reactive inputs: {}", shortened(&written)),
            )
            .help("write `order = \"derived\"` in `[experiment]`, or take them from `reactive`"),
        );
    }
}
