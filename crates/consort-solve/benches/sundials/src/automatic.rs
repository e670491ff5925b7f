//! The automatic choice against what it chooses from, on every classic problem at six tolerances. What counts is
//! evaluations and factorizations; time is shown, but these models take so little of it that chance decides.

use crate::accuracy::{SHAKES, TOLERANCES, drive, tolerances};
use crate::classics::{Classic, classics};
use crate::contest::cpu_seconds;
use consort_solve::{Family, Multistep, Options};

/// The automatic choice may cost this many times what the better of both does.
const COST_RATIO_MAX: f64 = 1.3;

const HEADER: &str = "\
| problem | tolerance | BDF | Adams | automatic | switches | ratio | µs BDF | Adams | automatic |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|";

/// What integrations cost, one for each shake of the tolerance: a cost by chance is none.
struct Cost {
    /// Those for differences included; nothing where it failed.
    evaluations: [Option<u64>; SHAKES.len()],
    microseconds: f64,
    switches: u64,
}

impl Cost {
    fn failures(&self) -> usize {
        self.evaluations.iter().filter(|one| one.is_none()).count()
    }

    /// The sums of evaluations of both, where both succeeded.
    fn beside(&self, other: &Cost) -> [u64; 2] {
        let pairs = self.evaluations.iter().zip(&other.evaluations);
        let common = pairs.filter_map(|(mine, others)| Some([(*mine)?, (*others)?]));
        common.fold([0; 2], |sums, one| [sums[0] + one[0], sums[1] + one[1]])
    }

    /// How many times the evaluations of another; nothing where one of them always fails.
    fn over(&self, other: &Cost) -> Option<f64> {
        let [mine, others] = self.beside(other);
        (0 < others).then(|| mine as f64 / others as f64)
    }

    fn mean(&self) -> f64 {
        self.evaluations.iter().flatten().sum::<u64>() as f64 / SHAKES.len() as f64
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
    let ratio = ratio(&automatic, [&bdf, &adams]);
    print(classic, relative, [&bdf, &adams, &automatic], ratio);
    let complaint = judge(&automatic, [&bdf, &adams], ratio);
    complaint.map(|complaint| format!("{} at {relative:e}: {complaint}", classic.name))
}

fn print(classic: &Classic, relative: f64, costs: [&Cost; 3], ratio: f64) {
    let evaluations = costs.map(|cost| match cost.failures() {
        0 => format!("{:.0}", cost.mean()),
        all if all == SHAKES.len() => "failed".to_owned(),
        some => format!("{some} failed"),
    });
    let times = costs.map(|cost| format!("{:.1}", cost.microseconds / SHAKES.len() as f64));
    let (name, switches) = (classic.name, costs[2].switches as f64 / SHAKES.len() as f64);
    print!("| {name} | {relative:e} | {} | {switches:.1} |", evaluations.join(" | "));
    println!(" {ratio:.2} | {} |", times.join(" | "));
}

fn judge(automatic: &Cost, both: [&Cost; 2], ratio: f64) -> Option<String> {
    let fails = |shake: usize| {
        let can_be = both.iter().any(|cost| cost.evaluations[shake].is_some());
        can_be && automatic.evaluations[shake].is_none()
    };
    let failures = (0..SHAKES.len()).filter(|shake| fails(*shake)).count();
    if 0 < failures {
        return Some(format!("{failures} failures where another succeeds"));
    }
    let is_dear = COST_RATIO_MAX < ratio;
    is_dear.then(|| format!("{ratio:.2} times the evaluations of the better"))
}

/// How many times as much the automatic choice costs as the better of both.
fn ratio(automatic: &Cost, both: [&Cost; 2]) -> f64 {
    both.into_iter().filter_map(|cost| automatic.over(cost)).fold(1.0, f64::max)
}

/// What one solver needs for a problem, by the best of some rounds; it fails if it takes more evaluations
/// than `most`.
fn cost(classic: &Classic, rounds: usize, most: u64, solver: impl Fn(f64) -> Multistep) -> Cost {
    let (evaluations, microseconds) = ([None; SHAKES.len()], 0.0);
    let mut cost = Cost { evaluations, microseconds, switches: 0 };
    for (index, shake) in SHAKES.into_iter().enumerate() {
        let mut best = f64::INFINITY;
        for round in 0..rounds {
            let begun = cpu_seconds();
            let mut solver = solver(shake);
            let is_solved = drive(&mut solver, classic, most).is_ok();
            best = best.min((cpu_seconds() - begun) * 1e6);
            let done = solver.statistics();
            if round == 0 {
                cost.evaluations[index] =
                    is_solved.then_some(done.evaluations + done.factorizations);
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
