//! A look at a library before the system's loader maps it.
//!
//! The loader trusts the length that the file declares: one that was cut short ends the whole
//! process with a bus error. For one of another machine it reports that there is no such file. Everything
//! else that is wrong with a file it reports itself.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Why a file is not handed to the loader; `None` for those that are no 64-bit ELF, too.
pub(super) fn refused(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let machine = machine(&mut file).ok()??;
    if machine != OWN_MACHINE {
        let (theirs, ours) = (machine_name(machine), machine_name(OWN_MACHINE));
        return Some(format!("it is made for {theirs}, and this machine is {ours}"));
    }
    file.rewind().ok()?;
    let needed = needed_bytes(&mut file).ok()??;
    (length < needed).then(|| format!("file cut short: {length} bytes of at least {needed}"))
}

const X86_64: u64 = 62;
const AARCH64: u64 = 183;
const OWN_MACHINE: u64 = if cfg!(target_arch = "aarch64") { AARCH64 } else { X86_64 };

fn machine_name(machine: u64) -> String {
    match machine {
        40 => "32-bit ARM".to_owned(),
        X86_64 => "x86-64".to_owned(),
        AARCH64 => "64-bit ARM".to_owned(),
        243 => "RISC-V".to_owned(),
        other => format!("machine {other} of the ELF standard"),
    }
}

/// The machine that a 64-bit ELF file is for.
fn machine(file: &mut impl Read) -> io::Result<Option<u64>> {
    let mut header = [0; 64];
    file.read_exact(&mut header)?;
    Ok(header.starts_with(MAGIC_64_LITTLE).then(|| number(&header[18..20])))
}

const MAGIC_64_LITTLE: &[u8] = b"\x7fELF\x02\x01";

/// How far into the file its segments reach.
fn needed_bytes(file: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
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

    #[test]
    fn a_file_says_which_machine_it_is_for() {
        let mut bytes = elf(0);
        bytes[18] = 183;
        assert_eq!(machine(&mut Cursor::new(&bytes)).unwrap(), Some(AARCH64));
        assert_eq!(machine(&mut Cursor::new([b'x'; 100])).unwrap(), None, "no ELF file");
        assert!(machine(&mut Cursor::new(b"short")).is_err());
    }
}
