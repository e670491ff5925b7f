//! Putting things into bytes.

use consort_core::Reference;

/// Fills a place with bytes, one thing after another. What does not fit is noted, not written.
pub(crate) struct Writer<'a> {
    place: &'a mut [u8],
    used: usize,
    is_full: bool,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(place: &'a mut [u8]) -> Self {
        Writer { place, used: 0, is_full: false }
    }

    /// How much was written; `None` if not everything fit.
    pub(crate) fn finish(self) -> Option<usize> {
        (!self.is_full).then_some(self.used)
    }

    /// Whether something had no room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Forgets what was written.
    pub(crate) fn rewind(&mut self) {
        (self.used, self.is_full) = (0, false);
    }

    /// Bytes without their number.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        match self.place.get_mut(self.used..).and_then(|rest| rest.get_mut(..bytes.len())) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.used += bytes.len();
            }
            None => self.is_full = true,
        }
    }

    pub(crate) fn byte(&mut self, value: u8) {
        self.raw(&[value]);
    }

    pub(crate) fn flag(&mut self, value: bool) {
        self.byte(u8::from(value));
    }

    pub(crate) fn word(&mut self, value: u32) {
        self.raw(&value.to_ne_bytes());
    }

    pub(crate) fn long(&mut self, value: u64) {
        self.raw(&value.to_ne_bytes());
    }

    pub(crate) fn number(&mut self, value: f64) {
        self.raw(&value.to_ne_bytes());
    }

    pub(crate) fn ticks(&mut self, value: i64) {
        self.raw(&value.to_ne_bytes());
    }

    pub(crate) fn count(&mut self, value: usize) {
        self.long(value as u64);
    }

    /// Bytes with their number.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Whether there is something, and what.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// Numbers without their count.
    pub(crate) fn numbers(&mut self, values: &[f64]) {
        for value in values {
            self.number(*value);
        }
    }

    /// References with their count.
    pub(crate) fn references(&mut self, references: &[Reference]) {
        self.count(references.len());
        for reference in references {
            self.word(reference.0);
        }
    }
}
