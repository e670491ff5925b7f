//! The command line that repeats a run.

use consort::RunRequest;
use consort::run::paths::quoted;
use serde_json::Value;
use std::path::Path;

/// `consort run ...` for a request. `system` is what was typed, if anything was.
pub(crate) fn of_run(system: Option<&Path>, request: &RunRequest) -> String {
    let mut words = vec!["consort".to_owned(), "run".to_owned()];
    words.extend(system.map(|system| system.display().to_string()));
    let mut flags = Vec::new();
    let mut option = |name: &str, value: &Value| {
        let flag = format!("--{}", name.replace('_', "-"));
        match value {
            Value::Null | Value::Bool(false) => {}
            Value::Bool(true) => flags.push(flag),
            Value::Array(items) => {
                items.iter().for_each(|item| words.extend([flag.clone(), text(item)]));
            }
            value => words.extend([flag, text(value)]),
        }
    };
    let out = request.out.as_ref().map(|out| out.display().to_string());
    option("out", &out.into());
    let options = request.options();
    options.as_object().into_iter().flatten().for_each(|(name, value)| option(name, value));
    if let Some(tls) = &request.nodes.tls {
        let files = [
            ("tls_certificate", &tls.certificate),
            ("tls_key", &tls.key),
            ("tls_ca", &tls.authorities),
        ];
        for (name, file) in files {
            option(name, &file.display().to_string().into());
        }
    }
    option("no_journal", &request.settings.no_journal.into());
    option("no_verify", &request.settings.no_verify.into());
    words.extend(flags);
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let number = other.to_string();
            number.strip_suffix(".0").map(str::to_owned).unwrap_or(number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Verb};
    use clap::Parser;
    use consort_core::Report;

    fn check(typed: &[&str], expected: &str) {
        let cli = Cli::try_parse_from(["consort", "run"].iter().chain(typed)).unwrap();
        let Verb::Run(args) = &cli.verb else { unreachable!() };
        let mut report = Report::default();
        let request = args.request(&cli.global, &mut report);
        assert!(!report.has_errors(), "{typed:?}");
        assert_eq!(of_run(args.system.as_deref(), &request), format!("consort run {expected}"));
    }

    #[test]
    fn the_line_that_repeats_a_run_has_every_option() {
        let typed =
            ["tank", "--csv", "--out", "my runs", "--start", "-1", "--stop", "1/3", "--seed", "7"];
        let set = ["--set", "tank.level=20 cm", "--set", "a.b='x'", "--workers", "2"];
        check(
            &[&typed[..], &set[..]].concat(),
            "tank --out 'my runs' --start -1 --stop 1/3 --seed 7 \
             --set 'tank.level=20 cm' --set 'a.b='\\''x'\\''' --workers 2 --csv",
        );
        for line in [
            "ball.fmu --solver rk4 --tolerance 1e-8 --solver-step 1/3",
            "tank --record pid.k --record tank.y",
            "tank --real-time 1",
            "tank --real-time 1.05",
            "tank.json --order jacobi --loops iterate --with coe.json",
            "tank --save s --save-every 0.5 --place a=x --place b=y --link tcp --no-verify",
        ] {
            check(&line.split(' ').collect::<Vec<_>>(), line);
        }
    }
}
