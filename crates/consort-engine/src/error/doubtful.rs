//! Results that are doubtful, though the run could continue: parameters that were lost, values that diverged,
//! loops and steps that were accepted.

use super::seconds;
use consort_core::{Diagnostic, Resolution, Tag, Values};
use std::fmt;

/// A parameter that a model did not keep.
#[derive(Clone, PartialEq, Debug)]
pub struct LostParameter {
    /// The name of the component.
    pub component: String,
    /// The name of the parameter.
    pub variable: String,
    /// The value it was given.
    pub given: Values,
    /// The value it has.
    pub found: Values,
}

impl fmt::Display for LostParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LostParameter { component, variable, given, found } = self;
        let (given, found) = (given.view(), found.view());
        write!(f, "`{component}.{variable}` was given {given} and has {found} after initialization")
    }
}

/// Values that are noticed: the first of them, and who followed.
#[derive(Clone, PartialEq, Debug)]
pub struct Noticed {
    /// The first: `component.variable`.
    pub variable: String,
    /// The tag at which it had such a value for the first time.
    pub tag: Tag,
    /// The value at that tag.
    pub value: f64,
    /// It was so at the first tag already.
    pub at_start: bool,
    /// Some of those after it.
    pub others: Vec<String>,
    /// The number of further variables.
    pub more: usize,
}

/// Values that nothing can have.
#[derive(Clone, PartialEq, Debug)]
pub struct Diverged {
    /// The variables.
    pub noticed: Noticed,
    /// The nominal value of the first, if it has one.
    pub nominal: Option<f64>,
}

/// Values outside of the range that their model declares.
#[derive(Clone, PartialEq, Debug)]
pub struct OutOfRange {
    /// The variables.
    pub noticed: Noticed,
    /// The least or greatest value of the first.
    pub bound: f64,
}

/// Loops whose last values were taken although they are not solved.
#[derive(Clone, PartialEq, Debug)]
pub struct AcceptedLoops {
    /// How many times a loop was not solved.
    pub times: u64,
    /// When for the first time.
    pub first: Tag,
    /// The greatest residual, relative to values above 1.
    pub residual: f64,
    /// The cut connection with that residual.
    pub connection: String,
    /// The tag of that residual.
    pub tag: Tag,
}

impl Noticed {
    fn verb(&self) -> &'static str {
        if self.at_start { "is" } else { "became" }
    }

    fn when(&self, resolution: Resolution) -> String {
        match self.at_start {
            true => "from the start".to_owned(),
            false => format!("at {}", seconds(resolution, self.tag)),
        }
    }

    fn with_others(&self, diagnostic: Diagnostic) -> Diagnostic {
        if self.others.is_empty() {
            return diagnostic;
        }
        let names: Vec<String> = self.others.iter().map(|name| format!("`{name}`")).collect();
        let more = match self.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        diagnostic.with_note(format!("after it {}{more}", names.join(", ")))
    }
}

impl Diverged {
    pub(super) fn what(&self) -> String {
        let Noticed { variable, value, .. } = &self.noticed;
        let verb = self.noticed.verb();
        if value.is_nan() {
            return format!("`{variable}` {verb} NaN");
        }
        if value.is_infinite() {
            return format!("`{variable}` {verb} infinite");
        }
        let times = self.nominal.map_or(String::new(), |nominal| {
            format!(", {:.1e} times its nominal value", (value / nominal).abs())
        });
        format!("`{variable}` {verb} {value:.3e}{times}")
    }

    /// As a warning: who ends a run for it says so.
    pub(super) fn diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let is_finite = self.noticed.value.is_finite();
        let code = if is_finite { "run::diverged" } else { "run::not-finite" };
        let message = format!("{} {}", self.what(), self.noticed.when(resolution));
        let diagnostic = self.noticed.with_others(Diagnostic::error(code, message));
        diagnostic.help("look at what feeds it just before, or take smaller steps")
    }
}

impl OutOfRange {
    pub(super) fn what(&self) -> String {
        let (Noticed { variable, value, .. }, bound) = (&self.noticed, &self.bound);
        let verb = self.noticed.verb();
        let side = if value < bound { "below its least" } else { "above its greatest" };
        format!("`{variable}` {verb} {value}, {side} value {bound},")
    }

    pub(super) fn diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let message = format!("{} {}", self.what(), self.noticed.when(resolution));
        let diagnostic = Diagnostic::warning("run::out-of-range", message);
        self.noticed.with_others(diagnostic).help(
            "its model declares this range and may be wrong outside of it; look at what feeds it just before",
        )
    }
}

impl AcceptedLoops {
    pub(super) fn diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let AcceptedLoops { times, residual, connection, .. } = self;
        let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
        let (first, worst) = (seconds(resolution, self.first), seconds(resolution, self.tag));
        Diagnostic::error(
            "run::loop-accepted",
            format!("a loop was not solved, and its last values were accepted, {times}"),
        )
        .with_note(format!("for the first time at {first}"))
        .with_note(format!("greatest residual {residual:.3e} at {connection}, at {worst}"))
        .help("a greater `accept-after` or `tolerance` in `[experiment.iteration]` may help")
    }
}

pub(super) fn parameter_lost(message: String) -> Diagnostic {
    Diagnostic::warning("run::parameter-lost", message).help(
        "the model changes what it is given, so the run is not the one you asked for; give a value that \
         it keeps, or ask its author",
    )
}

/// The same where it must end the run: a node of a distributed run cannot begin anew.
pub(super) fn set_again_needed(message: String) -> Diagnostic {
    Diagnostic::error("run::parameter-lost", message)
        .with_note("a run in one piece begins again and sets it in initialization mode")
        .help("write `setup = \"set-again\"` in its component: parameters are set twice")
}

pub(super) fn constraint_unmet(message: String, first: &str, min: f64) -> Diagnostic {
    Diagnostic::error("run::constraint-unmet", message)
        .with_note(format!("for the first time at {first}; `min` is {min} s"))
        .help("a smaller `min` in `[experiment.variable-step]`, or a greater bound")
}
