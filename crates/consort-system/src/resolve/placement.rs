//! `[nodes]`: which node each component is on.

use super::context::{Context, Written};
use super::pattern_matches;
use crate::placement::{Placement, bad_name, is_node_name};
use crate::resolved::ResolvedSystem;
use crate::system::{DeclaredNode, Spanned};
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report};
use std::collections::BTreeMap;

/// The text that put a component on a node.
#[derive(Clone, Copy)]
struct NodeClaim<'a> {
    node: &'a str,
    written: &'a Spanned<String>,
    /// By its own name, not by a pattern.
    is_named: bool,
}

/// The placement that was written; `None` if there is none, or after an error.
pub(super) fn resolve(context: &mut Context<'_, '_>) -> Option<Placement> {
    let nodes = &context.system.nodes;
    let first = nodes.first()?.name.value.as_str();
    check_names(context, nodes);
    let mut claims: Vec<Option<NodeClaim<'_>>> = vec![None; context.system.components.len()];
    for node in nodes {
        for written in &node.components {
            let claim = NodeClaim {
                node: &node.name.value,
                written,
                is_named: !written.value.contains('*'),
            };
            place(context, claim, &mut claims);
        }
    }
    let of_component: Vec<&str> =
        claims.iter().map(|claim| claim.map_or(first, |claim| claim.node)).collect();
    check_empty(context, nodes, &of_component);
    Some(Placement::from_names(&of_component))
}

fn check_names(context: &mut Context<'_, '_>, nodes: &[DeclaredNode]) {
    let mut seen = BTreeMap::new();
    for node in nodes {
        let name = &node.name;
        if !is_node_name(&name.value) {
            context.push(bad_name(&name.value).maybe_at(name.span, "not a name"));
        }
        if let Some(earlier) = seen.insert(name.value.as_str(), name) {
            let message = format!("the node `{}` is written twice", name.value);
            let diagnostic = Diagnostic::error("system::duplicate-node", message)
                .maybe_at(name.span, "again here")
                .help("write all of its components in one list");
            context.push_with_label(diagnostic, earlier.span, "first here");
        }
    }
}

/// Gives a node the components that it names, and those that match its pattern and no node names.
fn place<'a>(
    context: &mut Context<'_, '_>,
    claim: NodeClaim<'a>,
    claims: &mut [Option<NodeClaim<'a>>],
) {
    if claim.is_named {
        if let Some(component) = context.find_component(Written::new(claim.written)) {
            claim_one(context, claim, component.index(), claims);
        }
        return;
    }
    let mut is_used = false;
    for index in 0..claims.len() {
        if pattern_matches(&claim.written.value, &context.system.components[index].name.value) {
            is_used = true;
            claim_one(context, claim, index, claims);
        }
    }
    if !is_used {
        let message = format!("`{}` matches no component", claim.written.value);
        let diagnostic = Diagnostic::error("system::no-match", message);
        context.push(
            diagnostic
                .maybe_at(claim.written.span, "chooses nothing")
                .help("a `*` matches any characters of a component's name"),
        );
    }
}

fn claim_one<'a>(
    context: &mut Context<'_, '_>,
    claim: NodeClaim<'a>,
    component: usize,
    claims: &mut [Option<NodeClaim<'a>>],
) {
    let earlier = claims[component];
    let counts_less = |earlier: NodeClaim<'_>| claim.is_named && !earlier.is_named;
    match earlier {
        Some(earlier) if earlier.is_named && !claim.is_named => {}
        Some(earlier) if earlier.node != claim.node && !counts_less(earlier) => {
            report_both(context, claim, earlier, component);
        }
        _ => claims[component] = Some(claim),
    }
}

fn report_both(
    context: &mut Context<'_, '_>,
    claim: NodeClaim<'_>,
    earlier: NodeClaim<'_>,
    component: usize,
) {
    let name = &context.system.components[component].name.value;
    let message = format!("`{name}` is placed on `{}` and on `{}`", earlier.node, claim.node);
    let diagnostic = Diagnostic::error("system::placed-twice", message)
        .maybe_at(claim.written.span, "placed again")
        .help("a component is on one node; its own name counts for more than a pattern");
    context.push_with_label(diagnostic, earlier.written.span, "first placed here");
}

fn check_empty(context: &mut Context<'_, '_>, nodes: &[DeclaredNode], of_component: &[&str]) {
    for node in nodes {
        let name = node.name.value.as_str();
        let is_empty = !of_component.contains(&name);
        // An empty list was reported already.
        let is_explained = context.report.has_errors() && !node.components.is_empty();
        if is_empty && !is_explained {
            context.push(
                Diagnostic::error("system::empty-node", format!("nothing is on the node `{name}`"))
                    .maybe_at(node.name.span, "no component is placed here")
                    .help("name a component in its list, or remove the node"),
            );
        }
    }
}

impl Placement {
    /// What the system says, changed by pairs of a component (or a pattern of names) and a node, later
    /// ones before earlier ones. Where the system says nothing, all others are on the first node that
    /// is named.
    ///
    /// What is wrong goes to `report`; `None` then, or if nothing is said at all.
    pub fn of(
        system: &ResolvedSystem,
        pairs: &[(String, String)],
        report: &mut Report,
    ) -> Option<Self> {
        let first = pairs.first().map(|(_, node)| node.as_str());
        let written = system.placement.as_ref();
        let mut names: Vec<&str> = match written {
            Some(written) => written.of_component.iter().map(|&id| written.name(id)).collect(),
            None => vec![first?; system.components.len()],
        };
        let errors_before = report.error_count();
        for (pattern, node) in pairs {
            if !is_node_name(node) {
                report.push(bad_name(node));
            }
            let mut is_used = false;
            for (name, component) in names.iter_mut().zip(&system.components) {
                if pattern_matches(pattern, &component.name) {
                    (*name, is_used) = (node, true);
                }
            }
            if !is_used {
                report.push(unknown_component(pattern, system));
            }
        }
        (errors_before == report.error_count()).then(|| Placement::from_names(&names))
    }
}

fn unknown_component(pattern: &str, system: &ResolvedSystem) -> Diagnostic {
    let message = format!("the system has no component `{pattern}` to place");
    let names = system.components.iter().map(|component| component.name.as_str());
    let help = match nearest_name(pattern, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "write `component=node`; a `*` matches any characters".to_owned(),
    };
    Diagnostic::error("system::unknown-component", message).help(help)
}
