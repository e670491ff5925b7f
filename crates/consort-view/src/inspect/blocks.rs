//! Native blocks, as far as they can be described without their parameters.

use crate::page::Page;
use serde_json::{Value, json};

/// What a native block says about itself before it has parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockSummary<'a> {
    /// The name, as written after `native:`.
    pub name: &'a str,
    /// One line about the purpose of the block.
    pub summary: &'a str,
    /// Its inputs; empty if it has none.
    pub inputs: &'a str,
    /// Its outputs; empty if it has none.
    pub outputs: &'a str,
    /// Its parameters; empty if it has none.
    pub parameters: &'a str,
}

/// A native block whose variables depend on parameters it was not given.
pub fn describe_block(block: &BlockSummary<'_>, width: usize, color: bool) -> String {
    let mut page = Page::new(width, color);
    page.title(&format!("native:{}: native block", block.name));
    let facts = [
        ("block", block.summary),
        ("inputs", block.inputs),
        ("outputs", block.outputs),
        ("parameters", block.parameters),
    ];
    let given = facts.iter().filter(|(_, text)| !text.is_empty());
    let facts: Vec<(String, String)> =
        given.map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    page.facts(&facts);
    page.heading("Its variables depend on its parameters");
    page.remark("inspect a system that uses it to see them");
    page.finish()
}

/// One line per block: how a system names it, and what it does.
pub fn list_blocks(blocks: &[BlockSummary<'_>]) -> String {
    let width = blocks.iter().map(|block| block.name.len()).max().unwrap_or(0);
    let line =
        |block: &BlockSummary<'_>| format!("native:{:width$}  {}\n", block.name, block.summary);
    blocks.iter().map(line).collect()
}

/// A native block for programs.
pub fn block_to_json(block: &BlockSummary<'_>) -> Value {
    json!({
        "name": format!("native:{}", block.name),
        "summary": block.summary,
        "inputs": block.inputs,
        "outputs": block.outputs,
        "parameters": block.parameters,
    })
}
