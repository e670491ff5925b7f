//! What can go wrong in a run.

use consort_core::{CallError, Diagnostic, Resolution, Tag, Time};
use std::fmt;

/// A run that cannot go on.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum RunError {
    /// An instance could not be made. Fatal.
    Instantiate {
        /// The component.
        component: String,
        /// What it answered.
        error: Box<CallError>,
    },
    /// An instance failed in initialization. Fatal.
    Initialize {
        /// The component.
        component: String,
        /// What it answered.
        error: Box<CallError>,
    },
    /// Initial values depend on each other and find no common solution. Fatal.
    InitialValuesDoNotSettle {
        /// How often they were computed.
        rounds: u32,
        /// The inputs that still changed.
        inputs: Vec<String>,
    },
    /// An instance failed while the run went on. Fatal.
    Call {
        /// The component.
        component: String,
        /// The tag at which the call was made.
        tag: Tag,
        /// What it answered.
        error: Box<CallError>,
    },
    /// An instance refused to go further, and this order has no way to take a shorter step. Fatal.
    Discarded {
        /// The component.
        component: String,
        /// Where the step started.
        tag: Tag,
        /// Where it should have ended.
        to: Time,
        /// How far the instance came.
        reached: Time,
        /// What it said.
        error: Option<Box<CallError>>,
    },
    /// An instance returned early again and again without moving on. Fatal.
    NoProgress {
        /// The component.
        component: String,
        /// Where it is stuck.
        at: Time,
        /// How often it was asked.
        tries: u32,
    },
    /// Events brought about events without end. Fatal.
    EventsDoNotSettle {
        /// Where.
        tag: Tag,
        /// Components whose inputs still changed.
        components: Vec<String>,
    },
    /// There is no such variable, or it cannot be got or set. The run can continue.
    NoSuchVariable {
        /// What was asked for.
        path: String,
        /// Why it cannot be had.
        reason: &'static str,
    },
}

impl RunError {
    /// What to tell the user.
    pub fn diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let at = |tag: &Tag| seconds(resolution, *tag);
        match self {
            RunError::Instantiate { component, error } => call_diagnostic(
                "run::instantiate",
                format!("`{component}` could not be instantiated"),
                None,
                error,
            ),
            RunError::Initialize { component, error } => call_diagnostic(
                "run::initialize",
                format!("`{component}` could not be initialized"),
                None,
                error,
            )
            .help("check its parameters and start values; `consort inspect` lists them"),
            RunError::InitialValuesDoNotSettle { rounds, inputs } => Diagnostic::error(
                "run::initial-loop",
                format!(
                    "initial values depend on each other and still change after {rounds} rounds"
                ),
            )
            .with_note(format!("inputs in the loop: {}", inputs.join(", ")))
            .help(
                "give one of these inputs a start value instead of a connection, or a smaller gain",
            ),
            RunError::Call { component, tag, error } => call_diagnostic(
                "run::call-failed",
                format!("`{component}` failed"),
                Some(at(tag)),
                error,
            ),
            RunError::Discarded { component, tag, to, reached, error } => {
                let message = format!("`{component}` refused a step");
                let diagnostic = match error {
                    Some(error) => {
                        call_diagnostic("run::step-discarded", message, Some(at(tag)), error)
                    }
                    None => Diagnostic::error("run::step-discarded", message),
                };
                let (to, reached) = (resolution.to_f64(*to), resolution.to_f64(*reached));
                diagnostic
                    .with_note(format!("the step to {to} s came only to {reached} s"))
                    .help("a shorter `step` for this component may help")
            }
            RunError::NoProgress { component, at, tries } => Diagnostic::error(
                "run::no-progress",
                format!("`{component}` returned early {tries} times without moving on"),
            )
            .with_note(format!("it is stuck at {} s", resolution.to_f64(*at)))
            .help("the model announces an event it never handles; `event_mode = false` avoids it"),
            RunError::EventsDoNotSettle { tag, components } => Diagnostic::error(
                "run::events-do-not-settle",
                format!("events at tag {} bring about new events without end", at(tag)),
            )
            .with_note(format!("inputs still change at: {}", components.join(", ")))
            .help("break the loop of discrete values between these components"),
            RunError::NoSuchVariable { path, reason } => {
                Diagnostic::error("run::no-such-variable", format!("`{path}` {reason}"))
            }
        }
    }
}

/// A tag for a person: `3.25 s`, with the microstep only where there is one.
fn seconds(resolution: Resolution, tag: Tag) -> String {
    let time = resolution.to_f64(tag.time);
    match tag.microstep {
        0 => format!("{time} s"),
        microstep => format!("{time} s.{microstep}"),
    }
}

fn call_diagnostic(
    code: &'static str,
    message: String,
    tag: Option<String>,
    error: &CallError,
) -> Diagnostic {
    let when = tag.map_or(String::new(), |tag| format!("at tag {tag}, "));
    let mut diagnostic = Diagnostic::error(code, message).with_note(format!("{when}{error}"));
    for line in &error.log {
        diagnostic = diagnostic.with_note(format!("its log: {line}"));
    }
    diagnostic
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Instantiate { component, error } => {
                write!(f, "`{component}` could not be instantiated: {error}")
            }
            RunError::Initialize { component, error } => {
                write!(f, "`{component}` could not be initialized: {error}")
            }
            RunError::InitialValuesDoNotSettle { rounds, inputs } => {
                let inputs = inputs.join(", ");
                write!(f, "initial values of {inputs} still change after {rounds} rounds")
            }
            RunError::Call { component, error, .. } => write!(f, "`{component}` failed: {error}"),
            RunError::Discarded { component, .. } => write!(f, "`{component}` refused a step"),
            RunError::NoProgress { component, tries, .. } => {
                write!(f, "`{component}` returned early {tries} times without moving on")
            }
            RunError::EventsDoNotSettle { components, .. } => {
                write!(f, "events do not settle at {}", components.join(", "))
            }
            RunError::NoSuchVariable { path, reason } => write!(f, "`{path}` {reason}"),
        }
    }
}

impl std::error::Error for RunError {}
