//! Loops, compiled: what is solved for, and what one evaluation needs.

mod tangents;

pub(crate) use tangents::{Passage, Sensitivity, Tangents};

use super::rollback::Rollback;
use super::stage::Stage;
use super::{Program, Source};
use crate::exchange::put_float;
use crate::store::{Bank, Slot};
use consort_core::{ComponentId, ConnectionId, ValueType, Values};
use consort_solve::algebraic::{AlgebraicMethod, AlgebraicOptions, AlgebraicSolver};
use consort_system::{IterationMethod, Loop as PlannedLoop};

/// A loop, compiled.
pub(crate) struct Loop {
    pub(crate) body: Body,
    pub(crate) options: AlgebraicOptions,
    pub(crate) solver: AlgebraicSolver,
    /// The unknown real numbers.
    pub(crate) point: Vec<f64>,
    /// If it is not solved by the last evaluation, what that gave is accepted; room for it.
    pub(crate) accept: Option<Vec<f64>>,
}

/// What one evaluation needs.
pub(crate) struct Body {
    pub(crate) stages: Vec<Stage>,
    pub(crate) reals: Vec<Unknown>,
    pub(crate) others: Vec<Unknown>,
    /// By entry of `others`: what was given to the evaluation.
    pub(crate) given: Vec<Values>,
    /// The real unknowns before the first evaluation.
    pub(crate) guess: Vec<f64>,
    /// Derivatives, if all components provide theirs.
    pub(crate) tangents: Option<Tangents>,
    pub(crate) rollback: Vec<ComponentId>,
    pub(crate) saved: Rollback,
    /// An evaluation was made since the components were saved.
    pub(crate) evaluated: bool,
}

/// The input at the end of a connection that is cut.
#[derive(Clone, Copy)]
pub(crate) struct Unknown {
    pub(crate) connection: ConnectionId,
    /// The rate of its source: nothing comes through it at other tags.
    pub(crate) rate: usize,
    pub(crate) slot: Slot,
}

impl Loop {
    pub(crate) fn new(
        planned: &PlannedLoop,
        stages: Vec<Stage>,
        source: &Source<'_>,
        program: &Program,
    ) -> Self {
        let unknown = |&connection: &ConnectionId| {
            let wire = &source.system.connections[connection.index()];
            let rate = source.rates.of_component[wire.from.component.index()];
            Unknown { connection, rate, slot: program.port(wire.to) }
        };
        let (reals, others): (Vec<Unknown>, Vec<Unknown>) =
            planned.unknowns.iter().map(unknown).partition(|it| it.slot.value_type.is_float());
        let count = reals.iter().map(|unknown| unknown.slot.count()).sum();
        let zeros = |it: &Unknown| Values::zeros(it.slot.value_type, it.slot.count());
        let mut rollback = planned.rollback.clone();
        rollback.sort_unstable();
        let body = Body {
            stages,
            given: others.iter().map(zeros).collect(),
            reals,
            others,
            guess: vec![0.0; count],
            tangents: Tangents::of(planned, source, program),
            rollback,
            saved: Rollback::default(),
            evaluated: false,
        };
        let (options, point) = (options(planned), vec![0.0; count]);
        let accept = planned.iteration.accept_after.map(|_| vec![0.0; count]);
        Loop { body, options, solver: AlgebraicSolver::new(count), point, accept }
    }

    pub(crate) fn stages(&self) -> &[Stage] {
        &self.body.stages
    }

    /// The places of the real numbers that are solved for, where a solution is looked for from.
    pub(crate) fn guesses(&self) -> impl Iterator<Item = Slot> + '_ {
        self.body.reals.iter().map(|unknown| unknown.slot)
    }
}

fn options(planned: &PlannedLoop) -> AlgebraicOptions {
    let iteration = planned.iteration;
    AlgebraicOptions {
        method: match iteration.method {
            IterationMethod::Auto => AlgebraicMethod::Auto,
            IterationMethod::FixedPoint => AlgebraicMethod::FixedPoint,
            IterationMethod::Newton => AlgebraicMethod::Newton,
            IterationMethod::Broyden => AlgebraicMethod::Broyden,
        },
        tolerance: iteration.tolerance,
        // The last evaluation is the one whose values are accepted.
        limit: iteration.accept_after.map_or(iteration.limit, |after| after.saturating_sub(1)),
        relaxation: iteration.relaxation,
        costly: !planned.rollback.is_empty(),
    }
}

impl Body {
    pub(crate) fn read(&self, bank: &Bank, point: &mut [f64]) {
        let mut index = 0;
        for unknown in &self.reals {
            let values = bank.get(unknown.slot);
            for element in 0..unknown.slot.count() {
                point[index] = values.as_f64(element).expect("real unknowns are floats");
                index += 1;
            }
        }
    }

    pub(crate) fn write(&self, bank: &mut Bank, point: &[f64]) {
        let mut index = 0;
        for unknown in &self.reals {
            for element in 0..unknown.slot.count {
                put_float(bank, unknown.slot.part(element, 1), point[index]);
                index += 1;
            }
        }
    }

    /// Values that are not due do not change, and values equal in single precision are equal.
    pub(crate) fn mend(&self, due: &[bool], at: &[f64], result: &mut [f64]) {
        let mut index = 0;
        for unknown in &self.reals {
            let is_short = unknown.slot.value_type == ValueType::Float32;
            for _ in 0..unknown.slot.count {
                let near = f64::from(f32::EPSILON) * at[index].abs().max(1.0);
                if !due[unknown.rate] {
                    result[index] = self.guess[index];
                } else if is_short && (result[index] - at[index]).abs() <= near {
                    result[index] = at[index];
                }
                index += 1;
            }
        }
    }

    pub(crate) fn changed(&self, bank: &Bank) -> impl Iterator<Item = &Unknown> {
        let pairs = self.others.iter().zip(&self.given);
        let changed = pairs.filter(|(it, given)| !bank.get(it.slot).is_same(given.view()));
        changed.map(|(unknown, _)| unknown)
    }

    pub(crate) fn is_settled(&self, bank: &Bank) -> bool {
        self.changed(bank).next().is_none()
    }

    pub(crate) fn keep_given(&mut self, bank: &Bank) {
        for (unknown, given) in self.others.iter().zip(&mut self.given) {
            given.slice_mut(0, unknown.slot.count()).copy_from(bank.get(unknown.slot));
        }
    }
}
