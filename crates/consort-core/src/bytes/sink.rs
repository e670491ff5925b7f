//! Where bytes are written.

/// Memory that a [`Writer`](super::Writer) fills from its beginning to its end.
pub trait Sink {
    /// Room for so many bytes more; `None` if they do not fit, and the sink notes that.
    fn room(&mut self, count: usize) -> Option<&mut [u8]>;

    /// Adds bytes, if there is room.
    fn put(&mut self, bytes: &[u8]) {
        if let Some(room) = self.room(bytes.len()) {
            room.copy_from_slice(bytes);
        }
    }
}

impl Sink for Vec<u8> {
    fn room(&mut self, count: usize) -> Option<&mut [u8]> {
        let start = self.len();
        self.resize(start + count, 0);
        Some(&mut self[start..])
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
