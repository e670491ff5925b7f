//! What `model.c` looks like, and that it is the same every time.

use crate::bench::{compiled, compiled_with};
use consort_equations::Equations;
use consort_export::{FmiVersion, Identity, sources};

fn written(equations: &Equations) -> String {
    let identity = Identity { model_identifier: "tank".to_owned(), token: "{token}".to_owned() };
    let files = sources(equations, FmiVersion::V2, &identity);
    assert_eq!(files, sources(equations, FmiVersion::V2, &identity));
    files.into_iter().find(|(name, _)| name == "model.c").unwrap().1
}

const TANK: &str = "model tank
  parameter area = 2
  input inflow = 0.1
  output state level = 1 nominal 0.5
  discrete alarms = 0
  output rate = sqrt(max(level, 0)) - delay(inflow, area)
  der(level) = (inflow - rate)/area
  when level < 0.25 after 0.5 then
    alarms = alarms + 1
  end
end";

#[test]
fn a_small_model_reads_well() {
    insta::assert_snapshot!(written(&compiled(TANK)));
}

#[test]
fn names_cannot_break_out_of_the_code() {
    let hostile = "\"; */ system(\"true\"); /* \\";
    let equations = compiled_with(TANK, |model| {
        model.events[0].name.text = hostile.to_owned();
    });
    let code = written(&equations);
    assert!(!code.contains("system(\"true\")"), "{code}");
    assert!(code.contains(r"\042; */ system(\042true\042); /* \134"), "{code}");
}
