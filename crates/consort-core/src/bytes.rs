//! States as bytes: exact, little-endian, and read back without trust.
//!
//! A [`Writer`] puts one part after the other; a [`Reader`] takes them in the same order. Whatever the
//! bytes are, reading never panics and never makes more room than there are bytes to fill it with.
//!
//! ```
//! use consort_core::bytes::{Reader, Writer};
//!
//! let mut writer = Writer::new(*b"example1");
//! writer.real(0.1 + 0.2);
//! writer.text("tank");
//! let bytes = writer.finish();
//! let mut reader = Reader::new(&bytes, *b"example1")?;
//! assert_eq!(reader.real()?, 0.1 + 0.2);
//! assert_eq!(reader.text()?, "tank");
//! reader.end()?;
//! # Ok::<(), consort_core::bytes::BytesError>(())
//! ```

mod sink;
mod values;

pub use sink::Sink;

use std::fmt::{self, Write as _};

/// Bytes as hexadecimal digits, two each.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes everything");
    }
    text
}

/// Why a saved state or a message cannot be read from its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BytesError {
    /// They begin with other magic bytes: another format or version wrote them.
    Foreign,
    /// They end too early or too late.
    Length {
        /// How many bytes are needed, as far as is known.
        expected: usize,
        /// The number of bytes found.
        found: usize,
    },
    /// A value is out of its range.
    Impossible {
        /// The name of the invalid value.
        what: &'static str,
    },
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BytesError::Foreign => f.write_str("invalid magic bytes"),
            BytesError::Length { expected, found } => {
                write!(f, "{expected} bytes were expected, there are {found}")
            }
            BytesError::Impossible { what } => write!(f, "invalid {what}"),
        }
    }
}

impl std::error::Error for BytesError {}

/// Writes parts one after the other, into memory that grows or into any other [`Sink`].
#[derive(Clone, Debug)]
pub struct Writer<S: Sink = Vec<u8>> {
    sink: S,
}

impl Writer {
    /// Begins with the magic bytes of a format.
    pub fn new(magic: [u8; 8]) -> Self {
        Self::reusing(Vec::new(), magic)
    }

    /// The same in the memory of bytes that were written before and are not needed any more.
    pub fn reusing(mut bytes: Vec<u8>, magic: [u8; 8]) -> Self {
        bytes.clear();
        bytes.extend_from_slice(&magic);
        Writer { sink: bytes }
    }

    /// Returns the bytes that were written.
    pub fn finish(self) -> Vec<u8> {
        self.sink
    }
}

impl<S: Sink> Writer<S> {
    /// Writes without magic bytes, for formats that have their own head or none.
    pub fn onto(sink: S) -> Self {
        Writer { sink }
    }

    /// The sink that was written into.
    pub fn sink(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Bytes whose number the reader knows.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.sink.put(bytes);
    }

    /// Writes one byte.
    pub fn byte(&mut self, value: u8) {
        self.raw(&[value]);
    }

    /// Writes a boolean.
    pub fn flag(&mut self, value: bool) {
        self.byte(u8::from(value));
    }

    /// A whole number without a sign.
    pub fn word(&mut self, value: u64) {
        self.raw(&value.to_le_bytes());
    }

    /// A whole number without a sign, of 32 bits.
    pub fn word32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }

    /// A whole number with a sign.
    pub fn whole(&mut self, value: i64) {
        self.raw(&value.to_le_bytes());
    }

    /// How many there are of something.
    pub fn count(&mut self, value: usize) {
        self.word(value as u64);
    }

    /// A real number, every bit of it.
    pub fn real(&mut self, value: f64) {
        self.word(value.to_bits());
    }

    /// Real numbers, as many as the reader knows of.
    pub fn reals(&mut self, values: &[f64]) {
        values::write_all(self, values);
    }

    /// Bytes of another format, preceded by their number.
    pub fn part(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    /// A text, and how long it is.
    pub fn text(&mut self, text: &str) {
        self.part(text.as_bytes());
    }

    /// What may be there: a flag, then the thing itself.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// Takes the parts that a [`Writer`] put, in the same order.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    all: usize,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begins to read bytes with those magic bytes.
    ///
    /// # Errors
    /// If they begin with others.
    pub fn new(bytes: &'a [u8], magic: [u8; 8]) -> Result<Self, BytesError> {
        let common = bytes.len().min(magic.len());
        if bytes[..common] != magic[..common] {
            return Err(BytesError::Foreign);
        }
        let mut reader = Reader::bare(bytes);
        reader.chunk::<8>()?;
        Ok(reader)
    }

    /// Begins to read bytes without magic bytes.
    pub fn bare(bytes: &'a [u8]) -> Self {
        Reader { all: bytes.len(), rest: bytes }
    }

    /// The bytes that were not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// So many bytes.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn raw(&mut self, count: usize) -> Result<&'a [u8], BytesError> {
        let (bytes, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| self.too_short(count))?;
        self.rest = rest;
        Ok(bytes)
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], BytesError> {
        let Some((chunk, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.too_short(N));
        };
        self.rest = rest;
        Ok(*chunk)
    }

    fn too_short(&self, wanted: usize) -> BytesError {
        let read = self.all - self.rest.len();
        BytesError::Length { expected: read.saturating_add(wanted), found: self.all }
    }

    /// One byte.
    ///
    /// # Errors
    /// If there is none.
    pub fn byte(&mut self) -> Result<u8, BytesError> {
        self.chunk::<1>().map(|[byte]| byte)
    }

    /// One of a few, by its place among all.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn choice<T: Copy>(&mut self, all: &[T], what: &'static str) -> Result<T, BytesError> {
        let place = usize::from(self.byte()?);
        all.get(place).copied().ok_or(BytesError::Impossible { what })
    }

    /// Yes or no.
    ///
    /// # Errors
    /// If it is neither.
    pub fn flag(&mut self) -> Result<bool, BytesError> {
        self.choice(&[false, true], "flag")
    }

    /// A whole number without a sign.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn word(&mut self) -> Result<u64, BytesError> {
        self.chunk().map(u64::from_le_bytes)
    }

    /// A whole number without a sign, of 32 bits.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn word32(&mut self) -> Result<u32, BytesError> {
        self.chunk().map(u32::from_le_bytes)
    }

    /// A whole number with a sign.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn whole(&mut self) -> Result<i64, BytesError> {
        self.chunk().map(i64::from_le_bytes)
    }

    /// A real number.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn real(&mut self) -> Result<f64, BytesError> {
        self.word().map(f64::from_bits)
    }

    /// Real numbers, as many as the reader knows of.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn reals(&mut self, count: usize) -> Result<Vec<f64>, BytesError> {
        let mut values = Vec::new();
        self.reals_into(count, &mut values)?;
        Ok(values)
    }

    /// As [`Reader::reals`], in memory that is used again and again.
    ///
    /// # Errors
    /// As there.
    pub fn reals_into(&mut self, count: usize, values: &mut Vec<f64>) -> Result<(), BytesError> {
        self.expect(count, 8)?;
        values.resize(count, 0.0);
        values.iter_mut().try_for_each(|value| {
            *value = self.real()?;
            Ok(())
        })
    }

    /// How many things follow, each of which takes at least so many bytes (1 or more): never more than
    /// there is room for, so that room can be made for all of them.
    ///
    /// # Errors
    /// If the bytes cannot hold so many.
    pub fn count(&mut self, bytes_each: usize) -> Result<usize, BytesError> {
        let count = usize::try_from(self.word()?).unwrap_or(usize::MAX);
        self.expect(count, bytes_each.max(1)).map(|()| count)
    }

    /// Checks that so many things can follow, each of which takes so many bytes, before room is made for
    /// them.
    ///
    /// # Errors
    /// If the bytes cannot hold so many.
    pub fn expect(&self, count: usize, bytes_each: usize) -> Result<(), BytesError> {
        let wanted = count.saturating_mul(bytes_each);
        if self.rest.len() < wanted { Err(self.too_short(wanted)) } else { Ok(()) }
    }

    /// Checks a count that the reader knows.
    ///
    /// # Errors
    /// If it is another count.
    pub fn known_count(&mut self, known: usize, what: &'static str) -> Result<(), BytesError> {
        let is_known = self.word()? == known as u64;
        is_known.then_some(()).ok_or(BytesError::Impossible { what })
    }

    /// Bytes of another format.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn part(&mut self) -> Result<&'a [u8], BytesError> {
        let count = self.count(1)?;
        self.raw(count)
    }

    /// A text.
    ///
    /// # Errors
    /// If it is none.
    pub fn text(&mut self) -> Result<&'a str, BytesError> {
        std::str::from_utf8(self.part()?).map_err(|_| BytesError::Impossible { what: "text" })
    }

    /// What may be there.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, BytesError>,
    ) -> Result<Option<T>, BytesError> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// If something is.
    pub fn end(&self) -> Result<(), BytesError> {
        let (left, found) = (self.rest.len(), self.all);
        if left == 0 { Ok(()) } else { Err(BytesError::Length { expected: found - left, found }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: [u8; 8] = *b"testing1";
    const PAIR: [u64; 2] = [0x3fe0_0000_0000_0000, 0x8000_0000_0000_0000];

    fn sample() -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.flag(true);
        writer.whole(-7);
        writer.real(f64::NAN);
        writer.reals(&[0.5, -0.0]);
        writer.text("größer");
        writer.option(Some(3), Writer::word);
        writer.option(None, Writer::word);
        writer.finish()
    }

    fn read(bytes: &[u8]) -> Result<(), BytesError> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        assert!(reader.flag()?);
        assert_eq!(reader.whole()?, -7);
        assert!(reader.real()?.is_nan());
        assert_eq!(reader.reals(2)?.iter().map(|it| it.to_bits()).collect::<Vec<_>>(), PAIR);
        assert_eq!(reader.text()?, "größer");
        assert_eq!(reader.option(Reader::word)?, Some(3));
        assert_eq!(reader.option(Reader::word)?, None);
        reader.end()
    }

    #[test]
    fn what_was_written_is_read_and_nothing_shorter_or_longer() {
        let bytes = sample();
        assert_eq!(read(&bytes), Ok(()));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end} bytes are not enough");
        }
        let longer = [&bytes[..], &[0]].concat();
        let expected = bytes.len();
        assert_eq!(read(&longer), Err(BytesError::Length { expected, found: expected + 1 }));
        assert_eq!(read(b"testing2 and more"), Err(BytesError::Foreign));
    }

    #[test]
    fn no_room_is_made_for_what_is_not_there() {
        for claimed in [100, u64::MAX / 8, u64::MAX] {
            let mut writer = Writer::new(MAGIC);
            writer.word(claimed);
            let bytes = writer.finish();
            let mut reader = Reader::new(&bytes, MAGIC).unwrap();
            assert!(matches!(reader.clone().part(), Err(BytesError::Length { .. })), "{claimed}");
            assert!(matches!(reader.count(8), Err(BytesError::Length { .. })), "{claimed}");
            let count = usize::try_from(claimed).unwrap();
            assert!(matches!(reader.reals(count), Err(BytesError::Length { .. })), "{claimed}");
        }
    }
}
