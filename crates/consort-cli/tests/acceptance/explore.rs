//! Campaigns: the same report however it came about, and nothing is lost whatever happens.

use crate::world::{NEVER_SAID, Said, World, children, copy, eventually};
use consort_testkit::fmus::{BuildOptions, Fmi, example};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A system whose input makes it grow or decay, beside a campaign.
fn tree(campaign: &str) -> World {
    let world = World::new();
    copy(&example("scenario-tree"), &world.path("tree"));
    world.write("tree/campaign.toml", campaign);
    world
}

/// 243 scenarios, of which some leave their bounds.
const CAMPAIGN: &str = r#"
system = "system.toml"
period = "2/5"
horizon = 2
[[disturbances]]
input = "plant.u"
values = [-1, 0, 1]
[[properties]]
name = "bounded"
formula = "always (plant.x < 6)"
[[properties]]
name = "positive"
formula = "always (plant.x > 0.1)"
"#;

/// The campaign with a strategy.
fn with(strategy: &str) -> String {
    format!("{CAMPAIGN}[strategy]\n{strategy}\n")
}

fn report(world: &World, out: &str) -> Value {
    serde_json::from_str(&world.read(&format!("{out}/report.json"))).unwrap()
}

/// Everything a campaign leaves that must not depend on how it came about.
fn kept(world: &World, out: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = vec!["report.json".to_owned(), "report.html".to_owned()];
    let folder = world.path(&format!("{out}/counter-examples"));
    let entries = fs::read_dir(folder).into_iter().flatten();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    files.extend(entries.map(|entry| format!("counter-examples/{}", name(entry.unwrap()))));
    files.sort();
    let read = |file: String| {
        let bytes = fs::read(world.path(&format!("{out}/{file}"))).unwrap();
        (file, bytes)
    };
    files.into_iter().map(read).collect()
}

fn explore(world: &World, out: &str, more: &[&str]) -> Said {
    let said = world.consort(&[&["explore", "tree", "--out", out], more].concat());
    for never in NEVER_SAID {
        assert!(!said.stderr.contains(never), "{said}");
    }
    said
}

#[test]
fn the_tree_of_seed_002_has_seven_states() {
    let world = World::new();
    let path = example("scenario-tree").display().to_string();
    let said = world.consort(&["explore", &path, "--out", "out"]);
    assert_eq!(said.code, Some(1), "{said}");
    let report = report(&world, "out");
    // The root is no period of its own.
    assert_eq!(report["scenarios"]["periods"], 6);
    assert_eq!(report["scenarios"]["holds"], 3);
    assert_eq!(report["scenarios"]["violated"], 1);
    let worst = |property: usize| report["properties"][property]["worst"]["robustness"].as_f64();
    let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-7;
    assert!(near(worst(0), (-2f64).exp()), "x decays twice: {report}");
    assert!(near(worst(1), 5.0 - 2f64.exp()), "x grows twice: {report}");
    let found = &report["counter_examples"][0];
    assert_eq!(found["tighter"]["confirmed"], true);
    assert!((found["margin"].as_f64().unwrap() - (2f64.exp() - 5.0)).abs() < 1e-7, "{found}");
}

#[test]
fn every_strategy_reports_the_same_with_any_number_of_workers() {
    for strategy in [
        "kind = \"exhaustive\"\nblock = 10",
        "kind = \"exhaustive\"\nblock = 7\nstop-at-first = true\nsnapshots = 1",
        "kind = \"shortest\"\nblock = 10",
        "kind = \"random\"\nblock = 16\nstop-at-first = true",
        "kind = \"monte-carlo\"\nblock = 20\nepsilon = 0.1\ndelta = 0.1",
        "kind = \"monte-carlo\"\nblock = 5\np0 = 0.01\np1 = 0.2",
        "kind = \"best-first\"\nblock = 2",
        "kind = \"beam\"\nblock = 3\nwidth = 10",
    ] {
        let world = tree(&with(strategy));
        let one = explore(&world, "one", &["--workers", "1"]);
        assert!(matches!(one.code, Some(0 | 1)), "{strategy}: {one}");
        for workers in ["2", "8"] {
            let more = explore(&world, "more", &["--workers", workers]);
            assert_eq!(more.code, one.code, "{strategy}: {more}");
            assert!(kept(&world, "more") == kept(&world, "one"), "{strategy}, {workers} workers");
        }
    }
}

#[test]
fn strategies_agree_on_what_is_violated() {
    let found = |strategy: &str| {
        let world = tree(&with(strategy));
        explore(&world, "out", &[]);
        report(&world, "out")
    };
    let all = found("kind = \"exhaustive\"\nblock = 50");
    let random = found("kind = \"random\"\nblock = 10");
    for name in ["holds", "violated", "undecided", "failed"] {
        assert_eq!(all["scenarios"][name], random["scenarios"][name], "{name}");
    }
    assert_eq!(random["omission"], 0.0);
    let shortest = found("kind = \"shortest\"");
    // Growing for 1.8 s is enough to leave 6, so nothing shorter than five periods does.
    assert_eq!(shortest["answer"], "violated");
    assert!(0 < all["scenarios"]["violated"].as_u64().unwrap());
}

/// A campaign started in the background.
fn start(world: &World, args: &[&str]) -> Child {
    let mut command = world.command(args);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the journal has so many lines.
fn wait_for_lines(world: &World, out: &str, lines: usize) {
    let began = Instant::now();
    let count = || {
        let text = fs::read_to_string(world.path(&format!("{out}/journal.jsonl")));
        text.unwrap_or_default().lines().count()
    };
    while count() < lines {
        assert!(began.elapsed() < Duration::from_secs(120), "{} lines", count());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_campaign_that_was_killed_is_resumed_and_reports_the_same() {
    let world = tree(&with("kind = \"exhaustive\"\nblock = 1"));
    explore(&world, "whole", &["--workers", "2"]);
    let mut killed = start(&world, &["explore", "tree", "--out", "killed", "--workers", "2"]);
    wait_for_lines(&world, "killed", 20);
    killed.kill().unwrap();
    killed.wait().unwrap();
    // A line that was being written when the power went.
    let path = world.path("killed/journal.jsonl");
    let mut journal = fs::read(&path).unwrap();
    journal.extend(b"{\"check\":\"0123");
    fs::write(&path, journal).unwrap();
    let again = explore(&world, "killed", &[]);
    assert_eq!(again.code, Some(2), "an unfinished campaign is not replaced: {again}");
    assert!(again.stderr.contains("--resume killed"), "{again}");
    let said = world.consort(&["explore", "tree", "--resume", "killed", "--workers", "3"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(kept(&world, "killed") == kept(&world, "whole"));
    let timing: Value = serde_json::from_str(&world.read("killed/timing.json")).unwrap();
    assert!(19 <= timing["parts"][0]["units_before"].as_u64().unwrap(), "{timing}");
}

#[test]
fn ctrl_c_stops_after_the_work_in_hand_and_says_how_to_resume() {
    let world = tree(&with("kind = \"exhaustive\"\nblock = 1"));
    explore(&world, "whole", &["--workers", "2"]);
    let mut command = world.command(&["explore", "tree", "--out", "part", "--workers", "2"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_lines(&world, "part", 10);
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("resume it with: consort explore tree --resume part"), "{said}");
    assert_eq!(report(&world, "part")["ending"], "stopped");
    let said = world.consort(&["explore", "tree", "--out", "part"]);
    assert_eq!(said.code, Some(2), "what was done is not thrown away: {said}");
    assert!(said.stderr.contains("resume with `--resume part`"), "{said}");
    let said = world.consort(&["explore", "tree", "--resume", "part"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(kept(&world, "part") == kept(&world, "whole"));
}

#[test]
fn a_time_limit_reports_what_was_done_and_can_be_repeated() {
    let world = tree(&with("kind = \"exhaustive\"\nblock = 1"));
    let said = explore(&world, "out", &["--time", "0.000001"]);
    assert!(said.stderr.contains("out of time"), "{said}");
    let part = report(&world, "out");
    assert_eq!(part["ending"], "out of time");
    let said = world.consort(&["explore", "tree", "--resume", "out"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert_eq!(report(&world, "out")["scenarios"]["done"], 243);
}

#[test]
fn a_journal_of_another_campaign_is_refused() {
    let world = tree(&with("kind = \"exhaustive\""));
    explore(&world, "out", &[]);
    world.write("tree/campaign.toml", with("kind = \"exhaustive\"\nsnapshots = 3"));
    let said = world.consort(&["explore", "tree", "--resume", "out"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("different: campaign"), "{said}");
    assert!(world.path("out/report.json").exists(), "what was reported before is kept");
}

fn first_file(found: &[Value]) -> String {
    format!("out/{}", found[0]["file"].as_str().unwrap())
}

fn chosen(choice: &Value) -> f64 {
    choice["plant.u"].as_f64().expect("a number")
}

#[test]
fn every_counter_example_is_repeated_bit_for_bit() {
    let world = tree(&with("kind = \"exhaustive\"\nblock = 30").replace("6)", "4)"));
    explore(&world, "out", &[]);
    let found = report(&world, "out");
    let found = found["counter_examples"].as_array().unwrap();
    assert!(3 <= found.len(), "{found:?}");
    for example in found {
        let file = format!("out/{}", example["file"].as_str().unwrap());
        let said = world.done(&["replay", &file, "--out", "again"]);
        let hash = example["trace_hash"].as_str().unwrap();
        assert_eq!(said.stdout, format!("identical: trace {hash}\n"), "{said}");
        assert!(world.read("again/plot.svg").contains("plant.x"));
        assert!(world.read("again/trace.csv").contains("plant.u"));
    }
    // Both can be moved together, and people can read what was chosen.
    let file: Value = serde_json::from_str(&world.read(&first_file(found))).unwrap();
    assert_eq!(file["campaign"], "../../tree/campaign.toml");
    let chosen: Vec<f64> = file["choices"].as_array().unwrap().iter().map(chosen).collect();
    assert!(chosen.iter().all(|value| [-1.0, 0.0, 1.0].contains(value)), "{file}");
    world.write("tree/plant.eq", world.read("tree/plant.eq").replace("u*x", "1.01*u*x"));
    let said = world.consort(&["replay", &first_file(found)]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr.contains("since then, a file of the system has changed"), "{said}");
}

#[test]
fn a_shrunk_counter_example_is_simpler_and_still_one() {
    let campaign = with("kind = \"random\"\nblock = 1\nstop-at-first = true").replace("6)", "2)");
    let world = tree(&campaign);
    explore(&world, "out", &["--seed", "3"]);
    let report = report(&world, "out");
    let found = report["counter_examples"].as_array().unwrap();
    let role = |name: &str| found.iter().find(|example| example["role"] == name);
    if let (Some(first), Some(shrunk)) = (role("first"), role("shrunk")) {
        assert!(shrunk["changes"].as_u64() <= first["changes"].as_u64(), "{report}");
        assert!(shrunk["robustness"].as_f64().unwrap() < 0.0);
    }
    assert!(role("first").is_some(), "{report}");
}

/// A campaign over an FMU that does something worse than failing after a second.
fn misbehaving(parameters: &str, more: &str) -> (World, Value, Said) {
    let world = World::new();
    world.archive("misbehave", Fmi::V2, &BuildOptions::archive());
    world.system(&format!(
        "[experiment]\nstop = 3\nstep = 0.5\n\
         [components.good]\nmodel = \"native:sine\"\n\
         [components.bad]\nmodel = \"misbehave.fmu\"\n{more}\
         parameters = {{ {parameters} }}\n"
    ));
    world.write(
        "s/campaign.toml",
        "system = \"system.toml\"\nperiod = 1\nhorizon = 3\nchanges-max = 1\nwatchdog = 6\n\
         [[disturbances]]\ninput = \"bad.u\"\nvalues = [0, 1]\n\
         [[properties]]\nname = \"low\"\nformula = \"always (bad.y < 2)\"\n",
    );
    let said = world.consort(&["explore", "s", "--out", "out", "--call-limit", "2"]);
    assert_eq!(said.code, Some(2), "{parameters}: {said}");
    let found = report(&world, "out");
    (world, found, said)
}

#[test]
fn an_fmu_that_ends_its_process_is_named_and_the_campaign_continues() {
    // exit(3), abort, crash: in the campaign's own worker.
    for (behavior, reason) in [(6, "exit code 3"), (7, "signal 6"), (8, "signal 11")] {
        let parameters = format!("behavior = {behavior}, at = 1");
        let (_, report, said) = misbehaving(&parameters, "state = \"native\"\n");
        assert_eq!(report["scenarios"]["failed"], 4, "{said}");
        assert_eq!(report["scenarios"]["total"], 4);
        let reported = report["failing"][0]["reason"].as_str().unwrap();
        assert!(reported.contains(reason), "{reported}");
        // What came before was simulated: the failures begin with the second period.
        assert_eq!(report["failures"][0]["choices"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn an_isolated_fmu_that_ends_its_process_is_named_with_its_call() {
    for (parameters, reason) in [
        ("behavior = 6, at = 1", "3"),
        ("behavior = 8, at = 1", "SIGSEGV"),
        ("phase = 6, status = 100, at = 1", "0"),
        ("phase = 6, status = 102, at = 1", "2 s"),
    ] {
        let (_, report, said) = misbehaving(parameters, "isolate = true\n");
        assert_eq!(report["scenarios"]["failed"], 4, "{said}");
        let reported = report["failing"][0]["reason"].as_str().unwrap();
        assert!(
            reported.contains("`bad`") && reported.contains(reason),
            "{parameters}: {reported}"
        );
    }
}

#[test]
fn an_fmu_that_never_comes_back_is_given_up() {
    let (_, report, said) = misbehaving("phase = 6, status = 102, at = 2", "");
    assert_eq!(report["scenarios"]["failed"], 4, "{said}");
    let reported = report["failing"][0]["reason"].as_str().unwrap();
    assert!(reported.contains("sent nothing for 6 s"), "{reported}");
}

#[test]
fn a_step_that_fails_takes_no_other_scenario_with_it() {
    let (_, report, said) = misbehaving("phase = 6, status = 3, at = 1", "state = \"native\"\n");
    assert_eq!(report["scenarios"]["failed"], 4, "{said}");
    let failing = report["failing"].as_array().unwrap();
    let reported = failing[0]["reason"].as_str().unwrap();
    assert!(failing.len() == 1 && reported.contains("returned `error`"), "{failing:?}");
}

#[test]
fn no_worker_outlives_a_campaign_that_is_killed() {
    let world = World::new();
    world.archive("misbehave", Fmi::V2, &BuildOptions::archive());
    let system = "[experiment]\nstop = 3\nstep = 0.5\n[components.bad]\nmodel = \"misbehave.fmu\"\n\
                  state = \"native\"\nparameters = { phase = 6, status = 102 }\n";
    world.system(system);
    world.write(
        "s/campaign.toml",
        "system = \"system.toml\"\nperiod = 1\nhorizon = 3\n\
         [[disturbances]]\ninput = \"bad.u\"\nvalues = [0, 1]\n\
         [[properties]]\nname = \"low\"\nformula = \"always (bad.y < 2)\"\n",
    );
    let mut campaign = start(&world, &["explore", "s", "--out", "out"]);
    let mut workers = Vec::new();
    eventually("its workers are in their first step, which never ends", || {
        workers = children(campaign.id());
        !workers.is_empty() && workers.iter().all(|worker| has_worked(worker))
    });
    campaign.kill().unwrap();
    campaign.wait().unwrap();
    eventually("they are gone", || !workers.iter().any(|worker| worker.exists()));
}

/// Whether a process has computed for longer than it takes to start.
fn has_worked(process: &Path) -> bool {
    let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
    let [user, system] = [13, 14].map(|at| stat.split(' ').nth(at)?.parse::<u64>().ok());
    user.zip(system).is_some_and(|(user, system)| 50 < user + system)
}

#[test]
fn states_that_the_fmu_cannot_save_are_saved_by_another_provider() {
    // 3: GetFMUstate crashes; 4: SetFMUstate calls exit(0); 5: GetFMUstate never returns; 1: it forgets.
    for fault in [3, 4, 1] {
        let world = World::new();
        let fault = format!("-DFAULT={fault}");
        let options = BuildOptions { flags: vec![fault.clone()], ..BuildOptions::archive() };
        world.archive("keeper", Fmi::V2, &options);
        world.system(
            "[experiment]\nstop = 2\nstep = 0.1\n[components.keeper]\nmodel = \"keeper.fmu\"\n",
        );
        world.write(
            "s/campaign.toml",
            "system = \"system.toml\"\nperiod = 0.5\nhorizon = 2\n\
             [[disturbances]]\ninput = \"keeper.u\"\nvalues = [0, 1]\n\
             [[properties]]\nname = \"low\"\nformula = \"always (keeper.x < 50)\"\n",
        );
        let said = world.consort(&["explore", "s", "--out", "out", "--call-limit", "5"]);
        assert_eq!(said.code, Some(0), "{fault}: {said}");
        let report = report(&world, "out");
        assert_eq!(report["scenarios"]["holds"], 16, "{report}");
        assert!(report["saving"].to_string().contains("keeper"), "{report}");
    }
}

#[test]
fn nothing_is_written_for_a_campaign_that_is_wrong() {
    let world =
        tree(&CAMPAIGN.replace("plant.u", "plant.w").replace("plant.x > 0.1", "plant.z > 1"));
    let before = world.contents();
    let said = explore(&world, "out", &[]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("`plant.w` is not in"), "{said}");
    assert!(said.stderr.contains("`plant.z` is not in"), "all at once: {said}");
    assert_eq!(world.contents(), before);
}

#[test]
fn progress_is_reported_to_programs() {
    let world = tree(&with("kind = \"random\"\nblock = 1"));
    let said = explore(&world, "out", &["--progress", "json"]);
    let lines = said.stderr.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty(), "{said}");
    let known = ["done", "total", "violated", "lowest", "omission", "snapshots", "rate"];
    assert!(known.iter().all(|key| lines[0].get(key).is_some()), "{}", lines[0]);
}
