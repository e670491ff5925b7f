//! Calls into instances: their results, and the lines that instances log.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Results of calls into an instance; the error is boxed so that success stays cheap.
pub type CallResult<T> = Result<T, Box<CallError>>;

/// A call into an instance that failed.
#[derive(Clone, PartialEq, Debug)]
pub struct CallError {
    /// The call as its documentation names it: `fmi2DoStep`, or what was asked of a native block.
    pub call: &'static str,
    /// The arguments that matter, for a person: `t = 3.25, h = 0.01`.
    pub arguments: String,
    /// The status that the call returned.
    pub status: CallStatus,
    /// The last log messages of the instance, oldest first.
    pub log: Vec<String>,
}

impl CallError {
    /// The instance cannot do that at all.
    #[cold]
    pub fn unsupported(call: &'static str) -> Box<Self> {
        Self::new(call, CallStatus::Unsupported)
    }

    /// A failure without further messages.
    #[cold]
    pub fn new(call: &'static str, status: CallStatus) -> Box<Self> {
        Box::new(CallError { call, arguments: String::new(), status, log: Vec::new() })
    }
}

/// What came back from a call that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CallStatus {
    /// Refused; the instance is as before.
    Discard,
    /// Failed; the instance may be freed or reset, nothing else.
    Error,
    /// Failed so badly that the instance may not even be freed.
    Fatal,
    /// The call is still pending, although no asynchronous step was requested (FMI 2).
    Pending,
    /// Instantiating gave no instance.
    NoInstance,
    /// The instance cannot do that.
    Unsupported,
    /// The call came at the wrong time in the instance's life.
    WrongState(&'static str),
    /// Not a status the standard knows.
    Unknown(i32),
    /// A value or argument was refused before the call, with the reason.
    Refused(String),
    /// It was cancelled: see [`CancelFlag`](crate::CancelFlag). The instance can only be dropped.
    Cancelled,
    /// The process the instance lived in is no more, with what became of it: nothing can be asked of
    /// the instance again.
    Gone(String),
    /// The same, and it was ended since a call took longer than it may.
    NoAnswer(String),
    /// The same, and it was ended from outside: tried again, the call may well come back.
    Killed(String),
}

impl fmt::Display for CallStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallStatus::Discard => f.write_str("returned `discard`"),
            CallStatus::Error => f.write_str("returned `error`"),
            CallStatus::Fatal => f.write_str("returned `fatal`"),
            CallStatus::Pending => f.write_str("returned `pending`"),
            CallStatus::NoInstance => f.write_str("returned no instance"),
            CallStatus::Unsupported => f.write_str("is not supported by this model"),
            CallStatus::WrongState(state) => write!(f, "is not allowed in {state}"),
            CallStatus::Unknown(status) => write!(f, "returned the unknown status {status}"),
            CallStatus::Refused(reason) => write!(f, "was refused: {reason}"),
            CallStatus::Cancelled => f.write_str("was cancelled"),
            CallStatus::Gone(what) | CallStatus::NoAnswer(what) | CallStatus::Killed(what) => {
                write!(f, "did not return: {what}")
            }
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}) {}", self.call, self.arguments, self.status)
    }
}

impl std::error::Error for CallError {}

/// Where instances' log lines go, from whatever thread they come.
pub type LogSink = Arc<dyn Fn(&LogEntry) + Send + Sync>;

/// A line of an instance's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// The component that logged it.
    pub component: String,
    /// The severity of the message.
    pub level: LogLevel,
    /// The instance's own category.
    pub category: String,
    /// The text of the message.
    pub message: String,
}

impl LogEntry {
    /// The category of lines about instances that do not answer: the user sees them at once.
    pub const WAIT: &str = "wait";

    /// A component has not answered for this long; `what` is awaited.
    pub fn wait(component: &str, what: &str, waited: Duration) -> Self {
        let message =
            format!("still waiting for `{component}` after {} s: {what}", waited.as_secs());
        LogEntry {
            component: component.to_owned(),
            level: LogLevel::Info,
            category: Self::WAIT.to_owned(),
            message,
        }
    }
}

/// How bad a log line is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LogLevel {
    /// For information.
    Info,
    /// A problem that does not stop the computation.
    Warning,
    /// A failure.
    Error,
}
