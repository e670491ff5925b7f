//! A saved instance as bytes: the model's own and those of its run, if it has begun.

use super::instance::Progress;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{ContinuousEvent, CoupledEvents};
use consort_solve::integrate::Integration;

/// How the bytes begin; the last is to be counted up when their form changes.
const MAGIC: [u8; 8] = *b"CSTSOLV\x02";

const NONE: u8 = 0;
const ALONE: u8 = 1;
const JOINED: u8 = 2;

pub(super) fn write(inner: &[u8], run: Option<&Progress>) -> Vec<u8> {
    let mut writer = Writer::new(MAGIC);
    writer.part(inner);
    match run {
        None => writer.byte(NONE),
        Some(Progress::Alone(run)) => {
            writer.byte(ALONE);
            writer.part(&run.to_bytes());
        }
        Some(Progress::Joined(joint)) => {
            writer.byte(JOINED);
            flags(joint).into_iter().for_each(|flag| writer.flag(flag));
            writer.option(joint.event.next_event, Writer::real);
        }
    }
    writer.finish()
}

/// Reads what [`write()`] wrote.
pub(super) fn read(bytes: &[u8]) -> Result<(&[u8], Option<Progress>), BytesError> {
    let mut reader = Reader::new(bytes, MAGIC)?;
    let inner = reader.part()?;
    let run = match reader.byte()? {
        NONE => None,
        ALONE => Some(Progress::Alone(Box::new(Integration::from_bytes(reader.part()?)?))),
        JOINED => Some(Progress::Joined(read_joint(&mut reader)?)),
        _ => return Err(BytesError::Impossible { what: "run" }),
    };
    reader.end()?;
    Ok((inner, run))
}

fn flags(joint: &CoupledEvents) -> [bool; 8] {
    let event = &joint.event;
    [
        joint.in_event_mode,
        joint.is_disturbed,
        joint.had_event,
        event.again,
        event.terminate,
        event.states_changed,
        event.nominals_changed,
        event.sizes_changed,
    ]
}

fn read_joint(reader: &mut Reader<'_>) -> Result<CoupledEvents, BytesError> {
    Ok(CoupledEvents {
        in_event_mode: reader.flag()?,
        is_disturbed: reader.flag()?,
        had_event: reader.flag()?,
        event: ContinuousEvent {
            again: reader.flag()?,
            terminate: reader.flag()?,
            states_changed: reader.flag()?,
            nominals_changed: reader.flag()?,
            sizes_changed: reader.flag()?,
            next_event: reader.option(Reader::real)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_that_joined_others_is_read_back_exactly() {
        for (next_event, flag) in [(None, false), (Some(0.1 + 0.2), true)] {
            let event = ContinuousEvent {
                next_event,
                states_changed: flag,
                terminate: !flag,
                ..ContinuousEvent::default()
            };
            let joint = CoupledEvents { had_event: flag, event, ..CoupledEvents::default() };
            let bytes = write(b"inner", Some(&Progress::Joined(joint)));
            let Ok((inner, Some(Progress::Joined(again)))) = read(&bytes) else {
                panic!("{bytes:?}")
            };
            assert_eq!((inner, again), (&b"inner"[..], joint));
            for end in 0..bytes.len() {
                assert!(read(&bytes[..end]).is_err(), "{end} bytes are not enough");
            }
        }
        let none = write(b"", None);
        assert!(matches!(read(&none), Ok((&[], None))));
    }
}
