//! Planner and judge against a third thing, on random systems: the plan of every system is accepted by
//! the judge and does what the system defines; a spoiled plan that the judge accepts does so too.
//!
//! `CONSORT_RANDOM_SYSTEMS` says how many systems, `CONSORT_RANDOM_SEED` which is the first; with
//! `CONSORT_RANDOM_STRICT` examples of right plans that the judge refuses are shown.

use consort_core::{Report, Severity};
use consort_system::{Operation, Plan, Stage};
use consort_testkit::random_system::{Mutation, RandomSystem, Shape, mutated};
use consort_testkit::symbolic::Oracle;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Systems with a plan, and spoiled plans of each.
const SYSTEMS: u64 = 10_000;
const MUTATIONS: u64 = 10;
/// Each of these kinds of system is at least this part of all, in percent.
const SHARE_MIN: u64 = 20;
const KINDS: [&str; 4] = ["loops", "rejection", "several rates", "split outputs"];

const WORKERS: u64 = 2;

#[test]
fn plans_of_random_systems_are_right_and_so_is_the_judge() {
    let count = from_environment("CONSORT_RANDOM_SYSTEMS").unwrap_or(SYSTEMS);
    let first = from_environment("CONSORT_RANDOM_SEED").unwrap_or(0);
    let tally = std::thread::scope(|scope| {
        let work = |worker| {
            move || {
                let mut tally = Tally::default();
                let mut seed = first + worker;
                while tally.planned < count / WORKERS {
                    tally.examine(&RandomSystem::new(seed, &Shape::default()));
                    seed += WORKERS;
                }
                tally
            }
        };
        let workers: Vec<_> = (0..WORKERS).map(|worker| scope.spawn(work(worker))).collect();
        let tallies = workers.into_iter().map(|it| it.join().expect("a worker ends"));
        tallies.reduce(Tally::merge).expect("there is a worker")
    });
    show(&tally.to_string());
    if from_environment("CONSORT_RANDOM_STRICT").is_some() {
        tally.strict_examples.iter().for_each(|example| show(&format!("strict: {example}")));
    }
    let kinds: BTreeSet<&str> = tally.failures.iter().map(|it| it.what).collect();
    for what in &kinds {
        let same = tally.failures.iter().filter(|it| it.what == *what);
        let least = same.min_by_key(|it| (it.size, it.seed)).expect("there is one");
        show(&smaller(least).as_ref().unwrap_or(least).to_string());
    }
    assert!(kinds.is_empty(), "{} failures, see above", tally.failures.len());
    for kind in KINDS {
        let share = 100 * tally.kinds.get(kind).copied().unwrap_or(0) / tally.planned;
        assert!(SHARE_MIN <= share, "{share} % of the systems have {kind}");
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

#[expect(clippy::print_stdout, reason = "the histogram is there to be read")]
fn show(text: &str) {
    println!("{text}");
}

/// A failure of the same kind in a smaller system, so that a person can follow it.
fn smaller(failure: &Failure) -> Option<Failure> {
    for components_max in 2..=5 {
        for ports_max in 1..=3 {
            for seed in 0..400 {
                let mut tally = Tally::default();
                tally.examine(&RandomSystem::new(seed, &Shape { components_max, ports_max }));
                let same = tally.failures.into_iter().find(|it| it.what == failure.what);
                if same.is_some() {
                    return same;
                }
            }
        }
    }
    None
}

// ---- counting ----

#[derive(Default)]
struct Tally {
    planned: u64,
    kinds: BTreeMap<&'static str, u64>,
    /// By code of the first error.
    refused: BTreeMap<&'static str, u64>,
    mutants: u64,
    accepted: u64,
    /// Spoiled plans that do the right thing and are refused.
    strict: BTreeMap<Mutation, u64>,
    strict_examples: Vec<String>,
    failures: Vec<Failure>,
}

struct Failure {
    what: &'static str,
    seed: u64,
    size: usize,
    text: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.what, self.text)
    }
}

impl Tally {
    fn merge(mut self, other: Tally) -> Tally {
        self.planned += other.planned;
        self.mutants += other.mutants;
        self.accepted += other.accepted;
        add(&mut self.kinds, other.kinds);
        add(&mut self.refused, other.refused);
        add(&mut self.strict, other.strict);
        self.strict_examples.extend(other.strict_examples);
        self.failures.extend(other.failures);
        self
    }

    fn examine(&mut self, random: &RandomSystem) {
        let models = random.model_refs();
        let mut oracle = Oracle::new(&random.system, &random.models);
        let mut report = Report::default();
        let Some(plan) = consort_planner::plan(&random.system, &models, &mut report) else {
            return self.refusal(random, &oracle, &report);
        };
        self.planned += 1;
        for kind in kinds(random, &plan) {
            *self.kinds.entry(kind).or_default() += 1;
        }
        if is_iterated(&plan) && !oracle.has_loop() {
            self.fail("a loop is solved where there is none", random, Some(&plan), "");
        }
        if let Err(mismatch) = oracle.check(&plan) {
            self.fail("the plan does something else", random, Some(&plan), &mismatch.to_string());
        }
        if let Err(violation) = consort_check::check_plan(&random.system, &models, &plan) {
            self.fail("the judge refuses the plan", random, Some(&plan), &violation.to_string());
        }
        for number in 0..MUTATIONS {
            let seed = random.seed.wrapping_mul(MUTATIONS).wrapping_add(number);
            if let Some((mutation, spoiled)) = mutated(&plan, seed) {
                self.examine_mutant(random, &mut oracle, mutation, &spoiled);
            }
        }
    }

    fn examine_mutant(
        &mut self,
        random: &RandomSystem,
        oracle: &mut Oracle<'_>,
        mutation: Mutation,
        spoiled: &Plan,
    ) {
        self.mutants += 1;
        let verdict = consort_check::check_plan(&random.system, &random.model_refs(), spoiled);
        match (verdict, oracle.check(spoiled)) {
            (Ok(()), Ok(())) => self.accepted += 1,
            (Ok(()), Err(mismatch)) => {
                let text = format!("{mutation}: {mismatch}");
                self.fail("the judge accepts a wrong plan", random, Some(spoiled), &text);
            }
            (Err(violation), Ok(())) => {
                let seen = self.strict.entry(mutation).or_default();
                *seen += 1;
                if *seen == 1 {
                    let text = format!("{mutation}: {violation}");
                    self.strict_examples.push(describe(random, Some(spoiled), &text));
                }
            }
            (Err(_), Err(_)) => {}
        }
    }

    /// A refusal must have its reason.
    fn refusal(&mut self, random: &RandomSystem, oracle: &Oracle<'_>, report: &Report) {
        let mut errors = report.diagnostics().iter().filter(|it| it.severity == Severity::Error);
        let Some(error) = errors.next() else {
            return self.fail("there is no plan and no error", random, None, "");
        };
        *self.refused.entry(error.code).or_default() += 1;
        let cannot_save = random.models.iter().any(|model| !model.capabilities.save_state);
        let justified = match error.code {
            "plan::algebraic-loop" => oracle.has_loop(),
            "plan::cannot-roll-back" => {
                cannot_save && (random.system.coupling.variable_step.is_some() || oracle.has_loop())
            }
            _ => false,
        };
        if !justified {
            let text = format!("{}: {}", error.code, error.message);
            self.fail("a system is refused without reason", random, None, &text);
        }
    }

    fn fail(&mut self, what: &'static str, random: &RandomSystem, plan: Option<&Plan>, text: &str) {
        let text = describe(random, plan, text);
        let size = random.system.connections.len() + random.system.components.len();
        self.failures.push(Failure { what, seed: random.seed, size, text });
    }
}

fn add<K: Ord>(left: &mut BTreeMap<K, u64>, right: BTreeMap<K, u64>) {
    for (key, count) in right {
        *left.entry(key).or_default() += count;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} systems with a plan", self.planned)?;
        for (kind, count) in &self.kinds {
            writeln!(f, "  {:>5.1} % {kind}", 100.0 * *count as f64 / self.planned.max(1) as f64)?;
        }
        for (code, count) in &self.refused {
            writeln!(f, "{count} systems refused: {code}")?;
        }
        let strict: u64 = self.strict.values().sum();
        writeln!(f, "{} spoiled plans", self.mutants)?;
        writeln!(f, "  {} accepted by the judge and right", self.accepted)?;
        writeln!(f, "  {strict} right, and refused by the judge all the same")?;
        for (mutation, count) in &self.strict {
            writeln!(f, "    {count:>5} {mutation}")?;
        }
        write!(f, "{} failures", self.failures.len())?;
        let mut by_what = BTreeMap::new();
        for failure in &self.failures {
            *by_what.entry(failure.what).or_insert(0) += 1;
        }
        by_what.iter().try_for_each(|(what, count)| write!(f, "\n  {count} {what}"))?;
        Ok(())
    }
}

// ---- looking at plans ----

fn kinds(random: &RandomSystem, plan: &Plan) -> Vec<&'static str> {
    let mut seen = Seen::default();
    seen.look(&plan.present, "present");
    seen.look(&plan.advance, "advance");
    let system = &random.system;
    let periods: BTreeSet<_> = system.components.iter().map(|it| it.period).collect();
    let delayed = system.connections.iter().any(|it| it.delay);
    let reactive = system.components.iter().any(|it| !it.reactive.is_empty());
    let partial = system.connections.iter().any(|it| {
        system.components[it.to.component.index()].counts[it.to.variable.index()] != it.to.count
    });
    let mut initial = Seen::default();
    initial.look(&plan.initialization, "initialization");
    let all = [
        (KINDS[0], 0 < seen.loops),
        (KINDS[1], 0 < seen.attempts),
        (KINDS[2], 1 < periods.len()),
        (KINDS[3], seen.gets.values().any(|&positions| 1 < positions)),
        ("loops with steps", seen.rollback),
        ("loops in initialization", 0 < initial.loops),
        ("reactive inputs", reactive),
        ("several work stages in `advance`", 1 < seen.works),
        ("delayed connections", delayed),
        ("partial connections", partial),
        ("a table", system.feed.is_some()),
        ("interventions", !system.interventions.is_empty()),
        ("order derived", plan.order == "derived"),
        ("order jacobi", plan.order == "jacobi"),
        ("order gauss-seidel", plan.order == "gauss-seidel"),
    ];
    all.into_iter().filter(|(_, is)| *is).map(|(kind, _)| kind).collect()
}

/// Whether a loop is solved after initialization.
fn is_iterated(plan: &Plan) -> bool {
    let mut seen = Seen::default();
    seen.look(&plan.present, "present");
    seen.look(&plan.advance, "advance");
    0 < seen.loops
}

#[derive(Default)]
struct Seen {
    loops: usize,
    attempts: usize,
    rollback: bool,
    /// Work stages of `advance`.
    works: usize,
    /// At how many positions each component is read.
    gets: BTreeMap<consort_core::ComponentId, usize>,
}

impl Seen {
    fn look(&mut self, stages: &[Stage], program: &str) {
        for stage in stages {
            match stage {
                Stage::Exchange(_) => {}
                Stage::Work(tasks) => {
                    self.works += usize::from(program == "advance");
                    for task in tasks {
                        let is_get = |it: &&Operation| matches!(it, Operation::Get(_));
                        let gets = task.operations.iter().filter(is_get).count();
                        *self.gets.entry(task.component).or_default() += gets;
                    }
                }
                Stage::Iterate(it) => {
                    self.loops += 1;
                    self.rollback |= !it.rollback.is_empty();
                    self.look(&it.stages, program);
                }
                Stage::Attempt { stages, .. } => {
                    self.attempts += 1;
                    self.look(stages, program);
                }
                Stage::Integrate(it) => self.look(&it.stages, program),
            }
        }
    }
}

// ---- showing ----

fn describe(random: &RandomSystem, plan: Option<&Plan>, text: &str) -> String {
    let mut all = format!("{text}\n");
    let system = &random.system;
    let _ = writeln!(all, "order {:?}, loops {:?}", system.coupling.order, system.coupling.loops);
    for (component, model) in system.components.iter().zip(&random.models) {
        let name = |id: &consort_core::VariableId| model.variables[id.index()].name.clone();
        let reactive: Vec<String> = component.reactive.iter().map(name).collect();
        let _ = writeln!(
            all,
            "component {}: {:?}, save {}, every {}, reactive {reactive:?}",
            component.name,
            model.capabilities.refresh,
            model.capabilities.save_state,
            component.period.ticks()
        );
        for (title, list) in
            [("", &model.structure.outputs), ("initially ", &model.structure.initial)]
        {
            for unknown in list {
                let on = match &unknown.on {
                    consort_core::DependsOn::All => "all".to_owned(),
                    consort_core::DependsOn::These(list) => {
                        list.iter().map(|(id, _)| name(id)).collect::<Vec<_>>().join(" ")
                    }
                };
                let _ = writeln!(all, "  {title}{} follows {on}", name(&unknown.variable));
            }
        }
    }
    let fed = system.feed.iter().flat_map(|feed| &feed.columns).map(|column| column.to);
    for port in fed {
        let _ = writeln!(all, "table feeds {port:?}");
    }
    for wire in &system.connections {
        let _ = writeln!(all, "{}", wire_text(random, wire));
    }
    if let Some(plan) = plan {
        all.push_str(&plan.to_text(system, &random.model_refs()));
    }
    all
}

fn wire_text(random: &RandomSystem, wire: &consort_system::ResolvedConnection) -> String {
    let port = |port: consort_system::Port| {
        let component = port.component.index();
        let variable = &random.models[component].variables[port.variable.index()].name;
        let name = &random.system.components[component].name;
        format!("{name}.{variable}[{}..{}]", port.first, port.first + port.count)
    };
    let delay = if wire.delay { " delayed" } else { "" };
    format!("{} -> {}{delay}", port(wire.from), port(wire.to))
}
