//! Where everything in a picture goes. Legends stand above their panel and so never cover data.

use super::super::axis::{Axis, Margin};
use super::super::words::{fit_end, width, wrap};
use super::super::{Figure, Mark, Panel, Series, Size};

/// Font size of the title.
pub(super) const TITLE: f64 = 16.0;
/// Font size of everything else.
pub(super) const TEXT: f64 = 12.0;
/// Length of the piece of line in a legend.
pub(super) const SAMPLE: f64 = 30.0;
/// Between that piece and its name.
pub(super) const SAMPLE_GAP: f64 = 6.0;
/// Where the baseline of the rotated unit is.
pub(super) const Y_LABEL_AT: f64 = 20.0;

const MARGIN: f64 = 16.0;
const ITEM_GAP: f64 = 18.0;
const ROW: f64 = 18.0;
const PANEL_GAP: f64 = 12.0;
const X_AXIS_HEIGHT: f64 = 46.0;
const PANEL_HEIGHT_MIN: f64 = 96.0;
const TITLE_LINES_MAX: usize = 2;
const X_TICK_APART: f64 = 95.0;
const Y_TICK_APART: f64 = 34.0;

/// The places of a whole picture, in pixels.
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Left end of every panel.
    pub(super) left: f64,
    /// Right end of every panel.
    pub(super) right: f64,
    /// Lines of the title and their baselines.
    pub(super) title: Vec<(String, f64)>,
    pub(super) subtitle: Option<(String, f64)>,
    pub(super) x_axis: Axis,
    pub(super) panels: Vec<PanelLayout>,
}

/// The places of one panel.
pub(super) struct PanelLayout {
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) axis: Axis,
    pub(super) legend: Vec<LegendItem>,
}

/// Where a legend's entry starts and how wide its name may be.
pub(super) struct LegendItem {
    pub(super) x: f64,
    /// Baseline of the name.
    pub(super) y: f64,
    pub(super) text_width: f64,
}

impl Layout {
    pub(super) fn new(figure: &Figure, size: Size) -> Layout {
        let frame = Frame::new(figure, size.width);
        let (title, subtitle, header_end) = frame.header(figure);
        let count = figure.panels.len().max(1) as f64;
        let room = (f64::from(size.height) - frame.fixed_height(figure)) / count;
        let plot_height = room.max(PANEL_HEIGHT_MIN).floor();
        let mut y = header_end;
        let mut panels = Vec::new();
        for panel in &figure.panels {
            let (legend, legend_height) = frame.legend(panel, y);
            let top = y + legend_height;
            let bottom = top + plot_height;
            panels.push(PanelLayout { top, bottom, axis: y_axis(panel, plot_height), legend });
            y = bottom + PANEL_GAP;
        }
        let height = (y - PANEL_GAP + X_AXIS_HEIGHT).max(f64::from(size.height)).ceil();
        let Frame { width, left, right } = frame;
        let x_axis = x_axis(figure, right - left);
        Layout { width, height, left, right, title, subtitle, x_axis, panels }
    }
}

/// The height at which every panel's axes are `plot_height` high.
pub(in super::super) fn height_for(figure: &Figure, width: u32, plot_height: f64) -> f64 {
    let plots = figure.panels.len().max(1) as f64 * plot_height;
    Frame::new(figure, width).fixed_height(figure) + plots
}

/// What is settled before any height is.
struct Frame {
    width: f64,
    left: f64,
    right: f64,
}

type Header = (Vec<(String, f64)>, Option<(String, f64)>, f64);

impl Frame {
    fn new(figure: &Figure, width: u32) -> Frame {
        let width = f64::from(width.clamp(Size::WIDTH_MIN, Size::SIDE_MAX));
        Frame { width, left: left_margin(figure).min(width / 2.0), right: width - MARGIN - 8.0 }
    }

    /// Everything but the axes' own height.
    fn fixed_height(&self, figure: &Figure) -> f64 {
        let legends: f64 = figure.panels.iter().map(|panel| self.legend(panel, 0.0).1).sum();
        let gaps = figure.panels.len().saturating_sub(1) as f64 * PANEL_GAP;
        self.header(figure).2 + legends + gaps + X_AXIS_HEIGHT
    }

    /// The title's lines, the subtitle, and where the first panel may start.
    fn header(&self, figure: &Figure) -> Header {
        let room = self.right - self.left;
        let mut y = MARGIN;
        let mut title = Vec::new();
        for line in wrap(&figure.title, TITLE, room, TITLE_LINES_MAX) {
            y += TITLE * 1.25;
            title.push((line, y - 5.0));
        }
        let subtitle = figure.subtitle.as_ref().map(|line| {
            y += TEXT * 1.5;
            (fit_end(line, TEXT, room), y - 5.0)
        });
        (title, subtitle, y + 4.0)
    }

    /// The legend's entries in rows from `top`, and the height they take.
    fn legend(&self, panel: &Panel, top: f64) -> (Vec<LegendItem>, f64) {
        let text_width_max = self.right - self.left - SAMPLE - SAMPLE_GAP;
        let (mut x, mut y) = (self.left, top + ROW - 4.0);
        let mut items = Vec::new();
        if panel.series.iter().all(|series| series.name.is_empty()) {
            y = top;
        }
        for series in &panel.series {
            if series.name.is_empty() {
                items.push(LegendItem { x, y, text_width: 0.0 });
                continue;
            }
            let text_width = width(&legend_name(series), TEXT).min(text_width_max);
            let item_width = SAMPLE + SAMPLE_GAP + text_width;
            if self.left < x && self.right < x + item_width {
                (x, y) = (self.left, y + ROW);
            }
            items.push(LegendItem { x, y, text_width: text_width + 0.5 });
            x += item_width + ITEM_GAP;
        }
        (items, y - top + 8.0)
    }
}

/// The name of a curve; one without a curve says so.
pub(super) fn legend_name(series: &Series) -> String {
    match series.mark() {
        Mark::Nothing => format!("{} (no data)", series.name),
        Mark::Line | Mark::Dot => series.name.clone(),
    }
}

/// Room for the widest tick label of any panel and for the unit beside it.
fn left_margin(figure: &Figure) -> f64 {
    // Finer ticks have longer labels: what has room for these has room for those of low panels.
    let axes = figure.panels.iter().map(|panel| y_axis(panel, TALL));
    let widths = axes.flat_map(|axis| axis.ticks).map(|tick| width(&tick.label, TEXT));
    widths.fold(width("00", TEXT), f64::max) + Y_LABEL_AT + 18.0
}

/// About as high as a panel gets.
const TALL: f64 = 400.0;

fn y_axis(panel: &Panel, height: f64) -> Axis {
    let range = panel.value_range().unwrap_or((0.0, 1.0));
    Axis::new(range, Margin::Twentieth, ((height / Y_TICK_APART) as usize).max(2))
}

fn x_axis(figure: &Figure, width: f64) -> Axis {
    let range = figure.time_range().unwrap_or((0.0, 1.0));
    let margin = if figure.is_path() { Margin::Twentieth } else { Margin::None };
    Axis::new(range, margin, ((width / X_TICK_APART) as usize).max(2))
}
