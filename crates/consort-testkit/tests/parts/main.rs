//! Runs that are spread over nodes are the same runs: random systems, random placements, and the hash
//! and every row of the run on one node, bit for bit; also when all nodes are saved and resumed in the
//! middle.
//!
//! `CONSORT_RANDOM_PARTS` says how many systems, `CONSORT_RANDOM_SEED` which is the first.

mod case;
mod mixer;
mod post;
mod random;
mod spice;
