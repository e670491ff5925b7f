//! Runs tests at the same time, in a program that is also the nodes that the tests start.

use std::process::ExitCode;
use std::thread;

/// A test by its name.
pub(crate) type Test = (&'static str, fn());

/// Runs those whose name contains a word that was given, or all; those that fail say why.
#[expect(clippy::print_stdout, reason = "a test program says what it did")]
pub(crate) fn run(tests: &[Test], words: &[String]) -> ExitCode {
    let words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let is_wanted =
        |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let wanted: Vec<Test> = tests.iter().copied().filter(|(name, _)| is_wanted(name)).collect();
    let spawn = |(name, test): Test| {
        let thread = thread::Builder::new().name(name.to_owned());
        (name, thread.spawn(test).expect("there is room for a thread"))
    };
    let running: Vec<_> = wanted.into_iter().map(spawn).collect();
    let mut is_fine = true;
    for (name, thread) in running {
        let verdict = if thread.join().is_ok() { "ok" } else { "FAILED" };
        is_fine &= verdict == "ok";
        println!("test {name} ... {verdict}");
    }
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
