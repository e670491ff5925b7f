//! Uses of saved states are checked: FMUs whose states lack something are an error wherever they are used,
//! honest ones change nothing.

use crate::resume::examples;
use crate::world::{Said, World, children, eventually, shortened};
use consort_testkit::fmus::{BuildOptions, Fmi, example};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

/// What its states lack: the history of a method, a variable, everything but the last one saved.
const FAULTS: [u32; 3] = [1, 2, 3];

/// An FMU whose states lack something in one of `part` restores, used as it is.
fn fickle(fault: u32, part: u32, seed: u32) -> World {
    let world = World::new();
    let flags = [("FAULT", fault), ("PART", part), ("SEED", seed)];
    let flags = flags.map(|(name, value)| format!("-D{name}={value}")).into();
    world.archive("fickle", Fmi::V2, &BuildOptions { flags, ..BuildOptions::archive() });
    world.system(
        "[experiment]\nstop = 40\nstep = 0.1\n[components.lag]\nmodel = \"fickle.fmu\"\nstate = \"native\"\n\
         [components.after]\nmodel = \"native:gain\"\nparameters = { k = 2 }\n\
         [[connections]]\nfrom = \"lag.y\"\nto = \"after.u\"\n",
    );
    world
}

fn campaign(world: &World, horizon: u32, strategy: &str) {
    world.write(
        "s/campaign.toml",
        format!(
            "system = \"system.toml\"\nperiod = 0.5\nhorizon = {}\n\
             [[disturbances]]\ninput = \"lag.u\"\nvalues = [0, 1, 2]\n\
             [[properties]]\nname = \"low\"\nformula = \"always (lag.y < 50)\"\n\
             [strategy]\n{strategy}\n",
            f64::from(horizon) / 2.0
        ),
    );
}

fn report(world: &World, out: &str) -> Value {
    serde_json::from_str(&world.read(&format!("{out}/report.json"))).unwrap()
}

/// An error that names the component, who saved it, and when.
fn assert_differs(said: &Said) {
    assert_eq!(said.code, Some(2), "{said}");
    for part in ["state::differs", "`lag`", "by `native`", " s", "state-check"] {
        assert!(said.stderr.contains(part), "{part}: {said}");
    }
}

const ALL: [&str; 2] = ["--verify-share", "1"];

#[test]
fn a_campaign_over_states_that_lack_something_ends_in_an_error() {
    for fault in FAULTS {
        let world = fickle(fault, 1, 0);
        campaign(&world, 4, "kind = \"exhaustive\"\nblock = 27");
        for share in [&[][..], &ALL] {
            let said = world.consort(&[&["explore", "s", "--out", "out"], share].concat());
            assert_differs(&said);
            let found = report(&world, "out");
            assert_eq!(found["answer"], "unknown", "fault {fault}: never a verdict");
            assert_eq!(found.get("scenarios"), None, "{found}");
        }
    }
}

#[test]
fn an_honest_campaign_says_how_much_was_run_again_for_any_number_of_workers() {
    let world = fickle(0, 1, 0);
    for strategy in ["kind = \"exhaustive\"\nblock = 27", "kind = \"random\"", "kind = \"beam\""] {
        campaign(&world, 4, strategy);
        let mut first = None;
        for workers in ["1", "2", "8"] {
            let said = world.consort(&["explore", "s", "--out", "out", "--workers", workers]);
            assert!(said.stderr.contains("run again from the start"), "{said}");
            let now = world.read("out/report.json");
            assert_eq!(*first.get_or_insert(now.clone()), now, "{strategy}, {workers} workers");
        }
    }
    campaign(&world, 4, "kind = \"exhaustive\"\nblock = 27");
    let verified = |more: &[&str]| {
        let said = world.done(&[&["explore", "s", "--out", "out"], more].concat());
        let timing: Value = serde_json::from_str(&world.read("out/timing.json")).unwrap();
        for part in timing["parts"].as_array().unwrap() {
            println!(
                "{more:?}: {}: {} periods in {} s",
                part["phase"], part["periods"], part["seconds"]
            );
        }
        let mut found = report(&world, "out");
        let verified = found["verified"].take();
        found["identity"].take();
        (verified["scenarios"].as_u64(), found, said)
    };
    // 81 scenarios of 4 periods, 120 periods in all: a tenth of them is three scenarios.
    let (some, with, _) = verified(&[]);
    let (all, with_all, _) = verified(&ALL);
    let (none, without, _) = verified(&["--verify-share", "0"]);
    assert_eq!((some, all, none), (Some(4), Some(81), None));
    assert!(with == without && with_all == without, "nothing else changes");
}

/// By restored states `y` is above a bound that it never reaches from the start.
#[test]
fn a_violation_by_restored_states_only_is_no_counter_example() {
    let world = fickle(3, 1, 0);
    campaign(&world, 4, "kind = \"exhaustive\"\nblock = 27");
    let text = world.read("s/campaign.toml");
    let mut refuted = 0;
    for bound in 0..8 {
        let bound = format!("lag.y > {}", 0.1 * f64::from(bound));
        world.write("s/campaign.toml", text.replace("lag.y < 50", &bound));
        let said = world.consort(&["explore", "s", "--out", "out", "--verify-share", "0"]);
        if said.stderr.contains("violated by restored states") {
            assert_differs(&said);
            refuted += 1;
        } else {
            let found = report(&world, "out");
            let examples = found["counter_examples"].as_array().unwrap();
            let robustness = |it: &Value| it["robustness"].as_f64().unwrap();
            assert!(examples.iter().all(|it| robustness(it) < 0.0), "{found}");
        }
    }
    println!("{refuted} of 8 bounds are violated by restored states only");
    assert!(0 < refuted);
}

#[test]
fn with_all_scenarios_run_again_no_wrong_campaign_is_missed() {
    for seed in 0..3 {
        let world = fickle(FAULTS[seed as usize], 40, seed);
        campaign(&world, 5, "kind = \"exhaustive\"\nblock = 81");
        let explore = |share: &[&str]| {
            let said = world.consort(&[&["explore", "s", "--out", "out"], share].concat());
            if said.code == Some(2) {
                assert_differs(&said);
            }
            said.code == Some(2)
        };
        let (all, some, wrong) = (explore(&ALL), explore(&[]), is_wrong(&world));
        println!("seed {seed}: wrong {wrong}, found at 100 % {all}, at the default share {some}");
        assert!(all || !wrong, "seed {seed}");
    }
}

/// Whether a campaign over this FMU's own states says something else than over images of them.
fn is_wrong(world: &World) -> bool {
    let worst = |out: &str, more: &[&str]| {
        world.consort(&[&["explore", "s", "--out", out, "--verify-share", "0"], more].concat());
        let found = report(world, out);
        found["history"].clone()
    };
    let own = worst("own", &[]);
    let text = world.read("s/system.toml");
    world.write("s/system.toml", text.replace("\"native\"", "\"replay\""));
    let other = worst("other", &[]);
    world.write("s/system.toml", text);
    own != other
}

#[test]
fn a_killed_host_process_is_one_that_never_was() {
    let world = fickle(0, 1, 0);
    let text = world.read("s/system.toml");
    world.write("s/system.toml", text.replace("\"native\"", "\"native\"\nisolate = true"));
    campaign(&world, 7, "kind = \"exhaustive\"\nblock = 9");
    world.done(&["explore", "s", "--out", "whole", "--workers", "2"]);
    let mut command = world.command(&["explore", "s", "--out", "cut", "--workers", "2"]);
    let mut campaign = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let hosts = || {
        let workers = children(campaign.id());
        workers.iter().flat_map(|worker| children(pid(worker))).collect::<Vec<_>>()
    };
    let mut killed = 0;
    for lines in [3, 12, 25] {
        eventually("it works", || {
            let journal = fs::read_to_string(world.path("cut/journal.jsonl")).unwrap_or_default();
            lines <= journal.lines().count() && !hosts().is_empty()
        });
        for host in hosts().iter().take(1) {
            let pid = pid(host).to_string();
            let sent = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
            killed += i32::from(sent.success());
        }
    }
    assert_eq!(campaign.wait().unwrap().code(), Some(0));
    assert!(0 < killed);
    for file in ["report.json", "report.html"] {
        assert!(
            world.read(&format!("cut/{file}")) == world.read(&format!("whole/{file}")),
            "{file}"
        );
    }
    let timing: Value = serde_json::from_str(&world.read("cut/timing.json")).unwrap();
    println!("{killed} host processes killed; {}", timing["parts"][0]["workers_lost"]);
    assert!(0 < timing["parts"][0]["workers_lost"].as_u64().unwrap(), "{timing}");
}

#[test]
fn a_second_death_at_the_same_place_is_a_failure_that_names_it() {
    let world = fickle(4, 1, 0);
    let text = world.read("s/system.toml");
    world.write("s/system.toml", text.replace("\"native\"", "\"native\"\nisolate = true"));
    campaign(&world, 3, "kind = \"exhaustive\"\nblock = 9");
    let said = world.consort(&["explore", "s", "--out", "out"]);
    assert_eq!(said.code, Some(2), "{said}");
    let found = report(&world, "out");
    let reason = found["failing"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("`lag`") && reason.contains("SIGKILL"), "{reason}");
    assert!(0 < found["scenarios"]["holds"].as_u64().unwrap(), "the others continue: {found}");
}

fn pid(process: &std::path::Path) -> u32 {
    process.file_name().unwrap().to_string_lossy().parse().unwrap()
}

/// Saves at two times; an FMU that keeps one place for all states is right about the last one.
const SAVES: [&str; 8] =
    ["--save-at", "20", "--save", "20.snapshot", "--save-at", "30", "--save", "30.snapshot"];

#[test]
fn a_save_of_a_state_that_lacks_something_is_an_error_and_leaves_no_file() {
    for fault in FAULTS {
        for saves in [&SAVES[..4], &SAVES] {
            let world = fickle(fault, 1, 0);
            let said = world.consort(&[&["run", "s", "--out", "saved"], saves].concat());
            assert_differs(&said);
            assert!(
                said.stderr.contains("saved at 20 s") && said.stderr.contains("at 20.1 s"),
                "{said}"
            );
            assert!(said.stderr.contains("`lag.y` is"), "both values: {said}");
            assert!(!world.path("20.snapshot").exists(), "it would be resumed: {said}");
        }
    }
}

/// The failure is the model's, and so the run's: what was saved before it is good.
#[test]
fn a_step_that_fails_after_a_save_is_no_fault_of_the_save() {
    let world = World::new();
    world.write(
        "falling.eq",
        "model falling\n  output state x = 1\n  der(x) = -sqrt(1.05 - time)\nend\n",
    );
    let run = ["run", "falling.eq", "--stop", "2", "--step", "0.1", "--out", "out"];
    let said =
        world.consort(&[&run[..], &["--save-at", "0.9", "--save", "early.snapshot"]].concat());
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("run::call-failed"), "{said}");
    assert!(world.path("early.snapshot").exists(), "{said}");
    assert_eq!(world.manifest("out")["checked"]["saves"], 1, "{said}");
}

#[test]
fn a_save_that_cannot_be_checked_is_kept_with_a_warning() {
    let world = fickle(5, 1, 0);
    let said =
        world.done(&["run", "s", "--save-at", "20", "--save", "20.snapshot", "--out", "out"]);
    assert!(said.stderr.contains("run::not-checked"), "{said}");
    assert!(said.stderr.contains("`lag` could not be instantiated"), "{said}");
    assert!(world.path("20.snapshot").exists(), "{said}");
    let text = world.read("s/system.toml");
    world.write("s/system.toml", text.replace("\"native\"", "\"native\"\nisolate = true"));
    let said =
        world.done(&["run", "s", "--save-at", "20", "--save", "20.snapshot", "--out", "out"]);
    assert!(!said.stderr.contains("run::not-checked"), "the help helps: {said}");
    assert_eq!(world.manifest("out")["checked"]["saves"], 1);
}

#[test]
fn a_save_at_the_end_and_one_again_and_again_are_checked_too() {
    let world = fickle(1, 1, 0);
    assert_differs(&world.consort(&["run", "s", "--save", "end.snapshot", "--out", "end"]));
    // Beside the run, if both share nothing: the error comes soon.
    let text = world.read("s/system.toml");
    world.write("s/system.toml", text.replace("\"native\"", "\"native\"\nisolate = true"));
    let every = ["run", "s", "--save-every", "1", "--save", "every.snapshot", "--out", "every"];
    assert_differs(&world.consort(&every));
    let end = world.manifest("every")["exit"]["time"].as_f64().unwrap();
    assert!(end < 5.0, "{end}");
}

#[test]
fn checks_of_an_honest_run_change_nothing_and_take_less_than_a_twentieth_of_its_steps() {
    let world = fickle(0, 1, 0);
    world.done(&["run", "s", "--out", "plain"]);
    world.done(&[&["run", "s", "--out", "saved"], &SAVES[..]].concat());
    world.done(&["run", "s", "--save-every", "1", "--save", "every.snapshot", "--out", "every"]);
    world.done(&["run", "s", "--save", "end.snapshot", "--no-verify", "--out", "unchecked"]);
    for (run, twins) in [("saved", 2), ("every", 6)] {
        let manifest = world.manifest(run);
        let checked = &manifest["checked"];
        assert_eq!(world.trace_hash(run), world.trace_hash("plain"), "{run}");
        assert_eq!(checked["saves"], twins, "{checked}");
        let steps = checked["steps"].as_u64().unwrap();
        let all = manifest["statistics"]["tags"].as_u64().unwrap();
        println!("{run}: {steps} steps of twins, {all} of the run");
        assert!(20 * steps < all, "{run}: {steps} of {all}");
    }
    assert_eq!(world.manifest("unchecked").get("checked"), None);
    assert_eq!(world.trace_hash("unchecked"), world.trace_hash("plain"));
}

#[test]
fn a_resumed_run_is_compared_with_the_one_from_the_start() {
    for fault in [0, 1, 2, 3] {
        let world = fickle(fault, 1, 0);
        let unchecked = ["run", "s", "--no-verify", "--out", "saved"];
        world.done(&[&unchecked[..], &SAVES].concat());
        let line = ["run", "--resume", "20.snapshot", "--out", "rest"];
        world.done(&line);
        let said = world.consort(&[&line[..], &["--verify"]].concat());
        if fault == 0 {
            assert_eq!(said.code, Some(0), "{said}");
            assert!(said.stderr.contains("verified: run again from its start"), "{said}");
        } else {
            assert_differs(&said);
            assert!(
                said.stderr.contains("saved at 20 s") && said.stderr.contains("at 20.1 s"),
                "{said}"
            );
        }
    }
}

/// Prints what checks cost; in steps it is less than a twentieth but for the shortest runs.
#[test]
fn the_checks_of_every_example_are_few() {
    for name in examples() {
        let world = World::new();
        let path = example(&name).display().to_string();
        let line = ["run", &path, "--out", "out", "--save", "end.snapshot"];
        world.done(&[&line[..], shortened(&name)].concat());
        let manifest = world.manifest("out");
        let steps = manifest["checked"]["steps"].as_u64().unwrap_or_default();
        let all = manifest["statistics"]["tags"].as_u64().unwrap();
        let (took, run) = (&manifest["checked"]["seconds"], &manifest["timing"]["seconds"]);
        println!("{name}: {steps} of {all} steps, {took} s beside {run} s");
        assert!(20 * steps < all || steps <= 2, "{name}: {steps} of {all}");
    }
}

/// An FMU whose integrator begins anew at a restore, always in the same way.
#[test]
fn states_that_notice_a_restore_are_compared_with_the_same_pattern() {
    let world = World::new();
    let flags = vec!["-DFAULT=2".to_owned()];
    world.archive("keeper", Fmi::V2, &BuildOptions { flags, ..BuildOptions::archive() });
    world.system(
        "[experiment]\nstop = 20\nstep = 0.1\n[components.lag]\nmodel = \"keeper.fmu\"\n\
         [components.after]\nmodel = \"native:gain\"\nparameters = { k = 2 }\n\
         [[connections]]\nfrom = \"lag.x\"\nto = \"after.u\"\n",
    );
    campaign(&world, 3, "kind = \"exhaustive\"\nblock = 9");
    let text = world.read("s/campaign.toml");
    world.write("s/campaign.toml", text.replace("lag.y", "lag.x"));
    let native = ["--providers", "native"];
    let run = |line: &[&str]| world.done(&[line, &native[..]].concat());
    let said = run(&["explore", "s", "--out", "out", "--verify-share", "1"]);
    assert!(said.stderr.contains("27 scenarios run again"), "{said}");
    let every = ["--save-every", "3", "--save", "every.snapshot", "--out", "every"];
    run(&[&["run", "s"], &every[..]].concat());
    assert_eq!(world.manifest("every")["checked"]["saves"], 3);
    let twice =
        ["--save-at", "5", "--save", "5.snapshot", "--save-at", "9", "--save", "9.snapshot"];
    run(&[&["run", "s", "--out", "twice"], &twice[..]].concat());
    let said = run(&["run", "--resume", "9.snapshot", "--verify", "--out", "rest"]);
    assert!(said.stderr.contains("verified"), "{said}");
}
