//! The state as bytes: a magic, the model's fingerprint, and every field, little-endian.

use super::Fingerprint;
use super::breaks::{Break, Breaks, GENERATION_MAX};
use super::chatter::{Chatter, watched};
use super::past::{Entry, Past};
use super::state::{Phase, State, Waiting};
use consort_equations::Equations;

const MAGIC: &[u8; 8] = b"consteq2";
const PHASES: [Phase; 3] = [Phase::Start, Phase::Event, Phase::Continuous];

pub(super) fn write(fingerprint: &Fingerprint, state: &State) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(fingerprint);
    bytes.push(state.phase as u8);
    let scalars = [state.start, state.time, state.tolerance, state.last_event, state.next_event];
    let lists = [&scalars[..], &state.parameters, &state.inputs, &state.states, &state.discretes];
    lists.into_iter().for_each(|list| put_numbers(&mut bytes, list.iter().copied()));
    bytes.extend(state.is_set.iter().chain(&state.held).map(|flag| u8::from(*flag)));
    bytes.extend(state.fired.to_le_bytes());
    bytes.extend(state.crowd.0.to_le_bytes());
    bytes.extend(state.crowd.1.to_le_bytes());
    bytes.extend((state.queue.len() as u64).to_le_bytes());
    for waiting in &state.queue {
        put_numbers(&mut bytes, [waiting.due].into_iter());
        bytes.extend((waiting.event as u64).to_le_bytes());
        bytes.extend(waiting.sequence.to_le_bytes());
        bytes.extend((waiting.values.len() as u64).to_le_bytes());
        put_numbers(&mut bytes, waiting.values.iter().copied());
    }
    for past in &state.pasts {
        bytes.extend((past.len() as u64).to_le_bytes());
        let numbers = past.entries().flat_map(|entry| [entry.time, entry.value]);
        put_numbers(&mut bytes, numbers);
    }
    bytes.extend((state.breaks.waiting().len() as u64).to_le_bytes());
    for it in state.breaks.waiting() {
        bytes.extend(it.due.to_le_bytes());
        bytes.extend(it.generation.to_le_bytes());
    }
    for chatter in &state.chatters {
        put_numbers(&mut bytes, [chatter.largest, chatter.last, chatter.since].into_iter());
        bytes.push(u8::from(chatter.is_rising));
        bytes.extend(chatter.reversals.to_le_bytes());
    }
    bytes
}

fn put_numbers(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = f64>) {
    bytes.extend(numbers.flat_map(f64::to_le_bytes));
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
    const BROKEN: &str = "the bytes are no saved state";
    let mut reader = Reader(bytes);
    if reader.take(MAGIC.len()) != Some(MAGIC) {
        return Err(BROKEN);
    }
    if reader.take(fingerprint.len()).ok_or(BROKEN)? != fingerprint {
        return Err("the bytes were saved from another model");
    }
    let state = reader.state(equations).ok_or(BROKEN)?;
    if reader.0.is_empty() { Ok(state) } else { Err(BROKEN) }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn whole(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.whole()?).ok()
    }

    fn number(&mut self) -> Option<f64> {
        self.whole().map(f64::from_bits)
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        let (chunks, _) = self.take(count.checked_mul(8)?)?.as_chunks::<8>();
        Some(chunks.iter().map(|it| f64::from_le_bytes(*it)).collect())
    }

    fn flags(&mut self, count: usize) -> Option<Vec<bool>> {
        let flag = |byte: &u8| [false, true].get(usize::from(*byte)).copied();
        self.take(count)?.iter().map(flag).collect()
    }

    fn state(&mut self, equations: &Equations) -> Option<State> {
        let layout = equations.layout;
        let phase = *PHASES.get(usize::from(self.take(1)?[0]))?;
        Some(State {
            phase,
            start: self.number()?,
            time: self.number()?,
            tolerance: self.number()?,
            last_event: self.number()?,
            next_event: self.number()?,
            parameters: self.numbers(layout.parameters)?.into(),
            inputs: self.numbers(layout.inputs)?,
            states: self.numbers(layout.states)?,
            discretes: self.numbers(layout.discretes)?,
            is_set: self.flags(layout.states + layout.discretes)?.into(),
            held: self.flags(equations.events.len())?,
            fired: self.whole()?,
            crowd: (self.number()?, self.whole()?),
            queue: self.queue(equations)?,
            pasts: equations.delays.iter().map(|_| self.past()).collect::<Option<_>>()?,
            breaks: self.breaks()?,
            chatters: watched(equations).map(|_| self.chatter()).collect::<Option<_>>()?,
        })
    }

    fn queue(&mut self, equations: &Equations) -> Option<Vec<Waiting>> {
        let count = self.count()?;
        let mut queue = Vec::new();
        for _ in 0..count {
            let (due, index, sequence) = (self.number()?, self.count()?, self.whole()?);
            let values = self.count()?;
            let values = self.numbers(values)?;
            let event = equations.events.get(index)?;
            let wanted = if event.values_from_trigger { event.targets.len() } else { 0 };
            if values.len() != wanted {
                return None;
            }
            queue.push(Waiting { due, event: index, sequence, values });
        }
        Some(queue)
    }

    fn chatter(&mut self) -> Option<Chatter> {
        let (largest, last, since) = (self.number()?, self.number()?, self.number()?);
        let (is_rising, reversals) = (self.flags(1)?[0], self.whole()?);
        Some(Chatter { largest, last, is_rising, reversals, since })
    }

    fn breaks(&mut self) -> Option<Breaks> {
        let count = self.count()?;
        let mut waiting = Vec::new();
        for _ in 0..count {
            let (due, generation) = (self.number()?, self.whole()?);
            if !due.is_finite() || GENERATION_MAX < generation {
                return None;
            }
            waiting.push(Break { due, generation });
        }
        waiting.is_sorted_by(|a, b| a.due < b.due).then(|| Breaks::from_waiting(waiting))
    }

    fn past(&mut self) -> Option<Past> {
        let count = self.count()?;
        let numbers = self.numbers(count.checked_mul(2)?)?;
        let (pairs, _) = numbers.as_chunks::<2>();
        Some(Past::from_entries(
            pairs.iter().map(|[time, value]| Entry { time: *time, value: *value }),
        ))
    }
}
