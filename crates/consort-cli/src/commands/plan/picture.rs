//! A plan's graph as SVG: a band per component, levels from left to right, and what leads to what.

use crate::plot::words::{escape, fit_middle};
use consort_planner::{EdgeKind, Explanation, GraphEdge, GraphNode, NodeKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const BOX_WIDTH: f64 = 130.0;
const BOX_HEIGHT: f64 = 20.0;
const COLUMN: f64 = 180.0;
const ROW: f64 = 28.0;
const BAND_GAP: f64 = 14.0;
const LEFT: f64 = 150.0;
const TOP: f64 = 64.0;
const FONT: f64 = 11.0;

/// Draws the graph; equal graphs give equal bytes.
pub(super) fn svg(name: &str, explanation: &Explanation) -> String {
    let layout = Layout::of(&explanation.nodes);
    let mut out = String::new();
    open(&mut out, name, &layout);
    for (component, (top, height)) in &layout.bands {
        band(&mut out, component, *top, *height, layout.width);
    }
    for edge in &explanation.edges {
        draw_edge(&mut out, edge, &layout);
    }
    for (node, place) in explanation.nodes.iter().zip(&layout.places) {
        draw_node(&mut out, node, *place);
    }
    out.push_str("</svg>\n");
    out
}

/// Where everything is; a place is the middle of a box.
struct Layout<'a> {
    places: Vec<(f64, f64)>,
    /// By component: top and height.
    bands: BTreeMap<&'a str, (f64, f64)>,
    columns: u32,
    width: f64,
    height: f64,
}

impl<'a> Layout<'a> {
    fn of(nodes: &'a [GraphNode]) -> Self {
        let mut rows: BTreeMap<(&str, u32), u32> = BTreeMap::new();
        let mut row_of = Vec::new();
        for node in nodes {
            let row = rows.entry((&node.component, column(node))).or_default();
            row_of.push(*row);
            *row += 1;
        }
        let mut bands: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for ((component, _), count) in &rows {
            let height = &mut bands.entry(component).or_default().1;
            *height = height.max(f64::from(*count) * ROW + 8.0);
        }
        let mut top = TOP;
        for band in bands.values_mut() {
            band.0 = top;
            top += band.1 + BAND_GAP;
        }
        let columns = nodes.iter().map(column).max().map_or(1, |last| last + 1);
        let place = |(node, row): (&GraphNode, &u32)| {
            let x = LEFT + f64::from(column(node)) * COLUMN + COLUMN / 2.0;
            (x, bands[node.component.as_str()].0 + 4.0 + (f64::from(*row) + 0.5) * ROW)
        };
        let places = nodes.iter().zip(&row_of).map(place).collect();
        let width = LEFT + f64::from(columns) * COLUMN + 10.0;
        Layout { places, bands, columns, width, height: top + 10.0 }
    }
}

/// Inputs of a level stand left of its outputs, steps at the far left.
fn column(node: &GraphNode) -> u32 {
    match node.kind {
        NodeKind::Step => 0,
        NodeKind::Input | NodeKind::ReactiveInput => 2 * node.level + 1,
        NodeKind::AllInputs | NodeKind::Output => 2 * node.level + 2,
    }
}

macro_rules! put {
    ($out:expr, $($argument:tt)*) => {
        writeln!($out, $($argument)*).expect("writing to a string succeeds")
    };
}

fn open(out: &mut String, name: &str, layout: &Layout<'_>) {
    let (width, height) = (layout.width, layout.height);
    put!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="{FONT}" role="img">"#
    );
    put!(out, "<title>The plan of {}</title>", escape(name));
    put!(
        out,
        r##"<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555555"/></marker></defs>"##
    );
    put!(out, r##"<rect width="{width:.0}" height="{height:.0}" fill="#ffffff"/>"##);
    put!(out, r##"<text x="10" y="22" font-size="15" fill="#222222">{}</text>"##, escape(name));
    for column in 0..layout.columns {
        let x = LEFT + f64::from(column) * COLUMN + COLUMN / 2.0;
        let title = match column {
            0 => "steps".to_owned(),
            _ if column % 2 == 1 => format!("given, level {}", column / 2),
            _ => format!("read, level {}", column / 2 - 1),
        };
        put!(
            out,
            r##"<text x="{x:.1}" y="50" text-anchor="middle" fill="#555555">{title}</text>"##
        );
    }
}

fn band(out: &mut String, component: &str, top: f64, height: f64, width: f64) {
    let room = width - 20.0;
    put!(
        out,
        r##"<rect x="10" y="{top:.1}" width="{room:.1}" height="{height:.1}" fill="#f5f7fa" stroke="#dde3ea"/>"##
    );
    let middle = top + height / 2.0 + FONT / 3.0;
    let label = escape(&fit_middle(component, FONT, LEFT - 30.0));
    put!(out, r##"<text x="20" y="{middle:.1}" font-weight="bold" fill="#222222">{label}</text>"##);
}

fn draw_edge(out: &mut String, edge: &GraphEdge, layout: &Layout<'_>) {
    let ((x1, y1), (x2, y2)) = (layout.places[edge.from], layout.places[edge.to]);
    let (start, end) = (x1 + BOX_WIDTH / 2.0, x2 - BOX_WIDTH / 2.0);
    let bend = ((end - start).abs() / 2.0).max(40.0);
    let (color, width, dash) = match edge.kind {
        EdgeKind::Connected => ("#555555", 1.0, ""),
        EdgeKind::Delayed => ("#d55e00", 1.2, "5 3"),
        EdgeKind::Feedthrough => ("#0072b2", 2.2, ""),
        EdgeKind::LateFeedthrough => ("#0072b2", 2.2, "5 3"),
        EdgeKind::Step => ("#c0c0c0", 1.0, ""),
    };
    put!(
        out,
        r##"<path d="M{start:.1} {y1:.1}C{:.1} {y1:.1} {:.1} {y2:.1} {end:.1} {y2:.1}" fill="none" stroke="{color}" stroke-width="{width}" stroke-dasharray="{dash}" marker-end="url(#tip)"/>"##,
        start + bend,
        end - bend
    );
}

fn draw_node(out: &mut String, node: &GraphNode, (x, y): (f64, f64)) {
    let short = node.name.strip_prefix(&format!("{}.", node.component)).unwrap_or(&node.name);
    let (label, fill) = match node.kind {
        NodeKind::Step => ("step", "#eeeeee"),
        NodeKind::AllInputs => ("all inputs", "#ffffff"),
        NodeKind::Input => (short, "#ffffff"),
        NodeKind::ReactiveInput => (short, "#fff1dc"),
        NodeKind::Output => (short, "#e3f0fa"),
    };
    let (left, top) = (x - BOX_WIDTH / 2.0, y - BOX_HEIGHT / 2.0);
    put!(
        out,
        r##"<rect x="{left:.1}" y="{top:.1}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="3" fill="{fill}" stroke="#9a9a9a"><title>{}</title></rect>"##,
        escape(&node.name)
    );
    let label = escape(&fit_middle(label, FONT, BOX_WIDTH - 10.0));
    let baseline = y + FONT / 3.0;
    put!(out, r##"<text x="{x:.1}" y="{baseline:.1}" text-anchor="middle">{label}</text>"##);
}
