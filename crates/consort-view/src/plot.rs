//! Pictures of what was recorded: SVG, PNG, a page to zoom in, and a sketch for the terminal.
//!
//! Everything here is a function from data to text or bytes; the caller reads and writes files.
//! The same data gives the same bytes, on every machine.
//!
//! - [`columns()`] picks what to draw from a trace, [`range()`] says in a few words what it did.
//! - [`Signals`] is what the system says about them: units that come over connections, values that are held.
//! - [`Figure`] says what to draw: panels that share the horizontal axis, each with its unit; of one run or of
//!   several, over time or over another variable.
//! - [`svg()`] draws it, [`png()`] turns that into pixels with a font of its own.
//! - [`html()`] makes one self-contained page with zoom and read-out.
//! - [`sketch()`] is a small picture of braille dots for the terminal.

mod axis;
mod columns;
mod decimate;
mod excerpt;
mod html;
mod paint;
mod panels;
mod pattern;
mod png;
mod signals;
mod sketch;
mod svg;
pub mod words;

pub use columns::{columns, range};
pub use excerpt::TimeRange;
pub use html::html;
pub use png::{PngError, png};
pub use signals::Signals;
pub use sketch::sketch;
pub use svg::svg;

/// More curves than this in one panel cannot be distinguished; further ones get a panel of their own.
pub const SERIES_PER_PANEL_MAX: usize = 8;

/// What is drawn: panels above each other that share the horizontal axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figure {
    /// The title of the picture.
    pub title: String,
    /// A second, smaller line, such as the trace hash.
    pub subtitle: Option<String>,
    /// The label of the horizontal axis, if that is not time.
    pub x_label: Option<String>,
    /// The panels from top to bottom.
    pub panels: Vec<Panel>,
}

/// One pair of axes; everything in it is measured in one unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// The label of the vertical axis: the unit.
    pub y_label: String,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What the legend calls it; one without a name is not in the legend.
    pub name: String,
    /// In seconds, never decreasing; with [`Style::Path`] the values of another variable, in any order.
    pub times: Vec<f64>,
    /// One per time; what is not finite is a gap.
    pub values: Vec<f64>,
    /// What is drawn between two values.
    pub style: Style,
}

/// What is drawn between two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Points are joined by straight lines.
    Line,
    /// The first value is held until the second: for what changes at events or samples only.
    Steps,
    /// Nothing: each value is a point.
    Points,
    /// Points are joined in their order, over an axis that is not time.
    Path,
}

/// A recorded variable on its way into a figure.
#[derive(Clone, PartialEq, Debug)]
pub struct PlotColumn {
    /// The name of the variable: `component.variable`.
    pub name: String,
    /// The unit as the model writes it; `None` for plain numbers.
    pub unit: Option<String>,
    /// The value changes at events or samples only, and is held between them.
    pub is_discrete: bool,
    /// In seconds, never decreasing.
    pub times: Vec<f64>,
    /// One value per time.
    pub values: Vec<f64>,
}

/// The columns of one run among several.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlotRun {
    /// What the legend calls the run; empty if it is the only one.
    pub label: String,
    /// What is drawn of it.
    pub columns: Vec<PlotColumn>,
}

/// How large a picture is, in pixels of a plain screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// From left to right; less than [`Size::WIDTH_MIN`] is taken as that.
    pub width: u32,
    /// From top to bottom; a picture grows where its panels would get too low to read.
    pub height: u32,
}

impl Size {
    /// Below this there is no room for labels.
    pub const WIDTH_MIN: u32 = 240;
    /// Renderers and viewers fail beyond this.
    pub const SIDE_MAX: u32 = 16_384;

    /// A size at which `figure` is comfortable to read.
    pub fn comfortable(figure: &Figure) -> Size {
        let width = 960;
        let plot_height = if figure.panels.len() <= 1 { 360.0 } else { 190.0 };
        let height = svg::height_for(figure, width, plot_height).min(f64::from(Self::SIDE_MAX));
        Size { width, height: height as u32 }
    }
}

impl Figure {
    /// Groups columns by unit, in the order in which units first appear, so that curves which can
    /// be compared share an axis; more than [`SERIES_PER_PANEL_MAX`] are split, and so are plain numbers of
    /// very different magnitude.
    pub fn from_columns(title: impl Into<String>, columns: Vec<PlotColumn>) -> Figure {
        Figure::from_runs(title, vec![PlotRun { label: String::new(), columns }])
    }

    /// The same of several runs: the curves of one variable share a panel.
    pub fn from_runs(title: impl Into<String>, runs: Vec<PlotRun>) -> Figure {
        Figure { title: title.into(), panels: panels::panels(runs), ..Figure::default() }
    }

    /// The same with another variable on the horizontal axis, whose values stand where times were.
    #[must_use]
    pub fn over(mut self, name: &str, unit: Option<&str>) -> Figure {
        self.x_label = Some(format!("{name} {}", panels::unit_label(unit)));
        for series in self.panels.iter_mut().flat_map(|panel| &mut panel.series) {
            series.style = Style::Path;
        }
        self
    }

    /// Whether the horizontal axis is a variable.
    fn is_path(&self) -> bool {
        let mut all = self.panels.iter().flat_map(|panel| &panel.series);
        all.any(|series| series.style == Style::Path)
    }

    /// The first and last time of any finite sample.
    fn time_range(&self) -> Option<(f64, f64)> {
        let all = self.panels.iter().flat_map(|panel| &panel.series);
        axis::extent(all.flat_map(Series::finite).map(|(time, _)| time))
    }
}

impl From<PlotColumn> for Series {
    fn from(column: PlotColumn) -> Series {
        let style = if column.is_discrete { Style::Steps } else { Style::Line };
        Series { name: column.name, times: column.times, values: column.values, style }
    }
}

/// What stands beside a name in a legend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// A piece of the line.
    Line,
    /// One point: there are no lines.
    Dot,
    /// There is nothing to draw.
    Nothing,
}

impl Panel {
    /// The least and greatest finite value.
    fn value_range(&self) -> Option<(f64, f64)> {
        axis::extent(self.series.iter().flat_map(Series::finite).map(|(_, value)| value))
    }
}

impl Series {
    /// The samples, time and value; pairs that are not finite are gaps.
    fn samples(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.times.iter().copied().zip(self.values.iter().copied())
    }

    /// What the curve looks like in the legend.
    fn mark(&self) -> Mark {
        let runs = decimate::runs(self.samples());
        match runs.iter().map(Vec::len).max() {
            None => Mark::Nothing,
            Some(longest) if longest == 1 || self.style == Style::Points => Mark::Dot,
            Some(_) => Mark::Line,
        }
    }

    /// The samples that can be drawn.
    fn finite(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.samples().filter(|(time, value)| time.is_finite() && value.is_finite())
    }
}

#[cfg(test)]
mod tests;
