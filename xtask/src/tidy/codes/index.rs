//! The index of all codes, as a page.

use super::pages::{Area, Section};

const HEAD: &str = "\
# Error codes

<!-- Made by `cargo xtask codes` from the files beside it; do not edit. -->

Every error, warning and note has a code. Its page says what it means, shows an example and names the cure.
`consort explain CODE` prints the page in the terminal, `consort explain --list` lists all codes.
";

/// The whole page.
pub(super) fn text(areas: &[Area]) -> String {
    let mut text = HEAD.to_owned();
    for area in areas {
        let Area { name, about, .. } = area;
        let links: Vec<String> = area.sections.iter().map(|it| link(name, it)).collect();
        text += &format!("\n## [`{name}`]({name}.md): {about}\n\n{}\n", links.join(",\n"));
    }
    text
}

/// GitHub's anchor of a heading has no colons.
fn link(area: &str, section: &Section) -> String {
    let anchor = section.code.replace(':', "");
    let name = section.code.split_once("::").map_or("", |(_, name)| name);
    format!("[`{name}`]({area}.md#{anchor})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_links_to_every_section() {
        let section = |code: &str| Section { code: code.to_owned(), line: 1 };
        let sections = vec![section("cli::bad-time"), section("cli::endpoint")];
        let (name, about) = ("cli".to_owned(), "what is typed".to_owned());
        let text = text(&[Area { name, about, sections }]);
        let expected = "\n## [`cli`](cli.md): what is typed\n\n\
                        [`bad-time`](cli.md#clibad-time),\n[`endpoint`](cli.md#cliendpoint)\n";
        assert_eq!(text.strip_prefix(HEAD), Some(expected));
    }
}
