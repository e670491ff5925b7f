//! Which program is started: the `consort` that serves isolated models, node processes and campaign workers.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Environment variable with the path of the program. It takes precedence over the search.
pub const VARIABLE: &str = "CONSORT_PROGRAM";

/// What to do if the program is not found.
pub const HELP: &str =
    "install `consort`, or name its file with the environment variable `CONSORT_PROGRAM`";

/// The running program, for a caller that is `consort` itself. The path stays valid if the file is replaced during the
/// run.
pub fn running() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}

/// The program that came with the caller, such as a package of Python; see [`offer`].
static OFFERED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Names the program that came with the caller: [`find`] takes it if [`VARIABLE`] names no other one.
pub fn offer(program: PathBuf) {
    *OFFERED.lock().unwrap_or_else(PoisonError::into_inner) = Some(program);
}

/// The program `consort`, for any other caller: a Python interpreter, a test, a program of the user.
///
/// It is the file that [`VARIABLE`] names; else the one that was [offered](offer); else a file `consort` beside the running program or in the folder above it
/// (Cargo puts tests one folder below programs); else the first `consort` on the search path. `None` if there is no
/// such file.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let offered = OFFERED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(offered) = offered.filter(|path| path.is_file()) {
        return Some(offered);
    }
    let running = std::env::current_exe().ok();
    let near = running.iter().flat_map(|path| path.ancestors().skip(1).take(2));
    let searched = std::env::var_os("PATH").unwrap_or_default();
    let searched: Vec<PathBuf> = std::env::split_paths(&searched).collect();
    let folders = near.chain(searched.iter().map(PathBuf::as_path));
    folders.map(in_folder).find(|path| path.is_file())
}

fn in_folder(folder: &Path) -> PathBuf {
    folder.join("consort")
}
