//! Species and compartments in every form.

use super::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    [GIVEN, BOUNDARY, COMPARTMENTS, CELLS, FACTORS].concat()
}

const GIVEN: &[Case] = &[
    case(
        "concentrations",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             parameter k = 0.5
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 3.0 - 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "initial amounts of concentrations",
        "compartment C = 2
             species A in C amount 6
             species B in C amount 1
             parameter k = 0.5
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 3.5 - 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "only amounts",
        "compartment C = 2
             species A in C amount 6 only
             species B in C amount 0 only
             parameter k = 0.5
             reaction R: A -> B : k*A",
        4.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp()), ("B", |t| 6.0 - 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "only amounts, given as concentrations",
        "compartment C = 2
             species A in C = 3 only
             species B in C = 1 only
             parameter k = 0.5
             reaction R: A -> B : k*A",
        4.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp()), ("B", |t| 8.0 - 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "a concentration becomes an amount",
        "compartment C = 2
             species A in C = 3
             species B in C amount 0 only
             parameter k = 0.5
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 6.0 - 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "a species that nothing changes",
        "compartment C = 2
             species A in C amount 5
             variable p = 0
             p := 2*A + time",
        2.0,
        &[("A", |_| 2.5), ("p", |t| 5.0 + t)],
    ),
    case(
        "an amount that nothing changes",
        "compartment C = 4
             species A in C = 5 only
             variable p = 0
             p := 2*A + time",
        2.0,
        &[("A", |_| 20.0), ("p", |t| 40.0 + t)],
    ),
    case(
        "a constant enzyme",
        "compartment C = 2
             species E in C = 0.25 constant
             species S in C = 4
             species P in C = 0
             reaction R: S -> P : 2*E*S*C",
        4.0,
        &[("S", |t| 4.0 * (-0.5 * t).exp()), ("P", |t| 4.0 - 4.0 * (-0.5 * t).exp())],
    ),
];

const BOUNDARY: &[Case] = &[
    case(
        "a boundary that is used up and stays",
        "compartment C = 2
             species A in C = 3 boundary
             species B in C amount 0
             parameter k = 0.5
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |_| 3.0), ("B", |t| 1.5 * t)],
    ),
    case(
        "a boundary that is produced and stays",
        "compartment C = 2
             species A in C = 3
             species B in C amount 1 boundary
             parameter k = 0.5
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |_| 0.5)],
    ),
    case(
        "a constant boundary",
        "compartment C = 2
             species A in C amount 6 boundary constant
             species B in C amount 0
             parameter k = 0.5
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |_| 3.0), ("B", |t| 1.5 * t)],
    ),
    case(
        "a boundary with a rate rule",
        "compartment C = 2
             species A in C = 3 boundary
             species B in C amount 0
             parameter k = 0.5
             der A = -0.2*A
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.2 * t).exp()), ("B", |t| 7.5 * (1.0 - (-0.2 * t).exp()))],
    ),
    case(
        "a boundary with an assignment rule",
        "compartment C = 2
             species A in C = 3 boundary
             species B in C amount 0
             parameter k = 0.5
             A := 1 + time
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |t| 1.0 + t), ("B", |t| 0.5 * t + 0.25 * t * t)],
    ),
    case(
        "an amount as a boundary with a rate rule",
        "compartment C = 2
             species A in C amount 3 only boundary
             species B in C amount 0 only
             der A = -0.2*A
             reaction R: A -> B : 0.5*A",
        4.0,
        &[("A", |t| 3.0 * (-0.2 * t).exp()), ("B", |t| 7.5 * (1.0 - (-0.2 * t).exp()))],
    ),
    case(
        "boundaries on both sides",
        "compartment C = 2
             species A in C = 3 boundary
             species X in C = 1
             species B in C = 0 boundary
             reaction R: A -> X : 0.5*A*C
             reaction Q: X -> B : 0.25*X*C",
        4.0,
        &[("X", |t| 6.0 - 5.0 * (-0.25 * t).exp())],
    ),
];

const COMPARTMENTS: &[Case] = &[
    case(
        "from a large compartment to a small one",
        "compartment C = 2
             compartment D = 0.5
             species A in C = 3
             species B in D amount 0
             parameter k = 0.5
             reaction R: A -> B : k*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 12.0 - 12.0 * (-0.5 * t).exp())],
    ),
    case(
        "diffusion between compartments",
        "compartment C = 2
             compartment D = 0.5
             species A in C = 3
             species B in D = 0
             reaction R: A -> B : 0.4*(A - B)",
        4.0,
        // The difference decays with 0.4*(1/2 + 2).
        &[("A", |t| 2.4 + 0.6 * (-t).exp()), ("B", |t| 2.4 - 2.4 * (-t).exp())],
    ),
    case(
        "a growing compartment thins what rests in it",
        "compartment C = 2 varying
             species A in C amount 6
             species B in C = 1
             der C = 0.1*C",
        4.0,
        &[
            ("C", |t| 2.0 * (0.1 * t).exp()),
            ("A", |t| 3.0 * (-0.1 * t).exp()),
            ("B", |t| (-0.1 * t).exp()),
        ],
    ),
    case(
        "a growing compartment thins what reacts in it",
        "compartment C = 2 varying
             species A in C = 3
             species B in C = 0
             der C = 0.1*C
             reaction R: A -> B : 0.5*A*C",
        4.0,
        &[
            ("A", |t| 3.0 * (-0.6 * t).exp()),
            ("B", |t| 3.0 * ((-0.1 * t).exp() - (-0.6 * t).exp())),
        ],
    ),
    case(
        "an assigned compartment and what rests in it",
        "compartment C = 2 varying
             species A in C amount 6
             C := 2 + time",
        4.0,
        &[("C", |t| 2.0 + t), ("A", |t| 6.0 / (2.0 + t))],
    ),
    case(
        "an assigned compartment and what reacts in it",
        "compartment C = 1 varying
             species A in C amount 6
             C := 2 + time
             reaction R: A ->  : 0.5*A*C",
        4.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp() / (2.0 + t))],
    ),
    case(
        "amounts do not care for a growing compartment",
        "compartment C = 2 varying
             species A in C amount 6 only
             species B in C amount 1 only
             der C = 0.3
             reaction R: A -> B : 0.5*A",
        4.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp()), ("C", |t| 2.0 + 0.3 * t)],
    ),
    case(
        "a point",
        "compartment C without dimensions
             species A in C amount 6
             species B in C amount 0
             reaction R: A -> B : 0.5*A",
        4.0,
        &[("A", |t| 6.0 * (-0.5 * t).exp()), ("B", |t| 6.0 - 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "from a growing compartment to a fixed one",
        "compartment C = 2 varying
             compartment D = 1
             species A in C = 3
             species B in D = 0
             der C = 0.2
             reaction R: A -> B : 0.5*A*C",
        4.0,
        &[("B", |t| 6.0 - 6.0 * (-0.5 * t).exp())],
    ),
    case(
        "a compartment of one that is computed from another",
        "compartment C = 2 varying
             compartment D = 1 varying
             species A in D amount 3
             der C = 0.5
             D := C/2",
        4.0,
        &[("D", |t| 1.0 + 0.25 * t), ("A", |t| 3.0 / (1.0 + 0.25 * t))],
    ),
];

const CELLS: &[Case] = &[
    case(
        "a cell of a picoliter",
        "compartment C = 1e-12
         species A in C = 3
         species B in C = 0
         reaction R: A -> B : 0.5*A*C",
        4.0,
        &[("A", |t| 3.0 * (-0.5 * t).exp()), ("B", |t| 3.0 - 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "attomoles",
        "compartment C = 1
         species A in C amount 6e-18 only
         species B in C amount 0 only
         reaction R: A -> B : 0.5*A",
        4.0,
        &[("A", |t| 6e-18 * (-0.5 * t).exp()), ("B", |t| 6e-18 - 6e-18 * (-0.5 * t).exp())],
    ),
    case(
        "nanomoles in a cell whose size is computed",
        "compartment C = 1
         parameter d = 0.00001
         species A in C = 3e-9
         species B in C = 0
         initial C = d^3
         reaction R: 2 A -> B : 1e8*A^2*C",
        4.0,
        &[("A", |t| 3e-9 / (1.0 + 0.6 * t)), ("B", |t| 1.5e-9 - 1.5e-9 / (1.0 + 0.6 * t))],
    ),
];

const FACTORS: &[Case] = &[
    case(
        "a species with a conversion factor",
        "compartment C = 2
             species A in C = 3 factor=f
             species B in C = 0
             parameter f = 4
             reaction R: A -> B : 0.25*A*C",
        3.0,
        &[("A", |t| 3.0 * (-t).exp()), ("B", |t| 0.75 - 0.75 * (-t).exp())],
    ),
    case(
        "a model with a conversion factor",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             parameter f = 4
             factor f
             reaction R: A -> B : 0.25*A*C",
        3.0,
        &[("A", |t| 3.0 * (-t).exp()), ("B", |t| 3.0 - 3.0 * (-t).exp())],
    ),
    case(
        "a species with another conversion factor than its model",
        "compartment C = 2
             species A in C = 3
             species B in C = 0 factor=g
             parameter f = 4
             parameter g = 0.5
             factor f
             reaction R: A -> B : 0.25*A*C",
        3.0,
        &[("A", |t| 3.0 * (-t).exp()), ("B", |t| 0.375 - 0.375 * (-t).exp())],
    ),
    case(
        "a conversion factor and a stoichiometry",
        "compartment C = 2
             species A in C amount 3 only factor=f
             species B in C amount 0 only
             parameter f = 2
             reaction R: 2 A -> 3 B : 0.25*A",
        3.0,
        &[("A", |t| 3.0 * (-t).exp()), ("B", |t| 2.25 - 2.25 * (-t).exp())],
    ),
];
