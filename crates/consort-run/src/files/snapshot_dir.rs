//! The snapshots that a node keeps for itself, in a folder: one file per time.

use consort_core::Seconds;
use std::path::{Path, PathBuf};

/// How such files end.
const ENDING: &str = ".snapshot";

/// A folder in which a node keeps its snapshots. Others may have theirs there, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotDir {
    folder: PathBuf,
    node: String,
}

impl SnapshotDir {
    /// The snapshots of `node` in `folder`.
    pub fn new(folder: &Path, node: &str) -> Self {
        SnapshotDir { folder: folder.to_owned(), node: node.to_owned() }
    }

    /// The path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the snapshot of a time goes: `FOLDER/NODE@20.snapshot`. A fraction that is no short
    /// decimal has `_` for its bar.
    pub fn file(&self, time: Seconds) -> PathBuf {
        let time = time.to_string().replace('/', "_");
        self.folder.join(format!("{}@{time}{ENDING}", self.node))
    }

    /// What is there, in the order of time. A folder that cannot be read has nothing.
    pub fn kept(&self) -> Vec<(Seconds, PathBuf)> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let time = |name: &str| {
            let rest = name.strip_prefix(&self.node)?.strip_prefix('@')?;
            rest.strip_suffix(ENDING)?.replace('_', "/").parse::<Seconds>().ok()
        };
        let kept = entries.filter_map(|entry| {
            let name = entry.file_name();
            Some((time(name.to_str()?)?, entry.path()))
        });
        let mut kept: Vec<(Seconds, PathBuf)> = kept.collect();
        kept.sort();
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_finds_its_own_snapshots_in_the_order_of_time() {
        let temp = tempfile::tempdir().unwrap();
        let dir = SnapshotDir::new(temp.path(), "a");
        let times = ["10", "9", "1/3", "0.5", "-2"];
        for time in times {
            std::fs::write(dir.file(time.parse().unwrap()), "").unwrap();
        }
        for other in ["a@7.snapshot.partial", "aa@7.snapshot", "b@7.snapshot", "a@x.snapshot"] {
            std::fs::write(temp.path().join(other), "").unwrap();
        }
        let kept: Vec<String> = dir.kept().iter().map(|(time, _)| time.to_string()).collect();
        assert_eq!(kept, ["-2", "1/3", "0.5", "9", "10"]);
        let (_, last) = dir.kept().pop().unwrap();
        assert_eq!(last, temp.path().join("a@10.snapshot"));
        assert!(SnapshotDir::new(&temp.path().join("none"), "a").kept().is_empty());
    }
}
