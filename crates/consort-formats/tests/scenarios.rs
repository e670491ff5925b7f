//! Scenario files: what is read, and what is written again.

use consort_core::Report;
use consort_formats::{read_scenario, write_scenario};
use consort_system::Scenario;
use consort_system::scenario::{Instruction, StepSize, Until};
use consort_testkit::fuzz;

fn read(text: &str) -> Scenario {
    let mut report = Report::default();
    let scenario = read_scenario("test.conf", text, &mut report);
    scenario.unwrap_or_else(|| panic!("{:#?}", report.diagnostics()))
}

fn example(name: &str) -> Scenario {
    read(&fuzz::text("scenario", name))
}

#[test]
fn what_is_written_is_read_as_the_same_scenario() {
    for name in
        ["cart.conf", "rejecting.conf", "implicit.conf", "initial-loop.conf", "adaptive.conf"]
    {
        let scenario = example(name);
        assert_eq!(read(&write_scenario(&scenario)), scenario, "{name}");
    }
}

#[test]
fn names_of_any_kind_are_written_so_that_they_are_read_again() {
    let mut scenario = example("cart.conf");
    scenario.name = "a \"quoted\" name\nof two lines, with \\".to_owned();
    scenario.fmus[0].name = "the motor {1}".to_owned();
    scenario.fmus[0].inputs[0].name = "v.x[1] = # //".to_owned();
    scenario.fmus[0].outputs[0].name = "der(force)".to_owned();
    scenario.fmus[1].path = "C:\\models\\cart.fmu".to_owned();
    assert_eq!(read(&write_scenario(&scenario)), scenario);
}

#[test]
fn promises_about_fmus_are_read() {
    let scenario = example("rejecting.conf");
    let [pump, tank] = &scenario.fmus[..] else { panic!("two FMUs") };
    assert!(pump.can_reject_step && tank.can_reject_step);
    assert!(pump.inputs[0].reactive && !tank.inputs[0].reactive);
    assert_eq!((pump.outputs[0].follows_initially.len(), pump.outputs[0].follows.len()), (1, 0));
    assert_eq!(scenario.step_max, 3);
    assert_eq!(scenario.connections.len(), 2);
}

#[test]
fn loops_are_read_with_their_ends() {
    let scenario = example("rejecting.conf");
    let Some(Instruction::Loop(it)) = scenario.steps[0].1.last() else { panic!("a loop") };
    assert!(matches!(&it.until, Until::Accepted(fmus) if fmus.len() == 2));
    assert_eq!((it.iterate.len(), it.retry.len()), (6, 2));
    let by_tank =
        |it: &Instruction| matches!(it, Instruction::Step { size: StepSize::SameAs(_), .. });
    assert!(it.iterate.iter().any(by_tank));
}

#[test]
fn hocon_is_read_in_its_several_spellings() {
    let plain = example("cart.conf");
    let braces = write_scenario(&plain);
    for text in [
        format!("{{\n{braces}}}"),
        braces.replace(" = ", ": "),
        braces.replace(" = {", " {"),
        braces.replace('\n', "\r\n"),
        format!("\u{FEFF}{}", braces.replace('\n', " // a remark\n")),
        format!("name = \"another\"\n{braces}"),
        braces.replace("name = \"cart and motor\"", "name = \"\"\"cart and motor\"\"\""),
        braces.replace("name = \"cart and motor\"", "name = \"cart\" and \"motor\" // \"\""),
        format!("{braces}event-strategies = {{}}\n"),
    ] {
        assert_eq!(read(&text), plain, "{text}");
    }
}

/// FMUs without ports: those of the connections, also of configurations, are taken.
const BARE: &str = "name = bare
scenario = {
  fmus = {
    tank = {}
    pump = { inputs = {}, outputs = { flow = {dependencies-init=[level], dependencies=[level]} } }
    drain = { can-reject-step = true }
  }
  configuration = {
    configurable-inputs = [pump.level]
    configurations = {
      slow = { inputs = { \"pump.level\" = {reactivity=delayed} } }
      fast = { inputs = { \"pump.level\" = {reactivity=reactive} }, connections = [tank.level -> pump.level, pump.flow -> tank.inflow, tank.out -> drain.in] }
    }
  }
  connections = [ tank.level -> pump.level, pump.flow -> tank.inflow ]
}
";

#[test]
fn ports_that_no_fmu_lists_are_those_of_the_connections() {
    let mut report = Report::default();
    let scenario = read_scenario("bare.conf", BARE, &mut report).expect("nothing is wrong");
    let said: Vec<&str> = report.diagnostics().iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "`tank` lists no inputs: `inflow` of the connections taken as delayed",
            "`tank` lists no outputs: `level`, `out` of the connections taken as independent of inputs",
            "`pump` lists no inputs: `level` of the connections taken as delayed",
            "`drain` lists no inputs: `in` of the connections taken as delayed",
        ]
    );
    let pump = &scenario.fmus[1];
    assert_eq!((pump.inputs.len(), pump.outputs[0].follows.len()), (1, 1));
    assert!(pump.inputs.iter().all(|input| !input.reactive));
}

#[test]
fn configurations_without_an_algorithm_are_kept() {
    let scenario = read(BARE);
    let names: Vec<&str> = scenario.configurations.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["slow", "fast"]);
    assert!(scenario.configurations.iter().all(|it| it.step.is_empty()));
    assert_eq!(read(&write_scenario(&scenario)), scenario);
    let initial = scenario.initial();
    assert_eq!(initial.connections.len(), 3, "its own two, and the one of `fast`");
}

#[test]
fn a_port_that_is_missing_from_a_list_is_a_mistake() {
    let text = BARE.replace("outputs = { flow", "outputs = { flwo");
    let mut report = Report::default();
    assert_eq!(read_scenario("bare.conf", &text, &mut report), None);
    let said = report.diagnostics().iter().map(|it| it.message.as_str());
    assert!(said.into_iter().any(|it| it == "`pump` has no port `flow`"));
}

#[test]
fn entering_and_leaving_the_initialization_may_be_written() {
    let plain = example("cart.conf");
    let text = write_scenario(&plain);
    for (enter, exit) in
        [("enter-initialization", "exit-initialization"), ("enter-init", "exit-init")]
    {
        let text = text.replace(
            "initialization = [\n",
            &format!(
                "initialization = [\n{{{enter}: cart}}, {{{enter}: motor}}, {{{exit}: cart}}\n"
            ),
        );
        assert_eq!(read(&text), plain, "{text}");
    }
    let wrong = text.replace("initialization = [\n", "initialization = [\n{enter-init: boat}\n");
    let mut report = Report::default();
    assert_eq!(read_scenario("test.conf", &wrong, &mut report), None);
}
