//! Files that hold keys and secrets: written for the user alone.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Only the user may read it, and there was no such file before.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        // An incomplete file would block the next attempt.
        let _ = std::fs::remove_file(path);
    }
    written
}

/// An error with the name of the file that it is about.
pub(crate) fn in_file(path: &Path, error: &dyn fmt::Display) -> String {
    format!("`{}`: {error}", path.display())
}
