//! Where everything is.

use crate::plot::words;
use consort_planner::{Explanation, GraphEdge, GraphNode, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

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
/// A picture that would be wider is folded: its columns continue in another row of the picture.
const WIDTH_MAX: f64 = 1600.0;
/// Between a row of the picture and the titles of the next one's columns.
const FOLD_GAP: f64 = 44.0;
/// The most rows of a picture, and the most components in each; what is beyond is counted.
const FOLDS_MAX: usize = 20;
const BANDS_MAX: usize = 100;

/// Where everything is.
pub(super) struct PictureLayout<'a> {
    /// By node: where it is, if it is drawn.
    pub(super) places: Vec<Option<Place>>,
    pub(super) bands: Vec<Band<'a>>,
    /// The titles of the columns and their centers.
    pub(super) columns: Vec<(String, f64, f64)>,
    /// What is left out, and where that is written.
    pub(super) remarks: Vec<(String, f64)>,
    /// Whether it has several rows.
    pub(super) is_folded: bool,
    pub(super) box_width: f64,
    /// The left edge of the columns.
    pub(super) left: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where a node is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Place {
    /// Which row of the picture.
    pub(super) fold: usize,
    /// The middle of its box.
    pub(super) x: f64,
    /// The middle of its box.
    pub(super) y: f64,
}

/// The room of a component.
pub(super) struct Band<'a> {
    pub(super) component: &'a str,
    pub(super) top: f64,
    pub(super) height: f64,
}

impl<'a> PictureLayout<'a> {
    pub(super) fn of(
        components: &[&'a str],
        explanation: &Explanation,
        edges: &[&GraphEdge],
    ) -> Self {
        let nodes = &explanation.nodes;
        let slots = slots(explanation);
        let mut used: Vec<u32> = slots.clone();
        used.sort_unstable();
        used.dedup();
        let rows = rows(nodes, &slots);
        let labels = components.iter().map(|component| BOLD * text_width(component));
        let left = 3.0 * MARGIN + labels.fold(0.0, f64::max).min(LABEL_WIDTH_MAX);
        let boxes = nodes.iter().map(|node| text_width(short(node)) + 12.0);
        let box_width = boxes.fold(BOX_WIDTH_MIN, f64::max).min(BOX_WIDTH_MAX);
        let each = columns_per_fold(used.len(), left, box_width);
        let x = |column: usize| {
            let column = u32::try_from(column).expect("columns fit in 32 bits");
            left + COLUMN_GAP / 2.0 + box_width / 2.0 + f64::from(column) * (box_width + COLUMN_GAP)
        };
        let column = |index: usize| used.partition_point(|slot| *slot < slots[index]);
        let mut layout = PictureLayout {
            places: vec![None; nodes.len()],
            bands: Vec::new(),
            columns: Vec::new(),
            remarks: Vec::new(),
            is_folded: each < used.len(),
            box_width,
            left,
            width: (x(each) - box_width / 2.0 + MARGIN - COLUMN_GAP / 2.0).max(WIDTH_MIN),
            height: 0.0,
        };
        let fold_of = |index: usize| column(index) / each.max(1);
        let lonely = match layout.is_folded {
            true => lonely_steps(nodes, edges, fold_of),
            false => BTreeSet::new(),
        };
        let mut top = TOP;
        for (fold, slots) in used.chunks(each.max(1)).take(FOLDS_MAX).enumerate() {
            let is_inside = |&index: &usize| fold_of(index) == fold && !lonely.contains(&index);
            let inside: Vec<usize> = (0..nodes.len()).filter(is_inside).collect();
            let bottom = layout.add_bands(components, nodes, (&inside, &rows), top);
            for index in inside {
                layout.places[index] = layout.band_top(&nodes[index].component, top).map(|band| {
                    let y = band + BAND_PADDING + (f64::from(rows[index]) + 0.5) * ROW;
                    Place { fold, x: x(column(index) % each.max(1)), y }
                });
            }
            let titles =
                slots.iter().enumerate().map(|(at, slot)| (title(*slot), x(at), top - 12.0));
            layout.columns.extend(titles);
            layout.height = bottom + LEGEND;
            top = bottom + FOLD_GAP;
        }
        if used.is_empty() {
            layout.height = layout.add_bands(components, nodes, (&[], &rows), top) + LEGEND;
        }
        let beyond = used.len().saturating_sub(each.saturating_mul(FOLDS_MAX));
        if 0 < beyond {
            let remark = format!("and {beyond} more columns; `--format json` has all");
            layout.remarks.push((remark, top - FOLD_GAP + FONT));
            layout.height += ROW;
        }
        layout
    }

    /// The bands of one row of the picture: of all components if it is the only row, else of those with nodes
    /// `inside`. Returns where the last one ends.
    fn add_bands(
        &mut self,
        components: &[&'a str],
        nodes: &[GraphNode],
        (inside, rows): (&[usize], &[u32]),
        mut top: f64,
    ) -> f64 {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for &index in inside {
            let count = counts.entry(&nodes[index].component).or_default();
            *count = (*count).max(rows[index] + 1);
        }
        let is_here = |component: &&&str| !self.is_folded || counts.contains_key(**component);
        let here: Vec<&'a str> = components.iter().filter(is_here).copied().collect();
        for &component in here.iter().take(BANDS_MAX) {
            let count = counts.get(component).copied().unwrap_or(1);
            let height = f64::from(count) * ROW + 2.0 * BAND_PADDING;
            self.bands.push(Band { component, top, height });
            top += height + BAND_GAP;
        }
        if BANDS_MAX < here.len() {
            let more = here.len() - BANDS_MAX;
            let remark = format!("and {more} more components; `--format json` has all");
            self.remarks.push((remark, top + FONT));
            top += ROW;
        }
        top
    }

    /// Where the band of a component begins, among those from `top` on.
    fn band_top(&self, component: &str, top: f64) -> Option<f64> {
        let bands = self.bands.iter().rev().take_while(|band| top <= band.top);
        bands.filter(|band| band.component == component).map(|band| band.top).next()
    }
}

/// The steps without a line in their row of a folded picture, which would make each row as high as the system
/// has components.
fn lonely_steps(
    nodes: &[GraphNode],
    edges: &[&GraphEdge],
    fold_of: impl Fn(usize) -> usize,
) -> BTreeSet<usize> {
    let steps = (0..nodes.len()).filter(|&index| nodes[index].kind == NodeKind::Step);
    let mut lonely: BTreeSet<usize> = steps.collect();
    for edge in edges.iter().filter(|edge| fold_of(edge.from) == fold_of(edge.to)) {
        lonely.remove(&edge.from);
        lonely.remove(&edge.to);
    }
    lonely
}

/// How many columns a row of the picture has: all of them if they fit.
fn columns_per_fold(count: usize, left: f64, box_width: f64) -> usize {
    let fitting = ((WIDTH_MAX - left) / (box_width + COLUMN_GAP)).floor();
    // At most a few dozen: boxes have a least width.
    let fitting = (fitting as usize).max(2);
    if count <= fitting { count } else { count.div_ceil(count.div_ceil(fitting)) }
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

/// A variable's name without its component's.
pub(super) fn short(node: &GraphNode) -> &str {
    let name = node.name.strip_prefix(node.component.as_str());
    name.and_then(|rest| rest.strip_prefix('.')).unwrap_or(&node.name)
}

pub(super) fn text_width(text: &str) -> f64 {
    words::width(text, FONT)
}
