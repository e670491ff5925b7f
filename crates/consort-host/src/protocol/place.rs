//! Writing into memory of a fixed size.

use consort_core::bytes::{self, Sink};

/// Writes a command, a reply or a line of the log.
pub(crate) type Writer<'a> = bytes::Writer<Place<'a>>;

/// Memory that is filled with bytes. What does not fit is noted, not written.
pub(crate) struct Place<'a> {
    bytes: &'a mut [u8],
    used: usize,
    is_full: bool,
}

impl<'a> Place<'a> {
    /// Begins to write into `bytes`.
    pub(crate) fn writer(bytes: &'a mut [u8]) -> Writer<'a> {
        Writer::onto(Place { bytes, used: 0, is_full: false })
    }

    /// How much was written; `None` if not everything fit.
    pub(crate) fn length(&self) -> Option<usize> {
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
}

impl Sink for Place<'_> {
    fn room(&mut self, count: usize) -> Option<&mut [u8]> {
        let room = self.bytes.get_mut(self.used..).and_then(|rest| rest.get_mut(..count));
        match room {
            Some(_) => self.used += count,
            None => self.is_full = true,
        }
        room
    }
}
