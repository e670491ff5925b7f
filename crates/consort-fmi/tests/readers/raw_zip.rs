//! A zip writer that writes whatever it is given, right or wrong.

use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;

/// An entry of which every number can be a lie.
#[derive(Clone)]
pub(crate) struct Raw {
    pub(crate) name: Vec<u8>,
    /// The name in the local header, if it is another.
    pub(crate) local_name: Option<Vec<u8>>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) size: u32,
    pub(crate) mode: u32,
    pub(crate) data: Vec<u8>,
    /// Take this offset in the directory instead of the true one.
    pub(crate) offset: Option<u32>,
    /// Take this packed size instead of the true one.
    pub(crate) packed: Option<u32>,
}

/// A stored entry, all of it true.
pub(crate) fn stored(name: &str, content: &[u8]) -> Raw {
    let mut crc = Crc::new();
    crc.update(content);
    Raw {
        name: name.as_bytes().to_vec(),
        local_name: None,
        flags: 0,
        method: 0,
        crc: crc.sum(),
        size: u32::try_from(content.len()).unwrap(),
        mode: 0,
        data: content.to_vec(),
        offset: None,
        packed: None,
    }
}

/// A deflated entry, all of it true.
pub(crate) fn deflated(name: &str, content: &[u8]) -> Raw {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    Raw { method: 8, data: encoder.finish().unwrap(), ..stored(name, content) }
}

/// The file that makes an archive an FMU, with nothing in it.
pub(crate) fn description() -> Raw {
    stored("modelDescription.xml", b"<fmiModelDescription/>")
}

/// The archive of these entries.
pub(crate) fn zip(entries: &[Raw]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = entry.offset.unwrap_or(u32::try_from(bytes.len()).unwrap());
        let name = entry.local_name.as_ref().unwrap_or(&entry.name);
        bytes.extend(b"PK\x03\x04\x14\0");
        header(&mut bytes, entry, name.len());
        bytes.extend(name);
        bytes.extend(&entry.data);
        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        header(&mut directory, entry, entry.name.len());
        directory.extend([0; 2 + 2 + 2]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(&entry.name);
    }
    let start = u32::try_from(bytes.len()).unwrap();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    let count = u16::try_from(entries.len()).unwrap();
    bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    bytes.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// What local header and directory have in common, from the flags to the extra length.
fn header(bytes: &mut Vec<u8>, entry: &Raw, name_length: usize) {
    let packed = entry.packed.unwrap_or(u32::try_from(entry.data.len()).unwrap());
    bytes.extend(entry.flags.to_le_bytes());
    bytes.extend(entry.method.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(entry.crc.to_le_bytes());
    bytes.extend(packed.to_le_bytes());
    bytes.extend(entry.size.to_le_bytes());
    bytes.extend(u16::try_from(name_length).unwrap().to_le_bytes());
    bytes.extend([0; 2]);
}
