//! Where everything is.

use crate::plot::words;
use consort_planner::{Explanation, GraphNode, NodeKind};
use std::collections::BTreeMap;

pub(super) const BOX_HEIGHT: f64 = 20.0;
pub(super) const COLUMN_GAP: f64 = 54.0;
pub(super) const ROW: f64 = 30.0;
pub(super) const FONT: f64 = 11.0;
pub(super) const MARGIN: f64 = 10.0;
/// The height of the legend.
pub(super) const LEGEND: f64 = 34.0;
const BAND_GAP: f64 = 12.0;
const BAND_PADDING: f64 = 4.0;
const TOP: f64 = 62.0;
/// No narrower: titles of columns are as wide.
const BOX_WIDTH_MIN: f64 = 84.0;
const BOX_WIDTH_MAX: f64 = 190.0;
/// How much wider bold text is.
const BOLD: f64 = 1.15;
const LABEL_WIDTH_MAX: f64 = 180.0;
/// There is room for the legend.
const WIDTH_MIN: f64 = 560.0;

/// Where everything is; a place is the middle of a box.
pub(super) struct PictureLayout<'a> {
    pub(super) places: Vec<(f64, f64)>,
    pub(super) bands: Vec<Band<'a>>,
    /// Titles and middles.
    pub(super) columns: Vec<(String, f64)>,
    pub(super) box_width: f64,
    /// Where the columns begin.
    pub(super) left: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The room of a component.
pub(super) struct Band<'a> {
    pub(super) component: &'a str,
    pub(super) top: f64,
    pub(super) height: f64,
}

impl<'a> PictureLayout<'a> {
    pub(super) fn of(components: &[&'a str], explanation: &Explanation) -> Self {
        let nodes = &explanation.nodes;
        let slots = slots(explanation);
        let mut used: Vec<u32> = slots.clone();
        used.sort_unstable();
        used.dedup();
        let rows = rows(nodes, &slots);
        let (bands, bottom) = bands(components, nodes, &rows);
        let labels = bands.iter().map(|band| BOLD * text_width(band.component));
        let left = 3.0 * MARGIN + labels.fold(0.0, f64::max).min(LABEL_WIDTH_MAX);
        let boxes = nodes.iter().map(|node| text_width(short(node)) + 12.0);
        let box_width = boxes.fold(BOX_WIDTH_MIN, f64::max).min(BOX_WIDTH_MAX);
        let x = |column: usize| {
            let column = u32::try_from(column).expect("columns fit in 32 bits");
            left + COLUMN_GAP / 2.0 + box_width / 2.0 + f64::from(column) * (box_width + COLUMN_GAP)
        };
        let tops: BTreeMap<&str, f64> = bands.iter().map(|it| (it.component, it.top)).collect();
        let place = |index: usize| {
            let column = used.partition_point(|slot| *slot < slots[index]);
            let top = tops.get(nodes[index].component.as_str()).copied().unwrap_or(TOP);
            (x(column), top + BAND_PADDING + (f64::from(rows[index]) + 0.5) * ROW)
        };
        PictureLayout {
            places: (0..nodes.len()).map(place).collect(),
            columns: used.iter().enumerate().map(|(at, slot)| (title(*slot), x(at))).collect(),
            bands,
            box_width,
            left,
            width: (x(used.len()) - box_width / 2.0 + MARGIN - COLUMN_GAP / 2.0).max(WIDTH_MIN),
            height: bottom + LEGEND,
        }
    }
}

/// Per level: what is given, all of it together, steps, what is read. Empty slots are left out.
const SLOTS: u32 = 4;

fn slots(explanation: &Explanation) -> Vec<u32> {
    let nodes = &explanation.nodes;
    let mut levels: Vec<u32> = nodes.iter().map(|node| node.level).collect();
    for edge in &explanation.edges {
        if nodes[edge.to].kind == NodeKind::AllInputs {
            levels[edge.to] = levels[edge.to].max(nodes[edge.from].level);
        }
    }
    let slot = |(node, level): (&GraphNode, &u32)| {
        level * SLOTS
            + match node.kind {
                NodeKind::Input | NodeKind::ReactiveInput => 0,
                NodeKind::AllInputs => 1,
                NodeKind::Step => 2,
                NodeKind::Output => 3,
            }
    };
    nodes.iter().zip(&levels).map(slot).collect()
}

fn title(slot: u32) -> String {
    let level = slot / SLOTS;
    match slot % SLOTS {
        0 => format!("given, level {level}"),
        1 => String::new(),
        2 => "steps".to_owned(),
        _ => format!("read, level {level}"),
    }
}

/// Below one another are things of one component in one column.
fn rows(nodes: &[GraphNode], slots: &[u32]) -> Vec<u32> {
    let mut next: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    let mut rows = Vec::new();
    for (node, slot) in nodes.iter().zip(slots) {
        let row = next.entry((&node.component, *slot)).or_default();
        rows.push(*row);
        *row += 1;
    }
    rows
}

/// The bands, and where the last one ends.
fn bands<'a>(components: &[&'a str], nodes: &[GraphNode], rows: &[u32]) -> (Vec<Band<'a>>, f64) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (node, row) in nodes.iter().zip(rows) {
        let count = counts.entry(&node.component).or_default();
        *count = (*count).max(row + 1);
    }
    let mut top = TOP;
    let mut bands = Vec::new();
    for &component in components {
        let count = counts.get(component).copied().unwrap_or(1);
        let height = f64::from(count) * ROW + 2.0 * BAND_PADDING;
        bands.push(Band { component, top, height });
        top += height + BAND_GAP;
    }
    (bands, top)
}

/// A variable's name without its component's.
pub(super) fn short(node: &GraphNode) -> &str {
    let name = node.name.strip_prefix(node.component.as_str());
    name.and_then(|rest| rest.strip_prefix('.')).unwrap_or(&node.name)
}

pub(super) fn text_width(text: &str) -> f64 {
    words::width(text, FONT)
}
