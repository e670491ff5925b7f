//! `consort explain CODE`: what an error means and what to do about it.

use crate::cli::ExplainArgs;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use consort::explain::{matching, nearest, pages};
use consort_core::Diagnostic;

/// How wide a page is.
const WIDTH: usize = 79;

/// Prints the pages that are asked for, or the list of all codes.
pub(crate) fn execute(args: &ExplainArgs, printer: &Printer) -> CommandResult {
    let Some(asked) = &args.code else {
        let codes: String = pages().map(|page| format!("{}\n", page.code)).collect();
        printer.data(codes)?;
        return Ok(Exit::Done);
    };
    let asked = bare(asked);
    let found: Vec<String> = matching(asked).iter().map(|page| page.plain(WIDTH)).collect();
    if found.is_empty() {
        return Err(unknown(asked));
    }
    printer.data(found.join("\n"))?;
    Ok(Exit::Done)
}

/// The code in what was copied from a message: `error[cli::bad-time]`, or its brackets.
fn bare(asked: &str) -> &str {
    let inside = asked.split_once('[').map_or(asked, |(_, inside)| inside);
    inside.trim_end_matches([':', ']']).trim()
}

fn unknown(asked: &str) -> CommandError {
    let diagnostic = Diagnostic::error("cli::unknown-code", format!("there is no code `{asked}`"));
    CommandError::failed(match nearest(asked) {
        Some(code) => diagnostic.help(format!("did you mean `{code}`?")),
        None => diagnostic.help("`consort explain --list` prints all codes"),
    })
}
