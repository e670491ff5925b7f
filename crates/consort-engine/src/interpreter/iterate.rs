//! Loops: values for the inputs at which a loop is cut, such that one evaluation brings them back.
//!
//! Real numbers are solved for; everything else must come back exactly as it was given. The guess is
//! what the inputs hold: the solution of the tag before.

mod tangents;

use super::{Halt, Interpreter, Phase};
use crate::error::{AcceptedLoops, LoopFailure, RunError};
use crate::program::iterate::{Body, Loop};
use consort_core::{ConnectionId, Tag};
use consort_solve::algebraic::{AlgebraicEquations, AlgebraicFailure};

/// Loops that were not solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    times: u64,
    first: Tag,
    /// The greatest residual, where and when.
    residual: f64,
    connection: ConnectionId,
    tag: Tag,
}

impl Interpreter {
    /// Solves a loop; what the last evaluation did is what stays.
    pub(super) fn solve_loop(&mut self, it: &mut Loop) -> Result<(), Halt> {
        it.body.evaluated = false;
        it.body.read(&self.program.shared, &mut it.point);
        it.body.guess.copy_from_slice(&it.point);
        self.keep_for_rollback(&it.body.rollback, &mut it.body.saved)?;
        let solved = self.find_solution(it);
        it.body.saved.clear();
        solved
    }

    fn find_solution(&mut self, it: &mut Loop) -> Result<(), Halt> {
        let mut options = it.options;
        loop {
            let mut evaluation = Evaluation { run: self, body: &mut it.body };
            let solved = it.solver.solve(&mut it.point, &options, &mut evaluation);
            options.limit -= it.solver.evaluations();
            let why = match solved {
                Ok(_) if it.body.is_settled(&self.program.shared) => return Ok(()),
                // What is no real number changed yet: the equations are others now.
                Ok(_) if 0 < options.limit => continue,
                Ok(_) | Err(AlgebraicFailure::Limit) => LoopFailure::Limit,
                Err(AlgebraicFailure::Evaluation(halt)) => return Err(halt),
                Err(AlgebraicFailure::Singular) => LoopFailure::Singular,
                Err(AlgebraicFailure::NotFinite) => LoopFailure::NotFinite,
            };
            let evaluations = it.options.limit - options.limit;
            if it.accept.is_some() && why != LoopFailure::NotFinite {
                return self.accept(it, evaluations);
            }
            return Err(self.loop_failed(it, why, evaluations).into());
        }
    }

    /// Evaluates once more where the solver is, and takes what comes of it.
    fn accept(&mut self, it: &mut Loop, evaluations: u32) -> Result<(), Halt> {
        let result = it.accept.as_mut().expect("only such loops are accepted");
        Evaluation { run: self, body: &mut it.body }.evaluate(&it.point, result)?;
        let mut worst = (0.0_f64, None);
        let mut index = 0;
        for unknown in &it.body.reals {
            for _ in 0..unknown.slot.count {
                let (given, found) = (it.point[index], result[index]);
                let residual = (found - given).abs() / given.abs().max(1.0);
                if !residual.is_finite() {
                    let why = LoopFailure::NotFinite;
                    return Err(self.loop_failed(it, why, evaluations + 1).into());
                }
                if worst.0 <= residual {
                    worst = (residual, Some(unknown.connection));
                }
                index += 1;
            }
        }
        let changed = it.body.changed(&self.program.shared).next().map(|it| it.connection);
        if it.options.tolerance < worst.0 || changed.is_some() {
            let connection = worst.1.filter(|_| changed.is_none()).or(changed);
            self.note_accepted(worst.0, connection.expect("a loop has unknowns"));
        }
        Ok(())
    }

    fn note_accepted(&mut self, residual: f64, connection: ConnectionId) {
        let tag = self.clock.tag();
        let fresh = Accepted { times: 0, first: tag, residual, connection, tag };
        let accepted = self.accepted.get_or_insert(fresh);
        accepted.times += 1;
        if accepted.residual < residual {
            *accepted = Accepted { residual, connection, tag, ..*accepted };
        }
    }

    /// What became of loops that were not solved.
    pub(super) fn accepted_loops(&self) -> Option<RunError> {
        let Accepted { times, first, residual, connection, tag } = self.accepted?;
        let connection = self.connection_name(connection);
        let accepted = AcceptedLoops { times, first, residual, connection, tag };
        Some(RunError::LoopsAccepted(Box::new(accepted)))
    }

    fn loop_failed(&self, it: &Loop, why: LoopFailure, evaluations: u32) -> RunError {
        let mut left = it.solver.residuals();
        let mut residuals = Vec::new();
        for unknown in &it.body.reals {
            let own;
            (own, left) = left.split_at(unknown.slot.count());
            let greatest = own.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            let greatest =
                if own.iter().all(|part| part.is_finite()) { greatest } else { f64::NAN };
            residuals.push((self.connection_name(unknown.connection), greatest));
        }
        let shared = &self.program.shared;
        let changed =
            it.body.changed(shared).map(|unknown| self.connection_name(unknown.connection));
        RunError::LoopNotSolved {
            tag: self.clock.tag(),
            starting: self.phase == Phase::Starting,
            evaluations,
            residuals,
            changed: changed.collect(),
            why,
        }
    }

    fn connection_name(&self, id: ConnectionId) -> String {
        let wire = &self.executable.system.connections[id.index()];
        let executable = &self.executable;
        format!("{} -> {}", executable.port_path(&wire.from), executable.port_path(&wire.to))
    }
}

/// One evaluation of a loop after another.
struct Evaluation<'a> {
    run: &'a mut Interpreter,
    body: &'a mut Body,
}

impl AlgebraicEquations for Evaluation<'_> {
    type Error = Halt;

    fn evaluate(&mut self, at: &[f64], result: &mut [f64]) -> Result<(), Halt> {
        if std::mem::replace(&mut self.body.evaluated, true) {
            self.run.roll_back(&self.body.saved)?;
        }
        self.run.statistics.loop_evaluations += 1;
        self.body.keep_given(&self.run.program.shared);
        self.body.write(&mut self.run.program.shared, at);
        self.run.run_stages(&mut self.body.stages)?;
        self.body.read(&self.run.program.shared, result);
        self.body.mend(self.run.clock.due(), at, result);
        Ok(())
    }

    fn jacobian(&mut self, at: &[f64], matrix: &mut [f64]) -> Result<bool, Halt> {
        // What is intervened on does not follow its source as the plan has it; and FMUs give other
        // derivatives in initialization than the loop needs.
        let is_plain =
            self.run.phase != Phase::Starting && self.run.external.interventions.is_empty();
        let Some(tangents) = self.body.tangents.as_mut().filter(|_| is_plain) else {
            return Ok(false);
        };
        let unknowns = &self.body.reals;
        let places = || unknowns.iter().flat_map(|it| it.slot.range().map(|at| (at, it.rate)));
        for (column, (seed, _)) in places().enumerate() {
            if !tangents.follow(self.run, seed)? {
                return Ok(false);
            }
            for (row, (place, rate)) in places().enumerate() {
                let change =
                    if self.run.clock.is_due(rate) { tangents.change_at(place) } else { 0.0 };
                matrix[row * at.len() + column] = change;
            }
        }
        Ok(true)
    }
}
