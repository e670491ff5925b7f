//! What must hold of every case.

use crate::program::{Ending, Place, Run};
use crate::tally::{Finished, Tally};
use consort_testkit::fmus::Fmi;
use consort_testkit::liar::{Case, Harm, Interface, Kind, Shape};
use std::collections::BTreeMap;

/// Knows what honest FMUs do.
pub(crate) struct Judge {
    honest: BTreeMap<(Fmi, Interface, Shape), String>,
}

impl Judge {
    /// Runs every form of the FMU without a lie.
    pub(crate) fn new() -> Self {
        let mut honest = BTreeMap::new();
        for (fmi, interface) in crate::FORMS {
            for (states, indicators) in [(true, true), (true, false), (false, true), (false, false)]
            {
                let shape = Shape { states, indicators };
                let case = Case { shape, ..Case::of(fmi, interface, &[]) };
                let run = Run::of(&case, Place::Apart);
                assert_eq!(run.ending, Ending::Exit(0), "{case}: {}", run.stderr);
                honest.insert((fmi, interface, shape), run.rows.expect("an honest run has rows"));
            }
        }
        Judge { honest }
    }

    /// The rows of an honest run.
    pub(crate) fn honest(&self, case: &Case) -> &str {
        &self.honest[&(case.fmi, case.interface, case.shape)]
    }

    /// Runs a case here and apart, and notes what is wrong.
    pub(crate) fn examine(&self, case: Case, tally: &mut Tally) {
        let runs_here = case.harm() != Harm::Endless;
        let here = runs_here.then(|| Run::of(&case, Place::Here));
        let apart = Run::of(&case, Place::Apart);
        let mut wrong = Vec::new();
        if let Some(here) = &here {
            self.check(&case, here, Place::Here, &mut wrong);
            compare(&case, here, &apart, &mut wrong);
            if let (Some(here), Some(apart)) = (&here.rest, &apart.rest) {
                compare(&case, here, apart, &mut wrong);
            }
        }
        self.check(&case, &apart, Place::Apart, &mut wrong);
        for (run, place) in [(here.as_ref(), Place::Here), (Some(&apart), Place::Apart)] {
            if let Some(rest) = run.and_then(|run| run.rest.as_ref()) {
                self.check(&case, rest, place, &mut wrong);
            }
        }
        tally.count(&case, here.as_ref(), &apart);
        if !wrong.is_empty() {
            tally.failures.push(failure(&case, &wrong, here.as_ref(), &apart));
        }
        let rows = here.as_ref().filter(|here| here.ending == Ending::Exit(0));
        if let Some(rows) = rows.and_then(|here| here.rows.clone())
            && case.interface == Interface::CoSimulation
        {
            tally.finished.push(Finished { case, rows });
        }
    }

    /// What must hold wherever the FMU lives.
    fn check(&self, case: &Case, run: &Run, place: Place, wrong: &mut Vec<String>) {
        let mut complain = |what: &str| wrong.push(format!("{place:?}: {what}"));
        let may_die = place == Place::Here && case.harm() == Harm::Deadly;
        if run.stderr.contains("panicked at") || run.stderr.contains("a bug in Consort") {
            complain("a panic");
        }
        if !run.stdout.is_empty() {
            complain("words on standard output");
        }
        match run.ending {
            Ending::Exit(0) if run.rows.is_none() && !may_die => complain("done without a record"),
            Ending::Exit(0) => {}
            Ending::Exit(2) => self.check_named(case, run, place, &mut complain),
            _ if may_die => {}
            Ending::Exit(code) => complain(&format!("exit code {code}")),
            Ending::Signal(signal) => complain(&format!("death by signal {signal}")),
            Ending::Endless => complain("no end"),
        }
        let is_honest = case.harm() == Harm::Nothing;
        let rows = run.rows.as_deref().unwrap_or("none");
        // A run that is resumed records what is left.
        let is_whole = rows.starts_with("0.0,");
        let honest = self.honest(case);
        if is_honest && if is_whole { rows != honest } else { !honest.ends_with(rows) } {
            complain("another trace than that of an honest FMU");
        }
    }

    fn check_named(&self, case: &Case, run: &Run, place: Place, complain: &mut impl FnMut(&str)) {
        // An FMU that closes our standard error ends our messages.
        if place == Place::Here && case.has(Kind::World, &[8, 9]) {
            return;
        }
        let complaint = run.complaint();
        let names_component = complaint.iter().any(|line| line.contains(&case.component()));
        // No call is to blame for events or early returns without end.
        let names_call = complaint.iter().any(|line| {
            line.starts_with(" = note: ") && line.contains('(')
                || line.starts_with("error[run::no-progress]")
        });
        if let Some(symbol) = guilty(case)
            && !complaint.iter().any(|line| line.contains(&symbol))
        {
            complain(&format!("an error that does not name `{symbol}`"));
        }
        if !names_component {
            complain("an error that does not name the component");
        }
        if !names_call {
            complain("an error that does not name the call");
        }
    }
}

/// The function that alone can be the reason why a run fails: the one that returns a wrong status.
fn guilty(case: &Case) -> Option<String> {
    let [lie] = &case.lies[..] else { return None };
    // A solver tries again after a discard, and fails by itself in the end.
    if case.interface == Interface::ModelExchange && lie.argument == 2 {
        return None;
    }
    let is_status = matches!(lie.kind, Kind::StatusAfter | Kind::StatusInstead) && 1 < lie.argument;
    let version = match case.fmi {
        Fmi::V2 => "fmi2",
        Fmi::V3 => "fmi3",
    };
    is_status.then(|| format!("{version}{}", lie.function.symbol(case.fmi)))
}

/// What must be the same here and apart.
fn compare(case: &Case, here: &Run, apart: &Run, wrong: &mut Vec<String>) {
    if case.harm() == Harm::Deadly {
        return;
    }
    if here.ending != apart.ending {
        wrong.push(format!("{:?} here, {:?} apart", here.ending, apart.ending));
        return;
    }
    if here.trace_hash != apart.trace_hash {
        wrong.push(format!("trace {:?} here, {:?} apart", here.trace_hash, apart.trace_hash));
    }
    let is_heard = !case.has(Kind::World, &[8, 9]);
    if is_heard && here.complaint() != apart.complaint() {
        wrong.push(format!("{:?} here, {:?} apart", here.complaint(), apart.complaint()));
    }
}

fn failure(case: &Case, wrong: &[String], here: Option<&Run>, apart: &Run) -> String {
    let performed = here.map_or("unknown".to_owned(), |here| here.performed.join(" "));
    let start = |run: &Run| run.stderr.chars().take(1500).collect::<String>();
    let tail = |run: &Run| {
        let rest = run.rest.as_ref().map(|rest| format!("--- resumed\n{}", start(rest)));
        start(run) + &rest.unwrap_or_default()
    };
    let said_here = here.map(tail).unwrap_or_default();
    format!(
        "{case} ({}; performed: {performed})\n  {}\n--- here\n{said_here}\n--- apart\n{}",
        case.component(),
        wrong.join("\n  "),
        tail(apart)
    )
}
