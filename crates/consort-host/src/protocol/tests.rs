//! What is written is read; what is damaged is refused.

use super::*;
use consort_core::{
    CallError, CallStatus, EventUpdate, LogEntry, LogLevel, Prng, Resolution, Seconds, Setup, Step,
    StepOutcome, StepReason, Tag, Time, Values,
};

/// Writes something; the bytes.
fn written(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut place = vec![0; 4096];
    let mut writer = Place::writer(&mut place);
    write(&mut writer);
    let length = writer.sink().length().unwrap();
    place.truncate(length);
    place
}

/// What is written is read again, and every shorter text is refused.
fn check<T: PartialEq + std::fmt::Debug>(
    value: &T,
    write: impl FnOnce(&mut Writer<'_>, &T),
    read: impl Fn(&mut Reader<'_>) -> Read<T>,
) {
    let bytes = written(|to| write(to, value));
    let mut reader = Reader::bare(&bytes);
    assert_eq!(read(&mut reader).as_ref(), Ok(value));
    assert!(reader.rest().is_empty());
    for length in 0..bytes.len() {
        let cut = read(&mut Reader::bare(&bytes[..length]));
        assert!(cut.is_err(), "{length} bytes of {value:?}");
    }
}

#[test]
fn parts_of_calls_are_read_as_they_were_written() {
    let third = Resolution::new(Seconds::new(1, 3000).unwrap()).unwrap();
    let (start, stop) = (Time::from_ticks(-5), Some(Time::from_ticks(i64::MAX)));
    let setup = Setup { resolution: third, start, stop, tolerance: Some(1e-7) };
    check(&setup, write_setup, read_setup);
    let from = Tag { time: start, microstep: 3 };
    let step = Step { from, to: Time::from_ticks(7), start: 0.1, length: f64::MIN_POSITIVE };
    check(&step, write_step, read_step);
    let reason = StepReason::Event;
    let outcome = StepOutcome { reached: start, stopped_at: Some(0.3), reason, next_event: stop };
    check(&outcome, write_outcome, read_outcome);
    let update = EventUpdate { again: true, terminate: false, next_event: None };
    check(&update, write_event_update, read_event_update);
    let text = |text: &str| text.to_owned();
    let entry = LogEntry {
        component: text("tank"),
        level: LogLevel::Warning,
        category: text("größe"),
        message: text("two\nlines"),
    };
    check(&entry, write_log_entry, |from| read_log_entry(from, "tank"));
}

#[test]
fn errors_of_every_status_are_read_as_they_were_written() {
    for status in [
        CallStatus::Discard,
        CallStatus::Error,
        CallStatus::Fatal,
        CallStatus::Pending,
        CallStatus::NoInstance,
        CallStatus::Unsupported,
        CallStatus::WrongState("event mode"),
        CallStatus::Unknown(-7),
        CallStatus::Refused("a reason".to_owned()),
        CallStatus::Gone("its process is gone".to_owned()),
        CallStatus::NoAnswer("no answer for 3 s".to_owned()),
        CallStatus::Killed("killed from outside".to_owned()),
    ] {
        let log = vec!["first".to_owned(), String::new()];
        let arguments = "t = 1".to_owned();
        let error = Box::new(CallError { call: "fmi2DoStep", arguments, status, log });
        check(&error, |to, error| write_error(to, error), read_error);
    }
}

#[test]
fn codes_lead_back_to_what_is_asked() {
    for code in 0..64 {
        assert!(Op::from_code(code).is_none_or(|op| op as u32 == code));
    }
    assert_eq!(Op::Set.name_for(Family::Fmi2, ValueType::Float64), "fmi2SetReal");
    assert_eq!(Op::Get.name_for(Family::Fmi3, ValueType::UInt16), "fmi3GetUInt16");
    assert_eq!(Op::Save.name_for(Family::Fmi2, ValueType::Float64), "fmi2GetFMUstate");
    assert_eq!(Op::Step.name(Family::of("FMI 2.0 Model Exchange")), "step");
    assert_eq!(Op::Step.name(Family::of("FMI 3.0 Co-Simulation")), "fmi3DoStep");
}

#[test]
fn what_has_no_room_is_noted_and_nothing_is_written_beyond() {
    let mut place = [7; 12];
    let mut writer = Place::writer(&mut place[..8]);
    writer.word(1);
    writer.byte(2);
    assert!(writer.sink().is_full());
    assert_eq!(writer.sink().length(), None);
    assert_eq!(place[8..], [7; 4]);
}

#[test]
fn bytes_of_any_kind_are_read_without_a_panic() {
    let mut prng = Prng::new(11);
    for _ in 0..20_000 {
        let length = usize::try_from(prng.below(64)).unwrap();
        let bytes: Vec<u8> = (0..length).map(|_| prng.next_u64().to_le_bytes()[0]).collect();
        // Small numbers are where counts make sense.
        let small: Vec<u8> = bytes.iter().map(|byte| byte % 4).collect();
        for bytes in [&bytes, &small] {
            let mut reader = Reader::bare(bytes);
            let _ = (read_error(&mut reader), read_outcome(&mut reader));
            let mut reader = Reader::bare(bytes);
            let _ = (read_setup(&mut reader), read_references(&mut reader, &mut Vec::new()));
            let mut values = Values::String(vec![String::new(); 3]);
            let _ = Reader::bare(bytes).elements(values.slice_mut(0, 3));
            let mut values = Values::Boolean(vec![false; 3]);
            let _ = Reader::bare(bytes).elements(values.slice_mut(0, 3));
        }
    }
}
