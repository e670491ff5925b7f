//! The pages of an area: read, and their form judged.

use super::FOLDER;

/// Shorter texts are no sentences.
const SENTENCE_MIN: usize = 8;

/// The codes that begin with the same word.
pub(super) struct Area {
    pub(super) name: String,
    /// What it is about, from its title.
    pub(super) about: String,
    pub(super) sections: Vec<Section>,
}

/// What is written about a code.
pub(super) struct Section {
    pub(super) code: String,
    /// Where its heading is.
    pub(super) line: usize,
}

impl Area {
    pub(super) fn file(&self) -> String {
        format!("{FOLDER}/{}.md", self.name)
    }
}

/// Reads the page of an area; what is wrong with its form goes to `faults`.
pub(super) fn read(name: &str, text: &str, faults: &mut Vec<String>) -> Area {
    let mut area = Area { name: name.to_owned(), about: String::new(), sections: Vec::new() };
    let file = area.file();
    let mut say = |line: usize, what: &str| faults.push(format!("{file}:{line}: {what}"));
    let mut pieces = text.split("\n## ");
    let head = pieces.next().unwrap_or_default();
    let title = head.lines().next().unwrap_or_default();
    match title.strip_prefix(&format!("# `{name}::...`: ")) {
        Some(about) => area.about = about.to_owned(),
        None => say(1, &format!("begin with the title \"# `{name}::...`: what it is about\"")),
    }
    if head.lines().skip(1).all(|line| line.trim().is_empty()) {
        say(1, "say in a sentence below the title what the codes are about");
    }
    let mut line = head.matches('\n').count() + 2;
    for piece in pieces {
        let (code, body) = piece.split_once('\n').unwrap_or((piece, ""));
        for fault in faults_of(code, body) {
            say(line, &format!("`{code}`: {fault}"));
        }
        if !code.starts_with(&format!("{name}::")) {
            say(line, &format!("`{code}` belongs to another area"));
        }
        if area.sections.last().is_some_and(|last| code <= last.code.as_str()) {
            say(line, &format!("`{code}` is not in alphabetical order"));
        }
        area.sections.push(Section { code: code.to_owned(), line });
        line += piece.matches('\n').count() + 1;
    }
    area
}

/// A section has its parts in order, each with something in it.
fn faults_of(code: &str, body: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !super::is_code(code) {
        found.push("is not of the form `area::name`".to_owned());
    }
    let parts = body
        .split_once("\n**Example.**")
        .and_then(|(meaning, rest)| Some((meaning, rest.split_once("\n**Cure.** ")?)));
    let Some((meaning, (example, cure))) = parts else {
        found.push("goes from what it means to \"**Example.**\" to \"**Cure.** \"".to_owned());
        return found;
    };
    for (name, part) in [("meaning", meaning), ("cure", cure)] {
        if !part.trim().ends_with(['.', ')']) || part.trim().len() < SENTENCE_MIN {
            found.push(format!("its {name} is no sentence: {:?}", part.trim()));
        }
    }
    if example.matches("\n```").count() != 2 {
        found.push("has not one block of text as its example".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "\nA call failed.\n\n**Example.**\n\n```text\nx\n```\n\n**Cure.** Mend it.\n";

    fn check(text: &str, expected: &[&str]) {
        let mut faults = Vec::new();
        read("run", text, &mut faults);
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        for (fault, part) in faults.iter().zip(expected) {
            assert!(fault.contains(part), "{fault}: {part}");
        }
    }

    #[test]
    fn a_page_has_a_title_and_complete_sections_in_order() {
        let head = "# `run::...`: while a system runs\n\nA run failed.\n";
        let page = |sections: &[(&str, &str)]| {
            let sections = sections.iter().map(|(code, body)| format!("\n## {code}\n{body}"));
            head.to_owned() + &sections.collect::<String>()
        };
        check(&page(&[("run::a", GOOD), ("run::b", GOOD)]), &[]);
        check(
            &page(&[("run::b", GOOD), ("run::a", GOOD)]),
            &["run.md:17: `run::a` is not in alph"],
        );
        check(&page(&[("run::a", GOOD), ("run::a", GOOD)]), &["alphabetical order"]);
        check(&page(&[("cli::a", GOOD)]), &["another area"]);
        check(&page(&[("run::A", GOOD)]), &["not of the form"]);
        check("# Run\n\nA run failed.\n", &["begin with the title"]);
        check("# `run::...`: while a system runs\n", &["say in a sentence"]);
        let without = |part: &str| page(&[("run::a", &GOOD.replace(part, ""))]);
        check(&without("A call failed."), &["its meaning is no sentence"]);
        check(&without("**Example.**"), &["goes from what it means to"]);
        check(&without("**Cure.** "), &["goes from what it means to"]);
        check(&without("```text\n"), &["not one block"]);
        check(&without("Mend it."), &["its cure is no sentence"]);
    }
}
