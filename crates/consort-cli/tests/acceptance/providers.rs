//! Every way to save a state, at 100 random points, for FMUs that Consort made and those that hide theirs.

use crate::world::World;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use serde_json::Value;
use std::fs;

/// A state, an event, and what was three tenths of a second ago.
const LATE: &str = r"
model late
  experiment stop 2 step 0.01
  input u = 0.3
  output state x = 1
  output discrete turns = 0
  output past = delay(x, 0.3)
  der(x) = -x + u - 0.5*past
  when x < 0.4 then
    turns = turns + 1
  end
end";

/// What every provider was found to do with the model, in 100 trials each.
fn verdicts(world: &World, model: &str, providers: &[&str]) -> Vec<(String, String)> {
    let providers = providers.join(",");
    let line = ["state-check", model, "--format", "json", "--fresh", "--providers", &providers];
    let said = world.consort(&line);
    let all: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said}"));
    let all = all["models"][0]["providers"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    all.iter().map(|it| (text(&it["provider"]), text(&it["fidelity"]))).collect()
}

fn check(world: &World, model: &str, expected: &[(&str, &str)]) {
    // A kernel without images passes with the others.
    let is_there =
        |(name, _): &&(&str, &str)| *name != "image" || consort_host::image_support().is_ok();
    let expected: Vec<_> = expected.iter().filter(is_there).collect();
    let names: Vec<_> = expected.iter().map(|(name, _)| *name).collect();
    let found = verdicts(world, model, &names);
    let found: Vec<_> =
        found.iter().map(|(name, verdict)| (name.as_str(), verdict.as_str())).collect();
    assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{model}");
}

#[test]
fn exported_models_are_saved_exactly_by_every_provider() {
    let world = World::new();
    world.write("late.eq", LATE);
    for fmi in ["2", "3"] {
        let fmu = format!("late{fmi}.fmu");
        world.done(&["export", "fmu", "late.eq", &fmu, "--fmi", fmi]);
        let all = [
            ("native", "portable"),
            ("image", "portable"),
            ("fork", "exact"),
            ("replay", "portable"),
        ];
        check(&world, &fmu, &all);
    }
}

#[test]
fn models_that_hide_their_state_are_saved_exactly_from_outside() {
    let world = World::new();
    for (fmi, name) in [(Fmi::V2, "hidden2.fmu"), (Fmi::V3, "hidden3.fmu")] {
        fs::copy(fmus::build("hidden", fmi, &BuildOptions::archive()), world.path(name)).unwrap();
        check(&world, name, &[("image", "portable"), ("fork", "exact"), ("replay", "portable")]);
    }
}
