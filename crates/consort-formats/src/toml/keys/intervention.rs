//! The keys of `[[interventions]]`.

use consort_toml::{Key, KeyKind, KeyTable};

pub(in crate::toml) static INTERVENTION: KeyTable = KeyTable {
    heading: "[[interventions]]",
    meaning: "Something that is done to the system while it runs. It begins at the first tag that is not earlier than `at`, \
              or at which the condition `when` holds. A change of an output is seen by all that read it, a change of an \
              input or of one connection by that input only. See [why](decisions/0007-interventions.md).",
    keys: &[
        Key {
            name: "at",
            kind: KeyKind::Seconds,
            default: Some("—"),
            meaning: "The time of the intervention.",
            example: "10",
        },
        Key {
            name: "when",
            kind: KeyKind::Text,
            default: Some("—"),
            meaning: "The condition of the intervention: a variable, a comparison, a number.",
            example: "\"tank.level > 0.8\"",
        },
        Key {
            name: "target",
            kind: KeyKind::Text,
            default: None,
            meaning: "What is changed: a variable, or one connection: `\"tank.level -> pid.measurement\"`.",
            example: "\"pid.kp\"",
        },
        Key {
            name: "set",
            kind: KeyKind::Value,
            default: Some("—"),
            meaning: "Gives the target this value once; what feeds it overwrites it with its next value.",
            example: "2.0",
        },
        Key {
            name: "override",
            kind: KeyKind::Value,
            default: Some("—"),
            meaning: "Replaces the value until it is released.",
            example: "0.5",
        },
        Key {
            name: "offset",
            kind: KeyKind::Value,
            default: Some("—"),
            meaning: "Is added to the value until it is released.",
            example: "0.1",
        },
        Key {
            name: "freeze",
            kind: KeyKind::True,
            default: Some("—"),
            meaning: "Keeps the value that the target has now, until it is released.",
            example: "true",
        },
        Key {
            name: "release",
            kind: KeyKind::True,
            default: Some("—"),
            meaning: "Ends overrides, offsets and freezes of the target.",
            example: "true",
        },
        Key {
            name: "unit",
            kind: KeyKind::Text,
            default: Some("that of the target"),
            meaning: "The unit in which the value is written.",
            example: "\"1\"",
        },
    ],
    exactly_one: &[&["at", "when"], &["set", "override", "offset", "freeze", "release"]],
    example: "[[interventions]]\nat = 10\ntarget = \"tank.level -> pid.measurement\"\noverride = 0.5\n\n[[interventions]]\nwhen = \
              \"tank.level > 0.8\"\ntarget = \"tank.level -> pid.measurement\"\nrelease = true",
};
