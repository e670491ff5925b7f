//! One module per verb.

pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod inspect;
pub(crate) mod plot;
pub(crate) mod repeat;
pub(crate) mod replay;
pub(crate) mod run;
