//! Makes a record of what a run left that was killed.

use crate::error::{Error, plain_words};
use crate::files::folder::{self, RunFolder};
use crate::files::journals::Merged;
use crate::files::killed::KilledRun;
use crate::files::manifest::{self, Manifest};
use crate::files::recorder::TraceFiles;
use consort_core::{Diagnostic, Tag};
use consort_engine::{Statistics, Summary};
use consort_trace::{ProgressMark, TraceError, TraceHash};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What was recovered of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovered {
    /// The number of rows.
    pub rows: u64,
    /// Up to which time, in seconds.
    pub until: f64,
    /// The hash of the trace so far.
    pub trace_hash: TraceHash,
    /// The last snapshot that the run can be resumed from.
    pub last_save: Option<PathBuf>,
}

/// Makes the record of the run in a folder, and removes what it was made of. Returns nothing if the record is whole
/// already.
///
/// # Errors
/// If there is nothing to recover, or it cannot be read or written.
pub fn recover(run: &Path) -> Result<Option<Recovered>, Error> {
    let folder = RunFolder::at(run);
    if Manifest::read(run).is_ok_and(|manifest| manifest.is_whole()) {
        folder.remove_journal();
        return Ok(None);
    }
    let Some(killed) = KilledRun::of(&folder) else { return Err(nothing(run)) };
    let _log = folder.lock()?;
    let unreadable = |error: TraceError| broken(run, &error);
    let Some((cut, marks)) = killed.marks().map_err(unreadable)? else {
        return Err(nothing(run));
    };
    let mut about = killed.about().map_err(unreadable)?;
    let journals = killed.journals().map_err(unreadable)?;
    let merged = Merged::new(journals, &|name| killed.rank(name), Some(cut)).map_err(unreadable)?;
    let Some(merged) = merged else { return Err(nothing(run)) };
    let resolution = merged.resolution();
    let (columns, written) = merged.write(files(&about["options"], &folder));
    if let Some(error) = written.failure {
        return Err(no_room(&folder, &error));
    }
    let summary = summary(&marks, &about);
    let recorded = manifest::recorded(written.rows, &columns, written.check_sum.as_deref());
    manifest::cut(&mut about, cut, &summary, resolution, recorded);
    manifest::write(&folder.file(folder::MANIFEST), &about)?;
    killed.remove(&folder);
    Ok(Some(Recovered {
        rows: written.rows,
        until: resolution.to_f64(summary.tag.time),
        trace_hash: summary.trace_hash,
        last_save: Manifest::read(run).ok().and_then(|manifest| manifest.last_save()),
    }))
}

/// The run as it stood where it is cut.
fn summary(marks: &[ProgressMark], about: &Value) -> Summary {
    let (mut hashes, mut statistics) = (Vec::new(), Statistics::default());
    for mark in marks {
        hashes.extend_from_slice(&mark.hashes);
        let counts = mark.counts.as_slice().try_into().unwrap_or_default();
        statistics.add(&Statistics::default().with_counts(counts));
    }
    let components = about["statistics"]["components"].as_u64();
    statistics.components = components.and_then(|count| count.try_into().ok()).unwrap_or(0);
    let tag = marks.iter().map(|mark| mark.tag).max().unwrap_or(Tag::default());
    let mode = manifest::hash_mode(about);
    Summary::new(tag, mode, hashes, statistics, Vec::new())
}

/// Those that the run was to write.
fn files(options: &Value, folder: &RunFolder) -> TraceFiles {
    if options["no_record"] == true {
        return TraceFiles::default();
    }
    let wanted = |option: &str, name| (options[option] == true).then(|| folder.file(name));
    TraceFiles {
        parquet: Some(folder.file(folder::TRACE)),
        csv: wanted("csv", folder::TRACE_CSV),
        mcap: wanted("mcap", folder::TRACE_MCAP),
        journal: None,
    }
}

fn nothing(run: &Path) -> Error {
    let message = format!("`{}` holds no rows of a run that was killed", run.display());
    let diagnostic = Diagnostic::error("recover::nothing", message);
    let help =
        "name the folder of a run that was killed; with `--no-journal` there is nothing left of it";
    Error::failed(diagnostic.help(help))
}

fn broken(run: &Path, error: &TraceError) -> Error {
    let message = format!("the journal in `{}` cannot be read", run.display());
    let diagnostic = Diagnostic::error("recover::broken", message).with_note(plain_words(error));
    Error::failed(diagnostic.help("run the system again"))
}

fn no_room(folder: &RunFolder, error: &TraceError) -> Error {
    // It cannot be read, and takes room.
    let _ = std::fs::remove_file(folder.file(folder::TRACE));
    let message = format!("the trace in `{}` could not be written", folder.path().display());
    let diagnostic = Diagnostic::error("recover::no-room", message).with_note(plain_words(error));
    let help = "what was recorded is kept: make room on the disk and try again";
    Error::failed(diagnostic.help(help))
}
