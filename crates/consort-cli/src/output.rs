//! What a user sees: messages, diagnostics, progress.

mod campaign_progress;
pub(crate) mod diagnostics;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod waiting;
