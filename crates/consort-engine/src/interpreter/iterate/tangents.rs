//! The derivatives of a loop, asked of its components.

use crate::error::RunError;
use crate::interpreter::Interpreter;
use crate::program::iterate::{Passage, Sensitivity, Tangents};
use consort_core::{CallStatus, Direction};

impl Tangents {
    /// The column of dF/dz that belongs to the unknown at place `seed`; false if some component
    /// cannot provide its derivatives after all.
    pub(super) fn follow(&mut self, run: &Interpreter, seed: usize) -> Result<bool, RunError> {
        self.changes.fill(0.0);
        let seed = self.index_of(seed);
        self.changes[seed] = 1.0;
        for passage in &mut self.passages {
            match passage {
                Passage::Wire { rate, from, to, gain } if run.clock.is_due(*rate) => {
                    for (from, to) in from.range().zip(to.range()) {
                        self.changes[to] = *gain * self.changes[from];
                    }
                }
                Passage::Component(it) if run.clock.is_due(it.rate) => {
                    if !it.pass(run, &mut self.changes)? {
                        return Ok(false);
                    }
                }
                Passage::Wire { .. } | Passage::Component(_) => {}
            }
        }
        Ok(true)
    }
}

impl Sensitivity {
    fn pass(&mut self, run: &Interpreter, changes: &mut [f64]) -> Result<bool, RunError> {
        self.inputs.read(changes);
        let answer = run.with_member(self.component.index(), |it| {
            it.instance.directional_derivative(
                Direction {
                    unknowns: &self.outputs.references,
                    knowns: &self.inputs.references,
                    seed: &self.inputs.changes,
                },
                &mut self.outputs.changes,
            )
        });
        match answer {
            Ok(()) => {
                self.outputs.write(changes);
                Ok(true)
            }
            Err(error) if error.status == CallStatus::Unsupported => Ok(false),
            Err(error) => Err(run.call_failed(self.component.index(), error)),
        }
    }
}
