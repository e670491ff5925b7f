//! Events: what they set, and events that come again.

use super::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    [AMOUNTS, REPEATED].concat()
}

const AMOUNTS: &[Case] =
    &[
        case(
            "a concentration is set",
            "compartment C = 2
             species A in C = 3
             when time > 1.05 => A = 5
             reaction R: A ->  : 0.5*A*C",
            3.0,
            &[("A", |t| {
                if t < 1.05 { 3.0 * (-0.5 * t).exp() } else { 5.0 * (-0.5 * (t - 1.05)).exp() }
            })],
        ),
        case(
            "a concentration is raised",
            "compartment C = 2
             species A in C = 3
             when time > 1.05 => A = A + 1
             reaction R: A ->  : 0.5*A*C",
            3.0,
            &[("A", |t| {
                let free = 3.0 * (-0.5 * t).exp();
                if t < 1.05 { free } else { free + (-0.5 * (t - 1.05)).exp() }
            })],
        ),
        case(
            "an amount is set",
            "compartment C = 2
             species A in C amount 3 only
             when time > 1.05 => A = 5
             reaction R: A ->  : 0.5*A",
            3.0,
            &[("A", |t| {
                if t < 1.05 { 3.0 * (-0.5 * t).exp() } else { 5.0 * (-0.5 * (t - 1.05)).exp() }
            })],
        ),
        case(
            "a concentration that rests is set",
            "compartment C = 2
             species A in C = 3
             when time > 1.05 => A = 5",
            3.0,
            &[("A", |t| if t < 1.05 { 3.0 } else { 5.0 })],
        ),
        case(
            "a boundary is set",
            "compartment C = 2
             species A in C = 1 boundary
             species B in C = 0
             when time > 1.05 => A = 3
             reaction R: A -> B : A*C",
            3.0,
            &[("B", |t| if t < 1.05 { t } else { 3.0 * t - 2.1 })],
        ),
        case(
            "a compartment shrinks and what rests in it is thicker",
            "compartment C = 2 varying
             species A in C = 3
             when time > 1.05 => C = 1",
            3.0,
            &[("A", |t| if t < 1.05 { 3.0 } else { 6.0 })],
        ),
        case(
            "a compartment shrinks and what reacts in it is thicker",
            "compartment C = 2 varying
             species A in C = 3
             when time > 1.05 => C = 1
             reaction R: A ->  : 0.5*A*C",
            3.0,
            &[("A", |t| (-0.5 * t).exp() * if t < 1.05 { 3.0 } else { 6.0 })],
        ),
        case(
            "a compartment shrinks and amounts in it stay",
            "compartment C = 2 varying
             species A in C amount 6 only
             when time > 1.05 => C = 1
             reaction R: A ->  : 0.5*A",
            3.0,
            &[("A", |t| 6.0 * (-0.5 * t).exp()), ("C", |t| if t < 1.05 { 2.0 } else { 1.0 })],
        ),
        case(
            "a growing compartment is cut in two",
            "compartment C = 2 varying
             species A in C = 3
             der C = 0.4*C
             when C > 3 => C = C/2; A = A/2",
            2.1,
            &[("C", |t| {
                let (rise, again) = (1.5f64.ln() / 0.4, 2.0f64.ln() / 0.4);
                match t {
                    _ if t < rise => 2.0 * (0.4 * t).exp(),
                    _ if t < rise + again => 1.5 * (0.4 * (t - rise)).exp(),
                    _ => 1.5 * (0.4 * (t - rise - again)).exp(),
                }
            })],
        ),
        case(
            "a rate constant is switched off",
            "compartment C = 2
             species A in C = 3
             variable k = 0.5
             when A < 1 => k = 0
             reaction R: A ->  : k*A*C",
            4.0,
            &[("A", |t| (3.0 * (-0.5 * t).exp()).max(1.0))],
        ),
        case(
            "a species is set from others",
            "compartment C = 2
             species A in C = 3
             species B in C = 0
             when time > 1.05 => A = A + B; B = 0
             reaction R: A -> B : 0.5*A*C",
            3.0,
            &[("A", |t| {
                if t < 1.05 { 3.0 * (-0.5 * t).exp() } else { 3.0 * (-0.5 * (t - 1.05)).exp() }
            })],
        ),
    ];

const REPEATED: &[Case] = &[
    case(
        "a clock",
        "variable n = 0
             variable next = 0.7
             when time >= next => n = n + 1; next = next + 0.7",
        5.0,
        &[("n", |t| (t / 0.7).floor())],
    ),
    case(
        "a dose again and again",
        "compartment C = 2
             species A in C = 0
             variable next = 0.65
             when time > next => A = A + 2; next = next + 1.3
             reaction R: A ->  : 0.5*A*C",
        6.0,
        &[("A", |t| {
            let doses = (0..10).map(|dose| 0.65 + 1.3 * f64::from(dose));
            doses.filter(|at| *at <= t).map(|at| 2.0 * (-0.5 * (t - at)).exp()).sum()
        })],
    ),
    case(
        "a refill whenever it is low",
        "compartment C = 2
             species A in C = 3
             when A < 1 => A = 3
             reaction R: A ->  : 0.5*A*C",
        10.0,
        &[("A", |t| 3.0 * (-0.5 * (t % (3.0f64.ln() / 0.5))).exp())],
    ),
    case(
        "a ball",
        "variable h = 1
             variable v = 0
             der h = v
             der v = -9.81
             when h < 0 and v < 0 => v = -0.8*v",
        1.7,
        &[],
    ),
    case(
        "integrate and fire",
        "variable V = 0
             variable n = 0
             der V = 2 - V
             when V > 1 => V = 0; n = n + 1",
        5.0,
        &[("n", |t| (t / 2.0f64.ln()).floor())],
    ),
    case(
        "a delayed refill",
        "compartment C = 2
             species A in C = 3
             when A < 1 after 0.4 => A = 3
             reaction R: A ->  : 0.5*A*C",
        10.0,
        &[("A", |t| 3.0 * (-0.5 * (t % (3.0f64.ln() / 0.5 + 0.4))).exp())],
    ),
];
