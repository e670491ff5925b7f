//! The folder a campaign leaves behind, and what may be replaced in it.

use consort_core::Diagnostic;
use consort_explore::report;
use consort_run::Error;
use consort_run::error::plain_words;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Everything that was found; the same bytes however it was found.
pub(super) const REPORT: &str = "report.json";
/// The same, for people.
pub(super) const PAGE: &str = "report.html";
/// What it took; different every time.
pub(super) const TIMING: &str = "timing.json";
/// What was done, to resume it.
pub(super) const JOURNAL: &str = "journal.jsonl";
/// What workers are given.
pub(super) const ASSIGNMENT: &str = "workers.json";
/// The messages of workers for the user.
const LOG: &str = "workers.log";
/// The name of the folder with counter-examples.
pub(super) const COUNTER_EXAMPLES: &str = "counter-examples";

const OURS: [&str; 7] = [REPORT, PAGE, TIMING, JOURNAL, ASSIGNMENT, LOG, COUNTER_EXAMPLES];
/// How many of the last lines of the log an error repeats.
const LINES_MAX: usize = 5;

/// The folder of a campaign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CampaignFolder {
    path: PathBuf,
}

impl CampaignFolder {
    /// A folder for a new campaign, which need not exist. Nothing is written yet.
    ///
    /// # Errors
    /// If there is something that a campaign must not replace.
    pub(super) fn fresh(path: &Path) -> Result<Self, Error> {
        let folder = CampaignFolder { path: path.to_owned() };
        if path.is_file() {
            return Err(refused(path, "it is a file", OTHER));
        }
        let has_journal = folder.file(JOURNAL).exists();
        if let Some(foreign) = folder.foreign_file().filter(|_| !has_journal) {
            return Err(refused(path, &format!("it holds `{foreign}` and no campaign"), OTHER));
        }
        if has_journal && !folder.is_finished() {
            let help = format!("resume with `--resume {}`, or {OTHER}", path.display());
            return Err(refused(path, "it holds a campaign that is not finished", &help));
        }
        Ok(folder)
    }

    /// The folder of a campaign that was begun.
    ///
    /// # Errors
    /// If there is no campaign in it.
    pub(super) fn resumed(path: &Path) -> Result<Self, Error> {
        let folder = CampaignFolder { path: path.to_owned() };
        match folder.file(JOURNAL).is_file() {
            true => Ok(folder),
            false => Err(refused(path, "it holds no campaign", "begin one with `--out DIR`")),
        }
    }

    /// Makes the folder.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn make(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.path).map_err(|error| {
            refused(&self.path, &format!("it cannot be made: {}", plain_words(&error)), OTHER)
        })
    }

    /// Removes the reports that were there before; only once it is certain that this campaign may use the folder.
    pub(super) fn clear(&self) {
        for name in [REPORT, PAGE, TIMING, LOG] {
            // What cannot be removed is an error when it is written.
            let _ = fs::remove_file(self.file(name));
        }
        let _ = fs::remove_dir_all(self.file(COUNTER_EXAMPLES));
    }

    /// Writes a file at once: a reader sees the old one or the new one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.file(name);
        let unwritable = |error| Error::unwritable(&path, &error);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(unwritable)?;
        }
        let partial = path.with_extension("partial");
        fs::write(&partial, text).map_err(unwritable)?;
        fs::rename(&partial, &path).map_err(unwritable)
    }

    /// The workers' log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn open_log(&self) -> Result<File, Error> {
        let path = self.file(LOG);
        let opened = File::options().create(true).append(true).open(&path);
        opened.map_err(|error| Error::unwritable(&path, &error))
    }

    /// The last lines of the workers' log.
    pub(super) fn last_log_lines(&self) -> Vec<String> {
        let text = fs::read(self.file(LOG)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let first = lines.len().saturating_sub(LINES_MAX);
        lines[first..].iter().map(|line| (*line).to_owned()).collect()
    }

    /// Where the folder is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of the campaign is.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether the campaign in the folder came to its end: one that was stopped has a report as well.
    fn is_finished(&self) -> bool {
        let report = fs::read_to_string(self.file(REPORT)).unwrap_or_default();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap_or_default();
        report["ending"].as_str().is_some_and(|ending| !report::UNFINISHED.contains(&ending))
    }

    /// Something in the folder that no campaign wrote.
    fn foreign_file(&self) -> Option<String> {
        let entries = fs::read_dir(&self.path).ok()?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| !OURS.contains(&name.as_str())).min()
    }
}

const OTHER: &str = "choose another folder with `--out DIR`";

fn refused(path: &Path, reason: &str, help: &str) -> Error {
    let message = format!("`{}` is not used for the campaign: {reason}", path.display());
    Error::failed(Diagnostic::error("cli::foreign-folder", message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_campaign_is_not_replaced_and_other_files_are_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("campaign");
        let folder = CampaignFolder::fresh(&path).unwrap();
        assert!(!path.exists(), "nothing is written yet");
        assert!(CampaignFolder::resumed(&path).is_err());
        folder.make().unwrap();
        folder.write(JOURNAL, "{}").unwrap();
        assert!(CampaignFolder::fresh(&path).is_err());
        assert!(CampaignFolder::resumed(&path).is_ok());
        folder.write(REPORT, r#"{"ending": "stopped"}"#).unwrap();
        assert!(CampaignFolder::fresh(&path).is_err(), "it would lose what was done");
        folder.write(REPORT, r#"{"ending": "complete"}"#).unwrap();
        assert!(CampaignFolder::fresh(&path).is_ok());
        let thesis = temp.path().join("thesis");
        fs::create_dir(&thesis).unwrap();
        fs::write(thesis.join("thesis.tex"), "ten years of work").unwrap();
        assert!(CampaignFolder::fresh(&thesis).is_err());
        assert!(CampaignFolder::fresh(&thesis.join("thesis.tex")).is_err());
    }
}
