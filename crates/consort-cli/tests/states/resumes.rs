//! A run that is saved at some time, resumed, and compared with the run in one piece.

use crate::program::{Asked, Said, World, seconds};
use crate::tally::{Found, Tally};

const NOT_CHECKED: &str = "wrong resumes, states used without a check";
const CHECKED: &str = "wrong resumes, states that a check found faithful";

/// A run in one piece, and the same in two.
struct Pieces {
    /// Never saved.
    plain: Said,
    /// Saved, and nothing checked.
    saved: Said,
    /// Resumed from there.
    resumed: Said,
    /// The same, compared with the run from the start.
    verified: Said,
    /// Saved, with a twin as by default.
    followed: Said,
}

/// Runs it in one piece and in two, with and without verification.
pub(crate) fn examine(world: &World<'_>, tally: &mut Tally) {
    let plain = world.consort(&["run", "s", "--no-record"], "plain");
    if plain.code != Some(0) {
        return tally.fail(world.case, "a plain run fails", &plain.stderr);
    }
    let at = seconds(world.save_at);
    let later = world.stop_later.map(seconds);
    let place = if later.is_some() { "--stop" } else { "--save-at" };
    let saving = ["run", "s", "--no-record", place, &at, "--save"];
    let saved = world.consort(&[&saving[..], &["file", "--no-verify"]].concat(), "saved");
    if saved.code != Some(0) {
        tally.count("runs: not saved, and said");
        return tally.fail_unless(saved.names_refusal(), world, "a refusal without a name", &saved);
    }
    // A run that is saved is another one then, and the one to compare with has no save at its end.
    if saved.is_repeatable_only() && later.is_some() {
        return tally.count("runs: stopped, with states that behave in their own way");
    }
    let mut resuming = vec!["run", "--no-record", "--resume", "file"];
    resuming.extend(later.iter().flat_map(|later| ["--stop", later]));
    let resumed = world.consort(&resuming, "resumed");
    let verified = world.consort(&[&resuming[..], &["--verify"]].concat(), "verified");
    let followed = world.consort(&[&saving[..], &["other"]].concat(), "followed");
    compare(world, &Pieces { plain, saved, resumed, verified, followed }, tally);
}

fn compare(world: &World<'_>, pieces: &Pieces, tally: &mut Tally) {
    let Pieces { plain, saved, resumed, verified, followed } = pieces;
    tally.spent("run in one piece", plain.seconds);
    tally.spent("run that is saved, not checked", saved.seconds);
    tally.spent("run that is saved, with a twin", followed.seconds);
    tally.spent("resumed run", resumed.seconds);
    tally.spent("resumed run, verified", verified.seconds);
    let expected = if saved.is_repeatable_only() { saved } else { plain };
    let is_forced = world.asked == Asked::Native;
    if world.stop_later.is_none() && saved.trace_hash() != expected.trace_hash() {
        tally.count("runs: changed by saving (state = \"native\")");
        tally.fail_unless(is_forced, world, "a run that is changed by saving", saved);
    }
    let is_wrong = resumed.code != Some(0) || resumed.trace_hash() != expected.trace_hash();
    judge_verified(world, expected, (verified, is_wrong), tally);
    let found = judge_followed(world, (followed, is_wrong), tally);
    match (is_wrong, found) {
        (true, _) if is_forced => tally.default_share(NOT_CHECKED, Found { found }),
        (true, _) => tally.default_share(CHECKED, Found { found }),
        (false, true) => tally.count("runs: refused by a twin, though this resume is right"),
        (false, false) => tally.count("runs: resumed right"),
    }
}

/// Whether a twin found a difference.
fn judge_followed(
    world: &World<'_>,
    (followed, is_wrong): (&Said, bool),
    tally: &mut Tally,
) -> bool {
    let found = followed.code != Some(0);
    let is_named = !found || followed.names_difference();
    tally.fail_unless(is_named, world, "a save's error that does not name all", followed);
    let is_fair = !world.case.faults.is_empty() || (!is_wrong && !found);
    tally.fail_unless(is_fair, world, "an error for honest states", followed);
    found
}

/// Verified completely: the same trace, or an error.
fn judge_verified(
    world: &World<'_>,
    expected: &Said,
    (verified, is_wrong): (&Said, bool),
    tally: &mut Tally,
) {
    match verified.code {
        Some(0) => {
            let is_right = verified.trace_hash() == expected.trace_hash();
            tally.fail_unless(is_right, world, "a wrong resume with exit 0", verified);
        }
        _ => {
            tally.fail_unless(is_wrong, world, "an error for a right resume", verified);
            let is_named = verified.names_difference();
            tally.fail_unless(is_named, world, "an error that does not name all", verified);
        }
    }
}
