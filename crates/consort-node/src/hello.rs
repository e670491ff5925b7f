//! The handshake: name, run and flows of a node; and the differences to another node, as messages.

mod compare;

use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{Resolution, Seconds, Tag, Time};
use consort_federation::flow::{BoundPolicy, Flow, FlowId, FlowKind, FlowTiming, Topology};

pub use compare::problems;

const MAGIC: [u8; 8] = *b"consort>";

/// What a node sends first over a new link.
#[derive(Clone, PartialEq, Debug)]
pub struct Hello {
    /// The run it takes part in.
    pub run: [u8; 16],
    /// The name of the node.
    pub node: String,
    /// Distinguishes it from another process of that name, for example before a restart.
    pub incarnation: u64,
    /// The length of its ticks.
    pub resolution: Resolution,
    /// The tag after which nothing happens.
    pub horizon: Option<Tag>,
    /// Everything up to this time was done before: it resumes from a snapshot. None: from the start.
    pub begins: Option<Time>,
    /// What is run, besides the flows: names, and values or digests that must be equal on all nodes.
    pub facts: Vec<(String, String)>,
    /// The hash of its topology: equal hashes need no comparison.
    pub hash: [u8; 32],
    /// Its topology, for describing differences.
    pub topology: Topology,
}

impl Hello {
    /// The handshake as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.part(&self.run);
        writer.text(&self.node);
        writer.word(self.incarnation);
        writer.whole(self.resolution.tick().numerator());
        writer.word(self.resolution.tick().denominator());
        writer.option(self.horizon, put_tag);
        writer.option(self.begins, |writer, time| writer.whole(time.ticks()));
        writer.count(self.facts.len());
        self.facts.iter().flat_map(|(name, value)| [name, value]).for_each(|it| writer.text(it));
        writer.part(&self.hash);
        writer.count(self.topology.nodes.len());
        self.topology.nodes.iter().for_each(|name| writer.text(name));
        writer.count(self.topology.flows.len());
        self.topology.flows.iter().for_each(|flow| put_flow(&mut writer, flow));
        writer.finish()
    }

    /// From received bytes.
    ///
    /// # Errors
    /// If they are no valid handshake.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        let run = fixed(reader.part()?, "run")?;
        let node = reader.text()?.to_owned();
        let incarnation = reader.word()?;
        let impossible = BytesError::Impossible { what: "resolution" };
        let tick = Seconds::new(reader.whole()?, reader.word()?).ok_or(impossible)?;
        let resolution = Resolution::new(tick).ok_or(impossible)?;
        let horizon = reader.option(read_tag)?;
        let begins = reader.option(|reader| Ok(Time::from_ticks(reader.whole()?)))?;
        let count = reader.count(16)?;
        let facts = (0..count).map(|_| read_fact(&mut reader)).collect::<Result<_, _>>()?;
        let hash = fixed(reader.part()?, "hash")?;
        let count = reader.count(8)?;
        let nodes = (0..count).map(|_| Ok(reader.text()?.to_owned())).collect::<Result<_, _>>()?;
        let count = reader.count(8)?;
        let flows = (0..count).map(|_| read_flow(&mut reader)).collect::<Result<_, _>>()?;
        reader.end()?;
        let topology = Topology { nodes, flows };
        Ok(Hello { run, node, incarnation, resolution, horizon, begins, facts, hash, topology })
    }
}

fn read_fact(reader: &mut Reader<'_>) -> Result<(String, String), BytesError> {
    Ok((reader.text()?.to_owned(), reader.text()?.to_owned()))
}

fn fixed<const N: usize>(bytes: &[u8], what: &'static str) -> Result<[u8; N], BytesError> {
    bytes.try_into().map_err(|_| BytesError::Impossible { what })
}

fn put_tag(writer: &mut Writer, tag: Tag) {
    writer.whole(tag.time.ticks());
    writer.word(u64::from(tag.microstep));
}

fn put_flow(writer: &mut Writer, flow: &Flow) {
    writer.text(&flow.name);
    writer.word(u64::from(flow.source.0));
    writer.count(flow.sinks.len());
    flow.sinks.iter().for_each(|sink| writer.word(u64::from(sink.0)));
    match flow.kind {
        FlowKind::State => writer.byte(0),
        FlowKind::Observation => writer.byte(1),
        FlowKind::Event { lookahead, adds_microstep, bounds } => {
            writer.byte(if bounds == BoundPolicy::Eager { 2 } else { 3 });
            writer.whole(lookahead.ticks());
            writer.flag(adds_microstep);
        }
    }
    put_tag(writer, flow.first);
    match flow.timing {
        FlowTiming::Once => writer.byte(0),
        FlowTiming::Variable => writer.byte(1),
        FlowTiming::Periodic(period) => {
            writer.byte(2);
            writer.whole(period.ticks());
        }
    }
    writer.text(&flow.payload);
    writer.whole(i64::from(flow.priority));
    writer.word(u64::from(flow.capacity));
    writer.option(flow.feedthrough.as_ref(), |writer, flows| {
        writer.count(flows.len());
        flows.iter().for_each(|flow| writer.word(u64::from(flow.0)));
    });
    writer.flag(flow.self_flow);
}

fn small(reader: &mut Reader<'_>, what: &'static str) -> Result<u32, BytesError> {
    u32::try_from(reader.word()?).map_err(|_| BytesError::Impossible { what })
}

fn smalls<T>(
    reader: &mut Reader<'_>,
    what: &'static str,
    make: impl Fn(u32) -> T,
) -> Result<Vec<T>, BytesError> {
    let count = reader.count(8)?;
    (0..count).map(|_| small(reader, what).map(&make)).collect()
}

fn read_tag(reader: &mut Reader<'_>) -> Result<Tag, BytesError> {
    let time = Time::from_ticks(reader.whole()?);
    Ok(Tag { time, microstep: small(reader, "microstep")? })
}

fn read_kind(reader: &mut Reader<'_>) -> Result<FlowKind, BytesError> {
    Ok(match reader.byte()? {
        0 => FlowKind::State,
        1 => FlowKind::Observation,
        kind @ (2 | 3) => {
            let bounds = if kind == 2 { BoundPolicy::Eager } else { BoundPolicy::OnDemand };
            let lookahead = Time::from_ticks(reader.whole()?);
            FlowKind::Event { lookahead, adds_microstep: reader.flag()?, bounds }
        }
        _ => return Err(BytesError::Impossible { what: "kind of flow" }),
    })
}

fn read_timing(reader: &mut Reader<'_>) -> Result<FlowTiming, BytesError> {
    Ok(match reader.byte()? {
        0 => FlowTiming::Once,
        1 => FlowTiming::Variable,
        2 => FlowTiming::Periodic(Time::from_ticks(reader.whole()?)),
        _ => return Err(BytesError::Impossible { what: "timing" }),
    })
}

fn read_flow(reader: &mut Reader<'_>) -> Result<Flow, BytesError> {
    let priority = BytesError::Impossible { what: "priority" };
    Ok(Flow {
        name: reader.text()?.to_owned(),
        source: consort_core::NodeId(small(reader, "node")?),
        sinks: smalls(reader, "node", consort_core::NodeId)?,
        kind: read_kind(reader)?,
        first: read_tag(reader)?,
        timing: read_timing(reader)?,
        payload: reader.text()?.to_owned(),
        priority: i32::try_from(reader.whole()?).map_err(|_| priority)?,
        capacity: small(reader, "capacity")?,
        feedthrough: reader.option(|reader| smalls(reader, "flow", FlowId))?,
        self_flow: reader.flag()?,
    })
}
