//! Output for the user: messages, diagnostics, progress.

pub(crate) mod answer;
mod campaign_progress;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod waiting;
