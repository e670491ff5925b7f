//! Which recurrence a solver follows.

/// An explicit method of fixed step; `f_n` is f(x_n, u_n, t_n), `h` the length of the step.
///
/// All but the Runge-Kutta method ask for derivatives at the points of the grid only. So components
/// that solve their own parts by one of them, and exchange u at each point, compute what that method
/// computes for the whole system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Forward Euler: `x + h f_n`. Order 1.
    Euler,
    /// `x + h (3/2 f_n - 1/2 f_{n-1})`. Order 2, whichever the start.
    AdamsBashforth2(Start),
    /// `x + h (23/12 f_n - 4/3 f_{n-1} + 5/12 f_{n-2})`. Order 3 if started by
    /// [`Start::RungeKutta4`], else 2: the error of the first step, by Euler, stays.
    AdamsBashforth3(Start),
    /// The classical Runge-Kutta method, four derivatives in a step. Order 4 for an input that is
    /// known, or does not change, between the points of the grid.
    RungeKutta4,
}

/// How a multistep method takes the steps for which it has no history yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// By the same family with the history there is: Euler, then Adams-Bashforth of order 2.
    LowerOrder,
    /// By the classical Runge-Kutta method, which keeps the order but asks for derivatives between
    /// the points of the grid.
    RungeKutta4,
}

impl Method {
    /// How many derivatives of earlier steps it uses.
    pub(crate) fn history(self) -> usize {
        match self {
            Method::Euler | Method::RungeKutta4 => 0,
            Method::AdamsBashforth2(_) => 1,
            Method::AdamsBashforth3(_) => 2,
        }
    }

    /// Whether a step with so many derivatives of earlier steps at hand is a Runge-Kutta step.
    pub(crate) fn steps_by_stages(self, filled: usize) -> bool {
        match self {
            Method::Euler => false,
            Method::RungeKutta4 => true,
            Method::AdamsBashforth2(start) | Method::AdamsBashforth3(start) => {
                start == Start::RungeKutta4 && filled < self.history()
            }
        }
    }

    /// Every method; its place stands for it in a solver's bytes.
    pub(crate) const ALL: [Method; 6] = [
        Method::Euler,
        Method::AdamsBashforth2(Start::LowerOrder),
        Method::AdamsBashforth2(Start::RungeKutta4),
        Method::AdamsBashforth3(Start::LowerOrder),
        Method::AdamsBashforth3(Start::RungeKutta4),
        Method::RungeKutta4,
    ];
}
