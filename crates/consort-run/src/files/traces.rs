//! Traces that were recorded: found, read, and made ready to be drawn.

use super::folder::{JOURNAL, TRACE, TRACE_CSV};
use super::manifest::Manifest;
use super::recorder::check_sum;
use crate::error::Error;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Resolution};
use consort_trace::{
    Column, CsvOptions, CsvWriter, McapWriter, ParquetWriter, Schema, Trace, TraceError, read_csv,
    read_journal, read_parquet,
};
use consort_view::plot;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most variables that are named to who asks for one that is not there.
const NAMED_MAX: usize = 10;

/// The file that holds the trace of a run's folder, or the file itself.
pub fn file_of(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    // The rows of a run that was killed are in its journal; its other files are cut off.
    let files = [path.join(JOURNAL), path.join(TRACE), path.join(TRACE_CSV)];
    files.into_iter().find(|file| file.exists()).unwrap_or(path.join(TRACE))
}

/// Whether a file is CSV, by its name.
pub fn is_csv(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

/// Checks that the trace in a run's folder, or this file in it, is the one that was recorded. What is no
/// `trace.parquet` beside a manifest is not known.
///
/// # Errors
/// If it was changed or cut.
pub fn verify(path: &Path) -> Result<(), Error> {
    let file = file_of(path);
    let is_recorded = file.file_name().is_some_and(|name| name == TRACE) && file.exists();
    let manifest = file.parent().filter(|_| is_recorded).and_then(|it| Manifest::read(it).ok());
    let Some(expected) = manifest.as_ref().and_then(Manifest::check_sum) else { return Ok(()) };
    let found = check_sum(&file).map_err(|error| Error::unreadable(&file, &error))?;
    if found == expected {
        return Ok(());
    }
    let message = format!("`{}` was changed or cut after it was recorded", file.display());
    let note = format!("its checksum is {found}, in the manifest {expected}");
    let help = "bring back the file, or make it again with `consort replay` and `--out DIR`; to use it as it \
                is, copy it to another folder";
    let diagnostic = Diagnostic::error("cli::trace-changed", message).with_note(note);
    Err(Error::failed(diagnostic.help(help)))
}

/// Reads a trace; times of CSV become ticks of `resolution`.
///
/// # Errors
/// If there is no trace, or it cannot be read.
pub fn read(path: &Path, resolution: Resolution) -> Result<Trace, Error> {
    let file = file_of(path);
    if path.is_dir() && !file.exists() {
        let message = format!("`{}` holds no trace", path.display());
        let diagnostic = Diagnostic::error("cli::no-trace", message);
        let help = "run it without `--no-record`, or name a `.parquet` or `.csv` file";
        return Err(Error::failed(diagnostic.help(help)));
    }
    let trace = if is_csv(&file) {
        let bytes = std::fs::read(&file).map_err(|error| Error::unreadable(&file, &error))?;
        let delimiter = delimiter(&bytes);
        let options =
            CsvOptions { resolution, text_columns: true, delimiter, ..CsvOptions::default() };
        read_csv(&bytes, &options)
    } else {
        let opened = File::open(&file).map_err(|error| Error::unreadable(&file, &error))?;
        match file.extension().is_some_and(|ending| ending == "journal") {
            true => read_journal(BufReader::new(opened)),
            false => read_parquet(opened),
        }
    };
    trace.map_err(|error| unreadable(&file, &error))
}

/// Reads a trace to be compared with another: CSV is understood in the other's types and ticks if
/// it has the same columns.
///
/// # Errors
/// If there is no trace, or it cannot be read.
pub fn read_like(path: &Path, schema: &Arc<Schema>) -> Result<Trace, Error> {
    let file = file_of(path);
    if is_csv(&file)
        && let Ok(bytes) = std::fs::read(&file)
    {
        let (schema, delimiter) = (Some(Arc::clone(schema)), delimiter(&bytes));
        let options = CsvOptions { schema, delimiter, ..CsvOptions::default() };
        if let Ok(trace) = read_csv(&bytes, &options) {
            return Ok(trace);
        }
    }
    read(path, schema.resolution())
}

/// The trace with the names of another where it has plain ones: its `level` is the other's `tank.level` if no other
/// variable there ends so.
pub fn with_names_of(trace: Trace, other: &Trace) -> Trace {
    let paths: Vec<&str> = other.schema().columns().iter().map(Column::path).collect();
    let own: Vec<&str> = trace.schema().columns().iter().map(Column::path).collect();
    let full = |name: &str| {
        let is_it = |path: &&&str| path.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
        let mut found = paths.iter().filter(is_it);
        let first = found.next().filter(|path| found.next().is_none() && !own.contains(path))?;
        Some((name.to_owned(), (*first).to_owned()))
    };
    let plain = own.iter().filter(|name| !paths.contains(name));
    let names: BTreeMap<String, String> = plain.filter_map(|name| full(name)).collect();
    // Two plain names of one variable stay as they are.
    let unnamed = trace.clone();
    trace.renamed(&names).unwrap_or(unnamed)
}

/// What stands between the cells of a table, by its first line: a comma, else a semicolon or a tab.
fn delimiter(bytes: &[u8]) -> u8 {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let found = [b',', b';', b'\t'].into_iter().find(|sign| bytes[..end].contains(sign));
    found.unwrap_or(b',')
}

/// Writes a trace into a file: Parquet, CSV or MCAP, by its ending.
///
/// # Errors
/// If the ending is another one, or the file cannot be written.
pub fn write(trace: &Trace, path: &Path) -> Result<(), Error> {
    let ending = path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase());
    let ending = ending.unwrap_or_default();
    if !["parquet", "csv", "mcap"].contains(&ending.as_str()) {
        let message = format!("`{}` is no name of a trace", path.display());
        let diagnostic = Diagnostic::error("cli::bad-trace", message);
        return Err(Error::invalid(diagnostic.help("end it in `.parquet`, `.csv` or `.mcap`")));
    }
    let file = File::create(path).map_err(|error| Error::unwritable(path, &error))?;
    let (file, schema) = (BufWriter::new(file), trace.schema());
    let written = match ending.as_str() {
        "parquet" => ParquetWriter::new(file, schema).and_then(|mut to| trace.write_to(&mut to)),
        "csv" => CsvWriter::new(file, schema).and_then(|mut to| trace.write_to(&mut to)),
        _ => McapWriter::new(file, schema).and_then(|mut to| trace.write_to(&mut to)),
    };
    written.map_err(|error| {
        let message = format!("`{}` could not be written", path.display());
        let diagnostic = Diagnostic::error("cli::write-failed", message);
        Error::failed(diagnostic.with_note(error.to_string()).help("is there room on the disk?"))
    })
}

fn unreadable(file: &Path, error: &TraceError) -> Error {
    let message = format!("`{}` cannot be read as a trace", file.display());
    let diagnostic = Diagnostic::error("cli::bad-trace", message).with_note(error.to_string());
    Error::failed(diagnostic.help("name the folder of a run, or a trace: `.parquet`, `.csv`"))
}

/// Checks that each pattern matches something that can be drawn in one of some traces.
///
/// # Errors
/// If one matches nothing.
pub fn require(traces: &[&Trace], patterns: &[String]) -> Result<(), Error> {
    let mut report = consort_core::Report::default();
    let names = traces.iter().flat_map(|trace| trace.schema().columns()).map(Column::path);
    for pattern in patterns.iter().filter(|pattern| !traces.iter().any(|it| has(it, pattern))) {
        let message = format!("no recorded numeric variable matches `{pattern}`");
        let mut diagnostic = Diagnostic::error("cli::unknown-variable", message);
        diagnostic = match nearest_name(pattern, names.clone()) {
            Some(name) => diagnostic.help(format!("did you mean `{name}`?")),
            None => diagnostic.with_note(format!("recorded are {}", some_of(names.clone()))),
        };
        report.push(diagnostic);
    }
    if report.has_errors() {
        return Err(Error::Failed { report });
    }
    Ok(())
}

/// Whether a pattern matches something in a trace that can be drawn.
pub fn has(trace: &Trace, pattern: &str) -> bool {
    !plot::columns(trace, &[pattern.to_owned()], &plot::Signals::default()).is_empty()
}

/// `` `a.x`, `a.y` and 3 more ``.
fn some_of<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let named: Vec<String> =
        names.clone().take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
    match names.count() - named.len() {
        0 if named.is_empty() => "no variables".to_owned(),
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
