//! The log of the served instance: lines in shared memory, which the other side takes after each call.

use crate::channel::Channel;
use crate::protocol::{Place, write_log_entry};
use consort_core::{LogEntry, LogSink};
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// More than the level and the lengths of both texts take.
const FRAME_BYTES: usize = 64;

/// A sink that writes to the channel.
pub(super) fn sink(channel: ManuallyDrop<Channel>) -> LogSink {
    // Models may log from threads of their own.
    let channel = Mutex::new(channel);
    Arc::new(move |entry| write(&mut channel.lock().unwrap_or_else(PoisonError::into_inner), entry))
}

fn write(channel: &mut Channel, entry: &LogEntry) {
    let mut line = vec![0; entry.category.len() + entry.message.len() + FRAME_BYTES];
    let mut writer = Place::writer(&mut line);
    write_log_entry(&mut writer, entry);
    let is_written =
        writer.sink().length().is_some_and(|length| channel.write_log(&line[..length]));
    if !is_written {
        channel.header().log_lost.fetch_add(1, Ordering::Relaxed);
    }
}
