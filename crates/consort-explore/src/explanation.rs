//! What is said about runs that differ.

use serde::{Deserialize, Serialize};

/// Why two runs of a scenario differ, for a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DifferenceExplanation {
    /// What is wrong, and where.
    pub message: String,
    /// What else is known.
    pub notes: Vec<String>,
}
