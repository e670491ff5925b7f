//! The treatment of traces for which there is no room on the disk.

use crate::error::plain_words;
use crate::files::folder::{self, RunFolder};
use crate::files::recorder::Written;
use consort_core::Diagnostic;
use consort_trace::TraceError;

/// The diagnostics of rows that could not be written, if there are any. A trace that is not whole cannot
/// be read: it makes room for the manifest, if its rows are in a journal.
pub(crate) fn remark(written: &Written, folder: &RunFolder) -> Option<Diagnostic> {
    match (&written.failure, &written.journal_failure) {
        (Some(error), _) => Some(no_trace(error, folder)),
        (None, Some(error)) if folder.file(folder::JOURNAL).exists() => {
            Some(no_journal(error, folder))
        }
        // A node reports it to its starter.
        (None, Some(_) | None) => None,
    }
}

fn no_trace(error: &TraceError, folder: &RunFolder) -> Diagnostic {
    let path = folder.path().display();
    let message = format!("the trace in `{path}` is not complete");
    let diagnostic =
        Diagnostic::error("run::trace-not-written", message).with_note(plain_words(error));
    if !folder.is_torn() {
        folder.remove_journal();
        let help = "make room on the disk, or choose another folder with `--out DIR`";
        return diagnostic.help(help);
    }
    // What cannot be read only takes room.
    let _ = std::fs::remove_file(folder.file(folder::TRACE));
    let note = match folder.file(folder::JOURNAL).exists() {
        true => format!("what was recorded is in `{path}/{}`", folder::JOURNAL),
        false => "what the nodes recorded is kept".to_owned(),
    };
    let help = format!("make room on the disk, then make a trace of it: `consort recover {path}`");
    diagnostic.with_note(note).help(help)
}

fn no_journal(error: &TraceError, folder: &RunFolder) -> Diagnostic {
    let message = format!("the journal in `{}` could not be written", folder.path().display());
    Diagnostic::error("run::journal-not-written", message)
        .with_note(plain_words(error))
        .with_note("the run was ended there; its trace is whole")
        .help(
            "make room on the disk, choose another folder with `--out DIR`, or add `--no-journal`",
        )
}
