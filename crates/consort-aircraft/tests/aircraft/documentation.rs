//! The table of blocks in the crate's documentation.

use consort_aircraft::BLOCKS;

#[test]
fn the_documentation_lists_every_block() {
    let documentation = include_str!("../../src/lib.rs");
    let is_row = |line: &&str| line.starts_with("//! | `") && !line.contains("native:");
    let rows: Vec<&str> = documentation.lines().filter(is_row).collect();
    let expected: Vec<String> = BLOCKS
        .iter()
        .map(|block| {
            let (name, inputs, outputs) = (block.name, block.inputs, block.outputs);
            let (parameters, summary) = (block.parameters, block.summary);
            format!("//! | `{name}` | {inputs} | {outputs} | {parameters} | {summary} |")
        })
        .collect();
    assert_eq!(rows, expected, "\n{}\n", expected.join("\n"));
}
