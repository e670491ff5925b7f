//! The results of checking one model, as text and as JSON.

use super::formulas::{Tree, ratio, speed_up};
use consort::diagnostics;
use consort_core::{Fidelity, ModelDescription, Report};
use consort_models::fidelity::{CheckOptions, Costs, Course, Verdict, Why};
use consort_view::numbers::{duration, short};
use consort_view::table::Table;
use serde_json::{Value, json};

/// The tree for which the cost of saving is shown.
const TREE: Tree = Tree { depth: 50, branching: 5 };
/// No line is longer.
const WIDTH: usize = 100;

/// A model that was to be checked.
pub(super) struct Checked {
    /// The name as typed.
    pub(super) name: String,
    pub(super) outcome: Outcome,
}

/// What came of it.
pub(super) enum Outcome {
    /// It is no model, or not one for this machine.
    NotLoaded(Report),
    Judged(Judged),
}

/// The verdicts of a model that was checked.
pub(super) struct Judged {
    /// `FMI 2.0 Co-Simulation`.
    kind: String,
    course: Option<Course>,
    seed: u64,
    /// One per provider, best provider first.
    pub(super) verdicts: Vec<Verdict>,
}

impl Judged {
    /// The verdict to go by: the first exact one, else the first that repeats.
    pub(super) fn best(&self) -> Option<&Verdict> {
        let exact = self.verdicts.iter().find(|verdict| verdict.is_exact());
        let repeats = |verdict: &&Verdict| verdict.fidelity == Fidelity::Repeatable;
        exact.or_else(|| self.verdicts.iter().find(repeats))
    }

    /// Whether the process of the model was gone in every trial that was made.
    pub(super) fn is_crashed(&self) -> bool {
        self.best().is_none() && self.verdicts.iter().any(is_crash)
    }
}

/// Whether the process of the model was gone.
pub(super) fn is_crash(verdict: &Verdict) -> bool {
    matches!(&verdict.why, Some(Why::Failed { failure }) if failure.is_crash)
}

impl Checked {
    pub(super) fn judged(
        name: &str,
        model: &ModelDescription,
        options: &CheckOptions,
        verdicts: Vec<Verdict>,
    ) -> Self {
        let (kind, course) = (model.kind.clone(), Course::new(model, options));
        let judged = Judged { kind, course, seed: options.seed, verdicts };
        Checked { name: name.to_owned(), outcome: Outcome::Judged(judged) }
    }

    /// Whether some provider is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.best().is_some_and(Verdict::is_exact)
    }

    /// The verdict to go by.
    pub(super) fn best(&self) -> Option<&Verdict> {
        match &self.outcome {
            Outcome::Judged(judged) => judged.best(),
            Outcome::NotLoaded(_) => None,
        }
    }

    /// A line of a corpus.
    pub(super) fn line(&self) -> String {
        let Outcome::Judged(judged) = &self.outcome else {
            return format!("{}: not loaded\n", self.name);
        };
        let each = judged.verdicts.iter().map(|it| format!("{} {}", it.provider, it.fidelity));
        let speed = judged.best().and_then(|best| best.costs.as_ref());
        let speed = speed.map(|costs| format!(", speed-up {:.1}", speed_up(costs, TREE)));
        let each = each.collect::<Vec<_>>().join(", ");
        format!("{}: {each}{}\n", self.name, speed.unwrap_or_default())
    }

    /// All that was found.
    pub(super) fn text(&self) -> String {
        let Outcome::Judged(judged) = &self.outcome else {
            return format!("{}: not loaded\n", self.name);
        };
        let mut lines = vec![format!("{}: {}{}", self.name, judged.kind, judged.circumstances())];
        lines.extend(judged.table().lines(WIDTH).into_iter().map(|line| format!("  {line}")));
        for verdict in &judged.verdicts {
            lines.extend(verdict.why.as_ref().map(|why| format!("  {}: {why}", verdict.provider)));
        }
        let mut notes: Vec<&String> = judged.verdicts.iter().flat_map(|it| &it.notes).collect();
        notes.dedup();
        lines.extend(notes.into_iter().map(|note| format!("  note: {note}")));
        lines.push(match judged.best() {
            Some(best) => format!("  best: {} ({})", best.provider, best.fidelity),
            None => {
                "  best: none: no provider saves the states of this model faithfully".to_owned()
            }
        });
        lines.join("\n") + "\n"
    }

    pub(super) fn to_json(&self) -> Value {
        match &self.outcome {
            Outcome::NotLoaded(report) => {
                let reasons = report.diagnostics().iter();
                let reasons: Vec<Value> =
                    reasons.map(|it| diagnostics::to_json(it, report)).collect();
                json!({ "model": self.name, "not_loaded": reasons })
            }
            Outcome::Judged(judged) => judged.to_json(&self.name),
        }
    }
}

impl Judged {
    /// `, tau 0.1 s, tau' up to 10 s, 100 trials`.
    fn circumstances(&self) -> String {
        let Some(course) = &self.course else { return String::new() };
        let seconds = |time| short(course.resolution.to_f64(time));
        let (tau, bound) = (seconds(course.tau), seconds(course.bound));
        format!(", tau {tau} s, tau' up to {bound} s, {} trials", course.trials())
    }

    fn table(&self) -> Table {
        let headings = [
            "provider", "verdict", "trials", "get", "set", "sim(tau)", "bytes", "R(50)", "speed-up",
        ];
        let mut table = Table::new(&headings);
        for verdict in &self.verdicts {
            let mut row = vec![
                verdict.provider.to_string(),
                verdict.fidelity.to_string(),
                verdict.trials.to_string(),
            ];
            row.extend(match &verdict.costs {
                Some(costs) => cells(costs),
                None => vec![String::new(); 6],
            });
            table.row(row);
        }
        table
    }

    fn to_json(&self, name: &str) -> Value {
        let seconds = |of: fn(&Course) -> consort_core::Time| {
            self.course.as_ref().map(|course| course.resolution.to_f64(of(course)))
        };
        json!({
            "model": name,
            "kind": self.kind,
            "tau": seconds(|course| course.tau),
            "bound": seconds(|course| course.bound),
            "step": seconds(|course| course.step),
            "trials": self.course.as_ref().map(Course::trials),
            "seed": self.seed,
            "best": self.best().map(|best| best.provider.name()),
            "fidelity": self.best().map_or(Fidelity::None, |best| best.fidelity).name(),
            "providers": self.verdicts.iter().map(verdict_json).collect::<Vec<_>>(),
        })
    }
}

fn cells(costs: &Costs) -> Vec<String> {
    let [get, set, sim] = costs.medians();
    vec![
        time(get),
        time(set),
        time(sim),
        costs.bytes.map_or(String::new(), |bytes| bytes.to_string()),
        short(ratio(costs, TREE.depth)),
        format!("{:.1}", speed_up(costs, TREE)),
    ]
}

/// Short times keep a digit: saving takes parts of a microsecond.
fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1e-5 => format!("{:.2} us", seconds * 1e6),
        _ => duration(seconds),
    }
}

fn verdict_json(verdict: &Verdict) -> Value {
    let costs = verdict.costs.as_ref().map(|costs| {
        let [get, set, sim] = costs.medians();
        json!({
            "get": get,
            "set": set,
            "sim": sim,
            "bytes": costs.bytes,
            "ratio": ratio(costs, TREE.depth),
            "speed_up": speed_up(costs, TREE),
        })
    });
    let why = verdict.why.as_ref().map(|why| {
        let mut value = serde_json::to_value(why).unwrap_or_default();
        value["text"] = json!(why.to_string());
        value
    });
    json!({
        "provider": verdict.provider.name(),
        "fidelity": verdict.fidelity.name(),
        "trials": verdict.trials,
        "why": why,
        "costs": costs,
        "notes": verdict.notes,
    })
}
