//! Running other programs.

use std::fmt::Write as _;
use std::process::{Command, Output};

/// Runs the command; `Err` holds what it said.
pub(crate) fn try_run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() { Ok(output) } else { Err(words(command, &output)) }
}

/// Runs the command.
///
/// # Panics
/// With its output if it fails.
pub(crate) fn run(command: &mut Command) -> Output {
    try_run(command).unwrap_or_else(|words| panic!("{words}"))
}

fn words(command: &Command, output: &Output) -> String {
    let mut text = format!("{command:?}: {}", output.status);
    for (name, stream) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !stream.is_empty() {
            let said = String::from_utf8_lossy(stream);
            write!(text, "\n{name}: {said}").expect("a string takes all");
        }
    }
    text
}
