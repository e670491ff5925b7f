//! The state as bytes: the model's fingerprint and every field.

use super::Fingerprint;
use super::breaks::{Break, Breaks, GENERATION_MAX};
use super::chatter::{Chatter, watched};
use super::past::{Past, PastValue};
use super::state::{Phase, State, Waiting};
use consort_core::Prng;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_equations::Equations;

/// The last byte is the version.
const MAGIC: [u8; 8] = *b"consteq5";
const PHASES: [Phase; 3] = [Phase::Start, Phase::Event, Phase::Continuous];

/// What a reader says.
type Read<T> = Result<T, BytesError>;

pub(super) fn write(fingerprint: &Fingerprint, state: &State) -> Vec<u8> {
    let mut writer = Writer::new(MAGIC);
    writer.part(fingerprint);
    writer.byte(state.phase as u8);
    writer.reals(&[state.start, state.time, state.tolerance, state.last_event, state.next_event]);
    writer.flag(state.is_first);
    writer.flag(state.is_still);
    for list in [&state.parameters[..], &state.inputs, &state.states, &state.discretes] {
        writer.reals(list);
    }
    state.is_set.iter().chain(&state.held).for_each(|flag| writer.flag(*flag));
    writer.word(state.fired);
    state.prng.iter().flat_map(Prng::to_words).for_each(|word| writer.word(word));
    writer.real(state.without_progress.0);
    writer.word(state.without_progress.1);
    writer.count(state.queue.len());
    for waiting in &state.queue {
        writer.real(waiting.due);
        writer.count(waiting.event);
        writer.word(waiting.sequence);
        writer.reals(&waiting.values);
    }
    for past in &state.pasts {
        writer.count(past.len());
        past.entries().for_each(|entry| writer.reals(&[entry.time, entry.value]));
    }
    writer.count(state.breaks.waiting().len());
    for it in state.breaks.waiting() {
        writer.real(it.due);
        writer.word(it.generation);
    }
    for chatter in &state.chatters {
        writer.reals(&[chatter.largest, chatter.last, chatter.since]);
        writer.flag(chatter.is_rising);
        writer.word(chatter.reversals);
    }
    writer.finish()
}

/// What [`write()`] wrote for this model.
///
/// # Errors
/// Why the bytes are refused.
pub(super) fn read(
    bytes: &[u8],
    fingerprint: &Fingerprint,
    equations: &Equations,
) -> Result<State, &'static str> {
    let broken = |_| "the bytes are no saved state";
    if bytes.starts_with(&MAGIC[..7]) && bytes.get(7).is_some_and(|version| *version < MAGIC[7]) {
        return Err(
            "the bytes are a state of an older version than 5, which identified models otherwise",
        );
    }
    let mut reader = Reader::new(bytes, MAGIC).map_err(broken)?;
    if reader.part().map_err(broken)? != fingerprint {
        return Err("the bytes were saved from another model");
    }
    let state = read_state(&mut reader, equations).map_err(broken)?;
    reader.end().map_err(broken)?;
    Ok(state)
}

fn read_state(reader: &mut Reader<'_>, equations: &Equations) -> Read<State> {
    let layout = equations.layout;
    Ok(State {
        phase: reader.choice(&PHASES, "phase")?,
        start: reader.real()?,
        time: reader.real()?,
        tolerance: reader.real()?,
        last_event: reader.real()?,
        next_event: reader.real()?,
        is_first: reader.flag()?,
        is_still: reader.flag()?,
        parameters: reader.reals(layout.parameters)?.into(),
        inputs: reader.reals(layout.inputs)?,
        states: reader.reals(layout.states)?,
        discretes: reader.reals(layout.discretes)?,
        is_set: read_flags(reader, layout.states + layout.discretes)?.into(),
        held: read_flags(reader, equations.events.len())?,
        fired: reader.word()?,
        prng: equations.events_are_unordered.then(|| read_prng(reader)).transpose()?,
        without_progress: (reader.real()?, reader.word()?),
        queue: read_queue(reader, equations)?,
        pasts: equations.delays.iter().map(|_| read_past(reader)).collect::<Read<_>>()?,
        breaks: read_breaks(reader)?,
        chatters: watched(equations).map(|_| read_chatter(reader)).collect::<Read<_>>()?,
    })
}

fn read_flags(reader: &mut Reader<'_>, count: usize) -> Read<Vec<bool>> {
    (0..count).map(|_| reader.flag()).collect()
}

fn read_prng(reader: &mut Reader<'_>) -> Read<Prng> {
    let mut words = [0; 5];
    for word in &mut words {
        *word = reader.word()?;
    }
    Ok(Prng::from_words(words))
}

fn read_queue(reader: &mut Reader<'_>, equations: &Equations) -> Read<Vec<Waiting>> {
    let count = reader.count(24)?;
    let mut queue = Vec::with_capacity(count);
    for _ in 0..count {
        let (due, index, sequence) = (reader.real()?, reader.word()?, reader.word()?);
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let event = equations.events.get(index);
        let event = event.ok_or(BytesError::Impossible { what: "event" })?;
        let wanted = if event.values_from_trigger { event.targets.len() } else { 0 };
        queue.push(Waiting { due, event: index, sequence, values: reader.reals(wanted)? });
    }
    Ok(queue)
}

fn read_chatter(reader: &mut Reader<'_>) -> Read<Chatter> {
    let (largest, last, since) = (reader.real()?, reader.real()?, reader.real()?);
    let (is_rising, reversals) = (reader.flag()?, reader.word()?);
    Ok(Chatter { largest, last, is_rising, reversals, since })
}

fn read_breaks(reader: &mut Reader<'_>) -> Read<Breaks> {
    let count = reader.count(16)?;
    let mut waiting = Vec::with_capacity(count);
    for _ in 0..count {
        waiting.push(Break { due: reader.real()?, generation: reader.word()? });
    }
    let is_known = |it: &Break| it.due.is_finite() && it.generation <= GENERATION_MAX;
    if waiting.iter().all(is_known) && waiting.is_sorted_by(|a, b| a.due < b.due) {
        return Ok(Breaks::from_waiting(waiting));
    }
    Err(BytesError::Impossible { what: "break" })
}

fn read_past(reader: &mut Reader<'_>) -> Read<Past> {
    let count = reader.count(16)?;
    let numbers = reader.reals(2 * count)?;
    let (pairs, _) = numbers.as_chunks::<2>();
    let entries = pairs.iter().map(|[time, value]| PastValue { time: *time, value: *value });
    Ok(Past::from_entries(entries))
}
