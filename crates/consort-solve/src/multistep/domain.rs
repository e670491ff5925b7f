//! Steps that end where f has no value. A level below zero has no root, and a step may end a little below, within
//! its tolerances: nothing could continue from there, so that such a step is not taken.
//!
//! To look costs an evaluation. So it is done where f had no value lately, and where more states are below zero than
//! at any end before: roots and logarithms mostly end there.

use super::Multistep;
use super::corrector::Outcome;
use crate::problem::Problem;

/// For how many steps each end is looked at after f had no value.
const WARY_STEPS: u64 = 100;

/// What makes it look.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Domain {
    /// Steps that are left until f is trusted again.
    pub(super) wary: u64,
    /// The most states below zero with which f had a value where a step ended.
    pub(super) below: u64,
}

impl Domain {
    /// One that knows f at these states.
    pub(super) fn around(x: &[f64]) -> Self {
        Domain { wary: 0, below: below_zero(x) }
    }
}

impl Multistep {
    /// What is left of an outcome when its step would end where f has no value.
    pub(super) fn confirm<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        t: f64,
        outcome: Outcome,
    ) -> Result<Outcome, P::Error> {
        let is_defined = match outcome {
            Outcome::NotFinite => false,
            Outcome::Solved { size } if size * self.work.coefficients.error <= 1.0 => {
                self.is_defined_at_end(problem, t)?
            }
            Outcome::Solved { .. } | Outcome::Unsolved => true,
        };
        if is_defined {
            return Ok(outcome);
        }
        self.domain.wary = WARY_STEPS;
        Ok(Outcome::NotFinite)
    }

    fn is_defined_at_end<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        t: f64,
    ) -> Result<bool, P::Error> {
        let work = &mut *self.work;
        let below = below_zero(&work.x);
        if self.domain.wary == 0 && below <= self.domain.below {
            return Ok(true);
        }
        self.statistics.evaluations += 1;
        problem.derivatives(t, &work.x, &mut work.slope)?;
        let is_defined = work.slope.iter().all(|slope| slope.is_finite());
        if is_defined {
            self.domain.wary = self.domain.wary.saturating_sub(1);
            self.domain.below = self.domain.below.max(below);
        }
        Ok(is_defined)
    }
}

fn below_zero(x: &[f64]) -> u64 {
    x.iter().map(|x| u64::from(*x < 0.0)).sum()
}
