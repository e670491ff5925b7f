//! Choices, delays, and rates of change in formulas.

use super::{Case, Peer, case};

const NO_DELAY: Peer = Peer::Cannot("it refuses delays in formulas");

pub(super) fn cases() -> Vec<Case> {
    // What was is known at the ends of steps and between them nearly: short ones make it precise.
    let alone = |case: &Case| case.clone().peer(NO_DELAY);
    [CHOICES, &DELAYS.iter().map(alone).collect::<Vec<_>>(), INSTANTS, RATES].concat()
}

const CHOICES: &[Case] = &[
        case(
            "a choice by time",
            "variable p = 0
             p := if time < 1.05 then 1 else 2",
            2.0,
            &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
        ),
        case(
            "a choice of three",
            "variable p = 0
             p := if time < 0.55 then 1 elseif time < 1.25 then 2 else 3",
            2.0,
            &[("p", |t| match t {
                _ if t < 0.55 => 1.0,
                _ if t < 1.25 => 2.0,
                _ => 3.0,
            })],
        ),
        case(
            "a rate that ends",
            "variable x = 0
             der x = if time < 1.05 then 1 else 0",
            2.0,
            &[("x", |t| t.min(1.05))],
        ),
        case(
            "a rate that changes with the quantity itself",
            "variable x = 0
             der x = if x < 1 then 1 else 0.1",
            2.0,
            &[("x", |t| if t < 1.0 { t } else { 1.0 + 0.1 * (t - 1.0) })],
        ),
        case(
            "a choice in a choice",
            "variable x = 0
             der x = if time < 1.05 then (if time < 0.35 then 3 else 1) else (if x < 2 then 2 else 0.5)",
            2.0,
            &[("x", |t| match t {
                _ if t < 0.35 => 3.0 * t,
                _ if t < 1.05 => 0.7 + t,
                _ if t < 1.175 => 1.75 + 2.0 * (t - 1.05),
                _ => 2.0 + 0.5 * (t - 1.175),
            })],
        ),
        case(
            "a choice in a law",
            "compartment C = 2
             species A in C = 3
             reaction R: A ->  : (if A > 1 then 0.5*A else 0.25)*C",
            5.0,
            &[("A", |t| {
                let fall = 3.0f64.ln() / 0.5;
                if t < fall { 3.0 * (-0.5 * t).exp() } else { 1.0 - 0.25 * (t - fall) }
            })],
        ),
        case(
            "a choice in a compartment's rule",
            "compartment C = 2 varying
             species A in C amount 6
             C := if time < 1.05 then 2 else 2 + (time - 1.05)",
            3.0,
            &[("A", |t| if t < 1.05 { 3.0 } else { 6.0 / (0.95 + t) })],
        ),
        case(
            "a choice in what an event sets",
            "variable x = 0
             variable p = 0
             der x = 1
             when time > 1.05 => p = if x > 1 then 5 else 7",
            2.0,
            &[("p", |t| if t < 1.05 { 0.0 } else { 5.0 })],
        ),
        case(
            "a pulse",
            "variable x = 0
             der x = (if time > 0.55 and time < 1.05 then 4 else 0) - x",
            3.0,
            &[("x", |t| {
                let rise = |until: f64| 4.0 * (1.0 - (-(until - 0.55)).exp());
                match t {
                    _ if t < 0.55 => 0.0,
                    _ if t < 1.05 => rise(t),
                    _ => rise(1.05) * (-(t - 1.05)).exp(),
                }
            })],
        ),
        case(
            "a square wave",
            "variable x = 0
             der x = if sin(3*time) > 0 then 1 else -1",
            4.0,
            // Up and down by a third of pi.
            &[("x", |t| {
                let third = std::f64::consts::FRAC_PI_3;
                let phase = t % (2.0 * third);
                if phase < third { phase } else { 2.0 * third - phase }
            })],
        ),
];

/// The solution of `x' = -k x(t - d)` with 1 before the start, by the method of steps: the sum of
/// `(-k)^n (t - (n-1) d)^n / n!` as long as the bracket is not below zero.
fn delayed_powers(k: f64, d: f64, t: f64) -> f64 {
    let (mut sum, mut factorial) = (1.0, 1.0);
    for n in 1..100 {
        let since = t - f64::from(n - 1) * d;
        if since < 0.0 {
            break;
        }
        factorial *= f64::from(n);
        sum += (-k * since).powi(n) / factorial;
    }
    sum
}

const DELAYS: &[Case] = &[
    case(
        "a decay by what was there before",
        "variable x = 1
             der x = -delay(x, 1)",
        4.0,
        &[("x", |t| delayed_powers(1.0, 1.0, t))],
    ),
    case(
        "a decay by what was there before, slower and earlier",
        "variable x = 1
             parameter k = 0.8
             parameter d = 0.7
             der x = -k*delay(x, d)",
        4.0,
        &[("x", |t| delayed_powers(0.8, 0.7, t))],
    ),
    case(
        "what was",
        "variable x = 0
             variable p = 0
             der x = 1
             p := delay(x, 0.55)",
        3.0,
        &[("p", |t| (t - 0.55).max(0.0))],
    ),
    case(
        "what a curve was",
        "variable x = 0
             variable y = 1
             variable p = 0
             der x = y
             der y = -x
             p := delay(x, 0.75)",
        3.0,
        &[("p", |t| (t - 0.75).max(0.0).sin())],
    ),
    case(
        "what a formula was",
        "variable x = 0
             variable p = 0
             der x = 1
             p := delay(x^2 + 1, 0.55)",
        3.0,
        &[("p", |t| (t - 0.55).max(0.0).powi(2) + 1.0)],
    ),
    case(
        "a function of what was",
        "function before(x) = delay(x, 0.55)
         function twice(x, y) = 2*before(x) + y
         variable x = 0
         variable p = 0
         der x = 1
         p := twice(x, time)",
        3.0,
        &[("p", |t| 2.0 * (t - 0.55).max(0.0) + t)],
    ),
    case(
        "no time ago",
        "variable x = 1
             variable p = 0
             der x = -x
             p := delay(x, 0)",
        3.0,
        &[("p", |t| (-t).exp())],
    ),
    case(
        "what was before it was",
        "variable x = 0
             variable p = 0
             der x = 1
             p := delay(delay(x, 0.35), 0.5)",
        3.0,
        &[("p", |t| (t - 0.85).max(0.0))],
    ),
    case(
        "what was before an event",
        "variable x = 1
             variable p = 0
             p := delay(x, 0.7)
             when time > 1.05 => x = 3",
        3.0,
        &[("p", |t| if t < 1.75 { 1.0 } else { 3.0 })],
    ),
    case(
        "a reaction of what was there before",
        "compartment C = 2
             species A in C = 3
             species B in C = 0
             reaction R: A -> B : 0.4*delay(A, 1)*C",
        4.0,
        &[("A", |t| 3.0 * delayed_powers(0.4, 1.0, t))],
    ),
    case(
        "a formula of time before the start",
        "variable x = 0
             variable p = 0
             x := sin(2*time)
             p := delay(x, 0.55)",
        2.0,
        &[("p", |t| (2.0 * (t - 0.55)).sin())],
    ),
    case(
        "an initial assignment before the start",
        "variable x = 0
             variable p = 0
             initial x = 3*time + 1
             p := delay(x, 0.55)",
        2.0,
        &[("p", |t| if t < 0.55 { 1.0 + 3.0 * (t - 0.55) } else { 1.0 })],
    ),
    case(
        "a formula of time and of a state before the start",
        "variable x = 2
             variable q = 0
             variable p = 0
             der x = -0.5*x
             q := x*time
             p := delay(q, 0.55)",
        2.0,
        &[("p", |t| (t - 0.55) * if t < 0.55 { 2.0 } else { 2.0 * (-0.5 * (t - 0.55)).exp() })],
    ),
    case(
        "what was before it was, before the start",
        "function twice(x) = x + time
             variable p = 0
             variable d = 0.5
             p := delay(delay(twice(0), 0.35), d)",
        2.0,
        &[("p", |t| t - 0.85)],
    ),
    case(
        "a rate of change before the start",
        "variable x = 1
             variable p = 0
             der x = -0.5*x
             p := delay(der(x), 0.55)",
        2.0,
        &[("p", |t| if t < 0.55 { 0.0 } else { -0.5 * (-0.5 * (t - 0.55)).exp() })],
    ),
    case(
        "an event at the start of what was before it",
        "variable x = 0
             variable p = 1
             x := time
             when delay(x, 1) < -0.5 fresh => p = 2
             when delay(x, 1) > -0.25 => p = 3",
        2.0,
        &[("p", |t| if t < 0.75 { 2.0 } else { 3.0 })],
    ),
    case(
        "an event of what was there before",
        "variable x = 0
             variable p = 1
             der x = 1
             when delay(x, 0.5) > 0.55 => p = 2",
        3.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
];

const INSTANTS: &[Case] = &[
    case(
        "comparisons of time at the instant",
        "variable p = 0
             variable q = 0
             variable r = 0
             variable s = 0
             p := if time < 1 then 1 else 2
             q := if time <= 1 then 1 else 2
             r := if time > 1 then 1 else 2
             s := if time >= 1 then 1 else 2",
        2.0,
        &[
            ("p", |t| if t < 1.0 { 1.0 } else { 2.0 }),
            ("q", |t| if t <= 1.0 { 1.0 } else { 2.0 }),
            ("r", |t| if t > 1.0 { 1.0 } else { 2.0 }),
            ("s", |t| if t >= 1.0 { 1.0 } else { 2.0 }),
        ],
    ),
    case(
        "strictly after sees what was done at the instant",
        "variable p = 1
             variable q = 1
             when time > 1 => q = p
             when time >= 1 => p = 2
             when time <= 1 fresh => p = 3",
        2.2,
        &[("p", |t| if t < 1.0 { 3.0 } else { 2.0 }), ("q", |t| if t < 1.0 { 1.0 } else { 2.0 })],
    )
    .peer(Peer::Differs("to it `>` and `>=` are one instant")),
];

const RATES: &[Case] = &[
    case(
        "the rate of a rule",
        "variable x = 1
             variable p = 0
             der x = -0.5*x
             p := 10*der(x)",
        3.0,
        &[("p", |t| -5.0 * (-0.5 * t).exp())],
    ),
    case(
        "the rate of a concentration",
        "compartment C = 2
             species A in C = 3
             variable p = 0
             p := der(A)
             reaction R: A ->  : 0.5*A*C",
        3.0,
        &[("p", |t| -1.5 * (-0.5 * t).exp())],
    ),
    case(
        "the rate of an amount",
        "compartment C = 2
             species A in C amount 3 only
             variable p = 0
             p := der(A)
             reaction R: A ->  : 0.5*A",
        3.0,
        &[("p", |t| -1.5 * (-0.5 * t).exp())],
    ),
    case(
        "the rate of a concentration in a growing compartment",
        "compartment C = 2 varying
             species A in C amount 6
             variable p = 0
             der C = 0.1*C
             p := der(A)",
        3.0,
        &[("p", |t| -0.3 * (-0.1 * t).exp())],
    ),
    case(
        "the rate of a compartment",
        "compartment C = 2 varying
             variable p = 0
             der C = 0.1*C
             p := der(C)",
        3.0,
        &[("p", |t| 0.2 * (0.1 * t).exp())],
    ),
    case(
        "the rate of what nothing changes",
        "parameter k = 3
             variable p = 0
             p := der(k) + time",
        3.0,
        &[("p", |t| t)],
    ),
    case(
        "a rate of a rate",
        "variable x = 1
             variable y = 0
             der x = -x
             der y = der(x)",
        3.0,
        &[("y", |t| (-t).exp() - 1.0)],
    ),
    case(
        "an event at a peak",
        "variable x = 0
             variable y = 1
             variable p = 0
             der x = y
             der y = -x
             when der(x) < 0 => p = x",
        3.0,
        &[("p", |t| if t < std::f64::consts::FRAC_PI_2 { 0.0 } else { 1.0 })],
    ),
];
