//! Random systems in random placements.

use crate::case::{Case, Outcome};
use consort_core::{Prng, Report, Tag, Time};
use consort_engine::Summary;
use consort_system::{Placement, ProgramKind, Projection, Stage};
use consort_trace::Trace;
use std::collections::BTreeMap;
use std::sync::Arc;

const SYSTEMS: u64 = 400;

/// What was met, so that tests which tested nothing are noticed.
#[derive(Default, Debug)]
struct Tally {
    runs: u64,
    /// A loop has no solution, or the like.
    failed: u64,
    nodes: BTreeMap<usize, u64>,
    with: BTreeMap<&'static str, u64>,
}

#[test]
fn every_placement_of_random_systems_gives_the_hash_and_rows_of_the_local_run() {
    let count = from_environment("CONSORT_RANDOM_PARTS").unwrap_or(SYSTEMS);
    let first = from_environment("CONSORT_RANDOM_SEED").unwrap_or(0);
    let mut tally = Tally::default();
    let mut seed = first;
    while tally.runs < count {
        if let Some(case) = Case::random(seed) {
            examine(seed, &case, &mut tally);
        }
        seed += 1;
    }
    show(&format!("{tally:?}"));
    assert!(tally.failed * 10 <= tally.runs, "few runs fail: {tally:?}");
    for kind in KINDS {
        let met = tally.with.get(kind.0).copied().unwrap_or(0);
        assert!(tally.runs <= met * 100, "too few with {}: {tally:?}", kind.0);
    }
}

fn examine(seed: u64, case: &Case, tally: &mut Tally) {
    let Ok(local) = case.run() else {
        tally.failed += 1;
        return;
    };
    let mut prng = Prng::new(seed).split("placement");
    let placement = case.random_placement(&mut prng);
    let projection = case.project(&placement, &mut Report::default());
    let projection = Arc::new(projection.unwrap_or_else(|| panic!("seed {seed}: not projected")));
    crosses_exactly(seed, case, &projection);
    let save_at = Time::from_ticks(i64::try_from(prng.below(24)).expect("small"));
    let parts = outcomes(seed, case.run_spread(&projection, None, Some(save_at)));
    compare(seed, &placement, &local, &parts);
    let saved: Vec<Vec<u8>> = parts.into_iter().map(|it| it.saved.expect("it was saved")).collect();
    let resumed = outcomes(seed, case.run_spread(&projection, Some(&saved), None));
    let composed = Summary::compose(resumed.into_iter().map(|it| it.summary));
    assert_eq!(composed.trace_hash, local.summary.trace_hash, "seed {seed}, saved at {save_at:?}");
    tally.runs += 1;
    *tally.nodes.entry(placement.nodes.len()).or_default() += 1;
    for (name, is_there) in KINDS {
        *tally.with.entry(name).or_default() += u64::from(is_there(case, &projection));
    }
}

fn outcomes(seed: u64, results: Vec<Result<Outcome, consort_engine::RunError>>) -> Vec<Outcome> {
    let good = |it: Result<Outcome, _>| it.unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
    results.into_iter().map(good).collect()
}

fn compare(seed: u64, placement: &Placement, local: &Outcome, parts: &[Outcome]) {
    let tags = local.trace.tags();
    for part in parts {
        let own = part.trace.tags();
        assert!(own.iter().all(|tag| tags.binary_search(tag).is_ok()), "seed {seed}: {own:?}");
        let times = |tags: &[Tag]| tags.iter().filter(|tag| tag.microstep == 0).count();
        assert_eq!(times(own), times(tags), "seed {seed}: {placement:?}");
        for column in part.trace.schema().columns() {
            let path = column.path();
            let (ours, theirs) = (cells(&part.trace, path, tags), cells(&local.trace, path, tags));
            assert_eq!(ours, theirs, "seed {seed}: `{path}`, {placement:?}");
        }
    }
    let composed = Summary::compose(parts.iter().map(|it| it.summary.clone()));
    assert_eq!(composed.hashes, local.summary.hashes, "seed {seed}: {placement:?}");
    assert_eq!(composed.trace_hash, local.summary.trace_hash, "seed {seed}");
    assert_eq!(composed.statistics.components, local.summary.statistics.components);
    assert_eq!(composed.statistics.tags, local.summary.statistics.tags, "seed {seed}");
    assert_eq!(composed.tag, local.summary.tag, "seed {seed}");
}

/// A column at some tags. A node knows nothing of the microsteps of others: its values hold.
fn cells(trace: &Trace, path: &str, tags: &[Tag]) -> Vec<String> {
    let values = trace.column(path).expect("both record it");
    let count = values.len() / trace.tags().len();
    let cell = |tag: &Tag| {
        let row = trace.tags().partition_point(|own| own <= tag) - 1;
        values.slice(row * count, count).to_string()
    };
    tags.iter().map(cell).collect()
}

/// Every connection between nodes is in exactly one crossing of each exchange that moves it, and
/// nothing else crosses.
fn crosses_exactly(seed: u64, case: &Case, projection: &Projection) {
    let mut expected = Vec::new();
    let mut ordinal = 0;
    let node = |id: consort_core::ComponentId| projection.placement.of_component[id.index()];
    for ((kind, _), (_, stages)) in ProgramKind::ALL.into_iter().zip(case.plan.programs()) {
        for stage in stages {
            let Stage::Exchange(connections) = stage else { continue };
            for &id in connections {
                let wire = &case.system.connections[id.index()];
                let (from, to) = (node(wire.from.component), node(wire.to.component));
                let is_silent = wire.delay && kind == ProgramKind::Initialization;
                if from != to && !is_silent {
                    expected.push((ordinal, id, from, to, kind));
                }
            }
            ordinal += 1;
        }
    }
    let crossings = projection.crossings.iter();
    let mut found: Vec<_> = crossings
        .flat_map(|it| {
            it.connections.iter().map(|&id| (it.ordinal, id, it.from, it.to, it.program))
        })
        .collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected, "seed {seed}");
    let names: Vec<&str> = projection.crossings.iter().map(|it| it.name.as_str()).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "seed {seed}: {names:?}");
}

type Kind = (&'static str, fn(&Case, &Projection) -> bool);

const KINDS: [Kind; 11] = [
    ("several nodes", |_, it| 1 < it.placement.nodes.len()),
    ("initialization", |_, it| {
        it.crossings.iter().any(|c| c.program == ProgramKind::Initialization)
    }),
    ("advance", |_, it| it.crossings.iter().any(|c| c.program == ProgramKind::Advance)),
    ("two exchanges at a tag", |_, it| {
        let present = it.crossings.iter().filter(|c| c.program == ProgramKind::Present);
        let mut ordinals: Vec<u32> = present.map(|c| c.ordinal).collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        1 < ordinals.len()
    }),
    ("delays", |case, it| crosses(case, it, |wire, _| wire.delay)),
    ("extrapolation", |case, it| {
        crosses(case, it, |wire, _| wire.hold == consort_system::Hold::Extrapolate)
    }),
    ("several rates", |_, it| {
        let periods = it.crossings.iter().filter_map(|c| c.period);
        periods.clone().min() != periods.max()
    }),
    ("arrays", |case, it| crosses(case, it, |wire, _| 1 < wire.from.count)),
    ("text", |case, it| {
        crosses(case, it, |_, value_type| value_type == consort_core::ValueType::String)
    }),
    ("events", |case, it| {
        case.system.components.iter().any(|it| it.event_mode) && !it.crossings.is_empty()
    }),
    ("interventions", |case, it| !case.system.interventions.is_empty() && !it.crossings.is_empty()),
];

fn crosses(
    case: &Case,
    projection: &Projection,
    is_wanted: fn(&consort_system::ResolvedConnection, consort_core::ValueType) -> bool,
) -> bool {
    projection.crossings.iter().flat_map(|it| &it.connections).any(|id| {
        let wire = &case.system.connections[id.index()];
        let model = &case.models[wire.from.component.index()];
        is_wanted(wire, model.variables[wire.from.variable.index()].value_type)
    })
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

fn show(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}
