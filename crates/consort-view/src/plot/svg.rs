//! A figure as SVG, written by hand: small files, and the same bytes for the same data.

mod layout;

use super::decimate;
use super::paint::{Paint, paint};
use super::words::{escape, fit_middle};
use super::{Figure, Mark, Panel, Series, Size, Style};
pub(super) use layout::height_for;
use layout::{Layout, PanelLayout, TEXT, TITLE};
use std::fmt::Write;

const INK: &str = "#222222";
const SOFT: &str = "#555555";
const GRID: &str = "#e3e3e3";
const FRAME: &str = "#9a9a9a";

/// Longer runs than this are thinned out to four points per column of pixels.
const POINTS_MAX: usize = 2_000;

/// Draws a figure.
///
/// The picture is at least as high as its panels need; it has a light background of its own, so
/// that it can be read in a dark viewer.
///
/// # Determinism
/// Equal figures give equal bytes: numbers are written with fixed digits, nothing depends on fonts,
/// locale or time.
pub fn svg(figure: &Figure, size: Size) -> String {
    let layout = Layout::new(figure, size);
    let mut out = String::new();
    open(&mut out, figure, &layout);
    header(&mut out, &layout);
    for (panel, place) in figure.panels.iter().zip(&layout.panels) {
        draw_panel(&mut out, panel, place, &layout);
    }
    if figure.panels.is_empty() {
        let (x, y) = (layout.width / 2.0, layout.height / 2.0);
        text(&mut out, x, y, "middle", TEXT, SOFT, "nothing to plot");
    } else {
        x_axis(&mut out, figure, &layout);
    }
    out.push_str("</svg>\n");
    out
}

/// Writing to a string cannot fail; this keeps the drawing code free of results.
macro_rules! put {
    ($out:expr, $($argument:tt)*) => {
        writeln!($out, $($argument)*).expect("writing to a string succeeds")
    };
}

fn open(out: &mut String, figure: &Figure, layout: &Layout) {
    let (width, height) = (number(layout.width), number(layout.height));
    put!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="DejaVu Sans, Verdana, Arial, sans-serif" role="img">"#
    );
    put!(out, "<title>{}</title>", escape(&figure.title));
    put!(out, r##"<rect width="{width}" height="{height}" fill="#ffffff"/>"##);
}

fn header(out: &mut String, layout: &Layout) {
    for (line, y) in &layout.title {
        text(out, layout.left, *y, "start", TITLE, INK, line);
    }
    if let Some((line, y)) = &layout.subtitle {
        text(out, layout.left, *y, "start", TEXT, SOFT, line);
    }
}

fn draw_panel(out: &mut String, panel: &Panel, place: &PanelLayout, layout: &Layout) {
    put!(out, "<g>");
    grid(out, place, layout);
    legend(out, panel, place);
    y_label(out, panel, place);
    let mut is_empty = true;
    for (index, series) in panel.series.iter().enumerate() {
        is_empty &= series.finite().next().is_none();
        curve(out, series, paint(index), place, layout);
    }
    if is_empty {
        let (x, y) = ((layout.left + layout.right) / 2.0, (place.top + place.bottom) / 2.0);
        text(out, x, y, "middle", TEXT, SOFT, "no data");
    }
    put!(out, "</g>");
}

fn grid(out: &mut String, place: &PanelLayout, layout: &Layout) {
    let (left, right) = (number(layout.left), number(layout.right));
    let (top, bottom) = (number(place.top), number(place.bottom));
    let mut lines = String::new();
    for tick in &place.axis.ticks {
        let y = place.bottom - tick.at * (place.bottom - place.top);
        write!(lines, "M{left} {}H{right}", number(y)).expect("writing to a string succeeds");
        text(out, layout.left - 7.0, y + 4.0, "end", TEXT, SOFT, &tick.label);
    }
    for tick in &layout.x_axis.ticks {
        let x = number(layout.left + tick.at * (layout.right - layout.left));
        write!(lines, "M{x} {top}V{bottom}").expect("writing to a string succeeds");
    }
    put!(out, r#"<path d="{lines}" stroke="{GRID}" fill="none"/>"#);
    put!(out, r#"<path d="M{left} {top}V{bottom}H{right}V{top}Z" stroke="{FRAME}" fill="none"/>"#);
}

fn legend(out: &mut String, panel: &Panel, place: &PanelLayout) {
    let named = panel.series.iter().zip(&place.legend).enumerate();
    for (index, (series, item)) in named.filter(|(_, (series, _))| !series.name.is_empty()) {
        let end = number(item.x + layout::SAMPLE);
        let (x, y) = (number(item.x), number(item.y - 4.0));
        let paint = paint(index);
        put!(
            out,
            r#"<g><title>{}</title>{}"#,
            escape(&series.name),
            match series.mark() {
                Mark::Line => format!(r#"<path d="M{x} {y}H{end}" {}/>"#, stroke(paint)),
                Mark::Dot => dot(&number(item.x + layout::SAMPLE / 2.0), &y, paint),
                Mark::Nothing => String::new(),
            }
        );
        let name = fit_middle(&layout::legend_name(series), TEXT, item.text_width);
        text(out, item.x + layout::SAMPLE + layout::SAMPLE_GAP, item.y, "start", TEXT, INK, &name);
        put!(out, "</g>");
    }
}

fn y_label(out: &mut String, panel: &Panel, place: &PanelLayout) {
    let label = match &place.axis.note {
        Some(note) => format!("{note} {}", panel.y_label),
        None => panel.y_label.clone(),
    };
    let label = fit_middle(&label, TEXT, place.bottom - place.top);
    let (x, y) = (number(layout::Y_LABEL_AT), number((place.top + place.bottom) / 2.0));
    put!(
        out,
        r#"<text transform="translate({x} {y}) rotate(-90)" text-anchor="middle" font-size="{TEXT}" fill="{INK}">{}</text>"#,
        escape(&label)
    );
}

fn x_axis(out: &mut String, figure: &Figure, layout: &Layout) {
    let below = layout.panels.last().map_or(0.0, |panel| panel.bottom);
    for tick in &layout.x_axis.ticks {
        let x = layout.left + tick.at * (layout.right - layout.left);
        text(out, x, below + 17.0, "middle", TEXT, SOFT, &tick.label);
    }
    let label = match (&figure.x_label, &layout.x_axis.note) {
        (Some(label), Some(note)) => format!("{label}, {note}"),
        (Some(label), None) => label.clone(),
        (None, Some(note)) => format!("time, {note} [s]"),
        (None, None) => "time [s]".to_owned(),
    };
    let middle = (layout.left + layout.right) / 2.0;
    text(out, middle, below + 36.0, "middle", TEXT, INK, &label);
}

fn curve(out: &mut String, series: &Series, paint: Paint, place: &PanelLayout, layout: &Layout) {
    let x = |time: f64| layout.left + layout.x_axis.fraction(time) * (layout.right - layout.left);
    let y = |value: f64| place.bottom - place.axis.fraction(value) * (place.bottom - place.top);
    let mut path = String::new();
    for run in decimate::runs(series.samples()) {
        let column = |time: f64| x(time).floor() as i64;
        let points = match series.style {
            Style::Path => {
                let pixel = |(time, value)| (column(time), y(value).floor() as i64);
                decimate::thin_path(&run, POINTS_MAX, pixel)
            }
            _ => decimate::thin(&run, POINTS_MAX, column),
        };
        let points: Vec<_> = points.iter().map(|&(t, v)| (number(x(t)), number(y(v)))).collect();
        if points.len() == 1 || series.style == Style::Points {
            for (x, y) in &points {
                put!(out, "{}", dot(x, y, paint));
            }
        } else {
            trace_run(&mut path, &points, series.style);
        }
    }
    if !path.is_empty() {
        put!(out, r#"<path d="{path}" {}/>"#, stroke(paint));
    }
}

/// Appends a run of points to a path, leaving out points equal to the one before.
fn trace_run(path: &mut String, points: &[(String, String)], style: Style) {
    let mut before: Option<&(String, String)> = None;
    for point in points {
        let (x, y) = point;
        let written = match (before, style) {
            (None, _) => write!(path, "M{x} {y}"),
            (Some(before), _) if before == point => Ok(()),
            (Some((_, y_before)), Style::Steps) if y_before == y => write!(path, "H{x}"),
            (Some((x_before, _)), Style::Steps) if x_before == x => write!(path, "V{y}"),
            (Some(_), Style::Steps) => write!(path, "H{x}V{y}"),
            (Some(_), Style::Line | Style::Points | Style::Path) => write!(path, "L{x} {y}"),
        };
        written.expect("writing to a string succeeds");
        before = Some(point);
    }
}

fn dot(x: &str, y: &str, paint: Paint) -> String {
    format!(r#"<circle cx="{x}" cy="{y}" r="2.5" fill="{}"/>"#, paint.color)
}

fn stroke(paint: Paint) -> String {
    let dash = match paint.dash {
        "" => String::new(),
        dash => format!(r#" stroke-dasharray="{dash}""#),
    };
    let color = paint.color;
    format!(r#"stroke="{color}" stroke-width="1.6" stroke-linejoin="round" fill="none"{dash}"#)
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, size: f64, fill: &str, words: &str) {
    let (x, y) = (number(x), number(y));
    put!(
        out,
        r#"<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{fill}">{}</text>"#,
        escape(words)
    );
}

/// A length with at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}
