//! `consort node secret`: a file that all nodes of a run are given, so that nobody else can take part.

use crate::cli::NodeSecretArgs;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use consort_core::Diagnostic;
use std::io;
use std::path::Path;

/// Makes the file.
pub(super) fn execute(args: &NodeSecretArgs, printer: &Printer) -> CommandResult {
    let made = consort_node::secret::create(&args.file);
    made.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(&args.file),
        _ => CommandError::unwritable(&args.file, &error),
    })?;
    let file = one_line(&args.file.display().to_string());
    printer.say(&format!("{file}: give it to every node with `--secret`, and to nobody else"));
    Ok(Exit::Done)
}

fn taken(file: &Path) -> CommandError {
    let message = format!("`{}` is there already, and a secret is not replaced", file.display());
    let diagnostic = Diagnostic::error("node::secret-exists", message);
    CommandError::failed(diagnostic.help("give it to all nodes, or choose another file"))
}
