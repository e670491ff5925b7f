//! Everything a user sees or finds: messages, progress, files.

pub(crate) mod diagnostics;
pub(crate) mod folder;
pub(crate) mod hashes;
pub(crate) mod host;
pub(crate) mod log;
pub(crate) mod manifest;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod recorder;
pub(crate) mod torn;
pub(crate) mod waiting;
