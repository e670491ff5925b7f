//! A plan's graph as SVG: a band per component, what happens first on the left, and what leads to what.

macro_rules! put {
    ($out:expr, $($argument:tt)*) => {
        writeln!($out, $($argument)*).expect("writing to a string succeeds")
    };
}

mod continued;
mod layout;

use crate::plot::words::{escape, fit_middle};
use consort_planner::{EdgeKind, Explanation, GraphEdge, GraphNode, NodeKind};
use layout::{BOX_HEIGHT, COLUMN_GAP, FONT, LEGEND, MARGIN, PictureLayout, Place, ROW};
use std::fmt::Write as _;

/// Every kind of edge, in the order of the legend: its id, what it means and how it looks.
const EDGES: [(EdgeKind, &str, &str, Look); 5] = [
    (EdgeKind::Connected, "connected", "connected", Look::new("#555555", 1.0, "")),
    (EdgeKind::Delayed, "delayed", "connected, one step late", Look::new("#d55e00", 1.4, "5 3")),
    (EdgeKind::Feedthrough, "feedthrough", "feedthrough", Look::new("#0072b2", 2.0, "")),
    (
        EdgeKind::LateFeedthrough,
        "late",
        "feedthrough, one step late",
        Look::new("#d55e00", 2.0, "5 3"),
    ),
    (EdgeKind::Step, "step", "step", Look::new("#a8a8a8", 1.0, "")),
];

/// How a line looks.
#[derive(Clone, Copy)]
struct Look {
    color: &'static str,
    width: f64,
    dash: &'static str,
}

impl Look {
    const fn new(color: &'static str, width: f64, dash: &'static str) -> Look {
        Look { color, width, dash }
    }
}

/// Draws the graph, components in the order given; equal graphs give equal bytes.
pub fn svg(name: &str, components: &[&str], explanation: &Explanation) -> String {
    let edges = drawn(explanation);
    let layout = PictureLayout::of(components, explanation, &edges);
    let mut out = String::new();
    open(&mut out, name, &layout);
    for band in &layout.bands {
        put!(
            out,
            r##"<rect x="{MARGIN}" y="{:.1}" width="{:.1}" height="{:.1}" fill="#f5f7fa" stroke="#dde3ea"/>"##,
            band.top,
            layout.width - 2.0 * MARGIN,
            band.height
        );
        let middle = band.top + band.height / 2.0 + FONT / 3.0;
        let label = escape(&fit_middle(band.component, FONT, layout.left - 3.0 * MARGIN));
        put!(
            out,
            r##"<text x="20" y="{middle:.1}" font-weight="bold" fill="#222222">{label}</text>"##
        );
    }
    let (within, across): (Vec<_>, Vec<_>) =
        edges.into_iter().partition(|edge| layout.is_within(edge));
    for edge in &within {
        draw_edge(&mut out, edge, &layout);
    }
    for (node, place) in explanation.nodes.iter().zip(&layout.places) {
        if let Some(place) = place {
            draw_node(&mut out, node, *place, layout.box_width);
        }
    }
    continued::draw(&mut out, &explanation.nodes, &across, &layout);
    for (remark, y) in &layout.remarks {
        put!(out, r##"<text x="20" y="{y:.1}" fill="#555555">{remark}</text>"##);
    }
    legend(&mut out, &within, &layout);
    out.push_str("</svg>\n");
    out
}

/// The edges that are drawn, those of steps first, so that they lie below the others. That inputs are
/// given again after a step, and that what follows an input follows the state too, goes without
/// saying.
fn drawn(explanation: &Explanation) -> Vec<&GraphEdge> {
    let nodes = &explanation.nodes;
    let mut follows = vec![false; nodes.len()];
    for edge in explanation.edges.iter().filter(|edge| edge.kind == EdgeKind::Feedthrough) {
        follows[edge.to] = true;
    }
    let is_drawn = |edge: &&GraphEdge| {
        let (from, to) = (&nodes[edge.from], &nodes[edge.to]);
        edge.kind != EdgeKind::Step
            || to.kind != NodeKind::Input && (to.level == from.level || !follows[edge.to])
    };
    let mut edges: Vec<&GraphEdge> = explanation.edges.iter().filter(is_drawn).collect();
    edges.sort_by_key(|edge| edge.kind != EdgeKind::Step);
    edges
}

fn open(out: &mut String, name: &str, layout: &PictureLayout<'_>) {
    let (width, height) = (layout.width, layout.height);
    put!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="{FONT}" role="img">"#
    );
    put!(out, "<title>The plan of {}</title>", escape(name));
    out.push_str("<defs>\n");
    for (_, id, _, look) in EDGES {
        put!(
            out,
            r#"<marker id="{id}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="{}"/></marker>"#,
            look.color
        );
    }
    out.push_str("</defs>\n");
    put!(out, r##"<rect width="{width:.0}" height="{height:.0}" fill="#ffffff"/>"##);
    let title = escape(&fit_middle(name, 15.0, width - 2.0 * MARGIN));
    put!(out, r##"<text x="{MARGIN}" y="22" font-size="15" fill="#222222">{title}</text>"##);
    for (title, x, y) in &layout.columns {
        put!(
            out,
            r##"<text x="{x:.1}" y="{y:.0}" text-anchor="middle" fill="#555555">{title}</text>"##
        );
    }
}

fn look(kind: EdgeKind) -> (&'static str, Look) {
    let known = EDGES.iter().find(|(known, ..)| *known == kind);
    let (_, id, _, look) = known.expect("every kind has a look");
    (id, *look)
}

fn draw_edge(out: &mut String, edge: &GraphEdge, layout: &PictureLayout<'_>) {
    let (Some(from), Some(to)) = (layout.places[edge.from], layout.places[edge.to]) else { return };
    let ((x1, y1), (x2, y2)) = ((from.x, from.y), (to.x, to.y));
    let half = layout.box_width / 2.0;
    let (start, end) = (x1 + half, x2 - half);
    let path = if start < end {
        // Steep only in the gap before the target, so that it is clear which box it leads to.
        let bend = (COLUMN_GAP * 0.6).max((end - start) / 3.0);
        let (a, b) = (start + bend, end - bend);
        format!("M{start:.1} {y1:.1}C{a:.1} {y1:.1} {b:.1} {y2:.1} {end:.1} {y2:.1}")
    } else {
        backward((start, y1), (end, y2))
    };
    let (id, look) = look(edge.kind);
    put!(
        out,
        r#"<path d="{path}" fill="none" stroke="{}" stroke-width="{}"{} marker-end="url(#{id})"/>"#,
        look.color,
        look.width,
        dash(look)
    );
}

fn dash(look: Look) -> String {
    match look.dash {
        "" => String::new(),
        dash => format!(r#" stroke-dasharray="{dash}""#),
    }
}

/// Round the boxes: down (or up) in the gap after the source, back between two rows, and into the
/// target from its left.
fn backward((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    let turn = COLUMN_GAP / 3.0;
    let lane = if y2 < y1 { y1 - ROW / 2.0 } else { y1 + ROW / 2.0 };
    let (out, back) = (x1 + turn, x2 - turn);
    format!(
        "M{x1:.1} {y1:.1}C{out:.1} {y1:.1} {out:.1} {lane:.1} {x1:.1} {lane:.1}L{x2:.1} {lane:.1}\
         C{back:.1} {lane:.1} {back:.1} {y2:.1} {x2:.1} {y2:.1}"
    )
}

fn draw_node(out: &mut String, node: &GraphNode, Place { x, y, .. }: Place, width: f64) {
    let (label, fill) = match node.kind {
        NodeKind::Step => ("step", "#eeeeee"),
        NodeKind::AllInputs => ("all inputs", "#ffffff"),
        NodeKind::Input => (layout::short(node), "#ffffff"),
        NodeKind::ReactiveInput => (layout::short(node), "#fff1dc"),
        NodeKind::Output => (layout::short(node), "#e3f0fa"),
    };
    let (left, top) = (x - width / 2.0, y - BOX_HEIGHT / 2.0);
    put!(
        out,
        r##"<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{BOX_HEIGHT}" rx="3" fill="{fill}" stroke="#9a9a9a"><title>{}</title></rect>"##,
        escape(&node.name)
    );
    let label = escape(&fit_middle(label, FONT, width - 10.0));
    let baseline = y + FONT / 3.0;
    put!(out, r##"<text x="{x:.1}" y="{baseline:.1}" text-anchor="middle">{label}</text>"##);
}

/// What the lines mean, as far as there are any of them.
fn legend(out: &mut String, edges: &[&GraphEdge], layout: &PictureLayout<'_>) {
    let (mut x, y) = (MARGIN, layout.height - LEGEND / 2.0);
    for (kind, id, meaning, look) in EDGES {
        if !edges.iter().any(|edge| edge.kind == kind) {
            continue;
        }
        put!(
            out,
            r#"<path d="M{x:.1} {y:.1}H{:.1}" fill="none" stroke="{}" stroke-width="{}"{} marker-end="url(#{id})"/>"#,
            x + 34.0,
            look.color,
            look.width,
            dash(look)
        );
        let baseline = y + FONT / 3.0;
        put!(
            out,
            r##"<text x="{:.1}" y="{baseline:.1}" fill="#555555">{meaning}</text>"##,
            x + 40.0
        );
        x += 40.0 + layout::text_width(meaning) + 24.0;
    }
    if layout.is_folded {
        let baseline = y + FONT / 3.0;
        let meaning = "← comes from another row, → leads to another row";
        put!(out, r##"<text x="{x:.1}" y="{baseline:.1}" fill="#555555">{meaning}</text>"##);
    }
}
