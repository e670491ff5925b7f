//! What a source file must not contain.

/// A file longer than this is two files.
const FILE_LINES_MAX: usize = 600;
/// A function longer than this, comments and blank lines apart, is two functions.
const FUNCTION_LINES_MAX: usize = 70;

/// Texts that must not occur, where, and what to do instead. The halves are joined here so that this
/// file does not violate itself.
fn banned() -> Vec<(String, &'static str)> {
    let join = |a: &str, b: &str| format!("{a}{b}");
    vec![
        (join("TO", "DO"), "finish it, or write down in an issue what is missing"),
        (join("FIX", "ME"), "finish it, or write down in an issue what is missing"),
        (join("dbg", "!("), "leftover"),
        (join("#[allow", "("), "use #[expect(…, reason = …)]"),
        (join("internal ", "error"), "say what happened and what to do"),
        (join("remove before ", "merge"), "leftover"),
    ]
}

/// Crates without IO: what they may not even name.
const PURE: [&str; 15] = [
    "core",
    "xml",
    "toml",
    "trace",
    "system",
    "solve",
    "equations",
    "export",
    "formats",
    "planner",
    "check",
    "property",
    "engine",
    "federation",
    "view",
];
const IMPURE: [&str; 4] = ["std::fs", "std::net", "std::process", "std::env"];

pub(super) fn violations(path: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |line: usize, what: String| found.push(format!("{path}:{line}: {what}"));
    let lines = source.lines().count();
    if FILE_LINES_MAX < lines {
        say(1, format!("{lines} lines; at most {FILE_LINES_MAX}"));
    }
    if path.ends_with("/mod.rs") {
        say(1, "modules are foo.rs and foo/, not mod.rs".to_owned());
    }
    for (index, line) in source.lines().enumerate() {
        for problem in line_problems(path, line) {
            say(index + 1, problem);
        }
    }
    for (line, length) in long_functions(source) {
        say(line, format!("a function of {length} lines; at most {FUNCTION_LINES_MAX}"));
    }
    found
}

fn line_problems(path: &str, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (text, instead) in banned() {
        if line.contains(&text) {
            found.push(format!("`{text}`: {instead}"));
        }
    }
    if line.trim_start().starts_with("pub use") && line.contains("::*") {
        found.push("no glob re-exports: name what is public".to_owned());
    }
    if is_riddle(line) {
        found.push("a doc comment of one question word: say what the field is for".to_owned());
    }
    let pure = PURE.iter().any(|name| path.starts_with(&format!("crates/consort-{name}/src/")));
    for name in IMPURE {
        if pure && line.contains(name) {
            found.push(format!("`{name}` in a crate without IO"));
        }
    }
    found
}

/// Whether a doc comment only repeats the question that its reader has.
fn is_riddle(line: &str) -> bool {
    let words = ["Which", "Why", "How", "Where", "What", "Who", "When", "Whose", "Whether"];
    let doc = line.trim_start().strip_prefix("/// ");
    doc.and_then(|doc| doc.trim_end().strip_suffix('.')).is_some_and(|doc| words.contains(&doc))
}

/// Line and length of functions that are too long. Formatted code closes a function with a brace at
/// the indentation of its first line.
fn long_functions(source: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        // A declaration in a trait ends with a semicolon before any brace opens.
        let mut ends = lines[start..].iter().map(|line| line.trim_end());
        let opens = ends.find(|line| line.ends_with(['{', ';'])).is_some_and(|l| l.ends_with('{'));
        if !is_function(line) || !opens {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = lines[start..].iter().position(|other| *other == format!("{indent}}}"));
        let body = &lines[start..start + end.unwrap_or(0)];
        let is_code = |line: &&&str| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with("//")
        };
        let length = body.iter().filter(is_code).count();
        if FUNCTION_LINES_MAX < length {
            found.push((start + 1, length));
        }
    }
    found
}

fn is_function(line: &str) -> bool {
    let words = line.trim_start();
    let words = words.strip_prefix("pub(crate) ").or(words.strip_prefix("pub ")).unwrap_or(words);
    let words = words.strip_prefix("const ").or(words.strip_prefix("unsafe ")).unwrap_or(words);
    words.starts_with("fn ") && !line.trim_end().ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_violation_is_found() {
        let long = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(71));
        let cases = [
            ("crates/consort-core/src/a.rs", "use std::fs;", "without IO"),
            ("crates/consort-cli/src/mod.rs", "", "not mod.rs"),
            ("crates/consort-cli/src/a.rs", "pub use b::*;", "glob"),
            ("crates/consort-cli/src/a.rs", "    /// Which.\n", "one question word"),
            ("crates/consort-cli/src/a.rs", &long, "a function of 72 lines"),
            ("crates/consort-cli/src/a.rs", &"\n".repeat(601), "601 lines"),
        ];
        for (path, source, expected) in cases {
            let found = violations(path, source).join("; ");
            assert!(found.contains(expected), "{expected}: {found}");
        }
        let declared = format!("trait T {{\n    fn f();\n{}}}\n", "    fn g();\n".repeat(71));
        for fine in ["use std::fs;\n", &declared] {
            assert_eq!(violations("crates/consort-fmi/src/a.rs", fine), [""; 0]);
        }
    }
}
