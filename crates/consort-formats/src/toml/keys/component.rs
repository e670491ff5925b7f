//! The keys of `[components.NAME]`.

use consort_core::{Interface, Provider, SetupOrder, SolverKind};
use consort_system::StepLength;
use consort_toml::{Key, KeyKind, KeyTable, NumberRange, choice_names};

pub(in crate::toml) static COMPONENT: KeyTable = KeyTable {
    heading: "[components.NAME]",
    meaning: "A part of the system. Its name consists of letters, digits, `_` and `-`; a `/` separates the parts of a name, \
              as in `[components.\"plant/tank\"]`.",
    keys: &[
        Key {
            name: "model",
            kind: KeyKind::Text,
            default: None,
            meaning: "Its model, as a path beside the system file: an FMU (a file, its folder, or a folder with sources), \
                      equations (`.eq`), SBML (`.sbml`, `.xml`); or `native:NAME` (`consort inspect native:` lists them), \
                      or `foreign:FILE.toml`, a [program of your own](foreign-nodes.md).",
            example: "\"tank.fmu\"",
        },
        Key {
            name: "parameters",
            kind: KeyKind::Parameters,
            default: Some("those of the model"),
            meaning: "Values of parameters, and start values of inputs and states; alone, or with a unit that is \
                      converted: `{ value = 20, unit = \"cm\" }`. Names with dots may be in quotes (`\"pid.kp\" = 1`) or \
                      not (`pid.kp = 1`).",
            example: "{ area = 1.5, level0 = { value = 20, unit = \"cm\" }, gains = [1, 2, 3] }",
        },
        Key {
            name: "step",
            kind: KeyKind::Seconds,
            default: Some("that of the experiment"),
            meaning: "Its own communication step. Steps need not be multiples of each other.",
            example: "0.5",
        },
        Key {
            name: "step-length",
            kind: KeyKind::Choice(&choice_names(&StepLength::ALL)),
            default: Some("`\"fixed\"`"),
            meaning: "The length that is handed to the model for a step. `\"fixed\"`: the double nearest to the exact \
                      length, the same in every step. `\"to-end\"`: the difference of the doubles of its end and its \
                      beginning, for models that compare with them.",
            example: "\"to-end\"",
        },
        Key {
            name: "concurrent",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "Instances of this model share no static data, so that they may step at the same time.",
            example: "true",
        },
        Key {
            name: "send-start-values",
            kind: KeyKind::Boolean,
            default: Some("as in `[experiment]`"),
            meaning: "Start values of the model description are set in the instance, for FMUs that do not apply their own.",
            example: "true",
        },
        Key {
            name: "setup",
            kind: KeyKind::Choice(&choice_names(&SetupOrder::ALL)),
            default: Some("`\"first\"`"),
            meaning: "When an FMU of FMI 2 is set up for the experiment. `\"first\"`: before anything is set. \
                      `\"after-parameters\"`: after parameters and start values, for FMUs that need them in set-up. \
                      `\"set-again\"`: first, and parameters are set a second time in initialization mode. See \
                      [FMUs](fmus.md).",
            example: "\"after-parameters\"",
        },
        Key {
            name: "event-mode",
            kind: KeyKind::Boolean,
            default: Some("`true`"),
            meaning: "Event mode of FMI 3 is used where the model has it.",
            example: "false",
        },
        Key {
            name: "reactive",
            kind: KeyKind::TEXTS,
            default: Some("none"),
            meaning: "Inputs of which a step needs the value at its *end*: what feeds them steps first.",
            example: "[\"valve\"]",
        },
        Key {
            name: "interface",
            kind: KeyKind::Choice(&choice_names(&Interface::ALL)),
            default: Some("Co-Simulation, unless `solver` is given"),
            meaning: "How an FMU that has both interfaces is used: by its own solver (`\"co-simulation\"`) or by one of \
                      Consort's (`\"model-exchange\"`).",
            example: "\"model-exchange\"",
        },
        Key {
            name: "solver",
            kind: KeyKind::Choice(&choice_names(&SolverKind::ALL)),
            default: Some("that of the experiment"),
            meaning: "The solver that integrates it; chooses Model Exchange. See [solvers](solvers.md).",
            example: "\"dopri5\"",
        },
        Key {
            name: "tolerance",
            kind: KeyKind::Number(NumberRange::Positive),
            default: Some("that of the experiment"),
            meaning: "The relative tolerance of that solver.",
            example: "1e-8",
        },
        Key {
            name: "solver-step",
            kind: KeyKind::Seconds,
            default: Some("that of the experiment"),
            meaning: "How long a fixed step of that solver is, and the longest of a variable one.",
            example: "0.001",
        },
        Key {
            name: "isolate",
            kind: KeyKind::Boolean,
            default: Some("as in `[experiment]`"),
            meaning: "Whether it is in a process of its own. See [isolation](isolation.md).",
            example: "true",
        },
        Key {
            name: "state",
            kind: KeyKind::Choice(&choice_names(&Provider::ALL)),
            default: Some("the best that was found to be faithful"),
            meaning: "How its states are saved. `\"native\"`: by the model itself. `\"image\"`: from the memory of its \
                      process. `\"fork\"`: by a copy of its process. `\"replay\"`: by repeating what was done to it. See \
                      [state-check](state-check.md).",
            example: "\"image\"",
        },
    ],
    exactly_one: &[],
    example: "[components.tank]\nmodel = \"tank.fmu\"\nstep = \"1/30\"\nparameters = { area = 1.5, level0 = { value = 20, unit = \
              \"cm\" } }",
};
