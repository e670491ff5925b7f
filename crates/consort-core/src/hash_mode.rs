//! What the trace hash of a run is made of.

use crate::named;
use serde::{Deserialize, Serialize};

named! {
    /// Which variables are in the trace hash.
    #[derive(Default, Serialize, Deserialize)]
    pub enum HashMode {
        /// Every output, and every recorded local variable.
        #[default]
        All => "all",
        /// The sources of the connections of the whole system: what components see of each other.
        Connected => "connected",
    }
}
