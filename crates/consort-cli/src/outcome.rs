//! Results of a command: exit codes, and the errors that prevent an answer.

use consort_core::{Diagnostic, Report, Severity};
use std::io;
use std::process::ExitCode;

pub(crate) use consort::run::error::plain_words;

/// What the exit code says; 101, a bug, is the panic's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// It was done, or the answer is yes.
    Done = 0,
    /// The answer is no: traces differ, the description is invalid.
    No = 1,
    /// The command could not be carried out.
    Failed = 2,
    /// It was ended by Ctrl-C: 128 and the number of the signal.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// What keeps a command from answering.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum CommandError {
    /// What the user wrote is wrong. Exit code 1.
    Invalid {
        /// Everything that is wrong.
        report: Report,
    },
    /// Something it needs is missing or broken. Exit code 2.
    Failed {
        /// The diagnostics of the failure.
        report: Report,
    },
    /// Data could not be written to standard output. Exit code 2, or 0 if the pipe is closed.
    Output {
        /// The error of the operating system.
        source: io::Error,
    },
}

/// What a command returns.
pub(crate) type CommandResult = Result<Exit, CommandError>;

impl CommandError {
    /// A failure with one thing to say.
    pub(crate) fn failed(diagnostic: Diagnostic) -> Self {
        consort::Error::failed(diagnostic).into()
    }

    /// A wrong request with one thing to say.
    pub(crate) fn invalid(diagnostic: Diagnostic) -> Self {
        consort::Error::invalid(diagnostic).into()
    }

    /// Refuses a request that is wrong, with everything that is wrong.
    ///
    /// # Errors
    /// If the report holds an error.
    pub(crate) fn check(report: Report) -> Result<(), Self> {
        match report.has_errors() {
            true => Err(CommandError::Invalid { report }),
            false => Ok(()),
        }
    }

    /// A file could not be read.
    pub(crate) fn unreadable(path: &std::path::Path, error: &io::Error) -> Self {
        consort::Error::unreadable(path, error).into()
    }

    /// A file could not be written.
    pub(crate) fn unwritable(path: &std::path::Path, error: &io::Error) -> Self {
        consort::Error::unwritable(path, error).into()
    }
}

impl From<consort::Error> for CommandError {
    fn from(error: consort::Error) -> Self {
        match error {
            consort::Error::Invalid { report } => CommandError::Invalid { report },
            other => CommandError::Failed { report: other.into_report() },
        }
    }
}

impl From<io::Error> for CommandError {
    /// Only standard output is written with bare `io::Error`s; files say which file it was.
    fn from(source: io::Error) -> Self {
        CommandError::Output { source }
    }
}

/// What this machine lacks, not what the user wrote: whether the description is valid is not known.
const OF_THE_MACHINE: [&str; 6] = [
    "archive::unwritable",
    "cli::read-failed",
    "fmi::missing-library",
    "fmi::no-python",
    "model::cache",
    "model::no-compiler",
];

/// What a report of mistakes means for the exit code: whether the answer is that the description is invalid, or there
/// is no answer. A command that answers another question has none then.
pub(crate) fn exit_of(report: &Report, is_question: bool) -> Exit {
    let is_mistake = |it: &&Diagnostic| it.severity == Severity::Error;
    let mut mistakes = report.diagnostics().iter().filter(is_mistake);
    let is_failure =
        |it: &Diagnostic| OF_THE_MACHINE.contains(&it.code) || is_of_request(it, report);
    match is_question || mistakes.all(is_failure) {
        true => Exit::Failed,
        false => Exit::No,
    }
}

/// Whether a mistake is in what was typed, not in what it is about.
fn is_of_request(diagnostic: &Diagnostic, report: &Report) -> bool {
    let is_code = ["cli::", "set::"].iter().any(|start| diagnostic.code.starts_with(start));
    let label = diagnostic.primary.as_ref().or(diagnostic.labels.first());
    let place = label.map(|label| report.source(label.span.source));
    is_code || place.is_some_and(|source| source.name == "command line")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_cannot_be_asked_has_no_answer() {
        let mut report = Report::default();
        report.push(Diagnostic::error("property::unknown-signal", ""));
        assert_eq!(exit_of(&report, true), Exit::Failed);
        assert_eq!(exit_of(&report, false), Exit::No);
    }

    #[test]
    fn what_the_machine_lacks_is_no_mistake_of_the_user() {
        let exit = |codes: &[&'static str]| {
            let mut report = Report::default();
            codes.iter().for_each(|code| report.push(Diagnostic::error(code, "")));
            report.push(Diagnostic::warning("system::odd", ""));
            exit_of(&report, false)
        };
        assert_eq!(exit(&["cli::bad-time", "set::bad-assignment"]), Exit::Failed);
        assert_eq!(exit(&["model::cache"]), Exit::Failed);
        assert_eq!(exit(&["model::cache", "system::unknown-variable"]), Exit::No);
        assert_eq!(exit(&["system::unknown-variable"]), Exit::No);
    }
}
