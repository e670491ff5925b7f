//! How components that are given by their equations are to be integrated.

use consort_core::{Interface, Seconds, SolverKind, Spanned};

/// What a component says about its solver; what it does not say, the experiment says for all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Solving {
    /// Which interface of an FMU with several is used.
    pub interface: Option<Spanned<Interface>>,
    /// Which of our solvers integrates it.
    pub solver: Option<Spanned<SolverKind>>,
    /// The relative tolerance of that solver.
    pub tolerance: Option<Spanned<f64>>,
    /// How long a fixed step is, and the longest of a variable one.
    pub step: Option<Spanned<Seconds>>,
}

/// What the experiment says for all components that one of our solvers integrates; its tolerance is
/// that of all solvers, also of those inside models.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SolverDefaults {
    /// Which of our solvers.
    pub solver: Option<Spanned<SolverKind>>,
    /// How long a fixed step is, and the longest of a variable one.
    pub step: Option<Spanned<Seconds>>,
}
