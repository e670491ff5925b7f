//! Loading a shared library so that what is wrong with it is an error here and not a crash later.

use super::Interface;
use super::elf;
use super::float_mode::FloatMode;
use super::python;
use crate::fmu::{LoadError, LoadOptions};
use libloading::os::unix::{Library as Handle, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::error::Error;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A loaded library; functions got from it are valid for as long as it lives.
pub(crate) struct Library {
    handle: ManuallyDrop<Handle>,
    path: PathBuf,
    model_identifier: String,
    interface: Interface,
    /// An interpreter inside does not survive being unloaded.
    pinned: bool,
}

impl Library {
    /// Loads `path` with everything it needs; the thread's floating-point mode stays as it is.
    pub(crate) fn open(
        path: &Path,
        model_identifier: &str,
        interface: Interface,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        FloatMode::around(|| {
            provide_libm();
            if let Some(reason) = elf::refused(path) {
                return Err(LoadError::NotALibrary { library: path.to_owned(), reason });
            }
            let (handle, pinned) = match open_handle(path, RTLD_NOW | RTLD_LOCAL) {
                Err(message) if python::is_missing(&message) => {
                    (open_with_python(path, options)?, true)
                }
                opened => (opened.map_err(|message| LoadError::from_dlopen(path, message))?, false),
            };
            Ok(Library {
                handle: ManuallyDrop::new(handle),
                path: path.to_owned(),
                model_identifier: model_identifier.to_owned(),
                interface,
                pinned,
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

    /// As [`Library::optional`], for a function no FMU can do without.
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

impl Drop for Library {
    fn drop(&mut self) {
        if !self.pinned {
            // SAFETY: dropped once, here; instances hold the library by `Arc`, so none is left.
            unsafe { ManuallyDrop::drop(&mut self.handle) };
        }
    }
}

/// Loads a library, or says in the loader's own words why not.
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
        .map_err(|message| LoadError::from_dlopen(path, message))
}
