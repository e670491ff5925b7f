//! The folder a worker works in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder of one worker, removed with all that was left in it.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new, empty folder below another.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn create(below: &Path) -> io::Result<Folder> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(below)?;
        // Of equal length for all: the kernel writes the path where a saved image would see it.
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = below.join(format!("worker-{:010}-{count:08}", std::process::id()));
        // One of a process of the same number that was killed may be left.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        Ok(Folder { path: path.canonicalize()? })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A file that cannot be removed is no reason to fail.
        let _ = fs::remove_dir_all(&self.path);
    }
}
