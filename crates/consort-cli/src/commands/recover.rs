//! `consort recover DIR`: makes a record of what a run left that was killed.

use crate::cli::RecoverArgs;
use crate::outcome::{CommandError, CommandResult, Exit, said};
use crate::output::diagnostics::plural;
use crate::output::folder::{self, RunFolder};
use crate::output::manifest::{self, Manifest};
use crate::output::printer::Printer;
use crate::output::recorder::TraceFiles;
use crate::output::torn::Torn;
use crate::spread::merge::Merged;
use consort_core::{Diagnostic, Tag};
use consort_engine::{Statistics, Summary};
use consort_trace::{Standing, TraceError};
use consort_view::numbers::short;
use serde_json::Value;
use std::path::Path;

/// Makes the record, and takes away what it was made of.
pub(crate) fn execute(args: &RecoverArgs, printer: &Printer) -> CommandResult {
    let folder = RunFolder::at(&args.run);
    if let Ok(manifest) = Manifest::read(&args.run)
        && manifest.is_whole()
    {
        folder.remove_journal();
        printer.say(&format!("`{}` is whole: there is nothing to recover", args.run.display()));
        return Ok(Exit::Done);
    }
    let Some(torn) = Torn::of(&folder) else { return Err(nothing(&args.run)) };
    let _log = folder.lock()?;
    let unreadable = |error: TraceError| broken(&args.run, &error);
    let Some((cut, standings)) = torn.standings().map_err(unreadable)? else {
        return Err(nothing(&args.run));
    };
    let mut about = torn.about().map_err(unreadable)?;
    let merged = torn
        .journals()
        .and_then(|journals| Merged::new(journals, &|name| torn.rank(name), Some(cut)));
    let Some(merged) = merged.map_err(unreadable)? else { return Err(nothing(&args.run)) };
    let resolution = merged.resolution();
    let (columns, written) = merged.write(files(&about["options"], &folder));
    if let Some(error) = written.failure {
        return Err(no_room(&folder, &error));
    }
    let summary = summary(&standings, &about);
    let recorded = manifest::recorded(written.rows, &columns, written.check_sum.as_deref());
    manifest::cut(&mut about, (cut, &summary), resolution, recorded);
    manifest::write(&folder.file(folder::MANIFEST), &about)?;
    torn.remove(&folder);
    let until = short(resolution.to_f64(summary.tag.time));
    let rows = plural(written.rows, "row");
    printer.data(format!("recovered: {rows} up to {until} s; trace {}\n", summary.trace_hash))?;
    say_how_to_go_on(&args.run, printer);
    Ok(Exit::Done)
}

/// The run as it stood where it is cut.
fn summary(standings: &[Standing], about: &Value) -> Summary {
    let (mut hashes, mut statistics) = (Vec::new(), Statistics::default());
    for standing in standings {
        hashes.extend_from_slice(&standing.hashes);
        let counts = standing.counts.as_slice().try_into().unwrap_or_default();
        statistics.add(&Statistics::default().with_counts(counts));
    }
    let components = about["statistics"]["components"].as_u64();
    statistics.components = components.and_then(|count| count.try_into().ok()).unwrap_or(0);
    let tag = standings.iter().map(|standing| standing.tag).max().unwrap_or(Tag::default());
    Summary::new(tag, hashes, statistics, Vec::new())
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

fn say_how_to_go_on(run: &Path, printer: &Printer) {
    let Ok(manifest) = Manifest::read(run) else { return };
    if let Some(file) = manifest.last_save() {
        let file = crate::options::quoted(&file.display().to_string());
        printer.say(&format!("go on from the last snapshot with `consort run --resume {file}`"));
    }
}

fn nothing(run: &Path) -> CommandError {
    let message = format!("`{}` holds no rows of a run that was killed", run.display());
    let diagnostic = Diagnostic::error("recover::nothing", message);
    let help =
        "name the folder of a run that was killed; with `--no-journal` there is nothing left of it";
    CommandError::failed(diagnostic.help(help))
}

fn broken(run: &Path, error: &TraceError) -> CommandError {
    let message = format!("the journal in `{}` cannot be read", run.display());
    let diagnostic = Diagnostic::error("recover::broken", message).with_note(said(error));
    CommandError::failed(diagnostic.help("run the system again"))
}

fn no_room(folder: &RunFolder, error: &TraceError) -> CommandError {
    // It cannot be read, and takes room.
    let _ = std::fs::remove_file(folder.file(folder::TRACE));
    let message = format!("the trace in `{}` could not be written", folder.path().display());
    let diagnostic = Diagnostic::error("recover::no-room", message).with_note(said(error));
    let help = "what was recorded is kept: make room on the disk and try again";
    CommandError::failed(diagnostic.help(help))
}
