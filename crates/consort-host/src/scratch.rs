//! The folder a worker works in.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the name of every folder begins with; the number of the process that made it follows.
const PREFIX: &str = "worker-";

/// A folder of one worker, removed with all that was left in it.
pub(crate) struct Folder {
    path: PathBuf,
    /// Held as long as it is used: a folder that is not locked was left by a process that was killed.
    _lock: Option<File>,
}

impl Folder {
    /// A new, empty folder below another.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn create(below: &Path) -> io::Result<Folder> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        static SWEPT: Once = Once::new();
        fs::create_dir_all(below)?;
        SWEPT.call_once(|| sweep(below));
        // Of equal length for all: the kernel writes the path where a saved image would see it.
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = below.join(format!("{PREFIX}{:010}-{count:08}", std::process::id()));
        // One of a process of the same number that was killed may be left.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        let path = path.canonicalize()?;
        // Where files cannot be locked, nothing is ever taken for left.
        let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(Folder { path, _lock: lock })
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

/// Removes what processes left that were killed.
fn sweep(below: &Path) {
    let Ok(entries) = fs::read_dir(below) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_left = maker(&path).is_some_and(|maker| !is_alive(maker));
        let is_free = || File::open(&path).is_ok_and(|folder| folder.try_lock().is_ok());
        if is_left && is_free() {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// The process that made a folder.
fn maker(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    name.split('-').next()?.parse().ok()
}

/// Whether there is such a process, as far as can be seen.
fn is_alive(process: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_used_is_not() {
        let below = std::env::temp_dir().join(format!("consort-sweep-{}", std::process::id()));
        let folder = |process: u32| below.join(format!("{PREFIX}{process:010}-00000000"));
        // No process has such a number.
        let (dead, held) = (folder(u32::MAX), folder(u32::MAX - 1));
        for path in [&dead, &held] {
            fs::create_dir_all(path).expect("it can be made");
        }
        fs::write(dead.join("left.txt"), "left").expect("it can be written");
        let lock = File::open(&held).expect("it is there");
        lock.try_lock().expect("it is free");
        let own = Folder::create(&below).expect("it can be made");
        sweep(&below);
        assert!(!dead.exists() && held.exists() && own.path().exists());
        drop(own);
        fs::remove_dir_all(&below).expect("it is there");
    }
}
