//! The figures of Sinisi et al. (2021) that show what saving is worth, drawn over the models that were checked.

use super::checked::Checked;
use super::formulas::{Tree, pearson, psi, ratio, speed_up};
use super::summary::mean;
use consort_models::fidelity::Costs;
use consort_view::plot::{Figure, Panel, Series, Size, Style, svg};

/// Depths of trees.
const DEPTHS: std::ops::RangeInclusive<u32> = 1..=100;
/// Branchings that are drawn where not all can be.
const BRANCHINGS: [u32; 5] = [2, 3, 4, 5, 10];
/// The branching of Figure 11.
const FIGURE_11: u32 = 10;

/// Every figure as a file: its name and its text.
pub(super) fn draw(all: &[Checked]) -> Vec<(String, String)> {
    let costs = all.iter().filter_map(|checked| checked.best()?.costs.as_ref());
    let costs: Vec<&Costs> = costs.collect();
    let figures = [
        ("figure-05-psi", threshold()),
        ("figure-07-simulation-times", simulation_times(&costs)),
        ("figure-08-set-times", set_times(&costs)),
        ("figure-09-ratio", ratios(&costs)),
        ("figure-10-mean-speed-up", mean_speed_ups(&costs)),
        ("figure-11-speed-up", speed_ups(&costs)),
    ];
    let file = |(name, figure): (&str, Figure)| {
        (format!("{name}.svg"), svg(&figure, Size::comfortable(&figure)))
    };
    figures.into_iter().map(file).collect()
}

fn figure(title: &str, x_label: &str, y_label: &str, series: Vec<Series>) -> Figure {
    let panels = vec![Panel { y_label: y_label.to_owned(), series }];
    Figure { title: title.to_owned(), x_label: Some(x_label.to_owned()), panels, subtitle: None }
}

fn curve(name: &str, points: impl Iterator<Item = (f64, f64)>) -> Series {
    let (times, values) = points.unzip();
    Series { name: name.to_owned(), times, values, style: Style::Line }
}

/// Over depths from 2 on: a tree of depth 1 needs no saving.
fn over_depth(name: &str, value: impl Fn(u32) -> f64) -> Series {
    curve(name, DEPTHS.skip(1).map(|depth| (f64::from(depth), value(depth))))
}

/// Figure 5: the threshold over the branching, as a part of its limit h - 1.
fn threshold() -> Figure {
    let of_depth = |depth: u32| {
        let part = move |branching: u32| psi(depth, branching) / f64::from(depth - 1);
        curve(&format!("h = {depth}"), (2..=20).map(move |b| (f64::from(b), part(b))))
    };
    let series = [5, 10, 50, 100].map(of_depth).to_vec();
    figure(
        "Break-even cost of saving and restoring, psi(h, b)",
        "branching b",
        "psi(h, b) / (h - 1)",
        series,
    )
}

/// Figure 7: a simulation of length h tau, and h of length tau.
fn simulation_times(costs: &[&Costs]) -> Figure {
    let point = |costs: &&Costs| {
        let mean = costs.sim.iter().sum::<f64>() / costs.sim.len() as f64;
        (costs.whole, f64::from(costs.points) * mean)
    };
    let mut points: Vec<(f64, f64)> = costs.iter().map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let correlation = pearson(&points);
    let logarithms = points.iter().map(|(x, y)| (x.log10(), y.log10()));
    let models = Series { style: Style::Points, ..curve("", logarithms) };
    let ends = points.first().into_iter().chain(points.last()).map(|(x, _)| (x.log10(), x.log10()));
    let series = vec![models, curve("equal", ends)];
    let title = "One simulation of h tau, and h simulations of tau";
    let x_label = "log10 of the time of sim(h tau) [s]";
    let mut figure = figure(title, x_label, "log10 of h times that of sim(tau) [s]", series);
    figure.subtitle =
        correlation.map(|it| format!("correlation {it:.3} over {} models", points.len()));
    figure
}

/// Figure 8: how long a restore takes over the run.
fn set_times(costs: &[&Costs]) -> Figure {
    let of_model = |costs: &&Costs| {
        let last = costs.set.len().max(2) - 1;
        let part = move |index: usize| index as f64 / last as f64;
        curve("", costs.set.iter().enumerate().map(move |(index, set)| (part(index), set.log10())))
    };
    let series = costs.iter().map(of_model).collect();
    let title = "Restore time over the run, a curve per model";
    figure(title, "part of the run", "log10 of the restore time [s]", series)
}

/// Figure 9: the ratio over the depth.
fn ratios(costs: &[&Costs]) -> Figure {
    let of_model = |costs: &&Costs| over_depth("", |depth| ratio(costs, depth).log10());
    let mut series = vec![over_depth("R = 1", |_| 0.0)];
    series.extend(costs.iter().map(of_model));
    let title = "Cost ratio R(h, tau), a curve per model";
    figure(title, "depth h", "log10 of R(h, tau)", series)
}

/// Figure 10: the mean speed-up over depth and branching; the paper's colors are curves here.
fn mean_speed_ups(costs: &[&Costs]) -> Figure {
    let of_branching =
        |b: u32| over_depth(&format!("b = {b}"), |depth| mean(costs, Tree { depth, branching: b }));
    let series = BRANCHINGS.map(of_branching).to_vec();
    figure("Mean speed-up over depth and branching", "depth h", "mean speed-up", series)
}

/// Figure 11: the speed-up of each model.
fn speed_ups(costs: &[&Costs]) -> Figure {
    let tree = |depth: u32| Tree { depth, branching: FIGURE_11 };
    let of_model = |costs: &&Costs| over_depth("", |depth| speed_up(costs, tree(depth)));
    let mut series = vec![over_depth("ideal", |depth| tree(depth).ideal())];
    series.extend(costs.iter().map(of_model));
    let title = "Speed-up for branching 10, a curve per model";
    figure(title, "depth h", "speed-up", series)
}
