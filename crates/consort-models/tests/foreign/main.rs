//! Programs of the user's own as instances: in C, in Python, and played by the tests themselves.
#![expect(clippy::unwrap_used, reason = "a helper that cannot continue fails its test")]
#![expect(clippy::float_cmp, reason = "exact bits are what we promise")]
#![expect(clippy::print_stdout, reason = "random tests print their seed")]

mod bench;
mod companion;
mod hostile;
mod interface;
mod life;
mod misbehave;
mod played;
