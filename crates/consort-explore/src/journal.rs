//! What a campaign has done so far, on disk: nothing that was acknowledged is lost.
//!
//! A journal is a file of JSON lines `{"check":"...","entry":{...}}`; `check` is a checksum of the
//! entry. The first entry identifies the campaign; each of the others is a unit with its result. An
//! entry counts once [`CampaignJournal::sync`] has returned. A last line that is torn, because the
//! machine or the process died while it was written, is cut off; anything else that is damaged is an
//! error, because what follows it cannot be trusted to be complete.

use serde_json::{Value, json};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The form of the file; another one is refused.
const FORMAT: u64 = 1;

/// A journal that can be written to; its file is locked.
#[derive(Debug)]
pub struct CampaignJournal {
    file: File,
    path: PathBuf,
}

/// Why a journal cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    Io {
        /// The journal's file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another process writes to it.
    InUse {
        /// The journal's file.
        path: PathBuf,
    },
    /// A line that is not the last is damaged.
    Damaged {
        /// The journal's file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
    },
    /// It belongs to another campaign, or to another version of this one.
    OtherCampaign {
        /// The journal's file.
        path: PathBuf,
        /// The settings that differ.
        differing: Vec<String>,
    },
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::Io { path, source } => write!(f, "`{}`: {source}", path.display()),
            JournalError::InUse { path } => {
                write!(f, "another process writes to `{}`", path.display())
            }
            JournalError::Damaged { path, line } => {
                write!(f, "line {line} of `{}` is damaged", path.display())
            }
            JournalError::OtherCampaign { path, differing } => {
                let differing = differing.join(", ");
                write!(
                    f,
                    "`{}` is of another campaign or an older state of it; different: {differing}",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for JournalError {}

impl CampaignJournal {
    /// Creates a journal, or replaces the file. `campaign` identifies the campaign.
    ///
    /// # Errors
    /// If the file cannot be written, or another process writes to it.
    pub fn create(path: &Path, campaign: &Value) -> Result<Self, JournalError> {
        let mut journal = Self::open(path)?;
        journal.truncate(0)?;
        journal.write(&json!({"format": FORMAT, "campaign": campaign}))?;
        journal.sync()?;
        Ok(journal)
    }

    /// Continues with a journal: the entries it holds, and itself to write more.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is of another campaign.
    pub fn resume(path: &Path, campaign: &Value) -> Result<(Self, Vec<Value>), JournalError> {
        let mut journal = Self::open(path)?;
        let mut bytes = Vec::new();
        journal.file.read_to_end(&mut bytes).map_err(|source| journal.io(source))?;
        let (mut entries, length) = journal.entries(&bytes)?;
        journal.truncate(length as u64)?;
        if entries.is_empty() {
            return Ok((Self::restarted(journal, campaign)?, entries));
        }
        let header = entries.remove(0);
        let differing = differences(&header["campaign"], campaign);
        if header["format"] != FORMAT || !differing.is_empty() {
            let path = journal.path;
            return Err(JournalError::OtherCampaign { path, differing });
        }
        Ok((journal, entries))
    }

    /// Adds an entry; it counts once [`CampaignJournal::sync`] has returned.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, entry: &Value) -> Result<(), JournalError> {
        let text = entry.to_string();
        let line = format!("{{\"check\":\"{:016x}\",\"entry\":{text}}}\n", checksum(&text));
        self.file.write_all(line.as_bytes()).map_err(|source| self.io(source))
    }

    /// Everything written so far survives whatever happens next.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| self.io(source))
    }

    fn open(path: &Path) -> Result<Self, JournalError> {
        let io = |source| JournalError::Io { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(io)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse { path: path.to_owned() }),
            // Some network disks have no locks: nothing is known then.
            Ok(()) | Err(TryLockError::Error(_)) => {
                Ok(CampaignJournal { file, path: path.to_owned() })
            }
        }
    }

    fn restarted(mut journal: Self, campaign: &Value) -> Result<Self, JournalError> {
        journal.write(&json!({"format": FORMAT, "campaign": campaign}))?;
        journal.sync()?;
        Ok(journal)
    }

    fn truncate(&mut self, length: u64) -> Result<(), JournalError> {
        let cut = self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::End(0)));
        cut.map(|_| ()).map_err(|source| self.io(source))
    }

    /// The entries and how many bytes they take; the rest is a torn line.
    fn entries(&self, bytes: &[u8]) -> Result<(Vec<Value>, usize), JournalError> {
        let (mut entries, mut length) = (Vec::new(), 0);
        for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let is_last = length + line.len() == bytes.len();
            match entry_of(line) {
                Some(entry) => entries.push(entry),
                None if is_last => break,
                None => {
                    let path = self.path.clone();
                    return Err(JournalError::Damaged { path, line: index + 1 });
                }
            }
            length += line.len();
        }
        Ok((entries, length))
    }

    fn io(&self, source: io::Error) -> JournalError {
        JournalError::Io { path: self.path.clone(), source }
    }
}

/// The entry of a whole line.
fn entry_of(line: &[u8]) -> Option<Value> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let rest = line.strip_prefix("{\"check\":\"")?;
    let (check, rest) = rest.split_at_checked(16)?;
    let text = rest.strip_prefix("\",\"entry\":")?.strip_suffix('}')?;
    let is_whole = u64::from_str_radix(check, 16).ok()? == checksum(text);
    if is_whole { serde_json::from_str(text).ok() } else { None }
}

/// FNV-1a: enough to notice a line that is not what was written.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The names of what differs between two descriptions of campaigns.
fn differences(before: &Value, now: &Value) -> Vec<String> {
    let (Some(before), Some(now)) = (before.as_object(), now.as_object()) else {
        return vec!["everything".to_owned()];
    };
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort();
    names.dedup();
    names.retain(|name| before.get(*name) != now.get(*name));
    names.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign() -> Value {
        json!({"file": "sha256:1", "seed": 7})
    }

    /// A journal of three entries, as bytes, in a folder of its own.
    fn written() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = CampaignJournal::create(&path, &campaign()).unwrap();
        for number in 0..3 {
            journal.write(&json!({"number": number, "result": "ok"})).unwrap();
        }
        journal.sync().unwrap();
        (folder, path)
    }

    #[test]
    fn what_was_written_is_read_and_more_can_be_written() {
        let (_folder, path) = written();
        let (mut journal, entries) = CampaignJournal::resume(&path, &campaign()).unwrap();
        assert_eq!(entries.len(), 3);
        journal.write(&json!({"number": 3})).unwrap();
        drop(journal);
        let (_, entries) = CampaignJournal::resume(&path, &campaign()).unwrap();
        assert_eq!(entries[3], json!({"number": 3}));
    }

    #[test]
    fn wherever_the_file_is_torn_the_whole_lines_before_are_kept() {
        let (_folder, path) = written();
        let bytes = std::fs::read(&path).unwrap();
        let header = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for length in header..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (mut journal, entries) = CampaignJournal::resume(&path, &campaign()).unwrap();
            let whole = bytes[..length].iter().filter(|&&byte| byte == b'\n').count() - 1;
            assert_eq!(entries.len(), whole, "torn at {length}");
            journal.write(&json!({"number": 9})).unwrap();
            drop(journal);
            let (_, entries) = CampaignJournal::resume(&path, &campaign()).unwrap();
            assert_eq!(entries.last().unwrap(), &json!({"number": 9}));
        }
    }

    #[test]
    fn a_changed_byte_in_the_middle_is_noticed() {
        let (_folder, path) = written();
        let bytes = std::fs::read(&path).unwrap();
        let header = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let mut damaged = bytes.clone();
        damaged[header + 40] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        let error = CampaignJournal::resume(&path, &campaign()).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{error}");
    }

    #[test]
    fn a_journal_of_another_campaign_is_refused_and_says_what_differs() {
        let (_folder, path) = written();
        let other = json!({"file": "sha256:2", "seed": 7});
        let error = CampaignJournal::resume(&path, &other).unwrap_err();
        let JournalError::OtherCampaign { differing, .. } = error else { panic!("{error}") };
        assert_eq!(differing, ["file"]);
    }

    #[test]
    fn a_journal_has_one_writer() {
        let (_folder, path) = written();
        let (_first, _) = CampaignJournal::resume(&path, &campaign()).unwrap();
        let second = CampaignJournal::resume(&path, &campaign()).unwrap_err();
        assert!(matches!(second, JournalError::InUse { .. }), "{second}");
    }
}
