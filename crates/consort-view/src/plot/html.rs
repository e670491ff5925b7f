//! A page that needs nothing but itself: data, script and style in one file that opens offline.

use super::paint::paint;
use super::words::escape;
use super::{Figure, Mark, SERIES_PER_PANEL_MAX, Series, Size, Style, axis, decimate, svg};
use serde_json::{Value, json};

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// No curve is embedded with more points than this; longer ones are thinned out.
const POINTS_PER_SERIES_MAX: usize = 10_000;
/// All curves together are kept near this, so that a page stays a few megabytes.
const POINTS_PER_PAGE_MAX: usize = 300_000;
/// However many curves there are, each keeps this many points.
const POINTS_PER_SERIES_MIN: usize = 400;

/// A self-contained page with zoom, pan, read-out and a table of facts about the run.
///
/// All panels of all figures share the horizontal axis. Long series keep the least and greatest value of
/// each short stretch of time; the page says so where it happened.
pub fn html(figures: &[Figure], title: &str, facts: &[(String, String)]) -> String {
    let (data, note) = page_data(figures);
    // `<` in a name must not end the script element that carries the data.
    let data = data.to_string().replace('<', "\\u003c");
    let title = escape(title);
    let (facts, still) = (fact_table(facts), still_pictures(figures));
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
<h1>{title}</h1>
{facts}<p class="help">Wheel: zoom in time. Drag: zoom into a box. Shift and drag: move. Double click: see all. Click a name: hide or show it. Keys: arrows, +, -, 0.{note}</p>
<p id="cursor" role="status">&nbsp;</p>
<main id="panels"></main>
<noscript>
{still}</noscript>
<script type="application/json" id="data">{data}</script>
<script>
{SCRIPT}</script>
</body>
</html>
"#
    )
}

fn fact_table(facts: &[(String, String)]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let row = |(name, value): &(String, String)| {
        format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(name), escape(value))
    };
    format!("<table>\n{}</table>\n", facts.iter().map(row).collect::<String>())
}

/// What a browser without scripts shows.
fn still_pictures(figures: &[Figure]) -> String {
    figures.iter().map(|figure| svg(figure, Size::comfortable(figure))).collect()
}

/// The data for the script, and a remark if anything was thinned out.
fn page_data(figures: &[Figure]) -> (Value, String) {
    let all = || figures.iter().flat_map(|figure| &figure.panels).flat_map(|panel| &panel.series);
    let share = POINTS_PER_PAGE_MAX / all().count().max(1);
    let limit = share.clamp(POINTS_PER_SERIES_MIN, POINTS_PER_SERIES_MAX);
    let range =
        axis::extent(figures.iter().filter_map(Figure::time_range).flat_map(<[f64; 2]>::from));
    let mut times: Vec<Vec<Option<f64>>> = Vec::new();
    let panels: Vec<Value> = figures
        .iter()
        .flat_map(|figure| {
            figure.panels.iter().enumerate().map(move |(index, panel)| (figure, index, panel))
        })
        .map(|(figure, index, panel)| {
            let series: Vec<Value> = panel
                .series
                .iter()
                .map(|series| series_data(series, limit, range, &mut times))
                .collect();
            // The page's own heading names a single figure already.
            let heading = if index == 0 && 1 < figures.len() { figure.title.as_str() } else { "" };
            json!({ "heading": heading, "label": panel.y_label, "series": series })
        })
        .collect();
    let is_thinned = all().any(|series| limit < series.times.len());
    let is_path = figures.iter().any(Figure::is_path);
    let note = match (is_thinned, is_path) {
        (true, false) => format!(
            " Series of more than {limit} points are thinned out; extremes are kept and the trace has every point."
        ),
        (true, true) => format!(
            " Curves of more than {limit} points are thinned out; the trace has every point."
        ),
        (false, _) => String::new(),
    };
    let x_label = figures.first().and_then(|figure| figure.x_label.as_deref());
    let x_label = x_label.unwrap_or("time [s]");
    (json!({ "panels": panels, "times": times, "paints": paints(), "x": x_label }), note)
}

/// One curve; its times are stored once for all curves that have the same.
fn series_data(
    series: &Series,
    limit: usize,
    range: Option<(f64, f64)>,
    times: &mut Vec<Vec<Option<f64>>>,
) -> Value {
    let (first, last) = range.unwrap_or((0.0, 1.0));
    let columns = (limit / 4).max(1) as f64;
    // Halves keep the difference of the largest doubles finite.
    let column =
        |time: f64| ((time / 2.0 - first / 2.0) / (last / 2.0 - first / 2.0) * columns) as i64;
    let (mut own_times, mut values) = (Vec::new(), Vec::new());
    let whole_max = if series.times.len() <= limit { usize::MAX } else { 0 };
    for run in decimate::runs(series.samples()) {
        if let Some(before) = own_times.last().copied() {
            own_times.push(before);
            values.push(None); // a gap
        }
        let points = match series.style {
            // Every so many: a path may go anywhere between two of its points.
            Style::Path => every(&run, series.times.len().div_ceil(limit.max(1)).max(1)),
            _ => decimate::thin(&run, whole_max, column),
        };
        for (time, value) in points {
            own_times.push(Some(time));
            values.push(Some(value));
        }
    }
    let index = times.iter().position(|known| *known == own_times).unwrap_or_else(|| {
        times.push(own_times);
        times.len() - 1
    });
    json!({
        "name": series.name,
        "steps": series.style == Style::Steps,
        "path": series.style == Style::Path,
        "mark": match series.mark() {
            Mark::Line => "line",
            Mark::Dot => "dot",
            Mark::Nothing => "nothing",
        },
        "t": index,
        "v": values,
    })
}

/// The first of every `stride` points, and the last.
fn every(run: &[(f64, f64)], stride: usize) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = run.iter().copied().step_by(stride).collect();
    if run.len() % stride != 1 % stride {
        points.extend(run.last());
    }
    points
}

fn paints() -> Value {
    let dash =
        |text: &str| -> Vec<u32> { text.split(' ').filter_map(|n| n.parse().ok()).collect() };
    let entry = |index: usize| {
        let paint = paint(index);
        json!({ "light": paint.color, "dark": paint.color_dark, "dash": dash(paint.dash) })
    };
    (0..SERIES_PER_PANEL_MAX).map(entry).collect()
}
