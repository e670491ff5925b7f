//! The small things calls are made of.

use super::{Read, Reader, Writer, invalid};
use consort_core::{
    EventUpdate, LogEntry, LogLevel, Reference, Resolution, Seconds, Setup, Step, StepOutcome,
    StepReason, Tag, Time,
};

pub(crate) fn write_setup(to: &mut Writer<'_>, setup: &Setup) {
    let tick = setup.resolution.tick();
    to.whole(tick.numerator());
    to.word(tick.denominator());
    to.whole(setup.start.ticks());
    to.option(setup.stop, |to, stop| to.whole(stop.ticks()));
    to.option(setup.tolerance, Writer::real);
}

pub(crate) fn read_setup(from: &mut Reader<'_>) -> Read<Setup> {
    let tick = Seconds::new(from.whole()?, from.word()?).ok_or(invalid("tick"))?;
    Ok(Setup {
        resolution: Resolution::new(tick).ok_or(invalid("tick"))?,
        start: read_time(from)?,
        stop: from.option(read_time)?,
        tolerance: from.option(Reader::real)?,
    })
}

pub(crate) fn write_step(to: &mut Writer<'_>, step: &Step) {
    to.whole(step.from.time.ticks());
    to.word32(step.from.microstep);
    to.whole(step.to.ticks());
    to.real(step.start);
    to.real(step.length);
}

pub(crate) fn read_step(from: &mut Reader<'_>) -> Read<Step> {
    Ok(Step {
        from: Tag { time: read_time(from)?, microstep: from.word32()? },
        to: read_time(from)?,
        start: from.real()?,
        length: from.real()?,
    })
}

pub(crate) fn write_outcome(to: &mut Writer<'_>, outcome: &StepOutcome) {
    to.whole(outcome.reached.ticks());
    to.option(outcome.stopped_at, Writer::real);
    to.byte(outcome.reason as u8);
    to.option(outcome.next_event, |to, time| to.whole(time.ticks()));
}

pub(crate) fn read_outcome(from: &mut Reader<'_>) -> Read<StepOutcome> {
    Ok(StepOutcome {
        reached: read_time(from)?,
        stopped_at: from.option(Reader::real)?,
        reason: read_reason(from)?,
        next_event: from.option(read_time)?,
    })
}

fn read_reason(from: &mut Reader<'_>) -> Read<StepReason> {
    use StepReason::{Complete, Discard, EarlyReturn, Event, Terminate};
    let code = from.byte()?;
    let all = [Complete, EarlyReturn, Event, Discard, Terminate];
    all.into_iter().find(|reason| *reason as u8 == code).ok_or(invalid("reason"))
}

pub(crate) fn write_event_update(to: &mut Writer<'_>, update: &EventUpdate) {
    to.flag(update.again);
    to.flag(update.terminate);
    to.option(update.next_event, |to, time| to.whole(time.ticks()));
}

pub(crate) fn read_event_update(from: &mut Reader<'_>) -> Read<EventUpdate> {
    Ok(EventUpdate {
        again: from.flag()?,
        terminate: from.flag()?,
        next_event: from.option(read_time)?,
    })
}

pub(crate) fn write_log_entry(to: &mut Writer<'_>, entry: &LogEntry) {
    to.byte(entry.level as u8);
    to.text(&entry.category);
    to.text(&entry.message);
}

/// A line of the log of `component`.
pub(crate) fn read_log_entry(from: &mut Reader<'_>, component: &str) -> Read<LogEntry> {
    let code = from.byte()?;
    let levels = [LogLevel::Info, LogLevel::Warning, LogLevel::Error];
    Ok(LogEntry {
        component: component.to_owned(),
        level: levels.into_iter().find(|level| *level as u8 == code).ok_or(invalid("level"))?,
        category: from.text()?.to_owned(),
        message: from.text()?.to_owned(),
    })
}

fn read_time(from: &mut Reader<'_>) -> Read<Time> {
    from.whole().map(Time::from_ticks)
}

/// A number that fits in memory.
pub(crate) fn read_size(from: &mut Reader<'_>) -> Read<usize> {
    usize::try_from(from.word()?).map_err(|_| invalid("size"))
}

/// References with their count.
pub(crate) fn write_references(to: &mut Writer<'_>, references: &[Reference]) {
    to.count(references.len());
    references.iter().for_each(|reference| to.word32(reference.0));
}

/// The same, into memory that is used again and again.
pub(crate) fn read_references(from: &mut Reader<'_>, into: &mut Vec<Reference>) -> Read<()> {
    let count = from.count(size_of::<u32>())?;
    into.clear();
    for _ in 0..count {
        into.push(Reference(from.word32()?));
    }
    Ok(())
}
