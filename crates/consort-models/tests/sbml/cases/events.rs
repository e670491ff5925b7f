//! Events: triggers, delays, priorities, what they set.

use super::{Case, Peer, case};
use std::f64::consts::{FRAC_PI_6, TAU};

pub(super) fn cases() -> Vec<Case> {
    [TRIGGERS, DELAYS, ORDERS, STARTS, CASCADES].concat()
}

const TRIGGERS: &[Case] = &[
    case(
        "at a time, strictly after",
        "variable p = 1
             when time > 1.05 => p = 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "at a time, from then on",
        "variable p = 1
             when time >= 1.05 => p = 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "at a time that a parameter says",
        "variable p = 1
             parameter when_it_is = 1.05
             when time > when_it_is => p = 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "when a quantity reaches a bound",
        "variable x = 0
             variable p = 1
             der x = 1
             when x > 1.05 => p = 2*x",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.1 })],
    ),
    case(
        "when a concentration falls below a bound",
        "compartment C = 2
             species A in C = 3
             variable p = 1
             when A < 1 => p = 2
             reaction R: A ->  : 0.5*A*C",
        4.0,
        &[("p", |t| if t < 3.0f64.ln() / 0.5 { 1.0 } else { 2.0 })],
    ),
    case(
        "when two conditions hold",
        "variable x = 0
             variable p = 1
             der x = 1
             when x > 0.55 and time > 1.05 => p = 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "when one of two conditions holds",
        "variable x = 0
             variable p = 1
             der x = 1
             when x > 1.55 or time > 1.05 => p = p + 1",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "when an assigned quantity reaches a bound",
        "variable x = 0
             variable y = 0
             variable p = 1
             y := 2*x
             der x = 1
             when y > 2.1 => p = 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "when the rate of a reaction falls",
        "compartment C = 2
             species A in C = 3
             variable p = 1
             when R < 1 => p = 2
             reaction R: A ->  : 0.5*A*C",
        4.0,
        &[("p", |t| if t < 3.0f64.ln() / 0.5 { 1.0 } else { 2.0 })],
    ),
    case(
        "when a function says so",
        "function late(t, x) = t > x
             variable p = 1
             when late(time, 1.05) => p = 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "when a choice says so",
        "variable x = 0
             variable p = 1
             der x = 1
             when (if time < 0.5 then 0 else x) > 0.85 => p = 2",
        2.0,
        &[("p", |t| if t < 0.85 { 1.0 } else { 2.0 })],
    ),
    case(
        "never",
        "variable x = 0
             variable p = 1
             der x = -x
             when x > 1 => p = 2",
        2.0,
        &[("p", |_| 1.0)],
    ),
    case(
        "each time it becomes true",
        "variable n = 0
             variable x = 0
             variable y = 1
             der x = y
             der y = -x
             when x > 0.5 => n = n + 1",
        20.0,
        // The sine rises above one half at pi/6, and then every 2 pi.
        &[("n", |t| ((t - FRAC_PI_6) / TAU).floor() + 1.0)],
    ),
];

const DELAYS: &[Case] = &[
    case(
        "a delay",
        "variable p = 1
             when time > 1.05 after 0.6 => p = 2",
        3.0,
        &[("p", |t| if t < 1.65 { 1.0 } else { 2.0 })],
    ),
    case(
        "a delay of zero",
        "variable p = 1
             when time > 1.05 after 0 => p = 2",
        3.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "a delay from parameters",
        "variable p = 1
             parameter d = 0.3
             when time > 1.05 after 2*d => p = 2",
        3.0,
        &[("p", |t| if t < 1.65 { 1.0 } else { 2.0 })],
    ),
    case(
        "a delay from what it is at the trigger",
        "variable x = 0
             variable p = 1
             der x = 0.5
             when time > 1.1 after x => p = 2",
        3.0,
        &[("p", |t| if t < 1.65 { 1.0 } else { 2.0 })],
    ),
    case(
        "values of the trigger",
        "variable x = 0
             variable p = 0
             der x = 1
             when time > 1.05 after 0.6 => p = x",
        3.0,
        &[("p", |t| if t < 1.65 { 0.0 } else { 1.05 })],
    ),
    case(
        "values of the execution",
        "variable x = 0
             variable p = 0
             der x = 1
             when time > 1.05 after 0.6 late => p = x",
        3.0,
        &[("p", |t| if t < 1.65 { 0.0 } else { 1.65 })],
    ),
    case(
        "values of the trigger that another event changes before",
        "variable a = 1
             variable p = 0
             when time > 1.05 after 0.6 => p = a
             when time > 1.35 => a = 5",
        3.0,
        &[("p", |t| if t < 1.65 { 0.0 } else { 1.0 })],
    ),
    case(
        "values of the execution that another event changes before",
        "variable a = 1
             variable p = 0
             when time > 1.05 after 0.6 late => p = a
             when time > 1.35 => a = 5",
        3.0,
        &[("p", |t| if t < 1.65 { 0.0 } else { 5.0 })],
    ),
    case(
        "a concentration set later, in what it was at the trigger",
        "compartment C = 2
             species A in C = 3
             when time > 1.05 after 0.6 => A = 2*A
             reaction R: A ->  : 0.5*A*C",
        3.0,
        &[("A", |t| {
            let free = 3.0 * (-0.5 * t).exp();
            let set = 6.0 * (-0.525f64).exp() * (-0.5 * (t - 1.65)).exp();
            if t < 1.65 { free } else { set }
        })],
    ),
    case(
        "a concentration in a growing compartment set later, to what it was at the trigger",
        "compartment C = 2 varying
         species A in C = 3
         der C = 0.5
         when time > 1 after 0.65 => A = 2*A",
        3.0,
        // 6 in 2.5 is 2.4, of which twice in 2.825.
        &[("A", |t| if t < 1.65 { 6.0 } else { 13.56 } / (2.0 + 0.5 * t))],
    ),
    case(
        "a concentration and its compartment set later, to what they were at the trigger",
        "compartment C = 2 varying
         species A in C = 3
         variable x = 0
         der x = 1
         der C = 0.5
         when time > 1 after 0.65 => A = x; C = 4*x",
        3.0,
        // The amount is 1 in the size before, which is 2.825.
        &[
            ("C", |t| if t < 1.65 { 2.0 + 0.5 * t } else { 4.0 + 0.5 * (t - 1.65) }),
            ("A", |t| if t < 1.65 { 6.0 / (2.0 + 0.5 * t) } else { 2.825 / (3.175 + 0.5 * t) }),
        ],
    ),
    case(
        "a concentration in a growing compartment set later, triggered again before",
        "compartment C = 1 varying
         species A in C = 3
         variable x = 0
         variable y = 1
         der x = 6.283185307179586*y
         der y = -6.283185307179586*x
         der C = 1
         when x > 0.5 after 1.25 => A = time",
        3.0,
        // Triggered at 1/12, 13/12 and 25/12; the first two are executed 1.25 later.
        &[("A", |t| {
            let first = 1.0 / 12.0;
            match t {
                _ if t < first + 1.25 => 3.0 / (1.0 + t),
                _ if t < first + 2.25 => first * (first + 2.25) / (1.0 + t),
                _ => (first + 1.0) * (first + 3.25) / (1.0 + t),
            }
        })],
    ),
    case(
        "a delayed event survives that its condition ends",
        "variable p = 1
             when time > 1.05 and time < 1.35 after 0.6 => p = 2",
        3.0,
        &[("p", |t| if t < 1.65 { 1.0 } else { 2.0 })],
    ),
    case(
        "a delayed event that is not persistent dies with its condition",
        "variable p = 1
             when time > 1.05 and time < 1.35 after 0.6 transient => p = 2",
        3.0,
        &[("p", |_| 1.0)],
    ),
    case(
        "a delayed event that is not persistent lives with its condition",
        "variable p = 1
             when time > 1.05 and time < 1.75 after 0.6 transient => p = 2",
        3.0,
        &[("p", |t| if t < 1.65 { 1.0 } else { 2.0 })],
    ),
    case(
        "triggered again before it was executed",
        "variable n = 0
             variable x = 0
             variable y = 1
             der x = 6.283185307179586*y
             der y = -6.283185307179586*x
             when x > 0 after 1.35 => n = n + 1",
        5.3,
        // The sine rises through zero at 0, 1, 2, ...; each is executed 1.35 later, with the
        // value of its trigger.
        &[("n", |t| match t {
            _ if t < 1.35 => 0.0,
            _ if t < 3.35 => 1.0,
            _ => 2.0,
        })],
    ),
];

const ORDERS: &[Case] = &[
    case(
        "the greater priority first",
        "variable p = 1
             when time > 1.05 priority 1 => p = 2*p
             when time > 1.05 priority 2 late => p = p + 1",
        2.0,
        &[],
    ),
    case(
        "the greater priority first, with values of the execution",
        "variable p = 1
             when time > 1.05 priority 1 late => p = 2*p
             when time > 1.05 priority 2 late => p = p + 1",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 4.0 })],
    ),
    case(
        "the other way round",
        "variable p = 1
             when time > 1.05 priority 2 late => p = 2*p
             when time > 1.05 priority 1 late => p = p + 1",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 3.0 })],
    ),
    case(
        "three priorities",
        "variable p = 1
             when time > 1.05 priority 1 late => p = 10*p + 1
             when time > 1.05 priority 3 late => p = 10*p + 3
             when time > 1.05 priority 2 late => p = 10*p + 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 1321.0 })],
    ),
    case(
        "priorities below zero and in between",
        "variable p = 1
             when time > 1.05 priority -1 late => p = 10*p + 1
             when time > 1.05 priority 0.5 late => p = 10*p + 3
             when time > 1.05 priority 0.25 late => p = 10*p + 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 1321.0 })],
    ),
    case(
        "a priority that is computed",
        "variable x = 0
             variable p = 1
             der x = 1
             when time > 1.05 priority x late => p = 10*p + 1
             when time > 1.05 priority 2*x late => p = 10*p + 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 121.0 })],
    ),
    case(
        "the first makes the second's condition false, which is not persistent",
        "variable q = 0
             variable p = 1
             when time > 1.05 priority 2 => q = 1
             when time > 1.05 and q < 0.5 priority 1 transient => p = 2",
        2.0,
        &[("p", |_| 1.0), ("q", |t| if t < 1.05 { 0.0 } else { 1.0 })],
    ),
    case(
        "the first makes the second's condition false, which is persistent",
        "variable q = 0
             variable p = 1
             when time > 1.05 priority 2 => q = 1
             when time > 1.05 and q < 0.5 priority 1 => p = 2",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 })],
    ),
    case(
        "delays that end at one instant, by priority",
        "variable p = 1
             when time > 0.45 after 0.75 priority 1 late => p = 10*p + 1
             when time > 0.95 after 0.25 priority 2 late => p = 10*p + 2",
        2.2,
        &[("p", |t| if t < 1.2 { 1.0 } else { 121.0 })],
    )
    .peer(Peer::Differs("it finds times of triggers by roots, so that delays end apart")),
    case(
        "events at one instant that do not touch each other",
        "variable p = 1
             variable q = 1
             when time > 1.05 => p = 2
             when time >= 1.05 => q = 3",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 }), ("q", |t| if t < 1.05 { 1.0 } else { 3.0 })],
    ),
];

const STARTS: &[Case] = &[
    case(
        "true from the start, which counts as true before",
        "variable p = 1
             variable x = 1
             der x = 1
             when x > 0.5 => p = 2",
        2.0,
        &[("p", |_| 1.0)],
    ),
    case(
        "true from the start, which counts as false before",
        "variable p = 1
             variable x = 1
             der x = 1
             when x > 0.5 fresh => p = 2",
        2.0,
        &[("p", |_| 2.0)],
    ),
    case(
        "at the start with a delay",
        "variable p = 1
             variable x = 1
             der x = 1
             when x > 0.5 after 0.65 fresh => p = x",
        2.0,
        &[("p", |_| 1.0)],
    ),
    case(
        "at the start with a delay and values of the execution",
        "variable p = 1
             variable x = 1
             der x = 1
             when x > 0.5 after 0.65 fresh late => p = x",
        2.0,
        &[("p", |t| if t < 0.65 { 1.0 } else { 1.65 })],
    ),
    case(
        "from time zero on",
        "variable p = 1
             when time >= 0 => p = 2",
        2.0,
        &[("p", |_| 1.0)],
    ),
    case(
        "from time zero on, which counts as false before",
        "variable p = 1
             when time >= 0 fresh => p = 2",
        2.0,
        &[("p", |_| 2.0)],
    ),
    case(
        "after time zero",
        "variable p = 1
             when time > 0 => p = p + 1",
        2.0,
        &[("p", |t| if t <= 0.0 { p_before() } else { 2.0 })],
    ),
    case(
        "false at the start and then true again",
        "variable p = 0
             variable x = 1
             der x = -1
             when x > 0.55 => p = p + 1
             when x < -0.85 => x = 1",
        3.0,
        // Down to -0.85 at 1.85, and up at once.
        &[("p", |t| if t < 1.85 { 0.0 } else { 1.0 })],
    ),
];

/// At the start itself nothing has happened yet, or all has: it is not defined.
fn p_before() -> f64 {
    f64::NAN
}

const CASCADES: &[Case] = &[
    case(
        "one event triggers another at once",
        "variable q = 0
             variable p = 1
             when time > 1.05 => q = 1
             when q > 0.5 => p = 3",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 3.0 })],
    ),
    case(
        "a chain of four",
        "variable a = 0
             variable b = 0
             variable c = 0
             variable d = 0
             when time > 1.05 => a = 1
             when a > 0.5 => b = a + 1
             when b > 0.5 => c = b + 1
             when c > 0.5 => d = c + 1",
        2.0,
        &[("d", |t| if t < 1.05 { 0.0 } else { 4.0 })],
    ),
    case(
        "one event triggers another later",
        "variable q = 0
             variable p = 1
             when time > 1.05 after 0.2 => q = 1
             when q > 0.5 after 0.4 => p = 3",
        2.3,
        &[("p", |t| if t < 1.65 { 1.0 } else { 3.0 })],
    ),
    case(
        "an event ends what made it",
        "variable x = 0
             variable n = 0
             der x = 1
             when x > 1.05 => x = 0; n = n + 1",
        4.0,
        &[("x", |t| t % 1.05), ("n", |t| (t / 1.05).floor())],
    ),
    case(
        "two that swap",
        "variable p = 1
             variable q = 2
             when time > 1.05 => p = q; q = p",
        2.0,
        &[("p", |t| if t < 1.05 { 1.0 } else { 2.0 }), ("q", |t| if t < 1.05 { 2.0 } else { 1.0 })],
    ),
    case(
        "three that turn",
        "variable p = 1
             variable q = 2
             variable r = 3
             when time > 1.05 => p = q; q = r; r = p + q",
        2.0,
        &[("r", |_| 3.0), ("q", |t| if t < 1.05 { 2.0 } else { 3.0 })],
    ),
    case(
        "on and off",
        "variable T = 20
             variable on = 0
             der T = 0.5*(15 - T) + 8*on
             when T < 18 => on = 1
             when T > 22 => on = 0",
        6.0,
        &[],
    ),
];
