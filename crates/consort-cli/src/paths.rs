//! Paths as they are seen from another place.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use consort::paths::{relative, whole};

/// Where the program was started: relative paths that its user typed are meant from there.
static STARTED_IN: OnceLock<PathBuf> = OnceLock::new();
static WAS_LEFT: AtomicBool = AtomicBool::new(false);

/// Remembers the working folder, before any FMU can leave it.
pub(crate) fn keep_working_folder() {
    if let Ok(folder) = std::env::current_dir() {
        STARTED_IN.get_or_init(|| folder);
    }
}

/// Goes back to where the program was started, if an FMU in this process has left it.
pub(crate) fn return_to_working_folder() {
    let Some(started_in) = STARTED_IN.get() else { return };
    let is_there = std::env::current_dir().is_ok_and(|now| now == *started_in);
    if !is_there && std::env::set_current_dir(started_in).is_ok() {
        WAS_LEFT.store(true, Ordering::Relaxed);
    }
}

/// Whether that was necessary since the last time that somebody asked.
pub(crate) fn was_working_folder_left() -> bool {
    WAS_LEFT.swap(false, Ordering::Relaxed)
}
