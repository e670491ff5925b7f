//! `manifest.json`: what was run, with which files and options, on which machine, and its hashes.
//!
//! Everything in it but `timing` is the same for the same run; keys keep their order.

use super::folder::RunFolder;
use super::killed::KilledRun;
use crate::error::{Error, plain_words};
use crate::paths;
use crate::prepared::InputHash;
use consort_core::{Diagnostic, HashMode, Resolution, Tag, Time};
use consort_engine::Summary;
use consort_view::plot::Signals;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The format of the manifest.
pub(crate) const FORMAT: &str = "consort-run 1";

/// How many bytes the end of a manifest takes, at least and per column.
const ROOM: usize = 1 << 16;
const ROOM_PER_COLUMN: usize = 256;

/// The end of a run that was killed: a manifest of its beginning becomes one of what is left.
pub fn cut(
    about: &mut Value,
    cut: Tag,
    summary: &Summary,
    resolution: Resolution,
    recorded: Value,
) {
    about["trace_hash"] = json!(summary.trace_hash.to_string());
    about["hashes"] = super::hashes::to_json(summary).into();
    about["recorded"] = recorded;
    about["exit"] = json!({
        "state": "failed",
        "time": resolution.to_f64(summary.tag.time),
        "tick": summary.tag.time.ticks(),
        "microstep": summary.tag.microstep,
        "error": "the run was killed, or there was no room for its trace",
        "is_cut_short": true,
    });
    about["statistics"]["tags"] = json!(summary.statistics.tags);
    let is_done = |save: &Value| save["tick"].as_i64().is_some_and(|tick| tick <= cut.time.ticks());
    if let Some(saved) = about["saved"].as_array_mut() {
        saved.retain(is_done);
    }
}

/// What the trace hash of a recorded run is made of; records of older versions do not say it.
pub fn hash_mode(about: &Value) -> HashMode {
    let name = about["experiment"]["hash"].as_str();
    name.and_then(HashMode::from_name).unwrap_or_default()
}

/// Refuses to compare two runs whose trace hashes are not made of the same variables.
///
/// # Errors
/// If they are of different modes; `help` says what to do.
pub fn check_modes(before: HashMode, now: HashMode, help: &str) -> Result<(), Error> {
    if before == now {
        return Ok(());
    }
    let message =
        format!("the trace hash of one run is of mode `{before}`, that of the other of `{now}`");
    Err(Error::failed(Diagnostic::error("cli::hash-modes", message).help(help)))
}

/// What came to the disk. A checksum shows that `trace.parquet` is complete.
pub fn recorded(rows: u64, columns: &[String], check_sum: Option<&str>) -> Value {
    json!({ "rows": rows, "columns": columns, "check_sum": check_sum })
}

/// A manifest that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Manifest {
    /// The path of the file.
    pub path: PathBuf,
    value: Value,
}

impl Manifest {
    /// Reads the manifest of a run's folder, or the file itself.
    ///
    /// # Errors
    /// If there is no file, or it is not a manifest.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = if path.is_dir() { path.join(super::folder::MANIFEST) } else { path.to_owned() };
        let text = std::fs::read_to_string(&file).map_err(|error| no_manifest(path, &error))?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if value["format"] != FORMAT {
            let message = format!("`{}` is not the manifest of a run", file.display());
            let diagnostic = Diagnostic::error("cli::bad-manifest", message);
            return Err(Error::failed(
                diagnostic
                    .help(format!("a manifest of this version has `\"format\": \"{FORMAT}\"`")),
            ));
        }
        Ok(Manifest { path: file, value })
    }

    /// Where the system is, as it was typed and where it was typed.
    pub fn system_path(&self) -> PathBuf {
        paths::found_system(self.text(&["system", "folder"]), self.text(&["system", "path"]))
    }

    /// A path that was typed where the run was started: found there, or else from here.
    pub fn resolve(&self, path: &str) -> PathBuf {
        paths::found(self.text(&["system", "folder"]), path)
    }

    /// The name of the system.
    pub fn name(&self) -> &str {
        self.text(&["system", "name"])
    }

    /// The options of the run.
    pub fn options(&self) -> &Value {
        &self.value["options"]
    }

    /// The machine that the run was on.
    pub fn host(&self) -> &Value {
        &self.value["host"]
    }

    /// The version of Consort.
    pub fn version(&self) -> &str {
        self.text(&["version"])
    }

    /// The hash of the plan.
    pub fn plan_hash(&self) -> &str {
        self.text(&["plan_hash"])
    }

    /// The check sum of `trace.parquet`, if that is whole.
    pub fn check_sum(&self) -> Option<&str> {
        self.value["recorded"]["check_sum"].as_str()
    }

    /// What to resume from, if the run was saved: the last file that was to be written.
    pub fn last_save(&self) -> Option<PathBuf> {
        let files = self.options()["save"].as_array()?.iter().filter_map(Value::as_str);
        files.map(|file| self.resolve(file)).rfind(|file| file.exists())
    }

    /// Whether everything that was to be recorded is in the record.
    pub fn is_whole(&self) -> bool {
        self.check_sum().is_some() || self.options()["no_record"] == true
    }

    /// What the trace hash is made of; records of older versions do not say it.
    pub fn hash_mode(&self) -> HashMode {
        hash_mode(&self.value)
    }

    /// The hash of the whole trace.
    pub fn trace_hash(&self) -> &str {
        self.text(&["trace_hash"])
    }

    /// Path and hash of the file it was resumed from, if it was.
    pub fn resumed_from(&self) -> Option<(PathBuf, &str)> {
        let from = self.value.get("resumed_from")?;
        let path = self.resolve(from["path"].as_str().unwrap_or_default());
        Some((path, from["sha256"].as_str().unwrap_or_default()))
    }

    /// Whether it was to be saved.
    pub fn has_saved(&self) -> bool {
        self.options()["save"].as_array().is_some_and(|files| !files.is_empty())
    }

    /// The times of its saves, in ticks.
    pub fn save_points(&self) -> Vec<Time> {
        let saved = self.value["saved"].as_array().into_iter().flatten();
        saved.filter_map(|saved| saved["tick"].as_i64()).map(Time::from_ticks).collect()
    }

    /// How the run ended.
    pub fn state(&self) -> &str {
        self.text(&["exit", "state"])
    }

    /// The tick at which it ended.
    pub fn end_tick(&self) -> i64 {
        self.value["exit"]["tick"].as_i64().unwrap_or(i64::MAX)
    }

    /// Where the run ended, if the user, a full disk or the loss of a node ended it and not the run itself.
    pub fn cut_short_at(&self) -> Option<Time> {
        let exit = &self.value["exit"];
        let is_cut_short = match self.state() {
            "interrupted" => true,
            "failed" => exit["error"].is_null() || exit["is_cut_short"] == true,
            _ => false,
        };
        exit["tick"].as_i64().filter(|_| is_cut_short).map(Time::from_ticks)
    }

    /// The patterns of variables that the experiment plots.
    pub fn plot(&self) -> Vec<String> {
        let patterns = self.value["experiment"]["plot"].as_array();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        patterns.into_iter().flatten().filter_map(text).collect()
    }

    /// What the system says about its signals, for plots.
    pub fn signals(&self) -> Signals {
        Signals::from_json(&self.value["signals"])
    }

    /// Type and hash of every variable, by path.
    pub fn hashes(&self) -> Map<String, Value> {
        self.value["hashes"].as_object().cloned().unwrap_or_default()
    }

    /// The files that went into the run.
    pub fn inputs(&self) -> Vec<InputHash> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let input = |value: &Value| InputHash {
            path: text(&value["path"]),
            role: text(&value["role"]),
            sha256: text(&value["sha256"]),
        };
        self.value["inputs"].as_array().into_iter().flatten().map(input).collect()
    }

    fn text(&self, keys: &[&str]) -> &str {
        let value = keys.iter().fold(&self.value, |value, key| &value[*key]);
        value.as_str().unwrap_or_default()
    }
}

fn no_manifest(path: &Path, error: &std::io::Error) -> Error {
    if KilledRun::of(&RunFolder::at(path)).is_some() {
        let message = format!("`{}` is what is left of a run that was killed", path.display());
        let diagnostic = Diagnostic::error("cli::killed-run", message);
        let help = format!("make a record of it: `consort recover {}`", path.display());
        return Error::failed(diagnostic.help(help));
    }
    let message = format!("`{}` is not a run: {}", path.display(), plain_words(error));
    let diagnostic = Diagnostic::error("cli::no-manifest", message);
    Error::failed(diagnostic.help(
        "name a folder that `consort run` made, its `manifest.json`, \
         or a counter-example of `explore`",
    ))
}

/// Writes a manifest so that there is the whole of it or none.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, manifest: &Value) -> Result<(), Error> {
    let mut text = serde_json::to_string_pretty(manifest).expect("a JSON value is JSON");
    text.push('\n');
    let partial = path.with_file_name(super::folder::MANIFEST_PARTIAL);
    let written = std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        Error::unwritable(path, &error)
    })
}

/// Writes what is known of a run that begins where its manifest will be written, with as much room as that
/// will need: it is written also if the disk is full by then.
pub fn keep_room(folder: &RunFolder, about: &str, columns: usize) {
    let path = folder.file(super::folder::MANIFEST_PARTIAL);
    let mut text = about.as_bytes().to_vec();
    text.resize(2 * text.len() + columns * ROOM_PER_COLUMN + ROOM, b' ');
    // If there is no room now, writing the trace fails with the error.
    let _ = std::fs::write(&path, text);
}

/// What differs between two lists of files: changed, gone, new; by path.
pub fn changed_files(before: &[InputHash], now: &[InputHash]) -> Vec<String> {
    let same = |a: &InputHash, b: &InputHash| a.path == b.path && a.role == b.role;
    let mut changes = Vec::new();
    for old in before {
        match now.iter().find(|new| same(old, new)) {
            None => changes.push(format!("{} `{}` is gone", old.role, old.path)),
            Some(new) if new.sha256 != old.sha256 => {
                changes.push(format!("{} `{}` has changed", old.role, old.path));
            }
            Some(_) => {}
        }
    }
    let is_new = |new: &&InputHash| !before.iter().any(|old| same(old, new));
    changes
        .extend(now.iter().filter(is_new).map(|new| format!("{} `{}` is new", new.role, new.path)));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, sha256: &str) -> InputHash {
        InputHash { path: path.to_owned(), role: "fmu".to_owned(), sha256: sha256.to_owned() }
    }

    #[test]
    fn changed_files_are_named() {
        let before = [file("a.fmu", "1"), file("b.fmu", "2"), file("c.fmu", "3")];
        let now = [file("a.fmu", "1"), file("b.fmu", "9"), file("d.fmu", "4")];
        assert_eq!(
            changed_files(&before, &now),
            ["fmu `b.fmu` has changed", "fmu `c.fmu` is gone", "fmu `d.fmu` is new"]
        );
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        assert!(Manifest::read(temp.path()).is_err());
        let path = temp.path().join("manifest.json");
        for text in ["", "{}", "[1]", "{\"format\": 7}"] {
            std::fs::write(&path, text).unwrap();
            assert!(Manifest::read(&path).is_err(), "{text}");
        }
    }
}
