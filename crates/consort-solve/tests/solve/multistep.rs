//! BDF and Adams methods of variable order and step.

#[path = "multistep/automatic.rs"]
mod automatic;
#[path = "multistep/classics.rs"]
mod classics;
#[path = "multistep/continuation.rs"]
mod continuation;
#[path = "multistep/failures.rs"]
mod failures;
#[path = "multistep/jacobians.rs"]
mod jacobians;
#[path = "multistep/orders.rs"]
mod orders;
#[path = "multistep/problems.rs"]
pub(crate) mod problems;
#[path = "multistep/process.rs"]
mod process;
#[path = "multistep/references.rs"]
mod references;
#[path = "multistep/steps.rs"]
mod steps;
#[path = "multistep/units.rs"]
mod units;

use consort_solve::{Family, Multistep, Options};
use problems::Known;

/// A solver at the problem's start; without a family it chooses one.
fn started(family: impl Into<Option<Family>>, known: &Known, options: &Options) -> Multistep {
    let len = known.start.len();
    let mut solver = match family.into() {
        Some(family) => Multistep::new(family, len, options),
        None => Multistep::automatic(len, options),
    };
    solver.start(0.0, &known.start);
    solver
}

/// A solver at the problem's end.
fn solved(family: impl Into<Option<Family>>, known: &Known, options: &Options) -> Multistep {
    let mut problem = known.clone();
    let mut solver = started(family, known, options);
    while solver.step(&mut problem, known.end).expect("the problem is solved").to < known.end {}
    solver
}
