//! A plan's graph for Graphviz.

use consort_planner::{EdgeKind, Explanation, GraphNode, NodeKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Components as boxes around their variables, in the order given; with each output its level.
pub fn dot(name: &str, components: &[&str], explanation: &Explanation) -> String {
    let mut text = format!("digraph {} {{\n", quoted(name));
    text.push_str("  rankdir=LR;\n  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n");
    text.push_str("  edge [fontname=\"Helvetica\", fontsize=9];\n");
    let mut inside: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, node) in explanation.nodes.iter().enumerate() {
        inside.entry(&node.component).or_default().push(index);
    }
    for (index, component) in components.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{index} {{\n    label={};", quoted(component));
        for &node in inside.get(component).into_iter().flatten() {
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
    let (label, look) = match node.kind {
        NodeKind::Step => {
            ("step".to_owned(), ", shape=ellipse, style=filled, fillcolor=\"#eeeeee\"")
        }
        NodeKind::AllInputs => ("all inputs".to_owned(), ", style=rounded"),
        NodeKind::Input => (short.to_owned(), ""),
        NodeKind::ReactiveInput => (short.to_owned(), ", style=filled, fillcolor=\"#fff1dc\""),
        NodeKind::Output => {
            (format!("{short} ({})", node.level), ", style=filled, fillcolor=\"#e3f0fa\"")
        }
    };
    format!("n{index} [label={}{look}];", quoted(&label))
}

fn style(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Connected => "",
        EdgeKind::Delayed => " [style=dashed, color=\"#d55e00\", label=\"one step late\"]",
        EdgeKind::Feedthrough => " [style=bold, color=\"#0072b2\"]",
        EdgeKind::LateFeedthrough => {
            " [style=\"bold,dashed\", color=\"#d55e00\", label=\"one step late\", constraint=false]"
        }
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
