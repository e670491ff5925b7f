//! What is used later than it is known, and why.

use crate::output::diagnostics::plural;
use crate::output::page::Page;
use consort_planner::{Delay, DelayReason, Lag};
use consort_system::{ResolvedComponent, ResolvedSystem};

/// Of a longer path the ends are shown.
const PATH_MAX: usize = 9;

/// Delays that change the result, not values that are held because their source is slow.
pub(super) fn delayed(delays: &[Delay]) -> impl Iterator<Item = &Delay> {
    delays.iter().filter(|delay| delay.reason != DelayReason::SlowerSource)
}

/// Connections whose value is used a step late, by reason.
pub(super) fn delays(page: &mut Page, system: &ResolvedSystem, delays: &[Delay]) {
    if delayed(delays).next().is_none() {
        return;
    }
    page.heading("Delays");
    let because = |reason: DelayReason| {
        let found: Vec<&Delay> = delays.iter().filter(|delay| delay.reason == reason).collect();
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

fn arrow(delay: &Delay) -> String {
    format!("{} -> {}", delay.from, delay.to)
}

/// Connections from slower components.
pub(super) fn held(page: &mut Page, system: &ResolvedSystem, delays: &[Delay]) {
    let slow = |delay: &&Delay| delay.reason == DelayReason::SlowerSource;
    let slow: Vec<&Delay> = delays.iter().filter(slow).collect();
    let item = |pair: &Pair<'_>| {
        let period = system.experiment.resolution.seconds(pair.source.period);
        let age = period.map_or_else(|| "one step".to_owned(), |seconds| format!("{seconds} s"));
        format!("{}: up to {age} old, because `{}` steps less often", pair, pair.source.name)
    };
    let items: Vec<String> = pairs(system, &slow).iter().map(item).collect();
    page.bullets("Held values", &items);
}

/// Outputs that are late, the latest first, with the path that makes them so.
pub(super) fn outputs(page: &mut Page, lags: &[Lag]) {
    let way = |lag: &Lag| (lag.steps, lag.path[..lag.path.len().saturating_sub(1)].to_vec());
    let mut groups: Vec<((u32, Vec<String>), Vec<&str>)> = Vec::new();
    for lag in lags {
        match groups.iter_mut().find(|(known, _)| *known == way(lag)) {
            Some((_, outputs)) => outputs.push(&lag.output),
            None => groups.push((way(lag), vec![&lag.output])),
        }
    }
    groups.sort_by_key(|((steps, _), _)| std::cmp::Reverse(*steps));
    let item = |((steps, path), outputs): &((u32, Vec<String>), Vec<&str>)| {
        let steps = plural(u64::from(*steps), "step");
        format!("{steps}: {}, by way of {}", outputs.join(", "), shortened(path))
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
    wires: Vec<&'a Delay>,
}

impl Pair<'_> {
    /// What would make the source step first.
    fn with_cure(&self) -> String {
        let prefix = format!("{}.", self.target.name);
        let input = |wire: &&Delay| wire.to.strip_prefix(&prefix).unwrap_or(&wire.to).to_owned();
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
fn pairs<'a>(system: &'a ResolvedSystem, delays: &[&'a Delay]) -> Vec<Pair<'a>> {
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    for &delay in delays {
        let ends = (owner(system, &delay.from), owner(system, &delay.to));
        let (Some(source), Some(target)) = ends else { continue };
        let same = |pair: &&mut Pair<'_>| {
            (&pair.source.name, &pair.target.name) == (&source.name, &target.name)
        };
        match pairs.iter_mut().find(same) {
            Some(pair) => pair.wires.push(delay),
            None => pairs.push(Pair { source, target, wires: vec![delay] }),
        }
    }
    pairs
}

/// The component that `component.variable` belongs to; names of both may have dots.
fn owner<'a>(system: &'a ResolvedSystem, name: &str) -> Option<&'a ResolvedComponent> {
    let is_owner = |component: &&ResolvedComponent| {
        name.strip_prefix(component.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
    };
    let owners = system.components.iter().filter(is_owner);
    owners.max_by_key(|component| component.name.len())
}
