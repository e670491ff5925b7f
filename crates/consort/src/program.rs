//! The program `consort`, which serves models that live in processes of their own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Says where the program is, if it is not found otherwise.
pub const VARIABLE: &str = "CONSORT_PROGRAM";

/// Where the program is: what [`VARIABLE`] names, else a file `consort` beside the running program or in the folder above
/// it (where Cargo puts programs beside tests), else the first on the search path.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let running = std::env::current_exe().ok();
    let near = running.iter().flat_map(|path| path.ancestors().skip(1).take(2));
    let searched = std::env::var_os("PATH").unwrap_or_default();
    let searched: Vec<PathBuf> = std::env::split_paths(&searched).collect();
    near.chain(searched.iter().map(PathBuf::as_path)).map(named).find(|path| path.is_file())
}

fn named(folder: &Path) -> PathBuf {
    folder.join(OsStr::new("consort"))
}
