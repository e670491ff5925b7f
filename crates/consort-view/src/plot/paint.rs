//! Colors and dashes: curves differ by both, so that they can be distinguished without color.

/// How a curve is painted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Paint {
    /// On light paper; from the Okabe-Ito palette, which color-blind people can distinguish.
    pub(super) color: &'static str,
    /// The same on a dark screen.
    pub(super) color_dark: &'static str,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub(super) dash: &'static str,
}

/// The palette without its yellow, which vanishes on white; a gray takes its place.
const PAINTS: [Paint; super::SERIES_PER_PANEL_MAX] = [
    Paint { color: "#0072b2", color_dark: "#56b4e9", dash: "" },
    Paint { color: "#d55e00", color_dark: "#ff8c42", dash: "8 3" },
    Paint { color: "#009e73", color_dark: "#2fd3a3", dash: "2 3" },
    Paint { color: "#cc79a7", color_dark: "#e59ac6", dash: "10 3 2 3" },
    Paint { color: "#000000", color_dark: "#ffffff", dash: "14 4" },
    Paint { color: "#e69f00", color_dark: "#f0e442", dash: "5 2 1 2 1 2" },
    Paint { color: "#56b4e9", color_dark: "#8fa8ff", dash: "4 4" },
    Paint { color: "#7f7f7f", color_dark: "#b0b0b0", dash: "1 2" },
];

/// The paint of the curve at `index` of a panel.
pub(super) fn paint(index: usize) -> Paint {
    PAINTS[index % PAINTS.len()]
}
