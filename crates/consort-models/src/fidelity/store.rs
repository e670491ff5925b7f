//! Verdicts that were found before, kept by everything they depend on.

use super::verdict::Verdict;
use crate::files::cache::work_folder;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Verdicts in a folder of the cache: one file each, called by the hash of what it depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdicts {
    folder: PathBuf,
    /// What is there is not looked at.
    anew: bool,
}

impl Verdicts {
    /// Those in a cache; nothing needs to be there yet.
    pub fn open(cache: &Path) -> Self {
        Verdicts { folder: cache.join("verdicts"), anew: false }
    }

    /// Those in a cache, all to be found out again.
    pub fn anew(cache: &Path) -> Self {
        Verdicts { anew: true, ..Self::open(cache) }
    }

    /// The verdict of that key; `None` if there is none that can be read.
    pub fn find(&self, key: &str) -> Option<Verdict> {
        if self.anew {
            return None;
        }
        let bytes = fs::read(self.file(key)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Remembers a verdict; gives it as it will be found, in which a cost may have another last digit. Files
    /// appear whole or not at all.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn keep(&self, key: &str, verdict: &Verdict) -> io::Result<Verdict> {
        fs::create_dir_all(&self.folder)?;
        let work = work_folder(&self.folder)?;
        let made = work.path().join("verdict.json");
        let bytes = serde_json::to_vec(verdict)?;
        fs::write(&made, &bytes)?;
        fs::rename(made, self.file(key))?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}
