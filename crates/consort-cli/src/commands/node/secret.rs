//! `consort node secret`: a secret for all nodes of a run, without which no node can join.

use crate::cli::NodeSecretArgs;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use consort_core::Diagnostic;
use std::io;
use std::path::Path;

/// Writes a file with a new secret.
pub(super) fn execute(args: &NodeSecretArgs, printer: &Printer) -> CommandResult {
    let made = consort_node::secret::create(&args.file);
    made.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(&args.file),
        _ => CommandError::unwritable(&args.file, &error),
    })?;
    let file = one_line(&args.file.display().to_string());
    printer.say(&format!("{file}: pass it to every node with `--secret`, and keep it private"));
    Ok(Exit::Done)
}

fn taken(file: &Path) -> CommandError {
    let message = format!("`{}` exists already; a secret is never overwritten", file.display());
    let diagnostic = Diagnostic::error("node::secret-exists", message);
    CommandError::failed(diagnostic.help("use it, or choose another file name"))
}
