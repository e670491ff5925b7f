//! Images as bytes, for another process that runs the same programs on the same machine.

use super::ImageState;
use super::error::ImageError;
use super::layout::{Backing, Layout, Mapping};
use super::pages::{PAGE_BYTES, Page, PageTable};
use consort_core::bytes::{BytesError, Reader, Writer};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::ops::Range;

const MAGIC: [u8; 8] = *b"image  1";
const MEMORY: u8 = 0;
const FILE: u8 = 1;
/// The most that the pages of one image may take.
const PAGES_MAX: u64 = 64 << 30;

/// What an image has besides its state.
pub(super) struct Saved {
    pub(super) pages: PageTable,
    pub(super) layout: Layout,
    /// Where the threads of the process slept, but for its first.
    pub(super) sleepers: Vec<String>,
}

/// The image as bytes.
pub(super) fn write(state: &ImageState, files: &mut Files) -> Result<Vec<u8>, ImageError> {
    let mut writer = Writer::new(MAGIC);
    writer.text(&machine());
    writer.count(state.outside.sleepers.len());
    state.outside.sleepers.iter().for_each(|sleeper| writer.text(sleeper));
    writer.option(state.layout.heap_end, Writer::word);
    writer.count(state.layout.mappings.len());
    for mapping in &state.layout.mappings {
        write_mapping(&mut writer, mapping, files)?;
    }
    let (numbers, content) = pages_of(&state.pages);
    writer.count(numbers.len());
    numbers.iter().for_each(|number| writer.word(*number));
    writer.part(&content);
    let mut bytes = writer.finish();
    let sum = fingerprint(&bytes);
    bytes.extend(sum.to_le_bytes());
    Ok(bytes)
}

/// Pages that are together in memory compress well.
fn pages_of(pages: &PageTable) -> (Vec<u64>, Vec<u8>) {
    let mut numbers = Vec::new();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    pages.each(&mut |number, page| {
        numbers.push(number);
        encoder.write_all(page.bytes()).expect("a vector takes every byte");
    });
    (numbers, encoder.finish().expect("a vector takes every byte"))
}

fn write_mapping(
    writer: &mut Writer,
    mapping: &Mapping,
    files: &mut Files,
) -> Result<(), ImageError> {
    writer.word(mapping.addresses.start);
    writer.word(mapping.addresses.end);
    writer.word(mapping.rights);
    match &mapping.backing {
        Backing::Anonymous => writer.byte(MEMORY),
        Backing::File { path, offset } => {
            writer.byte(FILE);
            writer.text(path);
            writer.word(*offset);
            writer.word(files.fingerprint(path)?);
        }
    }
    Ok(())
}

/// Reads what was written for a process with that layout. Every file must be what it was.
pub(super) fn read(bytes: &[u8], now: &Layout, files: &mut Files) -> Result<Saved, ImageError> {
    let mut reader = Reader::new(undamaged(bytes)?, MAGIC)?;
    check_machine(reader.text()?, &machine())?;
    let mut sleepers = Vec::new();
    for _ in 0..reader.count(8)? {
        sleepers.push(reader.text()?.to_owned());
    }
    let heap_end = reader.option(Reader::word)?;
    let mut layout = Layout { heap_end, ..Layout::default() };
    for _ in 0..reader.count(25)? {
        let mapping = read_mapping(&mut reader, now, files)?;
        check_place(&mapping.addresses, &layout, now)?;
        layout.mappings.push(mapping);
    }
    let pages = read_pages(&mut reader, &layout)?;
    reader.end()?;
    Ok(Saved { pages, layout, sleepers })
}

/// The bytes without the sum over them, which they end in.
fn undamaged(bytes: &[u8]) -> Result<&[u8], ImageError> {
    Reader::new(bytes, MAGIC)?;
    match bytes.split_last_chunk() {
        Some((rest, sum)) if fingerprint(rest) == u64::from_le_bytes(*sum) => Ok(rest),
        _ => Err(ImageError::Bytes("invalid image: the checksum differs".to_owned())),
    }
}

fn check_machine(then: &str, now: &str) -> Result<(), ImageError> {
    if then == now {
        return Ok(());
    }
    Err(ImageError::Bytes(format!("the image is of another machine: `{then}`, not `{now}`")))
}

fn read_mapping(
    reader: &mut Reader<'_>,
    now: &Layout,
    files: &mut Files,
) -> Result<Mapping, ImageError> {
    let addresses = reader.word()?..reader.word()?;
    let rights = reader.word()?;
    let backing = match reader.byte()? {
        MEMORY => Backing::Anonymous,
        FILE => {
            let (path, offset, known) = (reader.text()?, reader.word()?, reader.word()?);
            let path = files.same_file(path, known, now, addresses.start, offset)?;
            Backing::File { path, offset }
        }
        _ => return Err(BytesError::Impossible { what: "mapping" }.into()),
    };
    Ok(Mapping { addresses, rights, backing })
}

/// Mappings are whole pages, one after the other, and where nothing else is: not on the stack, nor on memory
/// that is shared with us.
fn check_place(place: &Range<u64>, before: &Layout, now: &Layout) -> Result<(), ImageError> {
    let is_whole = [place.start, place.end].iter().all(|edge| edge % PAGE_BYTES as u64 == 0);
    let first = before.mappings.last().map_or(PAGE_BYTES as u64, |last| last.addresses.end);
    let is_free = |other: &Range<u64>| other.end <= place.start || place.end <= other.start;
    if is_whole && first <= place.start && place.start < place.end && now.others.iter().all(is_free)
    {
        return Ok(());
    }
    Err(BytesError::Impossible { what: "place in memory" }.into())
}

fn read_pages(reader: &mut Reader<'_>, layout: &Layout) -> Result<PageTable, ImageError> {
    let mut numbers = Vec::new();
    for _ in 0..reader.count(8)? {
        numbers.push(reader.word()?);
    }
    let mut content = ZlibDecoder::new(reader.part()?).take(PAGES_MAX);
    let mut pages = PageTable::default();
    for number in numbers {
        let mut bytes = [0; PAGE_BYTES];
        let address = number.checked_mul(PAGE_BYTES as u64);
        let is_mapped = address.is_some_and(|address| layout.at(address).is_some());
        if content.read_exact(&mut bytes).is_err() || !is_mapped {
            return Err(BytesError::Impossible { what: "page" }.into());
        }
        pages.put(number, Some(Page::new(&bytes)));
    }
    Ok(pages)
}

impl From<BytesError> for ImageError {
    fn from(error: BytesError) -> Self {
        ImageError::Bytes(format!("invalid image: {error}"))
    }
}

/// What an image depends on besides files: programs choose code by the processor, and the kernel puts some
/// into every process.
fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let release = read("/proc/sys/kernel/osrelease");
    let processor = read("/proc/cpuinfo");
    let field = |name| {
        let line = processor.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(": ")).map_or("", |(_, value)| value)
    };
    let features = fingerprint(field("flags").as_bytes());
    format!("Linux {}, {}, features {features:016x}", release.trim(), field("model name"))
}

/// Knows what is in mapped files.
#[derive(Default)]
pub(super) struct Files {
    known: BTreeMap<String, u64>,
}

impl Files {
    /// Distinguishes the contents of files.
    fn fingerprint(&mut self, path: &str) -> Result<u64, ImageError> {
        if let Some(known) = self.known.get(path) {
            return Ok(*known);
        }
        let content = std::fs::read(path).map_err(|_| ImageError::File(path.to_owned()))?;
        let found = fingerprint(&content);
        self.known.insert(path.to_owned(), found);
        Ok(found)
    }

    /// Where the file is now that was at `path` then: what is mapped at that address, or still there.
    fn same_file(
        &mut self,
        path: &str,
        known: u64,
        now: &Layout,
        address: u64,
        offset: u64,
    ) -> Result<String, ImageError> {
        if let Some(mapping) = now.at(address)
            && let Backing::File { path, offset: start } = &mapping.backing
            && *start + (address - mapping.addresses.start) == offset
            && self.fingerprint(path)? == known
        {
            return Ok(path.clone());
        }
        match self.fingerprint(path) {
            Ok(found) if found == known => Ok(path.to_owned()),
            _ => Err(ImageError::Bytes(format!(
                "the image is of another `{path}` than the one here"
            ))),
        }
    }
}

/// A hash that is fast on large files: four lanes of words. It distinguishes builds and is no protection against attacks.
fn fingerprint(bytes: &[u8]) -> u64 {
    let mix =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let mut lanes = [1, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    let rest = rest.iter().map(|byte| u64::from(*byte)).chain([bytes.len() as u64]);
    rest.chain(lanes).fold(5, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a mapping may be there, after one at 0x5000 and beside a stack at 0x9000.
    fn check(place: Range<u64>, expected: bool) {
        let before = Layout::parse("5000-6000 rw-p 0 0:0 0 \n").unwrap();
        let now = Layout::parse("9000-a000 rw-p 0 0:0 0 [stack]\n").unwrap();
        assert_eq!(check_place(&place, &before, &now).is_ok(), expected, "{place:x?}");
    }

    #[test]
    fn mappings_lie_where_nothing_else_is() {
        check(0x6000..0x9000, true);
        check(0xa000..0xb000, true);
        check(0x5000..0x7000, false);
        check(0x4000..0x5000, false);
        check(0x7000..0xa000, false);
        check(0x9000..0x9000, false);
        check(Range { start: 0x8000, end: 0x7000 }, false);
        check(0x6001..0x7000, false);
    }

    #[test]
    fn another_machine_is_named() {
        let error = check_machine("Linux 6.7", "Linux 6.8").unwrap_err().to_string();
        assert_eq!(error, "the image is of another machine: `Linux 6.7`, not `Linux 6.8`");
        check_machine(&machine(), &machine()).unwrap();
        assert!(machine().starts_with("Linux "), "{}", machine());
    }

    #[test]
    fn a_file_that_was_built_anew_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.so").to_str().unwrap().to_owned();
        let nothing = Layout::default();
        std::fs::write(&path, "first").unwrap();
        let known = Files::default().fingerprint(&path).unwrap();
        assert_eq!(Files::default().same_file(&path, known, &nothing, 0, 0).unwrap(), path);
        std::fs::write(&path, "second").unwrap();
        let error = Files::default().same_file(&path, known, &nothing, 0, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the image is of another `{path}` than the one here")
        );
    }

    #[test]
    fn every_bit_changes_the_fingerprint() {
        let bytes: Vec<u8> = (0..100).collect();
        for bit in 0..8 * bytes.len() {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(fingerprint(&other), fingerprint(&bytes), "bit {bit}");
        }
        assert_ne!(fingerprint(&[0; 32]), fingerprint(&[0; 33]));
    }
}
