//! Several children and their messages, in one queue.

use crate::child::{ChildProcess, Input};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::{ChildStdout, Command, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The longest line that a child may write.
const LINE_BYTES_MAX: u64 = 1 << 30;
/// How many characters of a line that is no message are kept.
const EXCERPT_MAX: usize = 200;
/// How long the last messages of a process that has ended may take to arrive. A process that it started may keep its
/// standard output open for longer.
const LAST_MESSAGES: Duration = Duration::from_secs(5);

/// A child of a supervisor, in the order in which they were started.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ChildId(u64);

/// What comes from a child.
#[derive(Clone, PartialEq, Debug)]
pub enum ChildEvent<M> {
    /// The child sent a message.
    Message(M),
    /// It wrote a line that is no message; the beginning of it.
    Invalid(String),
    /// Its output is closed: no more messages come, and it has ended or will soon.
    Closed,
}

/// Owns child processes and receives their messages. Children that still run are killed when it is dropped.
///
/// A child can also be a thread of this process ([`Supervisor::add_thread`]): it has messages and an end, but there is
/// no process to signal.
#[derive(Debug)]
pub struct Supervisor<M> {
    children: BTreeMap<ChildId, Supervised>,
    next: u64,
    sender: Sender<(ChildId, ChildEvent<M>)>,
    receiver: Receiver<(ChildId, ChildEvent<M>)>,
}

#[derive(Debug)]
struct Supervised {
    /// `None` for a thread.
    process: Option<ChildProcess>,
    is_closed: bool,
}

impl<M> Default for Supervisor<M> {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Supervisor { children: BTreeMap::new(), next: 0, sender, receiver }
    }
}

impl<M> Supervisor<M> {
    /// A supervisor without children.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a process and a thread that reads its messages.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(&mut self, command: Command, input: Input) -> io::Result<ChildId>
    where
        M: DeserializeOwned + Send + 'static,
    {
        let (process, output) = ChildProcess::start(command, input)?;
        let id = self.add(Some(process));
        let sender = self.sender.clone();
        std::thread::Builder::new().spawn(move || read_messages(id, output, &sender))?;
        Ok(id)
    }

    /// Adds a thread of this process, which sends its messages itself. It has ended when the sender is dropped.
    pub fn add_thread(&mut self) -> ThreadSender<M> {
        let id = self.add(None);
        ThreadSender { id, sender: self.sender.clone() }
    }

    fn add(&mut self, process: Option<ChildProcess>) -> ChildId {
        let id = ChildId(self.next);
        self.next += 1;
        self.children.insert(id, Supervised { process, is_closed: false });
        id
    }

    /// Sends a message to a child, as a line of JSON. If the child has ended, that is noticed by its output.
    ///
    /// # Panics
    /// If the message cannot be written as JSON, because it has maps whose keys are no texts.
    pub fn send(&mut self, child: ChildId, message: &impl Serialize) {
        let line = serde_json::to_vec(message).expect("messages are plain data");
        if let Some(process) = self.process(child) {
            process.write_line(&line);
        }
    }

    /// The next event of any child; `None` if there is none within `timeout`.
    pub fn wait(&mut self, timeout: Duration) -> Option<(ChildId, ChildEvent<M>)> {
        // The supervisor has a sender itself: the queue is never disconnected.
        let (id, event) = self.receiver.recv_timeout(timeout).ok()?;
        if matches!(event, ChildEvent::Closed)
            && let Some(child) = self.children.get_mut(&id)
        {
            child.is_closed = true;
        }
        Some((id, event))
    }

    /// The process of a child; `None` for a thread, and for a child that was removed.
    pub fn process(&mut self, child: ChildId) -> Option<&mut ChildProcess> {
        self.children.get_mut(&child)?.process.as_mut()
    }

    /// Whether a child has ended and all its messages were received.
    pub fn is_over(&mut self, child: ChildId) -> bool {
        let Some(child) = self.children.get_mut(&child) else { return true };
        let Some(process) = &mut child.process else { return child.is_closed };
        let has_ended = process.exit_status().is_some();
        let is_late = process.ended_for().is_some_and(|ended| LAST_MESSAGES < ended);
        has_ended && (child.is_closed || is_late)
    }

    /// Requests all children to stop (SIGTERM); those that were requested before are not disturbed again.
    pub fn request_stop(&mut self) {
        self.processes().for_each(ChildProcess::request_stop);
    }

    /// Kills the children that still run `grace` after they were requested to stop.
    pub fn kill_overdue(&mut self, grace: Duration) {
        self.processes().for_each(|process| process.kill_if_overdue(grace));
    }

    /// Removes a child. It gets `grace` to end by itself, then it is killed. Returns how it ended.
    pub fn remove(&mut self, child: ChildId, grace: Duration) -> Option<ExitStatus> {
        self.children.remove(&child)?.process?.finish(grace)
    }

    fn processes(&mut self) -> impl Iterator<Item = &mut ChildProcess> {
        self.children.values_mut().filter_map(|child| child.process.as_mut())
    }
}

/// Sends the messages of a thread that is supervised like a process.
#[derive(Debug)]
pub struct ThreadSender<M> {
    id: ChildId,
    sender: Sender<(ChildId, ChildEvent<M>)>,
}

impl<M> ThreadSender<M> {
    /// Which child of the supervisor it is.
    pub fn id(&self) -> ChildId {
        self.id
    }

    /// Sends a message; a supervisor that is gone gets nothing.
    pub fn send(&self, message: M) {
        let _ = self.sender.send((self.id, ChildEvent::Message(message)));
    }
}

impl<M> Drop for ThreadSender<M> {
    fn drop(&mut self) {
        let _ = self.sender.send((self.id, ChildEvent::Closed));
    }
}

/// Passes on the messages of a process until its output ends or the supervisor is gone.
fn read_messages<M: DeserializeOwned>(
    id: ChildId,
    output: ChildStdout,
    sender: &Sender<(ChildId, ChildEvent<M>)>,
) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while let Ok(1..) = output.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
        let event = match serde_json::from_slice(&line) {
            Ok(message) => ChildEvent::Message(message),
            Err(_) => ChildEvent::Invalid(excerpt(&line)),
        };
        if sender.send((id, event)).is_err() {
            return;
        }
        line.clear();
    }
    let _ = sender.send((id, ChildEvent::Closed));
}

fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * EXCERPT_MAX)]);
    text.trim_end().chars().take(EXCERPT_MAX).collect()
}
