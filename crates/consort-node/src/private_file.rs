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
        // Half of it is of no use, and would be in the way.
        let _ = std::fs::remove_file(path);
    }
    written
}

/// What is wrong with a file, in the words of whoever reads it.
pub(crate) fn told(path: &Path, error: &dyn fmt::Display) -> String {
    format!("`{}`: {error}", path.display())
}
