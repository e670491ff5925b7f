//! The answer of `consort repeat`: all runs were the same, or where two of them differ first.

use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use consort::Prepared;
use consort::distributed::Disturbed;
use consort::repeat::{RepeatedRun, RunVariant};
use consort::run::files::{hashes, traces};
use consort_trace::{DiffOptions, Difference, compare};
use consort_view::numbers::{duration, plural};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// What was varied in the runs so far.
#[derive(Default)]
pub(super) struct VariationTally {
    /// Times of runs by workers, for runs in one piece.
    by_workers: BTreeMap<u64, Vec<Duration>>,
    /// Times of runs by how nodes were linked.
    by_link: BTreeMap<&'static str, Vec<Duration>>,
    workers: BTreeSet<u64>,
    loads: BTreeSet<u64>,
    nodes: BTreeSet<u64>,
    capacities: BTreeSet<u64>,
    placements: BTreeSet<String>,
    delay: Duration,
    stops: Happened,
    cuts: Happened,
    /// The shortest stop and the longest.
    stop_range: Option<(Duration, Duration)>,
}

/// A disturbance of some of the runs: counted as often as it happened, not as it was planned.
#[derive(Default)]
struct Happened {
    /// How many runs it was planned for.
    runs: u64,
    /// In how many of them it happened.
    runs_affected: u64,
    /// The number of all.
    count: u64,
}

impl Happened {
    fn add(&mut self, is_planned: bool, count: u64) {
        if is_planned {
            self.runs += 1;
            self.runs_affected += u64::from(0 < count);
            self.count += count;
        }
    }

    /// `41 stops of 1 to 14 s in 40 of 66 runs`; nothing if no run was to face it.
    fn line(&self, what: &str, more: &str) -> Option<String> {
        let Happened { runs, runs_affected, count } = self;
        let line = format!(
            "{}{more} in {runs_affected} of {}",
            plural(*count, what),
            plural(*runs, "run")
        );
        (0 < *runs).then_some(line)
    }
}

/// What local runs are called among distributed ones.
const LOCAL: &str = "local";

impl VariationTally {
    /// Counts one more run.
    pub(super) fn add(&mut self, setting: &RunVariant, took: Duration, disturbed: &Disturbed) {
        let link = setting.deployment.as_ref().map_or(LOCAL, |nodes| nodes.link.name());
        self.by_link.entry(link).or_default().push(took);
        let workers = setting.workers as u64;
        self.by_workers.entry(workers).or_default().push(took);
        self.workers.insert(workers);
        self.loads.insert(setting.load as u64);
        self.delay = self.delay.max(setting.delay());
        let Some(nodes) = &setting.deployment else { return };
        self.nodes.insert(nodes.placement.nodes.len() as u64);
        self.capacities.insert(nodes.capacity.into());
        self.placements.insert(format!("{:?}", nodes.placement.of_component));
        self.stops.add(nodes.disturbance.is_some(), disturbed.stops.len() as u64);
        let is_cut = nodes.faults.as_ref().is_some_and(|faults| 0.0 < faults.cuts);
        self.cuts.add(is_cut, disturbed.links);
        for &stop in &disturbed.stops {
            let (least, most) = self.stop_range.unwrap_or((stop, stop));
            self.stop_range = Some((least.min(stop), most.max(stop)));
        }
    }

    /// One line for each number of workers, or for each kind of link and one for what was varied.
    fn lines(&self) -> String {
        if self.nodes.is_empty() {
            let load = self.loads.last().copied().unwrap_or_default();
            let load = format!("{} of load, ", plural(load, "thread"));
            let lines = self
                .by_workers
                .iter()
                .map(|(&workers, times)| line(&plural(workers, "worker"), times, &load));
            return lines.collect();
        }
        let lines = self.by_link.iter().map(|(link, times)| line(link, times, ""));
        let varied = format!("{}varied: {}\n", lines.collect::<String>(), self.varied());
        match self.disturbances() {
            Some(disturbances) => format!("{varied}disturbed: {disturbances}\n"),
            None => varied,
        }
    }

    /// What happened to nodes and links, if disturbances were planned.
    fn disturbances(&self) -> Option<String> {
        let seconds = |stop: Duration| format!("{:.1}", stop.as_secs_f64());
        let range = self.stop_range.map(|(least, most)| match (seconds(least), seconds(most)) {
            (least, most) if least == most => format!(" of {most} s"),
            (least, most) => format!(" of {least} to {most} s"),
        });
        let stops = self.stops.line("stop", &range.unwrap_or_default());
        let cuts = self.cuts.line("link", " cut and made again");
        let lines: Vec<String> = stops.into_iter().chain(cuts).collect();
        (!lines.is_empty()).then(|| lines.join(", "))
    }

    fn varied(&self) -> String {
        let placements = plural(self.placements.len() as u64, "placement");
        let mut words = vec![
            format!("{} in {placements}", range(&self.nodes, "node")),
            format!("capacity {}", range(&self.capacities, "")),
            range(&self.workers, "worker"),
            format!("{} of load", range(&self.loads, "thread")),
        ];
        if !self.delay.is_zero() {
            words.push(format!("up to {} of delay", duration(self.delay.as_secs_f64())));
        }
        words.join(", ")
    }
}

fn line(what: &str, times: &[Duration], between: &str) -> String {
    let mean = times.iter().sum::<Duration>().as_secs_f64() / times.len() as f64;
    let runs = plural(times.len() as u64, "run");
    format!("{what}: {runs}, {between}{} each\n", duration(mean))
}

/// `1 to 8 workers`, `2 workers`.
fn range(values: &BTreeSet<u64>, what: &str) -> String {
    let (Some(&least), Some(&most)) = (values.first(), values.last()) else {
        return String::new();
    };
    let counted = match what {
        "" => most.to_string(),
        what => plural(most, what),
    };
    if least == most { counted } else { format!("{least} to {counted}") }
}

/// All runs were the same.
pub(super) fn identical(
    runs: u32,
    first: &RepeatedRun,
    tally: &VariationTally,
    prepared: &Prepared,
    printer: &Printer,
) -> CommandResult {
    let runs = plural(runs.into(), "run");
    printer.data(format!("{}identical: {runs}, trace {}\n", tally.lines(), first.result.hash))?;
    match first.result.failure(prepared.resolved().experiment.resolution) {
        Some(failure) => Err(CommandError::failed(failure)),
        None => Ok(Exit::Done),
    }
}

/// Two runs were not the same.
pub(super) fn different(
    first: &RepeatedRun,
    odd: &RepeatedRun,
    prepared: &Prepared,
    printer: &Printer,
) -> CommandResult {
    let mut text = format!(
        "different: run {} and run {} ({})\n  trace {}\n  trace {}\n",
        first.number,
        odd.number,
        odd.setting.describe(&odd.disturbed),
        first.result.hash,
        odd.result.hash
    );
    if let Some(difference) = first_difference([&first.trace, &odd.trace], prepared) {
        text.push_str(&format!("  {}\n", located(&difference, &odd.setting, prepared)));
    }
    if first.result.ended_otherwise(&odd.result) {
        text.push_str("  they ended differently\n");
    }
    for line in hashes::differences(&first.result.hashes, &odd.result.hashes) {
        text.push_str(&format!("  {line}\n"));
    }
    if let Some(places) = places(&odd.setting, prepared) {
        text.push_str(&format!("  placed: {places}\n"));
    }
    printer.data(text)?;
    Ok(Exit::No)
}

/// Where two recorded runs begin to differ; what is not recorded is not found.
fn first_difference(paths: [&Path; 2], prepared: &Prepared) -> Option<Difference> {
    let resolution = prepared.resolved().experiment.resolution;
    let [first, second] = paths.map(|path| traces::read(path, resolution).ok());
    compare(&first?, &second?, &DiffOptions::exact()).first().cloned()
}

/// ``first at 0.01 s in `tank.level` on node `plant`: 1 and 2``.
fn located(difference: &Difference, setting: &RunVariant, prepared: &Prepared) -> String {
    let Difference { time, variable, first, second, tag, .. } = difference;
    let microstep = match tag.microstep {
        0 => String::new(),
        microstep => format!(", microstep {microstep}"),
    };
    let node = node_of(variable, setting, prepared);
    let node = node.map_or(String::new(), |node| format!(" on node `{node}`"));
    format!("first at {time} s{microstep} in `{variable}`{node}: {first} and {second}")
}

/// The node that computes a variable: that of the component with the longest name that its path begins with.
fn node_of<'a>(path: &str, setting: &'a RunVariant, prepared: &Prepared) -> Option<&'a str> {
    let placement = &setting.deployment.as_ref()?.placement;
    let components = prepared.resolved().components.iter().enumerate();
    let owners = components.filter(|(_, component)| {
        path.strip_prefix(component.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
    });
    let (index, _) = owners.max_by_key(|(_, component)| component.name.len())?;
    Some(placement.name(placement.of_component[index]))
}

/// `tank=n0,valve=n1`, as `consort run --place` takes it.
fn places(setting: &RunVariant, prepared: &Prepared) -> Option<String> {
    let placement = &setting.deployment.as_ref()?.placement;
    let placed = prepared.resolved().components.iter().zip(&placement.of_component);
    let pairs: Vec<String> = placed
        .map(|(component, &node)| format!("{}={}", component.name, placement.name(node)))
        .collect();
    Some(pairs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_short() {
        let check = |values: &[u64], what: &str, expected: &str| {
            assert_eq!(range(&values.iter().copied().collect(), what), expected);
        };
        check(&[2, 8, 1], "worker", "1 to 8 workers");
        check(&[1], "worker", "1 worker");
        check(&[0, 1], "thread", "0 to 1 thread");
        check(&[64, 3], "", "3 to 64");
        check(&[], "worker", "");
    }

    #[test]
    fn disturbances_are_counted_as_often_as_they_happened() {
        let milliseconds = Duration::from_millis;
        let mut tally = VariationTally::default();
        assert_eq!(tally.disturbances(), None);
        tally.stops.add(true, 0);
        tally.stops.add(false, 7);
        assert_eq!(tally.disturbances().as_deref(), Some("0 stops in 0 of 1 run"));
        tally.stops.add(true, 2);
        tally.stop_range = Some((milliseconds(1040), milliseconds(14_210)));
        tally.cuts.add(true, 1);
        let expected =
            "2 stops of 1.0 to 14.2 s in 1 of 2 runs, 1 link cut and made again in 1 of 1 run";
        assert_eq!(tally.disturbances().as_deref(), Some(expected));
        tally.stop_range = Some((milliseconds(1010), milliseconds(1040)));
        assert!(tally.disturbances().is_some_and(|line| line.starts_with("2 stops of 1.0 s in")));
    }
}
