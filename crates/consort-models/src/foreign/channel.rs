//! One question, one answer, over a socket; nothing that arrives is trusted.

use super::program::Program;
use super::wire::{self, FRAME_BYTES_MAX, Misread, answer};
use consort_core::LongWait;
use consort_core::model::{LogEntry, LogSink};
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long a read waits before it looks whether that takes long.
const ROUND: Duration = Duration::from_secs(1);
/// How long a program may take to go after the run's end.
const FAREWELL: Duration = Duration::from_secs(5);

/// The way to a program.
pub(super) struct Channel {
    stream: UnixStream,
    /// The program, if we started it.
    pub(super) program: Option<Program>,
    limit: Option<Duration>,
    /// Where long waits are reported: the component's name and its log.
    wait_log: Option<(String, LogSink)>,
    long_wait: LongWait,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Broken {
    /// The program is gone.
    Closed,
    /// It says nothing for too long.
    Silent(Duration),
    /// It leaves before the end of the run.
    Left,
    /// It cannot continue, and says why.
    Failed(String),
    /// It said something else than what it was asked for.
    Unexpected {
        kind: u8,
        expected: &'static str,
    },
    /// The answer has the right kind and cannot be read.
    Misread {
        what: &'static str,
        why: Misread,
    },
    Oversized(usize),
    Io(io::Error),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Closed => f.write_str("the program closed its channel"),
            Broken::Silent(limit) => {
                let limit = limit.as_secs_f64();
                write!(f, "the program did not answer within the call limit of {limit} s")
            }
            Broken::Left => f.write_str("the program left before the end of the run"),
            Broken::Failed(words) => write!(f, "the program failed: {words}"),
            Broken::Unexpected { kind, expected } => {
                let kind = kind.escape_ascii();
                write!(f, "the program sent a message of kind `{kind}` instead of {expected}")
            }
            Broken::Misread { what, why } => {
                write!(f, "the program sent {what} that cannot be read: {why}")
            }
            Broken::Oversized(bytes) => {
                write!(f, "the program announced a message of {bytes} bytes, which is out of range")
            }
            Broken::Io(error) => write!(f, "the channel to the program is broken: {error}"),
        }
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset => Broken::Closed,
            _ => Broken::Io(error),
        }
    }
}

/// Reads for as long as the limit allows, and reports long waits.
struct Patient<'a> {
    stream: &'a UnixStream,
    begin: Instant,
    limit: Option<Duration>,
    wait_log: Option<&'a (String, LogSink)>,
    long_wait: &'a mut LongWait,
    expected: &'static str,
    /// The last round ends with the limit.
    is_shortened: bool,
}

impl io::Read for Patient<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.stream.read(room);
            let is_early = |error: &io::Error| is_late(error) && !self.is_over();
            if !read.as_ref().is_err_and(is_early) {
                return read;
            }
            let waited = self.begin.elapsed();
            if let Some((component, log)) = self.wait_log.filter(|_| self.long_wait.is_due(waited))
            {
                log(&LogEntry::wait(component, self.expected, waited));
            }
            if let Some(limit) = self.limit {
                let left = limit.saturating_sub(waited).max(Duration::from_millis(1));
                self.is_shortened = true;
                self.stream.set_read_timeout(Some(left.min(ROUND)))?;
            }
        }
    }
}

impl Patient<'_> {
    fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| limit <= self.begin.elapsed())
    }
}

/// How long one read waits.
fn round(limit: Option<Duration>) -> Duration {
    limit.map_or(ROUND, |limit| limit.min(ROUND))
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

impl Channel {
    pub(super) fn new(
        stream: UnixStream,
        program: Option<Program>,
        limit: Option<Duration>,
    ) -> io::Result<Self> {
        stream.set_read_timeout(Some(round(limit)))?;
        stream.set_write_timeout(limit)?;
        let (incoming, outgoing, wait_log) = (Vec::new(), Vec::new(), None);
        let long_wait = LongWait::default();
        Ok(Channel { stream, program, limit, wait_log, long_wait, incoming, outgoing })
    }

    /// Sends a message whose body is put behind what is there.
    pub(super) fn send(&mut self, kind: u8, body: impl FnOnce(&mut Vec<u8>)) -> Result<(), Broken> {
        self.outgoing.clear();
        self.outgoing.extend_from_slice(&[0, 0, 0, 0, kind]);
        body(&mut self.outgoing);
        let length = self.outgoing.len() - 4;
        if FRAME_BYTES_MAX < length {
            return Err(Broken::Oversized(length));
        }
        let length = u32::try_from(length).expect("a message is shorter than its limit");
        self.outgoing[..4].copy_from_slice(&length.to_le_bytes());
        self.stream.write_all(&self.outgoing).map_err(|error| self.broken(error))
    }

    /// The body of the next message, which must be of a kind.
    pub(super) fn receive(&mut self, kind: u8, expected: &'static str) -> Result<&[u8], Broken> {
        self.read_frame(expected)?;
        let (found, body) = self.incoming.split_first().expect("no frame is empty");
        match *found {
            found if found == kind => Ok(body),
            answer::LEAVING => Err(Broken::Left),
            answer::FAILED => {
                let text = wire::Body(body).text();
                text.map(|words| Err(Broken::Failed(words.to_owned())))
                    .unwrap_or_else(|why| Err(Broken::Misread { what: "an error message", why }))
            }
            kind => Err(Broken::Unexpected { kind, expected }),
        }
    }

    /// Reports long waits from now on, in the name of that component.
    pub(super) fn report_waits(&mut self, component: &str, log: &LogSink) {
        self.wait_log = Some((component.to_owned(), log.clone()));
    }

    fn read_frame(&mut self, expected: &'static str) -> Result<(), Broken> {
        let mut head = [0; 4];
        let mut patient = Patient {
            stream: &self.stream,
            begin: Instant::now(),
            limit: self.limit,
            wait_log: self.wait_log.as_ref(),
            long_wait: &mut self.long_wait,
            expected,
            is_shortened: false,
        };
        if let Err(error) = patient.read_exact(&mut head) {
            return Err(self.broken(error));
        }
        let length = u32::from_le_bytes(head) as usize;
        if length == 0 || FRAME_BYTES_MAX < length {
            return Err(Broken::Oversized(length));
        }
        // Room is made for what is there, not for what is announced.
        self.incoming.clear();
        let read = patient.by_ref().take(length as u64).read_to_end(&mut self.incoming);
        let is_shortened = patient.is_shortened;
        let read = match read {
            Ok(read) => read,
            Err(error) => return Err(self.broken(error)),
        };
        if is_shortened {
            self.stream.set_read_timeout(Some(round(self.limit)))?;
        }
        if read < length { Err(Broken::Closed) } else { Ok(()) }
    }

    fn broken(&self, error: io::Error) -> Broken {
        match self.limit {
            Some(limit) if is_late(&error) => Broken::Silent(limit),
            _ => Broken::from(error),
        }
    }

    /// After the run's end: waits until the program has closed its end, but not for long.
    pub(super) fn farewell(&mut self) {
        // A program that never ends is killed when this process ends; no more of it is needed.
        let _ = self.stream.set_read_timeout(Some(FAREWELL));
        let mut rest = [0; 64];
        while self.stream.read(&mut rest).is_ok_and(|count| 0 < count) {}
    }
}
