//! Interface files, good and bad.

use crate::bench::Shop;
use consort_core::{Causality, Initial, ValueType, Values, Variability};
use std::fmt::Write as _;

#[test]
fn an_interface_says_what_a_program_is() {
    let text = "name = \"machine\"\nvariable-step = false\n[outputs]\ny = { unit = \"m/s\", start = 1.5 }\n\
                z = {}\n[inputs]\nu = { dimensions = [2, 3], start = 4 }\n\
                [parameters]\nmode = { type = \"Int32\", start = 3, description = \"how\" }\n";
    let shop = Shop::new(&[("it.toml", text)]);
    let loaded = shop.load(None).unwrap();
    let description = loaded.model.description();
    assert_eq!((&*description.name, &*description.kind), ("machine", "foreign program"));
    assert!(!description.capabilities.variable_step && !description.capabilities.save_state);
    let [y, z, u, mode] = &description.variables[..] else { panic!("four variables") };
    assert_eq!((y.causality, y.initial), (Causality::Output, Initial::Approx));
    assert_eq!(y.unit.map(|unit| &*description.units[unit].name), Some("m/s"));
    assert_eq!((z.initial, &z.start), (Initial::Calculated, &None));
    assert_eq!((u.causality, &u.start), (Causality::Input, &Some(Values::Float64(vec![4.0]))));
    assert_eq!(u.dimensions.len(), 2);
    assert_eq!((mode.value_type, mode.variability), (ValueType::Int32, Variability::Fixed));
    assert_eq!(mode.description, "how");
    assert_eq!(loaded.inputs[0].role.to_string(), "interface");
}

#[test]
fn bad_interfaces_are_reported_with_places_and_help() {
    let cases = [
        "outputs",
        "[outputs\ny = {}",
        "",
        "[output]\ny = {}",
        "saves_state = true\n[outputs]\ny = {}",
        "saves-state = 1\nname = 3\n[outputs]\ny = {}",
        "outputs = [\"y\"]",
        "[outputs]\ny = 1.0",
        "[outputs]\ny = { typ = \"Float64\", uint = \"m\" }",
        "[outputs]\ny = { type = \"Float32\" }\nz = { type = \"complex\" }",
        "[outputs]\ny = { dimensions = [] }\nz = { dimensions = [0] }\nx = { dimensions = 3 }",
        "[outputs]\ny = { dimensions = [100000, 100000] }",
        "[outputs]\ny = { dimensions = [16000000] }\nz = { dimensions = [16000000] }",
        "[inputs]\nu = { start = \"much\" }\nn = { type = \"Int32\", start = 1.5 }",
        "[inputs]\nu = { dimensions = [3], start = [1, 2] }\nd = { start = 2020-01-01 }",
        "[inputs]\nx = {}\n[outputs]\nx = {}",
        "[inputs]\n\"a\\nb\" = {}\n\"\" = {}",
        "command = []\n[outputs]\ny = {}",
        "command = \"./it\"\n[outputs]\ny = {}",
        "source = [1]\n[outputs]\ny = {}",
        "source = [\"it.c\"]\ncommand = [\"./it\"]\n[outputs]\ny = {}",
        "source = [\"itt.c\", \"far/away.c\"]\n[outputs]\ny = {}",
    ];
    let mut text = String::new();
    for case in cases {
        let files = [("it.toml", case), ("it.c", "int main(void) { return 0; }")];
        let said = Shop::new(&files).load(None).map(|_| ()).unwrap_err();
        writeln!(text, "{case}\n---\n{said}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_file_that_is_not_there_is_reported_with_the_nearest() {
    let shop = Shop::new(&[("iit.toml", "")]);
    let said = shop.load(None).map(|_| ()).unwrap_err();
    insta::assert_snapshot!(said, @"
    error[model::missing-file]: the interface `it.toml` of `it` is not there
      help: did you mean `iit.toml`?
    ");
}

#[test]
fn sources_that_cannot_be_compiled_are_reported_with_the_compilers_message() {
    let interface = "source = [\"it.c\"]\n[outputs]\ny = {}";
    let shop = Shop::new(&[("it.toml", interface), ("it.c", "int main(void) { return much; }")]);
    let said = shop.load(None).map(|_| ()).unwrap_err();
    let begins = "error[model::compile-failed]: the program of `it.toml` cannot be compiled\n";
    assert!(
        said.starts_with(begins) && said.contains("it.c:1:") && said.contains("much"),
        "{said}"
    );
}
