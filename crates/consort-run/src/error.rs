//! Errors of this crate: why something could not be done.

use consort_core::{Diagnostic, Report, Resolution, Severity};
use consort_engine::RunError;
use std::fmt;
use std::io;
use std::path::Path;

/// Why a system could not be loaded, planned or run.
#[non_exhaustive]
pub enum Error {
    /// What was asked for is wrong: the system, a model, an option.
    Invalid {
        /// Everything that is wrong.
        report: Report,
    },
    /// Something this needs is missing or broken: a file, a compiler, a process.
    Failed {
        /// The diagnostics of the failure.
        report: Report,
    },
    /// A run could not begin or continue.
    Run {
        /// Component, time, call and what happened.
        error: Box<RunError>,
        /// The same as a diagnostic.
        report: Report,
    },
    /// It was cancelled. A run can be continued.
    Cancelled,
}

impl Error {
    /// A failure with one diagnostic.
    pub fn failed(diagnostic: Diagnostic) -> Self {
        Error::Failed { report: with(diagnostic) }
    }

    /// A wrong request with one diagnostic.
    pub fn invalid(diagnostic: Diagnostic) -> Self {
        Error::Invalid { report: with(diagnostic) }
    }

    /// A failure of a run whose ticks are `resolution` long.
    pub fn run(error: RunError, resolution: Resolution) -> Self {
        let report = with(error.diagnostic(resolution));
        Error::Run { error: Box::new(error), report }
    }

    /// A file could not be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> Self {
        let message = format!("`{}` could not be read: {}", path.display(), plain_words(error));
        let help = match error.kind() {
            io::ErrorKind::NotFound => "paths are relative to the current folder",
            io::ErrorKind::PermissionDenied => "permit reading it",
            io::ErrorKind::IsADirectory => "name a file, not a folder",
            io::ErrorKind::InvalidData => "it must be text in UTF-8; is this the right file?",
            _ => "try again, or copy the file to another place",
        };
        Self::failed(Diagnostic::error("cli::read-failed", message).help(help))
    }

    /// A file could not be written.
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        let message = format!("`{}` could not be written: {}", path.display(), plain_words(error));
        let help = match error.kind() {
            io::ErrorKind::IsADirectory => "it is a folder: choose another name",
            io::ErrorKind::StorageFull => "make room, or choose another folder",
            _ => "choose another folder, or permit writing there",
        };
        Self::failed(Diagnostic::error("cli::write-failed", message).help(help))
    }

    /// Nothing, or everything that is wrong.
    ///
    /// # Errors
    /// If the report holds an error.
    pub fn check(report: Report) -> Result<(), Self> {
        if report.has_errors() { Err(Error::Invalid { report }) } else { Ok(()) }
    }

    /// Its errors, without the texts that they point into.
    pub fn errors(self) -> Vec<Diagnostic> {
        let is_error = |it: &Diagnostic| it.severity == Severity::Error;
        self.into_diagnostics().into_iter().filter(is_error).collect()
    }

    /// Its diagnostics, without the texts that they point into.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.into_report().diagnostics().to_vec()
    }

    /// What is known about it, with places in the texts that it is about.
    pub fn into_report(self) -> Report {
        match self {
            Error::Invalid { report } | Error::Failed { report } | Error::Run { report, .. } => {
                report
            }
            Error::Cancelled => with(cancelled()),
        }
    }

    /// What is known about it, with places in the texts that it is about; nothing if it was cancelled.
    pub fn report(&self) -> Option<&Report> {
        match self {
            Error::Invalid { report } | Error::Failed { report } | Error::Run { report, .. } => {
                Some(report)
            }
            Error::Cancelled => None,
        }
    }
}

fn cancelled() -> Diagnostic {
    Diagnostic::error("run::cancelled", "it was cancelled")
}

fn with(diagnostic: Diagnostic) -> Report {
    let mut report = Report::default();
    report.push(diagnostic);
    report
}

/// The same text: a program whose `main` returns the error shows it so.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Every mistake on a line of its own.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(report) = self.report() else { return f.write_str("it was cancelled") };
        let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
        for (index, error) in report.diagnostics().iter().filter(is_error).enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}: {}", error.code, error.message)?;
            error.help.iter().try_for_each(|help| write!(f, " ({help})"))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Run { error, .. } => Some(&**error),
            _ => None,
        }
    }
}

/// What the operating system said, in lower case and without its number: `no such file or directory`.
pub fn plain_words(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_system_are_lower_case_and_without_numbers() {
        let error = std::fs::File::open("/no/such/file").unwrap_err();
        assert_eq!(plain_words(&error), "no such file or directory");
    }

    #[test]
    fn every_mistake_is_a_line_with_its_code_and_its_cure() {
        let mut report = Report::default();
        report.push(Diagnostic::error("a::b", "one is wrong").help("mend it"));
        report.push(Diagnostic::warning("a::c", "odd"));
        report.push(Diagnostic::error("a::d", "two is wrong"));
        let text = Error::Invalid { report }.to_string();
        assert_eq!(text, "a::b: one is wrong (mend it)\na::d: two is wrong");
    }
}
