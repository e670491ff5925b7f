//! Every classic problem at six tolerances: ours must not fail where CVODE succeeds, nor err much more.

use crate::classics::{Classic, classics};
use crate::cvode::{Cvode, Family as Rival};
use crate::ours::Ours;
use crate::problems::Setup;
use consort_solve::{
    Advanced, SolverFailure, Family, Keep, Multistep, Options, Pair, Problem, RungeKutta, Tolerances,
};
use std::convert::Infallible;
use std::ffi::{c_int, c_void};

pub(crate) const TOLERANCES: [f64; 6] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
/// Ours may err this many times as much as CVODE does at the same tolerances, or this many tolerances.
const ERROR_RATIO_MAX: f64 = 3.0;
const ERROR_MAX: f64 = 10.0;
/// What the reference is solved with: the first that can be.
const REFERENCES: [f64; 4] = [1e-13, 1e-12, 1e-11, 1e-10];
/// Each tolerance is tried with these factors, and the median of the errors counts: where a problem makes
/// errors a thousand times larger, that of one run is chance, CVODE's as well as ours.
pub(crate) const SHAKES: [f64; 9] = [1.0, 0.8, 0.85, 0.9, 0.95, 1.05, 1.1, 1.2, 1.25];
/// Errors are looked at at so many times in equal distances, and at as many that double.
const LOOKS: u32 = 32;
/// More steps than this are a failure.
const STEPS_MAX: u64 = 3_000_000;

const HEADER: &str = "\
| problem | tolerance | solver | error/tolerance | CVODE's | steps | CVODE's | evaluations | CVODE's |
|---|---|---|---:|---:|---:|---:|---:|---:|";

/// The states wherever one looks, one after the other, with steps and evaluations.
pub(crate) type Solved = Result<(Vec<f64>, [u64; 2]), String>;

/// Runs all whose names contain the text; what was found wrong.
pub(crate) fn run(only: &str) -> Vec<String> {
    println!("{HEADER}");
    let mut complaints = Vec::new();
    let all = classics();
    for (index, classic) in all.iter().enumerate() {
        if !classic.name.contains(only) {
            continue;
        }
        match reference(classic) {
            Ok(reference) => {
                for relative in TOLERANCES {
                    compare(index, classic, relative, &reference, &mut complaints);
                }
            }
            Err(problem) => complaints.push(format!("{}: no reference: {problem}", classic.name)),
        }
    }
    complaints
}

fn methods(classic: &Classic) -> Vec<Ours> {
    match classic.is_stiff {
        true => vec![Ours::Bdf],
        false => {
            vec![Ours::Bdf, Ours::Adams, Ours::BogackiShampine, Ours::DormandPrince, Ours::Dop853]
        }
    }
}

/// What one solver made of a problem at one tolerance.
struct Measured {
    /// In tolerances, for each shake, or why it failed.
    errors: Vec<Result<f64, String>>,
    /// Steps and evaluations without a shake.
    work: [u64; 2],
}

impl Measured {
    fn of(
        classic: &Classic,
        relative: f64,
        reference: &[f64],
        solve: impl Fn(&Tolerances) -> Solved,
    ) -> Self {
        let mut measured = Measured { errors: Vec::new(), work: [0; 2] };
        for (round, shake) in SHAKES.iter().enumerate() {
            let tolerances = tolerances(classic, relative * shake);
            let solved = solve(&tolerances);
            if let (0, Ok((_, work))) = (round, &solved) {
                measured.work = *work;
            }
            measured.errors.push(solved.map(|(x, _)| error(&x, reference, &tolerances)));
        }
        measured
    }

    fn failures(&self) -> usize {
        self.errors.iter().filter(|error| error.is_err()).count()
    }

    /// The median of the errors where the other succeeded too; infinite if there are none.
    fn error(&self, other: &Measured) -> f64 {
        let both = self.errors.iter().zip(&other.errors).filter(|(_, other)| other.is_ok());
        let mut errors: Vec<f64> = both.filter_map(|(error, _)| error.clone().ok()).collect();
        errors.sort_by(f64::total_cmp);
        errors.get(errors.len() / 2).copied().unwrap_or(f64::INFINITY)
    }

    fn shown(&self, other: &Measured) -> [String; 3] {
        let error = match self.failures() {
            0 => format!("{:.2}", self.error(other)),
            all if all == SHAKES.len() => "failed".to_owned(),
            some => format!("{:.2} ({some} failed)", self.error(other)),
        };
        [error, self.work[0].to_string(), self.work[1].to_string()]
    }
}

fn compare(
    index: usize,
    classic: &Classic,
    relative: f64,
    reference: &[f64],
    complaints: &mut Vec<String>,
) {
    let by = |family| {
        let solve = |tolerances: &Tolerances| solve_by_cvode(index, classic, family, tolerances);
        Measured::of(classic, relative, reference, solve)
    };
    let bdf = by(Rival::Bdf);
    let adams = (!classic.is_stiff).then(|| by(Rival::Adams));
    for ours in methods(classic) {
        // CVODE has no explicit method: what it gives by the worse of its two.
        let rival = match (ours, &adams) {
            (Ours::Adams, Some(adams)) => adams,
            (Ours::Bdf, _) | (_, None) => &bdf,
            (_, Some(adams)) if adams.error(adams) < bdf.error(&bdf) => &bdf,
            (_, Some(adams)) => adams,
        };
        let solve = |tolerances: &Tolerances| solve(ours, classic, tolerances);
        let measured = Measured::of(classic, relative, reference, solve);
        let (mine, its) = (measured.shown(rival), rival.shown(&measured));
        let [name, solver] = [classic.name, ours.name()];
        print!("| {name} | {relative:e} | {solver} | {} | {} |", mine[0], its[0]);
        println!(" {} | {} | {} | {} |", mine[1], its[1], mine[2], its[2]);
        let found = judge(&measured, rival);
        complaints.extend(found.map(|why| format!("{solver}, {name} at {relative:e}: {why}")));
    }
}

fn judge(ours: &Measured, rival: &Measured) -> Option<String> {
    let both = ours.errors.iter().zip(&rival.errors);
    let mut worse =
        both.filter(|(_, rival)| rival.is_ok()).filter_map(|(ours, _)| ours.as_ref().err());
    if let Some(failure) = worse.next() {
        return Some(failure.clone());
    }
    let (mine, its) = (ours.error(rival), rival.error(ours));
    let is_good = mine <= ERROR_MAX || mine <= ERROR_RATIO_MAX * its;
    (!is_good).then(|| format!("an error of {mine:.1} tolerances, CVODE's is {its:.1}"))
}

/// The largest error in units of the tolerance; infinite if a state is no number.
fn error(x: &[f64], reference: &[f64], tolerances: &Tolerances) -> f64 {
    let states = x.iter().zip(reference).zip(tolerances.absolute.iter().cycle());
    let errors = states.map(|((x, r), a)| (x - r).abs() / (tolerances.relative * r.abs() + a));
    let errors = errors.map(|error| if error.is_nan() { f64::INFINITY } else { error });
    errors.fold(0.0, f64::max)
}

/// When errors are looked at: ascending, the end last. An error at the end alone may be small by chance.
fn looks(classic: &Classic) -> Vec<f64> {
    let end = classic.inputs.last().expect("a problem has an end").0;
    let even = (1..=LOOKS).map(|n| end * f64::from(n) / f64::from(LOOKS));
    let doubled = (1..=LOOKS).map(|n| end * 0.5_f64.powi(n.cast_signed()));
    let mut all: Vec<f64> = even.chain(doubled).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

pub(crate) fn tolerances(classic: &Classic, relative: f64) -> Tolerances {
    let parts = classic.parts.iter().cycle().take(classic.x0.len());
    Tolerances { relative, absolute: parts.map(|part| relative * part).collect() }
}

/// A solution that is far more precise than what is judged by it.
fn reference(classic: &Classic) -> Result<Vec<f64>, String> {
    let method = if classic.is_stiff { Ours::Bdf } else { Ours::Dop853 };
    let mut all = REFERENCES.iter().map(|part| solve(method, classic, &tolerances(classic, *part)));
    let found = all.find(Result::is_ok).ok_or("no tolerance is good for one")?;
    found.map(|(x, _)| x)
}

/// A classic as our solvers see it.
pub(crate) struct Held<'a> {
    classic: &'a Classic,
    input: f64,
}

impl Problem for Held<'_> {
    type Error = Infallible;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        (self.classic.f)(t, self.input, x, dx);
        Ok(())
    }
}

fn solve(ours: Ours, classic: &Classic, tolerances: &Tolerances) -> Solved {
    let structure = classic.sparse_structure();
    let options = Options { structure, ..Options::new(tolerances.clone()) };
    let len = classic.x0.len();
    let multistep = |family| drive(&mut Multistep::new(family, len, &options), classic, u64::MAX);
    let explicit = |pair| drive(&mut RungeKutta::new(pair, len, &options), classic, u64::MAX);
    match ours {
        Ours::Adams => multistep(Family::Adams),
        Ours::Bdf => multistep(Family::Bdf),
        Ours::BogackiShampine => explicit(Pair::BogackiShampine32),
        Ours::DormandPrince => explicit(Pair::DormandPrince54),
        Ours::Dop853 => explicit(Pair::DormandPrince853),
    }
}

/// Through all values of the input, starting again where it changes as models do.
pub(crate) fn drive<S: Driven>(solver: &mut S, classic: &Classic, evaluations_max: u64) -> Solved {
    let (mut from, mut x) = (0.0, classic.x0.clone());
    let (mut looks, mut seen) = (looks(classic).into_iter().peekable(), Vec::new());
    for (limit, input) in &classic.inputs {
        let mut problem = Held { classic, input: *input };
        solver.go_on(from, &x, if from == 0.0 { Keep::Nothing } else { Keep::StepSize });
        while from < *limit {
            from = solver.advance(&mut problem, *limit).map_err(|failure| failure.to_string())?.to;
            let [steps, evaluations] = solver.work();
            if STEPS_MAX < steps || evaluations_max < evaluations {
                return Err(format!(
                    "{steps} steps and {evaluations} evaluations reach {from} only"
                ));
            }
            while let Some(t) = looks.next_if(|t| *t <= from) {
                solver.look(t, &mut x);
                seen.extend(&x);
            }
        }
        solver.look(from, &mut x);
    }
    Ok((seen, solver.work()))
}

/// What our solvers have in common here.
pub(crate) trait Driven {
    fn go_on(&mut self, t: f64, x: &[f64], keep: Keep);
    fn advance(
        &mut self,
        problem: &mut Held<'_>,
        limit: f64,
    ) -> Result<Advanced, SolverFailure<Infallible>>;
    fn look(&self, t: f64, x: &mut [f64]);
    fn work(&self) -> [u64; 2];
}

macro_rules! driven {
    ($name:ty) => {
        impl Driven for $name {
            fn go_on(&mut self, t: f64, x: &[f64], keep: Keep) {
                self.restart(t, x, keep);
            }

            fn advance(
                &mut self,
                problem: &mut Held<'_>,
                limit: f64,
            ) -> Result<Advanced, SolverFailure<Infallible>> {
                self.step(problem, limit)
            }

            fn look(&self, t: f64, x: &mut [f64]) {
                self.interpolate(t, x);
            }

            fn work(&self) -> [u64; 2] {
                let statistics = self.statistics();
                [statistics.steps, statistics.evaluations]
            }
        }
    };
}

driven!(Multistep);
driven!(RungeKutta);

fn solve_by_cvode(
    index: usize,
    classic: &Classic,
    family: Rival,
    tolerances: &Tolerances,
) -> Solved {
    let setup = Setup {
        name: classic.name,
        x0: classic.x0.clone(),
        t_end: 0.0,
        reference: Vec::new(),
        tolerances: tolerances.clone(),
        structure: classic.band_structure(),
        right_hand_side: formula,
        parameter: index as f64,
    };
    let mut rival = Cvode::new(family, &setup);
    let (mut from, mut done) = (0.0, [0, 0]);
    let (mut looks, mut seen) = (looks(classic).into_iter().peekable(), Vec::new());
    let failed = |answer| format!("CVODE answers {answer}");
    for (limit, input) in &classic.inputs {
        rival.begin(from, *limit, *input);
        while from < *limit {
            from = rival.step(*limit).map_err(failed)?;
            while let Some(t) = looks.next_if(|t| *t <= from) {
                seen.extend(rival.look(t));
            }
            if STEPS_MAX < rival.work().steps {
                return Err(format!("{STEPS_MAX} steps reach {from} only"));
            }
        }
        let work = rival.work();
        done = [done[0] + work.steps, done[1] + work.evaluations];
    }
    Ok((seen, done))
}

thread_local! {
    static CLASSICS: Vec<Classic> = classics();
}

/// Any classic as CVODE calls it: the user's data are its number and the input.
unsafe extern "C" fn formula(t: f64, x: *mut c_void, dx: *mut c_void, user: *mut c_void) -> c_int {
    // SAFETY: CVODE passes vectors of the classic's length and the data that it was set up with.
    let (parameters, x, dx) = unsafe { crate::cvode::arguments(x, dx, user) };
    CLASSICS.with(|all| (all[parameters[0] as usize].f)(t, parameters[1], x, dx));
    // More than zero asks for a shorter step.
    c_int::from(dx.iter().any(|slope| !slope.is_finite()))
}
