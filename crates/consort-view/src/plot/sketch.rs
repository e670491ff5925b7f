//! A figure as braille dots: enough to see after a run whether it went as expected.

use super::axis::{Axis, Margin};
use super::words::escape_terminal;
use super::{Figure, Mark, Panel, Series, Style, decimate};

/// Dots per character, sideways and upward.
const DOTS: (usize, usize) = (2, 4);

/// Draws a figure with `width` columns and about `height` lines per panel.
pub fn sketch(figure: &Figure, width: usize, height: usize) -> String {
    let range = figure.time_range().unwrap_or((0.0, 1.0));
    let axis = match &figure.x_label {
        Some(label) => XAxis { range, ending: format!("  {}", escape_terminal(label)) },
        None => XAxis { range, ending: " s".to_owned() },
    };
    let panels = figure.panels.iter().map(|panel| sketch_panel(panel, &axis, width, height));
    panels.collect::<Vec<_>>().join("\n")
}

/// The horizontal axis of all panels, and what stands behind its last number.
struct XAxis {
    range: (f64, f64),
    ending: String,
}

/// The name of a curve; one without a curve says so.
fn name(series: &Series) -> String {
    let ending = if series.mark() == Mark::Nothing { " (no data)" } else { "" };
    format!("{}{ending}", escape_terminal(&series.name))
}

fn sketch_panel(panel: &Panel, axis: &XAxis, width: usize, height: usize) -> String {
    let times = axis.range;
    let names: Vec<String> = panel.series.iter().map(name).collect();
    let heading = format!("{} {}\n", names.join(", "), panel.y_label);
    let Some((low, high)) = panel.value_range() else { return format!("{heading}no data\n") };
    let size = high.abs().max(low.abs());
    let labels = [short(high, size), short(low, size)];
    let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let mut dots = Dots::new(width.saturating_sub(margin + 2).max(10), height.max(2));
    let (x, y) = (Axis::new(times, Margin::None, 2), Axis::new((low, high), Margin::None, 2));
    for series in &panel.series {
        dots.curve(series, &x, &y);
    }
    let mut out = heading;
    for (row, line) in dots.lines().enumerate() {
        let label = match row {
            0 => labels[0].as_str(),
            last if last + 1 == height.max(2) => labels[1].as_str(),
            _ => "",
        };
        out.push_str(&format!("{label:>margin$} \u{2502}{line}\n"));
    }
    let size = times.0.abs().max(times.1.abs());
    let (first, last) = (short(times.0, size), format!("{}{}", short(times.1, size), axis.ending));
    let gap = dots.columns.saturating_sub(first.chars().count()).max(last.chars().count() + 1);
    out.push_str(&format!("{:margin$} \u{2514}{first}{last:>gap$}\n", ""));
    out
}

/// A number in about six characters; 0 where it is nothing beside numbers of that `size`.
fn short(value: f64, size: f64) -> String {
    let magnitude = value.abs();
    if magnitude <= size * 1e-6 {
        return "0".to_owned();
    }
    if (1e-3..1e5).contains(&magnitude) {
        let text = format!("{value:.3}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{value:.2e}")
}

/// A grid of dots, four rows and two columns to a character.
struct Dots {
    columns: usize,
    rows: usize,
    cells: Vec<u8>,
}

impl Dots {
    fn new(columns: usize, rows: usize) -> Dots {
        Dots { columns, rows, cells: vec![0; columns * rows] }
    }

    fn curve(&mut self, series: &Series, x: &Axis, y: &Axis) {
        let (width, height) = (self.columns * DOTS.0, self.rows * DOTS.1);
        let place = |(time, value): (f64, f64)| {
            let across = x.fraction(time) * (width - 1) as f64;
            let down = (1.0 - y.fraction(value)) * (height - 1) as f64;
            (across.round() as i64, down.round() as i64)
        };
        for run in decimate::runs(series.samples()) {
            let points: Vec<(i64, i64)> = run.into_iter().map(place).collect();
            self.dot(points[0]);
            for pair in points.windows(2) {
                match series.style {
                    Style::Line | Style::Path => self.line(pair[0], pair[1]),
                    Style::Points => self.dot(pair[1]),
                    Style::Steps => {
                        let corner = (pair[1].0, pair[0].1);
                        self.line(pair[0], corner);
                        self.line(corner, pair[1]);
                    }
                }
            }
        }
    }

    fn line(&mut self, from: (i64, i64), to: (i64, i64)) {
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let count = across.abs().max(down.abs()).max(1);
        for i in 0..=count {
            self.dot((from.0 + across * i / count, from.1 + down * i / count));
        }
    }

    fn dot(&mut self, (x, y): (i64, i64)) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        let (column, row) = (x / DOTS.0, y / DOTS.1);
        if column < self.columns && row < self.rows {
            const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
            self.cells[row * self.columns + column] |= BITS[y % DOTS.1][x % DOTS.0];
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let braille = |cell: &u8| {
            char::from_u32(0x2800 + u32::from(*cell)).expect("a braille pattern is a character")
        };
        self.cells.chunks(self.columns).map(move |row| row.iter().map(braille).collect())
    }
}
