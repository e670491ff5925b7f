//! Loading a shared library so that what is wrong with it is an error here and not a crash later.

use super::Interface;
use super::elf;
use super::float_mode::FloatMode;
use super::python;
use crate::load::{LoadError, LoadOptions};
use libloading::os::unix::{Library as Handle, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A loaded library; functions got from it are valid for as long as it lives.
pub(crate) struct LoadedLibrary {
    handle: ManuallyDrop<Handle>,
    path: PathBuf,
    model_identifier: String,
    interface: Interface,
    /// An interpreter inside does not survive being unloaded.
    pinned: bool,
    /// The threads of this process before it was loaded.
    threads_before: BTreeSet<u32>,
}

impl LoadedLibrary {
    /// Loads `path` with everything it needs; the thread's floating-point mode stays as it is.
    pub(crate) fn open(
        path: &Path,
        model_identifier: &str,
        interface: Interface,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        FloatMode::around(|| {
            provide_libm();
            let threads_before = threads().unwrap_or_default();
            if let Some(reason) = elf::refused(path) {
                return Err(LoadError::NotALibrary { library: path.to_owned(), reason });
            }
            let (handle, pinned) = match open_handle(path, RTLD_NOW | RTLD_LOCAL) {
                Err(message) if python::is_missing(&message) => {
                    (open_with_python(path, options)?, true)
                }
                opened => {
                    (opened.map_err(|message| LoadError::from_dlopen(path, &message))?, false)
                }
            };
            Ok(LoadedLibrary {
                handle: ManuallyDrop::new(handle),
                path: path.to_owned(),
                model_identifier: model_identifier.to_owned(),
                interface,
                pinned,
                threads_before,
            })
        })
        .0
    }

    /// Whether the library runs in the process's Python interpreter; it stays loaded then.
    pub(crate) fn uses_python(&self) -> bool {
        self.pinned
    }

    /// The function called `name`, or the same with the model identifier before it.
    ///
    /// # Safety
    /// `T` is the type of the function pointer that the standard gives this name.
    pub(crate) unsafe fn optional<T: Copy>(&self, name: &str) -> Option<T> {
        let prefixed = || format!("{}_{name}", self.model_identifier);
        // SAFETY: the caller's promise.
        unsafe {
            let symbol = self.handle.get::<T>(name);
            symbol.or_else(|_| self.handle.get::<T>(prefixed())).ok().map(|symbol| *symbol)
        }
    }

    /// As [`LoadedLibrary::optional`], for a function no FMU can do without.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn required<T: Copy>(&self, name: &'static str) -> Result<T, LoadError> {
        // SAFETY: the caller's promise.
        unsafe { self.optional(name) }.ok_or_else(|| self.lacks(name))
    }

    /// The error for a function that is not there.
    pub(crate) fn lacks(&self, function: &'static str) -> LoadError {
        let interface = self.interface.name();
        LoadError::MissingFunction { library: self.path.clone(), function, interface }
    }
}

impl Drop for LoadedLibrary {
    /// A library in whose code a thread may be stays loaded: one that was not there before it was opened
    /// may be its own, if it can start any.
    fn drop(&mut self) {
        let are_new = threads().is_none_or(|now| !now.is_subset(&self.threads_before));
        let is_in_use = are_new && may_start_threads(&self.path);
        if !self.pinned && !is_in_use {
            // SAFETY: dropped once, here; instances hold the library by `Arc`, so none is left.
            unsafe { ManuallyDrop::drop(&mut self.handle) };
        }
    }
}

/// The threads of this process, if the system lists them.
fn threads() -> Option<BTreeSet<u32>> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    Some(tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse().ok()).collect())
}

/// Whether a library, or one beside it, names what starts threads.
fn may_start_threads(library: &Path) -> bool {
    const STARTERS: [&[u8]; 4] = [b"pthread_create", b"thrd_create", b"GOMP_parallel", b"_kmpc_"];
    let files = library.parent().and_then(|folder| fs::read_dir(folder).ok());
    let Some(files) = files else { return true };
    files.flatten().filter_map(|file| fs::read(file.path()).ok()).any(|bytes| {
        let names = |starter: &&[u8]| bytes.windows(starter.len()).any(|part| part == *starter);
        STARTERS.iter().any(names)
    })
}

/// Loads a library, or returns the loader's own message.
pub(super) fn open_handle(path: &Path, flags: i32) -> Result<Handle, String> {
    // SAFETY: running foreign constructors is what loading an FMU means; the user chose the file.
    unsafe { Handle::open(Some(path), flags) }.map_err(|error| match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    })
}

/// Several tools' FMUs use `sin` and friends without naming libm: have it loaded for all.
fn provide_libm() {
    static LIBM: OnceLock<Option<Handle>> = OnceLock::new();
    LIBM.get_or_init(|| open_handle(Path::new("libm.so.6"), RTLD_NOW | RTLD_GLOBAL).ok());
}

fn open_with_python(path: &Path, options: &LoadOptions) -> Result<Handle, LoadError> {
    python::provide(options)
        .map_err(|tried| LoadError::NoPython { library: path.to_owned(), tried })?;
    open_handle(path, RTLD_NOW | RTLD_LOCAL)
        .map_err(|message| LoadError::from_dlopen(path, &message))
}
