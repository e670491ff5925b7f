//! Calls that failed.

use super::{Read, Reader, Writer, invalid};
use consort_core::{CallError, CallStatus};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

pub(crate) fn write_error(to: &mut Writer<'_>, error: &CallError) {
    to.text(error.call);
    to.text(&error.arguments);
    let unlisted: String;
    let (code, number, text): (u8, i32, &str) = match &error.status {
        CallStatus::Discard => (0, 0, ""),
        CallStatus::Error => (1, 0, ""),
        CallStatus::Fatal => (2, 0, ""),
        CallStatus::Pending => (3, 0, ""),
        CallStatus::NoInstance => (4, 0, ""),
        CallStatus::Unsupported => (5, 0, ""),
        CallStatus::WrongState(state) => (6, 0, state),
        CallStatus::Unknown(status) => (7, *status, ""),
        CallStatus::Refused(reason) => (8, 0, reason),
        CallStatus::Gone(what) => (9, 0, what),
        CallStatus::Killed(what) => (10, 0, what),
        CallStatus::NoAnswer(what) => (11, 0, what),
        // A status that is added to the enumeration arrives as its text.
        other => {
            unlisted = other.to_string();
            (8, 0, &unlisted)
        }
    };
    to.byte(code);
    to.whole(number.into());
    to.text(text);
    to.count(error.log.len());
    for line in &error.log {
        to.text(line);
    }
}

pub(crate) fn read_error(from: &mut Reader<'_>) -> Read<Box<CallError>> {
    let call = interned(from.text()?);
    let arguments = from.text()?.to_owned();
    let (code, number) =
        (from.byte()?, i32::try_from(from.whole()?).map_err(|_| invalid("status"))?);
    let text = from.text()?;
    let status = match code {
        0 => CallStatus::Discard,
        1 => CallStatus::Error,
        2 => CallStatus::Fatal,
        3 => CallStatus::Pending,
        4 => CallStatus::NoInstance,
        5 => CallStatus::Unsupported,
        6 => CallStatus::WrongState(interned(text)),
        7 => CallStatus::Unknown(number),
        8 => CallStatus::Refused(text.to_owned()),
        9 => CallStatus::Gone(text.to_owned()),
        10 => CallStatus::Killed(text.to_owned()),
        11 => CallStatus::NoAnswer(text.to_owned()),
        _ => return Err(invalid("status")),
    };
    let mut log = Vec::new();
    for _ in 0..from.count(1)? {
        log.push(from.text()?.to_owned());
    }
    Ok(Box::new(CallError { call, arguments, status, log }))
}

/// Most names that are kept; there are fewer calls than that, and a worker gone mad shall not fill the
/// memory.
const NAMES_MAX: usize = 1024;

/// A name that lives as long as the program: names of calls are few.
pub(super) fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name) {
        Some(known) => known,
        None if names.len() < NAMES_MAX => {
            let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
            names.insert(kept);
            kept
        }
        None => "a call",
    }
}
