//! Nodes that are processes of their own.

use super::order::Order;
use super::{Crew, Heard, Member};
use crate::cli::Global;
use crate::outcome::{CommandError, said};
use crate::spread::words::Word;
use consort_core::Diagnostic;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Sender, channel};

/// Starts a process for every node; `file` holds the order.
///
/// # Errors
/// If one cannot be started: none is left then.
pub(crate) fn start(
    nodes: &[String],
    order: &Order,
    file: &Path,
    global: &Global,
) -> Result<Crew, CommandError> {
    let (sender, words) = channel();
    let mut crew = Crew::new(Vec::new(), words, order.patience);
    for (index, name) in nodes.iter().enumerate() {
        let arguments = arguments(order, name, file, global);
        let mut child = spawn(&arguments).map_err(|error| not_started(name, &error))?;
        let told = child.stdout.take();
        crew.members.push(Member::new(name, Some(child)));
        if let Some(told) = told {
            let sender = sender.clone();
            std::thread::spawn(move || listen(index, told, &sender));
        }
    }
    Ok(crew)
}

/// This very program, also if its file is replaced meanwhile. Ctrl-C reaches the starter only, which
/// tells the nodes.
fn spawn(arguments: &[OsString]) -> io::Result<Child> {
    let mut command = Command::new("/proc/self/exe");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    command.process_group(0).spawn()
}

fn arguments(order: &Order, name: &str, file: &Path, global: &Global) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["node".into()];
    arguments.extend(["--name", name, "--progress", "none", "--crew"].map(OsString::from));
    arguments.push(file.into());
    arguments.extend(global.model_arguments());
    if global.verbose {
        arguments.push("--verbose".into());
    }
    if global.quiet {
        arguments.push("--quiet".into());
    }
    // A path that begins with a dash is no option.
    arguments.extend(["--".into(), order.args.system().into()]);
    arguments
}

/// Passes on what a node tells until it says nothing more.
fn listen(index: usize, told: ChildStdout, words: &Sender<(usize, Heard)>) {
    for line in BufReader::new(told).lines() {
        let Ok(line) = line else { break };
        if let Some(word) = Word::from_line(&line)
            && words.send((index, Heard::Word(word))).is_err()
        {
            return;
        }
    }
    // The starter may not listen any more.
    let _ = words.send((index, Heard::Closed));
}

fn not_started(name: &str, error: &io::Error) -> CommandError {
    let message = format!("node `{name}` could not be started: {}", said(error));
    let diagnostic = Diagnostic::error("node::not-started", message);
    CommandError::failed(
        diagnostic.help("end other programs, or place the components on fewer nodes"),
    )
}
