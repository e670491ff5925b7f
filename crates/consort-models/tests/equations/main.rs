//! Models written as equations, live: events, delays, switches, saving; against closed forms.
#![expect(clippy::unwrap_used, reason = "a model that cannot be made has failed")]
#![expect(clippy::float_cmp, reason = "exact bits are what we promise")]
#![expect(clippy::print_stdout, reason = "seeds and what was measured are there to be read")]

mod balls;
mod bench;
mod delays;
mod events;
mod interface;
mod saving;
mod siblings;
mod switches;
