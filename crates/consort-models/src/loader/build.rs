//! What compilers make, once per content.

use crate::files::cache::{prepare, settle, unusable, work_folder};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The greatest part of a compiler's output that is shown.
const LINES_MAX: usize = 30;
const LINE_CHARS_MAX: usize = 200;

/// A file in the cache that is made by compilers.
pub(super) struct Product<'p> {
    /// The part of the cache it is in.
    pub(super) part: PathBuf,
    /// The hash of everything that decides it.
    pub(super) key: String,
    /// The name of the file.
    pub(super) file: &'p str,
}

/// Why there is no product.
pub(super) enum BuildError {
    Compiler(Failed),
    Cache(io::Error),
}

/// A compiler that did not succeed.
pub(super) struct Failed {
    pub(super) command: String,
    said: String,
}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> Self {
        BuildError::Cache(error)
    }
}

impl Product<'_> {
    /// The file, from the cache or made now: `make` is given a folder to work in and one for the result.
    /// `None`, with a diagnostic, if it cannot be made; `explain` makes it if the compiler failed.
    pub(super) fn get(
        &self,
        request: &ModelRequest<'_>,
        report: &mut Report,
        make: impl FnOnce(&Path, &Path) -> Result<(), BuildError>,
        explain: impl FnOnce(&Failed) -> Diagnostic,
    ) -> Option<PathBuf> {
        let place = self.part.join(&self.key);
        let file = place.join(self.file);
        if file.is_file() {
            return Some(file);
        }
        prepare(&self.part, request, report)?;
        match self.make(&place, make) {
            Ok(()) => return Some(file),
            Err(BuildError::Compiler(failed)) => report.push(explain(&failed)),
            Err(BuildError::Cache(error)) => {
                report.push(unusable(&self.part, request.span, &error));
            }
        }
        None
    }

    /// Works beside the destination and moves the result there whole.
    fn make(
        &self,
        place: &Path,
        make: impl FnOnce(&Path, &Path) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let work = work_folder(&self.part)?;
        let work_path = work.path().canonicalize()?;
        let result = work_path.join("result");
        fs::create_dir(&result)?;
        make(&work_path, &result)?;
        Ok(settle(&result, place, self.file)?)
    }
}

/// A new folder with these files.
pub(super) fn folder_of<'f>(
    folder: PathBuf,
    files: impl IntoIterator<Item = (&'f str, &'f str)>,
) -> io::Result<PathBuf> {
    fs::create_dir(&folder)?;
    for (name, text) in files {
        fs::write(folder.join(name), text)?;
    }
    Ok(folder)
}

/// Runs a compiler in a folder.
pub(super) fn run(mut command: Command, folder: &Path) -> Result<(), BuildError> {
    let output = command.current_dir(folder).env("LC_ALL", "C").output()?;
    if output.status.success() {
        return Ok(());
    }
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(BuildError::Compiler(Failed { command: words.join(" "), said }))
}

impl Failed {
    /// What the compiler said, as far as it helps.
    pub(super) fn words(&self) -> String {
        let count = self.said.lines().count();
        let line = |line: &str| line.chars().take(LINE_CHARS_MAX).collect();
        let mut lines: Vec<String> = self.said.lines().take(LINES_MAX).map(line).collect();
        if LINES_MAX < count {
            lines.push(format!("... and {} more lines", count - LINES_MAX));
        }
        format!("the compiler says:\n{}", lines.join("\n"))
    }
}
