//! Watches what is recorded for numbers that are none any more.

use consort_core::{Diagnostic, Resolution, Tag};
use consort_trace::{Cell, Chunk};

/// The most variables that are named.
const NAMED_MAX: usize = 5;

/// Looks at every chunk on its way to the disk.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Per element, in the order of a file's columns: nothing new can be said about it.
    settled: Vec<bool>,
    lapses: Vec<Lapse>,
    has_begun: bool,
}

/// A variable that stopped being a finite number.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lapse {
    /// Its name.
    pub(crate) name: String,
    /// When.
    pub(crate) tag: Tag,
    /// What it is instead: `NaN`, `inf`.
    pub(crate) value: f64,
    /// From the first row on.
    pub(crate) at_start: bool,
}

impl Watch {
    /// Looks at the next rows.
    pub(crate) fn look(&mut self, chunk: &Chunk) {
        if !chunk.is_finite() {
            self.search(chunk);
        }
        self.has_begun |= !chunk.is_empty();
    }

    /// What was seen, the earliest first; at the same tag in the order of the columns.
    pub(crate) fn finish(mut self) -> Vec<Lapse> {
        self.lapses.sort_by_key(|lapse| lapse.tag);
        self.lapses
    }

    fn search(&mut self, chunk: &Chunk) {
        let schema = chunk.schema();
        self.settled.resize(schema.elements().count(), false);
        for (index, (column, element)) in schema.elements().enumerate() {
            let described = &schema.columns()[column];
            if self.settled[index] || !described.value_type.is_float() {
                continue;
            }
            let values = (0..chunk.rows()).map(|row| float(chunk.cell(row, column, element)));
            let odd = values.enumerate().find(|(_, value)| !value.is_finite());
            let Some((row, value)) = odd else { continue };
            self.settled[index] = true;
            let at_start = row == 0 && !self.has_begun;
            // Who starts with infinity means it, such as a limit that is none.
            if !at_start || value.is_nan() {
                let (name, tag) = (described.element_name(element), chunk.tags()[row]);
                self.lapses.push(Lapse { name, tag, value, at_start });
            }
        }
    }
}

fn float(cell: Cell<'_>) -> f64 {
    match cell {
        Cell::Float64(value) => value,
        Cell::Float32(value) => value.into(),
        _ => 0.0,
    }
}

/// A warning about what was seen, if there is anything to warn of.
pub(crate) fn warning(lapses: &[Lapse], resolution: Resolution) -> Option<Diagnostic> {
    let (first, others) = lapses.split_first()?;
    let value = if first.value.is_nan() { "NaN" } else { "infinite" };
    let message = match first.at_start {
        true => format!("`{}` is {value} from the start", first.name),
        false => {
            let time = resolution.to_f64(first.tag.time);
            format!("`{}` became {value} at {time} s", first.name)
        }
    };
    let mut diagnostic = Diagnostic::warning("run::not-finite", message);
    if !others.is_empty() {
        diagnostic = diagnostic.with_note(format!("after it {}", list(others)));
    }
    Some(diagnostic.help("look at what feeds it just before, or take smaller steps"))
}

/// `` `a.x`, `a.y` and 3 more ``.
fn list(lapses: &[Lapse]) -> String {
    let named = lapses.iter().take(NAMED_MAX).map(|lapse| format!("`{}`", lapse.name));
    let named = named.collect::<Vec<_>>().join(", ");
    match lapses.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{Time, ValueType, ValuesRef};
    use consort_trace::{Column, Schema};
    use std::sync::Arc;

    const INF: f64 = f64::INFINITY;

    /// Records these rows of `a.x` and `a.y`, two to a chunk, at ticks 0, 1, 2 and so on.
    fn seen(rows: &[[f64; 2]]) -> Option<String> {
        let columns = ["x", "y"].map(|name| Column::new("a", name, ValueType::Float64));
        let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns.into()).unwrap());
        let mut watch = Watch::default();
        for (index, rows) in rows.chunks(2).enumerate() {
            let mut chunk = Chunk::with_rows(&schema, 2);
            for (row, values) in rows.iter().enumerate() {
                let tag = Tag::at(Time::from_ticks((2 * index + row) as i64));
                chunk.push_row(tag, &[ValuesRef::Float64(values)]);
            }
            watch.look(&chunk);
        }
        let diagnostic = warning(&watch.finish(), Resolution::NANOSECOND)?;
        Some(format!("{} {}", diagnostic.message, diagnostic.notes.join(" ")).trim().to_owned())
    }

    #[test]
    fn the_first_that_is_no_number_is_named() {
        let nan = f64::NAN;
        for (rows, said) in [
            (&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]][..], None),
            (&[[INF, 0.0], [INF, 1.0], [INF, 2.0]], None),
            (&[[nan, 0.0], [nan, 1.0]], Some("`a.x` is NaN from the start")),
            (&[[0.0, 0.0], [0.0, 0.0], [INF, 0.0]], Some("`a.x` became infinite at 0.000000002 s")),
            (&[[0.0, 0.0], [INF, 0.0], [0.0, 0.0]], Some("`a.x` became infinite at 0.000000001 s")),
            (
                &[[0.0, 0.0], [0.0, nan], [nan, nan], [nan, nan]],
                Some("`a.y` became NaN at 0.000000001 s after it `a.x`"),
            ),
        ] {
            assert_eq!(seen(rows).as_deref(), said, "{rows:?}");
        }
    }
}
