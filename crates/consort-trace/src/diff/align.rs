//! Which rows and which columns of two traces belong together.

use super::{ComparedRows, DiffOptions, LoneRows};
use crate::trace::Trace;
use consort_core::Tag;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// One element of one column.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Leaf {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) column: usize,
    pub(super) element: usize,
}

/// Where in a trace a row of the other is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Row {
    /// At a row.
    At(usize),
    /// Between a row and the next, at a part of the time between them.
    Between {
        /// The row before.
        before: usize,
        /// From 0 to 1.
        part: f64,
    },
}

/// The rows of two traces, matched by tag.
pub(super) struct Pairing {
    pub(super) rows: Vec<(Row, usize)>,
    pub(super) lone: [LoneRows; 2],
}

impl Pairing {
    pub(super) fn new(a: &Trace, b: &Trace, compared: ComparedRows) -> Self {
        match compared {
            ComparedRows::All => Self::by_tag(a, b),
            ComparedRows::Common => Pairing { lone: Default::default(), ..Self::by_tag(a, b) },
            ComparedRows::Interpolated => Self::interpolated(a, b),
        }
    }

    /// The rows of the second, in the first; those before its start and after its end have none.
    fn interpolated(a: &Trace, b: &Trace) -> Self {
        let mut pairing = Self::by_tag(a, b);
        let mut matched = vec![false; b.tags().len()];
        pairing.rows.iter().for_each(|&(_, row)| matched[row] = true);
        let times: Vec<f64> = a.times().collect();
        pairing.lone = Default::default();
        for (row, time) in b.times().enumerate().filter(|(row, _)| !matched[*row]) {
            match place(&times, time) {
                Some(place) => pairing.rows.push((place, row)),
                None => pairing.lone[1].add(b.tags()[row]),
            }
        }
        pairing.rows.sort_by_key(|(_, row)| *row);
        pairing
    }

    fn by_tag(a: &Trace, b: &Trace) -> Self {
        let mut pairing = Pairing { rows: Vec::new(), lone: Default::default() };
        let (mut row_a, mut row_b) = (0, 0);
        while row_a < a.tags().len() || row_b < b.tags().len() {
            match order(a, row_a, b, row_b) {
                Ordering::Equal => pairing.rows.push((Row::At(row_a), row_b)),
                Ordering::Less => pairing.lone[0].add(a.tags()[row_a]),
                Ordering::Greater => pairing.lone[1].add(b.tags()[row_b]),
            }
            let order = order(a, row_a, b, row_b);
            row_a += usize::from(order.is_le());
            row_b += usize::from(order.is_ge());
        }
        pairing
    }
}

/// Where a time is among the times of rows; the last of several rows of that time.
fn place(times: &[f64], time: f64) -> Option<Row> {
    let next = times.partition_point(|known| *known <= time);
    let before = next.checked_sub(1)?;
    match times.get(next) {
        _ if times[before].to_bits() == time.to_bits() => Some(Row::At(before)),
        None => None,
        Some(after) => {
            Some(Row::Between { before, part: (time - times[before]) / (after - times[before]) })
        }
    }
}

/// Which of two rows comes first; a trace that has ended comes last. Traces of different
/// resolutions are ordered by the times that their files show.
fn order(a: &Trace, row_a: usize, b: &Trace, row_b: usize) -> Ordering {
    let (tag_a, tag_b) = match (a.tags().get(row_a), b.tags().get(row_b)) {
        (Some(tag_a), Some(tag_b)) => (tag_a, tag_b),
        (Some(_), None) => return Ordering::Less,
        (None, _) => return Ordering::Greater,
    };
    let (resolution_a, resolution_b) = (a.schema().resolution(), b.schema().resolution());
    if resolution_a == resolution_b {
        return tag_a.cmp(tag_b);
    }
    let times = resolution_a.to_f64(tag_a.time).total_cmp(&resolution_b.to_f64(tag_b.time));
    times.then(tag_a.microstep.cmp(&tag_b.microstep))
}

impl LoneRows {
    fn add(&mut self, tag: Tag) {
        self.count += 1;
        self.first = self.first.or(Some(tag));
    }
}

/// The columns of two traces, matched by name.
pub(super) struct Columns {
    pub(super) common: Vec<(Leaf, Leaf)>,
    pub(super) lone: [Vec<String>; 2],
}

/// Matches the columns that the options choose. They come in the order they have in both traces; if
/// the traces disagree, by name, so that the order does not depend on which trace is the first.
pub(super) fn columns(a: &Trace, b: &Trace, options: &DiffOptions) -> Columns {
    let (leaves_a, leaves_b) = (leaves(a, options), leaves(b, options));
    let index = |leaves: &[Leaf]| -> BTreeMap<String, usize> {
        leaves.iter().enumerate().map(|(index, leaf)| (leaf.name.clone(), index)).collect()
    };
    let (index_a, index_b) = (index(&leaves_a), index(&leaves_b));
    let lone = |leaves: &[Leaf], other: &BTreeMap<String, usize>| -> Vec<String> {
        let alone = leaves.iter().filter(|leaf| !other.contains_key(&leaf.name));
        alone.map(|leaf| leaf.name.clone()).collect()
    };
    let lone = [lone(&leaves_a, &index_b), lone(&leaves_b, &index_a)];
    let mut common: Vec<(usize, usize)> = Vec::new();
    for (position, leaf) in leaves_a.iter().enumerate() {
        common.extend(index_b.get(&leaf.name).map(|&other| (position, other)));
    }
    if !common.is_sorted_by_key(|&(_, other)| other) {
        common.sort_by(|x, y| leaves_a[x.0].name.cmp(&leaves_a[y.0].name));
    }
    let pair = |(x, y): (usize, usize)| (leaves_a[x].clone(), leaves_b[y].clone());
    Columns { common: common.into_iter().map(pair).collect(), lone }
}

fn leaves(trace: &Trace, options: &DiffOptions) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (index, element) in trace.schema().elements() {
        let column = &trace.schema().columns()[index];
        let (name, path) = (column.element_name(element), column.path().to_owned());
        let patterns = &options.variables;
        let chosen = |pattern: &String| matches(pattern, &name) || matches(pattern, &path);
        if patterns.is_empty() || patterns.iter().any(chosen) {
            leaves.push(Leaf { name, path, column: index, element });
        }
    }
    leaves
}

/// Whether `name` is what `pattern` describes; `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = name.find(piece) else { return false };
        name = &name[at + piece.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        for pattern in ["tank.level", "*", "tank.*", "*.level", "t*.l*l", "tank.level*", "**"] {
            assert!(matches(pattern, "tank.level"), "{pattern}");
        }
        for pattern in ["tank", "tank.*x", "level*", "*tank", "t*x*l", "tank.level*level", ""] {
            assert!(!matches(pattern, "tank.level"), "{pattern}");
        }
    }
}
