//! A plan's graph for Graphviz.

use consort_planner::{EdgeKind, Explanation, GraphNode, NodeKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Components as boxes around their variables, levels from left to right.
pub(super) fn graph(name: &str, explanation: &Explanation) -> String {
    let mut text = format!("digraph {} {{\n", quoted(name));
    text.push_str("  rankdir=LR;\n  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n");
    let mut components: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, node) in explanation.nodes.iter().enumerate() {
        components.entry(&node.component).or_default().push(index);
    }
    for (index, (component, nodes)) in components.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{index} {{\n    label={};", quoted(component));
        for &node in nodes {
            let _ = writeln!(text, "    {}", described(node, &explanation.nodes[node]));
        }
        text.push_str("  }\n");
    }
    for edge in &explanation.edges {
        let _ = writeln!(text, "  n{} -> n{}{};", edge.from, edge.to, style(edge.kind));
    }
    text.push_str("}\n");
    text
}

fn described(index: usize, node: &GraphNode) -> String {
    let short = node.name.strip_prefix(&format!("{}.", node.component)).unwrap_or(&node.name);
    let (label, shape) = match node.kind {
        NodeKind::Step => ("step".to_owned(), "ellipse"),
        NodeKind::AllInputs => ("all inputs".to_owned(), "point"),
        NodeKind::Input | NodeKind::ReactiveInput => (short.to_owned(), "box"),
        NodeKind::Output => (format!("{short} ({})", node.level), "box"),
    };
    let bold = if node.kind == NodeKind::ReactiveInput { ", style=bold" } else { "" };
    format!("n{index} [label={}, shape={shape}{bold}];", quoted(&label))
}

fn style(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Connected => "",
        EdgeKind::Delayed => " [style=dashed, label=\"delayed\"]",
        EdgeKind::Feedthrough => " [style=bold]",
        EdgeKind::LateFeedthrough => " [style=\"bold,dashed\"]",
        EdgeKind::Step => " [color=gray]",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(quoted("a \"b\" \\c"), r#""a \"b\" \\c""#);
    }
}
