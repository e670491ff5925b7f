//! Which scenarios there are.
