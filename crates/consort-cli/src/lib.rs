//! The `consort` command line: options, commands, output and exit codes.
//!
//! - `cli`: verbs, options and their help.
//! - `commands`: one module per verb.
//! - `pipeline`: the library's loading, with the options of the command line.
//! - `output`: messages, diagnostics, progress.
//!
//! What is computed, and what is left on disk, is the library's: the crate `consort`.
//!
//! Standard output carries data only. Exit codes: 0 done, 1 the answer is no, 2 it could not be
//! done, 101 a bug, 130 it was ended by Ctrl-C.

mod cli;
mod command_line;
mod commands;
mod interrupt;
mod outcome;
mod output;
mod pipeline;

use clap::Parser;
use cli::{Cli, Verb};
use outcome::{CommandError, CommandResult, Exit, exit_of};
use output::answer::answer;
use output::printer::Printer;
use std::io;
use std::process::ExitCode;

/// The whole program.
pub fn main() -> ExitCode {
    install_panic_message();
    consort::run::paths::keep_working_folder();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error).into(),
    };
    if matches!(cli.verb, Verb::Host) {
        return consort_models::loader::serve();
    }
    let printer = match Printer::take_stdout(&cli.global) {
        Ok(printer) => printer,
        Err(error) => {
            output::printer::to_user(&format!("error: standard output cannot be used: {error}"));
            return Exit::Failed.into();
        }
    };
    let mut result = dispatch(&cli, &printer);
    if let Err(error) = &result
        && let Some(command) = cli.verb.json_command()
        && let Err(unwritten) = answer_failure(command, error, &cli.verb, &printer)
    {
        result = Err(unwritten);
    }
    // A command that only shows something does not run it.
    let ending = match cli.verb {
        Verb::Inspect(_) | Verb::Plan(_) | Verb::Check(_) | Verb::Explain(_) => "",
        Verb::Export(_) => "nothing was written",
        _ => "nothing was run",
    };
    let is_question = cli.verb.is_question();
    let exit = finish(result, ending, is_question, &printer);
    interrupt::ended_by_user(exit).into()
}

/// A program that asked for JSON gets the mistakes as well.
fn answer_failure(
    command: &str,
    error: &CommandError,
    verb: &Verb,
    printer: &Printer,
) -> Result<(), CommandError> {
    let (report, exit) = match error {
        CommandError::Invalid { report } => (report, exit_of(report, verb.is_question())),
        CommandError::Failed { report } => (report, Exit::Failed),
        CommandError::Output { .. } => return Ok(()),
    };
    let exit = interrupt::ended_by_user(exit);
    Ok(printer.data(answer(command, exit, report, serde_json::Value::Null))?)
}

fn dispatch(cli: &Cli, printer: &Printer) -> CommandResult {
    match &cli.verb {
        Verb::Inspect(args) => commands::inspect::execute(args, &cli.global, printer),
        Verb::Plan(args) => commands::plan::execute(args, &cli.global, printer),
        Verb::Run(args) => commands::run::execute(args, &cli.global, printer),
        Verb::Replay(args) => commands::replay::execute(args, &cli.global, printer),
        Verb::Recover(args) => commands::recover::execute(args, printer),
        Verb::Diff(args) => commands::diff::execute(args, printer),
        Verb::Repeat(args) => commands::repeat::execute(args, &cli.global, printer),
        Verb::Plot(args) => commands::plot::execute(args, printer),
        Verb::Check(args) => commands::check::execute(args, &cli.global, printer),
        Verb::Export(args) => commands::export::execute(args, &cli.global, printer),
        Verb::StateCheck(args) => commands::state_check::execute(args, &cli.global, printer),
        Verb::Explore(args) => commands::explore::execute(args, &cli.global, printer),
        Verb::Node(args) => commands::node::execute(args, &cli.global, printer),
        Verb::Explain(args) => commands::explain::execute(args, printer),
        Verb::Reference(args) => commands::reference::execute(args, printer),
        Verb::Man(args) => commands::man::execute(args, printer),
        Verb::CampaignWorker(args) => commands::explore::work(args, printer),
        Verb::Completions(args) => commands::completions::execute(args, printer),
        Verb::Host => unreachable!("a worker serves before anything is said"),
    }
}

fn finish(
    result: CommandResult,
    ending: &'static str,
    is_question: bool,
    printer: &Printer,
) -> Exit {
    match result {
        Ok(exit) => exit,
        Err(CommandError::Invalid { report }) => {
            printer.report(&report, ending);
            exit_of(&report, is_question)
        }
        Err(CommandError::Failed { report }) => {
            printer.report(&report, "");
            Exit::Failed
        }
        // The reader of our data has closed the pipe.
        Err(CommandError::Output { source }) if source.kind() == io::ErrorKind::BrokenPipe => {
            Exit::Done
        }
        Err(CommandError::Output { source }) => {
            printer.insist(&format!(
                "error: standard output failed: {}",
                outcome::plain_words(&source)
            ));
            Exit::Failed
        }
    }
}

/// Help and version go to standard output, mistakes to standard error.
fn usage(error: &clap::Error) -> Exit {
    // Both streams may be closed.
    let _ = error.print();
    if error.use_stderr() { Exit::Failed } else { Exit::Done }
}

/// Makes every panic end with a request to report it: a panic is a bug of Consort.
fn install_panic_message() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        output::printer::to_user("this is a bug in Consort; please report it with the lines above");
    }));
}
