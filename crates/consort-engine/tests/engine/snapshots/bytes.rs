//! Bytes of strangers: refused, or a run like any other, but never a panic.

use super::{announced, end, intervened, resume};
use crate::repeatability::ring;
use crate::rollback::{short_of_breath, with_memory};
use crate::support::Bench;
use crate::together::oscillator;
use consort_core::{Prng, SolverKind, Time};
use consort_engine::RunError;

fn saved(bench: Bench, ticks: i64) -> Vec<u8> {
    let (mut run, _) = bench.start(1).expect("it starts");
    run.advance(Time::from_ticks(ticks)).expect("it runs");
    let saved = run.snapshot().expect("saved");
    run.serialize(&saved).expect("bytes")
}

#[test]
fn snapshots_of_other_runs_are_refused() {
    let of_ring = saved(ring(5, 3), 7);
    for (bench, what) in [
        (ring(6, 3), "another number of components"),
        (intervened(), "other components"),
        (oscillator(1, SolverKind::Bdf), "another kind"),
    ] {
        let refused = resume(&bench, 1, &of_ring).err();
        assert!(matches!(refused, Some(RunError::ForeignSnapshot { .. })), "{what}: {refused:?}");
    }
    let mut undisturbed = intervened();
    undisturbed.system.interventions.clear();
    let refused = resume(&undisturbed, 1, &saved(intervened(), 5)).err();
    assert!(matches!(refused, Some(RunError::ForeignSnapshot { .. })), "{refused:?}");
    let mut earlier = ring(5, 3);
    earlier.system.experiment.stop = Time::from_ticks(6);
    let refused = resume(&earlier, 1, &of_ring).err().expect("it would be over before");
    assert_eq!(
        refused.to_string(),
        "the snapshot does not belong to this run: its time is not of the experiment"
    );
}

#[test]
fn bytes_that_are_too_short_or_too_long_are_refused() {
    let bytes = saved(announced(), 7);
    for length in 0..bytes.len() {
        let refused = resume(&announced(), 1, &bytes[..length]).err();
        assert!(matches!(refused, Some(RunError::BrokenSnapshot { .. })), "{length}: {refused:?}");
    }
    let refused = resume(&announced(), 1, &[&bytes[..], b"x"].concat()).err();
    assert!(matches!(refused, Some(RunError::BrokenSnapshot { .. })), "{refused:?}");
}

#[test]
#[expect(clippy::print_stdout, reason = "a random test prints its seed")]
fn bytes_of_strangers_never_panic() {
    let benches: [fn() -> Bench; 5] = [
        || ring(3, 2),
        || with_memory(short_of_breath, 40),
        || oscillator(2, SolverKind::Bdf),
        intervened,
        announced,
    ];
    println!("seed 5");
    let mut prng = Prng::new(5);
    for bench in benches {
        let bytes = saved(bench(), 6);
        for _ in 0..300 {
            let mut changed = bytes.clone();
            for _ in 0..=prng.below(2) {
                let at = prng.below(bytes.len() as u64) as usize;
                changed[at] = prng.next_u64() as u8;
            }
            // A value that was changed is a state like any other: the run goes its way, or fails.
            if let Ok((mut run, _)) = resume(&bench(), 1, &changed) {
                let _ = run.advance(Time::MAX);
            }
        }
    }
}

#[test]
fn the_same_bytes_resume_again_and_again() {
    let bytes = saved(ring(5, 3), 7);
    let first = end(resume(&ring(5, 3), 1, &bytes).expect("it resumes").0);
    let (mut run, _) = resume(&ring(5, 3), 1, &bytes).expect("it resumes");
    run.advance(Time::from_ticks(31)).expect("it runs");
    let later = run.snapshot().expect("saved");
    let later = run.serialize(&later).expect("bytes");
    assert_eq!(end(resume(&ring(5, 3), 2, &later).expect("it resumes").0), first);
}
