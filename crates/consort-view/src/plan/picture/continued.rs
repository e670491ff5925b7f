//! Edges from one row of a folded picture to another: instead of a line, each end names the other.

use super::layout::{BOX_HEIGHT, PictureLayout, Place};
use super::look;
use crate::plot::words::{escape, fit_middle};
use consort_planner::{EdgeKind, GraphEdge, GraphNode};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The size of the names, which stand between a box and the one above it.
const SMALL: f64 = 8.5;

impl PictureLayout<'_> {
    /// Whether both ends of an edge are drawn, and in one row.
    pub(super) fn is_within(&self, edge: &GraphEdge) -> bool {
        match (self.places[edge.from], self.places[edge.to]) {
            (Some(from), Some(to)) => from.fold == to.fold,
            _ => false,
        }
    }
}

/// Writes at each end of the edges what is at the other. That outputs follow the state of their component goes
/// without saying.
pub(super) fn draw(
    out: &mut String,
    nodes: &[GraphNode],
    edges: &[&GraphEdge],
    layout: &PictureLayout<'_>,
) {
    let mut ends: BTreeMap<(usize, bool), Vec<&GraphEdge>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.kind != EdgeKind::Step) {
        ends.entry((edge.from, false)).or_default().push(edge);
        ends.entry((edge.to, true)).or_default().push(edge);
    }
    for ((node, is_target), edges) in &ends {
        let Some(place) = layout.places[*node] else { continue };
        let other =
            |edge: &&GraphEdge| nodes[if *is_target { edge.from } else { edge.to }].name.as_str();
        let names: Vec<&str> = edges.iter().map(other).collect();
        let has_both = ends.contains_key(&(*node, !is_target));
        let room = if has_both { layout.box_width / 2.0 } else { layout.box_width };
        let end = End { is_target: *is_target, color: look(edges[0].kind).1.color, room };
        end.draw(out, &names, place, layout.box_width);
    }
}

/// One end of some edges.
struct End {
    is_target: bool,
    color: &'static str,
    room: f64,
}

impl End {
    /// `← tank.level` above the left end of a box, `→ tank.valve` above the right end; more are counted.
    fn draw(&self, out: &mut String, names: &[&str], place: Place, box_width: f64) {
        let arrow = if self.is_target { "←" } else { "→" };
        let label = match names {
            [name] => format!("{arrow} {}", fit_middle(name, SMALL, self.room - 2.0 * SMALL)),
            names => format!("{arrow} {} variables", names.len()),
        };
        let (anchor, x) = match self.is_target {
            true => ("start", place.x - box_width / 2.0),
            false => ("end", place.x + box_width / 2.0),
        };
        let y = place.y - BOX_HEIGHT / 2.0 - 2.0;
        let (label, all) = (escape(&label), escape(&names.join(", ")));
        put!(
            out,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" font-size="{SMALL}" fill="{}">{label}<title>{all}</title></text>"#,
            self.color
        );
    }
}
