//! `consort man`: the help of all commands as manual pages.

use crate::cli::{Cli, ManArgs};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use consort_core::Diagnostic;
use consort_core::diagnostic::nearest_name;
use std::fs;
use std::io;
use std::path::Path;

/// Prints one page, or writes all.
pub(crate) fn execute(args: &ManArgs, printer: &Printer) -> CommandResult {
    let mut top = Cli::command().disable_help_subcommand(true);
    top.build();
    match &args.out {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(|error| CommandError::unwritable(folder, &error))?;
            let count = write_all(&top, folder)?;
            printer.say(&format!("wrote {count} pages into {}", folder.display()));
        }
        None => printer.data(page(find(&top, &args.command)?)?.1)?,
    }
    Ok(Exit::Done)
}

/// The command of these words, which follow each other.
fn find<'c>(top: &'c Command, words: &[String]) -> Result<&'c Command, CommandError> {
    let mut command = top;
    for word in words {
        let found = shown(command).find(|below| below.get_name() == word);
        command = found.ok_or_else(|| unknown(command, word))?;
    }
    Ok(command)
}

fn unknown(above: &Command, word: &str) -> CommandError {
    let message =
        format!("`{}` has no command `{word}`", above.get_display_name().unwrap_or("consort"));
    let diagnostic = Diagnostic::error("cli::unknown-command", message);
    let names = shown(above).map(Command::get_name);
    CommandError::failed(match nearest_name(word, names) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help("`consort --help` lists all commands"),
    })
}

/// The commands below one that help lists.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

/// Writes the page of a command and those below it; how many there were.
fn write_all(command: &Command, folder: &Path) -> Result<usize, CommandError> {
    let (name, text) = page(command)?;
    let path = folder.join(name);
    fs::write(&path, text).map_err(|error| CommandError::unwritable(&path, &error))?;
    shown(command).try_fold(1, |count, below| Ok(count + write_all(below, folder)?))
}

/// The name of a page's file, and the page; `clap_mangen` calls the text below the options "extra".
fn page(command: &Command) -> io::Result<(String, String)> {
    let man = Man::new(command.clone()).source(format!("consort {}", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text)?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    let text = text.replace("\n.SH EXTRA\n", "\n.SH NOTES\n");
    // What is copied from a page has no hyphens that were not written.
    let text = text.replace("\n.SH NAME\n", "\n.nh\n.SH NAME\n");
    Ok((man.get_filename(), with_lines_kept(&text)))
}

/// Indented lines, which are examples and lists, stay as they are; others are filled.
fn with_lines_kept(text: &str) -> String {
    let (mut kept, mut is_inside) = (String::new(), false);
    for line in text.lines() {
        let is_indented = line.starts_with("  ");
        if is_indented != is_inside {
            kept += if is_indented { ".nf\n" } else { ".fi\n" };
            is_inside = is_indented;
        }
        kept += line;
        kept += "\n";
    }
    kept
}
