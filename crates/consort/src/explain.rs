//! What the code of an error, a warning or a note means: the pages of `docs/codes`.
//!
//! ```
//! let page = consort::explain::explain("cli::bad-time").expect("it is a code");
//! assert!(page.plain(79).starts_with("cli::bad-time\n\nThe value of an option"));
//! ```

use consort_core::diagnostic::nearest_name;

/// The pages of the areas, one file each.
macro_rules! pages_of {
    ($($area:literal)*) => {
        &[$(include_str!(concat!("../../../docs/codes/", $area, ".md"))),*]
    };
}

const AREAS: &[&str] = pages_of! {
    "archive" "build" "campaign" "check" "cli" "csv" "description" "equations" "export" "flow"
    "fmi" "foreign" "hocon" "json" "model" "multimodel" "node" "plan" "property" "recover" "repeat"
    "replay" "resolution" "run" "sbml" "scenario" "set" "snapshot" "ssp" "state" "system" "time"
    "toml"
};

/// The page of one code: what it means, an example, the cure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePage {
    /// The code, such as `cli::bad-time`.
    pub code: &'static str,
    /// What is written about it, as Markdown.
    pub text: &'static str,
}

/// The pages of all codes, in the order of the alphabet.
pub fn pages() -> impl Iterator<Item = CodePage> {
    AREAS.iter().flat_map(|area| {
        area.split("\n## ").skip(1).map(|section| {
            let (code, text) = section.split_once('\n').unwrap_or((section, ""));
            CodePage { code, text: text.trim() }
        })
    })
}

/// The page of a code.
pub fn explain(code: &str) -> Option<CodePage> {
    pages().find(|page| page.code == code)
}

/// The pages that are meant by a code, or by the part of it behind `::`, which several areas may have.
pub fn matching(asked: &str) -> Vec<CodePage> {
    pages().filter(|page| page.code == asked || page.name() == asked).collect()
}

/// The code that was meant by one that does not exist, if any is near enough.
pub fn nearest(asked: &str) -> Option<&'static str> {
    if asked.contains("::") {
        return nearest_name(asked, pages().map(|page| page.code));
    }
    let name = nearest_name(asked, pages().map(CodePage::name))?;
    pages().find(|page| page.name() == name).map(|page| page.code)
}

impl CodePage {
    /// The part behind `::`.
    fn name(self) -> &'static str {
        self.code.split_once("::").map_or(self.code, |(_, name)| name)
    }

    /// The page as plain text, in lines of at most `width` columns; examples keep theirs.
    pub fn plain(self, width: usize) -> String {
        let mut lines = vec![self.code.to_owned()];
        let (mut paragraph, mut in_example) = (Vec::new(), false);
        for line in self.text.lines().chain([""]) {
            let is_fence = line.starts_with("```");
            if in_example && !is_fence {
                lines.push(format!("  {line}").trim_end().to_owned());
                continue;
            }
            if is_fence || line.is_empty() {
                finish(&mut paragraph, width, &mut lines);
            } else {
                paragraph.extend(line.split_whitespace());
            }
            in_example ^= is_fence;
        }
        lines.join("\n") + "\n"
    }
}

/// Adds a paragraph, after an empty line, if there is one.
fn finish(paragraph: &mut Vec<&str>, width: usize, lines: &mut Vec<String>) {
    if paragraph.is_empty() {
        return;
    }
    lines.extend([String::new(), String::new()]);
    for word in paragraph.drain(..) {
        // Only the titles of parts are bold.
        let word = match word.strip_prefix("**").and_then(|word| word.strip_suffix(".**")) {
            Some(title) => format!("{title}:"),
            None => word.to_owned(),
        };
        let line = lines.last_mut().expect("one was added");
        match line.chars().count() + 1 + word.chars().count() <= width {
            _ if line.is_empty() => *line = word,
            true => *line += &format!(" {word}"),
            false => lines.push(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_page_that_can_be_found() {
        let codes: Vec<&str> = pages().map(|page| page.code).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        for page in pages() {
            assert_eq!(explain(page.code), Some(page));
            assert!(matching(page.name()).contains(&page));
        }
    }

    #[test]
    fn short_codes_mean_all_that_end_so() {
        let codes = |asked| -> Vec<&str> { matching(asked).iter().map(|it| it.code).collect() };
        assert_eq!(codes("cli::bad-time"), ["cli::bad-time"]);
        assert!(codes("bad-time").starts_with(&["cli::bad-time", "csv::bad-time"]));
        assert_eq!(codes("cli"), [""; 0]);
        assert_eq!(nearest("cli::bad-tiem"), Some("cli::bad-time"));
        assert_eq!(nearest("bad-tiem"), Some("cli::bad-time"));
        assert_eq!(nearest("something else"), None);
    }

    #[test]
    fn plain_text_has_lines_that_fit_and_examples_as_they_are() {
        let text = "One two three\nfour five six.\n\n**Example.**\n\n```text\nerror: a long line\n\n  b\n```\n\n**Cure.** Mend it.";
        let plain = CodePage { code: "a::b", text }.plain(20);
        let expected = "a::b\n\nOne two three four\nfive six.\n\nExample:\n  error: a long line\n\n    b\n\nCure: Mend it.\n";
        assert_eq!(plain, expected);
        for page in pages() {
            let plain = page.plain(79);
            let mut prose = plain.lines().filter(|line| !line.starts_with("  "));
            assert!(prose.all(|line| line.chars().count() <= 79), "{plain}");
        }
    }
}
