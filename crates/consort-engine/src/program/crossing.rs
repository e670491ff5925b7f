//! The values that cross between nodes at an exchange.

use super::stage::ExchangeStage;
use crate::store::Slot;

/// An exchange with other nodes.
pub(crate) struct CrossStage {
    pub(crate) sends: Vec<Cargo>,
    pub(crate) receives: Vec<Cargo>,
    /// The exchange of the values that were received.
    pub(crate) exchange: ExchangeStage,
}

/// Values that cross together, as one message.
pub(crate) struct Cargo {
    /// Index into the projection's crossings.
    pub(crate) crossing: usize,
    /// The rate of the sources.
    pub(crate) rate: usize,
    pub(crate) is_delayed: bool,
    /// Where the values are, in the order in which they are sent.
    pub(crate) slots: Vec<Slot>,
}
