//! The solver of a model: what users choose, and the settings that a model gets.

use crate::named;
use crate::time::Seconds;
use serde::{Deserialize, Serialize};
use std::fmt;

named! {
    /// Which solver integrates a model.
    #[derive(Default, Serialize, Deserialize)]
    pub enum SolverKind {
        /// Adams formulas or backward differentiation formulas, whichever is faster: when nothing is known.
        #[default]
        Auto => "auto",
        /// Backward differentiation formulas of orders 1 to 5: for stiff models.
        Bdf => "bdf",
        /// Adams formulas of orders 1 to 12: for smooth models that are not stiff.
        Adams => "adams",
        /// Bogacki and Shampine's pair of orders 3 and 2: for rough answers and many events.
        BogackiShampine => "bs32",
        /// Dormand and Prince's pair of orders 5 and 4.
        DormandPrince5 => "dopri5",
        /// Dormand and Prince's method of order 8: for precise answers.
        DormandPrince8 => "dop853",
        /// Forward Euler, with steps of fixed length.
        Euler => "euler",
        /// Adams-Bashforth of order 2, with steps of fixed length.
        AdamsBashforth2 => "ab2",
        /// Adams-Bashforth of order 3, with steps of fixed length.
        AdamsBashforth3 => "ab3",
        /// The classical Runge-Kutta method of order 4, with steps of fixed length.
        RungeKutta4 => "rk4",
    }
}

impl SolverKind {
    /// Whether its steps have a length that is given and not found from an error: a tolerance means
    /// nothing to it.
    pub fn has_fixed_step(self) -> bool {
        matches!(
            self,
            SolverKind::Euler
                | SolverKind::AdamsBashforth2
                | SolverKind::AdamsBashforth3
                | SolverKind::RungeKutta4
        )
    }
}

named! {
    /// Which of its interfaces an FMU is used by.
    #[derive(Serialize, Deserialize)]
    pub enum Interface {
        /// The model brings its own solver.
        CoSimulation => "co-simulation",
        /// It is given by its equations; one of our solvers integrates it.
        ModelExchange => "model-exchange",
    }
}

/// The relative tolerance of a solver if none is given.
pub const TOLERANCE: f64 = 1e-6;

/// Whether a solver can work with this relative tolerance: it is a part of a value.
pub fn is_tolerance(tolerance: f64) -> bool {
    0.0 < tolerance && tolerance < 1.0
}

/// How a model that is given by its equations is integrated.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SolverSettings {
    /// The solver to use.
    pub kind: SolverKind,
    /// The relative tolerance; the run's where there is none, else the model's own.
    pub tolerance: Option<f64>,
    /// How long a fixed step is, and the longest step of a variable one. Without it a fixed step is
    /// as long as a communication step.
    pub step: Option<Seconds>,
}

/// What a solver has done for a model since the run's start; a part of the instance's state, so that a run that
/// was resumed reports what one without a break reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SolverWork {
    /// Steps that were taken.
    pub steps: u64,
    /// Steps that were repeated, because their error was too large or their equations were not solved.
    pub rejected: u64,
    /// Evaluations of the derivatives, those for differences included.
    pub evaluations: u64,
    /// Number of Jacobians computed.
    pub jacobians: u64,
    /// Number of matrices factorized.
    pub factorizations: u64,
    /// Events: of time, of states and of steps; inputs that switched something count.
    pub events: u64,
    /// The order of the last step; zero if none was taken since the solver began anew.
    pub order: u64,
    /// How often an automatic choice went over to other formulas.
    pub switches: u64,
    /// The formulas that an automatic choice uses now; none where nothing is chosen.
    pub in_use: Option<SolverKind>,
}

impl SolverWork {
    /// All numbers by name.
    pub fn named(&self) -> [(&'static str, u64); 8] {
        [
            ("steps", self.steps),
            ("rejected", self.rejected),
            ("evaluations", self.evaluations),
            ("jacobians", self.jacobians),
            ("factorizations", self.factorizations),
            ("events", self.events),
            ("order", self.order),
            ("switches", self.switches),
        ]
    }
}

impl From<SolverKind> for SolverSettings {
    fn from(kind: SolverKind) -> Self {
        SolverSettings { kind, ..SolverSettings::default() }
    }
}

impl fmt::Display for SolverSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if let Some(tolerance) = self.tolerance {
            write!(f, ", tolerance {tolerance:e}")?;
        }
        match self.step {
            Some(step) if self.kind.has_fixed_step() => write!(f, ", steps of {step} s"),
            Some(step) => write!(f, ", steps up to {step} s"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_what_they_name() {
        for (kind, name) in SolverKind::ALL {
            assert_eq!((kind.name(), SolverKind::from_name(name)), (name, Some(kind)));
        }
        for (interface, name) in Interface::ALL {
            assert_eq!(interface.name(), name);
        }
        assert_eq!(SolverKind::from_name("BDF"), None);
    }

    #[test]
    fn settings_are_shown_as_far_as_they_say_something() {
        let check = |kind: SolverKind, tolerance, step: Option<&str>, expected| {
            let step = step.map(|step| step.parse().expect("a time"));
            assert_eq!(SolverSettings { kind, tolerance, step }.to_string(), expected);
        };
        check(SolverKind::Bdf, None, None, "bdf");
        check(SolverKind::RungeKutta4, None, Some("1/3"), "rk4, steps of 1/3 s");
        check(
            SolverKind::Adams,
            Some(1e-8),
            Some("0.01"),
            "adams, tolerance 1e-8, steps up to 0.01 s",
        );
    }
}
