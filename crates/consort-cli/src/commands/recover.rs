//! `consort recover DIR`: makes a record of what a killed run left.

use crate::cli::RecoverArgs;
use crate::outcome::{CommandResult, Exit};
use crate::output::printer::Printer;
use consort::run::paths::quoted;
use consort::run::recover;
use consort_view::numbers::{plural, short};

/// Makes the record, and says how the run is resumed.
pub(crate) fn execute(args: &RecoverArgs, printer: &Printer) -> CommandResult {
    let Some(recovered) = recover::recover(&args.run)? else {
        printer.say(&format!("`{}` is whole: there is nothing to recover", args.run.display()));
        return Ok(Exit::Done);
    };
    let (rows, until) = (plural(recovered.rows, "row"), short(recovered.until));
    printer.data(format!("recovered: {rows} up to {until} s; trace {}\n", recovered.trace_hash))?;
    if let Some(file) = recovered.last_save {
        let file = quoted(&file.display().to_string());
        printer.say(&format!("resume the last snapshot with `consort run --resume {file}`"));
    }
    Ok(Exit::Done)
}
