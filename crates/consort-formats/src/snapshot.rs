//! Snapshot files: a run as it was at a tag, with everything that must be the same where it is resumed.
//!
//! ```text
//! "CSTSNAP" and the form of what follows        8 bytes
//! about the run: versions, machine, hashes, ... as `consort_core::bytes` writes it
//! the state, as the engine writes it            its length, then its bytes
//! SHA-256 of all that                           32 bytes
//! ```
//!
//! The digest detects accidents (a copy that was cut short, a bit that flipped), not forgery: a forged
//! file with a right digest can make a run do anything a model may do, but not make it panic.

mod origin;

use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{Diagnostic, Report, Tag, Time};
use sha2::{Digest, Sha256};

pub use origin::{InputDigest, SnapshotOrigin};

/// How a file begins, but for its form.
const MAGIC: &[u8; 7] = b"CSTSNAP";
/// Which form this is; to be counted up when it changes.
const FORM: u8 = 1;
const DIGEST_BYTES: usize = 32;

/// A run that was saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotFile {
    /// What must be the same where it is resumed.
    pub origin: SnapshotOrigin,
    /// The name of the system.
    pub name: String,
    /// Where the system was, as it was typed.
    pub path: String,
    /// The folder in which that was typed.
    pub folder: String,
    /// The options of the run, as JSON.
    pub options: String,
    /// The tag of the run.
    pub tag: Tag,
    /// Where it was saved before, and here: in order.
    pub save_points: Vec<Tag>,
    /// The state, as the engine wrote it.
    pub state: Vec<u8>,
}

/// The bytes of a snapshot file.
pub fn write_snapshot(file: &SnapshotFile) -> Vec<u8> {
    let mut writer = Writer::new(magic());
    file.origin.write(&mut writer);
    for text in [&file.name, &file.path, &file.folder, &file.options] {
        writer.text(text);
    }
    write_tag(&mut writer, file.tag);
    writer.count(file.save_points.len());
    file.save_points.iter().for_each(|tag| write_tag(&mut writer, *tag));
    writer.part(&file.state);
    sealed(writer.finish())
}

/// Reads a snapshot file; `source` is its name, for messages.
pub fn read_snapshot(source: &str, bytes: &[u8], report: &mut Report) -> Option<SnapshotFile> {
    match read(bytes) {
        Ok(file) => Some(file),
        Err(mistake) => {
            report.push(mistake.diagnostic(source));
            None
        }
    }
}

/// Adds the digest of bytes to them.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

fn magic() -> [u8; 8] {
    let mut magic = [FORM; 8];
    magic[..MAGIC.len()].copy_from_slice(MAGIC);
    magic
}

/// Why a file is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    Foreign,
    Form(u8),
    Short { expected: usize, found: usize },
    Damaged,
    Broken(BytesError),
}

fn read(bytes: &[u8]) -> Result<SnapshotFile, Mistake> {
    let begins = bytes.len().min(MAGIC.len());
    if bytes.is_empty() || bytes[..begins] != MAGIC[..begins] {
        return Err(Mistake::Foreign);
    }
    if let Some(form) = bytes.get(MAGIC.len()).filter(|form| **form != FORM) {
        return Err(Mistake::Form(*form));
    }
    let length = bytes.len().saturating_sub(DIGEST_BYTES);
    let (content, digest) = bytes.split_at(length);
    if Sha256::digest(content)[..] != *digest {
        return Err(why_damaged(content, bytes));
    }
    parse(content).map_err(Mistake::Broken)
}

/// A file that was cut short has no digest at its end: that is the better reason.
fn why_damaged(content: &[u8], bytes: &[u8]) -> Mistake {
    let short = |expected: usize| {
        let expected = expected.saturating_add(DIGEST_BYTES);
        Mistake::Short { expected, found: bytes.len() }
    };
    if parse(content).is_ok() {
        return Mistake::Damaged;
    }
    match parse(bytes) {
        Ok(_) => short(bytes.len()),
        Err(BytesError::Length { expected, .. }) if content.len() < expected => short(expected),
        Err(_) => Mistake::Damaged,
    }
}

fn parse(content: &[u8]) -> Result<SnapshotFile, BytesError> {
    let mut reader = Reader::new(content, magic())?;
    let origin = SnapshotOrigin::read(&mut reader)?;
    let mut text = || reader.text().map(str::to_owned);
    let [name, path, folder, options] = [text()?, text()?, text()?, text()?];
    let tag = read_tag(&mut reader)?;
    let count = reader.count(16)?;
    let save_points = (0..count).map(|_| read_tag(&mut reader));
    let save_points = save_points.collect::<Result<Vec<Tag>, BytesError>>()?;
    let state = reader.part()?.to_vec();
    reader.end()?;
    Ok(SnapshotFile { origin, name, path, folder, options, tag, save_points, state })
}

fn write_tag(writer: &mut Writer, tag: Tag) {
    writer.whole(tag.time.ticks());
    writer.word(tag.microstep.into());
}

fn read_tag(reader: &mut Reader<'_>) -> Result<Tag, BytesError> {
    let time = Time::from_ticks(reader.whole()?);
    let microstep = u32::try_from(reader.word()?);
    let microstep = microstep.map_err(|_| BytesError::Impossible { what: "microstep" })?;
    Ok(Tag { time, microstep })
}

impl Mistake {
    fn diagnostic(self, source: &str) -> Diagnostic {
        const AGAIN: &str = "copy the file again, or save the run again with `--save`";
        match self {
            Mistake::Foreign => {
                let message = format!("`{source}` is not a snapshot of a run");
                Diagnostic::error("snapshot::foreign", message)
                    .help("name a file that `consort run --save FILE` wrote")
            }
            Mistake::Form(form) => {
                let message = format!("`{source}` is a snapshot of form {form}, not {FORM}");
                Diagnostic::error("snapshot::form", message)
                    .help("resume it with the version of Consort that saved it")
            }
            Mistake::Short { expected, found } => {
                let message = format!("`{source}` ends too early");
                Diagnostic::error("snapshot::cut-short", message)
                    .with_note(format!(
                        "it has {found} bytes, and says that it has {expected} or more"
                    ))
                    .help(AGAIN)
            }
            Mistake::Damaged => {
                let message = format!("`{source}` is not as it was written");
                Diagnostic::error("snapshot::damaged", message)
                    .with_note("its digest is not that of its content")
                    .help(AGAIN)
            }
            Mistake::Broken(error) => {
                let message = format!("`{source}` does not have the content of a snapshot");
                Diagnostic::error("snapshot::broken", message)
                    .with_note(error.to_string())
                    .help("it was not written by Consort; do not trust it")
            }
        }
    }
}
