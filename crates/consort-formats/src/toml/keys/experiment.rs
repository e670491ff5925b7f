//! The keys of `[experiment]`.

use super::{ITERATION, VARIABLE_STEP};
use consort_core::{HashMode, SolverKind};
use consort_system::{Continuous, LoopChoice, OnDivergence, Order};
use consort_toml::{Key, KeyKind, KeyTable, NumberRange, choice_names};

/// The keywords of `record`.
pub(in crate::toml) const RECORD_CHOICES: [(u8, &str); 3] =
    [(0, "outputs"), (1, "all"), (2, "nothing")];

pub(in crate::toml) static EXPERIMENT: KeyTable = KeyTable {
    heading: "[experiment]",
    meaning: "What is done with the system. Every key may be left out. Many have an option of the command line of the \
              same name (`--stop`), which takes precedence.",
    keys: &[
        Key {
            name: "start",
            kind: KeyKind::Seconds,
            default: Some("`0`"),
            meaning: "When time starts. May be negative.",
            example: "0",
        },
        Key {
            name: "stop",
            kind: KeyKind::Seconds,
            default: Some("the one that the models agree on"),
            meaning: "When time stops. With steps of one size a whole number of steps after the start.",
            example: "60",
        },
        Key {
            name: "step",
            kind: KeyKind::Seconds,
            default: Some("the one that the models agree on"),
            meaning: "The communication step of components that have none of their own.",
            example: "0.1",
        },
        Key {
            name: "resolution",
            kind: KeyKind::Seconds,
            default: Some("the longest that fits all times of the system"),
            meaning: "The length of a tick, the unit in which time is counted exactly.",
            example: "\"1/300\"",
        },
        Key {
            name: "seed",
            kind: KeyKind::Whole(0, u64::MAX),
            default: Some("`0`"),
            meaning: "What all random numbers of the run follow from.",
            example: "7",
        },
        Key {
            name: "tolerance",
            kind: KeyKind::Number(NumberRange::Positive),
            default: Some("`1e-6` for solvers of Consort; what FMUs have of their own"),
            meaning: "The relative tolerance of solvers, those of Consort and those inside FMUs.",
            example: "1e-6",
        },
        Key {
            name: "solver",
            kind: KeyKind::Choice(&choice_names(&SolverKind::ALL)),
            default: Some("`\"auto\"`"),
            meaning: "The solver of components that Consort integrates (equations, SBML, FMUs for Model Exchange) and that \
                      have none of their own. See [solvers](solvers.md).",
            example: "\"bdf\"",
        },
        Key {
            name: "solver-step",
            kind: KeyKind::Seconds,
            default: Some("from one communication point to the next"),
            meaning: "How long steps of solvers with fixed steps are, and the longest of the others.",
            example: "0.001",
        },
        Key {
            name: "isolate",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "Every FMU is in a process of its own, where a crash becomes an error of the run. See \
                      [isolation](isolation.md).",
            example: "true",
        },
        Key {
            name: "record",
            kind: KeyKind::Either(&[
                KeyKind::Choice(&choice_names(&RECORD_CHOICES)),
                KeyKind::TEXTS,
            ]),
            default: Some("`\"outputs\"`"),
            meaning: "Which variables are in the trace: those of a keyword, or names and patterns. The trace hash does not \
                      depend on it.",
            example: "[\"tank.level\", \"pid.*\", \"*.y\"]",
        },
        Key {
            name: "hash",
            kind: KeyKind::Choice(&choice_names(&HashMode::ALL)),
            default: Some("`\"all\"`"),
            meaning: "What the trace hash is made of. `\"all\"`: every output and every recorded local variable. \
                      `\"connected\"`: the sources of the connections of the whole system; other variables are read \
                      only if they are recorded or something depends on them, and are not hashed. Traces of the two \
                      are not compared.",
            example: "\"connected\"",
        },
        Key {
            name: "unhashed",
            kind: KeyKind::TEXTS,
            default: Some("none"),
            meaning: "Variables (names and patterns) that are kept out of the trace hash, such as readings of a clock.",
            example: "[\"plant.CPUtime\"]",
        },
        Key {
            name: "plot",
            kind: KeyKind::Either(&[KeyKind::Boolean, KeyKind::Text, KeyKind::List]),
            default: Some("nothing is drawn"),
            meaning: "Variables (names and patterns) that are drawn after the run; `true` draws all that is recorded.",
            example: "[\"tank.level\", \"pid.*\"]",
        },
        Key {
            name: "input",
            kind: KeyKind::Text,
            default: Some("none"),
            meaning: "A CSV file, beside the system file, with values over time for inputs that are not connected and for \
                      tunable parameters. See [tables of inputs](inputs.md).",
            example: "\"inflow.csv\"",
        },
        Key {
            name: "send-start-values",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "The default of the same key of all components.",
            example: "true",
        },
        Key {
            name: "order",
            kind: KeyKind::Choice(&choice_names(&Order::ALL)),
            default: Some("`\"derived\"`"),
            meaning: "The order of computation. `\"derived\"`: from the dependencies of every variable, without avoidable \
                      delays at a tag; components step side by side. `\"jacobi\"`: everything is read, exchanged and \
                      stepped at once, and every feedthrough costs a step of delay. `\"gauss-seidel\"`: as derived, and \
                      components step one after another along the connections. See [plans](plans.md).",
            example: "\"gauss-seidel\"",
        },
        Key {
            name: "continuous",
            kind: KeyKind::Choice(&choice_names(&Continuous::ALL)),
            default: Some("`\"together\"`"),
            meaning: "How connected components that Consort integrates are integrated. `\"together\"`: as one system by \
                      one solver, so that what they exchange is continuous. `\"apart\"`: each by its own solver, with \
                      inputs held between communication points.",
            example: "\"apart\"",
        },
        Key {
            name: "loops",
            kind: KeyKind::Choice(&choice_names(&LoopChoice::ALL)),
            default: Some("`\"error\"`"),
            meaning: "What becomes of algebraic loops. `\"error\"`: the system is refused and the loop shown. \
                      `\"iterate\"`: it is solved at every tag. `\"delay\"`: connections of it are delayed by a step, as few \
                      as break it.",
            example: "\"iterate\"",
        },
        Key {
            name: "on-divergence",
            kind: KeyKind::Choice(&choice_names(&OnDivergence::ALL)),
            default: Some("`\"warn\"`"),
            meaning: "What a value that is infinite, not a number or far too great does. `\"warn\"`: it is reported once. \
                      `\"error\"`: it ends the run.",
            example: "\"error\"",
        },
        Key {
            name: "iteration",
            kind: KeyKind::Table(&ITERATION),
            default: Some("defaults"),
            meaning: "How algebraic loops are solved.",
            example: "",
        },
        Key {
            name: "variable-step",
            kind: KeyKind::Table(&VARIABLE_STEP),
            default: Some("steps of one size"),
            meaning: "If it is there, communication steps change their size.",
            example: "",
        },
    ],
    exactly_one: &[],
    example: "[experiment]\nstop = 60\nstep = 0.1\nplot = [\"tank.level\", \"pid.*\"]",
};
