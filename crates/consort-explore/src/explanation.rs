//! Explanations of the difference between two runs.

use serde::{Deserialize, Serialize};

/// Why two runs of a scenario differ, for a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DifferenceExplanation {
    /// The difference and its place.
    pub message: String,
    /// Further facts.
    pub notes: Vec<String>,
}
