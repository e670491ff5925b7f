//! The directory at the end of a zip archive, and the header before each entry.
//!
//! Numbers as in the zip application note (APPNOTE 6.3): sections 4.3.7 (local header), 4.3.12
//! (central directory), 4.3.14 to 4.3.16 (end of central directory) and 4.5.3 (zip64).

use super::{ArchiveLimits, Problem, name};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

/// A file or folder in an archive.
pub(super) struct ArchiveEntry {
    /// With `/` between folders and no `.` among them; a folder ends with `/`.
    pub(super) name: String,
    /// The name was in some code page of old and had to be guessed.
    pub(super) name_guessed: bool,
    /// There were backslashes between folders.
    pub(super) had_backslash: bool,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    /// Unpacked size as declared.
    pub(super) size: u64,
    /// Unix mode, or 0.
    pub(super) mode: u32,
    /// Its local header and data in the archive.
    pub(super) extent: Range<u64>,
    /// Its data in the archive.
    pub(super) data: Range<u64>,
}

impl ArchiveEntry {
    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }

    pub(super) fn packed(&self) -> u64 {
        self.data.end - self.data.start
    }
}

/// Most bytes of the directory itself.
const DIRECTORY_BYTES_MAX: u64 = 64 << 20;
const END_BYTES: usize = 22;
const END_64_BYTES: usize = 56;
const LOCATOR_64_BYTES: u64 = 20;
const CENTRAL_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;
const COMMENT_BYTES_MAX: u64 = 0xFFFF;
const ZIP64_FIELD: u16 = 1;

/// Reads the directory and each entry's local header.
pub(super) fn read(
    input: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
) -> Result<Vec<ArchiveEntry>, Problem> {
    let end = find_end(input)?;
    if (limits.entries_max as u64) < end.count {
        return Err(Problem::new(
            "archive::too-many-entries",
            format!("has {} entries; at most {} are unpacked", end.count, limits.entries_max),
            "pack the resources into fewer files",
        ));
    }
    let length = end.directory.end - end.directory.start;
    if DIRECTORY_BYTES_MAX < length {
        return Err(Problem::damaged(format!("has a directory of {length} bytes")));
    }
    let bytes = read_at(input, end.directory.start, length as usize)?;
    let mut entries = Vec::new();
    let mut rest = bytes.as_slice();
    for _ in 0..end.count {
        let (entry, header) = central(&mut rest)?;
        let is_top = name::is_top(&header.raw_name);
        let entry = local(input, entry, &header, end.directory.start)?;
        entries.extend((!is_top).then_some(entry));
    }
    Ok(entries)
}

/// Where the directory is and how many entries it has.
struct End {
    directory: Range<u64>,
    count: u64,
}

fn find_end(input: &mut (impl Read + Seek)) -> Result<End, Problem> {
    let length = input.seek(SeekFrom::End(0)).map_err(|error| unreadable(&error))?;
    let tail_length = length.min(END_BYTES as u64 + COMMENT_BYTES_MAX);
    let tail = read_at(input, length - tail_length, tail_length as usize)?;
    let places = || (0..=tail.len().saturating_sub(END_BYTES)).rev();
    let exact = places().find(|&at| rest_after_end(&tail[at..]) == Some(0));
    // Some downloads end in bytes that belong to nothing.
    let at = exact.or_else(|| places().find(|&at| rest_after_end(&tail[at..]).is_some()));
    let Some(at) = at else {
        let starts_as_zip = read_at(input, 0, 4.min(length) as usize)?.starts_with(b"PK\x03\x04");
        return Err(if starts_as_zip {
            Problem::damaged("ends before its directory")
        } else {
            Problem::new(
                "archive::not-zip",
                "is not a zip archive",
                "an FMU is a zip file with `modelDescription.xml` in it; is this the right file?",
            )
        });
    };
    let position = length - tail_length + at as u64;
    let end = &tail[at..];
    let (count, size, start) = (u16_at(end, 10), u32_at(end, 12), u32_at(end, 16));
    if u16_at(end, 4) == 0xFFFF || count == 0xFFFF || size == u32::MAX || start == u32::MAX {
        return find_end_64(input, position);
    }
    if u16_at(end, 4) != 0 || u16_at(end, 6) != 0 {
        return Err(split());
    }
    bounded(u64::from(start), u64::from(size), u64::from(count), position)
}

/// How many bytes follow the end of central directory, with its comment, that starts here; `None` if
/// none does.
fn rest_after_end(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"PK\x05\x06") || bytes.len() < END_BYTES {
        return None;
    }
    (bytes.len() - END_BYTES).checked_sub(usize::from(u16_at(bytes, 20)))
}

fn find_end_64(input: &mut (impl Read + Seek), end: u64) -> Result<End, Problem> {
    let missing = || Problem::damaged("has no zip64 directory although it needs one");
    let locator_at = end.checked_sub(LOCATOR_64_BYTES).ok_or_else(missing)?;
    let locator = read_at(input, locator_at, LOCATOR_64_BYTES as usize)?;
    let position = u64_at(&locator, 8);
    if !locator.starts_with(b"PK\x06\x07") || locator_at <= position {
        return Err(missing());
    }
    let end = read_at(input, position, END_64_BYTES)?;
    if !end.starts_with(b"PK\x06\x06") {
        return Err(missing());
    }
    if u32_at(&end, 16) != 0 || u32_at(&end, 20) != 0 {
        return Err(split());
    }
    bounded(u64_at(&end, 48), u64_at(&end, 40), u64_at(&end, 32), position)
}

fn bounded(start: u64, size: u64, count: u64, before: u64) -> Result<End, Problem> {
    match start.checked_add(size).filter(|end| *end <= before) {
        Some(end) => Ok(End { directory: start..end, count }),
        None => Err(Problem::damaged("has a directory that lies outside of it")),
    }
}

/// Where an entry's local header is, and what it must agree with.
struct EntryHeader {
    offset: u64,
    packed: u64,
    raw_name: Vec<u8>,
}

/// One record of the directory, without its place in the archive.
fn central(rest: &mut &[u8]) -> Result<(ArchiveEntry, EntryHeader), Problem> {
    let short = || Problem::damaged("has a directory with fewer entries than it declares");
    let fixed = rest.get(..CENTRAL_BYTES).ok_or_else(short)?;
    if !fixed.starts_with(b"PK\x01\x02") {
        return Err(short());
    }
    let [name_length, extra_length, comment_length] =
        [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
    let variable = CENTRAL_BYTES + name_length + extra_length + comment_length;
    let record = rest.get(..variable).ok_or_else(short)?;
    *rest = &rest[variable..];
    let raw_name = record[CENTRAL_BYTES..CENTRAL_BYTES + name_length].to_vec();
    let extra = &record[CENTRAL_BYTES + name_length..][..extra_length];
    let flags = u16_at(record, 8);
    let (text, name_guessed) = name::decode(&raw_name, flags)?;
    let wide = wide_sizes(record, extra)?;
    let entry = ArchiveEntry {
        name: name::plain(&text),
        name_guessed,
        had_backslash: text.contains('\\'),
        flags,
        method: u16_at(record, 10),
        crc: u32_at(record, 16),
        size: wide.size,
        mode: u32_at(record, 38) >> 16,
        extent: 0..0,
        data: 0..0,
    };
    Ok((entry, EntryHeader { offset: wide.offset, packed: wide.packed, raw_name }))
}

struct WideSizes {
    size: u64,
    packed: u64,
    offset: u64,
}

/// Sizes and offset, from the zip64 field where the short ones are full.
fn wide_sizes(record: &[u8], mut extra: &[u8]) -> Result<WideSizes, Problem> {
    let mut wide: &[u8] = &[];
    while 4 <= extra.len() {
        let (id, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let Some(field) = extra.get(4..4 + length) else { break };
        if id == ZIP64_FIELD {
            wide = field;
        }
        extra = &extra[4 + length..];
    }
    let mut number = |at: usize| {
        let short = u32_at(record, at);
        if short != u32::MAX {
            return Ok(u64::from(short));
        }
        let missing = || Problem::damaged("has an entry without its zip64 sizes");
        let value = u64_at(wide.get(..8).ok_or_else(missing)?, 0);
        wide = &wide[8..];
        Ok(value)
    };
    Ok(WideSizes { size: number(24)?, packed: number(20)?, offset: number(42)? })
}

/// Finds the entry's data behind its local header, which must agree with the directory.
fn local(
    input: &mut (impl Read + Seek),
    entry: ArchiveEntry,
    header: &EntryHeader,
    directory: u64,
) -> Result<ArchiveEntry, Problem> {
    let outside = || Problem::damaged(format!("has its entry `{}` outside of it", entry.name));
    if directory <= header.offset {
        return Err(outside());
    }
    let fixed = read_at(input, header.offset, LOCAL_BYTES)?;
    let (name_length, extra_length) = (u16_at(&fixed, 26), u16_at(&fixed, 28));
    let raw_name = read_at(input, header.offset + LOCAL_BYTES as u64, usize::from(name_length))?;
    let agrees = fixed.starts_with(b"PK\x03\x04")
        && raw_name == header.raw_name
        && u16_at(&fixed, 8) == entry.method;
    if !agrees {
        let what = format!("has contradictory headers for its entry `{}`", entry.name);
        let help = "directory and local header disagree: the file is damaged or malicious";
        return Err(Problem::new("archive::inconsistent", what, help));
    }
    let start =
        header.offset + LOCAL_BYTES as u64 + u64::from(name_length) + u64::from(extra_length);
    let end = start.checked_add(header.packed).filter(|end| *end <= directory);
    let end = end.ok_or_else(outside)?;
    Ok(ArchiveEntry { extent: header.offset..end, data: start..end, ..entry })
}

fn split() -> Problem {
    Problem::new(
        "archive::split",
        "is one part of a split archive",
        "join the parts into one file first",
    )
}

pub(super) fn unreadable(error: &std::io::Error) -> Problem {
    Problem::new(
        "archive::unreadable",
        format!("cannot be read: {error}"),
        "check that the file exists and may be read",
    )
}

fn read_at(
    input: &mut (impl Read + Seek),
    position: u64,
    length: usize,
) -> Result<Vec<u8>, Problem> {
    let mut bytes = vec![0; length];
    input.seek(SeekFrom::Start(position)).and_then(|_| input.read_exact(&mut bytes)).map_err(
        |error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Problem::damaged("ends before its directory does"),
            _ => unreadable(&error),
        },
    )?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
