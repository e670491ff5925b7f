//! Which curves share a panel: those that are measured in one unit, and of plain numbers those of like magnitude.

use super::{Panel, PlotColumn, PlotRun, SERIES_PER_PANEL_MAX, Series};

/// Plain numbers share an axis if the largest of one is at most so many times the largest of another: the smaller
/// curve would look flat.
const RATIO_MAX: f64 = 10.0;

/// The label of plain numbers.
const PLAIN: &str = "[-]";

/// The curves of one variable, one for each run.
struct Family {
    variable: String,
    label: String,
    series: Vec<Series>,
}

/// What will share an axis.
struct Group {
    label: String,
    families: Vec<Family>,
}

/// The panels of some runs, units in the order in which they first appear. The curves of a variable are
/// next to each other.
pub(super) fn panels(runs: Vec<PlotRun>) -> Vec<Panel> {
    let mut groups: Vec<Group> = Vec::new();
    for family in families(runs) {
        match groups.iter_mut().find(|group| group.takes(&family)) {
            Some(group) => group.families.push(family),
            None => groups.push(Group { label: family.label.clone(), families: vec![family] }),
        }
    }
    groups.into_iter().flat_map(Group::split).collect()
}

fn families(runs: Vec<PlotRun>) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for PlotRun { label: run, columns } in runs {
        for column in columns {
            let (variable, label) = (column.name.clone(), unit_label(column.unit.as_deref()));
            let series = Series::from(named(column, &run));
            let known = |it: &&mut Family| it.variable == variable && it.label == label;
            match families.iter_mut().find(known).filter(|_| !run.is_empty()) {
                Some(family) => family.series.push(series),
                None => families.push(Family { variable, label, series: vec![series] }),
            }
        }
    }
    families
}

/// `tank.level (run)`.
fn named(column: PlotColumn, run: &str) -> PlotColumn {
    match run {
        "" => column,
        run => PlotColumn { name: format!("{} ({run})", column.name), ..column },
    }
}

/// `[m³/s]`; `[-]` for plain numbers.
pub(super) fn unit_label(unit: Option<&str>) -> String {
    match unit.map(str::trim) {
        None | Some("" | "1" | "-") => PLAIN.to_owned(),
        Some(unit) => format!("[{}]", crate::units::readable_unit(unit)),
    }
}

impl Family {
    /// The largest number in it, without its sign; 0 if there is none.
    fn magnitude(&self) -> f64 {
        let values = self.series.iter().flat_map(Series::finite).map(|(_, value)| value.abs());
        values.fold(0.0, f64::max)
    }
}

impl Group {
    /// Whether a variable is readable beside those that are there.
    fn takes(&self, family: &Family) -> bool {
        let own = family.magnitude();
        let is_like =
            |other: f64| own == 0.0 || other == 0.0 || own.max(other) / RATIO_MAX <= own.min(other);
        self.label == family.label
            && (self.label != PLAIN || self.families.iter().all(|it| is_like(it.magnitude())))
    }

    /// Panels of at most [`SERIES_PER_PANEL_MAX`] curves, as even as can be; curves of one variable stay together
    /// as far as there is room.
    fn split(self) -> Vec<Panel> {
        let widest = self.families.iter().map(|family| family.series.len()).max().unwrap_or(1);
        let fitting = (SERIES_PER_PANEL_MAX / widest.max(1)).max(1);
        let each = even(self.families.len(), fitting);
        let mut panels = Vec::new();
        for families in self.families.chunks(each) {
            let series: Vec<Series> =
                families.iter().flat_map(|family| &family.series).cloned().collect();
            let curves = even(series.len(), SERIES_PER_PANEL_MAX);
            let panel =
                |part: &[Series]| Panel { y_label: self.label.clone(), series: part.to_vec() };
            panels.extend(series.chunks(curves).map(panel));
        }
        panels
    }
}

/// How many of `count` things are in each part if as few parts as can be have at most `most`.
fn even(count: usize, most: usize) -> usize {
    count.div_ceil(count.div_ceil(most).max(1)).max(1)
}
