//! The results of checking many models.

use super::checked::{Checked, Judged, Outcome, is_crash};
use super::formulas::{Tree, speed_up};
use consort_core::{Fidelity, Provider};
use consort_models::fidelity::{Costs, Verdict};
use consort_view::numbers::plural;
use consort_view::table::Table;
use serde_json::{Value, json};

/// The trees of the paper.
const TREES: [Tree; 2] = [Tree { depth: 50, branching: 5 }, Tree { depth: 100, branching: 10 }];
const WIDTH: usize = 100;

/// How many models a provider did what for.
#[derive(Default)]
struct ProviderTally {
    exact: usize,
    repeatable: usize,
    refused: usize,
    crashed: usize,
    /// Mean speed-ups over the exact ones, by tree.
    speed_ups: Option<[f64; 2]>,
}

/// All of it, and nothing for models one by one.
pub(super) fn text(all: &[Checked]) -> String {
    let judged = judged(all);
    let exact = all.iter().filter(|checked| checked.is_exact()).count();
    let repeats =
        |it: &&&Judged| it.best().is_some_and(|best| best.fidelity == Fidelity::Repeatable);
    let repeatable = judged.iter().filter(repeats).count();
    let crashed = judged.iter().filter(|it| it.is_crashed()).count();
    let refused = judged.len() - exact - repeatable - crashed;
    let mut text = format!(
        "{}: {exact} exact, {repeatable} restore-repeatable, {refused} refused, {crashed} crashed, {} not loaded\n",
        plural(all.len() as u64, "model"),
        all.len() - judged.len()
    );
    let table = table(&judged);
    if !table.is_empty() {
        table.lines(WIDTH).iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    let ideal = TREES.map(|tree| format!("{:.2}", tree.ideal()));
    text.push_str(&format!(
        "  ideal speed-up: {} (depth 50, branching 5), {} (depth 100, branching 10)\n",
        ideal[0], ideal[1]
    ));
    text
}

/// All of it, models one by one included.
pub(super) fn to_json(all: &[Checked]) -> Value {
    let judged = judged(all);
    let providers: Vec<Value> = Provider::ALL
        .iter()
        .filter_map(|&(provider, name)| {
            let tally = ProviderTally::of(provider, &judged)?;
            Some(json!({
                "provider": name,
                "exact": tally.exact,
                "restore_repeatable": tally.repeatable,
                "refused": tally.refused,
                "crashed": tally.crashed,
                "speed_up_50_5": tally.speed_ups.map(|all| all[0]),
                "speed_up_100_10": tally.speed_ups.map(|all| all[1]),
            }))
        })
        .collect();
    json!({
        "models": all.iter().map(Checked::to_json).collect::<Vec<_>>(),
        "summary": {
            "models": all.len(),
            "exact": all.iter().filter(|checked| checked.is_exact()).count(),
            "not_loaded": all.len() - judged.len(),
            "providers": providers,
        },
    })
}

fn judged(all: &[Checked]) -> Vec<&Judged> {
    let judged = all.iter().filter_map(|checked| match &checked.outcome {
        Outcome::Judged(judged) => Some(judged),
        Outcome::NotLoaded(_) => None,
    });
    judged.collect()
}

fn table(judged: &[&Judged]) -> Table {
    let headings = [
        "provider",
        "exact",
        "repeatable",
        "refused",
        "crashed",
        "speed-up 50/5",
        "speed-up 100/10",
    ];
    let mut table = Table::new(&headings);
    for (provider, name) in Provider::ALL {
        let Some(tally) = ProviderTally::of(provider, judged) else { continue };
        let speed = |index: usize| {
            tally.speed_ups.map_or(String::new(), |all| format!("{:.2}", all[index]))
        };
        let counts = [tally.exact, tally.repeatable, tally.refused, tally.crashed];
        let mut row = vec![name.to_owned()];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([speed(0), speed(1)]);
        table.row(row);
    }
    table
}

impl ProviderTally {
    /// `None` if the provider was not asked for any model.
    fn of(provider: Provider, judged: &[&Judged]) -> Option<Self> {
        let verdicts = judged.iter().flat_map(|judged| &judged.verdicts);
        let verdicts: Vec<&Verdict> = verdicts.filter(|it| it.provider == provider).collect();
        let mut tally = ProviderTally::default();
        for verdict in &verdicts {
            *match () {
                () if verdict.is_exact() => &mut tally.exact,
                () if verdict.fidelity == Fidelity::Repeatable => &mut tally.repeatable,
                () if is_crash(verdict) => &mut tally.crashed,
                () => &mut tally.refused,
            } += 1;
        }
        let exact = verdicts.iter().filter(|verdict| verdict.is_exact());
        let costs: Vec<&Costs> = exact.filter_map(|verdict| verdict.costs.as_ref()).collect();
        tally.speed_ups = (!costs.is_empty()).then(|| TREES.map(|tree| mean(&costs, tree)));
        (!verdicts.is_empty()).then_some(tally)
    }
}

/// The mean speed-up, as the paper has it: over models.
pub(super) fn mean(costs: &[&Costs], tree: Tree) -> f64 {
    let sum: f64 = costs.iter().map(|costs| speed_up(costs, tree)).sum();
    sum / costs.len() as f64
}
