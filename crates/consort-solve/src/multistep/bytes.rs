//! A solver's state as bytes: options, pace, history and matrices; not the room within a step.

use super::automatic::Automatic;
use super::coefficients::ROWS_MAX;
use super::domain::Domain;
use super::{Family, Multistep, Newton, Pace};
use crate::bytes::{BytesError, ReadParts, Reader, WriteParts, Writer};
use crate::problem::{Options, SolverStatistics};

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTMULT\x03";

/// Every family; its place stands for it.
const FAMILIES: [Family; 3] = [Family::Bdf, Family::Adams, Family::AdamsNewton];

impl Multistep {
    /// Everything it needs to continue exactly; solvers that continue alike have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.choice(&FAMILIES, self.family);
        writer.flag(self.automatic.is_some());
        writer.flag(self.newton.is_some());
        writer.count(self.len);
        writer.options(&self.options);
        writer.real(self.t);
        writer.flag(self.is_fresh);
        writer.word(self.taken);
        writer.optional(self.hint);
        writer.word(self.domain.wary);
        writer.word(self.domain.below);
        self.pace.write(&mut writer);
        writer.reals(&self.history.values);
        if let Some(newton) = &self.newton {
            newton.write(&mut writer);
        }
        writer.statistics(&self.statistics);
        if let Some(automatic) = &self.automatic {
            automatic.write(&mut writer);
        }
        writer.finish()
    }

    /// The solver that [`Multistep::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// If the bytes are not those of such a solver.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let impossible = |what| BytesError::Impossible { what };
        let mut reader = Reader::new(bytes, MAGIC)?;
        let family = reader.choice(&FAMILIES, "family")?;
        let [is_automatic, has_newton] = [reader.flag()?, reader.flag()?];
        // What chooses keeps the matrices of a method that it no longer uses.
        let is_possible = match family {
            Family::Bdf => has_newton,
            Family::Adams => is_automatic || !has_newton,
            Family::AdamsNewton => has_newton && !is_automatic,
        };
        if !is_possible {
            return Err(impossible("family"));
        }
        let len = reader.at_most(Self::STATES_MAX, "number of states")?;
        let options = reader.options(len)?;
        // A matrix is far larger than what was read so far: it must be there before room is made.
        reader.expect_words(if has_newton { options.structure.entries(len) } else { 0 })?;
        let mut solver =
            Multistep::build(family, &Parts { is_automatic, has_newton }, len, &options);
        solver.t = reader.real()?;
        solver.is_fresh = reader.flag()?;
        solver.taken = reader.tally()?;
        solver.hint = reader.optional()?;
        solver.domain = Domain { wary: reader.tally()?, below: reader.tally()? };
        solver.pace = Pace::read(&mut reader, solver.order_max)?;
        reader.fill(&mut solver.history.values)?;
        if let Some(newton) = &mut solver.newton {
            newton.read(&mut reader, solver.taken)?;
        }
        solver.statistics = reader.statistics()?;
        if let Some(automatic) = &mut solver.automatic {
            automatic.read(&mut reader, &solver.statistics)?;
        }
        reader.end()?;
        if !solver.t.is_finite() || (!solver.is_fresh && !solver.pace.is_going()) {
            return Err(impossible("pace"));
        }
        Ok(solver)
    }
}

/// The optional parts of a saved solver.
struct Parts {
    /// It chooses its family itself.
    is_automatic: bool,
    /// It has the matrices of Newton iterations.
    has_newton: bool,
}

impl Multistep {
    /// A solver of the saved family and parts, to be filled from bytes.
    fn build(family: Family, parts: &Parts, len: usize, options: &Options) -> Self {
        if !parts.is_automatic {
            return Multistep::new(family, len, options);
        }
        let mut solver = Multistep::automatic(len, options);
        if parts.has_newton {
            solver.use_family(Family::Bdf);
        }
        solver.use_family(family);
        solver
    }
}

impl Pace {
    fn write(&self, writer: &mut Writer) {
        for value in [self.h, self.h_scale, self.h_next, self.ratio_max, self.scale_kept] {
            writer.real(value);
        }
        for value in [self.order, self.order_next, self.wait] {
            writer.count(value);
        }
        writer.reals(&self.past);
    }

    fn read(reader: &mut Reader<'_>, order_max: usize) -> Result<Self, BytesError> {
        let mut pace = Pace::new();
        for value in [
            &mut pace.h,
            &mut pace.h_scale,
            &mut pace.h_next,
            &mut pace.ratio_max,
            &mut pace.scale_kept,
        ] {
            *value = reader.real()?;
        }
        pace.order = reader.at_most(order_max, "order")?;
        pace.order_next = reader.at_most(order_max, "order")?;
        pace.wait = reader.at_most(ROWS_MAX, "wait")?;
        reader.fill(&mut pace.past)?;
        let is_step = pace.order.abs_diff(pace.order_next) <= 1 && 0 < pace.wait;
        if 0 < pace.order && 0 < pace.order_next && is_step {
            return Ok(pace);
        }
        Err(BytesError::Impossible { what: "order" })
    }

    /// Whether a solver could have it after a step.
    fn is_going(&self) -> bool {
        [self.h, self.h_scale, self.h_next].iter().all(|h| 0.0 < *h && h.is_finite())
    }
}

impl Automatic {
    fn write(&self, writer: &mut Writer) {
        for value in [self.lipschitz, self.near, self.failing, self.gone, self.spent, self.reach] {
            writer.real(value);
        }
        for count in [self.trial, self.spell, self.rest_adams, self.rest_bdf] {
            writer.word(count);
        }
        writer.statistics(&self.before);
    }

    fn read(&mut self, reader: &mut Reader<'_>, done: &SolverStatistics) -> Result<(), BytesError> {
        let [lipschitz, near, failing] = [reader.real()?, reader.real()?, reader.real()?];
        (self.lipschitz, self.near, self.failing) = (lipschitz, near, failing);
        (self.gone, self.spent, self.reach) = (reader.real()?, reader.real()?, reader.real()?);
        (self.trial, self.spell) = (reader.tally()?, reader.tally()?);
        (self.rest_adams, self.rest_bdf) = (reader.tally()?, reader.tally()?);
        self.before = reader.statistics()?;
        let before = &self.before;
        let is_past = before.evaluations <= done.evaluations
            && before.iterations <= done.iterations
            && before.error_test_failures <= done.error_test_failures
            && before.convergence_failures <= done.convergence_failures;
        is_past.then_some(()).ok_or(BytesError::Impossible { what: "choice of a method" })
    }
}

impl Newton {
    fn write(&self, writer: &mut Writer) {
        writer.reals(&self.jacobian);
        writer.reals(&self.linear.values);
        self.linear.pivots.iter().for_each(|pivot| writer.count(*pivot));
        writer.real(self.gamma);
        writer.real(self.rate);
        writer.word(self.factorized_at);
        writer.word(self.jacobian_at);
    }

    fn read(&mut self, reader: &mut Reader<'_>, taken: u64) -> Result<(), BytesError> {
        reader.fill(self.jacobian.slice_mut())?;
        reader.fill(self.linear.values.slice_mut())?;
        for k in 0..self.linear.pivots.len() {
            let pivot = reader.at_most(self.linear.pivot_max(k), "pivot")?;
            if pivot < k && pivot != 0 {
                return Err(BytesError::Impossible { what: "pivot" });
            }
            self.linear.pivots.slice_mut()[k] = pivot;
        }
        self.gamma = reader.real()?;
        self.rate = reader.real()?;
        self.factorized_at = reader.word()?;
        self.jacobian_at = reader.word()?;
        if taken < self.factorized_at || taken < self.jacobian_at {
            return Err(BytesError::Impossible { what: "age of a matrix" });
        }
        Ok(())
    }
}
