//! The laws that traces keep, over every value type.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

#[path = "trace/common.rs"]
mod common;
#[path = "trace/damage.rs"]
mod damage;
#[path = "trace/difference.rs"]
mod difference;
#[path = "trace/hash.rs"]
mod hash;
#[path = "trace/journal.rs"]
mod journal;
#[path = "trace/mcap.rs"]
mod mcap;
#[path = "trace/round_trip.rs"]
mod round_trip;
