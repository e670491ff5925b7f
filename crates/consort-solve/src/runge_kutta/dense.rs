//! Dense output: the states within the last step.

use super::tableau::sums;
use super::{Known, RungeKutta};
use crate::problem::{Problem, SolverFailure};

impl RungeKutta {
    /// Computes what [`RungeKutta::interpolate`] needs beyond the last step; nothing, if that was done
    /// or nothing is needed.
    ///
    /// # Errors
    ///
    /// If the model failed.
    pub fn prepare_dense<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
    ) -> Result<(), SolverFailure<P::Error>> {
        if self.is_dense || self.t <= self.from {
            return Ok(());
        }
        self.make_room();
        let tableau = self.pair.tableau();
        for (row, stage) in tableau.dense_stages.iter().enumerate() {
            self.dense_stage(problem, stage, tableau.last() + 1 + row)?;
        }
        self.is_dense = true;
        Ok(())
    }

    /// Puts the states at `t`, within the last step, into `x`.
    ///
    /// # Panics
    ///
    /// If `t` is outside of the last step, the number of states is another, or dense output was to be
    /// prepared on demand, is needed, and was not.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        assert!(self.from <= t && t <= self.t, "{t} s is outside of the last step");
        assert_eq!(x.len(), self.x.len(), "the solver was made for another number of states");
        if self.t <= t {
            return x.copy_from_slice(&self.x);
        }
        let needs_more = !self.pair.tableau().dense_stages.is_empty();
        assert!(self.is_dense || !needs_more, "dense output was not prepared");
        assert!(self.known == Known::Last, "the last step is over");
        self.polynomial((t - self.from) / (self.t - self.from), x);
    }

    /// The polynomial at a part of the step, in nested form with the factors `part` and `1 - part` in
    /// turn (Hairer, Norsett and Wanner, section II.6).
    fn polynomial(&self, part: f64, x: &mut [f64]) {
        let tableau = self.pair.tableau();
        let (len, h) = (x.len(), self.t - self.from);
        let (before, after) = (&self.x_from[..len], &self.x[..len]);
        let (first, last) = (&self.slopes[..len], &self.slopes[tableau.last() * len..][..len]);
        x.fill(0.0);
        for (index, weights) in tableau.dense.iter().enumerate().rev() {
            let factor = if index % 2 == 0 { part } else { 1.0 - part };
            sums(weights, &self.slopes, len, |i, sum| x[i] = h * sum + factor * x[i]);
        }
        for i in 0..len {
            let difference = after[i] - before[i];
            let bend = h * first[i] - difference;
            let twist = difference - h * last[i] - bend;
            let inner = bend + part * (twist + (1.0 - part) * x[i]);
            x[i] = before[i] + part * (difference + (1.0 - part) * inner);
        }
    }
}
