//! Every key of systems and campaigns: what it may be, what holds without it, what it means.
//!
//! The readers beside this module know keys from here only. `docs/system.md`, `docs/campaigns.md` and the schemas in
//! `docs/schema` are made of it by `cargo xtask reference`.

mod campaign;
mod component;
mod connection;
mod coupling;
mod experiment;
mod intervention;

use consort_toml::{Key, KeyKind, KeyTable};

pub use campaign::CAMPAIGN;
pub(super) use campaign::{DISTURBANCE, LIMIT, OPTIONS, PROPERTY, STRATEGY, TIGHTER};
pub(super) use component::COMPONENT;
pub(super) use connection::CONNECTION;
pub(super) use coupling::{CONSTRAINT, ITERATION, LOOP, VARIABLE_STEP};
pub(super) use experiment::{EXPERIMENT, RECORD_CHOICES};
pub(super) use intervention::INTERVENTION;

/// The keys of `system.toml`, and all tables in it.
pub static SYSTEM: KeyTable = KeyTable {
    heading: "",
    meaning: "A system has components, connections between them, and an experiment that is made with it.",
    keys: &[
        Key {
            name: "name",
            kind: KeyKind::Text,
            default: Some("the name of the file's folder"),
            meaning: "What the system is called in messages, plots and the folder of its record.",
            example: "\"tank\"",
        },
        Key {
            name: "experiment",
            kind: KeyKind::Table(&EXPERIMENT),
            default: Some("an experiment of defaults"),
            meaning: "What is done with the system: times, solvers, order, what is recorded.",
            example: "",
        },
        Key {
            name: "components",
            kind: KeyKind::Named("NAME", &KeyKind::Table(&COMPONENT)),
            default: None,
            meaning: "The parts of the system, each with a model. At least one.",
            example: "",
        },
        Key {
            name: "connections",
            kind: KeyKind::Tables(&CONNECTION),
            default: Some("none"),
            meaning: "From outputs to inputs.",
            example: "",
        },
        Key {
            name: "loops",
            kind: KeyKind::Tables(&LOOP),
            default: Some("as `loops` in `[experiment]`"),
            meaning: "How single algebraic loops are treated.",
            example: "",
        },
        Key {
            name: "interventions",
            kind: KeyKind::Tables(&INTERVENTION),
            default: Some("none"),
            meaning: "What is done to the system while it runs: changed parameters, faults.",
            example: "",
        },
        Key {
            name: "nodes",
            kind: KeyKind::Named("NODE", &KeyKind::TEXTS),
            default: Some("everything runs in one process"),
            meaning: "The placement of a distributed run: each node with its components, by name or by pattern (`arm*`; a \
                      name has priority). Components that are not named are on the node that is written first. See \
                      [placement](#placement).",
            example: "{ plant = [\"tank\", \"valve\"], control = \"pid*\" }",
        },
    ],
    exactly_one: &[],
    example: "name = \"tank\"\n\n[components.tank]\nmodel = \"tank.fmu\"",
};
