//! The folder a run leaves behind, and what may be replaced in it.

use super::killed::KilledRun;
use super::manifest::Manifest;
use crate::error::{Error, plain_words};
use consort_core::Diagnostic;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What a run was, with which files, and its hash.
pub const MANIFEST: &str = "manifest.json";
/// A manifest that is being written.
pub const MANIFEST_PARTIAL: &str = "manifest.json.partial";
/// The endpoints of the nodes of a running run, for status requests.
pub const NODES: &str = "nodes.json";
/// The file with the recorded variables.
pub const TRACE: &str = "trace.parquet";
/// The recorded variables, for people and other tools.
pub const TRACE_CSV: &str = "trace.csv";
/// The recorded variables, for Foxglove and PlotJuggler.
pub const TRACE_MCAP: &str = "trace.mcap";
/// Rows as they come, until the record is whole; of a run that was killed they are what is left.
pub const JOURNAL: &str = "trace.journal";
/// Where what is left of a run that was killed is kept when another takes its folder.
const KILLED: &str = "killed";
/// What models said and the engine did.
pub const LOG: &str = "log.jsonl";
/// The picture the experiment asks for.
pub const PLOT: &str = "plot.svg";

/// Everything that Consort writes into a run's folder, and may replace there.
const OURS: [&str; 11] = [
    MANIFEST,
    MANIFEST_PARTIAL,
    JOURNAL,
    TRACE,
    TRACE_CSV,
    TRACE_MCAP,
    LOG,
    NODES,
    PLOT,
    "plot.png",
    "plot.html",
];

/// The folder of a run's record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The folder at `path`, in which a run was.
    pub fn at(path: &Path) -> Self {
        RunFolder { path: path.to_owned() }
    }

    /// The folder at `path`, which need not exist. Nothing is written yet.
    ///
    /// # Errors
    /// If there is something at `path` that a run must not replace.
    pub fn plan(path: &Path) -> Result<Self, Error> {
        let folder = RunFolder::at(path);
        if path.is_file() {
            return Err(refused(path, "it is a file"));
        }
        if let Ok(log) = File::open(folder.file(LOG)) {
            folder.refuse_if_locked(&log)?;
        }
        match folder.foreign_file() {
            Some(_) if folder.file(MANIFEST).exists() => Ok(folder),
            Some(name) => Err(refused(path, &format!("it holds `{name}` and no run"))),
            None => Ok(folder),
        }
    }

    /// Makes the folder and takes away what an earlier run left in it, but for what is left of one that
    /// was killed; returns its empty log, which is locked: two runs in one folder would mix their files.
    ///
    /// # Errors
    /// If the folder cannot be written, or another run writes to it.
    pub fn prepare(&self) -> Result<Begun, Error> {
        fs::create_dir_all(&self.path).map_err(|error| {
            refused(&self.path, &format!("it cannot be made: {}", plain_words(&error)))
        })?;
        let log = self.lock()?;
        let kept = self.is_torn().then(|| self.keep_torn()).transpose()?;
        let path = self.file(LOG);
        log.set_len(0).map_err(|error| Error::unwritable(&path, &error))?;
        OURS.into_iter().filter(|&name| name != LOG).try_for_each(|name| self.remove(name))?;
        Ok(Begun { log, kept })
    }

    /// Opens the log and locks it: no other process writes to the folder then.
    ///
    /// # Errors
    /// If it cannot be opened, or another run writes to the folder.
    pub fn lock(&self) -> Result<File, Error> {
        let log = self.open_log()?;
        self.refuse_if_locked(&log)?;
        Ok(log)
    }

    /// Whether there are rows of which `consort recover` can make a record: the run was killed, or there was
    /// no room for its trace.
    pub fn is_torn(&self) -> bool {
        let is_whole = Manifest::read(&self.path).is_ok_and(|manifest| manifest.is_whole());
        !is_whole && KilledRun::of(self).is_some()
    }

    /// Renames the files that a killed run left.
    fn keep_torn(&self) -> Result<PathBuf, Error> {
        let names = (2..).map(|number| format!("{KILLED}-{number}"));
        let mut places = [KILLED.to_owned()].into_iter().chain(names).map(|name| self.file(&name));
        let place = places.find(|place| !place.exists()).expect("there is no last number");
        let moved = fs::create_dir(&place).and_then(|()| {
            // The log is locked here, and emptied later.
            fs::copy(self.file(LOG), place.join(LOG))?;
            let mut others = self.files().into_iter().filter(|&name| name != LOG);
            others.try_for_each(|name| fs::rename(self.file(name), place.join(name)))
        });
        moved.map_err(|error| Error::unwritable(&place, &error))?;
        Ok(place)
    }

    fn open_log(&self) -> Result<File, Error> {
        let path = self.file(LOG);
        // A link could lead elsewhere.
        if !path.symlink_metadata().is_ok_and(|data| data.is_file()) {
            self.remove(LOG)?;
        }
        let mut options = File::options();
        let opened = options.write(true).create(true).truncate(false).open(&path);
        opened.map_err(|error| Error::unwritable(&path, &error))
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let file = self.file(name);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::unwritable(&file, &error))
            }
            _ => Ok(()),
        }
    }

    /// The record is whole: its journal is not needed any more.
    pub fn remove_journal(&self) {
        // A journal that cannot be removed is harmless: the manifest says that the trace is whole.
        let _ = fs::remove_file(self.file(JOURNAL));
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of the run is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The names of the run's files that exist, in a fixed order.
    pub fn files(&self) -> Vec<&'static str> {
        OURS.into_iter().filter(|name| self.file(name).exists()).collect()
    }

    /// Locks the log, unless another run has.
    fn refuse_if_locked(&self, log: &File) -> Result<(), Error> {
        match log.try_lock() {
            Err(TryLockError::WouldBlock) => Err(refused(&self.path, "another run writes to it")),
            // Some network disks have no locks: nothing is known then.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    /// Something in the folder that no run wrote.
    fn foreign_file(&self) -> Option<String> {
        let entries = fs::read_dir(&self.path).ok()?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let is_kept = |name: &OsStr| name.to_string_lossy().starts_with(KILLED);
        let is_ours = |name: &OsStr| OURS.iter().any(|ours| OsStr::new(ours) == name);
        let foreign = names.filter(|name| !is_ours(name) && !is_kept(name));
        foreign.min().map(|name| name.to_string_lossy().into_owned())
    }
}

/// A folder that a run has taken.
pub struct Begun {
    /// The run's log, empty and locked.
    pub log: File,
    /// Where what an earlier run left is now, if that was killed.
    kept: Option<PathBuf>,
}

impl Begun {
    /// What the user should know about the earlier run.
    pub fn remark(&self) -> Option<Diagnostic> {
        let kept = self.kept.as_ref()?.display();
        let message = format!("the run before was killed: what it recorded is now in `{kept}`");
        let help = format!("`consort recover {kept}` makes a record of it; or remove the folder");
        Some(Diagnostic::warning("run::killed-before", message).help(help))
    }
}

fn refused(path: &Path, reason: &str) -> Error {
    let message = format!("the run cannot be written to `{}`: {reason}", path.display());
    let diagnostic = Diagnostic::error("cli::foreign-folder", message);
    Error::failed(diagnostic.help("choose another folder with `--out DIR`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_for_one_run_at_a_time() {
        let temp = tempfile::tempdir().unwrap();
        let folder = RunFolder::plan(temp.path()).unwrap();
        let begun = folder.prepare().unwrap();
        fs::write(folder.file(TRACE), "in the making").unwrap();
        assert!(RunFolder::plan(temp.path()).is_err());
        assert!(folder.prepare().is_err());
        assert_eq!(folder.files(), [TRACE, LOG], "nothing is taken away from the first");
        drop(begun);
        RunFolder::plan(temp.path()).unwrap().prepare().unwrap();
    }

    #[test]
    fn a_log_that_is_a_link_is_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let thesis = temp.path().join("thesis.tex");
        fs::write(&thesis, "ten years of work").unwrap();
        let folder = RunFolder::plan(&temp.path().join("run")).unwrap();
        folder.prepare().unwrap();
        folder.remove(LOG).unwrap();
        std::os::unix::fs::symlink(&thesis, folder.file(LOG)).unwrap();
        folder.prepare().unwrap();
        assert_eq!(fs::read_to_string(&thesis).unwrap(), "ten years of work");
    }

    #[test]
    fn only_runs_are_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("out/tank");
        let folder = RunFolder::plan(&path).unwrap();
        assert!(!path.exists(), "planning writes nothing");
        folder.prepare().unwrap();
        fs::write(folder.file(TRACE), "left by a run that was killed").unwrap();
        RunFolder::plan(&path).unwrap().prepare().unwrap();
        assert_eq!(folder.files(), [LOG]);
        fs::write(folder.file("thesis.tex"), "ten years of work").unwrap();
        assert!(RunFolder::plan(&path).is_err());
        fs::write(folder.file(MANIFEST), "{}").unwrap();
        RunFolder::plan(&path).unwrap().prepare().unwrap();
        assert!(folder.file("thesis.tex").exists());
        assert!(RunFolder::plan(&folder.file("thesis.tex")).is_err());
    }
}
