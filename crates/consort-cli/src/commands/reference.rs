//! `consort reference FILE`: every key of a kind of file, as a page or as a JSON schema.

use crate::cli::ReferenceArgs;
use crate::outcome::{CommandResult, Exit};
use crate::output::printer::Printer;

/// Prints the page, or the schema.
pub(crate) fn execute(args: &ReferenceArgs, printer: &Printer) -> CommandResult {
    printer.data(if args.schema { args.form.schema() } else { args.form.page() })?;
    Ok(Exit::Done)
}
