//! Snapshots as bytes, for a run in another process.

use super::RunSnapshot;
use super::tape::Tape;
use crate::error::{RunError, StateCall};
use crate::exchange::SlopeMemory;
use crate::intervene::{Mode, Progress, SavedTarget};
use crate::lane::SavedMember;
use crate::run::{Advance, PendingDiscreteInput, Run};
use crate::statistics::Statistics;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::model::stepping::Arrival;
use consort_core::{ComponentId, Tag, Time, ValueType, Values, VariableId};
use consort_solve::integrate::Integration;
use consort_trace::VariableHash;

/// How the bytes begin; the last is to be counted up when their form changes.
const MAGIC: [u8; 8] = *b"CSTRUN\0\x01";

const PROGRESS: [Progress; 3] = [Progress::Waiting, Progress::Called, Progress::Begun];

type MakeMode = fn(Values) -> Mode;
const MODES: [MakeMode; 4] = [Mode::Once, Mode::Override, Mode::Offset, Mode::Freeze];

/// What a reader says.
type BytesResult<T> = Result<T, BytesError>;

impl Run {
    /// Bytes of a snapshot, from which [`Run::resume`] and [`Run::deserialize`] make it again.
    ///
    /// # Errors
    /// If a state cannot be turned into bytes. The run can continue.
    pub fn serialize(&mut self, snapshot: &RunSnapshot) -> Result<Vec<u8>, RunError> {
        let mut writer = Writer::new(MAGIC);
        write_tag(&mut writer, snapshot.clock.tag);
        writer.count(snapshot.members.len());
        let run = &self.interpreter;
        for (&index, saved) in run.program.own.iter().zip(&snapshot.members) {
            writer.text(run.executable.name(index));
            writer.part(&self.state_to_bytes(index, saved)?);
            write_member(&mut writer, saved);
        }
        for column in &snapshot.values.columns {
            writer.values(column.view());
        }
        write_rest(&mut writer, snapshot);
        let observed = snapshot.observer.as_ref().zip(self.trace.observer_mut());
        let observed = observed.map(|(saved, observer)| {
            let now = observer.save();
            observer.restore(saved);
            let bytes = observer.to_bytes();
            observer.restore(&now);
            bytes
        });
        writer.option(observed, |writer, bytes| writer.part(&bytes));
        Ok(writer.finish())
    }

    /// The snapshot that bytes were made of.
    ///
    /// # Errors
    /// If they are no snapshot of a run like this one, or an instance refuses its part. The run can
    /// continue.
    pub fn deserialize(&mut self, bytes: &[u8]) -> Result<RunSnapshot, RunError> {
        let broken = |error| RunError::BrokenSnapshot { error };
        let mut reader = Reader::new(bytes, MAGIC).map_err(broken)?;
        let tag = read_tag(&mut reader).map_err(broken)?;
        let parts = self.read_members(&mut reader).map_err(broken)?;
        let mut snapshot = RunSnapshot::default();
        snapshot.clock.tag = tag;
        snapshot.values = read_tape(&mut reader).map_err(broken)?;
        read_rest(&mut reader, &mut snapshot).map_err(broken)?;
        let observed = reader.option(Reader::part).map_err(broken)?;
        reader.end().map_err(broken)?;
        if self.components_differ(&parts) {
            return Err(RunError::ForeignSnapshot { reason: "it has other components" });
        }
        if !self.knows(&snapshot) {
            let reason = "it names components or variables that are not there";
            return Err(RunError::ForeignSnapshot { reason });
        }
        if !self.is_within(&snapshot) {
            return Err(RunError::ForeignSnapshot { reason: "its time is not of the experiment" });
        }
        for (at, part) in parts.into_iter().enumerate() {
            snapshot.members.push(self.member_from_bytes(self.interpreter.program.own[at], &part)?);
        }
        self.read_observer(observed, &mut snapshot)?;
        self.check_shape(&snapshot)?;
        Ok(snapshot)
    }

    fn state_to_bytes(&self, index: usize, saved: &SavedMember) -> Result<Vec<u8>, RunError> {
        let run = &self.interpreter;
        let bytes = run.with_member(index, |it| it.instance.serialize(&saved.state));
        bytes.map_err(|error| run.state_failed(index, StateCall::Serialize, error))
    }

    fn member_from_bytes(
        &self,
        index: usize,
        part: &MemberBytes<'_>,
    ) -> Result<SavedMember, RunError> {
        let run = &self.interpreter;
        let state = run
            .with_member(index, |it| it.instance.deserialize(part.state))
            .map_err(|error| run.state_failed(index, StateCall::Deserialize, error))?;
        let MemberBytes { next_event, arrival, in_event_mode, .. } = *part;
        Ok(SavedMember { state, next_event, arrival, in_event_mode })
    }

    fn read_members<'a>(&self, reader: &mut Reader<'a>) -> BytesResult<Vec<MemberBytes<'a>>> {
        let count = reader.count(8)?;
        let mut parts = Vec::with_capacity(count.min(self.system().components.len()));
        for _ in 0..count {
            parts.push(MemberBytes::read(reader)?);
        }
        Ok(parts)
    }

    fn components_differ(&self, parts: &[MemberBytes<'_>]) -> bool {
        let own = self.interpreter.program.own.iter();
        let ours = own.map(|&index| self.interpreter.executable.name(index));
        !ours.eq(parts.iter().map(|part| part.name))
    }

    /// Whether every component and variable it names is there.
    fn knows(&self, snapshot: &RunSnapshot) -> bool {
        let run = &self.interpreter;
        let components = &run.executable.system.components;
        let request = snapshot.ending.request;
        let is_request_known = request.is_none_or(|(_, id)| id.index() < components.len());
        let is_known = |input: &PendingDiscreteInput| {
            if !run.is_own(input.component) {
                return false;
            }
            let model = run.executable.description(input.component);
            let index = input.variable.index();
            let Some(variable) = model.variables.get(index) else { return false };
            let counts = &components[input.component].counts;
            match &input.values {
                None => run.program.places[input.component][index].is_some(),
                Some(values) => {
                    values.value_type() == variable.value_type
                        && values.len() == counts[index] as usize
                }
            }
        };
        is_request_known && snapshot.pending_inputs.iter().all(is_known)
    }

    /// Whether its times lie within this experiment; later computations rely on it.
    fn is_within(&self, snapshot: &RunSnapshot) -> bool {
        let experiment = &self.system().experiment;
        let (start, now) = (experiment.start, snapshot.clock.tag.time);
        let is_past = |time: Time| start <= time && time <= now;
        let slopes = snapshot.slopes.iter().all(|memory| {
            memory.last.is_none_or(|(time, ..)| is_past(time))
                && memory.before.is_none_or(|(time, _)| is_past(time))
        });
        let mut rates = snapshot.rates.iter().zip(&self.interpreter.clock.rates().list);
        let rates = rates.all(|((due, _), rate)| {
            let end = now.checked_add(rate.period);
            now <= *due && end.is_none_or(|end| *due <= end)
        });
        start <= now && now <= experiment.stop && slopes && rates
    }

    fn read_observer(
        &mut self,
        bytes: Option<&[u8]>,
        snapshot: &mut RunSnapshot,
    ) -> Result<(), RunError> {
        let Some((observer, bytes)) = self.trace.observer_mut().zip(bytes) else { return Ok(()) };
        let now = observer.save();
        let read = observer.set_bytes(bytes);
        snapshot.observer = Some(observer.save());
        observer.restore(&now);
        read.map_err(|reason| RunError::ForeignSnapshot { reason })
    }
}

/// What is said of one component.
struct MemberBytes<'a> {
    name: &'a str,
    state: &'a [u8],
    next_event: Option<Time>,
    arrival: Option<Arrival>,
    in_event_mode: bool,
}

impl<'a> MemberBytes<'a> {
    fn read(reader: &mut Reader<'a>) -> BytesResult<Self> {
        Ok(MemberBytes {
            name: reader.text()?,
            state: reader.part()?,
            next_event: reader.option(read_time)?,
            arrival: reader.option(read_arrival)?,
            in_event_mode: reader.flag()?,
        })
    }
}

fn write_member(writer: &mut Writer, saved: &SavedMember) {
    writer.option(saved.next_event, write_time);
    writer.option(saved.arrival, |writer, arrival| {
        write_time(writer, arrival.reached);
        writer.flag(arrival.event);
        writer.flag(arrival.terminate);
        writer.option(arrival.next_event, write_time);
    });
    writer.flag(saved.in_event_mode);
}

fn read_arrival(reader: &mut Reader<'_>) -> BytesResult<Arrival> {
    Ok(Arrival {
        reached: read_time(reader)?,
        event: reader.flag()?,
        terminate: reader.flag()?,
        next_event: reader.option(read_time)?,
    })
}

/// All but members, values and the observer.
fn write_rest(writer: &mut Writer, snapshot: &RunSnapshot) {
    write_list(writer, &snapshot.integrations, |writer, integration| {
        writer.option(integration.as_ref(), |writer, it| writer.part(&it.to_bytes()));
    });
    write_list(writer, &snapshot.rates, |writer, (due, is_due)| {
        write_time(writer, *due);
        writer.flag(*is_due);
    });
    write_time(writer, snapshot.clock.proposed);
    writer.flag(snapshot.clock.has_previous);
    write_list(writer, &snapshot.slopes, write_slope);
    write_list(writer, &snapshot.hashes, |writer, hash| writer.word(hash.to_bits()));
    write_list(writer, &snapshot.progress, |writer, progress| writer.byte(*progress as u8));
    write_list(writer, &snapshot.targets, write_target);
    write_list(writer, &snapshot.pending_inputs, write_pending_input);
    writer.option(snapshot.ending.request, |writer, (time, component)| {
        write_time(writer, time);
        writer.count(component.index());
    });
    writer.option(snapshot.ending.over.as_ref(), |writer, over| match over {
        Advance::Terminated { component } => writer.option(Some(component), |w, it| w.text(it)),
        _ => writer.option(None::<()>, |_, ()| {}),
    });
    let Statistics { tags, steps_accepted, steps_rejected, loop_evaluations, .. } =
        snapshot.statistics;
    for tally in [tags, steps_accepted, steps_rejected, loop_evaluations] {
        writer.word(tally);
    }
}

fn read_rest(reader: &mut Reader<'_>, snapshot: &mut RunSnapshot) -> BytesResult<()> {
    snapshot.integrations = read_list(reader, 1, |reader| reader.option(read_integration))?;
    snapshot.rates = read_list(reader, 9, |reader| Ok((read_time(reader)?, reader.flag()?)))?;
    snapshot.clock.proposed = read_time(reader)?;
    snapshot.clock.has_previous = reader.flag()?;
    snapshot.slopes = read_list(reader, 2, read_slope)?;
    snapshot.hashes = read_list(reader, 8, |reader| reader.word().map(VariableHash::from_bits))?;
    snapshot.progress = read_list(reader, 1, |reader| reader.choice(&PROGRESS, "progress"))?;
    snapshot.targets = read_list(reader, 2, read_target)?;
    snapshot.pending_inputs = read_list(reader, 9, read_pending_input)?;
    let request = reader.option(|reader| Ok((read_time(reader)?, read_component(reader)?)))?;
    snapshot.ending.request = request;
    snapshot.ending.over = reader.option(|reader| {
        let component = reader.option(|reader| reader.text().map(str::to_owned))?;
        Ok(component.map_or(Advance::Decided, |component| Advance::Terminated { component }))
    })?;
    snapshot.statistics = Statistics {
        tags: read_tally(reader)?,
        steps_accepted: read_tally(reader)?,
        steps_rejected: read_tally(reader)?,
        loop_evaluations: read_tally(reader)?,
        ..Statistics::default()
    };
    Ok(())
}

fn write_list<T>(writer: &mut Writer, list: &[T], mut write: impl FnMut(&mut Writer, &T)) {
    writer.count(list.len());
    list.iter().for_each(|item| write(writer, item));
}

/// Items that take so many bytes at least.
fn read_list<T>(
    reader: &mut Reader<'_>,
    bytes_each: usize,
    mut read: impl FnMut(&mut Reader<'_>) -> BytesResult<T>,
) -> BytesResult<Vec<T>> {
    let count = reader.count(bytes_each)?;
    (0..count).map(|_| read(reader)).collect()
}

fn write_time(writer: &mut Writer, time: Time) {
    writer.whole(time.ticks());
}

fn read_time(reader: &mut Reader<'_>) -> BytesResult<Time> {
    reader.whole().map(Time::from_ticks)
}

fn write_tag(writer: &mut Writer, tag: Tag) {
    write_time(writer, tag.time);
    writer.word(tag.microstep.into());
}

fn read_tag(reader: &mut Reader<'_>) -> BytesResult<Tag> {
    let time = read_time(reader)?;
    let microstep = u32::try_from(reader.word()?);
    let microstep = microstep.map_err(|_| BytesError::Impossible { what: "microstep" })?;
    Ok(Tag { time, microstep })
}

fn read_integration(reader: &mut Reader<'_>) -> BytesResult<Integration> {
    let what = "integration";
    Integration::from_bytes(reader.part()?).map_err(|_| BytesError::Impossible { what })
}

fn write_slope(writer: &mut Writer, memory: &SlopeMemory) {
    writer.option(memory.last, |writer, (time, value, slope)| {
        write_time(writer, time);
        writer.real(value);
        writer.real(slope);
    });
    writer.option(memory.before, |writer, (time, value)| {
        write_time(writer, time);
        writer.real(value);
    });
}

fn read_slope(reader: &mut Reader<'_>) -> BytesResult<SlopeMemory> {
    let last = reader.option(|reader| Ok((read_time(reader)?, reader.real()?, reader.real()?)))?;
    let before = reader.option(|reader| Ok((read_time(reader)?, reader.real()?)))?;
    Ok(SlopeMemory { last, before })
}

fn write_typed(writer: &mut Writer, values: &Values) {
    writer.byte(values.value_type() as u8);
    writer.values(values.view());
}

fn read_typed(reader: &mut Reader<'_>) -> BytesResult<Values> {
    let value_type = reader.choice(&ValueType::ALL, "type")?;
    reader.values(value_type)
}

fn write_target(writer: &mut Writer, target: &SavedTarget) {
    let place = match &target.mode {
        Mode::Once(_) => 0,
        Mode::Override(_) => 1,
        Mode::Offset(_) => 2,
        Mode::Freeze(_) => 3,
        Mode::Idle => 4,
        Mode::FreezeSoon => 5,
    };
    writer.byte(place);
    if let Some(values) = target.mode.values() {
        write_typed(writer, values);
    }
    write_typed(writer, &target.raw);
}

fn read_target(reader: &mut Reader<'_>) -> BytesResult<SavedTarget> {
    let mode = match reader.byte()? {
        4 => Mode::Idle,
        5 => Mode::FreezeSoon,
        place => {
            let make = MODES.get(usize::from(place)).ok_or(BytesError::Impossible { what: "mode" });
            make?(read_typed(reader)?)
        }
    };
    Ok(SavedTarget { mode, raw: read_typed(reader)? })
}

fn write_pending_input(writer: &mut Writer, input: &PendingDiscreteInput) {
    writer.count(input.component);
    writer.count(input.variable.index());
    writer.option(input.values.as_ref(), write_typed);
}

fn read_pending_input(reader: &mut Reader<'_>) -> BytesResult<PendingDiscreteInput> {
    let component = read_component(reader)?.index();
    let variable = VariableId(read_index(reader)?);
    Ok(PendingDiscreteInput { component, variable, values: reader.option(read_typed)? })
}

fn read_component(reader: &mut Reader<'_>) -> BytesResult<ComponentId> {
    read_index(reader).map(ComponentId)
}

fn read_index(reader: &mut Reader<'_>) -> BytesResult<u32> {
    u32::try_from(reader.word()?).map_err(|_| BytesError::Impossible { what: "index" })
}

/// What is counted up for good, so far from the end that it never gets there.
fn read_tally(reader: &mut Reader<'_>) -> BytesResult<u64> {
    let tally = reader.word()?;
    let is_possible = tally < 1 << 60;
    is_possible.then_some(tally).ok_or(BytesError::Impossible { what: "tally" })
}

fn read_tape(reader: &mut Reader<'_>) -> BytesResult<Tape> {
    let mut tape = Tape::default();
    for (column, value_type) in tape.columns.iter_mut().zip(ValueType::ALL) {
        *column = reader.values(value_type)?;
    }
    Ok(tape)
}
