//! `run --resume FILE --verify`: the whole run once more from its start, compared with the one that continued.

use crate::driver::{End, RunOutcome};
use crate::error::Error;
use crate::prepared::Prepared;
use crate::resume::Resumed;
use consort_core::{Diagnostic, Tag, Time};
use consort_engine::{Run, RunError, RunOptions, StateDiffers, Summary};
use consort_view::numbers::short;
use std::time::{Duration, Instant};

/// Runs it again from the start, as far as the resumed run came, and compares every bit. Returns how long that took;
/// nothing if the resumed run did not come to its end.
///
/// # Errors
/// If both are not the same run, or the second one cannot be made.
pub fn verify(
    prepared: &Prepared,
    resumed: &Resumed,
    outcome: &RunOutcome,
    workers: usize,
) -> Result<Option<Duration>, Error> {
    if !matches!(outcome.end, End::Finished | End::Terminated { .. }) {
        return Ok(None);
    }
    let began = Instant::now();
    let resolution = prepared.resolved().experiment.resolution;
    let second = Second { prepared, resumed, workers };
    let failed = |error: RunError| Error::failed(error.diagnostic(resolution));
    let whole = second.whole(outcome.summary.tag.time).map_err(failed)?;
    if whole.hashes != outcome.summary.hashes || whole.tag != outcome.summary.tag {
        let error = second.first_difference(whole.tag.time).map_err(failed)?;
        let diagnostic = error.map(|error| error.diagnostic(resolution));
        return Err(Error::failed(diagnostic.unwrap_or_else(|| second.unlike())));
    }
    Ok(Some(began.elapsed()))
}

struct Second<'s> {
    prepared: &'s Prepared,
    resumed: &'s Resumed,
    workers: usize,
}

impl Second<'_> {
    /// The run from its start to a time.
    fn whole(&self, until: Time) -> Result<Summary, RunError> {
        let mut run = self.start()?;
        run.advance(until)?;
        Ok(run.finish())
    }

    /// From its start to where it was saved. Where a restore can be noticed, it is saved where it was.
    fn start(&self) -> Result<Run, RunError> {
        let options = RunOptions::quiet(self.workers);
        let mut run = Run::start(self.prepared.executable(), options)?;
        let is_noticed = self.prepared.is_restore_noticed();
        for Tag { time, .. } in self.resumed.save_points() {
            run.advance(*time)?;
            if is_noticed {
                run.snapshot()?;
            }
        }
        Ok(run)
    }

    /// Where the resumed run differs from the one from the start, for the first time. They are run one after
    /// the other: some models cannot be there twice.
    fn first_difference(&self, until: Time) -> Result<Option<RunError>, RunError> {
        let mut again = self.resume()?;
        let mut places = vec![(again.tag(), again.marks())];
        while is_on(&mut again, until)? {
            places.push((again.tag(), again.marks()));
        }
        again.end();
        let mut whole = self.start()?;
        let mut places = places.into_iter();
        while places.next() == Some((whole.tag(), whole.marks())) && is_on(&mut whole, until)? {}
        let record = whole.tag_record();
        whole.end();
        let mut again = self.resume()?;
        while again.tag() < record.tag() && is_on(&mut again, until)? {}
        Ok(again.compare(&record, self.resumed.tag()).err())
    }

    /// The run was another one, and is not when it is resumed once more: some state does not continue in one way. The
    /// components that are no code of ours are named.
    fn unlike(&self) -> Diagnostic {
        let resolution = self.prepared.resolved().experiment.resolution;
        let saved = short(resolution.to_f64(self.resumed.tag().time));
        let message = format!("the resumed run, saved at {saved} s, is not the one from the start");
        let diagnostic = Diagnostic::error("state::differs", message);
        let suspects = self.prepared.components().filter_map(|component| {
            let description = component.model.description();
            let provider = description.state_provider();
            description
                .is_foreign_code()
                .then(|| format!("`{}` is saved by `{provider}`", component.resolved.name))
        });
        suspects.fold(diagnostic, Diagnostic::with_note).help(StateDiffers::HELP)
    }

    fn resume(&self) -> Result<Run, RunError> {
        let options = RunOptions::quiet(self.workers);
        Run::resume(self.prepared.executable(), options, self.resumed.state())
    }
}

/// Moves on by one step; not past a time or the end.
fn is_on(run: &mut Run, until: Time) -> Result<bool, RunError> {
    let (tag, next) = (run.tag(), run.next_time()?);
    if next <= until {
        run.advance(next)?;
    }
    Ok(tag != run.tag())
}
