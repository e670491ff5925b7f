//! The folder a run leaves behind, and what may be replaced in it.

use crate::outcome::CommandError;
use consort_core::Diagnostic;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What a run was, with which files, and its hash.
pub(crate) const MANIFEST: &str = "manifest.json";
/// A manifest that is being written.
pub(crate) const MANIFEST_PARTIAL: &str = "manifest.json.partial";
/// The recorded variables.
pub(crate) const TRACE: &str = "trace.parquet";
/// The recorded variables, for people and other tools.
pub(crate) const TRACE_CSV: &str = "trace.csv";
/// What models said and the engine did.
pub(crate) const LOG: &str = "log.jsonl";
/// The picture the experiment asks for.
pub(crate) const PLOT: &str = "plot.svg";

/// Everything that Consort writes into a run's folder, and may replace there.
const OURS: [&str; 8] =
    [MANIFEST, MANIFEST_PARTIAL, TRACE, TRACE_CSV, LOG, PLOT, "plot.png", "plot.html"];

/// A run's folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The folder at `path`, which need not exist. Nothing is written yet.
    ///
    /// # Errors
    /// If there is something at `path` that a run must not replace.
    pub(crate) fn plan(path: &Path) -> Result<Self, CommandError> {
        let folder = RunFolder { path: path.to_owned() };
        if path.is_file() {
            return Err(refused(path, "it is a file"));
        }
        match folder.foreign_file() {
            Some(_) if folder.file(MANIFEST).exists() => Ok(folder),
            Some(name) => Err(refused(path, &format!("it holds `{name}` and no run"))),
            None => Ok(folder),
        }
    }

    /// Makes the folder and takes away what an earlier run left in it.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn prepare(&self) -> Result<(), CommandError> {
        fs::create_dir_all(&self.path)
            .map_err(|error| CommandError::unwritable(&self.path, &error))?;
        for name in OURS {
            let file = self.file(name);
            if file.exists() {
                fs::remove_file(&file).map_err(|error| CommandError::unwritable(&file, &error))?;
            }
        }
        Ok(())
    }

    /// Where the folder is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of the run is.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The names of the run's files that exist, in a fixed order.
    pub(crate) fn files(&self) -> Vec<&'static str> {
        OURS.into_iter().filter(|name| self.file(name).exists()).collect()
    }

    /// Something in the folder that no run wrote.
    fn foreign_file(&self) -> Option<String> {
        let entries = fs::read_dir(&self.path).ok()?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let foreign = names.filter(|name| !OURS.iter().any(|ours| OsStr::new(ours) == name));
        foreign.min().map(|name| name.to_string_lossy().into_owned())
    }
}

fn refused(path: &Path, reason: &str) -> CommandError {
    let message = format!("`{}` is not used for the run: {reason}", path.display());
    let diagnostic = Diagnostic::error("cli::foreign-folder", message);
    CommandError::failed(diagnostic.help("choose another folder with `--out DIR`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_are_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("out/tank");
        let folder = RunFolder::plan(&path).unwrap();
        assert!(!path.exists(), "planning writes nothing");
        folder.prepare().unwrap();
        fs::write(folder.file(TRACE), "left by a run that was killed").unwrap();
        RunFolder::plan(&path).unwrap().prepare().unwrap();
        assert_eq!(folder.files(), Vec::<&str>::new());
        fs::write(folder.file("thesis.tex"), "ten years of work").unwrap();
        assert!(RunFolder::plan(&path).is_err());
        fs::write(folder.file(MANIFEST), "{}").unwrap();
        RunFolder::plan(&path).unwrap().prepare().unwrap();
        assert!(folder.file("thesis.tex").exists());
        assert!(RunFolder::plan(&folder.file("thesis.tex")).is_err());
    }
}
