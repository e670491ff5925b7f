//! MathML: every operator at many values.

use super::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    [NUMBERS, CONDITIONS, FUNCTIONS, CHOICES].concat()
}

const CONDITIONS: &[Case] = &[
    case(
        "functions of conditions",
        "function both(a, b) = a and b
             function follows(a, b) = not(a) or b
             function same(a) = a
             variable p = 0
             variable q = 0
             p := if both(time > 0.45, same(time < 1.45)) then 2 else 1
             q := if same(follows(time > 0.45, both(time > 1.45, 2 > 1))) then 2 else 1",
        2.0,
        &[
            ("p", |t| if 0.45 < t && t < 1.45 { 2.0 } else { 1.0 }),
            ("q", |t| if 0.45 < t && t < 1.45 { 1.0 } else { 2.0 }),
        ],
    ),
    case(
        "an event of a function of conditions",
        "function either(a, b) = a or b
             variable p = 0
             when either(time > 1.05, p > 5) => p = p + 1",
        2.0,
        &[("p", |t| if t < 1.05 { 0.0 } else { 1.0 })],
    ),
];

const NUMBERS: &[Case] = &[
    case(
        "arithmetic",
        "variable p = 0
             variable q = 0
             p := 1 + 2*time - time/4 - (-3)
             q := time*time*time/(1 + time)",
        2.0,
        &[("p", |t| 4.0 + 1.75 * t), ("q", |t| t.powi(3) / (1.0 + t))],
    ),
    case(
        "powers and roots",
        "variable p = 0
             variable q = 0
             variable r = 0
             p := (1 + time)^2.5
             q := sqrt(1 + time) + root(3, 1 + time)
             r := 2^time + (1 + time)^(-2)",
        2.0,
        &[
            ("p", |t| (1.0 + t).powf(2.5)),
            ("q", |t| (1.0 + t).sqrt() + (1.0 + t).cbrt()),
            ("r", |t| t.exp2() + (1.0 + t).powi(-2)),
        ],
    ),
    case(
        "exponential and logarithms",
        "variable p = 0
             variable q = 0
             p := exp(-time) + ln(1 + time)
             q := log10(1 + time) + log(2, 1 + time)",
        2.0,
        &[("p", |t| (-t).exp() + (1.0 + t).ln()), ("q", |t| (1.0 + t).log10() + (1.0 + t).log2())],
    ),
    case(
        "rounding",
        "variable p = 0
             variable q = 0
             variable r = 0
             p := floor(3.3*time) + ceil(2.7*time + 0.1)
             q := abs(1 - time)
             r := factorial(floor(2.2*time))",
        2.0,
        &[
            ("p", |t| (3.3 * t).floor() + (2.7 * t + 0.1).ceil()),
            ("q", |t| (1.0 - t).abs()),
            ("r", |t| [1.0, 1.0, 2.0, 6.0, 24.0][(2.2 * t).floor() as usize]),
        ],
    ),
    case(
        "the number of particles in a mole",
        "variable p = 0
             p := time*avogadro/1e23",
        2.0,
        &[("p", |t| 6.022_141_79 * t)],
    ),
    case(
        "least and greatest",
        "variable p = 0
             variable q = 0
             p := min(time, 1.3, 2 - time) + max(time, 0.7)
             q := rem(7*time, 2) + quotient(7*time, 2)",
        2.1,
        &[
            ("p", |t| t.min(1.3).min(2.0 - t) + t.max(0.7)),
            ("q", |t| (7.0 * t) % 2.0 + (7.0 * t / 2.0).trunc()),
        ],
    ),
];

const FUNCTIONS: &[Case] = &[
    case(
        "trigonometric functions",
        "variable p = 0
             variable q = 0
             p := sin(time) + 2*cos(time) + tan(time/2)
             q := sec(time/2) + csc(1 + time/2) + cot(1 + time/2)",
        2.0,
        &[
            ("p", |t| t.sin() + 2.0 * t.cos() + (t / 2.0).tan()),
            ("q", |t| {
                let u: f64 = 1.0 + t / 2.0;
                1.0 / (t / 2.0).cos() + 1.0 / u.sin() + 1.0 / u.tan()
            }),
        ],
    ),
    case(
        "inverse trigonometric functions",
        "variable p = 0
             variable q = 0
             p := asin(time/3) + 2*acos(time/3) + atan(time)
             q := asec(2 + time) + acsc(2 + time) + acot(2 + time)",
        2.0,
        &[
            ("p", |t| (t / 3.0).asin() + 2.0 * (t / 3.0).acos() + t.atan()),
            ("q", |t| {
                let u: f64 = 1.0 / (2.0 + t);
                u.acos() + u.asin() + u.atan()
            }),
        ],
    ),
    case(
        "hyperbolic functions",
        "variable p = 0
             variable q = 0
             p := sinh(time) + cosh(time) + tanh(time)
             q := sech(time) + csch(1 + time) + coth(1 + time)",
        2.0,
        &[
            ("p", |t| t.exp() + t.tanh()),
            ("q", |t| 1.0 / t.cosh() + 1.0 / (1.0 + t).sinh() + 1.0 / (1.0 + t).tanh()),
        ],
    ),
    case(
        "inverse hyperbolic functions",
        "variable p = 0
             variable q = 0
             p := asinh(time) + acosh(1 + time) + atanh(time/3)
             q := asech(1/(1 + time)) + acsch(1 + time) + acoth(2 + time)",
        2.0,
        &[
            ("p", |t| t.asinh() + (1.0 + t).acosh() + (t / 3.0).atanh()),
            ("q", |t| (1.0 + t).acosh() + (1.0 / (1.0 + t)).asinh() + (1.0 / (2.0 + t)).atanh()),
        ],
    ),
    case(
        "functions in a rate",
        "variable x = 0
             der x = exp(-x)*cos(time) - tanh(x) + ln(2 + sin(time))",
        3.0,
        &[],
    ),
];

const CHOICES: &[Case] = &[
        case(
            "comparisons",
            "variable p = 0
             p := (if time < 1.05 then 1 else 0) + (if time <= 0.55 then 2 else 0) + (if time > 1.55 then 4 else 0) + (if time >= 0.25 then 8 else 0)",
            2.0,
            &[("p", |t| {
                let of = |holds: bool, value: f64| if holds { value } else { 0.0 };
                of(t < 1.05, 1.0) + of(t <= 0.55, 2.0) + of(1.55 < t, 4.0) + of(0.25 <= t, 8.0)
            })],
        ),
        case(
            "equal and not equal",
            "parameter a = 2
             variable p = 0
             p := time + (if a == 2 then 1 else 0) + (if a != 2 then 10 else 20)",
            2.0,
            &[("p", |t| 21.0 + t)],
        ),
        case(
            "logic",
            "variable p = 0
             p := (if time > 0.5 and time < 1.1 then 1 else 0) + (if time < 0.3 or time > 1.5 then 2 else 0) + (if not (time > 1) then 4 else 0) + (if time > 0.7 xor time > 1.3 then 8 else 0)",
            2.1,
            &[("p", |t| {
                let of = |holds: bool, value: f64| if holds { value } else { 0.0 };
                of(0.5 < t && t < 1.1, 1.0)
                    + of(!(0.3..=1.5).contains(&t), 2.0)
                    + of(t <= 1.0, 4.0)
                    + of((0.7 < t) != (1.3 < t), 8.0)
            })],
        ),
        case(
            "implication",
            "variable p = 0
             p := if time > 0.7 implies time > 1.3 then 1 else 0",
            2.1,
            &[("p", |t| if 0.7 < t && t <= 1.3 { 0.0 } else { 1.0 })],
        ),
];
