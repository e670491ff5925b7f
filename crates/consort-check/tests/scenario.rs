//! The judge of scenarios, and plans that are made for them.

use consort_check::{check_plan, check_scenario};
use consort_core::{ModelDescription, Report};
use consort_formats::{read_scenario, write_scenario};
use consort_system::{Plan, Scenario};
use consort_testkit::fuzz;

const EXAMPLES: [&str; 5] =
    ["cart.conf", "rejecting.conf", "implicit.conf", "initial-loop.conf", "adaptive.conf"];

fn text(name: &str) -> String {
    fuzz::text("scenario", name)
}

fn read(text: &str) -> Scenario {
    let mut report = Report::default();
    let scenario = read_scenario("test.conf", text, &mut report);
    scenario.unwrap_or_else(|| panic!("{:#?}", report.diagnostics()))
}

/// The example with `from` replaced once by `to`, and what the judge says of it.
fn check(name: &str, from: &str, to: &str, expected: &str) {
    let text = text(name);
    assert!(text.contains(from), "{from}");
    let verdict = check_scenario(&read(&text.replacen(from, to, 1)));
    let said = verdict.map_err(|violation| {
        assert!(!violation.help().is_empty());
        violation.to_string()
    });
    assert_eq!(said.err().unwrap_or_default(), expected, "{name}: {from:?} to {to:?}");
}

#[test]
fn the_examples_are_right() {
    for name in EXAMPLES {
        check(name, "", "", "");
    }
}

#[test]
fn what_comes_too_early_is_named() {
    check(
        "cart.conf",
        "  {set: motor.speed}\n  {get: motor.force}\n",
        "  {get: motor.force}\n  {set: motor.speed}\n",
        "`initialization`, stage 2: `get motor.force` comes too early: it needs `motor.speed` to be \
         set with `cart.speed` at the present tag, has none",
    );
    check(
        "cart.conf",
        "  {step: motor}\n  {get: cart.speed}\n  {set: motor.speed}\n",
        "  {get: cart.speed}\n  {set: motor.speed}\n  {step: motor}\n",
        "`cosim-step`, stage 3, at the first tag: `set motor.speed` comes too late: it needs \
         `cart.speed` at the present tag, has the one of the next tag",
    );
    check(
        "adaptive.conf",
        "a-first = [ {step: a}, {get: a.y}, {set: b.u}, {step: b}",
        "a-first = [ {step: b}, {step: a}, {get: a.y}, {set: b.u}",
        "in the configuration `first`: `cosim-step`, stage 1, at the first tag: the step of `b` comes too \
         early: it needs `b.u` \
         to be set with `a.y` at the tag where the step ends, has the one of the present tag",
    );
}

#[test]
fn what_is_left_out_is_named() {
    check(
        "cart.conf",
        "  {set: cart.force}\n]\ncosim-step",
        "]\ncosim-step",
        "at the end of `initialization`: `set cart.force` never happens",
    );
    check(
        "cart.conf",
        "  {step: motor}\n",
        "",
        "`cosim-step`, stage 3, at the first tag: `set motor.speed` comes too late: it needs \
         `cart.speed` at the present tag, has the one of the next tag",
    );
    check(
        "adaptive.conf",
        "{step: b}, {get: b.y}, {set: a.u} ]",
        "]",
        "in the configuration `first`: at the end of `cosim-step`, at the first tag: the step of `b` never \
         happens",
    );
    // The last instruction of a step is missed by the next step only.
    let end = "  {set: motor.speed}\n  {get: motor.force}\n";
    check(
        "cart.conf",
        &format!("  {{step: motor}}\n  {{get: cart.speed}}\n{end}  {{set: cart.force}}\n"),
        &format!("  {{step: motor}}\n  {{get: cart.speed}}\n{end}"),
        "`cosim-step`, stage 1: the step of `cart` comes too early: it needs `cart.force` to be set \
         with `motor.force` at the present tag, has the one of the tag before",
    );
}

#[test]
fn steps_are_taken_once_and_together() {
    check(
        "cart.conf",
        "  {step: motor}\n",
        "  {step: motor}\n  {step: cart}\n",
        "`cosim-step`, stage 3, at the first tag: the step of `cart` comes twice",
    );
    check(
        "rejecting.conf",
        "    {save-state: tank}, {save-state: pump}\n",
        "    {save-state: tank}, {save-state: pump}, {step: tank}\n",
        "`cosim-step`, stage 4.1, at the first tag: the step of `tank` comes twice",
    );
}

#[test]
fn without_a_loop_all_follow_the_one_that_may_reject_its_step() {
    let from = text("rejecting.conf");
    let from = &from[from.find("  find = [").expect("its algorithm")..];
    let follow = "  find = [ {step: tank}, {get: tank.level}, {set: pump.level}, \
                  {step: pump SIZE}, {get: pump.flow}, {set: tank.flow} ]\n}\n";
    let mut scenario = text("rejecting.conf").replace(from, follow);
    scenario = scenario.replacen("can-reject-step = true", "can-reject-step = false", 1);
    let verdict = |size: &str| check_scenario(&read(&scenario.replace("SIZE", size)));
    assert_eq!(verdict(", by-same-as: tank"), Ok(()));
    assert_eq!(
        verdict("").map_err(|violation| violation.to_string()),
        Err("`cosim-step`, stage 4, at the first tag: the step of `pump` does not go as far as the \
             others"
            .to_owned())
    );
}

#[test]
fn what_a_loop_repeats_is_restored_first() {
    check(
        "rejecting.conf",
        "{restore-state: tank}, {restore-state: pump}",
        "{restore-state: pump}",
        "`cosim-step`, stage 3, at the first tag: restoring `tank` never happens",
    );
    check(
        "implicit.conf",
        "  {save-state: left}\n",
        "",
        "`cosim-step`, stage 2.1, at the first tag: restoring `left` is not allowed here: a state is \
         restored only after it was saved",
    );
    check(
        "implicit.conf",
        "        {get-tentative: right.push}\n",
        "",
        "`cosim-step`, stage 3, at the first tag: `get right.push` never happens",
    );
    check(
        "implicit.conf",
        "        {set: left.push}\n",
        "",
        "`cosim-step`, stage 3.1, at the first tag: the step of `left` comes too early: it needs \
         `left.push` to be set with `right.push` at the tag where the step ends, has the one of the \
         present tag",
    );
}

fn synthesized(scenario: &Scenario) -> (Plan, Scenario) {
    let (system, models) = scenario.to_system();
    let models: Vec<&ModelDescription> = models.iter().collect();
    let mut report = Report::default();
    let plan = consort_planner::plan(&system, &models, &mut report);
    let plan = plan.unwrap_or_else(|| panic!("{:#?}", report.diagnostics()));
    check_plan(&system, &models, &plan).unwrap_or_else(|violation| panic!("{violation}"));
    let made = scenario.with_plan(&plan);
    (plan, made)
}

#[test]
fn a_plan_made_for_a_scenario_is_right_as_its_algorithm() {
    for name in EXAMPLES {
        let scenario = read(&text(name));
        let (plan, made) = synthesized(&scenario);
        let written = write_scenario(&made);
        assert_eq!(read(&written), made, "{name}");
        if let Err(violation) = check_scenario(&made) {
            panic!("{name}: {violation}\n{plan:#?}\n{written}");
        }
    }
}

/// The two masters of `adaptive.conf` with connections of their own, and none for all.
#[test]
fn the_initialization_is_judged_once_for_all_configurations() {
    let own = "connections = [], cosim-step = a-first";
    let moved = "connections = [ a.y -> b.u, b.y -> a.u ], cosim-step = a-first";
    check("adaptive.conf", own, moved, "");
    let text = text("adaptive.conf")
        .replace(own, moved)
        .replace("  connections = [ a.y -> b.u, b.y -> a.u ]\n}\ninit", "}\ninit");
    let second = text.replace(
        "connections = [ a.y -> b.u, b.y -> a.u ], cosim-step = a-first",
        "connections = [ a.y -> b.u ], cosim-step = a-first",
    );
    // Only `second` has `a.u` fed by nothing: its algorithm sets what has no source.
    assert_eq!(check_scenario(&read(&text)), Ok(()));
    assert_eq!(check_scenario(&read(&second)), Ok(()));
    let early = text
        .replace("{get: a.y}, {set: b.u}, {get: b.y}, {set: a.u} ]\ncosim", "{set: b.u} ]\ncosim");
    let said = check_scenario(&read(&early)).expect_err("`b.u` is set with nothing").to_string();
    assert!(said.starts_with("`initialization`, stage 1: `set b.u` comes too early"), "{said}");
}

#[test]
fn plans_are_made_for_every_configuration() {
    let scenario = read(&text("adaptive.conf"));
    let plan = |scenario: &Scenario| synthesized(scenario).0;
    let initial = plan(&scenario.initial());
    let plans: Vec<Plan> =
        scenario.configurations.iter().map(|it| plan(&scenario.configured(it))).collect();
    let made = scenario.with_plans(&initial, &plans);
    assert_eq!(check_scenario(&made), Ok(()));
    assert_eq!(read(&write_scenario(&made)), made);
    let names: Vec<&str> = made.steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    assert_ne!(made.steps[0].1, made.steps[1].1, "who goes first differs");
}
