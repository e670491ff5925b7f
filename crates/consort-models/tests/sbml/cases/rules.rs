//! Rules, initial assignments and functions.

use super::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    [ASSIGNMENTS, RATES, FIRSTS, FUNCTIONS].concat()
}

const ASSIGNMENTS: &[Case] = &[
    case(
        "an assignment of time",
        "variable p = 7
             p := 2*time + 1",
        2.0,
        &[("p", |t| 2.0 * t + 1.0)],
    ),
    case(
        "assignments that need each other out of order",
        "variable p = 0
             variable q = 0
             variable r = 0
             p := 2*q
             q := r + 1
             r := 3*time",
        2.0,
        &[("p", |t| 6.0 * t + 2.0), ("q", |t| 3.0 * t + 1.0)],
    ),
    case(
        "an assigned concentration",
        "compartment C = 2
             species A in C = 9
             species B in C = 3
             A := 2*B
             reaction R: B ->  : 0.5*B*C",
        3.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "an assigned amount",
        "compartment C = 2
             species A in C amount 9 only
             species B in C amount 3 only
             A := 2*B + C
             reaction R: B ->  : 0.5*B",
        3.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp() + 2.0)],
    ),
    case(
        "an assigned rate constant",
        "compartment C = 2
             species A in C = 3
             variable k = 0
             k := 0.5*time
             reaction R: A ->  : k*A*C",
        3.0,
        &[("A", |t| 3.0 * (-0.25 * t * t).exp())],
    ),
    case(
        "an assigned concentration in an assigned compartment",
        "compartment C = 2 varying
             species A in C = 9
             species B in C amount 4
             C := 2 + time
             A := B*C",
        3.0,
        &[("A", |_| 4.0), ("B", |t| 4.0 / (2.0 + t))],
    ),
    case(
        "an assigned sum of all",
        "compartment C = 2
             species A in C = 3
             species B in C = 1
             variable total = 0
             total := (A + B)*C
             reaction R: A -> B : 0.5*A*C",
        3.0,
        &[("total", |_| 8.0)],
    ),
];

const RATES: &[Case] = &[
    case(
        "growth",
        "variable x = 1
             parameter r = 0.5
             der x = r*x",
        3.0,
        &[("x", |t| (0.5 * t).exp())],
    ),
    case(
        "an oscillator",
        "variable x = 0
             variable y = 1
             der x = 2*y
             der y = -2*x",
        5.0,
        &[("x", |t| (2.0 * t).sin()), ("y", |t| (2.0 * t).cos())],
    ),
    case(
        "a damped oscillator",
        "variable x = 1
             variable v = -0.1
             der x = v
             der v = -1.01*x - 0.2*v",
        8.0,
        &[("x", |t| (-0.1 * t).exp() * t.cos())],
    ),
    case(
        "a rate of time",
        "variable x = 1
             der x = 3*time^2",
        2.0,
        &[("x", |t| 1.0 + t.powi(3))],
    ),
    case(
        "a forced decay",
        "variable x = 0
             der x = sin(time) - x",
        5.0,
        &[("x", |t| 0.5 * (t.sin() - t.cos() + (-t).exp()))],
    ),
    case(
        "a rate rule on a concentration",
        "compartment C = 2
             species A in C = 3
             der A = -0.5*A",
        3.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "a rate rule on an amount",
        "compartment C = 2
             species A in C = 3 only
             der A = -0.5*A",
        3.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "a rate rule on a concentration in a growing compartment",
        "compartment C = 2 varying
             species A in C = 3
             der C = 0.1*C
             der A = -0.5*A",
        3.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("C", |t| 2.0 * (0.1 * t).exp())],
    ),
    case(
        "a rate rule on a compartment",
        "compartment C = 2 varying
             variable p = 0
             p := 1/C
             der C = 0.5",
        3.0,
        &[("C", |t| 2.0 + 0.5 * t), ("p", |t| 1.0 / (2.0 + 0.5 * t))],
    ),
    case(
        "a rate constant that decays",
        "compartment C = 2
             species A in C = 3
             variable k = 0.5
             der k = -k
             reaction R: A ->  : k*A*C",
        3.0,
        &[("A", |t| 3.0 * (-0.5 * (1.0 - (-t).exp())).exp())],
    ),
    case(
        "a rate rule beside a reaction",
        "compartment C = 2
             species A in C = 3
             variable x = 0
             der x = A
             reaction R: A ->  : 0.5*A*C",
        3.0,
        &[("x", |t| 6.0 - 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "logistic growth",
        "variable x = 0.1
             der x = x*(1 - x)",
        8.0,
        &[("x", |t| 1.0 / (1.0 + 9.0 * (-t).exp()))],
    ),
    case(
        "van der Pol's oscillator",
        "variable x = 2
             variable y = 0
             der x = y
             der y = 2*(1 - x^2)*y - x",
        6.0,
        &[],
    ),
    case(
        "Lorenz's attractor, for a while",
        "variable x = 1
             variable y = 1
             variable z = 1
             der x = 10*(y - x)
             der y = x*(28 - z) - y
             der z = x*y - 8/3*z",
        2.0,
        &[],
    ),
    case(
        "rates through assignments",
        "variable x = 1
             variable p = 0
             variable q = 0
             p := -0.5*q
             q := x
             der x = p",
        3.0,
        &[("x", |t| (-0.5 * t).exp()), ("p", |t| -0.5 * (-0.5 * t).exp())],
    ),
];

const FIRSTS: &[Case] = &[
    case(
        "a first value from parameters",
        "parameter a = 3
             variable x = 99
             initial x = 2*a
             der x = -x",
        2.0,
        &[("x", |t| 6.0 * (-t).exp())],
    ),
    case(
        "a first concentration",
        "compartment C = 2
             species A in C amount 99
             parameter a = 3
             initial A = a
             reaction R: A ->  : 0.5*A*C",
        2.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "a first amount",
        "compartment C = 2
             species A in C = 99 only
             parameter a = 3
             initial A = a*C
             reaction R: A ->  : 0.5*A",
        2.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "a first size",
        "compartment C = 99
             species A in C amount 6
             parameter a = 1
             initial C = 2*a
             reaction R: A ->  : 0.5*A*C",
        2.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "a first size of a compartment that grows",
        "compartment C = 99 varying
             species A in C amount 6
             parameter a = 1
             initial C = 2*a
             der C = 0.5",
        2.0,
        &[("A", |t| 6.0 / (2.0 + 0.5 * t)), ("C", |t| 2.0 + 0.5 * t)],
    ),
    case(
        "first values that need each other out of order",
        "variable x = 0
             variable y = 0
             variable z = 5
             initial x = 2*y
             initial y = z + 1
             der x = 1
             der y = 0.5
             der z = -z",
        2.0,
        &[("x", |t| 12.0 + t), ("y", |t| 6.0 + 0.5 * t)],
    ),
    case(
        "a constant from the first value of a species",
        "compartment C = 2
             species A in C = 3
             parameter p = 0
             variable q = 0
             initial p = A*C
             q := p + time
             reaction R: A ->  : 0.5*A*C",
        2.0,
        &[("q", |t| 6.0 + t)],
    ),
    case(
        "a constant from an assigned quantity",
        "variable x = 1
             variable a = 0
             parameter p = 0
             variable q = 0
             initial p = a
             a := 2*x
             q := p + a
             der x = 1",
        2.0,
        &[("q", |t| 4.0 + 2.0 * t)],
    ),
    case(
        "a first value of time",
        "parameter p = 9
             variable q = 0
             initial p = 1 + time
             q := p + time",
        2.0,
        &[("q", |t| 1.0 + t)],
    ),
    case(
        "a first value with a choice",
        "parameter a = 3
             variable x = 0
             initial x = if a > 2 then 5 else 7
             der x = -x",
        2.0,
        &[("x", |t| 5.0 * (-t).exp())],
    ),
    case(
        "a first rate of a reaction",
        "compartment C = 2
             species A in C = 3
             variable x = 0
             initial x = R
             der x = 1
             reaction R: A ->  : 0.5*A*C",
        2.0,
        &[("x", |t| 3.0 + t)],
    ),
];

const FUNCTIONS: &[Case] = &[
    case(
        "a function",
        "function f(x, y) = x*y + 1
             variable p = 0
             p := f(time, 3)",
        2.0,
        &[("p", |t| 3.0 * t + 1.0)],
    ),
    case(
        "a function that calls another",
        "function g(x) = x^2
             function f(x, y) = g(x) + g(y)
             variable p = 0
             p := f(time, 3)",
        2.0,
        &[("p", |t| t * t + 9.0)],
    ),
    case(
        "a function of its own value",
        "function f(x) = 2*x + 1
             variable p = 0
             p := f(f(f(time)))",
        2.0,
        &[("p", |t| 8.0 * t + 7.0)],
    ),
    case(
        "a law as a function",
        "function mm(S, v, k) = v*S/(k + S)
             compartment C = 2
             species A in C = 4
             species B in C = 0
             reaction R: A -> B : C*mm(A, 1.2, 0.8)",
        4.0,
        &[],
    ),
    case(
        "a function with a choice",
        "function ramp(x) = if x < 1.05 then 0 else x - 1.05
             variable x = 0
             der x = ramp(time)",
        3.0,
        &[("x", |t| if t < 1.05 { 0.0 } else { 0.5 * (t - 1.05).powi(2) })],
    ),
    case(
        "an argument called like a species",
        "function f(A) = 10*A
             compartment C = 2
             species A in C = 3
             variable p = 0
             p := f(time) + A",
        2.0,
        &[("p", |t| 10.0 * t + 3.0)],
    ),
    case(
        "a function in a rate rule and a first value",
        "function f(x, y) = x - y
             variable x = 0
             parameter a = 2
             initial x = f(a, 5)
             der x = f(0, x)",
        2.0,
        &[("x", |t| -3.0 * (-t).exp())],
    ),
];
