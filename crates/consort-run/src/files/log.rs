//! `log.jsonl`: what models said and the engine did, one JSON object per line.
//!
//! Lines are held back until the run has started, so that a run that never starts leaves no file.

use crate::monitor::{Monitor, Silent};
use consort_core::{LogEntry, LogLevel, LogSink, Step, StepOutcome, StepReason};
use consort_engine::CallSink;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex};

/// The most lines that are held back; an FMU may talk without end.
const HELD_MAX: usize = 100_000;

/// Where a run's log goes.
pub struct Log {
    state: Mutex<LogState>,
    /// Receives the lines as well.
    monitor: Arc<dyn Monitor>,
}

#[derive(Debug)]
struct LogState {
    target: LogTarget,
    warnings: u64,
    errors: u64,
    failure: Option<io::Error>,
}

#[derive(Debug)]
enum LogTarget {
    /// Kept until it is known whether there is a file.
    Held(Vec<String>),
    File(BufWriter<File>),
    Nowhere,
}

impl Log {
    /// A log that holds its lines back until there is a file; the monitor receives them at once.
    pub fn held(monitor: &Arc<dyn Monitor>) -> Arc<Self> {
        Self::new(LogTarget::Held(Vec::new()), Arc::clone(monitor))
    }

    /// A log that keeps nothing.
    pub fn nowhere(monitor: &Arc<dyn Monitor>) -> Arc<Self> {
        Self::new(LogTarget::Nowhere, Arc::clone(monitor))
    }

    /// A log that holds its lines back, and reports nothing.
    pub fn silent() -> Arc<Self> {
        Self::new(LogTarget::Held(Vec::new()), Arc::new(Silent))
    }

    fn new(target: LogTarget, monitor: Arc<dyn Monitor>) -> Arc<Self> {
        let state = LogState { target, warnings: 0, errors: 0, failure: None };
        Arc::new(Log { state: Mutex::new(state), monitor })
    }

    /// Writes the lines held back, and all to come, to a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(&self, file: File) -> io::Result<()> {
        let mut file = BufWriter::new(file);
        let mut state = self.state.lock().expect("no writer panics");
        if let LogTarget::Held(lines) = &state.target {
            lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
        }
        state.target = LogTarget::File(file);
        Ok(())
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// If any line could not be written.
    pub fn close(&self) -> io::Result<()> {
        let mut state = self.state.lock().expect("no writer panics");
        let flushed = match &mut state.target {
            LogTarget::File(file) => file.flush(),
            _ => Ok(()),
        };
        state.failure.take().map_or(flushed, Err)
    }

    /// The sink for the messages of instances.
    pub fn sink(self: &Arc<Self>) -> LogSink {
        let log = Arc::clone(self);
        Arc::new(move |entry: &LogEntry| log.entry(entry))
    }

    /// How many warnings and errors the models logged.
    pub fn counts(&self) -> (u64, u64) {
        let state = self.state.lock().expect("no writer panics");
        (state.warnings, state.errors)
    }

    /// Writes an event of our own.
    pub fn event(&self, event: &Value) {
        self.state.lock().expect("no writer panics").write(event.to_string());
    }

    /// Writes what is waited for, to be seen while it is.
    pub fn wait(&self, event: &Value) {
        let mut state = self.state.lock().expect("no writer panics");
        state.write(event.to_string());
        state.flush();
    }

    fn entry(&self, entry: &LogEntry) {
        let level = match entry.level {
            LogLevel::Info => "info",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
        };
        let is_wait = entry.category == LogEntry::WAIT;
        self.monitor.log(entry);
        let line = json!({
            "event": "log",
            "component": entry.component,
            "level": level,
            "category": entry.category,
            "message": entry.message,
        });
        let mut state = self.state.lock().expect("no writer panics");
        state.warnings += u64::from(entry.level == LogLevel::Warning);
        state.errors += u64::from(entry.level == LogLevel::Error);
        state.write(line.to_string());
        if entry.level != LogLevel::Info || is_wait {
            state.flush();
        }
    }
}

impl LogState {
    fn write(&mut self, line: String) {
        match &mut self.target {
            LogTarget::Held(lines) if lines.len() < HELD_MAX => lines.push(line),
            LogTarget::Held(_) | LogTarget::Nowhere => {}
            LogTarget::File(file) => {
                let written = writeln!(file, "{line}");
                self.keep(written);
            }
        }
    }

    /// What warns of trouble should be on disk before the trouble comes.
    fn flush(&mut self) {
        if let LogTarget::File(file) = &mut self.target {
            let flushed = file.flush();
            self.keep(flushed);
        }
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }
}

/// Writes every call that moves time, exactly: what another tool needs to make the same calls.
pub struct CallLog {
    log: Arc<Log>,
}

impl CallLog {
    /// Logs calls to `log`.
    pub fn new(log: &Arc<Log>) -> Self {
        CallLog { log: Arc::clone(log) }
    }
}

impl CallSink for CallLog {
    fn step(&mut self, component: &str, step: &Step, outcome: &StepOutcome) {
        let line = call_line(component, step, outcome);
        self.log.state.lock().expect("no writer panics").write(line);
    }
}

fn call_line(component: &str, step: &Step, outcome: &StepOutcome) -> String {
    let mut line = json!({
        "event": "step",
        "component": component,
        "t": step.start,
        "h": step.length,
        "t_bits": format!("{:#018x}", step.start.to_bits()),
        "h_bits": format!("{:#018x}", step.length.to_bits()),
    });
    let reason = match outcome.reason {
        StepReason::Complete => return line.to_string(),
        StepReason::EarlyReturn => "early return",
        StepReason::Event => "event",
        StepReason::Discard => "discard",
        StepReason::Terminate => "terminate",
    };
    line["reason"] = reason.into();
    line["reached_tick"] = outcome.reached.ticks().into();
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{Tag, Time};

    fn plain_words(level: LogLevel, message: &str) -> LogEntry {
        LogEntry {
            component: "tank".to_owned(),
            level,
            category: "logAll".to_owned(),
            message: message.to_owned(),
        }
    }

    #[test]
    fn lines_are_held_until_there_is_a_file() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("log.jsonl");
        let log = Log::silent();
        let sink = log.sink();
        sink(&plain_words(LogLevel::Info, "hello"));
        log.open(File::create(&path).unwrap()).unwrap();
        sink(&plain_words(LogLevel::Warning, "line\nbreak"));
        log.event(&json!({"event": "note"}));
        log.close().unwrap();
        assert_eq!(log.counts(), (1, 0));
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0]["message"], "hello");
        assert_eq!(lines[1]["message"], "line\nbreak");
    }

    #[test]
    fn the_call_log_has_every_bit() {
        let step = Step {
            from: Tag::at(Time::ZERO),
            to: Time::from_ticks(1),
            start: 0.1,
            length: 1.0 / 3.0,
        };
        assert_eq!(
            call_line("tank", &step, &StepOutcome::complete(&step)),
            "{\"event\":\"step\",\"component\":\"tank\",\"t\":0.1,\"h\":0.3333333333333333,\
             \"t_bits\":\"0x3fb999999999999a\",\"h_bits\":\"0x3fd5555555555555\"}"
        );
        let early = StepOutcome {
            reached: Time::from_ticks(1),
            stopped_at: None,
            reason: StepReason::EarlyReturn,
            next_event: None,
        };
        assert!(call_line("tank", &step, &early).contains("\"reason\":\"early return\""));
    }
}
