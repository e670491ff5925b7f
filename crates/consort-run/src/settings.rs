//! How a run is carried out, and what it leaves. Nothing here changes what it computes.

use consort_core::{Report, Seconds, Span};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a run is carried out, and which files it writes.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordSettings {
    /// How many threads compute; as many as the machine has cores if it is not given.
    pub workers: Option<usize>,
    /// How many simulated seconds pass per second; as fast as possible if it is not given.
    pub real_time: Option<f64>,
    /// Also writes `trace.csv`.
    pub csv: bool,
    /// Also writes `trace.mcap`.
    pub mcap: bool,
    /// Writes no trace; its hash is still computed.
    pub no_record: bool,
    /// Writes no journal: rows are lost if the process is killed.
    #[serde(skip)]
    pub no_journal: bool,
    /// Writes every step of every component to the log.
    pub log_calls: bool,
    /// Saves are not checked by restored twins.
    #[serde(skip)]
    pub no_verify: bool,
}

impl RecordSettings {
    /// The number of threads that compute.
    pub fn worker_count(&self) -> usize {
        self.workers.unwrap_or_else(available_workers)
    }
}

/// As many as the machine can run at once.
pub fn available_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// When a run is saved, and into which files.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct SaveRequest {
    /// The times, one for each file; a run is saved at its end without them.
    #[serde(rename = "save_at")]
    pub at: Vec<Seconds>,
    /// The files to write.
    #[serde(rename = "save")]
    pub files: Vec<PathBuf>,
    /// Saves to the one file again and again, after each of these.
    #[serde(rename = "save_every")]
    pub every: Option<Seconds>,
}

/// A text for an option that diagnostics can point into, and the place of its value in it.
pub fn option_source(option: &str, value: &str, report: &mut Report) -> Span {
    let text = format!("--{option} {value}");
    let start = text.len() - value.len();
    let range = start..text.len();
    Span::new(report.add_source("command line", text), range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_texts_and_read_back() {
        let request = SaveRequest {
            at: vec!["1/3".parse().unwrap(), "0.5".parse().unwrap()],
            files: vec!["a".into()],
            every: None,
        };
        let value = serde_json::to_value(&request).unwrap();
        assert_eq!(value["save_at"], serde_json::json!(["1/3", "0.5"]));
        assert_eq!(serde_json::from_value::<SaveRequest>(value).unwrap(), request);
        assert!(serde_json::from_str::<SaveRequest>("{\"save_every\": \"x\"}").is_err());
    }
}
