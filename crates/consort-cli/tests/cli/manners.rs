//! Streams, colors, pipes, progress.

use crate::bench::Bench;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::process::Stdio;

#[test]
fn a_broken_pipe_is_no_failure() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    for args in [
        vec!["completions", "bash"],
        vec!["explain", "--list"],
        vec!["reference", "system"],
        vec!["man"],
        vec!["inspect", "loop"],
        vec!["plot", "out/loop", "--out", "-"],
        vec!["diff", "out/loop", "out/loop"],
        vec!["--help"],
    ] {
        let mut child =
            bench.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn colors_are_used_only_where_they_are_wanted() {
    let bench = Bench::with_loop();
    let wrong = ["run", "loop", "--stop", "soon"];
    let colored = |args: &[&str], no_color: bool| {
        let mut command = bench.command(&[&wrong, args].concat());
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let stderr = command.output().unwrap().stderr;
        stderr.contains(&0x1b)
    };
    assert!(!colored(&[], false), "not a terminal");
    assert!(colored(&["--color", "always"], false));
    assert!(colored(&["--color", "always"], true), "what is typed counts more");
    assert!(!colored(&["--color", "never"], false));
}

#[test]
fn on_a_terminal_no_color_is_respected() {
    let bench = Bench::with_loop();
    let run = |no_color: bool| {
        let program = env!("CARGO_BIN_EXE_consort");
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &format!("{program} run loop --stop soon"), "/dev/null"]);
        script.current_dir(bench.path("")).env("TERM", "xterm").env_remove("NO_COLOR");
        script.stdin(Stdio::null());
        if no_color {
            script.env("NO_COLOR", "1");
        }
        // `script` gives the program a terminal; where it is not installed nothing can be said.
        script.output().ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    if let (Some(with), Some(without)) = (run(false), run(true)) {
        assert!(with.contains("\u{1b}[1m"), "{with}");
        assert!(!without.contains("\u{1b}["), "{without}");
    }
}

#[test]
fn quiet_says_nothing_and_verbose_says_more() {
    let bench = Bench::with_loop();
    let said = bench.done(&["run", "loop", "--quiet"]);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));
    let said = bench.done(&["repeat", "loop", "--runs", "2", "--no-load", "--verbose"]);
    assert!(said.stderr.contains("run 2: local, 2 workers"), "{said}");
}

#[test]
fn progress_for_programs_is_json_lines() {
    let bench = Bench::with_loop();
    let said = bench.done(&["run", "loop", "--progress", "json"]);
    let lines: Vec<serde_json::Value> = said
        .stderr
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = lines.last().unwrap();
    assert_eq!((&last["event"], &last["part"]), (&"progress".into(), &1.0.into()));
}

#[test]
fn a_run_says_nothing_on_stdout() {
    assert_eq!(Bench::with_loop().done(&["run", "loop"]).stdout, "");
}

/// What is not there makes every verb fail, and it is named as it was typed.
#[test]
fn a_path_at_which_nothing_is_fails_every_verb() {
    let bench = Bench::new();
    bench.write("here/x", "");
    for verb in [
        &["run"][..],
        &["plan"],
        &["inspect"],
        &["repeat"],
        &["state-check"],
        &["export"],
        &["export", "fmu"],
        &["explore"],
        &["replay"],
        &["plot"],
        &["check", "plan"],
        &["check", "scenario"],
    ] {
        for path in ["gone.fmu", "gone.eq", "here/../gone folder/x.fmu", "gone.toml", "gone"] {
            let more: &[&str] = match verb {
                ["export"] => &["out.ssp"],
                ["export", ..] => &["out.fmu"],
                ["check", "plan"] => &["gone.plan"],
                _ => &[],
            };
            let said = bench.consort(&[verb, &[path], more].concat());
            assert_eq!(said.code, Some(2), "{verb:?} {path}: {said}");
            assert!(said.stderr.contains(&format!("`{path}")), "{verb:?} {path}: {said}");
        }
    }
}

/// Every kind of file with a mistake in it is named by the path that was typed, not by its last part.
#[test]
fn files_are_named_as_they_were_typed() {
    let bench = Bench::with_loop();
    let gain = fmus::build("gain", Fmi::V2, &BuildOptions::archive());
    let bytes = std::fs::read(gain).unwrap();
    std::fs::create_dir_all(bench.path("my models")).unwrap();
    std::fs::create_dir_all(bench.path("here")).unwrap();
    std::fs::write(bench.path("my models/a gain.fmu"), &bytes).unwrap();
    std::fs::write(bench.path("my models/cut.fmu"), &bytes[..2000]).unwrap();
    bench.write("my models/bad.eq", "model a\n  output y = z\nend\n");
    bench.write("my models/bad.sbml", "<sbml level='3' version='1' xmlns='http://www.sbml.org/sbml/level3/version1/core'><model><listOfSpecies><species/></listOfSpecies></model></sbml>");
    bench.write("my models/bad.csv", "time,u\n0,x\n");
    bench.write("my models/bad.toml", "step = [");
    bench.write("my models/bad.json", "{ \"fmus\": 1 }");
    bench.write("my models/bad.ssd", "<a/>");
    bench.write("my models/xml/modelDescription.xml", "<a/>");
    bench.write("my models/empty/README", "");
    let at = |name: &str| format!("here/../my models/{name}");
    let gain = at("a gain.fmu");
    for (line, named) in [
        (vec![at("cut.fmu")], "cut.fmu"),
        (vec![at("bad.eq")], "bad.eq:2:"),
        (vec![at("bad.sbml")], "bad.sbml:1:"),
        (vec![at("bad.toml")], "bad.toml:1:"),
        (vec![at("bad.json")], "bad.json"),
        (vec![at("bad.ssd")], "bad.ssd"),
        (vec![at("xml")], "xml/modelDescription.xml:1:"),
        (vec![at("empty")], "empty"),
        (vec![at("bad.csv")], "bad.csv"),
        (vec![gain.clone(), "--input".to_owned(), at("bad.csv")], "bad.csv:1:"),
        (vec![gain.clone(), "--input".to_owned(), at("gone.csv")], "gone.csv"),
        (vec![gain, "--solver".to_owned(), "rk4".to_owned()], "a gain.fmu"),
        (vec!["loop".to_owned(), "--resume".to_owned(), at("gone.snapshot")], "gone.snapshot"),
    ] {
        let mut words = vec!["run"];
        words.extend(line.iter().map(String::as_str));
        let said = bench.consort(&words);
        assert!(matches!(said.code, Some(1 | 2)), "{line:?}: {said}");
        assert!(said.stderr.contains(&at(named)), "{line:?}: {said}");
        let is_undone = named.contains("gone") || named == "empty" || words.contains(&"--solver");
        assert_eq!(said.code == Some(2), is_undone, "{line:?}: {said}");
    }
}
