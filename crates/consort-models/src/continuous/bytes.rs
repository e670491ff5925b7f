//! A saved instance as bytes: the model's own and those of its run, if it has begun.

use super::instance::Run;
use consort_core::{ContinuousEvent, Joint};
use consort_solve::integrate::Integration;

const NONE: u8 = 0;
const ALONE: u8 = 1;
const JOINED: u8 = 2;

pub(super) fn write(inner: &[u8], run: Option<&Run>) -> Vec<u8> {
    let mut bytes = (inner.len() as u64).to_le_bytes().to_vec();
    bytes.extend(inner);
    match run {
        None => bytes.push(NONE),
        Some(Run::Alone(run)) => {
            bytes.push(ALONE);
            bytes.extend(run.to_bytes());
        }
        Some(Run::Joined(joint)) => {
            bytes.push(JOINED);
            bytes.extend(flags(joint).map(u8::from));
            bytes.extend(joint.event.next_event.unwrap_or(0.0).to_le_bytes());
        }
    }
    bytes
}

/// What [`write()`] wrote; `None` if it did not.
pub(super) fn read(bytes: &[u8]) -> Option<(&[u8], Option<Run>)> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (inner, rest) = rest.split_at_checked(length)?;
    let run = match rest {
        [NONE] => None,
        [ALONE, rest @ ..] => Some(Run::Alone(Box::new(Integration::from_bytes(rest).ok()?))),
        [JOINED, rest @ ..] => Some(Run::Joined(joint(rest)?)),
        _ => return None,
    };
    Some((inner, run))
}

fn flags(joint: &Joint) -> [bool; 9] {
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
        event.next_event.is_some(),
    ]
}

fn joint(bytes: &[u8]) -> Option<Joint> {
    let (flags, next) = bytes.split_first_chunk::<9>()?;
    if flags.iter().any(|flag| 1 < *flag) {
        return None;
    }
    let next = f64::from_le_bytes(next.try_into().ok()?);
    let [
        in_event_mode,
        is_disturbed,
        had_event,
        again,
        terminate,
        states_changed,
        nominals_changed,
        sizes_changed,
        has_next,
    ] = flags.map(|flag| flag == 1);
    let next_event = has_next.then_some(next);
    let event = ContinuousEvent {
        again,
        terminate,
        next_event,
        states_changed,
        nominals_changed,
        sizes_changed,
    };
    Some(Joint { in_event_mode, is_disturbed, had_event, event })
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
            let joint = Joint { had_event: flag, event, ..Joint::default() };
            let bytes = write(b"inner", Some(&Run::Joined(joint)));
            let Some((inner, Some(Run::Joined(again)))) = read(&bytes) else { panic!("{bytes:?}") };
            assert_eq!((inner, again), (&b"inner"[..], joint));
            for end in 0..bytes.len() {
                assert!(read(&bytes[..end]).is_none(), "{end} bytes are not enough");
            }
        }
        let none = write(b"", None);
        assert!(matches!(read(&none), Some((&[], None))));
    }
}
