//! Streams, colors, pipes, progress.

use crate::bench::Bench;
use std::process::Stdio;

#[test]
fn a_broken_pipe_is_no_failure() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    for args in [
        vec!["completions", "bash"],
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
    assert!(said.stderr.contains("run 2: in one piece, 2 workers"), "{said}");
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
