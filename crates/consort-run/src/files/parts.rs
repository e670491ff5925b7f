//! Snapshots of a distributed run: every node saves its part, and the parts of one time make one file.

use consort_core::bytes::{BytesError, Reader, Writer};
use std::path::{Path, PathBuf};

/// How the state of a distributed run begins; that of a run in one piece begins otherwise.
const MAGIC: [u8; 8] = *b"CSTPARTS";

/// Where nodes leave their parts.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct PartsFolder {
    path: PathBuf,
}

impl PartsFolder {
    /// The folder at `path`.
    pub fn new(path: &Path) -> Self {
        PartsFolder { path: path.to_owned() }
    }

    /// That of a run whose nodes work in this private folder.
    pub fn of(scratch: &Path) -> Self {
        Self::new(&scratch.join("parts"))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The part that `node` makes at the save with this number.
    pub fn part(&self, save: usize, node: &str) -> PathBuf {
        self.path.join(format!("{save}-{node}.part"))
    }

    /// Where `node` keeps its rows as long as the run goes.
    pub fn journal(&self, node: &str) -> PathBuf {
        self.path.join(format!("{node}.journal"))
    }

    /// The parts of all nodes, if all have made theirs.
    pub fn complete(&self, save: usize, nodes: &[String]) -> Option<Vec<(String, Vec<u8>)>> {
        let is_there = |node: &String| self.part(save, node).exists();
        if !nodes.iter().all(is_there) {
            return None;
        }
        let read = |node: &String| {
            let bytes = std::fs::read(self.part(save, node)).ok()?;
            Some((node.clone(), bytes))
        };
        nodes.iter().map(read).collect()
    }

    /// Takes the parts away.
    pub fn clear(&self, save: usize, nodes: &[String]) {
        for node in nodes {
            // It goes with its folder at last.
            let _ = std::fs::remove_file(self.part(save, node));
        }
    }
}

/// The parts as one state.
pub fn join(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = Writer::new(MAGIC);
    writer.count(parts.len());
    for (node, bytes) in parts {
        writer.text(node);
        writer.part(bytes);
    }
    writer.finish()
}

/// Whether a state is that of a distributed run.
pub fn is_joined(state: &[u8]) -> bool {
    state.starts_with(&MAGIC)
}

/// The parts of a state.
///
/// # Errors
/// If the bytes are not joined parts.
pub fn split(state: &[u8]) -> Result<Vec<(String, Vec<u8>)>, BytesError> {
    let mut reader = Reader::new(state, MAGIC)?;
    let count = reader.count(16)?;
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        parts.push((reader.text()?.to_owned(), reader.part()?.to_vec()));
    }
    reader.end()?;
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_joined_are_split_as_they_were() {
        let parts = vec![("a".to_owned(), vec![1, 2, 3]), ("b".to_owned(), Vec::new())];
        let state = join(&parts);
        assert!(is_joined(&state));
        assert_eq!(split(&state), Ok(parts));
        for length in 0..state.len() {
            assert!(split(&state[..length]).is_err(), "{length}");
        }
        assert!(split(&[state, vec![0]].concat()).is_err());
    }

    #[test]
    fn a_save_is_complete_when_every_node_has_made_its_part() {
        let temp = tempfile::tempdir().unwrap();
        let folder = PartsFolder::new(temp.path());
        let nodes = ["a".to_owned(), "b".to_owned()];
        std::fs::write(folder.part(0, "a"), "one").unwrap();
        std::fs::write(folder.part(1, "b"), "two").unwrap();
        assert_eq!(folder.complete(0, &nodes), None);
        std::fs::write(folder.part(0, "b"), "three").unwrap();
        let parts = folder.complete(0, &nodes).unwrap();
        assert_eq!(parts[1], ("b".to_owned(), b"three".to_vec()));
        folder.clear(0, &nodes);
        assert_eq!(folder.complete(0, &nodes), None);
        assert!(folder.part(1, "b").exists());
    }
}
