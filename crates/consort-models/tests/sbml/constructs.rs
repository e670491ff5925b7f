//! The constructs of SBML, and which levels and versions have each.

/// Level and version.
pub(crate) type Edition = (u32, u32);

/// Every one that is read.
pub(crate) const EDITIONS: [Edition; 7] = [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (3, 1), (3, 2)];

const ALL: [Edition; 2] = [(2, 1), (3, 2)];
const LEVEL_2: [Edition; 2] = [(2, 1), (2, 5)];
const LEVEL_3: [Edition; 2] = [(3, 1), (3, 2)];
const LATEST: [Edition; 2] = [(3, 2), (3, 2)];

/// Each construct with the first and the last edition that has it.
pub(crate) const CONSTRUCTS: &[(&str, [Edition; 2])] = &[
    ("compartment: constant", ALL),
    ("compartment: changed by a rule", ALL),
    ("compartment: changed by an event", ALL),
    ("compartment: without dimensions", ALL),
    ("species: initial concentration", ALL),
    ("species: initial amount", ALL),
    ("species: only substance units", ALL),
    ("species: boundary condition", ALL),
    ("species: constant", ALL),
    ("species: conversion factor", LEVEL_3),
    ("model: conversion factor", LEVEL_3),
    ("parameter", ALL),
    ("local parameter", ALL),
    ("reaction", ALL),
    ("reaction: modifier", ALL),
    ("reaction: its rate in formulas", [(2, 2), (3, 2)]),
    ("reaction: fast", [(2, 1), (3, 1)]),
    ("stoichiometry: number", ALL),
    ("stoichiometry: formula", LEVEL_2),
    ("stoichiometry: identifier", LEVEL_3),
    ("stoichiometry: changed by a rule", LEVEL_3),
    ("stoichiometry: changed by an event", LEVEL_3),
    ("assignment rule", ALL),
    ("assignment rule for a species", ALL),
    ("rate rule", ALL),
    ("rate rule for a species", ALL),
    ("algebraic rule, linear", ALL),
    ("algebraic rule, not linear", ALL),
    ("algebraic rules, solved together", ALL),
    ("initial assignment", [(2, 2), (3, 2)]),
    ("initial assignment for a species", [(2, 2), (3, 2)]),
    ("initial assignment for a compartment", [(2, 2), (3, 2)]),
    ("function definition", ALL),
    ("event", ALL),
    ("event: sets a species", ALL),
    ("event: several assignments", ALL),
    ("event: delay", ALL),
    ("event: values of its execution", [(2, 4), (3, 2)]),
    ("event: priority", LEVEL_3),
    ("event: not persistent", LEVEL_3),
    ("event: initialValue false", LEVEL_3),
    ("several events at one instant", ALL),
    ("time", ALL),
    ("avogadro", LEVEL_3),
    ("delay", ALL),
    ("rateOf", LATEST),
    ("piecewise", ALL),
    ("mathml: arithmetic", ALL),
    ("mathml: powers and roots", ALL),
    ("mathml: exponential and logarithms", ALL),
    ("mathml: trigonometric", ALL),
    ("mathml: inverse trigonometric", ALL),
    ("mathml: hyperbolic", ALL),
    ("mathml: inverse hyperbolic", ALL),
    ("mathml: abs, floor, ceiling, factorial", ALL),
    ("mathml: comparisons", ALL),
    ("mathml: and, or, not, xor", ALL),
    ("mathml: min, max, rem, quotient, implies", LATEST),
];

/// Whether an edition has a construct.
pub(crate) fn is_in(construct: &str, edition: Edition) -> bool {
    let known = CONSTRUCTS.iter().find(|(name, _)| *name == construct);
    let (_, [first, last]) = known.unwrap_or_else(|| panic!("no construct `{construct}`"));
    (*first..=*last).contains(&edition)
}

/// Words in formulas and the construct each belongs to.
pub(crate) const WORDS: &[(&str, &[&str])] = &[
    ("mathml: exponential and logarithms", &["exp", "ln", "log", "log10"]),
    ("mathml: powers and roots", &["sqrt", "root", "pow"]),
    ("mathml: trigonometric", &["sin", "cos", "tan", "sec", "csc", "cot"]),
    ("mathml: inverse trigonometric", &["asin", "acos", "atan", "asec", "acsc", "acot"]),
    ("mathml: hyperbolic", &["sinh", "cosh", "tanh", "sech", "csch", "coth"]),
    ("mathml: inverse hyperbolic", &["asinh", "acosh", "atanh", "asech", "acsch", "acoth"]),
    ("mathml: abs, floor, ceiling, factorial", &["abs", "floor", "ceil", "factorial"]),
    ("mathml: and, or, not, xor", &["and", "or", "not", "xor"]),
    ("mathml: min, max, rem, quotient, implies", &["min", "max", "rem", "quotient", "implies"]),
    ("time", &["time"]),
    ("delay", &["delay"]),
    ("rateOf", &["der"]),
    ("piecewise", &["if"]),
    ("avogadro", &["avogadro"]),
];

/// Signs in formulas and the construct each belongs to.
pub(crate) const SIGNS: &[(&str, &[char])] = &[
    ("mathml: arithmetic", &['+', '-', '*', '/']),
    ("mathml: powers and roots", &['^']),
    ("mathml: comparisons", &['<', '>']),
];
