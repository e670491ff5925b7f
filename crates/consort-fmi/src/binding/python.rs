//! FMUs written in Python take the interpreter's functions from the process that loads them.

use super::library::open_handle;
use crate::load::LoadOptions;
use libloading::os::unix::{Library as Handle, RTLD_GLOBAL, RTLD_NOW};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Whether the loader complains about the interpreter's functions.
pub(super) fn is_missing(message: &str) -> bool {
    ["undefined symbol: Py", "undefined symbol: _Py"].iter().any(|sign| message.contains(sign))
}

/// Loads the interpreter's library for all to see, once per process.
///
/// # Errors
/// Every library that was tried, with the loader's message.
pub(super) fn provide(options: &LoadOptions) -> Result<(), Vec<String>> {
    static PYTHON: Mutex<Option<Handle>> = Mutex::new(None);
    let mut python = PYTHON.lock().unwrap_or_else(PoisonError::into_inner);
    if python.is_some() {
        return Ok(());
    }
    fix_hash_seed();
    let mut tried = Vec::new();
    for candidate in candidates(options) {
        match open_handle(&candidate, RTLD_NOW | RTLD_GLOBAL) {
            Ok(handle) => {
                *python = Some(handle);
                return Ok(());
            }
            Err(message) => tried.push(message),
        }
    }
    Err(tried)
}

/// Python's sets and dictionaries of strings iterate in an order that depends on this seed.
fn fix_hash_seed() {
    // SAFETY: models are loaded on one thread before any instance or worker exists, so no other thread
    // reads the environment at the same time.
    unsafe { std::env::set_var("PYTHONHASHSEED", "0") };
}

/// Where the interpreter's library may be, the likeliest first.
fn candidates(options: &LoadOptions) -> Vec<PathBuf> {
    match &options.python_library {
        Some(path) => vec![path.clone()],
        None => ask_interpreter().unwrap_or_default(),
    }
}

const QUESTION: &str = "import sysconfig\n\
    for name in ('LIBDIR', 'INSTSONAME', 'LDLIBRARY'): print(sysconfig.get_config_var(name) or '')";

fn ask_interpreter() -> Option<Vec<PathBuf>> {
    let output = Command::new("python3").args(["-c", QUESTION]).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    let mut lines = answer.lines();
    let folder = PathBuf::from(lines.next()?);
    let names: Vec<&str> = lines.filter(|name| name.contains(".so")).collect();
    // In its own folder first; then wherever the loader looks.
    let there = names.iter().map(|name| folder.join(name));
    Some(there.chain(names.iter().map(PathBuf::from)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_interpreters_functions_call_for_the_interpreter() {
        assert!(is_missing("a.so: undefined symbol: PyErr_Occurred"));
        assert!(is_missing("a.so: undefined symbol: _Py_NoneStruct"));
        assert!(!is_missing("a.so: undefined symbol: Pxy"));
        assert!(!is_missing("libpython3.11.so: cannot open shared object file"));
    }

    #[test]
    fn a_configured_library_is_the_only_candidate() {
        let options = LoadOptions { python_library: Some("/opt/libpython.so".into()) };
        assert_eq!(candidates(&options), [PathBuf::from("/opt/libpython.so")]);
    }
}
