//! Saving a run while it goes: at which times, into which files, and what is reported of it.

mod node;
mod plan;
mod twins;

use crate::error::plain_words;
use crate::files::parts::{self, PartsFolder};
use crate::paths;
use crate::prepared::Prepared;
use consort_core::{Diagnostic, Report, Resolution, Tag, Time};
use consort_engine::{Run, RunError};
use consort_formats::snapshot::SnapshotFile;
use consort_formats::{read_snapshot, write_snapshot};
use consort_models::sha256;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub use node::{NodeSaves, plan_node};
pub(crate) use plan::snapshot_file;
pub use plan::{origin, plan, repeat};
use twins::TwinChecks;

/// The most files that are listed one by one.
const LINES_MAX: usize = 6;

/// The saves of a run: those that wait, and those that were made.
pub struct Saving {
    /// In the order of their times; those at the end come last.
    waiting: Vec<Save>,
    /// How many do not wait any more.
    begun: usize,
    /// The content of a file besides the state.
    template: SnapshotFile,
    /// Some component continues differently once it is restored: where a run is saved is part of what
    /// happens.
    counts: bool,
    resolution: Resolution,
    /// It is saved over and over, for the case that something happens.
    repeats: bool,
    /// It is of a node, and its parts are not what the user asked for.
    is_part: bool,
    done: Vec<Saved>,
    checks: TwinChecks,
    problems: Vec<Diagnostic>,
}

/// A save that is still to come.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Save {
    /// When; at the end if nothing is said.
    at: Option<Time>,
    target: SavePurpose,
}

/// What a save is for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum SavePurpose {
    /// The state is written to a file.
    File(PathBuf),
    /// A run that is repeated is saved where it was saved before, and writes nothing.
    Repetition,
    /// The state is checked by a twin.
    Check,
}

impl Save {
    fn to_file(at: Option<Time>, file: PathBuf) -> Self {
        Save { at, target: SavePurpose::File(file) }
    }

    fn file(&self) -> Option<&Path> {
        match &self.target {
            SavePurpose::File(path) => Some(path),
            SavePurpose::Repetition | SavePurpose::Check => None,
        }
    }
}

/// A save that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Saved {
    tag: Tag,
    file: Option<(PathBuf, String)>,
    bytes: usize,
}

impl Saving {
    /// When the next one is due.
    pub fn next(&self) -> Option<Time> {
        self.waiting.first().and_then(|save| save.at)
    }

    /// Saves what is due at `now`: the run has done every tag up to it.
    pub fn save_due(&mut self, now: Time, run: &mut Run) {
        while self.next().is_some_and(|at| at <= now) {
            let save = self.next_save();
            self.save(&save, run);
        }
    }

    /// The run has come to its end: whatever waits is saved as it is there.
    pub fn save_at_end(&mut self, run: &mut Run) {
        for save in std::mem::take(&mut self.waiting) {
            self.save(&save, run);
        }
    }

    /// The run is ended by its user: what was to be saved at its end is saved here.
    pub fn save_interrupted(&mut self, run: &mut Run) {
        let waiting = std::mem::take(&mut self.waiting);
        let (at_end, others): (Vec<Save>, Vec<Save>) =
            waiting.into_iter().partition(|save| save.at.is_none());
        self.waiting = others;
        at_end.iter().for_each(|save| self.save(save, run));
    }

    /// Saves are checked from now on. A save at the end has no steps after it: the run is saved a few steps
    /// before as well, and that is checked.
    pub fn plan_checks(&mut self, prepared: &Prepared, is_paced: bool) {
        if self.waiting.iter().all(|save| save.file().is_none()) {
            return;
        }
        self.checks = TwinChecks::plan(prepared, self.waiting.len(), is_paced);
        let trial = self.checks.before_end(prepared);
        if let (true, Some(at)) = (self.waiting.iter().all(|save| save.at.is_none()), trial) {
            self.waiting.insert(0, Save { at: Some(at), target: SavePurpose::Check });
        }
    }

    /// Whether every step counts for a check now.
    pub fn is_watching(&self) -> bool {
        self.checks.is_watching()
    }

    /// The run was asked to advance to a time, and did.
    ///
    /// # Errors
    /// If a restored twin differs.
    pub fn stepped(
        &mut self,
        run: &Run,
        until: Time,
        prepared: &Prepared,
        workers: usize,
    ) -> Result<(), RunError> {
        self.checks.stepped(run, until);
        let checked = self.checks.check(prepared, workers);
        checked.inspect_err(|_| self.take_back())
    }

    /// The run is at its end.
    pub fn before_last_checks(&self, run: &mut Run) {
        self.checks.save_last(run);
    }

    /// The run is over, and its instances are gone: the checks that are left are made.
    ///
    /// # Errors
    /// If a restored twin differs.
    pub fn check_last(&mut self, prepared: &Prepared, workers: usize) -> Result<(), RunError> {
        let checked = self.checks.check_last(prepared, workers);
        checked.inspect_err(|_| self.take_back())
    }

    /// Removes the files: a run that is resumed from one of them would continue differently.
    fn take_back(&mut self) {
        self.waiting.clear();
        for saved in std::mem::take(&mut self.done) {
            let Some((path, _)) = saved.file else { continue };
            let is_gone = fs::remove_file(&path).is_ok() || !path.exists();
            let what = if is_gone { "was removed" } else { "must not be resumed" };
            let message =
                format!("`{}` {what}: it would not continue as the run did", path.display());
            self.problems.push(Diagnostic::warning("run::not-saved", message));
        }
    }

    fn next_save(&mut self) -> Save {
        self.begun += 1;
        self.waiting.remove(0)
    }

    /// When each is due that waits; `None` is at the end.
    pub fn times(&self) -> Vec<Option<Time>> {
        self.waiting.iter().map(|save| save.at).collect()
    }

    /// Where it will have been saved if it comes so far, for the manifest; nothing if that cannot be seen.
    pub fn planned_to_json(&self) -> Value {
        let to_files = self.waiting.iter().filter(|save| self.counts && save.file().is_some());
        let ticks = to_files.filter_map(|save| save.at).map(Time::ticks);
        ticks.map(|tick| json!({ "tick": tick })).collect()
    }

    /// The saves of one node of a distributed run: into parts.
    pub fn of_node(mut self, times: &[Option<Time>], folder: &PartsFolder, node: &str) -> Self {
        let save =
            |(index, at): (usize, &Option<Time>)| Save::to_file(*at, folder.part(index, node));
        self.waiting = times.iter().enumerate().map(save).collect();
        self.is_part = true;
        self
    }

    /// What is to be kept of the placement of a distributed run.
    pub fn of_nodes(self, placement: &Value) -> Self {
        self.noting([("placement", placement.clone())])
    }

    /// What is to be kept beside the options of the run.
    fn noting<const N: usize>(mut self, notes: [(&str, Value); N]) -> Self {
        let mut options: Value = serde_json::from_str(&self.template.options).unwrap_or_default();
        for (name, value) in notes {
            options[name] = value;
        }
        self.template.options = options.to_string();
        self
    }

    /// Puts together what every node has saved by now.
    pub fn collect(&mut self, folder: &PartsFolder, nodes: &[String]) {
        while !self.waiting.is_empty()
            && let Some(parts) = folder.complete(self.begun, nodes)
        {
            folder.clear(self.begun, nodes);
            let save = self.next_save();
            match self.join(&save, &parts) {
                Ok(saved) => self.done.push(saved),
                Err(problem) => self.problems.push(*problem),
            }
        }
    }

    fn join(&mut self, save: &Save, whole: &[(String, Vec<u8>)]) -> Result<Saved, Box<Diagnostic>> {
        let mut report = Report::default();
        let read = |(node, bytes): &(String, Vec<u8>)| read_snapshot(node, bytes, &mut report);
        let tags: Option<Vec<Tag>> = whole.iter().map(read).map(|part| Some(part?.tag)).collect();
        let tag = tags.as_deref().and_then(common);
        let Some(tag) = tag else { return Err(Box::new(torn(save))) };
        self.template.save_points.push(tag);
        let Some(path) = save.file() else { return Ok(Saved { tag, file: None, bytes: 0 }) };
        (self.template.tag, self.template.state) = (tag, parts::join(whole));
        self.write(path, tag)
    }

    /// The last file that was written.
    pub fn last_file(&self) -> Option<&Path> {
        self.last_saved().map(|(_, path)| path)
    }

    /// The last time that is in a file, and the file.
    pub fn last_saved<'a>(&'a self) -> Option<(Time, &'a Path)> {
        let written = |saved: &'a Saved| Some((saved.tag.time, saved.file.as_ref()?.0.as_path()));
        self.done.iter().rev().find_map(written)
    }

    fn save(&mut self, save: &Save, run: &mut Run) {
        match self.try_save(save, run) {
            Ok(saved) => self.done.push(saved),
            Err(problem) => self.problems.push(*problem),
        }
    }

    fn try_save(&mut self, save: &Save, run: &mut Run) -> Result<Saved, Box<Diagnostic>> {
        let failed = |error: RunError| Box::new(error.diagnostic(self.resolution));
        let snapshot = run.snapshot().map_err(failed)?;
        let tag = snapshot.tag();
        if save.target != SavePurpose::Check {
            self.template.save_points.push(tag);
        }
        let unwritten = Saved { tag, file: None, bytes: 0 };
        if save.target == SavePurpose::Repetition {
            return Ok(unwritten);
        }
        let state = run.serialize(&snapshot).map_err(failed)?;
        self.checks.saved(tag, &state);
        let Some(path) = save.file() else { return Ok(unwritten) };
        (self.template.tag, self.template.state) = (tag, state);
        self.write(path, tag)
    }

    fn write(&self, path: &Path, tag: Tag) -> Result<Saved, Box<Diagnostic>> {
        let bytes = write_file(path, &self.template)?;
        let file = Some((path.to_owned(), sha256(&bytes)));
        Ok(Saved { tag, file, bytes: bytes.len() })
    }

    /// What could not be saved, the saves among it that were not due before the run ended.
    pub fn take_problems(&mut self) -> Vec<Diagnostic> {
        let mut problems = std::mem::take(&mut self.problems);
        problems.extend(self.checks.take_problem(self.resolution));
        let mut waiting = std::mem::take(&mut self.waiting);
        if self.repeats {
            // That there is no snapshot at all is worth a message; how many more there would have been is not.
            waiting.truncate(usize::from(self.done.is_empty()));
        }
        // The starter of a node reports what was not saved of the run.
        for save in waiting.into_iter().filter(|_| !self.is_part) {
            let Some(path) = save.file() else { continue };
            let message = format!("`{}` was not written", path.display());
            let diagnostic = Diagnostic::warning("run::not-saved", message);
            let diagnostic = diagnostic.with_note("the run ended before this time");
            problems.push(diagnostic.help("save it earlier with `--save-at`"));
        }
        problems
    }

    /// The hash of the experiment. Where a run is saved is part of it, if that can be seen.
    pub fn experiment_hash(&self, prepared: &Prepared) -> String {
        let points = &self.template.save_points;
        if !self.counts || points.is_empty() {
            return prepared.hashes.experiment.clone();
        }
        let mut text = prepared.hashes.experiment.clone();
        for Tag { time, microstep } in points {
            text.push_str(&format!("\nsaved at {}.{microstep}", time.ticks()));
        }
        format!("sha256:{}", sha256(text.as_bytes()))
    }

    /// How much was checked, for the manifest.
    pub fn checks_to_json(&self) -> Value {
        self.checks.to_json()
    }

    /// The saves as JSON, for the manifest.
    pub fn to_json(&self) -> Value {
        let entry = |saved: &Saved| {
            let (path, sha256) = saved.file.as_ref()?;
            Some(json!({
                "path": path,
                "sha256": sha256,
                "bytes": saved.bytes,
                "time": self.resolution.to_f64(saved.tag.time),
                "tick": saved.tag.time.ticks(),
                "microstep": saved.tag.microstep,
            }))
        };
        self.done.iter().filter_map(entry).collect()
    }

    /// For a person: where each save is.
    pub fn lines(&self) -> Vec<String> {
        let is_replaced = |index: usize, path: &Path| {
            let later = self.done[index + 1..].iter().filter_map(|later| later.file.as_ref());
            later.into_iter().any(|(later, _)| later == path)
        };
        let line = |(index, saved): (usize, &Saved)| {
            let (path, _) = saved.file.as_ref().filter(|(path, _)| !is_replaced(index, path))?;
            let time = consort_view::numbers::short(self.resolution.to_f64(saved.tag.time));
            Some(format!("saved at {time} s: {}", path.display()))
        };
        let mut lines: Vec<String> = self.done.iter().enumerate().filter_map(line).collect();
        if LINES_MAX < lines.len() {
            let more = lines.len() - LINES_MAX;
            lines.drain(1..=more);
            lines.insert(1, format!("and {more} times more"));
        }
        lines
    }
}

/// The tag that all have.
fn common(tags: &[Tag]) -> Option<Tag> {
    let first = tags.first()?;
    tags.iter().all(|tag| tag == first).then_some(*first)
}

fn torn(save: &Save) -> Diagnostic {
    let path = save.file().map(|path| path.display().to_string()).unwrap_or_default();
    let message = format!("`{path}` was not saved: the nodes had stopped at different times");
    let diagnostic = Diagnostic::error("run::not-saved", message);
    diagnostic.help("save the run at a time with `--save-at`, or over and over with `--save-every`")
}

/// Writes a snapshot file. Returns its bytes.
pub(crate) fn write_file(path: &Path, file: &SnapshotFile) -> Result<Vec<u8>, Box<Diagnostic>> {
    paths::return_to_working_folder();
    let bytes = write_snapshot(file);
    write_whole(path, &bytes).map_err(|error| Box::new(unwritten(path, &error)))?;
    Ok(bytes)
}

/// Writes a file so that there is the whole of it or none.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    write().inspect_err(|_| {
        // An incomplete file is useless; an error while removing it adds nothing.
        let _ = fs::remove_file(&partial);
    })
}

fn unwritten(path: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("the run could not be saved to `{}`", path.display());
    Diagnostic::error("run::not-saved", message)
        .with_note(plain_words(error))
        .help("make room on the disk, or choose another file with `--save FILE`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_and_what_was_there_before() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("tank.snapshot");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        let folder = temp.path().join("folder");
        fs::create_dir(&folder).unwrap();
        assert!(write_whole(&folder, b"no").is_err());
        assert!(write_whole(&temp.path().join("missing/x"), b"no").is_err());
        let left = fs::read_dir(temp.path()).unwrap().count();
        assert_eq!(left, 2, "the file and the folder");
    }
}
