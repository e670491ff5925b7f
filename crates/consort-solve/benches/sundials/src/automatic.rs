//! The automatic choice against what it chooses from, on every classic problem at six tolerances.

use crate::accuracy::{SHAKES, TOLERANCES, drive, tolerances};
use crate::classics::{Classic, classics};
use crate::contest::cpu_seconds;
use consort_solve::{Family, Multistep, Options};

/// The automatic choice may cost this many times what the better of both does.
const COST_RATIO_MAX: f64 = 1.3;

const HEADER: &str = "\
| problem | tolerance | BDF | Adams | automatic | switches | ratio | µs BDF | Adams | automatic | ratio |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

/// What integrations cost, one for each shake of the tolerance: a cost by chance is none.
struct Cost {
    /// Those for differences included; nothing where it failed.
    evaluations: [Option<u64>; SHAKES.len()],
    microseconds: f64,
    switches: u64,
}

impl Cost {
    /// Evaluations where all of them succeeded.
    fn evaluations(&self, all: &[&Cost]) -> f64 {
        let shakes = self.evaluations.iter().enumerate();
        let common = shakes.filter(|(i, _)| all.iter().all(|it| it.evaluations[*i].is_some()));
        common.filter_map(|(_, one)| *one).sum::<u64>() as f64
    }

    fn failures(&self) -> usize {
        self.evaluations.iter().filter(|one| one.is_none()).count()
    }

    /// How many times as much as another, in evaluations and in time.
    fn over(&self, other: &Cost) -> [f64; 2] {
        let both = [self, other];
        let times = if self.failures() + other.failures() == 0 {
            self.microseconds / other.microseconds
        } else {
            1.0
        };
        [self.evaluations(&both) / other.evaluations(&both), times]
    }

    fn is_worse(&self, other: &Cost) -> bool {
        let ratios = self.over(other);
        other.failures() <= self.failures() && 1.0 < ratios[0] && 1.0 < ratios[1]
    }
}

/// Runs all whose names contain the text; what was found wrong.
pub(crate) fn run(only: &str, rounds: usize) -> Vec<String> {
    println!("{HEADER}");
    let mut complaints = Vec::new();
    let all = classics();
    for classic in all.iter().filter(|classic| classic.name.contains(only)) {
        for relative in TOLERANCES {
            complaints.extend(compare(classic, relative, rounds));
        }
    }
    complaints
}

fn compare(classic: &Classic, relative: f64, rounds: usize) -> Option<String> {
    let (structure, len) = (classic.sparse_structure(), classic.x0.len());
    let options = |shake: f64| {
        let tolerances = tolerances(classic, relative * shake);
        Options { structure: structure.clone(), ..Options::new(tolerances) }
    };
    let by = |family, most| {
        cost(classic, rounds, most, |shake| Multistep::new(family, len, &options(shake)))
    };
    let bdf = by(Family::Bdf, u64::MAX);
    let most = bdf.evaluations.iter().flatten().max().map_or(u64::MAX, |most| 3 * most);
    let adams = by(Family::Adams, most);
    let automatic =
        cost(classic, rounds, u64::MAX, |shake| Multistep::automatic(len, &options(shake)));
    let ratios = ratios(&automatic, [&bdf, &adams]);
    print(classic, relative, [&bdf, &adams, &automatic], ratios);
    let told = judge(&automatic, [&bdf, &adams], ratios);
    told.map(|told| format!("{} at {relative:e}: {told}", classic.name))
}

fn print(classic: &Classic, relative: f64, costs: [&Cost; 3], ratios: [f64; 2]) {
    let evaluations = costs.map(|cost| match cost.failures() {
        0 => format!("{:.0}", cost.evaluations(&[]) / SHAKES.len() as f64),
        all if all == SHAKES.len() => "failed".to_owned(),
        some => format!("{some} failed"),
    });
    let times = costs.map(|cost| format!("{:.1}", cost.microseconds / SHAKES.len() as f64));
    let (name, switches) = (classic.name, costs[2].switches as f64 / SHAKES.len() as f64);
    print!("| {name} | {relative:e} | {} | {switches:.1} |", evaluations.join(" | "));
    println!(" {:.2} | {} | {:.2} |", ratios[0], times.join(" | "), ratios[1]);
}

fn judge(automatic: &Cost, both: [&Cost; 2], ratios: [f64; 2]) -> Option<String> {
    let fails = |shake: usize| {
        let can_be = both.iter().any(|cost| cost.evaluations[shake].is_some());
        can_be && automatic.evaluations[shake].is_none()
    };
    let failures = (0..SHAKES.len()).filter(|shake| fails(*shake)).count();
    if 0 < failures {
        return Some(format!("{failures} failures where another succeeds"));
    }
    let is_dear = ratios.iter().any(|ratio| COST_RATIO_MAX < *ratio);
    let [evaluations, times] = ratios;
    is_dear.then(|| {
        format!("{evaluations:.2} times the evaluations, {times:.2} times the time of the better")
    })
}

/// How many times as much the automatic choice costs as the better of both. Where one has fewer evaluations and the
/// other takes less time, each is the better for some model: the one that was come closer to counts.
fn ratios(automatic: &Cost, both: [&Cost; 2]) -> [f64; 2] {
    let [bdf, adams] = both;
    let pairs = [(bdf, adams), (adams, bdf)].into_iter();
    let better = pairs.filter(|(one, other)| !one.is_worse(other) && one.failures() < SHAKES.len());
    let ratios = better.map(|(one, _)| automatic.over(one));
    let closest = ratios.min_by(|a, b| a[0].max(a[1]).total_cmp(&b[0].max(b[1])));
    closest.unwrap_or([1.0; 2])
}

/// What one solver needs for a problem, by the best of some rounds; it fails if it takes more evaluations
/// than `most`.
fn cost(
    classic: &Classic,
    rounds: usize,
    most: u64,
    solver: impl Fn(f64) -> Multistep,
) -> Cost {
    let (evaluations, microseconds) = ([None; SHAKES.len()], 0.0);
    let mut cost = Cost { evaluations, microseconds, switches: 0 };
    for (index, shake) in SHAKES.into_iter().enumerate() {
        let mut best = f64::INFINITY;
        for round in 0..rounds {
            let mut solver = solver(shake);
            let begun = cpu_seconds();
            let is_solved = drive(&mut solver, classic, most).is_ok();
            best = best.min((cpu_seconds() - begun) * 1e6);
            let done = solver.statistics();
            if round == 0 {
                cost.evaluations[index] = is_solved.then_some(done.evaluations + done.factorizations);
                cost.switches += done.switches;
            }
            if !is_solved {
                break;
            }
        }
        cost.microseconds += best;
    }
    cost
}
