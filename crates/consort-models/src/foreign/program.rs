//! A program that we started: its channel is its standard input, what it prints is kept.

use super::Start;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The most of what is printed at one time that is passed on: the last of it.
const OUTPUT_MAX: u64 = 1 << 20;

/// The longest line that is passed on.
const LINE_MAX: usize = 4096;

/// How long a program may take to be gone after it closed its channel.
const GOING: Duration = Duration::from_secs(2);

/// What the program finds its channel by.
const VARIABLE: &str = "CONSORT_CHANNEL";

/// Why a program does not run, and where it was looked for.
fn unstarted(name: &str, error: &io::Error) -> String {
    let place = match name.contains('/') {
        true => "in the folder of its interface",
        false => "on the search path",
    };
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no program `{name}` {place}"),
        io::ErrorKind::PermissionDenied => {
            format!("`{name}` is not executable: `chmod +x` makes it so")
        }
        _ => format!("`{name}` could not be started: {error}"),
    }
}

/// A program that lives as long as this.
pub(super) struct Program {
    child: Child,
    output: File,
    status: Option<ExitStatus>,
}

impl Program {
    /// Starts it; an error is a text.
    pub(super) fn start(start: &Start) -> Result<(UnixStream, Program), String> {
        let [name, arguments @ ..] = &start.words[..] else {
            return Err("its command is empty".to_owned());
        };
        let failed = |error: io::Error| format!("`{name}` could not be started: {error}");
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let output = output_file().map_err(failed)?;
        let print = || output.try_clone().map(Stdio::from);
        let mut command = Command::new(found(name, start));
        command.args(arguments).current_dir(&start.folder).env(VARIABLE, "0");
        command.envs(start.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        command.stdout(print().map_err(failed)?).stderr(print().map_err(failed)?);
        // What a person types at the terminal is for the run, which ends its programs itself.
        let child = command.process_group(0).spawn().map_err(|error| unstarted(name, &error))?;
        Ok((ours, Program { child, output, status: None }))
    }

    /// Takes what was printed since the last time, line by line.
    pub(super) fn take_output(&self, mut line: impl FnMut(&str)) {
        let length = self.output.metadata().map_or(0, |data| data.len());
        if length == 0 {
            return;
        }
        let taken = length.min(OUTPUT_MAX);
        let mut bytes = vec![0; usize::try_from(taken).expect("it is a small number")];
        let is_read = self.output.read_exact_at(&mut bytes, length - taken).is_ok();
        // Output that cannot be removed is reported again, which is better than an error.
        let _ = self.output.set_len(0);
        if is_read {
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.for_each(|bytes| {
                line(String::from_utf8_lossy(&bytes[..bytes.len().min(LINE_MAX)]).trim_end());
            });
        }
    }

    /// What became of a program that closed its channel; ends one that still runs.
    pub(super) fn fate(&mut self) -> String {
        match self.wait() {
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("it exited with code {code}"),
                (None, Some(signal)) => format!("it was killed by signal {signal}"),
                (None, None) => "it is gone".to_owned(),
            },
            None => "it kept running without its channel and was ended".to_owned(),
        }
    }

    /// Waits for it a while; `None` if it had to be ended.
    fn wait(&mut self) -> Option<ExitStatus> {
        let begin = Instant::now();
        while self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
            if self.status.is_none() && GOING <= begin.elapsed() {
                self.end();
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.status
    }

    /// Ends it at once.
    pub(super) fn end(&mut self) {
        if self.status.is_none() {
            // It may be gone by itself meanwhile.
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}

/// A file without a name to which all writers append, so that emptying it needs no coordination with the program.
fn output_file() -> io::Result<File> {
    let file = tempfile::Builder::new().append(true).tempfile()?;
    Ok(file.into_parts().0)
}

/// A relative path is relative to the folder; a bare name is looked for on the search path.
fn found(name: &str, start: &Start) -> std::path::PathBuf {
    if name.contains('/') { start.folder.join(name) } else { name.into() }
}
