//! Our solvers against SUNDIALS CVODE, problem by problem, in one process.
//!
//! `cargo xtask bench-solvers [--check] [--accuracy] [--automatic] [--rounds N] [--only TEXT]` compiles SUNDIALS, builds this and
//! runs it. The table goes to stdout. Both sides have the same formulas and tolerances, take Jacobians by
//! differences, end their last step at the end, and are set up before the clock starts. An explicit
//! method is compared with CVODE's Adams method, at a tolerance for which one would choose it.
//!
//! - `--check`: exit 1 if one of ours is slower than its limit, or much less accurate than CVODE.
//! - `--accuracy`: instead, the classic problems at six tolerances: exit 1 if one of ours fails where CVODE
//!   does not, or errs more than 3 times as much as CVODE and 10 tolerances.
//! - `--automatic`: instead, the automatic choice beside BDF and Adams on the same: exit 1 if it fails where one
//!   of them does not, or costs more than 1.3 times what the better does.
//! - `--rounds N`: time each solver so often (default 15); the best round counts.
//! - `--only TEXT`: problems whose name contains the text.

mod accuracy;
mod automatic;
mod classics;
mod contest;
mod cvode;
mod ours;
mod problems;

use contest::{Contender, Measured, measure};
use cvode::{Cvode, Family};
use ours::Ours;
use problems::{Arenstorf, Brusselator, Equations, Heat, Pleiades, Robertson, Setup, VanDerPol};
use std::process::ExitCode;

const ROUNDS_DEFAULT: usize = 15;
/// Ours may err this many times as much as CVODE does, or this many tolerances.
const ERROR_RATIO_MAX: f64 = 10.0;

const HEADER: &str = "\
| problem | tolerance | solver | µs | median | ratio | limit | error/tolerance | steps | evaluations |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|";

/// The highest ratios of times that are allowed.
const MULTISTEP_MAX: f64 = 1.0;
const HEAT_MAX: f64 = 1.2;
const EXPLICIT_MAX: f64 = 0.6;

/// One problem at one tolerance: those who solve it are set up when its turn comes.
struct Contest {
    setup: Setup,
    entries: Vec<Entry>,
}

/// Makes a solver for a problem.
type SetUp = Box<dyn Fn(&Setup) -> Box<dyn Contender>>;

/// One of our methods in a contest.
struct Entry {
    ours: Ours,
    ratio_max: f64,
    contender: SetUp,
}

impl Contest {
    fn new<E: Equations>(equations: E, relative: f64, parts: &[f64], methods: &[Ours]) -> Self {
        let setup = equations.setup().with_tolerance(relative, parts);
        let is_long = 100 < setup.x0.len();
        let entry = |ours: &Ours| {
            let ours = *ours;
            let multistep_max = if is_long { HEAT_MAX } else { MULTISTEP_MAX };
            let ratio_max = if ours.is_explicit() { EXPLICIT_MAX } else { multistep_max };
            let contender = Box::new(move |setup: &Setup| ours::contender(ours, equations, setup));
            Entry { ours, ratio_max, contender }
        };
        Contest { entries: methods.iter().map(entry).collect(), setup }
    }
}

fn contests() -> Vec<Contest> {
    use Ours::{Adams, Bdf, BogackiShampine, Dop853, DormandPrince};
    let robertson = [1e-4, 1e-10, 1e-2];
    let (smooth, stiff) = (VanDerPol { is_stiff: false }, VanDerPol { is_stiff: true });
    vec![
        Contest::new(Robertson, 1e-4, &robertson, &[Bdf]),
        Contest::new(Robertson, 1e-7, &robertson, &[Bdf]),
        Contest::new(stiff, 1e-4, &[0.01], &[Bdf]),
        Contest::new(stiff, 1e-7, &[0.01], &[Bdf]),
        Contest::new(smooth, 1e-3, &[1.0], &[Adams, Bdf, BogackiShampine]),
        Contest::new(smooth, 1e-6, &[1.0], &[Adams, Bdf, DormandPrince]),
        Contest::new(smooth, 1e-9, &[1.0], &[Adams, Bdf, Dop853]),
        Contest::new(Arenstorf, 1e-7, &[1.0], &[Adams, Bdf, DormandPrince]),
        Contest::new(Arenstorf, 1e-10, &[1.0], &[Adams, Bdf, Dop853]),
        Contest::new(Brusselator, 1e-3, &[1.0], &[Adams, BogackiShampine]),
        Contest::new(Brusselator, 1e-6, &[1.0], &[Adams, DormandPrince]),
        Contest::new(Brusselator, 1e-9, &[1.0], &[Adams, Dop853]),
        Contest::new(Pleiades, 1e-3, &[1.0], &[Adams, BogackiShampine]),
        Contest::new(Pleiades, 1e-6, &[1.0], &[Adams, DormandPrince]),
        Contest::new(Pleiades, 1e-9, &[1.0], &[Adams, Dop853]),
        Contest::new(Heat, 1e-4, &[0.01], &[Bdf]),
        Contest::new(Heat, 1e-6, &[0.01], &[Bdf]),
    ]
}

fn main() -> ExitCode {
    let arguments = match Arguments::parse() {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    if arguments.accuracy || arguments.automatic {
        let only = &arguments.only;
        let complaints = match arguments.accuracy {
            true => accuracy::run(only),
            false => automatic::run(only, arguments.rounds),
        };
        complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
        return if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let mut contests = contests();
    contests.retain(|contest| contest.setup.name.contains(&arguments.only));
    if contests.is_empty() {
        eprintln!("no problem's name contains `{}`", arguments.only);
        return ExitCode::from(2);
    }
    println!("{HEADER}");
    let mut complaints = Vec::new();
    for contest in &contests {
        run(contest, arguments.rounds, &mut complaints);
    }
    complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
    if arguments.check && !complaints.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

struct Arguments {
    check: bool,
    accuracy: bool,
    automatic: bool,
    rounds: usize,
    only: String,
}

impl Arguments {
    fn parse() -> Result<Self, String> {
        let mut parsed = Arguments {
            check: false,
            accuracy: false,
            automatic: false,
            rounds: ROUNDS_DEFAULT,
            only: String::new(),
        };
        let mut rest = std::env::args().skip(1);
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--check" => parsed.check = true,
                "--accuracy" => parsed.accuracy = true,
                "--automatic" => parsed.automatic = true,
                "--rounds" => {
                    let given = rest.next().and_then(|text| text.parse().ok());
                    parsed.rounds = given.filter(|n| 0 < *n).ok_or("--rounds takes a number")?;
                }
                "--only" => parsed.only = rest.next().ok_or("--only takes a part of a name")?,
                other => return Err(format!("no argument `{other}`; see `cargo xtask help`")),
            }
        }
        Ok(parsed)
    }
}

/// Measures and prints a contest; ours that are too slow or too wrong are complained about.
fn run(contest: &Contest, rounds: usize, complaints: &mut Vec<String>) {
    let setup = &contest.setup;
    let has_rival = |family| contest.entries.iter().any(|entry| entry.ours.rival() == family);
    let mut families = vec![Family::Adams, Family::Bdf];
    families.retain(|family| has_rival(*family));
    let mut contenders: Vec<Box<dyn Contender>> = Vec::new();
    for family in &families {
        contenders.push(Box::new(Cvode::new(*family, setup)));
    }
    contenders.extend(contest.entries.iter().map(|entry| (entry.contender)(setup)));
    let measured = measure(&mut contenders, rounds);
    let (rivals, ours) = measured.split_at(families.len());
    for (family, rival) in families.iter().zip(rivals) {
        print(setup, family.name(), rival, None);
    }
    for (entry, measured) in contest.entries.iter().zip(ours) {
        let rival = families.iter().position(|family| *family == entry.ours.rival());
        let rival = &rivals[rival.expect("every rival takes part")];
        let ratio = measured.best() / rival.best();
        print(setup, entry.ours.name(), measured, Some((ratio, entry.ratio_max)));
        complaints.extend(judge(setup, entry, measured, rival));
    }
}

fn judge(setup: &Setup, entry: &Entry, ours: &Measured, rival: &Measured) -> Vec<String> {
    let what = format!("{}, {} at {:e}", entry.ours.name(), setup.name, setup.tolerances.relative);
    let mut found = Vec::new();
    let ratio = ours.best() / rival.best();
    if entry.ratio_max < ratio {
        found.push(format!("{what}: {ratio:.2} of CVODE's time; at most {}", entry.ratio_max));
    }
    let (error, allowed) = (setup.error(&ours.states), setup.error(&rival.states).max(1.0));
    if ERROR_RATIO_MAX * allowed < error {
        found.push(format!("{what}: an error of {error:.1} tolerances"));
    }
    found
}

fn print(setup: &Setup, solver: &str, measured: &Measured, ratio: Option<(f64, f64)>) {
    let (ratio, limit) = match ratio {
        Some((ratio, limit)) => (format!("{ratio:.2}"), format!("{limit:.1}")),
        None => ("1".to_owned(), String::new()),
    };
    println!(
        "| {} | {:e} | {solver} | {:.1} | {:.1} | {ratio} | {limit} | {:.2} | {} | {} |",
        setup.name,
        setup.tolerances.relative,
        measured.best(),
        measured.median(),
        setup.error(&measured.states),
        measured.count.steps,
        measured.count.evaluations,
    );
}
