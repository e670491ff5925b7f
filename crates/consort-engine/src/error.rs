//! What can go wrong in a run.

mod differs;
mod doubtful;

pub use differs::{DifferentValue, StateDiffers};
pub use doubtful::{AcceptedLoops, Diverged, LostParameter, Noticed, OutOfRange};

use crate::courier::CourierError;
use consort_core::bytes::BytesError;
use consort_core::{CallError, CallStatus, Diagnostic, Resolution, SetupOrder, Tag, Time};
use std::fmt;

/// A run that cannot continue.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum RunError {
    /// An instance could not be made. Fatal.
    Instantiate {
        /// The name of the component.
        component: String,
        /// The error of the call.
        error: Box<CallError>,
    },
    /// An instance failed in initialization. Fatal.
    Initialize {
        /// The name of the component.
        component: String,
        /// The error of the call.
        error: Box<CallError>,
    },
    /// An instance refused its set-up, or a value between its set-up and initialization. Fatal.
    SetUp {
        /// The name of the component.
        component: String,
        /// The error of the call.
        error: Box<CallError>,
        /// When it was set up.
        setup: SetupOrder,
    },
    /// A parameter has another value after initialization than it was given. The run can continue.
    ParameterLost(Box<LostParameter>),
    /// A node of a distributed run would have to begin anew to keep a parameter. Fatal.
    SetAgainNeeded(Box<LostParameter>),
    /// No solution of a loop was found. Fatal.
    LoopNotSolved {
        /// The tag at which the loop was solved.
        tag: Tag,
        /// It is a loop of initial values.
        starting: bool,
        /// The number of evaluations.
        evaluations: u32,
        /// The connections at which the loop is cut, and by how much what came through each differs
        /// from what was assumed; not a number where it is no finite number.
        residuals: Vec<(String, f64)>,
        /// Those through which something else than real numbers came, and still changed.
        changed: Vec<String>,
        /// The reason why the solver stopped.
        why: LoopFailure,
    },
    /// A value is infinite, no number or far too great. Fatal only where the system says so.
    Diverged(Box<Diverged>),
    /// A value is outside of the range that its model declares. Not fatal.
    OutOfRange(Box<OutOfRange>),
    /// Loops were not solved, and their last values were taken, as the system asks for. Not fatal.
    LoopsAccepted(Box<AcceptedLoops>),
    /// Steps as short as allowed broke a constraint. Not fatal.
    ConstraintUnmet {
        /// The number of steps that broke it.
        times: u64,
        /// The first of these tags.
        first: Tag,
        /// The least size allowed.
        min: Time,
    },
    /// The system asks components how long steps may be, and none reports a limit. Not fatal.
    NoStepLimitReported,
    /// A step would have to be shorter than allowed. Fatal.
    StepTooShort {
        /// The component that needs a shorter one.
        component: String,
        /// The tag at which the step starts.
        tag: Tag,
        /// The size that was too long.
        size: Time,
        /// The least size allowed.
        min: Time,
        /// The reason why the step failed.
        why: StepFailure,
    },
    /// An instance failed while the run continued. Fatal.
    Call {
        /// The name of the component.
        component: String,
        /// The tag at which the call was made.
        tag: Tag,
        /// The error of the call.
        error: Box<CallError>,
    },
    /// An instance refused to go further, and this order has no way to take a shorter step. Fatal.
    Discarded {
        /// The name of the component.
        component: String,
        /// The tag at which the step started.
        tag: Tag,
        /// The time at which it should have ended.
        to: Time,
        /// The time that the instance reached.
        reached: Time,
        /// The error of the call, if there was one.
        error: Option<Box<CallError>>,
    },
    /// An instance returned early again and again without moving on. Fatal.
    NoProgress {
        /// The name of the component.
        component: String,
        /// The time at which it is stuck.
        at: Time,
        /// The number of tries.
        tries: u32,
    },
    /// Events brought about events without end. Fatal.
    EventsDoNotSettle {
        /// The tag of the events.
        tag: Tag,
        /// Components whose inputs still changed.
        components: Vec<String>,
    },
    /// The state of an instance could not be saved, restored, or turned into bytes or back. The run can
    /// continue, unless it was to be restored.
    State {
        /// The name of the component.
        component: String,
        /// The tag of the run.
        tag: Tag,
        /// The operation on states that failed.
        call: StateCall,
        /// The error of the call.
        error: Box<CallError>,
    },
    /// A component behaves differently once it is restored: what follows from its saved states is wrong.
    StateDiffers(Box<StateDiffers>),
    /// A snapshot is not one of this run. The run can continue.
    ForeignSnapshot {
        /// The reason why it does not fit.
        reason: &'static str,
    },
    /// Bytes are no snapshot. The run can continue.
    BrokenSnapshot {
        /// The error in the bytes.
        error: BytesError,
    },
    /// Another node of a run that is spread over nodes did not send what it should. Fatal; the
    /// other nodes are notified.
    Courier {
        /// Where this part of the run was.
        tag: Tag,
        /// Which node, and its failure.
        error: CourierError,
    },
    /// There is no such variable, or it cannot be got or set. The run can continue.
    NoSuchVariable {
        /// The requested path.
        path: String,
        /// Why it cannot be had.
        reason: &'static str,
    },
}

/// What can be done with the state of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateCall {
    /// Saving a state.
    Save,
    /// Going back to it.
    Restore,
    /// Making bytes of it.
    Serialize,
    /// Making it of bytes.
    Deserialize,
}

/// Why a loop has no solution that could be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LoopFailure {
    /// The limit of evaluations was reached.
    Limit,
    /// The matrix I - dF/dz cannot be inverted: there is no solution, or more than one.
    Singular,
    /// An evaluation gave infinity or NaN.
    NotFinite,
}

/// Why a step must be shorter.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum StepFailure {
    /// The component did not take it to its end.
    Rejected {
        /// The time that was reached.
        reached: Time,
        /// The error of the call, if there was one.
        error: Option<Box<CallError>>,
    },
    /// An output of the component is not accurate enough.
    Inaccurate {
        /// The error in units of what is tolerated.
        error: f64,
    },
}

impl RunError {
    /// Whether the run was cancelled within a step. Rows up to the tag before are valid; the state cannot be saved.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, RunError::Call { error, .. } if error.status == CallStatus::Cancelled)
    }

    /// Whether the process of an instance was ended from outside: tried again, it may well continue.
    pub fn is_accident(&self) -> bool {
        self.call_error().is_some_and(|error| matches!(error.status, CallStatus::Killed(_)))
    }

    /// Whether an instance could not even be brought to its start.
    pub fn is_before_start(&self) -> bool {
        use RunError::{Initialize, Instantiate, SetUp};
        matches!(self, Instantiate { .. } | Initialize { .. } | SetUp { .. })
    }

    /// The call that failed, if one did.
    fn call_error(&self) -> Option<&CallError> {
        match self {
            RunError::Instantiate { error, .. }
            | RunError::Initialize { error, .. }
            | RunError::SetUp { error, .. }
            | RunError::Call { error, .. }
            | RunError::State { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The message for the user, with its notes and help.
    pub fn diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let at = |tag: &Tag| seconds(resolution, *tag);
        match self {
            RunError::Instantiate { component, error } => {
                let message = format!("`{component}` could not be instantiated");
                let diagnostic = call_diagnostic("run::instantiate", message, None, error);
                diagnostic.help(instantiate_help(error))
            }
            RunError::Initialize { component, error } => {
                let message = format!("`{component}` could not be initialized");
                call_diagnostic("run::initialize", message, None, error)
                    .help("check its parameters and start values; `consort inspect` lists them")
            }
            RunError::SetUp { component, error, setup } => {
                let message = format!("`{component}` refused its set-up or a parameter");
                call_diagnostic("run::set-up", message, None, error).help(set_up_help(*setup))
            }
            RunError::ParameterLost(_) => doubtful::parameter_lost(self.to_string()),
            RunError::SetAgainNeeded(_) => doubtful::set_again_needed(self.to_string()),
            RunError::LoopNotSolved { .. } => self.loop_diagnostic(resolution),
            RunError::Diverged(it) => it.diagnostic(resolution),
            RunError::OutOfRange(it) => it.diagnostic(resolution),
            RunError::LoopsAccepted(it) => it.diagnostic(resolution),
            RunError::ConstraintUnmet { first, min, .. } => {
                let min = resolution.to_f64(*min);
                doubtful::constraint_unmet(self.to_string(), &at(first), min)
            }
            RunError::NoStepLimitReported => no_step_limit_reported(self.to_string()),
            RunError::StepTooShort { component, tag, size, min, why } => {
                let least = resolution.to_f64(*min);
                let message =
                    format!("`{component}` needs a step shorter than the minimum of {least} s");
                let place = Place { tag: *tag, size: *size, min: *min, resolution };
                why.diagnostic(message, &place)
            }
            RunError::Call { component, tag, error } => {
                let message = format!("`{component}` failed");
                call_diagnostic("run::call-failed", message, Some(at(tag)), error)
                    .help(call_help(error))
            }
            RunError::Discarded { .. } => self.discarded_diagnostic(resolution),
            RunError::NoProgress { at, .. } => {
                no_progress(self.to_string(), resolution.to_f64(*at))
            }
            RunError::EventsDoNotSettle { tag, components } => unsettled(&at(tag), components),
            RunError::NoSuchVariable { .. } => {
                Diagnostic::error("run::no-such-variable", self.to_string())
            }
            RunError::State { component, tag, call, error } => {
                let message = format!("the state of `{component}` could not be {}", call.done());
                call_diagnostic(call.code(), message, Some(at(tag)), error).help(call.help())
            }
            RunError::StateDiffers(it) => it.diagnostic(resolution),
            RunError::Courier { tag, error } => Diagnostic::error("run::node", self.to_string())
                .with_note(courier_note(*tag, error, resolution))
                .help("read the messages of that node; the run can resume from the last snapshot"),
            RunError::ForeignSnapshot { .. } | RunError::BrokenSnapshot { .. } => {
                Diagnostic::error("run::snapshot", self.to_string())
                    .help("resume the same system with the same options as when it was saved")
            }
        }
    }
}

fn no_step_limit_reported(message: String) -> Diagnostic {
    Diagnostic::note("run::constraint", message)
        .help("FMUs that know export `fmi2GetMaxStepsize`; `max` bounds all steps")
}

fn no_progress(message: String, at: f64) -> Diagnostic {
    Diagnostic::error("run::no-progress", message)
        .with_note(format!("it is stuck at {at} s"))
        .help(
            "the model announces events without end, or one it never handles; `event-mode = false` avoids it",
        )
}

fn unsettled(tag: &str, components: &[String]) -> Diagnostic {
    let message = format!("events at tag {tag} bring about new events without end");
    Diagnostic::error("run::events-do-not-settle", message)
        .with_note(format!("inputs still change at: {}", components.join(", ")))
        .help("break the loop of discrete values between these components")
}

/// What to do about an instance that could not be made.
fn instantiate_help(error: &CallError) -> &'static str {
    match &error.status {
        CallStatus::NoInstance => {
            "its log may say why; an FMU that declares event mode and refuses it runs with `event-mode = false`"
        }
        CallStatus::NoAnswer(_) => {
            "allow its calls more time; a program must join the run when it starts (`docs/foreign-nodes.md`)"
        }
        _ => "check that its binary or program can start; its log may say why",
    }
}

/// What to do about a call that failed.
fn call_help(error: &CallError) -> &'static str {
    match &error.status {
        CallStatus::NoAnswer(_) => "allow its calls more time",
        _ => "a log of its calls shows every step up to there",
    }
}

/// How far a run is that waits for another node.
fn courier_note(tag: Tag, error: &CourierError, resolution: Resolution) -> String {
    match error.at {
        Some(done) => format!("everything is done up to tag {}", seconds(resolution, done)),
        None => format!("this node was at tag {}", seconds(resolution, tag)),
    }
}

impl StateCall {
    fn done(self) -> &'static str {
        match self {
            StateCall::Save => "saved",
            StateCall::Restore => "restored",
            StateCall::Serialize => "turned into bytes",
            StateCall::Deserialize => "read from bytes",
        }
    }

    fn code(self) -> &'static str {
        match self {
            StateCall::Save | StateCall::Serialize => "run::not-saved",
            StateCall::Restore | StateCall::Deserialize => "run::not-restored",
        }
    }

    fn help(self) -> &'static str {
        match self {
            StateCall::Save | StateCall::Serialize => {
                "with `state = \"image\"` in its component it is saved from outside; \
                 `consort state-check` shows what the model can do"
            }
            StateCall::Restore | StateCall::Deserialize => {
                "`consort state-check` shows whether the model's own saving can be trusted"
            }
        }
    }
}

impl RunError {
    fn discarded_diagnostic(&self, resolution: Resolution) -> Diagnostic {
        const CODE: &str = "run::step-discarded";
        let RunError::Discarded { tag, to, reached, error, .. } = self else {
            unreachable!("the caller has a refused step")
        };
        let diagnostic = match error {
            Some(error) => {
                let at = Some(seconds(resolution, *tag));
                call_diagnostic(CODE, self.to_string(), at, error)
            }
            None => Diagnostic::error(CODE, self.to_string()),
        };
        let (to, reached) = (resolution.to_f64(*to), resolution.to_f64(*reached));
        diagnostic.with_note(format!("the step to {to} s came only to {reached} s")).help(
            "a shorter `step` for this component may help; with `[experiment.variable-step]` all \
             components go back and take a shorter one",
        )
    }

    fn loop_diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let RunError::LoopNotSolved { tag, starting, evaluations, residuals, changed, why } = self
        else {
            unreachable!("the caller has a loop")
        };
        let (code, what) = match starting {
            true => ("run::initial-loop", "a loop of initial values has".to_owned()),
            false => ("run::loop", format!("a loop has at tag {}", seconds(resolution, *tag))),
        };
        let message = format!("{what} no solution that could be found");
        let mut diagnostic = Diagnostic::error(code, message).with_note(why.note(*evaluations));
        for (connection, residual) in residuals {
            diagnostic = diagnostic.with_note(format!("residual {residual:.3e} at {connection}"));
        }
        for connection in changed {
            diagnostic = diagnostic.with_note(format!("still changing: {connection}"));
        }
        diagnostic.help(
            "a `delay` on one of these connections breaks the loop; `[experiment.iteration]` has \
             its method, tolerance and limit",
        )
    }
}

impl LoopFailure {
    fn note(self, evaluations: u32) -> String {
        match self {
            LoopFailure::Limit => format!("it was given up after {evaluations} evaluations"),
            LoopFailure::Singular => {
                "no unique solution: the loop's matrix I - dF/dz is singular".to_owned()
            }
            LoopFailure::NotFinite => {
                format!("evaluation {evaluations} gave infinity or something that is no number")
            }
        }
    }
}

/// Where a step failed.
struct Place {
    tag: Tag,
    size: Time,
    min: Time,
    resolution: Resolution,
}

impl StepFailure {
    fn diagnostic(&self, message: String, place: &Place) -> Diagnostic {
        const CODE: &str = "run::step-too-short";
        let &Place { tag, size, min, resolution } = place;
        let at = seconds(resolution, tag);
        let diagnostic = match self {
            StepFailure::Rejected { reached, error: Some(error) } => {
                call_diagnostic(CODE, message, Some(at), error)
                    .with_note(format!("it came to {} s", resolution.to_f64(*reached)))
            }
            StepFailure::Rejected { reached, error: None } => Diagnostic::error(CODE, message)
                .with_note(format!("at tag {at} it came to {} s", resolution.to_f64(*reached))),
            StepFailure::Inaccurate { error } => Diagnostic::error(CODE, message)
                .with_note(format!("at tag {at} its error is {error:.3} times what is tolerated")),
        };
        let (size, min) = (resolution.to_f64(size), resolution.to_f64(min));
        diagnostic
            .with_note(format!("the step of {size} s was too long, and `min` is {min} s"))
            .help(
                "a smaller `min` in `[experiment.variable-step]`, or greater tolerances, may help",
            )
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
    for lines in error.log.chunk_by(|a, b| a == b) {
        let times = match lines.len() {
            1 => String::new(),
            times => format!(" ({times} times)"),
        };
        diagnostic = diagnostic.with_note(format!("its log{times}: {}", shortened(&lines[0])));
    }
    diagnostic
}

/// What to try with an FMU that wants another order.
fn set_up_help(setup: SetupOrder) -> &'static str {
    match setup {
        SetupOrder::First => {
            "check its parameters and start values; if it needs them before it is set up, write \
             `setup = \"after-parameters\"` in its component"
        }
        SetupOrder::SetAgain => {
            "check its parameters and start values, which are set twice; `setup = \"first\"` sets them once"
        }
        SetupOrder::AfterParameters => {
            "check its parameters and start values; without `setup = \"after-parameters\"` it is set up \
             before it is given them"
        }
    }
}

/// The most letters of a logged line that an error shows: a longer one would hide what it is about.
const LETTERS_MAX: usize = 1000;

fn shortened(line: &str) -> String {
    let left_out = line.chars().count().saturating_sub(LETTERS_MAX);
    match left_out {
        0 => line.to_owned(),
        _ => {
            let shown: String = line.chars().take(LETTERS_MAX).collect();
            format!("{shown}… ({left_out} more letters)")
        }
    }
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
            RunError::SetUp { component, error, .. } => {
                write!(f, "`{component}` refused its set-up or a parameter: {error}")
            }
            RunError::ParameterLost(lost) | RunError::SetAgainNeeded(lost) => lost.fmt(f),
            RunError::LoopNotSolved { residuals, evaluations, .. } => {
                let names: Vec<&str> = residuals.iter().map(|(name, _)| name.as_str()).collect();
                let names = names.join(", ");
                write!(f, "the loop through {names} is not solved by {evaluations} evaluations")
            }
            RunError::Diverged(it) => write!(f, "{}", it.what()),
            RunError::OutOfRange(it) => write!(f, "{}", it.what()),
            RunError::ConstraintUnmet { times: 1, .. } => {
                f.write_str("a constraint is violated even with the shortest step allowed")
            }
            RunError::ConstraintUnmet { times, .. } => {
                write!(
                    f,
                    "a constraint is violated even with the shortest step allowed in {times} steps"
                )
            }
            RunError::NoStepLimitReported => f.write_str(
                "`component-max-step` has no effect: no component reports a limit for its steps",
            ),
            RunError::LoopsAccepted(it) => {
                write!(
                    f,
                    "an algebraic loop did not converge {} times; its last values were used",
                    it.times
                )
            }
            RunError::StepTooShort { component, .. } => {
                write!(f, "`{component}` needs a step shorter than the minimum")
            }
            RunError::Call { component, error, .. } => write!(f, "`{component}` failed: {error}"),
            RunError::Discarded { component, .. } => write!(f, "`{component}` refused a step"),
            RunError::NoProgress { component, tries, .. } => {
                write!(f, "`{component}` returned early {tries} times without advancing")
            }
            RunError::EventsDoNotSettle { components, .. } => {
                write!(f, "events do not settle at {}", components.join(", "))
            }
            RunError::NoSuchVariable { path, reason } => write!(f, "`{path}` {reason}"),
            RunError::Courier { error, .. } => write!(f, "{error}"),
            RunError::State { component, call, error, .. } => {
                write!(f, "the state of `{component}` could not be {}: {error}", call.done())
            }
            RunError::StateDiffers(it) => it.fmt(f),
            RunError::ForeignSnapshot { reason } => {
                write!(f, "the snapshot does not belong to this run: {reason}")
            }
            RunError::BrokenSnapshot { error } => {
                write!(f, "the bytes are no snapshot of a run: {error}")
            }
        }
    }
}

impl std::error::Error for RunError {}
