//! A look at a library before the system's loader maps it.
//!
//! The loader believes what the file says of its own length: one that was cut short ends the whole
//! process with a bus error. Everything else that is wrong with a file it says itself.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// What a file cut short is called; `None` for whole files, and for those that are no 64-bit ELF.
pub(super) fn cut_short(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let needed = needed_bytes(&mut file).ok()??;
    (length < needed)
        .then(|| format!("{}: file cut short: {length} bytes of at least {needed}", path.display()))
}

/// How far into the file its segments reach.
fn needed_bytes(file: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    const MAGIC_64_LITTLE: &[u8] = b"\x7fELF\x02\x01";
    const LOADED: u64 = 1;
    let mut header = [0; 64];
    file.read_exact(&mut header)?;
    if !header.starts_with(MAGIC_64_LITTLE) {
        return Ok(None);
    }
    let (place, size) = (number(&header[32..40]), number(&header[54..56]));
    file.seek(SeekFrom::Start(place))?;
    let mut needed = 0;
    for _ in 0..number(&header[56..58]) {
        let mut segment = vec![0; usize::try_from(size.max(56)).unwrap_or(56)];
        if file.read_exact(&mut segment).is_err() {
            return Ok(Some(place.saturating_add(size)));
        }
        if number(&segment[0..4]) == LOADED {
            let end = number(&segment[8..16]).saturating_add(number(&segment[32..40]));
            needed = needed.max(end);
        }
    }
    Ok(Some(needed))
}

/// Little-endian bytes as a number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A header and one segment that reaches from 0 to `end`.
    fn elf(end: u64) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (bytes[32], bytes[54], bytes[56], bytes[64]) = (64, 56, 1, 1);
        bytes[64 + 32..64 + 40].copy_from_slice(&end.to_le_bytes());
        bytes
    }

    #[test]
    fn segments_say_how_long_a_file_must_be() {
        let needed = |bytes: &[u8]| needed_bytes(&mut Cursor::new(bytes)).ok();
        assert_eq!(needed(&elf(5000)), Some(Some(5000)));
        assert_eq!(needed(&elf(u64::MAX)), Some(Some(u64::MAX)));
        assert_eq!(needed(&elf(5000)[..100]), Some(Some(64 + 56)));
        assert_eq!(needed(&[b'x'; 100]), Some(None), "no ELF file");
        assert_eq!(needed(b"short"), None);
    }
}
