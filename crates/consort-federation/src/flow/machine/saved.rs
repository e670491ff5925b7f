//! A machine as bytes: what it waits for, what it was granted, and what has come and is not consumed.
//!
//! The machines of all nodes, each saved when it is idle, and what is on its way between them, are a consistent cut
//! of a run: the order of messages on each flow is unique, so a machine that continues from there comes to the same end.

use super::FlowNode;
use super::ports::{Carried, InputPort, OutputPort, SinkPort};
use crate::flow::hash::{FlowHash, Payload};
use crate::flow::message::Message;
use crate::flow::topology::Topology;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{NodeId, Tag, Time};
use std::sync::Arc;

/// Begins the bytes of a machine.
const MAGIC: [u8; 8] = *b"cnsflow2";
/// A tag takes so many bytes.
const TAG_BYTES: usize = 16;

/// A payload that can be saved with a machine.
pub trait SavedPayload: Payload {
    /// Writes the payload as bytes.
    fn write(&self, writer: &mut Writer);

    /// Reads what [`SavedPayload::write`] wrote.
    ///
    /// # Errors
    /// If the bytes are not valid.
    fn read(reader: &mut Reader<'_>) -> Result<Self, BytesError>;
}

impl SavedPayload for u64 {
    fn write(&self, writer: &mut Writer) {
        writer.word(*self);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, BytesError> {
        reader.word()
    }
}

impl<const N: usize> SavedPayload for [f64; N] {
    fn write(&self, writer: &mut Writer) {
        writer.reals(self);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, BytesError> {
        let values = reader.reals(N)?;
        values.try_into().map_err(|_| BytesError::Impossible { what: "payload" })
    }
}

impl SavedPayload for Vec<u8> {
    fn write(&self, writer: &mut Writer) {
        writer.part(self);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, BytesError> {
        reader.part().map(<[u8]>::to_vec)
    }
}

impl SavedPayload for Arc<[u8]> {
    fn write(&self, writer: &mut Writer) {
        writer.part(self);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, BytesError> {
        reader.part().map(Arc::from)
    }
}

impl<P: SavedPayload> FlowNode<P> {
    /// Everything in which this machine differs from a new one.
    pub fn save(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.part(&self.facts.world.topology.hash());
        writer.word(u64::from(self.facts.me.0));
        for port in &self.state.inputs {
            write_input(&mut writer, port);
        }
        for port in &self.state.outputs {
            write_output(&mut writer, port);
        }
        writer.finish()
    }

    /// Continues from what [`FlowNode::save`] gave, of the same node in the same topology, with the same horizon.
    ///
    /// # Errors
    /// If the bytes are of another node or topology, or no machine was ever in such a state.
    pub fn restore(
        topology: &Topology,
        me: NodeId,
        horizon: Option<Tag>,
        bytes: &[u8],
    ) -> Result<Self, BytesError> {
        let mut node = FlowNode::new(topology, me, horizon);
        let mut reader = Reader::new(bytes, MAGIC)?;
        if reader.part()? != topology.hash() {
            return Err(BytesError::Impossible { what: "topology" });
        }
        reader.known_count(me.index(), "node")?;
        for place in 0..node.state.inputs.len() {
            let capacity = node.facts.flow(node.state.inputs[place].flow).capacity;
            read_input(&mut reader, &mut node.state.inputs[place], capacity)?;
        }
        for place in 0..node.state.outputs.len() {
            let capacity = node.facts.flow(node.state.outputs[place].flow).capacity;
            read_output(&mut reader, &mut node.state.outputs[place], capacity)?;
            node.note_emission(place)?;
        }
        reader.end().map(|()| node)
    }

    /// An output with a message that waits for room is the one that is being emitted; there is one at most.
    fn note_emission(&mut self, output: usize) -> Result<(), BytesError> {
        let port = &self.state.outputs[output];
        let waits = port.sinks.iter().any(|sink| sink.waits);
        if waits != port.unserved.is_some() || (waits && self.state.emitting.is_some()) {
            return Err(BytesError::Impossible { what: "emission" });
        }
        if waits {
            self.state.emitting = Some(output);
        }
        Ok(())
    }
}

fn write_input<P: SavedPayload>(writer: &mut Writer, port: &InputPort<P>) {
    write_tag(writer, port.next);
    write_tag(writer, port.arrives);
    write_tag(writer, port.asked);
    writer.word(u64::from(port.owed));
    writer.count(port.buffer.len());
    port.buffer.iter().for_each(|message| write_message(writer, message));
    write_carried(writer, port.carried);
}

fn read_input<P: SavedPayload>(
    reader: &mut Reader<'_>,
    port: &mut InputPort<P>,
    capacity: u32,
) -> Result<(), BytesError> {
    port.next = read_tag(reader)?;
    port.arrives = read_tag(reader)?;
    port.asked = read_tag(reader)?;
    port.owed = read_number(reader, capacity, "debt of credits")?;
    let count = reader.count(TAG_BYTES)?;
    if u64::from(capacity) < count as u64 + u64::from(port.owed) {
        return Err(BytesError::Impossible { what: "buffer" });
    }
    for _ in 0..count {
        port.buffer.push_back(read_message(reader)?);
    }
    port.carried = read_carried(reader)?;
    Ok(())
}

fn write_output<P: SavedPayload>(writer: &mut Writer, port: &OutputPort<P>) {
    write_tag(writer, port.next);
    write_tag(writer, port.floor);
    writer.option(port.plan_from, write_tag);
    writer.option(port.unserved.as_ref(), write_message);
    for sink in &port.sinks {
        writer.word(u64::from(sink.credits));
        write_tag(writer, sink.announced);
        write_tag(writer, sink.wanted);
        writer.flag(sink.waits);
    }
    write_carried(writer, port.carried);
}

fn read_output<P: SavedPayload>(
    reader: &mut Reader<'_>,
    port: &mut OutputPort<P>,
    capacity: u32,
) -> Result<(), BytesError> {
    port.next = read_tag(reader)?;
    port.floor = read_tag(reader)?;
    port.plan_from = reader.option(read_tag)?;
    port.unserved = reader.option(read_message)?;
    for sink in &mut port.sinks {
        let credits = read_number(reader, capacity, "number of credits")?;
        let (announced, wanted) = (read_tag(reader)?, read_tag(reader)?);
        *sink = SinkPort { node: sink.node, credits, announced, wanted, waits: reader.flag()? };
    }
    port.carried = read_carried(reader)?;
    Ok(())
}

fn write_message<P: SavedPayload>(writer: &mut Writer, message: &Message<P>) {
    write_tag(writer, message.tag);
    writer.option(message.next, write_tag);
    message.payload.write(writer);
}

fn read_message<P: SavedPayload>(reader: &mut Reader<'_>) -> Result<Message<P>, BytesError> {
    let (tag, next) = (read_tag(reader)?, reader.option(read_tag)?);
    Ok(Message { tag, next, payload: P::read(reader)? })
}

fn write_tag(writer: &mut Writer, tag: Tag) {
    writer.whole(tag.time.ticks());
    writer.word(u64::from(tag.microstep));
}

fn read_tag(reader: &mut Reader<'_>) -> Result<Tag, BytesError> {
    let time = Time::from_ticks(reader.whole()?);
    Ok(Tag { time, microstep: read_number(reader, u32::MAX, "microstep")? })
}

fn read_number(reader: &mut Reader<'_>, max: u32, what: &'static str) -> Result<u32, BytesError> {
    let number = u32::try_from(reader.word()?).ok().filter(|number| *number <= max);
    number.ok_or(BytesError::Impossible { what })
}

/// How many messages there were: no run is long enough for more.
fn write_carried(writer: &mut Writer, carried: Carried) {
    writer.word(carried.count);
    writer.word(carried.hash.to_bits());
}

fn read_carried(reader: &mut Reader<'_>) -> Result<Carried, BytesError> {
    let count = reader.word()?;
    if u64::MAX / 2 < count {
        return Err(BytesError::Impossible { what: "number of messages" });
    }
    Ok(Carried { count, hash: FlowHash::from_bits(reader.word()?) })
}
