//! Where a connection begins or ends.

use consort_core::{ComponentId, VariableId};
use serde::{Deserialize, Serialize};

/// Some elements of a variable of a component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Port {
    /// The component of the variable.
    pub component: ComponentId,
    /// Which of its variables.
    pub variable: VariableId,
    /// First element, counted from 0 in row-major order.
    pub first: u32,
    /// The number of elements.
    pub count: u32,
}
