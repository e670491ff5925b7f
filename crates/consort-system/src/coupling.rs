//! How a system is coupled: the order, the treatment of algebraic loops, and the size of steps; as
//! written, and as resolved.

use crate::port::Port;
use consort_core::{ComponentId, Seconds, Spanned, Time, VariableId, named};
use serde::{Deserialize, Serialize};

named! {
    /// In which order things are computed at a tag and between tags.
    #[derive(Default, Serialize, Deserialize)]
    pub enum Order {
        /// From the dependencies of every variable: at a tag, outputs that follow inputs at once are
        /// read after those inputs were set; between tags, a component with reactive inputs steps after
        /// what feeds them. Everything else steps side by side.
        #[default]
        Derived => "derived",
        /// Read everything, exchange everything, step everything; feedthrough is not looked at, so
        /// every feedthrough on a path costs one step of delay.
        Jacobi => "jacobi",
        /// As derived, and components step one after another along the connections: an input whose
        /// source stepped before is reactive.
        GaussSeidel => "gauss-seidel",
    }
}

named! {
    /// How connected components that are given by their equations are integrated.
    #[derive(Default, Serialize, Deserialize)]
    pub enum Continuous {
        /// As one system, by one solver: what they exchange is continuous.
        #[default]
        Together => "together",
        /// Each by its own solver, from one communication point to the next, with inputs held.
        Apart => "apart",
    }
}

named! {
    /// What a value that is infinite, no number or far too great does to a run.
    #[derive(Default, Serialize, Deserialize)]
    pub enum OnDivergence {
        /// A warning is given, once.
        #[default]
        Warn => "warn",
        /// The run ends with an error.
        Error => "error",
    }
}

named! {
    /// How the equations of a loop are solved.
    #[derive(Default, Serialize, Deserialize)]
    pub enum IterationMethod {
        /// Fixed point while it contracts, then Newton (or Broyden where an evaluation means steps).
        #[default]
        Auto => "auto",
        /// Fixed point with relaxation only.
        FixedPoint => "fixed-point",
        /// Newton with directional derivatives where there are any, else differences.
        Newton => "newton",
        /// Broyden's method: one matrix of differences, then updates of it.
        Broyden => "broyden",
    }
}

/// How a loop is iterated.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Iteration {
    /// How its equations are solved.
    pub method: IterationMethod,
    /// A residual is small if it is at most `tolerance * max(1, |value|)`.
    pub tolerance: f64,
    /// The most evaluations of the loop at one tag.
    pub limit: u32,
    /// The part of a fixed-point correction that is applied, above 0 and at most 1.
    pub relaxation: f64,
    /// After so many evaluations without a solution the last values are taken, with a warning; if
    /// absent, a loop that is not solved ends the run.
    pub accept_after: Option<u32>,
}

impl Default for Iteration {
    fn default() -> Self {
        Iteration {
            method: IterationMethod::Auto,
            tolerance: 1e-9,
            limit: 100,
            relaxation: 1.0,
            accept_after: None,
        }
    }
}

named! {
    /// What the user wants of algebraic loops.
    #[derive(Default)]
    pub enum LoopChoice {
        /// The system is refused.
        #[default]
        Error => "error",
        /// The loop is solved at every tag.
        Iterate => "iterate",
        /// Connections of the loop are delayed by a step, as few as break it.
        Delay => "delay",
    }
}

/// What becomes of an algebraic loop that no delayed connection breaks.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub enum LoopPolicy {
    /// The system is refused and the loop is named.
    #[default]
    Error,
    /// The loop is solved at every tag.
    Iterate(Iteration),
    /// The loop is broken by delayed connections.
    Delay,
}

// ---- as written ----

/// The coupling as written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coupling {
    /// `[experiment] order`; [`Order::Derived`] if absent.
    pub order: Option<Spanned<Order>>,
    /// `[experiment] loops`; [`LoopChoice::Error`] if absent.
    pub loops: Option<Spanned<LoopChoice>>,
    /// `[experiment.iteration]`: for all loops.
    pub iteration: IterationOptions,
    /// `[[loops]]`: for some loops.
    pub rules: Vec<LoopRule>,
    /// `[experiment.variable-step]`; steps are of one size if absent.
    pub variable_step: Option<VariableStep>,
    /// `[experiment] continuous`; [`Continuous::Together`] if absent.
    pub continuous: Option<Spanned<Continuous>>,
    /// `[experiment] on-divergence`; [`OnDivergence::Warn`] if absent.
    pub on_divergence: Option<Spanned<OnDivergence>>,
}

/// What was said about iterating; the rest is as [`Iteration::default`] has it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct IterationOptions {
    /// How the equations are solved.
    pub method: Option<Spanned<IterationMethod>>,
    /// Relative tolerance.
    pub tolerance: Option<Spanned<f64>>,
    /// The greatest number of evaluations.
    pub limit: Option<Spanned<u32>>,
    /// The part of a correction that is applied.
    pub relaxation: Option<Spanned<f64>>,
    /// After how many evaluations the last values are taken.
    pub accept_after: Option<Spanned<u32>>,
}

/// What becomes of one loop.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopRule {
    /// A variable on the loop: `component.variable`.
    pub through: Spanned<String>,
    /// The treatment of the loop.
    pub policy: LoopChoice,
    /// How; what is not said here is as in `[experiment.iteration]`.
    pub iteration: IterationOptions,
}

/// Steps of changing size, as written. No component has a step of its own then, and the stop need
/// not be a whole number of steps: the last one is as long as it must be.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct VariableStep {
    /// The first step; `[experiment] step` if absent.
    pub initial: Option<Spanned<Seconds>>,
    /// No step is shorter; a 1000th of the first if absent.
    pub min: Option<Spanned<Seconds>>,
    /// No step is longer; the whole experiment if absent.
    pub max: Option<Spanned<Seconds>>,
    /// Relative tolerance of the error of a step; 1e-4 if absent.
    pub relative: Option<Spanned<f64>>,
    /// Absolute tolerance of the error of a step; 1e-6 if absent.
    pub absolute: Option<Spanned<f64>>,
    /// Whether the error of steps is estimated, by taking each step once whole and once in two
    /// halves; it is, if absent. If not, steps only shrink when a component rejects them, and grow
    /// back after.
    pub error_control: Option<Spanned<bool>>,
    /// Conditions on the steps.
    pub constraints: Vec<StepConstraint>,
}

/// A condition on steps of changing size, as written.
#[derive(Clone, PartialEq, Debug)]
pub enum StepConstraint {
    /// A step ends where a value, or the difference of two, crosses zero.
    ZeroCrossing {
        /// One variable or two: `component.variable`.
        variables: Vec<Spanned<String>>,
        /// How near to zero is at zero; 1e-3 if absent.
        tolerance: Option<Spanned<f64>>,
    },
    /// Of one variable: how much it may change over a step. Of several: how much they may differ.
    BoundedDifference {
        /// The variables: `component.variable`.
        variables: Vec<Spanned<String>>,
        /// The greatest difference; 1e-3 if neither is given.
        absolute: Option<Spanned<f64>>,
        /// The greatest difference in parts of the greatest value.
        relative: Option<Spanned<f64>>,
    },
    /// Steps end at `start + k * period`.
    Sampling {
        /// The first; 0 if absent.
        start: Option<Spanned<Seconds>>,
        /// The time between two instants.
        period: Spanned<Seconds>,
    },
    /// No step is longer than what a component says when it is asked before it.
    ComponentMax,
}

impl StepConstraint {
    /// The names of the kinds in files.
    pub const KINDS: [&'static str; 4] =
        ["zero-crossing", "bounded-difference", "sampling", "component-max-step"];

    /// The name of its kind in files.
    pub fn kind(&self) -> &'static str {
        match self {
            StepConstraint::ZeroCrossing { .. } => Self::KINDS[0],
            StepConstraint::BoundedDifference { .. } => Self::KINDS[1],
            StepConstraint::Sampling { .. } => Self::KINDS[2],
            StepConstraint::ComponentMax => Self::KINDS[3],
        }
    }
}

// ---- as resolved ----

/// The coupling, resolved.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ResolvedCoupling {
    /// In which order things are computed.
    pub order: Order,
    /// What becomes of a loop that no rule names.
    pub loops: LoopPolicy,
    /// What becomes of the loop through a variable; the first that fits counts.
    pub rules: Vec<ResolvedLoopRule>,
    /// Steps of changing size; all components have one period then.
    pub variable_step: Option<ResolvedVariableStep>,
    /// Conditions on steps of changing size.
    pub constraints: Vec<ResolvedStepConstraint>,
    /// How connected components that are given by their equations are integrated.
    pub continuous: Continuous,
    /// What a value that is infinite, no number or far too great does.
    pub on_divergence: OnDivergence,
}

impl ResolvedCoupling {
    /// The ports that constraints look at.
    pub fn constrained(&self) -> impl Iterator<Item = Port> + '_ {
        self.constraints.iter().flat_map(ResolvedStepConstraint::ports).copied()
    }
}

/// What becomes of the loop through a variable.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResolvedLoopRule {
    /// The component of the variable.
    pub component: ComponentId,
    /// The variable at which the loop is cut.
    pub variable: VariableId,
    /// The treatment of the loop.
    pub policy: LoopPolicy,
}

/// Steps of changing size.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResolvedVariableStep {
    /// The first step.
    pub initial: Time,
    /// No step is shorter, but for the last.
    pub min: Time,
    /// No step is longer.
    pub max: Time,
    /// Error control by step doubling: relative and absolute tolerance.
    pub tolerances: Option<StepTolerances>,
}

/// A condition on steps of changing size.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ResolvedStepConstraint {
    /// A step ends where a value, or the difference of two, crosses zero.
    ZeroCrossing {
        /// One real number, or two.
        ports: Vec<Port>,
        /// How near to zero is at zero.
        tolerance: f64,
    },
    /// Of one number: how much it may change over a step. Of several: how much they may differ.
    BoundedDifference {
        /// The variables, which are real numbers.
        ports: Vec<Port>,
        /// The greatest difference.
        absolute: f64,
        /// The greatest difference in parts of the greatest value.
        relative: f64,
    },
    /// Steps end at `start + k * period`.
    Sampling {
        /// The first instant.
        start: Time,
        /// The time between two instants.
        period: Time,
    },
    /// No step is longer than what a component says when it is asked before it.
    ComponentMax,
}

impl ResolvedStepConstraint {
    /// The ports that it looks at.
    pub fn ports(&self) -> &[Port] {
        match self {
            ResolvedStepConstraint::ZeroCrossing { ports, .. }
            | ResolvedStepConstraint::BoundedDifference { ports, .. } => ports,
            ResolvedStepConstraint::Sampling { .. } | ResolvedStepConstraint::ComponentMax => &[],
        }
    }
}

/// How much of an error a step may have: at most `absolute + relative * |value|` in every real
/// output.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepTolerances {
    /// The tolerance relative to the value.
    pub relative: f64,
    /// The absolute tolerance.
    pub absolute: f64,
}

impl Default for StepTolerances {
    fn default() -> Self {
        StepTolerances { relative: 1e-4, absolute: 1e-6 }
    }
}
