//! Models that live in our own process: native blocks, equations, and FMUs that do nothing worse than being wrong.

use consort_core::{Fidelity, Model, Provider, Report};
use consort_models::fidelity::{
    Check, CheckOptions, Choice, Chosen, Given, Subject, Verdict, Verdicts, Why, choose,
};
use consort_models::native::Block;
use consort_models::{Loader, LoaderOptions, ModelKinds, ModelRequest, default_cache_dir};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

fn loader() -> Loader {
    let kinds = ModelKinds::with_packs(&[consort_aircraft::BLOCKS]);
    Loader::new(LoaderOptions { kinds, ..LoaderOptions::new(default_cache_dir()) })
}

fn load(model: &str) -> Arc<dyn Model> {
    let mut loader = loader();
    let mut report = Report::default();
    let loaded = loader.load(&ModelRequest::new(model, Path::new("")), &mut report);
    loaded.unwrap_or_else(|| panic!("{report:?}")).model
}

/// A test FMU whose saved states have a fault: see the README of `keeper`.
fn keeper(fault: u32) -> Arc<dyn Model> {
    let flags = vec![format!("-DFAULT={fault}")];
    let path = fmus::build("keeper", Fmi::V2, &BuildOptions { flags, ..BuildOptions::binary() });
    load(path.to_str().unwrap())
}

/// Tests run side by side, and instances of one FMU share its static data.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn judged(model: &dyn Model, options: &CheckOptions) -> Verdict {
    let _alone = alone();
    let check = Check::new(model, options, &Given::default()).unwrap();
    assert_eq!(check.failure(), None, "{}", model.description().name);
    check.judge(model, Provider::Native)
}

#[test]
fn native_blocks_are_portable() {
    // These two need parameters.
    let is_whole = |block: &&'static Block| !["state-space", "table"].contains(&block.name);
    for block in loader().kinds().blocks().iter().filter(is_whole) {
        let options = CheckOptions { trials: Some(20), ..CheckOptions::default() };
        let model = load(&format!("native:{}", block.name));
        let verdict = judged(&*model, &options);
        assert_eq!(verdict.fidelity, Fidelity::Portable, "{}: {verdict:?}", block.name);
        assert_eq!((verdict.trials, verdict.why), (20, None), "{}", block.name);
    }
}

/// What makes the state of equations hard to save: a solver, events, a past.
const EQUATIONS: [&str; 3] = [
    "model decay\ninput u = 1\noutput state x = 2\nder(x) = u - x\nend\n",
    "model bounce\nstate h = 1\nstate v = 0\nder(h) = v\nder(v) = -9.81\n\
     when h < 0 and v < 0 then\nh = 0\nv = -0.8*pre(v)\nend\nend\n",
    "model late\ninput u = 0.5\noutput state x = 1\nder(x) = u - delay(x, 0.3)\nend\n",
];

#[test]
fn equations_with_events_and_delays_are_portable() {
    let folder = tempfile::tempdir().unwrap();
    for (index, text) in EQUATIONS.iter().enumerate() {
        let path = folder.path().join(format!("model{index}.eq"));
        fs::write(&path, text).unwrap();
        let verdict = judged(&*load(path.to_str().unwrap()), &CheckOptions::default());
        assert_eq!(
            (verdict.fidelity, verdict.trials),
            (Fidelity::Portable, 100),
            "{text}: {verdict:?}"
        );
    }
}

#[test]
fn a_complete_state_is_portable_and_a_restarted_integrator_repeats() {
    let verdict = judged(&*keeper(0), &CheckOptions::default());
    assert_eq!((verdict.fidelity, verdict.trials), (Fidelity::Portable, 100), "{verdict:?}");
    let costs = verdict.costs.unwrap();
    assert_eq!([costs.get.len(), costs.set.len(), costs.sim.len()], [100; 3]);
    let verdict = judged(&*keeper(2), &CheckOptions::default());
    assert_eq!(verdict.fidelity, Fidelity::Repeatable, "{verdict:?}");
    let Some(Why::Differs { example }) = &verdict.why else { panic!("{verdict:?}") };
    assert_eq!((example.trial, example.variable.as_str()), (1, "x"));
    let refused = judged(&*keeper(6), &CheckOptions::default());
    let words = refused.why.unwrap().to_string();
    let expected =
        "`fmi2GetFMUstate` at 0 s returned `error`; it said: [logStatusError] no room for a state";
    assert!(words.starts_with(expected), "{words}");
}

#[test]
fn a_bound_and_a_tau_are_obeyed() {
    let seconds = |text: &str| text.parse().ok();
    let options = CheckOptions {
        tau: seconds("0.5"),
        bound: seconds("1"),
        horizon: seconds("5"),
        ..CheckOptions::default()
    };
    let _alone = alone();
    let check = Check::new(&*keeper(2), &options, &Given::default()).unwrap();
    assert_eq!((check.course().points, check.course().tries), (10, 10));
    let Some(Why::Differs { example }) = check.judge(&*keeper(2), Provider::Native).why else {
        panic!("it restarts");
    };
    assert!(example.excursion <= 1.0, "{example}");
    assert_eq!(example.time.to_bits(), 0.5f64.to_bits(), "{example}");
}

#[test]
fn the_number_of_trials_follows_from_the_confidence() {
    let trials =
        |epsilon, delta| CheckOptions { epsilon, delta, ..CheckOptions::default() }.trials();
    assert_eq!(trials(0.025, 0.08), 100);
    assert_eq!(trials(0.01, 0.05), 299);
    assert_eq!(trials(1e-4, 1e-3), 69_075);
}

/// What is chosen if providers save like keepers with these faults, and who was asked to.
fn chosen(faults: &[(Provider, u32)], cache: &Path) -> (Chosen, Vec<Provider>) {
    chosen_of("Consort test kit", faults, cache)
}

/// The same for an FMU of a tool.
fn chosen_of(tool: &str, faults: &[(Provider, u32)], cache: &Path) -> (Chosen, Vec<Provider>) {
    let asked = RefCell::new(Vec::new());
    let mut make = |provider: Provider| {
        asked.borrow_mut().push(provider);
        let fault = faults.iter().find(|(it, _)| *it == provider).map(|(_, fault)| *fault);
        fault.map(keeper).ok_or_else(|| "this kernel is too old".to_owned())
    };
    let mut description = keeper(0).description().clone();
    description.name = format!("{faults:?}");
    description.facts.retain(|(name, _)| name != "tool");
    description.facts.push(("tool".to_owned(), tool.to_owned()));
    let subject = Subject::new(&[], &description, Given::default());
    let all = Provider::ALL.map(|(provider, _)| provider);
    let choice = Choice {
        subject: &subject,
        allowed: &all,
        wanted: Fidelity::Exact,
        options: CheckOptions::default(),
        verdicts: &Verdicts::open(cache),
        on_trial: None,
    };
    let chosen = choose(choice, &mut make);
    (chosen, asked.into_inner())
}

#[test]
fn the_first_exact_provider_is_chosen_and_found_out_once() {
    use Provider::{Fork, Image, Native, Replay};
    let cache = tempfile::tempdir().unwrap();
    let check =
        |faults: &[(Provider, u32)], expected: (Option<Provider>, Fidelity), asked: &[Provider]| {
            let (chosen, found) = chosen(faults, cache.path());
            assert_eq!((chosen.provider, chosen.fidelity), expected, "{faults:?}: {}", chosen.why);
            assert_eq!(found, asked, "{faults:?}");
            chosen.why
        };
    let why = check(&[(Native, 0)], (Some(Native), Fidelity::Portable), &[Native]);
    assert_eq!(why, "");
    let restarted = [(Native, 2), (Fork, 0)];
    let why = check(&restarted, (Some(Fork), Fidelity::Portable), &[Native, Image, Fork]);
    assert!(
        why.starts_with("native: `x` is ") && why.ends_with("; image: this kernel is too old"),
        "{why}"
    );
    // What is known is not found out again; an old kernel may be a new one tomorrow.
    check(&restarted, (Some(Fork), Fidelity::Portable), &[Image]);
    let all = [Native, Image, Fork, Replay];
    check(&[(Native, 2)], (Some(Native), Fidelity::Repeatable), &all);
    check(&[(Native, 6)], (None, Fidelity::None), &all);
}

#[test]
fn states_of_tools_that_are_known_to_lose_something_come_last() {
    use Provider::{Fork, Image, Native, Replay};
    let cache = tempfile::tempdir().unwrap();
    let tool = "OpenModelica Compiler OpenModelica v1.22.0 (64-bit)";
    let (found, asked) = chosen_of(tool, &[(Native, 0), (Fork, 0)], cache.path());
    assert_eq!((found.provider, asked), (Some(Fork), vec![Image, Fork]));
    assert!(
        found.why.contains("provider `native` is tried last because states of OpenModelica"),
        "{}",
        found.why
    );
    let (found, asked) = chosen_of(tool, &[(Native, 0)], cache.path());
    assert_eq!((found.provider, asked), (Some(Native), vec![Image, Fork, Replay, Native]));
}

#[test]
fn a_verdict_that_cannot_be_read_is_no_verdict() {
    let cache = tempfile::tempdir().unwrap();
    let verdicts = Verdicts::open(cache.path());
    let verdict = judged(&*keeper(2), &CheckOptions { trials: Some(5), ..CheckOptions::default() });
    let kept = verdicts.keep("key", &verdict).unwrap();
    assert_eq!((&kept.why, kept.fidelity, kept.trials), (&verdict.why, verdict.fidelity, 5));
    assert_eq!(verdicts.find("key"), Some(kept));
    assert_eq!(Verdicts::anew(cache.path()).find("key"), None);
    fs::write(cache.path().join("verdicts/key.json"), "{").unwrap();
    assert_eq!(verdicts.find("key"), None);
}
