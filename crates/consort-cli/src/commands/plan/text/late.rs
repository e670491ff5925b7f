//! Values that are used later than they are known, and why.

use consort_planner::{DelayReason, DelayedConnection, Lag};
use consort_system::{ResolvedComponent, ResolvedSystem};
use consort_view::numbers::plural;
use consort_view::page::Page;
use std::collections::BTreeMap;

/// Of a longer path the ends are shown.
const PATH_MAX: usize = 9;

/// Delays that change the result, not values that are held because their source is slow.
pub(super) fn delayed(delays: &[DelayedConnection]) -> impl Iterator<Item = &DelayedConnection> {
    delays.iter().filter(|delay| delay.reason != DelayReason::SlowerSource)
}

/// Connections whose value is used a step late, by reason.
pub(super) fn delays(page: &mut Page, system: &ResolvedSystem, delays: &[DelayedConnection]) {
    if delayed(delays).next().is_none() {
        return;
    }
    page.heading("Delays");
    let because = |reason: DelayReason| {
        let found: Vec<&DelayedConnection> =
            delays.iter().filter(|delay| delay.reason == reason).collect();
        (!found.is_empty()).then_some(found)
    };
    if let Some(asked) = because(DelayReason::Asked) {
        page.remark("One step late as asked, by `delay = true` or `--delay`:");
        page.items(&asked.iter().map(|delay| arrow(delay)).collect::<Vec<_>>());
    }
    if let Some(jacobi) = because(DelayReason::Jacobi) {
        page.remark(
            "One step late because the order `jacobi` does not look at feedthrough; \
             `order = \"derived\"` does:",
        );
        page.items(&jacobi.iter().map(|delay| arrow(delay)).collect::<Vec<_>>());
    }
    if let Some(by_step) = because(DelayReason::ByStep) {
        page.remark(
            "One step late because the target is read after steps only, and a step takes its \
             inputs as they were at its start:",
        );
        page.items(&pairs(system, &by_step).iter().map(Pair::with_cure).collect::<Vec<_>>());
        page.remark(
            "`order = \"gauss-seidel\"` makes sources step first wherever that is possible",
        );
    }
}

fn arrow(delay: &DelayedConnection) -> String {
    format!("{} -> {}", delay.from, delay.to)
}

/// Connections from slower components.
pub(super) fn held(page: &mut Page, system: &ResolvedSystem, delays: &[DelayedConnection]) {
    let slow = |delay: &&DelayedConnection| delay.reason == DelayReason::SlowerSource;
    let slow: Vec<&DelayedConnection> = delays.iter().filter(slow).collect();
    let item = |pair: &Pair<'_>| {
        let period = system.experiment.resolution.seconds(pair.source.period);
        let age = period.map_or_else(|| "one step".to_owned(), |seconds| format!("{seconds} s"));
        format!("{}: up to {age} old, because `{}` steps less often", pair, pair.source.name)
    };
    let items: Vec<String> = pairs(system, &slow).iter().map(item).collect();
    page.bullets("Held values", &items);
}

/// Outputs that are late by the same path.
struct Late<'a> {
    steps: u32,
    /// Without the outputs themselves.
    path: &'a [String],
    outputs: Vec<&'a str>,
}

/// Outputs that are late, the latest first, with the path that makes them so.
pub(super) fn outputs(page: &mut Page, lags: &[Lag]) {
    let mut places: BTreeMap<(u32, &[String]), usize> = BTreeMap::new();
    let mut groups: Vec<Late<'_>> = Vec::new();
    for lag in lags {
        let (steps, path) = (lag.steps, &lag.path[..lag.path.len().saturating_sub(1)]);
        let place = *places.entry((steps, path)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Late { steps, path, outputs: Vec::new() });
        }
        groups[place].outputs.push(&lag.output);
    }
    groups.sort_by_key(|late| std::cmp::Reverse(late.steps));
    let item = |late: &Late<'_>| {
        let steps = plural(u64::from(late.steps), "step");
        format!("{steps}: {}, by way of {}", late.outputs.join(", "), shortened(late.path))
    };
    page.bullets("Late outputs", &groups.iter().map(item).collect::<Vec<_>>());
}

/// A path, or its ends.
pub(super) fn shortened(path: &[String]) -> String {
    if path.len() <= PATH_MAX {
        return path.join(" > ");
    }
    let (first, last) = (&path[..3], &path[path.len() - 4..]);
    format!("{} > ... > {}", first.join(" > "), last.join(" > "))
}

/// Connections from one component to another.
struct Pair<'a> {
    source: &'a ResolvedComponent,
    target: &'a ResolvedComponent,
    wires: Vec<&'a DelayedConnection>,
}

impl Pair<'_> {
    /// What would make the source step first.
    fn with_cure(&self) -> String {
        let prefix = format!("{}.", self.target.name);
        let input = |wire: &&DelayedConnection| {
            wire.to.strip_prefix(&prefix).unwrap_or(&wire.to).to_owned()
        };
        let mut inputs: Vec<String> = self.wires.iter().map(input).collect();
        inputs.dedup();
        format!(
            "{self}; with `reactive = {inputs:?}` at `{}`, `{}` steps first",
            self.target.name, self.source.name
        )
    }
}

impl std::fmt::Display for Pair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.wires.as_slice() {
            [wire] => f.write_str(&arrow(wire)),
            wires => {
                let (source, target) = (&self.source.name, &self.target.name);
                write!(f, "{source} -> {target} ({} connections)", wires.len())
            }
        }
    }
}

/// Groups connections by the components at their ends.
fn pairs<'a>(system: &'a ResolvedSystem, delays: &[&'a DelayedConnection]) -> Vec<Pair<'a>> {
    let owners: Owners<'a> = system.components.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    for &delay in delays {
        let ends = (owner(&owners, &delay.from), owner(&owners, &delay.to));
        let (Some(source), Some(target)) = ends else { continue };
        let place = *places.entry((&source.name, &target.name)).or_insert(pairs.len());
        if place == pairs.len() {
            pairs.push(Pair { source, target, wires: Vec::new() });
        }
        pairs[place].wires.push(delay);
    }
    pairs
}

/// Components by name.
type Owners<'a> = BTreeMap<&'a str, &'a ResolvedComponent>;

/// The component that `component.variable` belongs to; names of both may have dots.
fn owner<'a>(owners: &Owners<'a>, name: &str) -> Option<&'a ResolvedComponent> {
    let dots = name.rmatch_indices('.').map(|(at, _)| &name[..at]);
    dots.filter_map(|start| owners.get(start).copied()).next()
}
