//! The keys of `[experiment.iteration]`, `[[loops]]` and `[experiment.variable-step]`.

use consort_system::{IterationMethod, LoopChoice, StepConstraint};
use consort_toml::{Key, KeyKind, KeyTable, NumberRange, choice_names};

const METHOD: Key = Key {
    name: "method",
    kind: KeyKind::Choice(&choice_names(&IterationMethod::ALL)),
    default: Some("`\"auto\"`"),
    meaning: "`\"fixed-point\"`: with relaxation. `\"newton\"`: with directional derivatives where models have them, else \
              with differences. `\"broyden\"`: one matrix of differences, then updates of it. `\"auto\"`: fixed point while \
              it contracts, then Newton, or Broyden where an evaluation means steps.",
    example: "\"newton\"",
};
const TOLERANCE: Key = Key {
    name: "tolerance",
    kind: KeyKind::Number(NumberRange::Any),
    default: Some("`1e-9`"),
    meaning: "A loop is solved when every residual is at most `tolerance * max(1, |value|)`.",
    example: "1e-12",
};
const LIMIT: Key = Key {
    name: "limit",
    kind: KeyKind::COUNT,
    default: Some("`100`"),
    meaning: "The greatest number of evaluations of a loop at one tag.",
    example: "100",
};
const RELAXATION: Key = Key {
    name: "relaxation",
    kind: KeyKind::Number(NumberRange::Any),
    default: Some("`1`"),
    meaning: "The part of a fixed-point correction that is applied: above 0, at most 1.",
    example: "0.5",
};
const ACCEPT_AFTER: Key = Key {
    name: "accept-after",
    kind: KeyKind::COUNT,
    default: Some("a loop that is not solved ends the run"),
    meaning: "After this many evaluations without a solution the last values are taken, with a warning.",
    example: "5",
};

pub(in crate::toml) static ITERATION: KeyTable = KeyTable {
    heading: "[experiment.iteration]",
    meaning: "How algebraic loops are solved where they are (`loops = \"iterate\"`).",
    keys: &[METHOD, TOLERANCE, LIMIT, RELAXATION, ACCEPT_AFTER],
    exactly_one: &[],
    example: "[experiment.iteration]\nmethod = \"newton\"\ntolerance = 1e-12",
};

pub(in crate::toml) static LOOP: KeyTable = KeyTable {
    heading: "[[loops]]",
    meaning: "How one algebraic loop is treated. What is not given is as in `[experiment.iteration]`.",
    keys: &[
        Key {
            name: "through",
            kind: KeyKind::Text,
            default: None,
            meaning: "Any variable on the loop.",
            example: "\"pid.u\"",
        },
        Key {
            name: "policy",
            kind: KeyKind::Choice(&choice_names(&LoopChoice::ALL)),
            default: Some("`\"iterate\"`"),
            meaning: "As `loops` in `[experiment]`: `\"error\"`, `\"iterate\"` or `\"delay\"`.",
            example: "\"delay\"",
        },
        METHOD,
        TOLERANCE,
        LIMIT,
        RELAXATION,
        ACCEPT_AFTER,
    ],
    exactly_one: &[],
    example: "[[loops]]\nthrough = \"pid.u\"\ntolerance = 1e-12",
};

pub(in crate::toml) static VARIABLE_STEP: KeyTable = KeyTable {
    heading: "[experiment.variable-step]",
    meaning: "If this table is there (it may be empty), communication steps change their size: they are as long as \
              tolerance and constraints allow, and are taken back when a component rejects them. No component has a step \
              of its own then.",
    keys: &[
        Key {
            name: "initial",
            kind: KeyKind::Seconds,
            default: Some("`step` of the experiment"),
            meaning: "The first step.",
            example: "0.01",
        },
        Key {
            name: "min",
            kind: KeyKind::Seconds,
            default: Some("a thousandth of the first"),
            meaning: "No step is shorter, but for the last.",
            example: "1e-5",
        },
        Key {
            name: "max",
            kind: KeyKind::Seconds,
            default: Some("the whole experiment"),
            meaning: "No step is longer.",
            example: "0.5",
        },
        Key {
            name: "relative",
            kind: KeyKind::Number(NumberRange::Any),
            default: Some("`1e-4`"),
            meaning: "The error of a step may be `absolute + relative * |value|` in every real output.",
            example: "1e-4",
        },
        Key {
            name: "absolute",
            kind: KeyKind::Number(NumberRange::Any),
            default: Some("`1e-6`"),
            meaning: "The other part of it.",
            example: "1e-6",
        },
        Key {
            name: "error-control",
            kind: KeyKind::Boolean,
            default: Some("`true`"),
            meaning: "The error is estimated by taking each step once whole and once in two halves. If `false`, steps \
                      shrink only when a component rejects them, and grow back after.",
            example: "false",
        },
        Key {
            name: "constraints",
            kind: KeyKind::Tables(&CONSTRAINT),
            default: Some("none"),
            meaning: "Further conditions on steps.",
            example: "",
        },
    ],
    exactly_one: &[],
    example: "[experiment.variable-step]\ninitial = 0.01\nrelative = 1e-5",
};

pub(in crate::toml) static CONSTRAINT: KeyTable = KeyTable {
    heading: "[[experiment.variable-step.constraints]]",
    meaning: "A condition on steps, as multi-models have them.",
    keys: &[
        Key {
            name: "kind",
            kind: KeyKind::Choice(&StepConstraint::KINDS),
            default: None,
            meaning: "`\"zero-crossing\"`: a step ends where a value, or the difference of two, crosses zero. \
                      `\"bounded-difference\"`: one variable changes by no more than a bound over a step, or several differ \
                      by no more. `\"sampling\"`: steps end at `start + k * period`. `\"component-max-step\"`: no step is \
                      longer than a component allows that is asked before it.",
            example: "\"zero-crossing\"",
        },
        Key {
            name: "variables",
            kind: KeyKind::TEXTS,
            default: Some("none"),
            meaning: "Of `zero-crossing` (one or two) and `bounded-difference`: `component.variable`.",
            example: "[\"ball.h\"]",
        },
        Key {
            name: "tolerance",
            kind: KeyKind::Number(NumberRange::Any),
            default: Some("`1e-3`"),
            meaning: "Of `zero-crossing`: how near to zero counts as zero.",
            example: "1e-3",
        },
        Key {
            name: "absolute",
            kind: KeyKind::Number(NumberRange::Any),
            default: Some("`1e-3` if neither is given"),
            meaning: "Of `bounded-difference`: the greatest difference.",
            example: "1e-3",
        },
        Key {
            name: "relative",
            kind: KeyKind::Number(NumberRange::Any),
            default: Some("none"),
            meaning: "Of `bounded-difference`: the same, in parts of the greatest value.",
            example: "1e-2",
        },
        Key {
            name: "start",
            kind: KeyKind::Seconds,
            default: Some("`0`"),
            meaning: "Of `sampling`: the first instant.",
            example: "0",
        },
        Key {
            name: "period",
            kind: KeyKind::Seconds,
            default: Some("— (`sampling` needs it)"),
            meaning: "Of `sampling`: from one instant to the next.",
            example: "0.1",
        },
    ],
    exactly_one: &[],
    example: "[[experiment.variable-step.constraints]]\nkind = \"zero-crossing\"\nvariables = [\"ball.h\"]",
};
