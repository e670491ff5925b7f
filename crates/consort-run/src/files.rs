//! What a run leaves on disk: its folder, manifest, log, trace, journals, and parts of snapshots.

pub mod diagnostics;
pub mod folder;
pub mod hashes;
pub mod journals;
pub mod killed;
pub mod log;
pub mod machine;
pub mod manifest;
pub mod parts;
pub mod recorder;
pub mod snapshot_dir;
pub mod traces;
