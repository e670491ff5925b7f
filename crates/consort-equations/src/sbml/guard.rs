//! A cheap look over a text before it is parsed: no DTD, and nothing whose parsing could exhaust
//! time or memory.

use std::ops::Range;

/// Elements, texts and comments in one document.
pub(super) const NODES_MAX: u32 = 4_000_000;
/// Elements within elements; formulas are nested no deeper.
const DEPTH_MAX: usize = 200;
/// Attributes of one element.
const ATTRIBUTES_MAX: usize = 500;
/// Namespace declarations in one document; tools repeat MathML's at every formula.
const NAMESPACES_MAX: usize = 200_000;
/// Namespace declarations that hold for one element: its own and those around it.
const OPEN_NAMESPACES_MAX: usize = 100;

/// Why a text is not parsed.
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) at: Range<usize>,
    pub(super) message: String,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
}

/// Looks for what the parser should not be given.
pub(super) fn check(text: &str) -> Result<(), Refusal> {
    let (mut open, mut namespaces, mut at) = (Vec::new(), 0usize, 0);
    let mut held = 0usize;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        at = start + markup_length(rest);
        if rest.starts_with("<!DOCTYPE") {
            return Err(doctype(start));
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            continue;
        }
        let tag = &text[start..at];
        if tag.starts_with("</") {
            held -= open.pop().unwrap_or(0);
            continue;
        }
        // Every declaration has one of these; some more may be inside of values.
        let declared = tag.matches("xmlns").count();
        namespaces += declared;
        limit(start, held + declared, OPEN_NAMESPACES_MAX, "namespace declarations at once")?;
        if !tag.ends_with("/>") {
            open.push(declared);
            held += declared;
        }
        limit(start, open.len(), DEPTH_MAX, "elements within elements")?;
        limit(start, attributes(tag), ATTRIBUTES_MAX, "attributes of one element")?;
        limit(start, namespaces, NAMESPACES_MAX, "namespace declarations")?;
    }
    Ok(())
}

fn doctype(start: usize) -> Refusal {
    Refusal {
        code: "sbml::entity",
        at: start..start + "<!DOCTYPE".len(),
        message: "a document type definition is not accepted".to_owned(),
        label: "may define entities that unfold without end",
        help: "remove the `<!DOCTYPE ...>`; SBML needs none",
    }
}

fn limit(start: usize, found: usize, most: usize, what: &str) -> Result<(), Refusal> {
    if found <= most {
        return Ok(());
    }
    Err(Refusal {
        code: "sbml::limit",
        at: start..start + 1,
        message: format!("there are more than {most} {what}"),
        label: "too many from here on",
        help: "no tool writes such a file by intention; export it again",
    })
}

/// The length of the comment, instruction, section or tag at the start of `rest`.
fn markup_length(rest: &str) -> usize {
    let until = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    if rest.starts_with("<!--") {
        return until("-->");
    }
    if rest.starts_with("<![CDATA[") {
        return until("]]>");
    }
    if rest.starts_with("<?") {
        return until("?>");
    }
    let mut quote = None;
    for (index, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return index + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    rest.len()
}

/// Counts `=` outside of quotes.
fn attributes(tag: &str) -> usize {
    let mut quote = None;
    let mut count = 0;
    for byte in tag.bytes() {
        match (quote, byte) {
            (Some(open), _) => quote = quote.filter(|_| open != byte),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => count += 1,
            _ => {}
        }
    }
    count
}

/// The byte a parser's row and column stand for.
pub(super) fn offset_of(text: &str, position: roxmltree::TextPos) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize =
        lines.by_ref().take(position.row.saturating_sub(1) as usize).map(str::len).sum();
    let line = lines.next().unwrap_or_default();
    let column = position.col.saturating_sub(1) as usize;
    before + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_keep_the_parser_busy_is_refused() {
        let deep = "<a>".repeat(DEPTH_MAX + 1);
        let wide = format!("<a {}/>", "b='' ".repeat(ATTRIBUTES_MAX + 1));
        let spaces = "<a xmlns:b = 'c'/>".repeat(NAMESPACES_MAX + 1);
        let nested = "<a xmlns:b='c'>".repeat(OPEN_NAMESPACES_MAX + 1);
        for text in ["<!DOCTYPE a><a/>", &deep, &wide, &spaces, &nested] {
            assert!(check(text).is_err(), "{text:.40}");
        }
        for text in ["<!-- <!DOCTYPE x> --><a/>", "<a b='<!DOCTYPE x>'/>", "<a b='====='/>"] {
            assert!(check(text).is_ok(), "{text}");
        }
    }
}
