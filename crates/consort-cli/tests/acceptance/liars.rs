//! FMUs that do what real ones do and should not: parameters lost, calls for nothing, logs to nowhere. Each in both
//! versions, by both interfaces, in our process and in its own.

mod liar;
mod logs;
mod nothing;
mod parameters;
