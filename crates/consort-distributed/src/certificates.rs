//! Certificates for nodes that a run starts itself, on this machine: made for the run, and gone with it.

use crate::assignment::NodeAssignment;
use crate::scratch::Scratch;
use consort_core::{Diagnostic, Report};
use consort_node::{Authority, TlsFiles, is_certifiable};
use consort_run::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Makes an authority for this run alone, and a certificate for each node.
///
/// # Errors
/// If the name of a node cannot be that of a certificate, or there is no room.
pub(crate) fn make(nodes: &[String], scratch: &Scratch) -> Result<PathBuf, Error> {
    check(nodes)?;
    let folder = scratch.file("certificates");
    match certify(nodes, &folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(Error::unwritable(&folder, &error)),
    }
}

fn certify(nodes: &[String], folder: &Path) -> io::Result<()> {
    std::fs::create_dir(folder)?;
    let authority = Authority::new(folder)?;
    nodes.iter().try_for_each(|node| authority.certify(node).map(drop))
}

fn check(nodes: &[String]) -> Result<(), Error> {
    let mut report = Report::default();
    for node in nodes.iter().filter(|node| !is_certifiable(node)) {
        let message = format!("no certificate can be made for node `{node}`");
        let diagnostic = Diagnostic::error("node::not-certifiable", message);
        let help = "give it a name of letters, digits, `-` and `_`, not of digits alone, \
                    or choose another `--link`";
        report.push(diagnostic.help(help));
    }
    Error::check(report)
}

/// What a node shows to others: what was made for it, or what the user gave.
pub(crate) fn files(assignment: &NodeAssignment, node: &str) -> Option<TlsFiles> {
    let made = assignment.certificates.as_deref().map(|folder| Authority::files(folder, node));
    made.or_else(|| assignment.tls.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_files_of_its_own_that_go_with_the_run() {
        let temp = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(temp.path(), [3; 16]).unwrap();
        let nodes = ["control", "plant"].map(str::to_owned);
        let folder = make(&nodes, &scratch).unwrap();
        let files = nodes.map(|node| Authority::files(&folder, &node));
        assert_ne!(files[0], files[1]);
        for files in &files {
            let all = [&files.authorities, &files.certificate, &files.key];
            assert!(all.iter().all(|file| file.is_file()), "{files:?}");
        }
        drop(scratch);
        assert!(!files[0].key.exists());
    }
}
