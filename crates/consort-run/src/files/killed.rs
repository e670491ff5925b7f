//! What is left of a run that was killed, or for whose trace there was no room: journals, in its folder or where
//! its nodes worked, and what was known of it when it began.

use super::folder::{JOURNAL, NODES, RunFolder};
use super::journals::{JournalCursor, last_mark};
use super::parts::PartsFolder;
use consort_core::Tag;
use consort_trace::{ProgressMark, TraceError};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The key of the manifest of a run that began, among what is known of its nodes.
pub const ABOUT: &str = "about";
/// The key of the private folder of its nodes.
pub const SCRATCH: &str = "scratch";
/// The key of the components in the order of the system.
pub const COMPONENTS: &str = "components";

/// The journals of a run and its beginning.
pub struct KilledRun {
    journals: Vec<PathBuf>,
    /// What is known of the nodes of a run that was spread.
    nodes: Option<Value>,
}

impl KilledRun {
    /// What is left in a folder, if anything is.
    pub fn of(folder: &RunFolder) -> Option<Self> {
        let journal = folder.file(JOURNAL);
        if JournalCursor::open(&journal).is_ok_and(|journal| journal.has_rows()) {
            return Some(KilledRun { journals: vec![journal], nodes: None });
        }
        let text = std::fs::read_to_string(folder.file(NODES)).ok()?;
        let nodes: Value = serde_json::from_str(&text).ok()?;
        let parts = PartsFolder::of(Path::new(nodes[SCRATCH].as_str()?));
        let names = nodes["nodes"].as_array()?.iter().filter_map(|node| node["name"].as_str());
        let journals: Vec<PathBuf> = names.map(|name| parts.journal(name)).collect();
        let is_there = journals.iter().all(|journal| journal.exists());
        is_there.then_some(KilledRun { journals, nodes: Some(nodes) })
    }

    /// The manifest as it was when the run began.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn about(&self) -> Result<Value, TraceError> {
        match &self.nodes {
            Some(nodes) => Ok(nodes[ABOUT].clone()),
            None => {
                let journal = JournalCursor::open(&self.journals[0])?;
                Ok(serde_json::from_str(journal.about()).unwrap_or_default())
            }
        }
    }

    /// Where the run stood, journal by journal, at the last time that all of them have done; nothing if there
    /// is no such time.
    ///
    /// # Errors
    /// If a journal cannot be read.
    pub fn marks(&self) -> Result<Option<(Tag, Vec<ProgressMark>)>, TraceError> {
        let mut ends = Vec::new();
        for path in &self.journals {
            let Some(mark) = last_mark(path)? else { return Ok(None) };
            ends.push(mark);
        }
        let Some(time) = ends.iter().map(|mark| mark.tag.time).min() else {
            return Ok(None);
        };
        let cut = Tag { time, microstep: u32::MAX };
        let mut marks = Vec::new();
        for (path, end) in self.journals.iter().zip(ends) {
            match end.tag <= cut {
                true => marks.push(end),
                false => marks.extend(JournalCursor::open(path)?.mark(cut)?),
            }
        }
        let is_known = marks.len() == self.journals.len();
        Ok(is_known.then_some((cut, marks)))
    }

    /// Opens the journals from their first row on.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn journals(&self) -> Result<Vec<JournalCursor>, TraceError> {
        self.journals.iter().map(|path| JournalCursor::open(path)).collect()
    }

    /// Where a component is in the system, among those of several journals.
    pub fn rank(&self, component: &str) -> usize {
        let components = self.nodes.as_ref().and_then(|nodes| nodes[COMPONENTS].as_array());
        let mut components = components.into_iter().flatten();
        components.position(|known| known == component).unwrap_or(usize::MAX)
    }

    /// Takes the journals away, and the folder that the nodes worked in.
    pub fn remove(&self, folder: &RunFolder) {
        // A file that cannot be removed is harmless: the manifest says that the record is whole.
        for journal in &self.journals {
            let _ = std::fs::remove_file(journal);
        }
        if let Some(scratch) = self.nodes.as_ref().and_then(|nodes| nodes[SCRATCH].as_str()) {
            let _ = std::fs::remove_dir_all(scratch);
            let _ = std::fs::remove_file(folder.file(NODES));
        }
    }
}
