//! A monitor as bytes, and back without trust: whatever they say, nothing panics later and no loop
//! lasts longer than the bytes are many.

use crate::fold::{Element, Fold, Piece, Summary};
use crate::future::Future;
use crate::interval::Interval;
use crate::monitor::{PropertyMonitor, Slot};
use crate::past::Past;
use crate::round::{Memory, Node};
use crate::single::Single;
use crate::ticks::FAR;
use crate::zip::Zip;
use consort_core::Time;
use consort_core::bytes::{BytesError, Reader, Writer};
use std::collections::VecDeque;

const MAGIC: [u8; 8] = *b"monitor1";
/// No position lies behind this one.
const LAST: i64 = 2 * FAR + 2;

type Read<T> = Result<T, BytesError>;

impl PropertyMonitor {
    /// What was seen so far, exactly.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.word(self.plan.fingerprint);
        writer.flag(self.is_finished);
        write_interval(&mut writer, self.bounds);
        if self.is_finished {
            return writer.finish();
        }
        writer.option(self.origin, |writer, origin| writer.whole(origin.ticks()));
        writer.whole(self.now);
        for (place, value) in self.values.iter().enumerate() {
            writer.real(*value);
            writer.flag(self.changed[place]);
            writer.flag(self.ticked[place]);
        }
        self.nodes.iter().for_each(|node| write_node(&mut writer, node));
        self.slots.iter().for_each(|slot| write_slot(&mut writer, slot));
        writer.finish()
    }

    /// Goes back to what was seen when the bytes were written, by a monitor of the same property, reading,
    /// resolution and start.
    ///
    /// # Errors
    /// If they are of another kind; the monitor is unchanged then.
    pub fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let read = Self::read(self, bytes);
        *self = read.map_err(|error| match error {
            BytesError::Foreign => "they are not those of a monitor",
            BytesError::Impossible { what: OTHER } => {
                "they are of a monitor of another property or reading"
            }
            _ => "they are damaged",
        })?;
        Ok(())
    }

    fn read(&self, bytes: &[u8]) -> Read<PropertyMonitor> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        if reader.word()? != self.plan.fingerprint {
            return Err(BytesError::Impossible { what: OTHER });
        }
        let mut monitor = PropertyMonitor::new(std::sync::Arc::clone(&self.plan));
        monitor.is_finished = reader.flag()?;
        monitor.bounds = interval(&mut reader)?;
        if !monitor.is_finished {
            monitor.read_rest(&mut reader)?;
        }
        reader.end()?;
        Ok(monitor)
    }

    fn read_rest(&mut self, reader: &mut Reader) -> Read<()> {
        self.origin = reader.option(Reader::whole)?.map(Time::from_ticks);
        self.now = position(reader)?;
        for place in 0..self.values.len() {
            self.values[place] = reader.real()?;
            self.changed[place] = reader.flag()?;
            self.ticked[place] = reader.flag()?;
        }
        for node in &mut self.nodes {
            node.known = position(reader)?;
            read_memory(reader, &mut node.memory)?;
        }
        self.slots.iter_mut().try_for_each(|slot| read_slot(reader, slot))
    }
}

const OTHER: &str = "property";

fn write_interval(writer: &mut Writer, interval: Interval) {
    writer.real(interval.low);
    writer.real(interval.high);
}

/// NaN is no bound.
fn interval(reader: &mut Reader) -> Read<Interval> {
    let (low, high) = (reader.real()?, reader.real()?);
    match low.is_nan() || high.is_nan() {
        true => Err(BytesError::Impossible { what: "bound" }),
        false => Ok(Interval { low, high }),
    }
}

fn position(reader: &mut Reader) -> Read<i64> {
    let position = reader.whole()?;
    let is_possible = (0..=LAST).contains(&position);
    is_possible.then_some(position).ok_or(BytesError::Impossible { what: "time" })
}

fn write_node(writer: &mut Writer, node: &Node) {
    writer.whole(node.known);
    match &node.memory {
        Memory::Nothing => {}
        Memory::Join(zip) => write_zip(writer, zip),
        Memory::Rise(before) => write_interval(writer, *before),
        Memory::Future(zip, future) => {
            write_zip(writer, zip);
            write_future(writer, future);
        }
        Memory::Past(zip, past) => {
            write_zip(writer, zip);
            write_past(writer, past);
        }
    }
}

fn read_memory(reader: &mut Reader, memory: &mut Memory) -> Read<()> {
    match memory {
        Memory::Nothing => Ok(()),
        Memory::Join(zip) => read_zip(reader, zip),
        Memory::Rise(before) => interval(reader).map(|value| *before = value),
        Memory::Future(zip, future) => {
            read_zip(reader, zip)?;
            read_future(reader, future)
        }
        Memory::Past(zip, past) => {
            read_zip(reader, zip)?;
            read_past(reader, past)
        }
    }
}

fn write_zip(writer: &mut Writer, zip: &Zip) {
    for pieces in [&zip.left, &zip.right] {
        let whole = |piece: &Piece| element_of(*piece);
        write_elements(writer, pieces.len(), pieces.iter().map(whole));
    }
}

fn read_zip(reader: &mut Reader, zip: &mut Zip) -> Read<()> {
    for pieces in [&mut zip.left, &mut zip.right] {
        let elements = read_elements(reader)?;
        *pieces = elements.into_iter().map(piece_of).collect();
    }
    Ok(())
}

fn element_of(piece: Piece) -> Element {
    let Piece { start, end, value } = piece;
    Element { start, end, hold: value, goal: value }
}

fn piece_of(element: Element) -> Piece {
    Piece { start: element.start, end: element.end, value: element.goal }
}

fn write_future(writer: &mut Writer, future: &Future) {
    write_elements(writer, future.ahead.len(), future.ahead.iter().copied());
    write_fold(writer, &future.window);
    write_fold(writer, &future.before);
    writer.flag(future.is_shared);
    writer.count(future.waiting.len());
    future.waiting.iter().for_each(|at| writer.whole(*at));
    writer.whole(future.cursor);
}

fn read_future(reader: &mut Reader, future: &mut Future) -> Read<()> {
    future.ahead = VecDeque::from(read_elements(reader)?);
    future.window.set(read_elements(reader)?);
    future.before.set(read_elements(reader)?);
    future.is_shared = reader.flag()?;
    let count = reader.count(8)?;
    future.waiting = (0..count).map(|_| position(reader)).collect::<Read<_>>()?;
    future.cursor = position(reader)?;
    Ok(())
}

fn write_past(writer: &mut Writer, past: &Past) {
    writer.option(past.here.as_ref(), write_element);
    write_elements(writer, past.young.len(), past.young.iter().copied());
    write_fold(writer, &past.window);
    if past.is_endless() {
        write_summary(writer, past.window.absorbed());
    }
    write_fold(writer, &past.since);
    writer.whole(past.cursor);
}

fn read_past(reader: &mut Reader, past: &mut Past) -> Read<()> {
    past.here = reader.option(element)?;
    past.young = VecDeque::from(read_elements(reader)?);
    past.window.set(read_elements(reader)?);
    if past.is_endless() {
        past.window.set_absorbed(summary(reader)?);
    }
    past.since.set(read_elements(reader)?);
    past.cursor = position(reader)?;
    Ok(())
}

fn write_slot(writer: &mut Writer, slot: &Slot) {
    match slot {
        Slot::First(first) => writer.option(*first, write_interval),
        Slot::Hold(zip, single) => {
            write_zip(writer, zip);
            write_interval(writer, single.before);
            write_summary(writer, single.window);
            write_interval(writer, single.here);
            writer.whole(single.known);
        }
    }
}

fn read_slot(reader: &mut Reader, slot: &mut Slot) -> Read<()> {
    match slot {
        Slot::First(first) => *first = reader.option(interval)?,
        Slot::Hold(zip, single) => {
            read_zip(reader, zip)?;
            read_single(reader, single)?;
        }
    }
    Ok(())
}

fn read_single(reader: &mut Reader, single: &mut Single) -> Read<()> {
    single.before = interval(reader)?;
    single.window = summary(reader)?;
    single.here = interval(reader)?;
    single.known = position(reader)?;
    Ok(())
}

fn write_summary(writer: &mut Writer, summary: Summary) {
    write_interval(writer, summary.hold);
    write_interval(writer, summary.goal);
}

fn summary(reader: &mut Reader) -> Read<Summary> {
    Ok(Summary { hold: interval(reader)?, goal: interval(reader)? })
}

fn write_fold(writer: &mut Writer, fold: &Fold) {
    write_elements(writer, fold.elements().count(), fold.elements().copied());
}

fn write_elements(writer: &mut Writer, count: usize, elements: impl Iterator<Item = Element>) {
    writer.count(count);
    elements.for_each(|element| write_element(writer, &element));
}

fn write_element(writer: &mut Writer, element: &Element) {
    writer.whole(element.start);
    writer.whole(element.end);
    write_interval(writer, element.hold);
    write_interval(writer, element.goal);
}

fn element(reader: &mut Reader) -> Read<Element> {
    let (start, end) = (position(reader)?, position(reader)?);
    if end <= start {
        return Err(BytesError::Impossible { what: "time" });
    }
    Ok(Element { start, end, hold: interval(reader)?, goal: interval(reader)? })
}

/// One after the other in time.
fn read_elements(reader: &mut Reader) -> Read<Vec<Element>> {
    const BYTES_EACH: usize = 48;
    let count = reader.count(BYTES_EACH)?;
    let elements = (0..count).map(|_| element(reader)).collect::<Read<Vec<_>>>()?;
    let is_ordered = elements.windows(2).all(|pair| pair[0].end <= pair[1].start);
    if is_ordered { Ok(elements) } else { Err(BytesError::Impossible { what: "order" }) }
}
