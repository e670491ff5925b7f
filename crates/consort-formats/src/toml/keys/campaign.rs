//! The keys of campaigns.

use consort_core::SolverKind;
use consort_system::campaign::{PropertyReading, StrategyKind};
use consort_toml::{Key, KeyKind, KeyTable, NumberRange, choice_names};

/// A whole number of 64 bits, above 0.
const POSITIVE_WHOLE: KeyKind = KeyKind::Whole(1, u64::MAX);

/// The keys of a campaign, and all tables in it.
pub static CAMPAIGN: KeyTable = KeyTable {
    heading: "",
    meaning: "A campaign names a system, what may disturb it, what must hold, and how its scenarios are explored.",
    keys: &[
        Key {
            name: "name",
            kind: KeyKind::Text,
            default: Some("the name of the file's folder"),
            meaning: "What the campaign is called in reports and in the folder of its results.",
            example: "\"tank-safety\"",
        },
        Key {
            name: "system",
            kind: KeyKind::Text,
            default: None,
            meaning: "The system, as a path beside the campaign: a `system.toml`, an SSP, a multi-model, or a model.",
            example: "\"system.toml\"",
        },
        Key {
            name: "period",
            kind: KeyKind::Seconds,
            default: None,
            meaning: "How long a choice holds. A multiple of a step of the system.",
            example: "1",
        },
        Key {
            name: "horizon",
            kind: KeyKind::Seconds,
            default: None,
            meaning: "How long a scenario is: 1 to 100,000 periods.",
            example: "10",
        },
        Key {
            name: "changes-max",
            kind: KeyKind::COUNT,
            default: Some("any number"),
            meaning: "How often choices may change in a scenario, all inputs together. Leaving the nominal value in the \
                      first period is a change.",
            example: "3",
        },
        Key {
            name: "constraints",
            kind: KeyKind::TEXTS,
            default: Some("none"),
            meaning: "Conditions between values that are chosen at one time.",
            example: "[\"not (pump.fails == 1 and valve.fails == 1)\"]",
        },
        Key {
            name: "memory",
            kind: KeyKind::Either(&[KeyKind::Text, KeyKind::Whole(0, u64::MAX)]),
            default: Some("`\"256 MiB\"`"),
            meaning: "How much the snapshots of a worker may take: bytes, or a whole number of `KiB`, `MiB` or `GiB`.",
            example: "\"1 GiB\"",
        },
        Key {
            name: "workers",
            kind: KeyKind::POSITIVE_COUNT,
            default: Some("one per core"),
            meaning: "How many workers explore. The report does not depend on it.",
            example: "4",
        },
        Key {
            name: "seed",
            kind: KeyKind::Whole(0, u64::MAX),
            default: Some("`0`"),
            meaning: "What all random choices of the campaign follow from.",
            example: "7",
        },
        Key {
            name: "watchdog",
            kind: KeyKind::Number(NumberRange::Positive),
            default: Some("`60`"),
            meaning: "Seconds of real time without a message after which a worker is ended and its work done again.",
            example: "30",
        },
        Key {
            name: "options",
            kind: KeyKind::Table(&OPTIONS),
            default: Some("the system as it is"),
            meaning: "What is changed of the system.",
            example: "",
        },
        Key {
            name: "disturbances",
            kind: KeyKind::Tables(&DISTURBANCE),
            default: None,
            meaning: "The inputs that are chosen. At least one.",
            example: "",
        },
        Key {
            name: "properties",
            kind: KeyKind::Tables(&PROPERTY),
            default: None,
            meaning: "What must hold in every scenario. At least one.",
            example: "",
        },
        Key {
            name: "strategy",
            kind: KeyKind::Table(&STRATEGY),
            default: Some("`kind = \"exhaustive\"`"),
            meaning: "How scenarios are chosen.",
            example: "",
        },
        Key {
            name: "limit",
            kind: KeyKind::Table(&LIMIT),
            default: Some("none"),
            meaning: "Where the campaign ends although there is more to explore.",
            example: "",
        },
        Key {
            name: "tighter",
            kind: KeyKind::Either(&[KeyKind::Boolean, KeyKind::Table(&TIGHTER)]),
            default: Some("half the step, a hundredth of the tolerance"),
            meaning: "How counter-examples are validated again; `false`: not at all.",
            example: "false",
        },
    ],
    exactly_one: &[],
    example: "system = \"system.toml\"\nperiod = 1\nhorizon = 10\n\n[[disturbances]]\ninput = \"pump.fails\"\nvalues = [0, \
              1]\n\n[[properties]]\nname = \"no overflow\"\nformula = \"always (tank.level < 2)\"",
};

pub(in crate::toml) static OPTIONS: KeyTable = KeyTable {
    heading: "[options]",
    meaning: "What is changed of the system, as `consort run` takes it.",
    keys: &[
        Key {
            name: "set",
            kind: KeyKind::TEXTS,
            default: Some("nothing"),
            meaning: "Values to set: `component.variable=value`.",
            example: "[\"tank.area=1.5\"]",
        },
        Key {
            name: "step",
            kind: KeyKind::Seconds,
            default: Some("that of the system"),
            meaning: "The communication step.",
            example: "0.1",
        },
        Key {
            name: "solver",
            kind: KeyKind::Choice(&choice_names(&SolverKind::ALL)),
            default: Some("that of the system"),
            meaning: "The solver of components that have none of their own. See [solvers](solvers.md).",
            example: "\"bdf\"",
        },
        Key {
            name: "tolerance",
            kind: KeyKind::Number(NumberRange::Positive),
            default: Some("that of the system"),
            meaning: "The relative tolerance of solvers.",
            example: "1e-6",
        },
        Key {
            name: "solver-step",
            kind: KeyKind::Seconds,
            default: Some("that of the system"),
            meaning: "How long fixed steps of solvers are, and the longest of others.",
            example: "0.01",
        },
    ],
    exactly_one: &[],
    example: "[options]\nset = [\"tank.area=1.5\"]",
};

pub(in crate::toml) static DISTURBANCE: KeyTable = KeyTable {
    heading: "[[disturbances]]",
    meaning: "An input that is chosen anew in every period.",
    keys: &[
        Key {
            name: "input",
            kind: KeyKind::Text,
            default: None,
            meaning: "An input that is not connected, or a tunable parameter: `component.variable`.",
            example: "\"pump.fails\"",
        },
        Key {
            name: "values",
            kind: KeyKind::Values,
            default: None,
            meaning: "The values it may have, each once, at most 1,000. The first is the nominal one.",
            example: "[0, 1]",
        },
        Key {
            name: "changes-max",
            kind: KeyKind::COUNT,
            default: Some("any number"),
            meaning: "How often it may change in a scenario.",
            example: "1",
        },
    ],
    exactly_one: &[],
    example: "[[disturbances]]\ninput = \"valve.fails\"\nvalues = [0, 1]\nchanges-max = 1",
};

pub(in crate::toml) static PROPERTY: KeyTable = KeyTable {
    heading: "[[properties]]",
    meaning: "Something that must hold in every scenario.",
    keys: &[
        Key {
            name: "name",
            kind: KeyKind::Text,
            default: None,
            meaning: "What reports call it.",
            example: "\"no overflow\"",
        },
        Key {
            name: "formula",
            kind: KeyKind::Text,
            default: None,
            meaning: "A formula of signal temporal logic. See [properties](properties.md).",
            example: "\"always[0:10] (tank.level < 2)\"",
        },
        Key {
            name: "reading",
            kind: KeyKind::Choice(&choice_names(&PropertyReading::ALL)),
            default: Some("`\"sampled\"`"),
            meaning: "What a trace means between its rows. `\"sampled\"`: there are only the rows. `\"dense\"`: each value \
                      holds until the next.",
            example: "\"dense\"",
        },
        Key {
            name: "scale",
            kind: KeyKind::Number(NumberRange::Positive),
            default: Some("`1`"),
            meaning: "Robustness is divided by it, so that properties can be compared.",
            example: "0.5",
        },
    ],
    exactly_one: &[],
    example: "[[properties]]\nname = \"not empty\"\nformula = \"always (0.1 < tank.level)\"\nscale = 0.5",
};

pub(in crate::toml) static STRATEGY: KeyTable = KeyTable {
    heading: "[strategy]",
    meaning: "How scenarios are chosen. A key that the kind does not have is an error. See \
              [strategies](explore.md#strategies).",
    keys: &[
        Key {
            name: "kind",
            kind: KeyKind::Choice(&choice_names(&StrategyKind::ALL)),
            default: None,
            meaning: "`\"exhaustive\"`: all, depth first. `\"shortest\"`: all, shorter ones first. `\"random\"`: all, in a \
                      random order. `\"monte-carlo\"`: random ones, for a statement with confidence. `\"best-first\"`: the \
                      least robust first. `\"beam\"`: the least robust few of each length.",
            example: "\"exhaustive\"",
        },
        Key {
            name: "stop-at-first",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "Of `exhaustive`, `random` and `monte-carlo`: end at the first violation.",
            example: "true",
        },
        Key {
            name: "snapshots",
            kind: KeyKind::POSITIVE_COUNT,
            default: Some("`8`"),
            meaning: "Of `exhaustive`, `shortest` and `random`: how many snapshots of a path are kept besides its root.",
            example: "6",
        },
        Key {
            name: "block",
            kind: KeyKind::POSITIVE_COUNT,
            default: Some(
                "a 256th of all scenarios, 1 to 4096; `64` of `monte-carlo`, `8` of searches",
            ),
            meaning: "How many scenarios, or nodes of a search, a unit of work has.",
            example: "1000",
        },
        Key {
            name: "epsilon",
            kind: KeyKind::Number(NumberRange::Probability),
            default: Some("`0.05`"),
            meaning: "Of `monte-carlo`: the probability of a violation is estimated to within `epsilon`.",
            example: "0.01",
        },
        Key {
            name: "delta",
            kind: KeyKind::Number(NumberRange::Probability),
            default: Some("`0.05`"),
            meaning: "Of `monte-carlo`: how probable a wrong estimate is at most.",
            example: "0.05",
        },
        Key {
            name: "p0",
            kind: KeyKind::Number(NumberRange::Probability),
            default: Some("an estimate instead of a test"),
            meaning: "Of `monte-carlo`: the probability of a violation that is acceptable, for a sequential test. Together \
                      with `p1`, which is greater, and without `epsilon` and `delta`.",
            example: "0.01",
        },
        Key {
            name: "p1",
            kind: KeyKind::Number(NumberRange::Probability),
            default: Some("an estimate instead of a test"),
            meaning: "Of `monte-carlo`: the probability that is not acceptable.",
            example: "0.02",
        },
        Key {
            name: "alpha",
            kind: KeyKind::Number(NumberRange::Probability),
            default: Some("`0.05`"),
            meaning: "Of the sequential test: how often an acceptable system may be refused.",
            example: "0.05",
        },
        Key {
            name: "beta",
            kind: KeyKind::Number(NumberRange::Probability),
            default: Some("`0.05`"),
            meaning: "Of the sequential test: how often an unacceptable system may be accepted.",
            example: "0.05",
        },
        Key {
            name: "width",
            kind: KeyKind::POSITIVE_COUNT,
            default: Some("`20`"),
            meaning: "Of `beam`: how many prefixes of each length are kept.",
            example: "20",
        },
    ],
    exactly_one: &[],
    example: "[strategy]\nkind = \"monte-carlo\"\nepsilon = 0.01\ndelta = 0.05",
};

pub(in crate::toml) static LIMIT: KeyTable = KeyTable {
    heading: "[limit]",
    meaning: "Where the campaign ends although there is more to explore.",
    keys: &[
        Key {
            name: "scenarios",
            kind: POSITIVE_WHOLE,
            default: Some("all"),
            meaning: "After this many scenarios.",
            example: "100000",
        },
        Key {
            name: "time",
            kind: KeyKind::Number(NumberRange::Positive),
            default: Some("any time"),
            meaning: "After this many seconds of real time. The report then depends on the speed of the machine.",
            example: "3600",
        },
    ],
    exactly_one: &[],
    example: "[limit]\nscenarios = 100000",
};

pub(in crate::toml) static TIGHTER: KeyTable = KeyTable {
    heading: "[tighter]",
    meaning: "How counter-examples are [validated again](explore.md#counter-examples), with smaller steps and tolerances.",
    keys: &[
        Key {
            name: "tolerance",
            kind: KeyKind::Number(NumberRange::Factor),
            default: Some("`0.01`"),
            meaning: "The factor of the tolerance of solvers.",
            example: "0.1",
        },
        Key {
            name: "step",
            kind: KeyKind::Number(NumberRange::Factor),
            default: Some("`0.5`"),
            meaning: "The factor of all steps.",
            example: "0.25",
        },
    ],
    exactly_one: &[],
    example: "[tighter]\nstep = 0.25",
};
