//! The worker's side: executes commands until the instance is freed.
//!
//! Everything that a command changes lives on the heap, behind one box that is made before the first
//! command: the memory of this process may be rolled back under it between two commands, and its stack
//! is not. What the loop itself needs it reads from the shared memory each time.

mod answer;
mod log;

use super::channel::{Channel, PART_BYTES};
use super::protocol::{DONE, FAILED, Op, Place, Read, Reader, Scratch, write_error};
use super::{fork, image};
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Diagnostic, Instance, LogSink, Model, SavedState};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Makes a model from its recipe, or reports why that is impossible.
type Load<'l> = dyn Fn(&[u8]) -> Result<Arc<dyn Model>, Box<Diagnostic>> + 'l;

/// Serves one instance to the process that started this one, which must have been started as a worker.
/// `load` makes the model from the recipe that [`IsolatedModel::new`](super::IsolatedModel::new) was
/// given.
pub fn serve(load: &Load<'_>) -> ExitCode {
    // Huge pages would make one changed byte cost two megabytes.
    // SAFETY: a setting of this process.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    let Ok(channel) = take_channel() else { return ExitCode::from(NO_WORKER) };
    let mut served = Box::new(Served::new(channel));
    loop {
        served.channel.wait_for_command();
        let next = served.answer(load);
        if next != Next::Listen {
            served.channel.answer();
        }
        if next == Next::Exit {
            return ExitCode::SUCCESS;
        }
    }
}

/// What a worker does after a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Gives the turn to the host.
    Answer,
    /// The same, for the last time.
    Exit,
    /// It is a copy, and waits for its first command.
    Listen,
}

/// The exit code of a program that was not started as a worker.
const NO_WORKER: u8 = 2;

/// The memory that is shared with the parent process: it comes as standard input, which the
/// model finds empty.
fn take_channel() -> io::Result<Channel> {
    // SAFETY: a copy of a descriptor, which only this process has.
    let file = unsafe {
        let copy = libc::fcntl(libc::STDIN_FILENO, libc::F_DUPFD_CLOEXEC, 3);
        if copy < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(copy)
    };
    let channel = Channel::adopt(file)?;
    let nothing = File::open("/dev/null")?;
    // SAFETY: standard input is replaced; nothing has read from it.
    if unsafe { libc::dup2(nothing.as_raw_fd(), libc::STDIN_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(channel)
}

/// All that a worker has.
struct Served {
    channel: Channel,
    hosted: Hosted,
}

/// The model that is served and its instance.
struct Hosted {
    // The instance before what made it.
    instance: Option<Box<dyn Instance>>,
    model: Option<Arc<dyn Model>>,
    /// States that were saved here, by number.
    states: Vec<Option<SavedState>>,
    scratch: Scratch,
    log: LogSink,
}

impl Served {
    fn new(channel: Channel) -> Self {
        // SAFETY: the channel is the same for as long as this process is, at one address.
        let log = log::sink(unsafe { channel.alias() });
        let (states, scratch) = (Vec::new(), Scratch::new());
        Served { channel, hosted: Hosted { instance: None, model: None, states, scratch, log } }
    }

    /// Makes a copy of this process. The original answers with the copy's number; the copy listens at the
    /// slot it was given and has nothing to answer.
    fn split(&mut self) -> Next {
        let (_, command, place) = self.channel.sides();
        let mut command = Reader::bare(command);
        let slot = command.word32().and_then(|_op| command.word32());
        let mut reply = Place::writer(place);
        if fork::child::split(&mut reply) == fork::child::Side::Original {
            let length = reply.sink().length();
            self.finish(length);
            return Next::Answer;
        }
        match slot.map(|slot| self.channel.move_to(slot)) {
            Ok(Ok(())) => Next::Listen,
            // Without a slot it cannot be reached.
            _ => std::process::exit(i32::from(NO_WORKER)),
        }
    }

    /// Executes one command.
    fn answer(&mut self, load: &Load<'_>) -> Next {
        let (header, command, place) = self.channel.sides();
        let mut command = Reader::bare(command);
        let op = command.word32().ok().and_then(Op::from_code);
        if op == Some(Op::Split) {
            return self.split();
        }
        let mut reply = Place::writer(place);
        reply.byte(DONE);
        let done = match op {
            Some(Op::Load) => self.hosted.load(&mut command, load),
            Some(Op::TryLoad) => self.hosted.try_load(&mut command, &mut reply, load),
            Some(Op::Instantiate) => self.hosted.instantiate(&mut command),
            Some(Op::Tasks) => {
                image::child::run_tasks(&mut command, &mut reply);
                Ok(())
            }
            Some(op) => {
                let began = Instant::now();
                let done = self.hosted.call(op, &mut command, &mut reply, header);
                let nanoseconds = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
                header.call_time.store(nanoseconds, Ordering::Relaxed);
                done
            }
            None => Err(invalid_command()),
        };
        let done =
            done.and_then(|()| if reply.sink().is_full() { Err(too_large()) } else { Ok(()) });
        if let Err(error) = done {
            reply.sink().rewind();
            reply.byte(FAILED);
            write_error(&mut reply, &error);
        }
        let length = reply.sink().length();
        self.finish(length);
        if op == Some(Op::Free) { Next::Exit } else { Next::Answer }
    }

    /// Stores the length of the reply, if it had room.
    fn finish(&self, length: Option<usize>) {
        let length = length.map_or(u64::MAX, |length| length as u64);
        self.channel.header().reply_bytes.store(length, Ordering::Relaxed);
    }
}

/// A reply that has no room.
#[cold]
fn too_large() -> Box<CallError> {
    let reason = format!("a worker answers with at most {} MiB", PART_BYTES >> 20);
    CallError::new("answer", CallStatus::Refused(reason))
}

/// A command that cannot be one: only a model that writes where it should not can be the reason.
#[cold]
fn invalid_command() -> Box<CallError> {
    let reason = "the memory shared with the model's process was overwritten".to_owned();
    CallError::new("read a command", CallStatus::Refused(reason))
}

fn checked<T>(read: Read<T>) -> CallResult<T> {
    read.map_err(|_| invalid_command())
}

/// The model, instance or state of a command: only an overwritten command needs one that does not exist.
fn present<T>(found: Option<T>) -> CallResult<T> {
    found.ok_or_else(invalid_command)
}
