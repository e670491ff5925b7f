//! What flows have carried so far, sent by their source to a sink.

use super::WireError;
use consort_federation::flow::{FlowHash, FlowId, FlowRecord};

/// Bytes of one flow: its number, how many messages, the hash of all.
const ENTRY: usize = 4 + 8 + 8;

/// What the flows from one node to another have carried so far: both ends count and hash them, and must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowTally<'a> {
    bytes: &'a [u8],
}

/// What one flow has carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// The flow.
    pub flow: FlowId,
    /// The number of messages.
    pub count: u64,
    /// The hash of all of them.
    pub hash: FlowHash,
}

impl From<FlowRecord> for Count {
    fn from(record: FlowRecord) -> Self {
        Count { flow: record.flow, count: record.count, hash: record.hash }
    }
}

impl<'a> FlowTally<'a> {
    /// Writes counts as bytes.
    pub fn write(counts: impl Iterator<Item = Count>, into: &mut Vec<u8>) {
        into.clear();
        for Count { flow, count, hash } in counts {
            into.extend_from_slice(&flow.0.to_le_bytes());
            into.extend_from_slice(&count.to_le_bytes());
            into.extend_from_slice(&hash.to_bits().to_le_bytes());
        }
    }

    /// The tally in these bytes, which [`FlowTally::write`] wrote.
    ///
    /// # Errors
    /// If they are no whole number of entries.
    pub fn read(kind: u8, bytes: &'a [u8]) -> Result<Self, WireError> {
        let is_whole = bytes.len().is_multiple_of(ENTRY);
        let torn = WireError::Payload { kind, why: "it ends within a flow" };
        is_whole.then_some(FlowTally { bytes }).ok_or(torn)
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The counts of all flows.
    pub fn counts(&self) -> impl Iterator<Item = Count> + 'a {
        self.bytes.chunks_exact(ENTRY).map(|entry| Count {
            flow: FlowId(u32::from_le_bytes(super::at(entry, 0))),
            count: u64::from_le_bytes(super::at(entry, 4)),
            hash: FlowHash::from_bits(u64::from_le_bytes(super::at(entry, 12))),
        })
    }
}
