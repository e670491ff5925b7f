//! Events of one instant and one priority: any order, drawn from the run's seed.

use crate::cases::{Case, case};
use crate::model::{Writer, editions};
use crate::run::{self, Live};
use consort_core::{ContinuousModel, Report};
use consort_equations::{compile, read};
use consort_models::continuous::SolvedModel;
use consort_models::equations::EquationsModel;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Three events at every second, two of them of one priority; `p` shows which came last.
const TIED: Case = case(
    "events that any order fits",
    "variable next = 1
             variable p = 1
             variable q = 0
             when time >= next priority 2 late => p = 2*p
             when time >= next priority 2 late => p = p + 1
             when time >= next priority 1 late => next = next + 1; q = p",
    8.0,
    &[],
);

/// The same without any priority.
const LOOSE: Case = case(
    "events without priority",
    "variable p = 1
             when time > 1 late => p = 2*p
             when time > 1 late => p = p + 1
             when time > 1 late => p = p*p",
    2.0,
    &[],
);

fn loaded(case: &Case) -> (SolvedModel, Vec<String>) {
    let edition = *editions(&case.text).last().expect("an edition has it");
    let writer = Writer::new(edition, &case.text);
    let model = run::load(case, &writer).unwrap_or_else(|said| panic!("{said}"));
    (model, run::names(&writer))
}

/// What each quantity is at the end, to the bit.
fn ended(case: &Case, seed: u64) -> Vec<u64> {
    let (model, names) = loaded(case);
    let mut live = Live::seeded(&model, &names, seed);
    live.advance(case.end).unwrap_or_else(|said| panic!("{said}"));
    live.values().into_iter().map(f64::to_bits).collect()
}

/// How many different ends a number of seeds leads to; each does twice.
fn ends(case: &Case, seeds: u64) -> usize {
    let all = (0..seeds).map(|seed| {
        let end = ended(case, seed);
        assert_eq!(end, ended(case, seed), "seed {seed} of {}", case.name);
        end
    });
    all.collect::<BTreeSet<_>>().len()
}

#[test]
fn another_seed_is_another_order_and_the_same_seed_the_same() {
    // Of 2^8 orders, whose ends differ, 40 draws meet few twice; of six orders all have ends of their own but one pair.
    assert!(30 <= ends(&TIED, 40));
    assert_eq!(ends(&LOOSE, 40), 6);
}

#[test]
fn greater_priorities_come_first_in_every_order() {
    let (model, names) = loaded(&TIED);
    for seed in 0..20 {
        let mut live = Live::seeded(&model, &names, seed);
        live.advance(1.5).expect("a step");
        let values = live.values();
        let of = |name: &str| values[names.iter().position(|known| known == name).expect("known")];
        assert_eq!(of("q").to_bits(), of("p").to_bits(), "seed {seed}: the least comes last");
        assert!([3.0, 4.0].contains(&of("p")), "seed {seed}: {}", of("p"));
    }
}

#[test]
fn a_restored_run_draws_what_it_would_have_drawn() {
    let (model, names) = loaded(&TIED);
    for seed in 0..10 {
        let mut live = Live::seeded(&model, &names, seed);
        live.advance(3.5).expect("a step");
        let saved = live.instance.save().expect("a state");
        let bytes = live.instance.serialize(&saved).expect("bytes");
        live.advance(8.0).expect("a step");
        let mut other = Live::seeded(&model, &names, seed + 1);
        let state = other.instance.deserialize(&bytes).expect("a state");
        other.restore(&state, 3.5);
        other.advance(8.0).expect("a step");
        let bits =
            |live: &mut Live| live.values().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(&mut live), bits(&mut other), "seed {seed}");
    }
}

#[test]
fn in_text_the_first_written_comes_first_whatever_the_seed() {
    let text = "model m
        output discrete p = 1
        when time >= 1 then
          p = 5*p
        end
        when time >= 1 and p > 4 then
          p = p + 1
        end
        when time >= 1 and p > 4 then
          p = 2*p
        end
        end";
    let mut report = Report::default();
    let tree = read("m.eq", text, &mut report).expect("well written");
    let equations = compile(&tree, &mut report).expect("well defined");
    let model: Arc<dyn ContinuousModel> = Arc::new(EquationsModel::new(Arc::new(equations)));
    let model = SolvedModel::new(model, consort_core::SolverKind::Bdf);
    for seed in 0..20 {
        let mut live = Live::seeded(&model, &["p".to_owned()], seed);
        live.advance(2.0).expect("a step");
        assert_eq!(live.values(), [10.0], "seed {seed}: values of the instant they fired");
    }
}
