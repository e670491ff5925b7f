//! Taking things out of bytes that are not to be believed.

use consort_core::Reference;

/// Takes one thing after another from bytes; `None` where they end too soon or make no sense.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// What was not taken yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn raw(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.raw(N)?.try_into().ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn word(&mut self) -> Option<u32> {
        self.array().map(u32::from_ne_bytes)
    }

    pub(crate) fn long(&mut self) -> Option<u64> {
        self.array().map(u64::from_ne_bytes)
    }

    pub(crate) fn number(&mut self) -> Option<f64> {
        self.array().map(f64::from_ne_bytes)
    }

    pub(crate) fn ticks(&mut self) -> Option<i64> {
        self.array().map(i64::from_ne_bytes)
    }

    /// A count of things of which each takes a byte at least.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.long()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.count()?;
        self.raw(count)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.flag()? {
            true => read(self).map(Some),
            false => Some(None),
        }
    }

    /// As many numbers as there is place for.
    pub(crate) fn numbers_into(&mut self, place: &mut [f64]) -> Option<()> {
        let bytes = self.raw(size_of_val(place))?;
        for (value, bytes) in place.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *value = f64::from_ne_bytes(*bytes);
        }
        Some(())
    }

    /// So many numbers, into a buffer that is used again and again.
    pub(crate) fn numbers(&mut self, count: usize, into: &mut Vec<f64>) -> Option<()> {
        let bytes = self.raw(count.checked_mul(size_of::<f64>())?)?;
        into.clear();
        into.extend(bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)));
        Some(())
    }

    pub(crate) fn references(&mut self, into: &mut Vec<Reference>) -> Option<()> {
        let count = self.count()?;
        let bytes = self.raw(count.checked_mul(size_of::<u32>())?)?;
        into.clear();
        let words = bytes.as_chunks::<4>().0.iter();
        into.extend(words.map(|bytes| Reference(u32::from_ne_bytes(*bytes))));
        Some(())
    }
}
