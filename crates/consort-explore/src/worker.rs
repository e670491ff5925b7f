//! A worker process of a campaign: it has one world and does the units of work that it is given.
//!
//! A worker reads [`WorkerCommand`] lines from its standard input and writes [`WorkerMessage`] lines to its standard
//! output, each a JSON object; it ends when its input ends. Nothing else may be written there.
//!
//! A working worker reports at intervals which step it is about to take. If it is to be *careful*, it reports every
//! step: if it dies then, the last line names the step that caused it.

use crate::strategy::{UnitResult, WorkUnit};
use crate::visit::{Effort, Explorer, Permit, StepGuard, WorkError};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

/// How often a working worker sends a message.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

/// What a worker is to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerCommand {
    /// A unit of work.
    Work {
        /// The unit to work on.
        unit: WorkUnit,
        /// Report every step before it is taken.
        careful: bool,
        /// Steps that end a worker, and are not to be taken.
        quarantined: Vec<Quarantined>,
    },
}

/// A step that is not to be taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Quarantined {
    /// The choices up to and including the step.
    pub prefix: Vec<u32>,
    /// What happened when it was taken.
    pub reason: String,
}

/// What a worker reports.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerMessage {
    /// The worker is ready.
    Ready {
        /// Of everything that decides results: the same for all workers of a campaign.
        fingerprint: String,
    },
    /// It is about to take the step that ends this prefix.
    At {
        /// The choices of the scenario so far.
        prefix: Vec<u32>,
    },
    /// A unit is done.
    Done {
        /// The number of the unit.
        number: u64,
        /// The result of the unit.
        result: Box<UnitResult>,
        /// What the worker has done since it started.
        effort: Effort,
    },
    /// The worker failed, and ends.
    Failed {
        /// The reason of the failure.
        reason: String,
    },
}

/// Works until `input` ends.
///
/// # Errors
/// If the output is closed, or a line is no command.
pub fn serve<W: World>(
    explorer: &mut Explorer<W>,
    fingerprint: &str,
    input: impl BufRead,
    output: &mut impl Write,
) -> io::Result<()>
where
    W::Error: Display,
{
    send(output, &WorkerMessage::Ready { fingerprint: fingerprint.to_owned() })?;
    for line in input.lines() {
        let WorkerCommand::Work { unit, careful, quarantined } = serde_json::from_str(&line?)?;
        let mut reporter =
            Reporter { output, careful, quarantined, reported: Instant::now(), lost: None };
        let worked = explorer.work(&unit, &mut reporter);
        if let Some(error) = reporter.lost {
            return Err(error);
        }
        match worked {
            Ok(result) => {
                let (number, result) = (unit.number, Box::new(result));
                send(output, &WorkerMessage::Done { number, result, effort: explorer.effort() })?;
            }
            Err(error) => return give_up(output, &error),
        }
    }
    Ok(())
}

fn give_up<E: Display>(output: &mut impl Write, error: &WorkError<E>) -> io::Result<()> {
    let reason = match error {
        WorkError::Stopped => "it was asked to stop".to_owned(),
        other => other.to_string(),
    };
    send(output, &WorkerMessage::Failed { reason })
}

/// Writes a line.
///
/// # Errors
/// If the output is closed.
pub fn send(output: &mut impl Write, message: &WorkerMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

/// Reports each step, or one at intervals.
struct Reporter<'o, O> {
    output: &'o mut O,
    careful: bool,
    quarantined: Vec<Quarantined>,
    reported: Instant,
    /// The output is closed.
    lost: Option<io::Error>,
}

impl<O: Write> StepGuard for Reporter<'_, O> {
    fn before(&mut self, prefix: &[u32]) -> Permit {
        if let Some(known) = self.quarantined.iter().find(|known| known.prefix == prefix) {
            return Permit::Skip(known.reason.clone());
        }
        if self.careful || HEARTBEAT <= self.reported.elapsed() {
            self.reported = Instant::now();
            if let Err(error) = send(self.output, &WorkerMessage::At { prefix: prefix.to_vec() }) {
                self.lost = Some(error);
                return Permit::Stop;
            }
        }
        Permit::Go
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{InputAlphabet, Shape, Space};
    use crate::strategy::UnitTask;
    use crate::visit::Budget;
    use crate::world::{PrefixEvaluation, RobustnessInterval};
    use std::convert::Infallible;

    /// Counts the ones that were chosen; more than two are a violation.
    struct Counter(Vec<u32>);

    impl World for Counter {
        type Saved = Vec<u32>;
        type Error = Infallible;

        fn reset(&mut self) -> Result<(), Infallible> {
            self.0.clear();
            Ok(())
        }

        fn choose(&mut self, letter: u32) -> Result<PrefixEvaluation, Infallible> {
            self.0.push(letter);
            let ones = self.0.iter().sum::<u32>();
            let verdict = if 2 < ones { Some(false) } else { Some(true) };
            let verdict = verdict.filter(|_| self.0.len() == 3);
            let robustness = vec![RobustnessInterval::point(2.0 - f64::from(ones))];
            Ok(PrefixEvaluation { robustness, verdicts: vec![verdict], is_decided: false })
        }

        fn save(&mut self) -> Result<Vec<u32>, Infallible> {
            Ok(self.0.clone())
        }

        fn restore(&mut self, saved: &Vec<u32>) -> Result<(), Infallible> {
            self.0.clone_from(saved);
            Ok(())
        }

        fn unshared_bytes(&self, _saved: &Vec<u32>) -> u64 {
            1
        }
    }

    fn explorer() -> Explorer<Counter> {
        let disturbance = InputAlphabet { name: "u".to_owned(), letters: 2, changes_max: None };
        let shape = Shape { disturbances: vec![disturbance], changes_max: None, horizon: 3 };
        let space = Space::new(&shape, &|_| true).expect("the space is small");
        let budget = Budget { snapshots_max: 4, bytes_max: 1 << 20 };
        Explorer::new(space, Counter(Vec::new()), budget)
    }

    /// The output of a worker for one unit of all scenarios.
    fn messages(careful: bool, quarantined: Vec<Quarantined>) -> Vec<WorkerMessage> {
        let unit = WorkUnit { number: 7, task: UnitTask::Range { horizon: 3, first: 0, count: 8 } };
        let command = serde_json::to_string(&WorkerCommand::Work { unit, careful, quarantined });
        let input = command.expect("it is plain data");
        let mut output = Vec::new();
        serve(&mut explorer(), "print", input.as_bytes(), &mut output).expect("it is read");
        let text = String::from_utf8(output).expect("it is text");
        text.lines().map(|line| serde_json::from_str(line).expect("it is a message")).collect()
    }

    fn result(messages: &[WorkerMessage]) -> &UnitResult {
        match messages.last() {
            Some(WorkerMessage::Done { number: 7, result, .. }) => result,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_worker_says_that_it_is_ready_and_what_it_found() {
        let sent = messages(false, Vec::new());
        assert_eq!(sent[0], WorkerMessage::Ready { fingerprint: "print".to_owned() });
        let tally = result(&sent).summary.tally;
        assert_eq!((tally.holds, tally.violated), (7, 1));
    }

    #[test]
    fn a_careful_worker_reports_every_step_and_finds_the_same() {
        let careful = messages(true, Vec::new());
        let steps = careful.iter().filter(|it| matches!(it, WorkerMessage::At { .. })).count();
        assert!(14 <= steps, "the tree has 14 edges: {steps}");
        assert_eq!(result(&careful), result(&messages(false, Vec::new())));
    }

    #[test]
    fn what_is_quarantined_has_failed_and_the_rest_is_done() {
        let reason = "its worker was ended by signal 11".to_owned();
        let bad = Quarantined { prefix: vec![1, 1], reason: reason.clone() };
        let sent = messages(false, vec![bad]);
        let summary = &result(&sent).summary;
        let tally = summary.tally;
        assert_eq!((tally.holds, tally.violated, tally.failed), (6, 0, 2));
        assert_eq!(summary.failures[0].failure.as_deref(), Some(reason.as_str()));
    }
}
