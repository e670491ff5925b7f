//! `consort completions SHELL`: prints the completion script for a shell.

use crate::cli::{Cli, CompletionsArgs};
use crate::outcome::{CommandResult, Exit};
use crate::output::printer::Printer;
use clap::CommandFactory;

/// Prints the completions.
pub(crate) fn execute(args: &CompletionsArgs, printer: &Printer) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "consort", &mut script);
    printer.data(script)?;
    Ok(Exit::Done)
}
