//! Reactions: laws, stoichiometries, local parameters, rates in formulas.

use super::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    [ORDERS, COUNTS, NAMED_COUNTS, LAWS].concat()
}

const ORDERS: &[Case] = &[
    case(
        "production of order zero",
        "compartment C = 2
             species A in C = 1
             reaction R:  -> A : 0.5*C",
        4.0,
        &[("A", |t| 1.0 + 0.5 * t)],
    ),
    case(
        "production and decay",
        "compartment C = 2
             species A in C = 1
             reaction R:  -> A : 0.5*C
             reaction Q: A ->  : 0.25*A*C",
        4.0,
        &[("A", |t| 2.0 - (-0.25 * t).exp())],
    ),
    case(
        "a reversible reaction as one",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: A -> B : C*(0.6*A - 0.3*B)",
        4.0,
        &[("A", |t| 1.0 + 2.0 * (-0.9 * t).exp()), ("B", |t| 2.0 - 2.0 * (-0.9 * t).exp())],
    ),
    case(
        "a reversible reaction as two",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: A -> B : C*0.6*A
             reaction Q: B -> A : C*0.3*B",
        4.0,
        &[("A", |t| 1.0 + 2.0 * (-0.9 * t).exp())],
    ),
    case(
        "order two of one species",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: 2 A -> B : 0.1*A^2*C",
        4.0,
        &[("A", |t| 3.0 / (1.0 + 0.6 * t)), ("B", |t| 1.5 - 1.5 / (1.0 + 0.6 * t))],
    ),
    case(
        "order two of two species",
        "compartment C = 2
             species A in C = 3
             species B in C = 3
             species D in C = 0
             reaction R: A + B -> D : 0.1*A*B*C",
        4.0,
        &[("A", |t| 3.0 / (1.0 + 0.3 * t)), ("D", |t| 3.0 - 3.0 / (1.0 + 0.3 * t))],
    ),
    case(
        "one after the other",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             species D in C = 0
             reaction R: A -> B : 0.5*A*C
             reaction Q: B -> D : 0.25*B*C",
        4.0,
        &[("B", |t| 6.0 * ((-0.25 * t).exp() - (-0.5 * t).exp()))],
    ),
    case(
        "one or the other",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             species D in C = 0
             reaction R: A -> B : 0.5*A*C
             reaction Q: A -> D : 0.25*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.75 * t).exp()), ("B", |t| 2.0 - 2.0 * (-0.75 * t).exp())],
    ),
    case(
        "a ring",
        "compartment C = 1
             species A in C = 3
             species B in C = 0
             species D in C = 0
             reaction R: A -> B : 0.5*A
             reaction Q: B -> D : 0.5*B
             reaction P: D -> A : 0.5*D",
        4.0,
        &[("A", |t| 1.0 + 2.0 * (-0.75 * t).exp() * (0.75f64.sqrt() * 0.5 * t).cos())],
    ),
    case(
        "autocatalysis",
        "compartment C = 2
             species X in C = 0.1
             reaction R: X -> 2 X : C*X*(1 - X/2)",
        8.0,
        &[("X", |t| 2.0 / (1.0 + 19.0 * (-t).exp()))],
    ),
    case(
        "a law that time moves",
        "compartment C = 2
             species A in C = 3
             reaction R: A ->  : 0.5*time*A*C",
        3.0,
        &[("A", |t| 3.0 * (-0.25 * t * t).exp())],
    ),
];

const COUNTS: &[Case] = &[
    case(
        "whole stoichiometries",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: 2 A -> 3 B : 0.25*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 4.5 - 4.5 * (-0.5 * t).exp())],
    ),
    case(
        "broken stoichiometries",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: 0.5 A -> 0.25 B : A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 1.5 - 1.5 * (-0.5 * t).exp())],
    ),
    case(
        "a species on both sides",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: 2 A -> A + B : 0.5*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 3.0 - 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "a species twice on a side",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: A + A -> B : 0.25*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 1.5 - 1.5 * (-0.5 * t).exp())],
    ),
    case(
        "a stoichiometry as a formula of parameters",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             parameter n = 2
             reaction R: {n/2} A -> {n+1} B : 0.5*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 9.0 - 9.0 * (-0.5 * t).exp())],
    ),
    case(
        "a stoichiometry as a formula of time",
        "compartment C = 2
             species A in C = 3 boundary
             species B in C = 0
             reaction R: A -> {1+time} B : 0.5*A*C",
        3.0,
        &[("B", |t| 1.5 * t + 0.75 * t * t)],
    ),
    case(
        "a stoichiometry as a formula of species",
        "compartment C = 2
             species A in C = 3
             species B in C = 1
             reaction R:  -> {B} B : 0.5*C
             reaction Q: A ->  : 0.5*A*C",
        3.0,
        &[("B", |t| (0.5 * t).exp())],
    ),
];

const NAMED_COUNTS: &[Case] = &[
    case(
        "a stoichiometry with an identifier",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             stoichiometry n = 2
             variable p = 0
             p := 10*n + time
             reaction R: A -> @n B : 0.5*A*C",
        3.0,
        &[("B", |t| 6.0 - 6.0 * (-0.5 * t).exp()), ("p", |t| 20.0 + t)],
    ),
    case(
        "a stoichiometry with an initial assignment",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             parameter k = 1.5
             stoichiometry n = 7
             initial n = 2*k
             reaction R: A -> @n B : 0.5*A*C",
        3.0,
        &[("B", |t| 9.0 - 9.0 * (-0.5 * t).exp())],
    ),
    case(
        "a stoichiometry with an assignment rule",
        "compartment C = 2
             species A in C = 3 boundary
             species B in C = 0
             stoichiometry n = 7 varying
             n := 1 + time
             reaction R: A -> @n B : 0.5*A*C",
        3.0,
        &[("B", |t| 1.5 * t + 0.75 * t * t)],
    ),
    case(
        "a stoichiometry with a rate rule",
        "compartment C = 2
             species A in C = 3 boundary
             species B in C = 0
             stoichiometry n = 1 varying
             der n = 0.5
             reaction R: A -> @n B : 0.5*A*C",
        3.0,
        &[("B", |t| 1.5 * t + 0.375 * t * t)],
    ),
    case(
        "a stoichiometry that an event changes",
        "compartment C = 2
             species A in C = 3 boundary
             species B in C = 0
             stoichiometry n = 1 varying
             when time > 1.05 => n = 3
             reaction R: A -> @n B : 0.5*A*C",
        3.0,
        &[("B", |t| if t < 1.05 { 1.5 * t } else { 4.5 * t - 3.15 })],
    ),
    case(
        "a stoichiometry in the law of its own reaction",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             stoichiometry n = 2
             reaction R: @n A -> B : 0.25*n*A*C",
        3.0,
        &[("A", |t| 3.0 * (-t).exp())],
    ),
];

const LAWS: &[Case] = &[
    case(
        "a local parameter",
        "compartment C = 2
             species A in C = 3
             reaction R: A ->  : k*A*C with k=0.5",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "a local parameter hides one of the model",
        "compartment C = 2
             species A in C = 3
             parameter k = 100
             variable p = 0
             p := k + time
             reaction R: A ->  : k*A*C with k=0.5",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("p", |t| 100.0 + t)],
    ),
    case(
        "local parameters of two reactions have one name",
        "compartment C = 2
             species A in C = 3
             species B in C = 3
             reaction R: A ->  : k*A*C with k=0.5
             reaction Q: B ->  : k*j*B*C with k=0.5, j=2",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 3.0 * (-t).exp())],
    ),
    case(
        "a local parameter hides a species",
        "compartment C = 2
             species A in C = 3
             species B in C = 1
             reaction R: A -> B : B*A*C with B=0.5",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "the rate of a reaction in a rule",
        "compartment C = 2
             species A in C = 3
             variable p = 0
             p := 2*R
             reaction R: A ->  : 0.5*A*C",
        4.0,
        &[("p", |t| 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "the rate of a reaction in another's law",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             species D in C = 0
             reaction R: A -> B : 0.5*A*C
             reaction Q: B -> D : 0.5*R",
        4.0,
        &[("B", |t| 1.5 - 1.5 * (-0.5 * t).exp()), ("D", |t| 1.5 - 1.5 * (-0.5 * t).exp())],
    ),
    case(
        "the rate of a reaction adds up",
        "compartment C = 2
             species A in C = 3
             variable p = 0
             der p = R
             reaction R: A ->  : 0.5*A*C",
        4.0,
        &[("p", |t| 6.0 - 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "a modifier speeds up",
        "compartment C = 2
             species A in C = 3
             species E in C = 1
             reaction R: A ->  : 0.5*A*E*C
             reaction Q: E ->  : E*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * (1.0 - (-t).exp())).exp()), ("E", |t| (-t).exp())],
    ),
    case(
        "a modifier slows down",
        "compartment C = 2
             species A in C = 3
             species I in C = 1
             reaction R: A ->  : 0.5*A/(1 + I)*C
             reaction Q: I ->  : 0.3*I*C",
        4.0,
        &[],
    ),
    case(
        "saturation",
        "compartment C = 2
             species S in C = 4
             species P in C = 0
             reaction R: S -> P : C*v*S/(km + S) with v=1.2, km=0.8",
        4.0,
        &[],
    ),
];
