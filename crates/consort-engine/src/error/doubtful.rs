//! Results that are doubtful, though the run could go on: values that diverged, loops that were accepted.

use super::seconds;
use consort_core::{Diagnostic, Resolution, Tag};

/// Values that nothing can have.
#[derive(Clone, PartialEq, Debug)]
pub struct Diverged {
    /// The first: `component.variable`.
    pub variable: String,
    /// When.
    pub tag: Tag,
    /// What it was then.
    pub value: f64,
    /// Its nominal value, if it has one.
    pub nominal: Option<f64>,
    /// It was so at the first tag already.
    pub at_start: bool,
    /// Some of those after it.
    pub others: Vec<String>,
    /// How many more there were.
    pub more: usize,
}

/// Loops whose last values were taken although they are not solved.
#[derive(Clone, PartialEq, Debug)]
pub struct AcceptedLoops {
    /// How often.
    pub times: u64,
    /// When for the first time.
    pub first: Tag,
    /// The greatest residual, relative to values above 1.
    pub residual: f64,
    /// Where it was.
    pub connection: String,
    /// When.
    pub tag: Tag,
}

impl Diverged {
    pub(super) fn what(&self) -> String {
        let Diverged { variable, value, nominal, .. } = self;
        let verb = if self.at_start { "is" } else { "became" };
        if value.is_nan() {
            return format!("`{variable}` {verb} NaN");
        }
        if value.is_infinite() {
            return format!("`{variable}` {verb} infinite");
        }
        let times = nominal.map_or(String::new(), |nominal| {
            format!(", {:.1e} times its nominal value", (value / nominal).abs())
        });
        format!("`{variable}` {verb} {value:.3e}{times}")
    }

    /// As a warning: who ends a run for it says so.
    pub(super) fn diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let code = if self.value.is_finite() { "run::diverged" } else { "run::not-finite" };
        let when = match self.at_start {
            true => "from the start".to_owned(),
            false => format!("at {}", seconds(resolution, self.tag)),
        };
        let mut diagnostic = Diagnostic::error(code, format!("{} {when}", self.what()));
        if !self.others.is_empty() {
            let names: Vec<String> = self.others.iter().map(|name| format!("`{name}`")).collect();
            let more = match self.more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            diagnostic = diagnostic.with_note(format!("after it {}{more}", names.join(", ")));
        }
        diagnostic.help("look at what feeds it just before, or take smaller steps")
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
