//! Algebraic rules and fast reactions.

use super::{Case, Peer, case};

const NO_RULE: Peer = Peer::Cannot("it refuses algebraic rules");
const NO_FAST: Peer = Peer::Cannot("it refuses fast reactions");

pub(super) fn cases() -> Vec<Case> {
    let rules = [LINEAR, CURVED].concat().into_iter().map(|case| case.peer(NO_RULE));
    let fast = FAST.iter().map(|case| case.clone().peer(NO_FAST));
    rules.chain(fast).collect()
}

const LINEAR: &[Case] = &[
    case(
        "a sum that is given",
        "variable x = 0
             variable p = 0
             der x = 1
             0 = p + x - 3",
        2.0,
        &[("p", |t| 3.0 - t)],
    ),
    case(
        "a conserved total",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             parameter total = 4
             0 = A + B - total
             reaction R: A ->  : 0.5*A*C",
        2.0,
        &[("B", |t| 4.0 - 3.0 * (-0.5 * t).exp())],
    ),
    case(
        "two rules, one after the other",
        "variable x = 0
             variable p = 0
             variable q = 0
             der x = 1
             0 = 2*q - p
             0 = p - 4*x",
        2.0,
        &[("p", |t| 4.0 * t), ("q", |t| 2.0 * t)],
    ),
    case(
        "a quotient",
        "variable x = 1
             variable p = 0
             der x = 1
             0 = p/x - 2",
        2.0,
        &[("p", |t| 2.0 + 2.0 * t)],
    ),
];

const CURVED: &[Case] = &[
    case(
        "a square",
        "variable x = 1
             variable p = 1
             der x = 1
             0 == p*p - x",
        3.0,
        &[("p", |t| (1.0 + t).sqrt())],
    ),
    case(
        "the other root",
        "variable x = 1
             variable p = -1
             der x = 1
             0 == p*p - x",
        3.0,
        &[("p", |t| -(1.0 + t).sqrt())],
    ),
    case(
        "a circle",
        "variable x = 0
             variable y = 1
             der x = cos(time)
             0 == x^2 + y^2 - 1",
        1.4,
        &[("x", |t| t.sin()), ("y", |t| t.cos())],
    ),
    case(
        "a rule of time alone",
        "variable p
             0 == exp(p) - 1 - time",
        3.0,
        &[("p", |t| (1.0 + t).ln())],
    ),
    case(
        "a sum and a product",
        "variable x = 0
             variable p = 10
             variable q = 1
             der x = 1
             0 == p + q - 5 - x
             0 == p*q - 6",
        3.0,
        &[("p", |t| {
            let b = 5.0 + t;
            f64::midpoint(b, (b * b - 24.0).sqrt())
        })],
    ),
    case(
        "three together",
        "variable a = 2.5
             variable b = 0.5
             variable c = 2
             0 == a + b + c - 6 - time
             0 == a*b - 2 - time
             0 == c*c - 9",
        2.0,
        // c = 3; a and b have the sum 3 + t and the product 2 + t: 1 and 2 + t.
        &[("c", |_| 3.0), ("a", |t| 2.0 + t), ("b", |_| 1.0)],
    ),
    case(
        "through an assigned quantity",
        "variable x = 0
             variable p = 1
             variable square = 0
             der x = 1
             square := p^2
             0 == square - 4 - x",
        3.0,
        &[("p", |t| (4.0 + t).sqrt()), ("square", |t| 4.0 + t)],
    ),
    case(
        "it drives a rate",
        "variable x = 1
             variable p = 1
             der x = -p
             0 == p^3 - x^3",
        3.0,
        &[("x", |t| (-t).exp()), ("p", |t| (-t).exp())],
    ),
    case(
        "a cubic binding equilibrium",
        "compartment C = 1
             species A in C = 4 boundary
             species F in C = 1
             parameter k = 2
             0 == F + k*F^2 - A
             der A = -0.5*A",
        3.0,
        &[("F", |t| ((1.0 + 32.0 * (-0.5 * t).exp()).sqrt() - 1.0) / 4.0)],
    ),
    case(
        "a jump at an event",
        "variable x = 1
             variable p = 1
             0 == p*p - x
             when time > 1.05 => x = 10000",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 100.0 })],
    ),
    case(
        "an event of what a rule determines",
        "variable x = 1
             variable p = 1
             variable n = 0
             der x = 1
             0 == p*p - x
             when p > 1.45 => n = x",
        2.0,
        &[("n", |t| if t < 1.1025 { 0.0 } else { 2.1025 })],
    ),
    case(
        "an assigned compartment of what a rule determines",
        "compartment C = 1 varying
             species A in C amount 2
             variable p = 1
             0 == p^2 - 1 - time
             C := 2*p",
        3.0,
        &[("A", |t| 1.0 / (1.0 + t).sqrt())],
    ),
];

const FAST: &[Case] = &[
    case(
        "an equilibrium at once",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             fast reaction F: A -> B : A - 2*B",
        2.0,
        &[("A", |_| 2.0), ("B", |_| 1.0)],
    ),
    case(
        "an equilibrium of two for one, by an identifier",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             stoichiometry n = 2
             fast reaction F: @n A -> B : A - B",
        2.0,
        &[("A", |_| 1.0), ("B", |_| 1.0)],
    ),
    case(
        "an equilibrium of what a rule counts",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             parameter k = 0.5
             stoichiometry n = 1 varying
             n := 4*k
             fast reaction F: @n A -> B : A - B",
        2.0,
        &[("A", |_| 1.0), ("B", |_| 1.0)],
    ),
    case(
        "what was before an equilibrium",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             variable p = 0
             p := delay(A, 0.55)
             fast reaction F: A -> B : A - 2*B",
        2.0,
        &[("p", |t| if t < 0.55 { 3.0 } else { 2.0 })],
    ),
    case(
        "an equilibrium that is drained",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             fast reaction F: A -> B : 100*(A - 2*B)
             reaction D: B ->  : 0.6*B*C",
        4.0,
        &[("A", |t| 2.0 * (-0.2 * t).exp()), ("B", |t| (-0.2 * t).exp())],
    ),
    case(
        "an equilibrium that is fed and drained",
        "compartment C = 2
             species A in C = 0
             species B in C = 0
             fast reaction F: A -> B : A - B
             reaction S:  -> A : 0.5*C
             reaction D: B ->  : 0.4*B*C",
        6.0,
        // The total T follows T' = 0.5 - 0.2 T.
        &[("A", |t| 1.25 - 1.25 * (-0.2 * t).exp()), ("B", |t| 1.25 - 1.25 * (-0.2 * t).exp())],
    ),
    case(
        "an equilibrium of amounts",
        "compartment C = 2
             species A in C amount 6 only
             species B in C amount 0 only
             fast reaction F: A -> 2 B : A - B
             reaction D: B ->  : 0.6*B",
        4.0,
        // 2 A + B = T falls by 0.6 B = 0.2 T.
        &[("A", |t| 4.0 * (-0.2 * t).exp()), ("B", |t| 4.0 * (-0.2 * t).exp())],
    ),
    case(
        "binding in equilibrium",
        "compartment C = 2
             species A in C = 2
             species B in C = 2
             species D in C = 0
             fast reaction F: A + B -> D : A*B - D
             reaction S:  -> A : 0.5*C",
        4.0,
        &[("D", |t| {
            let (a, b) = (2.0 + 0.5 * t, 2.0);
            let sum: f64 = a + b + 1.0;
            f64::midpoint(sum, -(sum * sum - 4.0 * a * b).sqrt())
        })],
    ),
    case(
        "two equilibria in a row",
        "compartment C = 2
             species A in C = 7
             species B in C = 0
             species D in C = 0
             fast reaction F: A -> B : A - 2*B
             fast reaction G: B -> D : B - 0.5*D
             reaction L: D ->  : 0.5*D*C",
        4.0,
        // A : B : D = 2 : 1 : 2, and D = 2/5 of the total.
        &[("A", |t| 2.8 * (-0.2 * t).exp()), ("B", |t| 1.4 * (-0.2 * t).exp())],
    ),
    case(
        "an equilibrium between compartments",
        "compartment C = 2
             compartment D = 0.5
             species A in C = 5
             species B in D = 0
             fast reaction F: A -> B : A - B
             reaction L: B ->  : B*D",
        4.0,
        // Equal concentrations; the amount 2.5 c falls by 0.5 c.
        &[("A", |t| 4.0 * (-0.2 * t).exp()), ("B", |t| 4.0 * (-0.2 * t).exp())],
    ),
    case(
        "an equilibrium that an event disturbs",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             fast reaction F: A -> B : A - 2*B
             when time > 1.05 => A = A + 6",
        2.0,
        &[("A", |t| if t < 1.05 { 2.0 } else { 6.0 }), ("B", |t| if t < 1.05 { 1.0 } else { 3.0 })],
    ),
    case(
        "an equilibrium that an event disturbs later, by what it was at the trigger",
        "compartment C = 2
         species A in C = 3
         species B in C = 0
         fast reaction F: A -> B : A - 2*B
         reaction D: B ->  : 0.6*B*C
         when time > 1 after 0.65 => A = A + 3",
        3.0,
        // A is two thirds of the total, which falls with 0.2; then A of time 1 and 3 more.
        &[("A", |t| {
            let free = |t: f64| 2.0 * (-0.2 * t).exp();
            let total = free(1.0) + 3.0 + 0.5 * free(1.65);
            if t < 1.65 { free(t) } else { total / 1.5 * (-0.2 * (t - 1.65)).exp() }
        })],
    ),
    case(
        "an equilibrium that an event moves",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             variable k = 2
             fast reaction F: A -> B : A - k*B
             when time > 1.05 => k = 0.5",
        2.0,
        &[("A", |t| if t < 1.05 { 2.0 } else { 1.0 })],
    ),
    case(
        "an equilibrium that time moves",
        "compartment C = 2
             species A in C = 4
             species B in C = 0
             fast reaction F: A -> B : A - (1 + time)*B",
        3.0,
        &[("B", |t| 4.0 / (2.0 + t))],
    ),
    case(
        "an equilibrium with a boundary",
        "compartment C = 2
             species A in C = 4 boundary
             species B in C = 0
             fast reaction F: A -> B : A - 2*B
             der A = -0.5*A",
        3.0,
        &[("B", |t| 2.0 * (-0.5 * t).exp())],
    ),
    case(
        "an equilibrium beside an algebraic rule",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             variable p = 1
             fast reaction F: A -> B : A - 2*B
             reaction D: B ->  : 0.6*B*C
             0 == p^2 - B",
        4.0,
        &[("p", |t| (-0.1 * t).exp())],
    ),
    case(
        "the equilibrium to which it flows, of two",
        "compartment C = 1
             species A in C = 5
             species B in C = 5
             parameter k = -1
             fast reaction F: A -> B : k*A*B",
        2.0,
        &[("A", |_| 10.0), ("B", |_| 0.0)],
    ),
    case(
        "equilibria to which amounts of a cell flow",
        "compartment C = 1e-15
             species A in C amount 3e-20 only
             species B in C amount 3e-20 only
             species D in C amount 4e-20 only
             species E in C amount 4e-20 only
             fast reaction F: A -> B : 0.5*A*B
             fast reaction G: D -> E : -0.5*D*E",
        2.0,
        &[("B", |_| 6e-20), ("D", |_| 8e-20)],
    ),
    case(
        "the equilibrium on the side of its start, of three",
        "compartment C = 1
             species A in C = 10
             species B in C = 0
             fast reaction F: A -> B : (1 - B)*(2 - B)*(3 - B)
             when time > 1.05 => B = 2.25
             when time > 1.55 => B = 1.75",
        2.0,
        &[("B", |t| if (1.05..1.55).contains(&t) { 3.0 } else { 1.0 })],
    ),
    case(
        "an equilibrium that two reactions reach, of two",
        "compartment C = 2
             species A in C = 1
             species B in C = 1
             species D in C = 0
             fast reaction F: A -> B : A*B
             fast reaction G: B -> D : B - D",
        2.0,
        &[("A", |_| 0.0), ("B", |_| 1.0), ("D", |_| 1.0)],
    ),
    case(
        "a reaction that time turns round",
        "compartment C = 2
             species A in C = 3
             species B in C = 3
             variable k = 0
             k := 1.05 - time
             fast reaction F: A -> B : if k > 0 then A*k else B*k",
        2.0,
        &[("A", |t| if t < 1.05 { 0.0 } else { 6.0 })],
    ),
    case(
        "a reaction that stands still until an event and again later",
        "compartment C = 2
             species A in C = 0
             species B in C = 2
             variable k = 0
             fast reaction F: A -> B : k*A
             reaction S: B -> A : 0.5*C
             when time > 1.05 => k = 1
             when time > 1.55 => k = 0",
        2.0,
        &[("A", |t| match t {
            _ if t < 1.05 => 0.5 * t,
            _ if t < 1.55 => 0.0,
            _ => 0.5 * (t - 1.55),
        })],
    ),
    case(
        "an equilibrium that is reached ever more slowly",
        "compartment C = 1
             species A in C = 3
             species B in C = 0
             fast reaction F: 2 A -> B : A*A
             reaction S:  -> A : 1",
        2.0,
        &[("B", |t| 1.5 + 0.5 * t)],
    ),
    case(
        "more equilibria than are solved together",
        "compartment C = 1
             species A in C = 2
             species B in C = 1
             species D in C = 1
             species E in C = 1
             species G in C = 1
             species H in C = 1
             species I in C = 1
             fast reaction FA: A ->  : A - 1
             fast reaction FB: B ->  : B*B - 2
             fast reaction FD: D ->  : D*D - 3
             fast reaction FE: E ->  : E*E - 4
             fast reaction FG: G ->  : G*G - 5
             fast reaction FH: H ->  : H*H - 6
             fast reaction FI: I ->  : I*I - 7",
        2.0,
        &[("A", |_| 1.0), ("B", |_| 2f64.sqrt()), ("I", |_| 7f64.sqrt())],
    ),
];
