//! Options of a run as the manifest keeps them, as a command line repeats them.

use crate::cli::{ExperimentArgs, FormArgs, LinkKind, RunArgs};
use consort_core::Provider;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The options of `run`, for the manifest.
pub(crate) fn to_json(args: &RunArgs) -> Value {
    let experiment = &args.experiment;
    json!({
        "start": experiment.start,
        "stop": experiment.stop,
        "step": experiment.step,
        "seed": experiment.seed,
        "set": experiment.set,
        "order": experiment.order,
        "continuous": experiment.continuous,
        "loops": experiment.loops,
        "on_divergence": experiment.on_divergence,
        "delay": experiment.delay,
        "solver": experiment.solver,
        "tolerance": experiment.tolerance,
        "solver_step": experiment.solver_step,
        "isolate": experiment.isolate,
        "providers": providers(experiment),
        "variant": experiment.form.variant,
        "with": experiment.form.with,
        "input": experiment.input,
        "record": experiment.record,
        "python_library": experiment.python_library,
        "workers": args.workers,
        "real_time": args.real_time,
        "csv": args.csv,
        "mcap": args.mcap,
        "no_record": args.no_record,
        "log_calls": args.log_calls,
        "save_at": args.save_at,
        "save": args.save,
        "resume": args.resume,
        "save_every": args.save_every.map(|every| every.to_string()),
        "place": args.spread.place.iter().map(|(component, node)| format!("{component}={node}")).collect::<Vec<_>>(),
        "link": args.spread.link.map(LinkKind::name),
        "capacity": args.spread.capacity,
        "local": args.spread.local,
    })
}

/// Who may save states, if somebody said so.
fn providers(experiment: &ExperimentArgs) -> Option<Vec<&'static str>> {
    let names: Vec<&str> = experiment.providers.iter().map(|provider| provider.name()).collect();
    (!names.is_empty()).then_some(names)
}

/// The part of a manifest's options that decides the trace; `resolve` finds paths that were typed
/// in another folder.
pub(crate) fn experiment_from_json(
    options: &Value,
    resolve: impl Fn(&str) -> PathBuf,
) -> ExperimentArgs {
    let text = |name: &str| options[name].as_str().map(str::to_owned);
    let path = |name: &str| options[name].as_str().map(&resolve);
    let texts =
        |name: &str| options[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    ExperimentArgs {
        start: text("start"),
        stop: text("stop"),
        step: text("step"),
        seed: options["seed"].as_u64(),
        set: texts("set").map(str::to_owned).collect(),
        order: text("order"),
        continuous: text("continuous"),
        loops: text("loops"),
        on_divergence: text("on_divergence"),
        delay: texts("delay").map(str::to_owned).collect(),
        solver: text("solver"),
        tolerance: text("tolerance"),
        solver_step: text("solver_step"),
        isolate: options["isolate"].as_bool().unwrap_or(false),
        saving: false,
        portable: false,
        providers: texts("providers").filter_map(Provider::from_name).collect(),
        foreign: None,
        input: path("input"),
        record: texts("record").map(str::to_owned).collect(),
        python_library: path("python_library"),
        form: FormArgs { variant: text("variant"), with: texts("with").map(&resolve).collect() },
    }
}

/// The options that decide the trace, as the manifest names them.
const DECISIVE: [&str; 17] = [
    "start",
    "stop",
    "step",
    "seed",
    "set",
    "order",
    "continuous",
    "loops",
    "on_divergence",
    "delay",
    "solver",
    "tolerance",
    "solver_step",
    "variant",
    "with",
    "input",
    "record",
];

/// What differs between the options of two runs that decides the trace.
pub(crate) fn differences(before: &Value, now: &Value) -> Vec<String> {
    // A record of an older version may lack an option: it was not given then.
    let differing = DECISIVE.iter().filter(|name| shown(&before[**name]) != shown(&now[**name]));
    differing.map(|name| difference(name, before, now)).collect()
}

/// What is given now and was another thing before, but where to stop: a run that goes on may go on
/// longer.
pub(crate) fn contradictions(before: &Value, now: &Value) -> Vec<String> {
    let is_given = |value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    };
    let contradicts =
        |name: &&&str| **name != "stop" && is_given(&now[**name]) && before[**name] != now[**name];
    DECISIVE.iter().filter(contradicts).map(|name| difference(name, before, now)).collect()
}

/// An option's value for a person.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "not given".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "not given".to_owned(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

fn difference(name: &str, before: &Value, now: &Value) -> String {
    let option = name.replace('_', "-");
    format!("--{option}: {}, now {}", shown(&before[name]), shown(&now[name]))
}

/// A path that was typed in a folder: found there, or else from here.
pub(crate) fn found(folder: &str, path: &str) -> PathBuf {
    let there = Path::new(folder).join(path);
    if there.exists() { there } else { PathBuf::from(path) }
}

/// The system that was typed in a folder.
pub(crate) fn found_system(folder: &str, path: &str) -> PathBuf {
    // The files of a native block are beside where it was typed.
    match path.starts_with("native:") {
        true => Path::new(folder).join(path),
        false => found(folder, path),
    }
}

/// `consort run ...`: the line that repeats a run.
pub(crate) fn command_line(system: Option<&Path>, args: &RunArgs) -> String {
    let mut words = vec!["consort".to_owned(), "run".to_owned()];
    words.extend(system.map(|system| system.display().to_string()));
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.push(format!("--{name}"));
            words.push(value);
        }
    };
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let experiment = &args.experiment;
    option("out", path(&args.out));
    option("start", experiment.start.clone());
    option("stop", experiment.stop.clone());
    option("step", experiment.step.clone());
    option("seed", experiment.seed.map(|seed| seed.to_string()));
    for set in &experiment.set {
        option("set", Some(set.clone()));
    }
    option("order", experiment.order.clone());
    option("continuous", experiment.continuous.clone());
    option("loops", experiment.loops.clone());
    option("on-divergence", experiment.on_divergence.clone());
    for delay in &experiment.delay {
        option("delay", Some(delay.clone()));
    }
    option("solver", experiment.solver.clone());
    option("tolerance", experiment.tolerance.clone());
    option("solver-step", experiment.solver_step.clone());
    option("variant", experiment.form.variant.clone());
    for file in &experiment.form.with {
        option("with", Some(file.display().to_string()));
    }
    option("input", path(&experiment.input));
    for pattern in &experiment.record {
        option("record", Some(pattern.clone()));
    }
    option("python-library", path(&experiment.python_library));
    option("workers", args.workers.map(|workers| workers.to_string()));
    option("real-time", args.real_time.map(|factor| factor.to_string()));
    option("resume", path(&args.resume));
    for (component, node) in &args.spread.place {
        option("place", Some(format!("{component}={node}")));
    }
    option("link", args.spread.link.map(|link| link.name().to_owned()));
    option("capacity", args.spread.capacity.map(|capacity| capacity.to_string()));
    let tls = &args.spread.tls;
    option("tls-certificate", path(&tls.tls_certificate));
    option("tls-key", path(&tls.tls_key));
    option("tls-ca", path(&tls.tls_ca));
    option("save-every", args.save_every.map(|every| every.to_string()));
    for time in &args.save_at {
        option("save-at", Some(time.clone()));
    }
    for file in &args.save {
        option("save", Some(file.display().to_string()));
    }
    let flags = [
        (experiment.isolate, "--isolate"),
        (args.csv, "--csv"),
        (args.mcap, "--mcap"),
        (args.no_record, "--no-record"),
        (args.no_journal, "--no-journal"),
        (args.log_calls, "--log-calls"),
        (args.spread.local, "--local"),
    ];
    words.extend(flags.iter().filter(|(given, _)| *given).map(|(_, flag)| (*flag).to_owned()));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// As a shell needs it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=+:,@%".contains(letter);
    match word {
        "" => "''".to_owned(),
        _ if word.chars().all(is_plain) => word.to_owned(),
        _ => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Verb};
    use clap::Parser;

    fn run_args(line: &[&str]) -> RunArgs {
        let words = ["consort", "run"].iter().chain(line);
        let Verb::Run(args) = Cli::try_parse_from(words).unwrap().verb else { unreachable!() };
        *args
    }

    #[test]
    fn the_line_that_repeats_a_run_says_all_that_was_said() {
        let line = [
            "tank",
            "--out",
            "my runs",
            "--start",
            "-1",
            "--stop",
            "1/3",
            "--seed",
            "7",
            "--set",
            "tank.level=20 cm",
            "--set",
            "a.b='x'",
            "--workers",
            "2",
            "--csv",
        ];
        let args = run_args(&line);
        assert_eq!(
            command_line(args.system.as_deref(), &args),
            "consort run tank --out 'my runs' --start -1 --stop 1/3 --seed 7 \
             --set 'tank.level=20 cm' --set 'a.b='\\''x'\\''' --workers 2 --csv"
        );
    }

    #[test]
    fn the_manifest_keeps_what_decides_the_trace() {
        let args = run_args(&["tank", "--stop", "5", "--set", "a.b=1", "--input", "in.csv"]);
        let options = to_json(&args);
        let back = experiment_from_json(&options, |path| Path::new("/was").join(path));
        assert_eq!(back.stop, args.experiment.stop);
        assert_eq!(back.set, args.experiment.set);
        assert_eq!(back.input, Some(PathBuf::from("/was/in.csv")));
        assert_eq!(back.seed, None);
        let line =
            ["tank.json", "--order", "jacobi", "--loops", "iterate", "--delay", "a.y -> b.u"];
        let args = run_args(&[&line[..], &["--with", "coe.json"]].concat());
        let back = experiment_from_json(&to_json(&args), |path| Path::new("/was").join(path));
        assert_eq!(back.order.as_deref(), Some("jacobi"));
        assert_eq!(back.loops.as_deref(), Some("iterate"));
        assert_eq!(back.delay, ["a.y -> b.u"]);
        assert_eq!(back.form.with, [PathBuf::from("/was/coe.json")]);
        let solver = ["--solver", "rk4", "--tolerance", "1e-8", "--solver-step", "1/3"];
        let args = run_args(&[&["ball.fmu"], &solver[..]].concat());
        let back = experiment_from_json(&to_json(&args), |path| PathBuf::from(path));
        let kept = [back.solver, back.tolerance, back.solver_step].map(Option::unwrap);
        assert_eq!(kept, ["rk4", "1e-8", "1/3"]);
        let recorded = run_args(&["tank", "--record", "tank.*", "--record", "pid.k"]);
        let back = experiment_from_json(&to_json(&recorded), |path| PathBuf::from(path));
        assert_eq!(back.record, ["tank.*", "pid.k"]);
        let mut older = to_json(&args);
        older.as_object_mut().unwrap().remove("record");
        assert!(
            differences(&older, &to_json(&args)).is_empty(),
            "an option that was not there yet"
        );
        let line = command_line(recorded.system.as_deref(), &recorded);
        assert_eq!(line, "consort run tank --record 'tank.*' --record pid.k");
        let line = command_line(args.system.as_deref(), &args);
        assert_eq!(line, format!("consort run ball.fmu {}", solver.join(" ")));
    }
}
