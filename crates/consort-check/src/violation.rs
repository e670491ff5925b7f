//! Violations of the contract by a plan, as data and as text.

use std::fmt;

/// The first thing in the order of execution that breaks the contract.
///
/// All that is executed before it keeps the contract, so the operations up to this one are the
/// shortest prefix of the execution that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The program of the plan in which it happens.
    pub program: CheckedProgram,
    /// Which stage, counted from 1, outermost first; empty at the end of the program.
    pub stage: Vec<usize>,
    /// The tag at which it happens.
    pub tag: At,
    /// The action that violates the contract.
    pub action: PlanAction,
    /// Why it is wrong.
    pub fault: Fault,
}

/// A program of a plan or of a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckedProgram {
    /// Runs once, before the first step.
    Initialization,
    /// Run at a tag, before it is recorded.
    Present,
    /// Run from a tag to the next ones.
    Advance,
    /// The step of a scenario, by its name there.
    CosimStep,
}

impl fmt::Display for CheckedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckedProgram::Initialization => "initialization",
            CheckedProgram::Present => "present",
            CheckedProgram::Advance => "advance",
            CheckedProgram::CosimStep => "cosim-step",
        })
    }
}

/// The tag at which the contract is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum At {
    /// The first, right after initialization.
    First,
    /// A later one at which everything is due.
    Later,
    /// One at which only some are due.
    Partial {
        /// The components that are due; the first few.
        due: Vec<String>,
    },
}

/// What was done, or left undone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanAction {
    /// Reading a variable.
    Get(String),
    /// Giving an input its value.
    Set(String),
    /// A component's step.
    Step(String),
    /// A value moving along a connection.
    Exchange(String),
    /// All that is done with a component in one stage.
    Task(String),
    /// Activating a clock.
    Tick(String),
    /// Solving a loop.
    Iterate,
    /// Steps that may be rejected.
    Attempt,
    /// Integrating components as one.
    Integrate,
    /// Saving a component's state.
    Save(String),
    /// Going back to a component's saved state.
    Restore(String),
}

impl fmt::Display for PlanAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanAction::Get(variable) => write!(f, "`get {variable}`"),
            PlanAction::Set(variable) => write!(f, "`set {variable}`"),
            PlanAction::Step(component) => write!(f, "the step of `{component}`"),
            PlanAction::Exchange(connection) => write!(f, "the exchange `{connection}`"),
            PlanAction::Task(component) => write!(f, "the task of `{component}`"),
            PlanAction::Tick(clock) => write!(f, "`tick {clock}`"),
            PlanAction::Iterate => f.write_str("`iterate`"),
            PlanAction::Attempt => f.write_str("`attempt`"),
            PlanAction::Integrate => f.write_str("`integrate`"),
            PlanAction::Save(component) => write!(f, "saving `{component}`"),
            PlanAction::Restore(component) => write!(f, "restoring `{component}`"),
        }
    }
}

/// A value and the tags it is needed of and had of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missed {
    /// The value: `component.variable` of its source.
    pub value: String,
    /// The input through which it is missed, if the operation is not about that input.
    pub through: Option<String>,
    /// The tag it is needed of.
    pub needs: Of,
    /// The tag of the value that is there.
    pub has: Of,
}

/// The tag a value belongs to, seen from the tag at which the contract is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// No value was given yet, or only a start value.
    Nothing,
    /// A tag before the last.
    LongAgo,
    /// The source's tag before.
    Before,
    /// The present tag.
    Present,
    /// The tag at which the coming step ends.
    Next,
}

impl Of {
    /// The tag that is `steps` of the source's steps after the present one; `None`: no tag at all.
    pub(crate) fn steps(steps: Option<i32>) -> Self {
        match steps {
            None => Of::Nothing,
            Some(0) => Of::Present,
            Some(-1) => Of::Before,
            Some(steps) if steps < 0 => Of::LongAgo,
            Some(_) => Of::Next,
        }
    }
}

/// Why something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// It comes before a value it needs.
    TooEarly(Box<Missed>),
    /// It comes after the value it needs was replaced.
    TooLate(Box<Missed>),
    /// A read of a component that answers by step only, after it was given inputs.
    AfterSet {
        /// The component whose inputs were set.
        component: String,
    },
    /// It is done again where it may be done once only.
    Twice,
    /// It is not done at all.
    Never,
    /// It comes before a value that it needs is known in the same evaluation.
    NotEvaluated {
        /// The value: `component.variable`.
        value: String,
    },
    /// An evaluation of components that are integrated as one does not do it.
    LeftOut,
    /// A component shall be integrated and has no equations.
    NoEquations,
    /// A step does not go as far as the others.
    OtherSize,
    /// It is done where it may not be done.
    Misplaced {
        /// Which rule forbids it.
        rule: Rule,
    },
    /// A component's step may be taken back, but the component is not saved.
    NotSaved {
        /// The action whose list lacks it.
        by: PlanAction,
    },
    /// A component must be saved and cannot be.
    CannotSave,
    /// A loop's last stage does not exchange one of its unknowns.
    NotExchanged {
        /// The unknown: a connection.
        unknown: String,
    },
    /// The plan names what the system does not have.
    Unknown {
        /// The kind of thing that is named.
        what: &'static str,
        /// The index that is out of range.
        index: usize,
    },
    /// Stages are nested deeper than [`NESTING_MAX`].
    TooDeep,
}

/// Where something may be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// Steps stand in `advance` only.
    StepsInAdvance,
    /// With steps of changing size, all steps stand in one `attempt`.
    StepsInAttempt,
    /// Attempts stand in `advance` only.
    AttemptsInAdvance,
    /// Components are integrated as one in `advance` only.
    IntegratesInAdvance,
    /// What is integrated as one steps at one rate.
    IntegratesOneRate,
    /// An evaluation of what is integrated as one has no part in anything else.
    NothingElseInside,
    /// Within `advance`, values move between components of one period only.
    OneRate,
    /// Delayed connections are exchanged in `present` only.
    DelayedInPresent,
    /// A stage has one task per component.
    OneTask,
    /// A state is restored only after it was saved.
    RestoreAfterSave,
    /// Scenarios step in `cosim-step` only.
    StepsInCosimStep,
}

/// Deeper nesting of loops than this is refused.
pub const NESTING_MAX: usize = 64;

impl Violation {
    /// What to do about it.
    pub fn help(&self) -> String {
        match &self.fault {
            Fault::TooEarly(missed) => early_help(&self.action, missed),
            Fault::TooLate(missed) => format!(
                "do it before `{}` of a later tag is moved there, or move the present value again",
                missed.value
            ),
            Fault::AfterSet { component } => format!(
                "read `{component}` right after its step, before any of its inputs is set: its \
                 outputs do not follow its inputs at once"
            ),
            Fault::Twice => "leave one of them out".to_owned(),
            Fault::Never => match &self.action {
                PlanAction::Get(variable) => format!("read `{variable}`: it is used at every tag"),
                PlanAction::Exchange(_) => "exchange it after its source was read".to_owned(),
                _ => "add it: it has to happen once in this program".to_owned(),
            },
            Fault::NotEvaluated { value } => {
                format!("within the evaluation, read, move and set `{value}` before this")
            }
            Fault::LeftOut => {
                "add it to the stages of `integrate`: its value changes with the states \
                 at every evaluation"
                    .to_owned()
            }
            Fault::NoEquations => {
                "step the component by itself: its model has a solver of its own".to_owned()
            }
            Fault::OtherSize => "step all FMUs by one size: in a loop `until-step-accept` that \
                 lists those that may reject it, or `by-same-as` the one that stepped first"
                .to_owned(),
            Fault::Misplaced { rule } => rule.help().to_owned(),
            Fault::NotSaved { by } => {
                format!("add the component to the components that {by} rolls back")
            }
            Fault::CannotSave => {
                "its model does not save its state: break the loop with a delayed connection, or \
                 use a fixed step"
                    .to_owned()
            }
            Fault::NotExchanged { unknown } => {
                format!("end the loop with an exchange that has `{unknown}`")
            }
            Fault::Unknown { .. } => "take an id that the system has".to_owned(),
            Fault::TooDeep => format!("nest at most {NESTING_MAX} stages"),
        }
    }
}

fn early_help(action: &PlanAction, missed: &Missed) -> String {
    let Missed { value, needs, has, .. } = missed;
    match (action, needs, has) {
        (_, Of::Next, _) => {
            format!("step what `{value}` comes from first, read it and exchange it before this")
        }
        (PlanAction::Step(_), ..) => format!("set the input to `{value}` of the present tag first"),
        (PlanAction::Get(_), ..) => {
            format!("exchange and set what `{value}` gives first: this output follows it at once")
        }
        _ => format!("read `{value}` and exchange it before this"),
    }
}

impl Rule {
    fn text(self) -> &'static str {
        match self {
            Rule::StepsInAdvance => "components step in `advance` only",
            Rule::StepsInAttempt => {
                "with steps of changing size, all components step within one `attempt`"
            }
            Rule::AttemptsInAdvance => "`attempt` is allowed in `advance` only",
            Rule::IntegratesInAdvance => "`integrate` is allowed in `advance` only",
            Rule::IntegratesOneRate => "what is integrated as one steps at one rate",
            Rule::NothingElseInside => {
                "an evaluation reads and sets, and moves values, between the components of its \
                 `integrate` only"
            }
            Rule::OneRate => "within `advance` values move between components of one period only",
            Rule::DelayedInPresent => "delayed connections are exchanged in `present` only",
            Rule::OneTask => "a stage has one task per component",
            Rule::RestoreAfterSave => "a state is restored only after it was saved",
            Rule::StepsInCosimStep => "FMUs step in `cosim-step` only",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Rule::StepsInAdvance => "move the step to `advance`",
            Rule::StepsInAttempt => {
                "move the step into the `attempt` of the others, so that all can be taken back"
            }
            Rule::AttemptsInAdvance | Rule::IntegratesInAdvance => "move it to `advance`",
            Rule::IntegratesOneRate => "integrate components of one period together",
            Rule::NothingElseInside => {
                "do it before or after `integrate`: other inputs hold over the step"
            }
            Rule::OneRate | Rule::DelayedInPresent => "exchange it in `present`",
            Rule::OneTask => "write one task with all operations, or two stages",
            Rule::RestoreAfterSave => "save it before the loop",
            Rule::StepsInCosimStep => "move the step to `cosim-step`",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stage.is_empty() {
            write!(f, "at the end of `{}`", self.program)?;
        } else {
            let path: Vec<String> = self.stage.iter().map(usize::to_string).collect();
            write!(f, "`{}`, stage {}", self.program, path.join("."))?;
        }
        match &self.tag {
            At::Later => {}
            At::First if self.program == CheckedProgram::Initialization => {}
            At::First => f.write_str(", at the first tag")?,
            At::Partial { due } => {
                write!(f, ", at a tag where only {} are due", list(due))?;
            }
        }
        write!(f, ": {} {}", self.action, self.fault)
    }
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

impl std::error::Error for Violation {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TooEarly(missed) => write!(f, "comes too early: {missed}"),
            Fault::TooLate(missed) => write!(f, "comes too late: {missed}"),
            Fault::AfterSet { component } => write!(
                f,
                "comes too late: `{component}` was given inputs since its last step, and its \
                 outputs change by steps only"
            ),
            Fault::Twice => f.write_str("comes twice"),
            Fault::Never => f.write_str("never happens"),
            Fault::NotEvaluated { value } => {
                write!(f, "comes too early: `{value}` is not known yet in this evaluation")
            }
            Fault::LeftOut => f.write_str("is left out of the evaluation"),
            Fault::NoEquations => {
                f.write_str("cannot be part of `integrate`: its model gives away no equations")
            }
            Fault::OtherSize => f.write_str("does not go as far as the others"),
            Fault::Misplaced { rule } => write!(f, "is not allowed here: {}", rule.text()),
            Fault::NotSaved { by } => {
                write!(f, "may be taken back, but {by} does not save the component")
            }
            Fault::CannotSave => f.write_str("is needed, but its model cannot save its state"),
            Fault::NotExchanged { unknown } => {
                write!(f, "does not end with an exchange that brings `{unknown}` back")
            }
            Fault::Unknown { what, index } => write!(f, "names {what} {index}, which is not there"),
            Fault::TooDeep => write!(f, "is nested deeper than {NESTING_MAX} stages"),
        }
    }
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it needs ")?;
        if let Some(input) = &self.through {
            write!(f, "`{input}` to be set with ")?;
        }
        write!(f, "`{}` {}, has ", self.value, self.needs.at())?;
        f.write_str(match self.has {
            Of::Nothing => "none",
            Of::LongAgo => "an older one",
            Of::Before => "the one of the tag before",
            Of::Present => "the one of the present tag",
            Of::Next => "the one of the next tag",
        })
    }
}

impl Of {
    fn at(self) -> &'static str {
        match self {
            Of::Nothing => "at the start",
            Of::LongAgo => "at an earlier tag",
            Of::Before => "at the tag before",
            Of::Present => "at the present tag",
            Of::Next => "at the tag where the step ends",
        }
    }
}
