//! The content of an entry, counted while it grows.

use super::check::METHOD_STORED;
use super::directory::{ArchiveEntry, unreadable};
use super::{Problem, write};
use crate::xml::shorten;
use flate2::{Crc, read::DeflateDecoder};
use std::io::{Read, Seek, SeekFrom, Write};

const BUFFER_BYTES: usize = 64 << 10;

/// Writes the unpacked content to `output`; never more than the entry declared.
pub(super) fn inflate(
    input: &mut (impl Read + Seek),
    entry: &ArchiveEntry,
    output: &mut impl Write,
) -> Result<(), Problem> {
    input.seek(SeekFrom::Start(entry.data.start)).map_err(|error| unreadable(&error))?;
    let packed = input.take(entry.packed());
    if entry.method == METHOD_STORED {
        copy(packed, entry, output)
    } else {
        copy(DeflateDecoder::new(packed), entry, output)
    }
}

fn copy(
    mut input: impl Read,
    entry: &ArchiveEntry,
    output: &mut impl Write,
) -> Result<(), Problem> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut crc = Crc::new();
    let mut length = 0u64;
    loop {
        let count = input.read(&mut buffer).map_err(|_| undecodable(entry))?;
        length += count as u64;
        if entry.size < length {
            return Err(wrong_size(entry, "more"));
        }
        if count == 0 {
            break;
        }
        crc.update(&buffer[..count]);
        output.write_all(&buffer[..count]).map_err(|error| write::unwritable(&error))?;
    }
    if length < entry.size {
        return Err(wrong_size(entry, "less"));
    }
    if crc.sum() != entry.crc {
        let what = format!("has an entry `{}` with a wrong checksum", shorten(&entry.name));
        return Err(Problem::damaged(what));
    }
    Ok(())
}

fn undecodable(entry: &ArchiveEntry) -> Problem {
    Problem::damaged(format!("has an entry `{}` that cannot be unpacked", shorten(&entry.name)))
}

fn wrong_size(entry: &ArchiveEntry, how: &str) -> Problem {
    let (name, size) = (shorten(&entry.name), entry.size);
    Problem::new(
        "archive::size",
        format!("has an entry `{name}` that unpacks to {how} than the {size} bytes it declares"),
        "the file is damaged or malicious: export it again",
    )
}
