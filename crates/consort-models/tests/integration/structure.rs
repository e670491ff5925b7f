//! Descriptions: dependencies, and the table of blocks in the crate's documentation.

use crate::harness::{Bench, blocks};
use crate::samples::samples;
use consort_core::{Causality, DependsOn, ModelDescription, Unknown};
use consort_models::native::Blocks;

fn names(description: &ModelDescription, unknowns: &[Unknown]) -> Vec<String> {
    let name = |index: usize| description.variables[index].name.as_str();
    let known = |on: &DependsOn| match on {
        DependsOn::All => "all".to_owned(),
        DependsOn::These(list) => {
            let list = list.iter().map(|(id, kind)| format!("{}:{kind}", name(id.index())));
            list.collect::<Vec<_>>().join(" ")
        }
    };
    unknowns
        .iter()
        .map(|unknown| format!("{} <- {}", name(unknown.variable.index()), known(&unknown.on)))
        .collect()
}

fn check(block: &str, parameters: &str, outputs: &[&str], initial: &[&str]) {
    let bench = Bench::fresh(block, parameters, "0.1");
    let structure = &bench.description.structure;
    assert_eq!(names(&bench.description, &structure.outputs), outputs, "{block}");
    assert_eq!(names(&bench.description, &structure.initial), initial, "{block}");
}

#[test]
fn feedthrough_is_declared_where_there_is_some_and_nowhere_else() {
    check("gain", "", &["y <- u:tunable"], &["y <- u:tunable k:dependent"]);
    check("sum", "", &["y <- u1:constant u2:constant"], &["y <- u1:constant u2:constant"]);
    check("unit-delay", "", &["y <- "], &["y <- y0:dependent"]);
    check("integrator", "", &["y <- "], &["y <- x0:dependent min:dependent max:dependent"]);
    let strict = "A = [[0.0]]\nB = [[1.0]]\nD = [[0.0]]";
    check("state-space", strict, &["y <- "], &["y <- x0:constant", "x <- x0:constant"]);
    let direct = "A = [[0.0]]\nB = [[1.0]]\nD = [[2.0]]";
    check(
        "state-space",
        direct,
        &["y <- u:constant"],
        &["y <- u:constant x0:constant", "x <- x0:constant"],
    );
    check("constant", "", &["y <- "], &["y <- value:tunable"]);
}

#[test]
fn scalar_ports_have_one_dependency_per_element_of_d() {
    let ports = "A = [[0.0]]\nB = [[1.0, 1.0]]\nC = [[1.0], [2.0], [0.0]]\n\
                 D = [[0.0, 0.0], [0.0, 3.0], [4.0, 5.0]]\nports = \"scalars\"";
    check(
        "state-space",
        ports,
        &["y1 <- ", "y2 <- u2:constant", "y3 <- u1:constant u2:constant"],
        &[
            "y1 <- x0:constant",
            "y2 <- u2:constant x0:constant",
            "y3 <- u1:constant u2:constant x0:constant",
            "x <- x0:constant",
        ],
    );
}

/// Declared dependencies hold: an input changes an output at one tag only if it is listed.
#[test]
fn outputs_change_at_once_only_with_what_they_depend_on() {
    for (name, parameters) in samples() {
        let mut bench = Bench::started(name, &parameters, "0.01");
        bench.step();
        let description = bench.description.clone();
        for (index, input) in description.variables.iter().enumerate() {
            if input.causality != Causality::Input {
                continue;
            }
            let count = crate::samples::count(input);
            bench.set_list(&input.name, &vec![0.0; count]);
            let before = bench.all_values();
            bench.set_list(&input.name, &vec![0.3; count]);
            let after = bench.all_values();
            for unknown in &description.structure.outputs {
                let at = unknown.variable.index();
                let is_listed = unknown.on.includes(consort_core::VariableId::from_index(index));
                assert_eq!(before[at] != after[at], is_listed, "{name}: {}", input.name);
            }
        }
    }
}

#[test]
fn every_variable_is_described_and_parameters_have_start_values() {
    for (name, parameters) in samples() {
        let bench = Bench::fresh(name, &parameters, "0.01");
        for variable in &bench.description.variables {
            assert!(!variable.description.is_empty(), "{name}.{}", variable.name);
            let has_start = matches!(variable.causality, Causality::Parameter | Causality::Input);
            assert_eq!(variable.start.is_some(), has_start, "{name}.{}", variable.name);
        }
    }
}

fn listed(description: &ModelDescription, causality: Causality) -> String {
    let variables = description.variables.iter();
    let names = variables.filter(|variable| variable.causality == causality);
    let mut names: Vec<&str> = names.map(|variable| variable.name.as_str()).collect();
    names.sort_unstable();
    names.join(", ")
}

#[test]
fn the_registry_lists_the_variables_blocks_have() {
    let sorted = |list: &str| {
        let mut names: Vec<&str> =
            list.split(", ").filter(|name| !["size", "ports"].contains(name)).collect();
        names.sort_unstable();
        names.join(", ")
    };
    for (block, (name, parameters)) in blocks().iter().zip(samples()) {
        let description = Bench::fresh(name, &parameters, "0.01").description;
        assert_eq!(
            listed(&description, Causality::Parameter).replace(", size", ""),
            sorted(block.parameters),
            "{name}"
        );
        if !["sum", "table"].contains(&name) {
            assert_eq!(listed(&description, Causality::Input), sorted(block.inputs), "{name}");
            assert_eq!(listed(&description, Causality::Output), sorted(block.outputs), "{name}");
        }
    }
}

#[test]
fn the_documentation_lists_every_block() {
    let documentation = include_str!("../../src/lib.rs");
    let rows: Vec<&str> = documentation
        .lines()
        .filter(|line| line.starts_with("//! | `") && !line.contains("native:"))
        .collect();
    let expected: Vec<String> = Blocks::default()
        .iter()
        .map(|block| {
            let (name, inputs, outputs) = (block.name, block.inputs, block.outputs);
            let (parameters, summary) = (block.parameters, block.summary);
            format!("//! | `{name}` | {inputs} | {outputs} | {parameters} | {summary} |")
        })
        .collect();
    assert_eq!(rows, expected, "\n{}\n", expected.join("\n"));
}
