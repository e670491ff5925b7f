//! Conditions on a step that was taken: by how much values may differ, and which times it may not pass.

use crate::program::Program;
use crate::store::{Bank, Slot};
use consort_system::ResolvedStepConstraint;

/// A step that is to be shorter is not shorter, nor longer, than these parts of it.
const PART_MIN: f64 = 0.05;
const PART_MAX: f64 = 0.95;
/// A difference is aimed at a little below its bound.
const SAFETY: f64 = 0.9;

/// A condition on the values at both ends of a step.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    kind: ConstraintKind,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
enum ConstraintKind {
    ZeroCrossing { tolerance: f64 },
    BoundedDifference { absolute: f64, relative: f64 },
}

/// A step that is too long.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Broken {
    /// How much of it to try instead.
    pub(crate) part: f64,
    /// Something happens at one place within it; steps after it may be as long as before.
    pub(crate) is_event: bool,
}

impl Constraint {
    /// Those that look at values.
    pub(crate) fn all(constraints: &[ResolvedStepConstraint], program: &Program) -> Vec<Self> {
        let compiled = constraints.iter().filter_map(|it| {
            let kind = match *it {
                ResolvedStepConstraint::ZeroCrossing { tolerance, .. } => {
                    ConstraintKind::ZeroCrossing { tolerance }
                }
                ResolvedStepConstraint::BoundedDifference { absolute, relative, .. } => {
                    ConstraintKind::BoundedDifference { absolute, relative }
                }
                ResolvedStepConstraint::Sampling { .. } | ResolvedStepConstraint::ComponentMax => {
                    return None;
                }
            };
            let slots = it.ports().iter().map(|port| program.port(*port)).collect();
            Some(Constraint { kind, slots })
        });
        compiled.collect()
    }

    /// Whether a step from where the values were `before` to where they are `after` is too long.
    pub(crate) fn broken(&self, before: &Bank, after: &Bank) -> Option<Broken> {
        match self.kind {
            ConstraintKind::ZeroCrossing { tolerance } => {
                let (from, to) = (self.distance(before), self.distance(after));
                let crosses = from * to < 0.0 && tolerance < from.abs() && tolerance < to.abs();
                let part = (from / (from - to)).clamp(PART_MIN, PART_MAX);
                crosses.then_some(Broken { part, is_event: true })
            }
            ConstraintKind::BoundedDifference { absolute, relative } => {
                let (difference, greatest) = self.difference(before, after);
                let allowed = absolute.min(relative * greatest);
                let part = (SAFETY * allowed / difference).clamp(PART_MIN, PART_MAX);
                (allowed < difference).then_some(Broken { part, is_event: false })
            }
        }
    }

    /// Of one value from zero, of two from each other.
    fn distance(&self, bank: &Bank) -> f64 {
        match self.slots[..] {
            [a, b] => value(bank, a) - value(bank, b),
            _ => value(bank, self.slots[0]),
        }
    }

    /// Of one value between both ends, of several between the least and the greatest at the end; and the
    /// greatest magnitude.
    fn difference(&self, before: &Bank, after: &Bank) -> (f64, f64) {
        let ends = [(before, self.slots.len() == 1), (after, true)];
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (bank, _) in ends.into_iter().filter(|(_, counts)| *counts) {
            for &slot in &self.slots {
                let value = value(bank, slot);
                (least, most) = (least.min(value), most.max(value));
            }
        }
        (most - least, least.abs().max(most.abs()))
    }
}

fn value(bank: &Bank, slot: Slot) -> f64 {
    bank.get(slot).as_f64(0).expect("the resolver admits real numbers only")
}
