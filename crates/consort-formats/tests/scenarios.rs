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
