//! Properties in signal temporal logic: what they mean, and what is said about wrong ones.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]

#[path = "property/bad.rs"]
mod bad;
#[path = "property/brute.rs"]
mod brute;
#[path = "property/laws.rs"]
mod laws;
#[path = "property/meaning.rs"]
mod meaning;
#[path = "property/random.rs"]
mod random;
#[path = "property/rtamt.rs"]
mod rtamt;
