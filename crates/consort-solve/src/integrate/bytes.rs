//! An integration as bytes: those of its solver and its roots, and what it knows beside them.

use super::Integration;
use super::solver::Solver;
use crate::bytes::{BytesError, ReadParts, Reader, WriteParts, Writer};
use crate::fixed_step_solver::FixedStepSolver;
use crate::multistep::Multistep;
use crate::roots::Roots;
use crate::runge_kutta::RungeKutta;

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTINTG\x03";

const NO_STATES: u8 = 0;
const MULTISTEP: u8 = 1;
const RUNGE_KUTTA: u8 = 2;
const FIXED_STEP: u8 = 3;

impl Integration {
    /// All of it, exactly.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        let (tag, solver) = match &self.solver {
            Solver::NoStates(t) => (NO_STATES, t.to_le_bytes().to_vec()),
            Solver::Multistep(solver) => (MULTISTEP, solver.to_bytes()),
            Solver::RungeKutta(solver) => (RUNGE_KUTTA, solver.to_bytes()),
            Solver::FixedStep(solver) => (FIXED_STEP, solver.to_bytes()),
        };
        writer.byte(tag);
        writer.part(&solver);
        writer.part(&self.roots.to_bytes());
        for list in [&self.x, &self.slope, &self.z] {
            writer.reals(list);
        }
        writer.real(self.t);
        writer.optional(self.next_event);
        writer.flag(self.terminate);
        writer.flag(self.is_disturbed);
        writer.word(self.events);
        writer.statistics(&self.before);
        writer.finish()
    }

    /// What [`Integration::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are those of nothing or of something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        let tag = reader.byte()?;
        let solver = solver(tag, reader.part()?)?;
        let roots = Roots::from_bytes(reader.part()?)?;
        let (states, indicators) = (solver.states().len(), roots.crossings().len());
        let integration = Integration {
            x: reader.reals(states)?,
            slope: reader.reals(states)?,
            z: reader.reals(indicators)?,
            t: reader.real()?,
            next_event: reader.optional()?,
            terminate: reader.flag()?,
            is_disturbed: reader.flag()?,
            events: reader.tally()?,
            before: reader.statistics()?,
            solver,
            roots,
        };
        reader.end()?;
        integration
            .is_at_one_time()
            .then_some(integration)
            .ok_or(BytesError::Impossible { what: "time" })
    }

    /// Between calls solver and roots are where the integration is, unless it came to its end on the way.
    fn is_at_one_time(&self) -> bool {
        let t = match &self.solver {
            Solver::NoStates(t) => *t,
            Solver::Multistep(solver) => solver.state().0,
            Solver::RungeKutta(solver) => solver.state().0,
            Solver::FixedStep(solver) => solver.state().0,
        };
        let is_same = |time: f64| time.to_bits() == self.t.to_bits();
        self.t.is_finite() && (self.terminate || is_same(t) && is_same(self.roots.time()))
    }
}

fn solver(tag: u8, bytes: &[u8]) -> Result<Solver, BytesError> {
    match tag {
        NO_STATES => {
            let t = bytes.try_into().map_err(|_| BytesError::Impossible { what: "time" })?;
            Ok(Solver::NoStates(f64::from_le_bytes(t)))
        }
        MULTISTEP => Multistep::from_bytes(bytes).map(|it| Solver::Multistep(Box::new(it))),
        RUNGE_KUTTA => RungeKutta::from_bytes(bytes).map(|it| Solver::RungeKutta(Box::new(it))),
        FIXED_STEP => FixedStepSolver::from_bytes(bytes).map(|it| Solver::FixedStep(Box::new(it))),
        _ => Err(BytesError::Impossible { what: "kind" }),
    }
}
