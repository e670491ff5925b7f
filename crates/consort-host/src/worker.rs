//! A live worker as the host sees it: a process, the channel to it, and its output.

use super::HostOptions;
use super::channel::{Channel, PART_BYTES};
use super::output::{OUTPUT_MAX, Output};
use super::process::{Process, ProcessEnd};
use super::protocol::{
    DONE, FAILED, Family, Op, Place, Reader, Writer, read_error, read_log_entry, read_references,
    read_type,
};
use super::scratch::Folder;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, LogEntry, LogLevel, LogSink, LongWait, Step, ValueType};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How many of the last lines an error carries.
const RECENT_MAX: usize = 10;

/// A live process and the channel to it. A provider that restores a copy of a process replaces the
/// worker.
pub(crate) struct Worker {
    // The process ends before what it uses is given back.
    process: Process,
    channel: Channel,
    shared: Arc<Shared>,
    /// How it ended, if it has.
    gone: Option<String>,
    /// What a call returns then, from the reason.
    gone_as: fn(String) -> CallStatus,
    recent: VecDeque<String>,
    /// The step that is being done, for messages.
    step: Option<Step>,
    round_trips: u64,
    failures: u64,
    /// When its next wait is reported: a model whose every step takes long does not fill the log.
    long_wait: LongWait,
}

/// What a worker and its copies have in common.
pub(crate) struct Shared {
    component: String,
    log: LogSink,
    family: Family,
    silence: Duration,
    output: Output,
    _folder: Folder,
}

impl Worker {
    /// Starts a process that has nothing loaded yet.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub(crate) fn start(
        options: &HostOptions,
        elsewhere: bool,
        component: &str,
        log: LogSink,
        family: Family,
    ) -> io::Result<Worker> {
        let (channel, output) = (Channel::create()?, Output::create()?);
        let folder = Folder::create(&options.scratch)?;
        let process = Process::start(options, elsewhere, &channel, &output, folder.path())?;
        let shared = Shared {
            component: component.to_owned(),
            log,
            family,
            silence: options.limits.silence,
            output,
            _folder: folder,
        };
        Ok(Self::new(process, channel, Arc::new(shared)))
    }

    fn new(process: Process, channel: Channel, shared: Arc<Shared>) -> Worker {
        let recent = VecDeque::new();
        Worker {
            process,
            channel,
            shared,
            gone: None,
            gone_as: CallStatus::Gone,
            recent,
            step: None,
            round_trips: 0,
            failures: 0,
            long_wait: LongWait::default(),
        }
    }

    /// A copy of this worker that was made by itself: another process with another slot.
    pub(crate) fn copy(&self, pid: libc::pid_t, channel: Channel) -> Worker {
        Self::new(Process::adopt(pid), channel, Arc::clone(&self.shared))
    }

    pub(crate) fn pid(&self) -> libc::pid_t {
        self.process.pid()
    }

    /// The memory shared with the worker.
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Whether nothing can be asked any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.is_some()
    }

    /// How often something was asked that failed.
    pub(crate) fn failures(&self) -> u64 {
        self.failures
    }

    /// The number of commands sent.
    pub(crate) fn round_trips(&self) -> u64 {
        self.round_trips
    }

    /// Adds a line to the log of the component.
    pub(crate) fn log(&self, level: LogLevel, message: String) {
        let (component, category) = (self.shared.component.clone(), "consort".to_owned());
        (self.shared.log)(&LogEntry { component, level, category, message });
    }

    /// The step that the next command does, for messages.
    pub(crate) fn note_step(&mut self, step: &Step) {
        self.step = Some(*step);
    }

    /// One round trip: asks, waits, and gives what was answered.
    ///
    /// # Errors
    /// If the call failed in the worker, or the worker did not survive it.
    pub(crate) fn ask(
        &mut self,
        op: Op,
        fill: impl FnOnce(&mut Writer<'_>),
    ) -> CallResult<Reader<'_>> {
        let mut writer = Place::writer(self.channel.command_place());
        writer.word32(op as u32);
        fill(&mut writer);
        let length = writer.sink().length();
        let length = length.ok_or_else(|| too_large(op.name(self.shared.family)))?;
        self.channel.header().command_bytes.store(length as u64, Ordering::Relaxed);
        self.exchange(op)
    }

    /// Asks again what was asked before, here or of another worker.
    ///
    /// # Errors
    /// As [`Worker::ask`].
    pub(crate) fn repeat(&mut self, command: &[u8]) -> CallResult<Reader<'_>> {
        let op = Reader::bare(command).word32().ok().and_then(Op::from_code);
        let op = op.filter(|_| command.len() <= PART_BYTES);
        let op = op.expect("a command that was sent before can be sent again");
        self.channel.command_place()[..command.len()].copy_from_slice(command);
        self.channel.header().command_bytes.store(command.len() as u64, Ordering::Relaxed);
        self.exchange(op)
    }

    /// How long the instance took for the last command, without the way there.
    pub(crate) fn call_time(&self) -> Duration {
        Duration::from_nanos(self.channel.header().call_time.load(Ordering::Relaxed))
    }

    /// The command that was sent last.
    pub(crate) fn command(&self) -> &[u8] {
        self.channel.command()
    }

    /// The reply to it.
    pub(crate) fn reply(&self) -> &[u8] {
        self.channel.reply()
    }

    fn exchange(&mut self, op: Op) -> CallResult<Reader<'_>> {
        if self.gone.is_some() {
            return Err(self.gone(op));
        }
        self.round_trips += 1;
        self.process.follow_core();
        self.channel.header().stage.store(op as u32, Ordering::Relaxed);
        self.channel.ask();
        if let Err(what) = self.wait(op) {
            self.gone = Some(what);
            self.forward_output();
            return Err(self.gone(op));
        }
        self.step = None;
        self.take_output_if_due(op);
        let is_done = self.channel.reply().first() == Some(&DONE);
        if !is_done {
            return Err(self.failure(op));
        }
        Ok(Reader::bare(&self.channel.reply()[1..]))
    }

    /// The error of a call that failed.
    #[cold]
    fn failure(&mut self, op: Op) -> Box<CallError> {
        self.failures += 1;
        self.forward_output();
        let mut reader = Reader::bare(self.channel.reply());
        let error = match reader.byte() {
            Ok(FAILED) => read_error(&mut reader).ok(),
            _ => None,
        };
        error.unwrap_or_else(|| self.invalid_reply(op))
    }

    /// The error of an invalid reply: the model has written to memory that is not its own.
    #[cold]
    pub(crate) fn invalid_reply(&mut self, op: Op) -> Box<CallError> {
        self.process.end();
        self.gone = Some("it overwrote the memory shared with its host process".to_owned());
        self.forward_output();
        self.gone(op)
    }

    /// Ends the process, whose state is invalid, with the reason.
    pub(crate) fn abandon(&mut self, reason: String) {
        self.process.end();
        self.gone = Some(reason);
    }

    /// Waits for an answer.
    fn wait(&mut self, op: Op) -> Result<(), String> {
        // A worker that ends does not wake its host: the process is polled, soon at first.
        let mut nap = Duration::from_millis(2);
        if self.channel.wait_for_answer(nap) {
            return Ok(());
        }
        let begin = Instant::now();
        loop {
            if let Some(ending) = self.process.poll() {
                if ending.is_from_outside() {
                    self.gone_as = CallStatus::Killed;
                }
                return Err(ending.to_string());
            }
            if self.shared.silence <= begin.elapsed() {
                self.process.end();
                self.gone_as = CallStatus::NoAnswer;
                return Err(format!("no answer for {} s", self.shared.silence.as_secs_f64()));
            }
            if self.long_wait.is_due(begin.elapsed()) {
                self.report_wait(op, begin.elapsed());
            }
            if OUTPUT_MAX <= self.shared.output.length() {
                self.process.end();
                return Err(format!("it printed more than {} MiB in one call", OUTPUT_MAX >> 20));
            }
            nap = (2 * nap).min(Duration::from_millis(50)).min(self.shared.silence);
            if self.channel.wait_for_answer(nap) {
                return Ok(());
            }
        }
    }

    #[cold]
    fn report_wait(&self, op: Op, waited: Duration) {
        let call = op.name_for(self.shared.family, access(self.channel.command()));
        (self.shared.log)(&LogEntry::wait(&self.shared.component, call, waited));
    }

    #[cold]
    fn gone(&self, op: Op) -> Box<CallError> {
        let what = self.gone.clone().unwrap_or_default();
        let stage = self.channel.header().stage.load(Ordering::Relaxed);
        let op = Op::from_code(stage).filter(|_| op == Op::RunSteps).unwrap_or(op);
        let value_type = access(self.channel.command());
        let arguments = match self.step {
            Some(step) => format!("t = {}, h = {}", step.start, step.length),
            None => String::new(),
        };
        let call = op.name_for(self.shared.family, value_type);
        let log = self.recent.iter().cloned().collect();
        let status = (self.gone_as)(what);
        Box::new(CallError { call, arguments, status, log })
    }

    /// Printing is rare and costs a look at a file: output is forwarded after rare calls.
    fn take_output_if_due(&mut self, op: Op) {
        let is_often = matches!(op, Op::Set | Op::Get | Op::Step | Op::RunSteps);
        if !is_often || self.round_trips.is_multiple_of(64) {
            self.forward_output();
        } else if self.channel.has_log() {
            self.forward_log();
        }
    }

    /// Forwards log and output of the worker.
    pub(crate) fn forward_output(&mut self) {
        self.forward_log();
        let (shared, recent) = (&*self.shared, &mut self.recent);
        shared.output.take(|line| {
            let (category, message) = ("output".to_owned(), line.to_owned());
            let (component, level) = (shared.component.clone(), LogLevel::Info);
            pass_on(&LogEntry { component, level, category, message }, &shared.log, recent);
        });
    }

    fn forward_log(&mut self) {
        let (shared, recent) = (&*self.shared, &mut self.recent);
        let log = self.channel.take_log();
        let mut reader = Reader::bare(&log);
        while !reader.rest().is_empty() {
            let Ok(entry) = read_log_entry(&mut reader, &shared.component) else { break };
            pass_on(&entry, &shared.log, recent);
        }
        let lost = self.channel.header().log_lost.swap(0, Ordering::Relaxed);
        if 0 < lost {
            let message = format!("{lost} log lines of one call are lost: the log buffer was full");
            self.log(LogLevel::Warning, message);
        }
    }

    /// Frees the instance and ends the process.
    fn leave(&mut self) {
        if self.gone.is_none() && self.process.poll().is_none() {
            let freed = self.ask(Op::Free, |_| ()).err();
            if let Some(error) = freed {
                self.log(LogLevel::Error, error.to_string());
            }
        }
        self.forward_output();
    }

    /// Ends the process at once: it is a copy that is not needed any more.
    pub(crate) fn end(mut self) -> ProcessEnd {
        self.gone = Some("it was ended".to_owned());
        self.process.end()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.gone.is_none() {
            self.leave();
        }
    }
}

fn pass_on(entry: &LogEntry, log: &LogSink, recent: &mut VecDeque<String>) {
    if recent.len() == RECENT_MAX {
        recent.pop_front();
    }
    recent.push_back(match entry.category.as_str() {
        "" => entry.message.clone(),
        category => format!("[{category}] {}", entry.message),
    });
    log(entry);
}

/// The type of the values that a command is about.
fn access(command: &[u8]) -> ValueType {
    let mut command = Reader::bare(command);
    let is_access = command.word32().ok().and_then(Op::from_code);
    let is_access = is_access.filter(|op| matches!(op, Op::Set | Op::Get | Op::ReadBack));
    let found = is_access.and_then(|_| {
        read_references(&mut command, &mut Vec::new()).ok()?;
        read_type(&mut command).ok()
    });
    // Whole steps are about numbers.
    found.unwrap_or(ValueType::Float64)
}

#[cold]
fn too_large(call: &'static str) -> Box<CallError> {
    let reason = format!("a worker takes at most {} MiB in one call", PART_BYTES >> 20);
    CallError::new(call, CallStatus::Refused(reason))
}
