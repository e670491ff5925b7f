//! One child process.

use crate::{parent, spawner};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often a wait for the end of a process looks at it.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// What a child's standard input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// No standard input.
    None,
    /// A pipe that takes messages, one per line; the child ends when it is closed.
    Lines,
}

/// A running or ended child process; killed when dropped.
#[derive(Debug)]
pub struct ChildProcess {
    child: Child,
    input: Option<ChildStdin>,
    status: Option<ExitStatus>,
    /// When `status` was first seen.
    ended_at: Option<Instant>,
    stop_requested_at: Option<Instant>,
}

impl ChildProcess {
    /// Starts a process in a process group of its own, so that Ctrl-C in a terminal reaches the parent only. Returns it
    /// with its standard output.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(mut command: Command, input: Input) -> io::Result<(Self, ChildStdout)> {
        command.stdin(match input {
            Input::None => Stdio::null(),
            Input::Lines => Stdio::piped(),
        });
        command.stdout(Stdio::piped()).process_group(0);
        parent::announce(&mut command);
        let mut child = spawner::spawn(command)?;
        let output = child.stdout.take().expect("standard output is a pipe");
        let input = child.stdin.take();
        let started =
            ChildProcess { child, input, status: None, ended_at: None, stop_requested_at: None };
        Ok((started, output))
    }

    /// Writes a line to its standard input. A child that has none, or does not read any more, gets nothing: its end is
    /// noticed by its output.
    pub(crate) fn write_line(&mut self, line: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(line).and_then(|()| input.write_all(b"\n"));
        }
    }

    /// Closes its standard input: nothing more will be asked of it.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended; `None` while it runs.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            // If the status cannot be read now, the next call tries again.
            self.status = self.child.try_wait().ok().flatten();
            self.ended_at = self.status.map(|_| Instant::now());
        }
        self.status
    }

    /// How long ago its end was noticed.
    pub(crate) fn ended_for(&self) -> Option<Duration> {
        self.ended_at.map(|ended| ended.elapsed())
    }

    /// Requests a stop with SIGTERM, once; a suspended process is resumed for it.
    pub fn request_stop(&mut self) {
        if self.stop_requested_at.is_none() {
            self.stop_requested_at = Some(Instant::now());
            self.signal(Signal::TERM);
            self.signal(Signal::CONT);
        }
    }

    /// Kills it if it still runs `grace` after the stop request.
    pub fn kill_if_overdue(&mut self, grace: Duration) {
        if self.stop_requested_at.is_some_and(|requested| grace < requested.elapsed()) {
            self.signal(Signal::KILL);
        }
    }

    /// Suspends it (SIGSTOP), as a debugger does.
    pub fn suspend(&self) {
        self.signal(Signal::STOP);
    }

    /// Resumes the process (SIGCONT).
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Waits until it ends, at most for `grace`; then kills it. `None` if its status cannot be read.
    pub fn finish(&mut self, grace: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        while self.exit_status().is_none() && begin.elapsed() < grace {
            std::thread::sleep(POLL_INTERVAL);
        }
        if self.status.is_none() {
            self.signal(Signal::KILL);
            self.status = self.child.wait().ok();
        }
        self.status
    }

    /// Sends a signal unless its end was noticed: until then its process id cannot be another process's.
    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|_| self.status.is_none()) {
            // It fails only if the process has ended.
            let _ = kill_process(pid, signal);
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.finish(Duration::ZERO);
    }
}

/// How a process ended, to follow its name in a message: `ended with exit code 3`, `was killed by signal 11 (SIGSEGV)`.
pub fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => {
            format!("was killed by signal {signal} ({})", signal_name(signal).unwrap_or("unknown"))
        }
        (None, None) => "has ended".to_owned(),
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    macro_rules! signals {
        ($($short:ident)*) => { [$((Signal::$short, concat!("SIG", stringify!($short)))),*] };
    }
    let names = signals!(HUP INT QUIT ILL ABORT BUS FPE KILL SEGV PIPE TERM XCPU);
    names.into_iter().find(|(known, _)| known.as_raw() == signal).map(|(_, name)| name)
}
