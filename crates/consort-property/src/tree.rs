//! The syntax tree of a formula.

use consort_core::{Comparison, Seconds};

/// A function of one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Negate,
    Abs,
    Sqrt,
    Exp,
    Ln,
    Sin,
    Cos,
}

/// A function of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
}

/// A number computed from the values at one time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Term {
    Number(f64),
    /// By its place among the signals.
    Signal(usize),
    Function(Function, Box<Term>),
    Operation(Operation, Box<Term>, Box<Term>),
}

/// How two formulas are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Joint {
    And,
    Or,
    Implies,
    Iff,
    Xor,
}

/// Which way an operator looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Future,
    Past,
}

/// From when to when an operator looks; without an end, to the end of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) from: Seconds,
    pub(crate) to: Option<Seconds>,
}

/// What is true or false at a time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Formula {
    Constant(bool),
    Compare(Comparison, Term, Term),
    /// A signal that is not zero.
    Signal(usize),
    /// A signal changes at some tag of the time.
    Event(usize),
    /// A signal is not zero at some tag of the time.
    Tick(usize),
    Not(Box<Formula>),
    Join(Joint, Box<Formula>, Box<Formula>),
    /// It holds, and did not just before.
    Rise(Box<Formula>),
    /// Somewhere in the interval.
    Some(Way, Bounds, Box<Formula>),
    /// Everywhere in the interval.
    All(Way, Bounds, Box<Formula>),
    /// The second somewhere in the interval, and the first between here and there.
    Hold(Way, Bounds, Box<Formula>, Box<Formula>),
}

impl Term {
    /// The value, given those of the signals.
    pub(crate) fn value(&self, signals: &[f64]) -> f64 {
        match self {
            Term::Number(value) => *value,
            Term::Signal(place) => signals[*place],
            Term::Function(function, of) => function.value(of.value(signals)),
            Term::Operation(operation, a, b) => operation.value(a.value(signals), b.value(signals)),
        }
    }

    /// Calls with each signal in it.
    pub(crate) fn each_signal(&self, call: &mut dyn FnMut(usize)) {
        match self {
            Term::Number(_) => {}
            Term::Signal(place) => call(*place),
            Term::Function(_, of) => of.each_signal(call),
            Term::Operation(_, a, b) => {
                a.each_signal(call);
                b.each_signal(call);
            }
        }
    }
}

impl Function {
    fn value(self, of: f64) -> f64 {
        match self {
            Function::Negate => -of,
            Function::Abs => of.abs(),
            Function::Sqrt => of.sqrt(),
            Function::Exp => libm::exp(of),
            Function::Ln => libm::log(of),
            Function::Sin => libm::sin(of),
            Function::Cos => libm::cos(of),
        }
    }
}

impl Operation {
    /// A minimum or maximum with NaN is NaN: nothing is hidden.
    fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
            Operation::Divide => a / b,
            Operation::Power => libm::pow(a, b),
            Operation::Min | Operation::Max if a.is_nan() || b.is_nan() => f64::NAN,
            Operation::Min => a.min(b),
            Operation::Max => a.max(b),
        }
    }
}
