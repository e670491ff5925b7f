//! What becomes of a run whose nodes have all ended: how it ended, who is to blame, what it came to.

use super::crew::{Crew, Member};
use super::words::{EndWay, Ending, Wish, is_about_others};
use crate::commands::run::saving::Saving;
use crate::execute::{End, Outcome, Timing};
use crate::options::quoted;
use consort_core::{Diagnostic, Resolution, Tag, Time};
use consort_engine::{Statistics, Summary};
use consort_trace::Standing;
use consort_view::numbers::short;
use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Instant;

/// What is left of a run when its nodes have ended.
pub(crate) struct Verdict {
    /// How it ended.
    pub(crate) end: End,
    /// What else there is to say about that.
    pub(crate) more: Vec<Diagnostic>,
    /// The last tag that every node has done; none if a node never began.
    pub(crate) tag: Option<Tag>,
    /// Whatever was done after this tag does not belong to the run.
    pub(crate) cut: Option<Tag>,
}

/// Judges how nodes ended. Of wishes at one tag that of the component with the least `rank` counts.
pub(crate) fn judge(
    crew: &Crew,
    resolution: Resolution,
    saving: &Saving,
    is_interrupted: bool,
    rank: &dyn Fn(&str) -> usize,
) -> Verdict {
    let members = &crew.members;
    let tag = consistent(members);
    let mut verdict = Verdict { end: End::Finished, more: Vec::new(), tag, cut: None };
    if let Some(wish) = fulfilled(members, rank) {
        verdict.end = End::Terminated { component: wish.component.clone() };
        (verdict.tag, verdict.cut) = (Some(wish.tag), Some(wish.tag));
        return verdict;
    }
    if members.iter().all(|member| way(member) == Some(&EndWay::Finished)) {
        return verdict;
    }
    verdict.cut = tag;
    if is_interrupted {
        verdict.end = End::Interrupted;
        return verdict;
    }
    let mut failures = culprit(members, crew.first_lost);
    let resolved = |time: Time| short(resolution.to_f64(time));
    let upto = match tag {
        Some(tag) => format!("every node has done everything up to {} s", resolved(tag.time)),
        None => "no value was computed by all nodes".to_owned(),
    };
    let mut failure = failures.remove(0).with_note(upto);
    if let Some(file) = saving.last_file() {
        let line = format!("consort run --resume {}", quoted(&file.display().to_string()));
        failure = failure.with_note(format!("go on from the last snapshot with `{line}`"));
    }
    verdict.end = End::Lost { failure: Box::new(failure) };
    verdict.more = failures;
    verdict
}

fn way(member: &Member) -> Option<&EndWay> {
    member.ending.as_ref().map(|ending| &ending.way)
}

/// The last time that is done everywhere, with all of its microsteps. A node that died may have done
/// more than it told.
fn consistent(members: &[Member]) -> Option<Tag> {
    let time = members.iter().map(done).min().flatten()?;
    Some(Tag { time, microstep: u32::MAX })
}

fn done(member: &Member) -> Option<Time> {
    match &member.ending {
        Some(ending) => ending.tag.map(|tag| tag.time),
        None => member.at,
    }
}

/// The earliest wish that the run end, if every node has come so far: what happened later anywhere, and
/// be it a failure, would not have happened then.
fn fulfilled<'a>(members: &'a [Member], rank: &dyn Fn(&str) -> usize) -> Option<&'a Wish> {
    let wish = |member: &'a Member| match way(member)? {
        EndWay::Ended(wish) => Some(wish),
        _ => None,
    };
    let first = members.iter().filter_map(wish);
    let first = first.min_by_key(|wish| (wish.tag, rank(&wish.component)))?;
    let is_there = |member: &Member| {
        member.ending.as_ref().is_some_and(Ending::is_finished)
            || done(member).is_some_and(|done| first.tag.time <= done)
    };
    members.iter().all(is_there).then_some(first)
}

/// What is said of whoever is to blame: one that died, one that failed by itself, one that others
/// name. There is at least one thing to say.
fn culprit(members: &[Member], first_lost: Option<usize>) -> Vec<Diagnostic> {
    let first = first_lost.map(|index| &members[index]);
    if let Some(dead) = first.filter(|member| member.ending.is_none()) {
        return vec![death(dead)];
    }
    let failed = |member: &Member| match way(member) {
        Some(EndWay::Failed { why, blamed }) => {
            Some((member.name.clone(), why.clone(), blamed.clone()))
        }
        _ => None,
    };
    let failed: Vec<_> = members.iter().filter_map(failed).collect();
    let is_own = |(_, why, blamed): &&(String, Vec<Diagnostic>, Option<String>)| {
        blamed.is_none() && !why.iter().any(is_about_others)
    };
    match failed.iter().find(is_own).or(failed.first()) {
        Some((name, why, _)) if !why.is_empty() => {
            let named = why.iter().map(|why| named(name, why.clone()));
            named.collect()
        }
        // Whoever was killed because it did not end when told to is the last to be named.
        _ => match members.iter().find(|member| member.ending.is_none()) {
            Some(dead) => vec![death(dead)],
            None => vec![Diagnostic::error("node::failed", "a node ended before its time")],
        },
    }
}

fn named(name: &str, mut why: Diagnostic) -> Diagnostic {
    // Places point into texts that only the node has.
    (why.primary, why.labels) = (None, Vec::new());
    if !why.message.starts_with("node `") {
        why.message = format!("node `{name}`: {}", why.message);
    }
    why
}

fn death(member: &Member) -> Diagnostic {
    let name = &member.name;
    let how = member.status.map_or("is gone".to_owned(), how);
    let diagnostic = Diagnostic::error("node::died", format!("node `{name}` {how}"));
    let help = "run it again; with `--save-every SECONDS --save FILE` a run goes on from its last \
                snapshot";
    diagnostic.help(help)
}

fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = Signal::try_from(signal).map(Signal::as_str);
            format!("was killed by signal {signal} ({})", name.unwrap_or("unknown"))
        }
        (None, Some(101)) => "ended by a bug in Consort (exit code 101)".to_owned(),
        (None, code) => format!("ended with exit code {}", code.unwrap_or_default()),
    }
}

/// What a run came to, from what its nodes came to; if it is cut, from where each stood there, as far as
/// that is known.
pub(crate) fn outcome(
    members: &[Member],
    verdict: &Verdict,
    standings: &[Option<Standing>],
    saving: Saving,
    start: Time,
) -> Outcome {
    let endings: Vec<&Ending> =
        members.iter().filter_map(|member| member.ending.as_ref()).collect();
    let (mut hashes, mut statistics) = (Vec::new(), Statistics::default());
    for (member, standing) in members.iter().zip(standings) {
        let ending = member.ending.as_ref();
        let mut own = ending.map(|ending| ending.statistics).unwrap_or_default();
        match standing {
            Some(standing) => {
                hashes.extend_from_slice(&standing.hashes);
                let counts = standing.counts.as_slice().try_into();
                own = own.with_counts(counts.unwrap_or_default());
            }
            None => hashes.extend(ending.into_iter().flat_map(|it| it.hashes.iter().cloned())),
        }
        statistics.add(&own);
    }
    let stood = standings.iter().flatten().map(|standing| standing.tag).max();
    let tag = stood.or(verdict.tag).unwrap_or(Tag::at(start));
    // Where a component ends between two tags, the step to the second one was begun.
    let is_begun = matches!(verdict.end, End::Terminated { .. })
        && verdict.cut.is_some_and(|cut| tag.time < cut.time);
    statistics.tags += u64::from(is_begun);
    let summary = Summary::new(tag, hashes, statistics, Vec::new());
    let (end, timing) = (verdict.end.clone(), timing(&endings));
    Outcome { end, summary, timing, ended: Instant::now(), saving }
}

fn timing(endings: &[&Ending]) -> Timing {
    let mut all = Timing::default();
    for Ending { timing, .. } in endings {
        all.start = all.start.max(timing.start);
        all.run = all.run.max(timing.run);
        all.late += timing.late;
        all.late_max = all.late_max.max(timing.late_max);
    }
    all
}
