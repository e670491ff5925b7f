//! Small campaigns, compared with those of the honest model.

use crate::program::{Said, World};
use crate::tally::{Found, Tally};
use serde_json::Value;

/// Explores with everything run again, with the default share, with nothing; and with honest states.
pub(crate) fn examine(world: &World<'_>, tally: &mut Tally) {
    let explore = |system: &str, share: &[&str], out: &str| {
        let line = ["explore", system, "--workers", "1"];
        world.consort(&[&line[..], share].concat(), out)
    };
    let honest = explore("h", &["--verify-share", "0"], "honest");
    let trusting = explore("c", &["--verify-share", "0"], "trusting");
    let checked = explore("c", &[], "checked");
    let verified = explore("c", &["--verify-share", "1"], "all");
    for (name, said) in
        [("nothing", &trusting), ("the default share", &checked), ("everything", &verified)]
    {
        tally.spent(&format!("campaign, {name} run again"), said.seconds);
    }
    if matches!(verified.code, Some(1 | 2)) && verified.manifest == Value::Null {
        tally.count("campaigns: not explored, and said");
        return tally.fail_unless(
            verified.names_refusal(),
            world,
            "a refusal without a name",
            &verified,
        );
    }
    let is_known = honest.code == Some(0) || honest.code == Some(1);
    tally.fail_unless(is_known, world, "an honest campaign without an answer", &honest);
    let is_right = |said: &Said| said.code == honest.code && found(said) == found(&honest);
    let is_wrong = verified.code == Some(2);
    if is_wrong {
        tally.fail_unless(
            verified.names_difference(),
            world,
            "an error that does not name all",
            &verified,
        );
        let is_unknown = verified.manifest["answer"] == "unknown";
        tally.fail_unless(is_unknown, world, "a verdict beside an error", &verified);
    } else if !repeats(&verified) {
        tally.fail_unless(
            is_right(&verified),
            world,
            "a wrong campaign without an error",
            &verified,
        );
    }
    let is_fair = !is_wrong || !world.case.faults.is_empty();
    tally.fail_unless(is_fair, world, "an error for honest states", &verified);
    let detected = checked.code == Some(2);
    tally.fail_unless(
        !detected || is_wrong,
        world,
        "a share sees what everything does not",
        &checked,
    );
    if is_wrong {
        tally.default_share("campaigns with a wrong bit", Found { found: detected });
    } else {
        tally.count("campaigns: right");
    }
    if is_wrong && !is_right(&trusting) {
        tally.default_share("campaigns with a wrong report", Found { found: detected });
    }
}

/// What it says about scenarios.
fn found(said: &Said) -> [&Value; 4] {
    ["answer", "scenarios", "properties", "counter_examples"].map(|key| &said.manifest[key])
}

/// Whether states are known to continue in their own way.
fn repeats(said: &Said) -> bool {
    said.stderr.contains("always the same")
}
