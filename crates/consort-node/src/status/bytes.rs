//! A status as bytes, and back.

use super::{FlowStatus, Need, NodeStatus, PeerStatus, Phase, Wait};
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{Resolution, Seconds, Tag, Time};
use std::time::Duration;

const MAGIC: [u8; 8] = *b"consort?";
const PHASES: [Phase; 4] = [Phase::Joining, Phase::Running, Phase::Leaving, Phase::Failed];
const NEEDS: [Need; 6] =
    [Need::Message, Need::Room, Need::Acknowledgment, Need::Connection, Need::Ready, Need::End];

impl NodeStatus {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.text(&self.node);
        writer.part(&self.run);
        writer.whole(self.resolution.tick().numerator());
        writer.word(self.resolution.tick().denominator());
        writer.byte(place(&PHASES, &self.phase));
        writer.option(self.tag, put_tag);
        writer.option(self.waits.as_ref(), put_wait);
        writer.count(self.peers.len());
        self.peers.iter().for_each(|peer| put_peer(&mut writer, peer));
        writer.count(self.flows.len());
        self.flows.iter().for_each(|flow| put_flow(&mut writer, flow));
        writer.finish()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        let reader = &mut reader;
        let node = reader.text()?.to_owned();
        let run = reader.part()?.try_into().map_err(|_| BytesError::Impossible { what: "run" })?;
        let impossible = BytesError::Impossible { what: "resolution" };
        let tick = Seconds::new(reader.whole()?, reader.word()?).ok_or(impossible)?;
        let status = NodeStatus {
            node,
            run,
            resolution: Resolution::new(tick).ok_or(impossible)?,
            phase: reader.choice(&PHASES, "phase")?,
            tag: reader.option(read_tag)?,
            waits: reader.option(read_wait)?,
            peers: many(reader, read_peer)?,
            flows: many(reader, read_flow)?,
        };
        reader.end()?;
        Ok(status)
    }
}

fn place<T: PartialEq>(all: &[T], one: &T) -> u8 {
    let place = all.iter().position(|it| it == one).expect("all of them are listed");
    u8::try_from(place).expect("there are few")
}

fn many<'a, T>(
    reader: &mut Reader<'a>,
    read: impl Fn(&mut Reader<'a>) -> Result<T, BytesError>,
) -> Result<Vec<T>, BytesError> {
    let count = reader.count(8)?;
    (0..count).map(|_| read(reader)).collect()
}

fn put_tag(writer: &mut Writer, tag: Tag) {
    writer.whole(tag.time.ticks());
    writer.word(u64::from(tag.microstep));
}

fn read_tag(reader: &mut Reader<'_>) -> Result<Tag, BytesError> {
    let time = Time::from_ticks(reader.whole()?);
    let microstep = u32::try_from(reader.word()?);
    let microstep = microstep.map_err(|_| BytesError::Impossible { what: "microstep" })?;
    Ok(Tag { time, microstep })
}

fn put_span(writer: &mut Writer, span: Duration) {
    writer.word(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX));
}

fn read_span(reader: &mut Reader<'_>) -> Result<Duration, BytesError> {
    reader.word().map(Duration::from_nanos)
}

fn put_wait(writer: &mut Writer, wait: &Wait) {
    writer.text(&wait.for_node);
    writer.option(wait.flow.as_deref(), Writer::text);
    writer.option(wait.tag, put_tag);
    writer.byte(place(&NEEDS, &wait.what));
    put_span(writer, wait.since);
}

fn read_wait(reader: &mut Reader<'_>) -> Result<Wait, BytesError> {
    Ok(Wait {
        for_node: reader.text()?.to_owned(),
        flow: reader.option(|reader| reader.text().map(str::to_owned))?,
        tag: reader.option(read_tag)?,
        what: reader.choice(&NEEDS, "need")?,
        since: read_span(reader)?,
    })
}

fn put_peer(writer: &mut Writer, peer: &PeerStatus) {
    writer.text(&peer.node);
    writer.flag(peer.is_connected);
    writer.option(peer.silent_for, put_span);
    writer.word(u64::from(peer.connections));
}

fn read_peer(reader: &mut Reader<'_>) -> Result<PeerStatus, BytesError> {
    let node = reader.text()?.to_owned();
    let is_connected = reader.flag()?;
    let silent_for = reader.option(read_span)?;
    let connections = u32::try_from(reader.word()?);
    let connections = connections.map_err(|_| BytesError::Impossible { what: "connection" })?;
    Ok(PeerStatus { node, is_connected, silent_for, connections })
}

fn put_flow(writer: &mut Writer, flow: &FlowStatus) {
    writer.text(&flow.flow);
    writer.flag(flow.is_output);
    writer.word(flow.count);
    writer.option(flow.next, put_tag);
}

fn read_flow(reader: &mut Reader<'_>) -> Result<FlowStatus, BytesError> {
    Ok(FlowStatus {
        flow: reader.text()?.to_owned(),
        is_output: reader.flag()?,
        count: reader.word()?,
        next: reader.option(read_tag)?,
    })
}
