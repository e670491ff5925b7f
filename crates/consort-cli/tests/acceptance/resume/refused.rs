//! What is not saved or resumed, and what is said about it.

use super::quickstart;
use crate::world::{NEVER_SAID, World, filters};
use consort_testkit::fmus::{BuildOptions, Fmi};
use std::fmt::Write as _;
use std::fs;

/// What is said about a line that is refused.
fn refusal(world: &World, line: &[&str]) -> String {
    let before = world.contents();
    let said = world.consort(line);
    assert!(matches!(said.code, Some(1 | 2)), "{line:?}: {said}");
    assert!(NEVER_SAID.iter().all(|words| !said.stderr.contains(words)), "{said}");
    assert_eq!(world.contents(), before, "{line:?} leaves nothing");
    format!("## consort {}\n{}(exit {})\n\n", line.join(" "), said.stderr, said.code.unwrap())
}

fn all(world: &World, lines: &[&[&str]]) -> String {
    lines.iter().map(|line| refusal(world, line)).collect()
}

fn check(name: &str, text: &str) {
    let mut filters = filters();
    filters.push((r"sha256:[0-9a-f]+", "sha256:[hash]"));
    filters.push((r"[0-9]+ bytes", "[n] bytes"));
    filters.push((r"that it has [0-9]+ or more", "that it has [n] or more"));
    filters.push((r#"workspace/[^`" ]*/"#, "[temp]/"));
    insta::with_settings!({filters => filters}, { insta::assert_snapshot!(name, text) });
}

#[test]
fn files_that_cannot_be_resumed_are_distinguished() {
    let world = quickstart();
    world.done(&["run", "s", "--save-at", "7", "--save", "s.snapshot", "--out", "saved", "-q"]);
    let bytes = fs::read(world.path("s.snapshot")).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    world.write("flipped.snapshot", flipped);
    world.write("half.snapshot", &bytes[..bytes.len() / 2]);
    world.write("text.snapshot", "not a snapshot");
    let text = all(
        &world,
        &[
            &["run", "--resume", "missing.snapshot"],
            &["run", "--resume", "s"],
            &["run", "--resume", "text.snapshot"],
            &["run", "--resume", "half.snapshot"],
            &["run", "--resume", "flipped.snapshot"],
            &["run", "--resume", "s.snapshot", "--seed", "7", "--set", "tank.area=2"],
            &["run", "--resume", "s.snapshot", "--stop", "6.5"],
            &["run", "--resume", "s.snapshot", "--stop", "20.0001"],
            &["run", "--resume", "s.snapshot", "--save-at", "3", "--save", "x.snapshot"],
        ],
    );
    check("files", &text);
}

#[test]
fn what_has_changed_since_a_run_was_saved_is_named() {
    let world = quickstart();
    world.done(&["run", "s", "--save-at", "7", "--save", "s.snapshot", "--out", "saved", "-q"]);
    let system = world.read("s/system.toml");
    let source = world.read("s/tank/sources/tank.c");
    let mut text = String::new();
    let mut changed = |name: &str, path: &str, content: String| {
        let before = world.read(path);
        world.write(path, content);
        let _ = write!(text, "# {name}\n{}", refusal(&world, &["run", "--resume", "s.snapshot"]));
        world.write(path, before);
    };
    changed("another model", "s/tank/sources/tank.c", format!("/* new */\n{source}"));
    changed("another parameter", "s/system.toml", system.replace("kp = -4.0", "kp = -3.0"));
    let order = system.replace("[experiment]\n", "[experiment]\norder = \"jacobi\"\n");
    changed("another order", "s/system.toml", order);
    fs::rename(world.path("s"), world.path("t")).unwrap();
    let _ = write!(text, "# gone\n{}", refusal(&world, &["run", "--resume", "s.snapshot"]));
    check("changes", &text);
}

#[test]
fn saves_that_cannot_be_made_are_reported_before_anything_runs() {
    let world = quickstart();
    fs::create_dir(world.path("folder")).unwrap();
    let text = all(
        &world,
        &[
            &["run", "s", "--save-at", "7"],
            &["run", "s", "--save-at", "7", "--save", "a", "--save", "b"],
            &["run", "s", "--save-at", "1", "--save", "a", "--save-at", "2", "--save", "a"],
            &["run", "s", "--save-at", "soon", "--save", "a"],
            &["run", "s", "--save-at", "61", "--save", "a"],
            &["run", "s", "--save-at", "-1", "--save", "a"],
            &["run", "s", "--save", "folder"],
            &["run", "s", "--save", "missing/a"],
        ],
    );
    check("saves", &text);
}

#[test]
fn who_cannot_be_saved_is_named_before_anything_runs() {
    let world = World::new();
    world.archive("hidden", Fmi::V2, &BuildOptions::archive());
    world.system(
        "[experiment]\nstop = 1\nstep = 0.1\n\
         [components.a]\nmodel = \"hidden.fmu\"\n[components.b]\nmodel = \"native:sine\"\n",
    );
    let line = ["run", "s", "--save", "a.snapshot", "--providers", "native"];
    let mut text = refusal(&world, &line);
    // Forgets a part; crashes; is of no use in another process.
    for fault in [1, 3, 8] {
        text += &refusal(&super::keeper(fault), &line);
    }
    check("models", &text);
}
