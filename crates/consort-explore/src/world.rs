//! The interface of what strategies explore.
//!
//! A scenario is a sequence of choices, one per decision period. A [`World`] takes one choice after
//! another from its start; saving and restoring it is what makes shared prefixes cost nothing.

use crate::exact;
use crate::explanation::DifferenceExplanation;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An interval that a robustness lies in, with what is known so far; a point once all is known.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct RobustnessInterval {
    /// No less than this.
    #[serde(with = "exact")]
    pub low: f64,
    /// No more than this.
    #[serde(with = "exact")]
    pub high: f64,
}

impl RobustnessInterval {
    /// The interval of all values: nothing is known.
    pub const UNKNOWN: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The interval of one value.
    pub const fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }
}

/// What is known after a choice.
#[derive(Clone, PartialEq, Debug)]
pub struct PrefixEvaluation {
    /// By property, in the campaign's order.
    pub robustness: Vec<RobustnessInterval>,
    /// Whether each property holds, as far as that is known. Not the sign of the robustness: at zero
    /// the sign is not defined.
    pub verdicts: Vec<Option<bool>>,
    /// Nothing that follows can change what the properties say, or nothing can follow.
    pub is_decided: bool,
}

/// A system whose scenarios are explored.
pub trait World {
    /// A place to come back to.
    type Saved;
    /// Why it could not continue.
    type Error: fmt::Display;

    /// Goes back to the start, before the first choice.
    ///
    /// # Errors
    /// If the system cannot be restored.
    fn reset(&mut self) -> Result<(), Self::Error>;

    /// Takes a choice (a letter of the space's alphabet) and moves on by one decision period.
    ///
    /// # Errors
    /// If an instance fails. The scenario has failed then, and the world must be restored or reset.
    fn choose(&mut self, letter: u32) -> Result<PrefixEvaluation, Self::Error>;

    /// Saves where it is.
    ///
    /// # Errors
    /// If an instance cannot be saved.
    fn save(&mut self) -> Result<Self::Saved, Self::Error>;

    /// Goes back to where it was saved.
    ///
    /// # Errors
    /// If an instance cannot be restored.
    fn restore(&mut self, saved: &Self::Saved) -> Result<(), Self::Error>;

    /// How many bytes a saved place holds that no other holds.
    fn unshared_bytes(&self, saved: &Self::Saved) -> u64;

    /// By part of the system: one number for everything that happened to it since the start. Two ways to
    /// one place have equal numbers if and only if every bit was the same on both. Empty where nothing is counted.
    fn marks(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Begins anew with nothing left of what was done before; no saved state is used.
    ///
    /// # Errors
    /// If the system cannot be started.
    fn renew(&mut self) -> Result<(), Self::Error> {
        self.reset()
    }

    /// Whether an error came from outside of the system: tried again, it may well not happen.
    fn is_accident(&self, _error: &Self::Error) -> bool {
        false
    }

    /// What is known of a place that was reached by restored states with these marks, and with others from
    /// the start.
    fn explain(&mut self, _letters: &[u32], _marks: &[u64]) -> DifferenceExplanation {
        let message = "a scenario behaves differently once a state is restored".to_owned();
        DifferenceExplanation { message, notes: Vec::new() }
    }

    /// What all that follows depends on, as a number, monitors included: two places with equal
    /// fingerprints have equal futures. `None` where that is not known.
    fn fingerprint(&mut self) -> Option<u128> {
        None
    }
}
