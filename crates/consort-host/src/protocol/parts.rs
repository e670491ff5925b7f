//! The small things calls are made of.

use super::{Reader, Writer};
use consort_core::{
    EventUpdate, LogEntry, LogLevel, Resolution, Seconds, Setup, Step, StepOutcome, StepReason,
    Tag, Time,
};

pub(crate) fn write_setup(to: &mut Writer<'_>, setup: &Setup) {
    let tick = setup.resolution.tick();
    to.ticks(tick.numerator());
    to.long(tick.denominator());
    to.ticks(setup.start.ticks());
    to.option(setup.stop, |to, stop| to.ticks(stop.ticks()));
    to.option(setup.tolerance, Writer::number);
}

pub(crate) fn read_setup(from: &mut Reader<'_>) -> Option<Setup> {
    let tick = Seconds::new(from.ticks()?, from.long()?)?;
    Some(Setup {
        resolution: Resolution::new(tick)?,
        start: read_time(from)?,
        stop: from.option(read_time)?,
        tolerance: from.option(Reader::number)?,
    })
}

pub(crate) fn write_step(to: &mut Writer<'_>, step: &Step) {
    to.ticks(step.from.time.ticks());
    to.word(step.from.microstep);
    to.ticks(step.to.ticks());
    to.number(step.start);
    to.number(step.length);
}

pub(crate) fn read_step(from: &mut Reader<'_>) -> Option<Step> {
    Some(Step {
        from: Tag { time: read_time(from)?, microstep: from.word()? },
        to: read_time(from)?,
        start: from.number()?,
        length: from.number()?,
    })
}

pub(crate) fn write_outcome(to: &mut Writer<'_>, outcome: &StepOutcome) {
    to.ticks(outcome.reached.ticks());
    to.option(outcome.stopped_at, Writer::number);
    to.byte(outcome.reason as u8);
    to.option(outcome.next_event, |to, time| to.ticks(time.ticks()));
}

pub(crate) fn read_outcome(from: &mut Reader<'_>) -> Option<StepOutcome> {
    Some(StepOutcome {
        reached: read_time(from)?,
        stopped_at: from.option(Reader::number)?,
        reason: read_reason(from)?,
        next_event: from.option(read_time)?,
    })
}

fn read_reason(from: &mut Reader<'_>) -> Option<StepReason> {
    use StepReason::{Complete, Discard, EarlyReturn, Event, Terminate};
    let code = from.byte()?;
    let all = [Complete, EarlyReturn, Event, Discard, Terminate];
    all.into_iter().find(|reason| *reason as u8 == code)
}

pub(crate) fn write_event_update(to: &mut Writer<'_>, update: &EventUpdate) {
    to.flag(update.again);
    to.flag(update.terminate);
    to.option(update.next_event, |to, time| to.ticks(time.ticks()));
}

pub(crate) fn read_event_update(from: &mut Reader<'_>) -> Option<EventUpdate> {
    Some(EventUpdate {
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
pub(crate) fn read_log_entry(from: &mut Reader<'_>, component: &str) -> Option<LogEntry> {
    let code = from.byte()?;
    let levels = [LogLevel::Info, LogLevel::Warning, LogLevel::Error];
    Some(LogEntry {
        component: component.to_owned(),
        level: levels.into_iter().find(|level| *level as u8 == code)?,
        category: from.text()?.to_owned(),
        message: from.text()?.to_owned(),
    })
}

fn read_time(from: &mut Reader<'_>) -> Option<Time> {
    from.ticks().map(Time::from_ticks)
}
