//! The output of a worker: kept in memory of its own, so that it neither mixes with that of the host nor has to
//! wait for a reader.

use super::channel::memory_file;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

/// The most that a worker may print in one call.
pub(crate) const OUTPUT_MAX: u64 = 64 << 20;

/// The most lines that are passed on at once: the last ones.
const LINES_MAX: usize = 1000;

/// The longest line that is passed on.
const LINE_MAX: usize = 4096;

/// Where a worker's standard output and standard error go.
pub(crate) struct Output {
    file: File,
}

impl Output {
    /// Nothing was printed yet.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn create() -> io::Result<Output> {
        let file = memory_file(c"consort-output")?;
        // Every write appends, so that the file can be emptied without the worker.
        // SAFETY: a flag of a descriptor that is ours.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Output { file: File::from(file) })
    }

    /// A descriptor for the worker.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn file(&self) -> io::Result<OwnedFd> {
        self.file.try_clone().map(OwnedFd::from)
    }

    /// How much waits to be taken.
    pub(crate) fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |data| data.len())
    }

    /// Takes what was printed, line by line.
    pub(crate) fn take(&self, mut line: impl FnMut(&str)) {
        let length = self.length();
        if length == 0 {
            return;
        }
        let mut bytes = vec![0; usize::try_from(length.min(OUTPUT_MAX)).unwrap_or_default()];
        let is_read = self.file.read_exact_at(&mut bytes, 0).is_ok();
        // Output that cannot be removed is forwarded again.
        let _ = self.file.set_len(0);
        if is_read {
            let lines = || bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let left_out = lines().count().saturating_sub(LINES_MAX);
            if 0 < left_out {
                line(&format!("({left_out} earlier lines are left out)"));
            }
            lines().skip(left_out).for_each(|bytes| {
                line(String::from_utf8_lossy(&bytes[..bytes.len().min(LINE_MAX)]).trim_end());
            });
        }
    }
}
