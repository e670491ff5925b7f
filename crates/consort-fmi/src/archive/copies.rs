//! Entries that are in an archive twice, byte for byte: some tools add a file again when they pack.

use super::directory::ArchiveEntry;
use super::{Problem, inflate};
use crate::xml::shorten;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, Write};

/// The longest file that is compared with its copy: it is held in memory meanwhile.
const COMPARED_BYTES_MAX: u64 = 256 << 20;

/// Whether two entries of one path may be the same, according to the directory.
pub(super) fn look_same(first: &ArchiveEntry, second: &ArchiveEntry) -> bool {
    let is_file = !first.is_folder() && !second.is_folder();
    let same_data = (first.size, first.crc) == (second.size, second.crc);
    let same_file = is_file && same_data && first.size <= COMPARED_BYTES_MAX;
    first.is_folder() && second.is_folder() || same_file
}

/// Takes copies out of the list of a checked archive; their paths, in the archive's order.
///
/// A checksum is no proof: a file and its copy are compared as they would be unpacked.
pub(super) fn remove(
    input: &mut (impl Read + Seek),
    entries: &mut Vec<ArchiveEntry>,
) -> Result<Vec<String>, Problem> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut is_copy = vec![false; entries.len()];
    let mut copied = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Some(&original) = first.get(entry.name.as_str()) else {
            first.insert(&entry.name, index);
            continue;
        };
        is_copy[index] = true;
        if !entry.is_folder() {
            compare(input, &entries[original], entry)?;
            copied.push(entry.name.clone());
        }
    }
    let mut is_copy = is_copy.into_iter();
    entries.retain(|_| !is_copy.next().unwrap_or_default());
    Ok(copied)
}

fn compare(
    input: &mut (impl Read + Seek),
    a: &ArchiveEntry,
    b: &ArchiveEntry,
) -> Result<(), Problem> {
    let mut content = Vec::new();
    inflate::inflate(input, a, &mut content)?;
    let mut rest = Expected { rest: &content, differs: false };
    inflate::inflate(input, b, &mut rest)?;
    if rest.differs || !rest.rest.is_empty() { Err(two_entries(&a.name)) } else { Ok(()) }
}

/// Two entries of one path that are not the same.
pub(super) fn two_entries(path: &str) -> Problem {
    let what = format!("has two different entries `{}`", shorten(path));
    let help = "it is not clear which one is meant; pack the FMU again";
    Problem::new("archive::duplicate", what, help)
}

/// Takes bytes and compares them with those it expects.
struct Expected<'e> {
    rest: &'e [u8],
    differs: bool,
}

impl Write for Expected<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => self.rest = rest,
            None => self.differs = true,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
