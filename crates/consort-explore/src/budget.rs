//! Limits on the memory that snapshots use.

/// How much may be kept for coming back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The greatest number of snapshots.
    pub snapshots_max: usize,
    /// At most so many bytes that no other snapshot holds.
    pub bytes_max: u64,
}
