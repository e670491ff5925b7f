//! Bytes of strangers, damaged by a seeded mutator, are read to an end without a panic.

use consort_node::fuzz;
use consort_testkit::fuzz::drive;

#[test]
fn frames_of_strangers_never_panic() {
    drive("frames", fuzz::frames, 20_000);
}
