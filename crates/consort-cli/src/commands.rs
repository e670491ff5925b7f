//! One module per verb.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod export;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod node;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod recover;
pub(crate) mod reference;
pub(crate) mod repeat;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod state_check;
