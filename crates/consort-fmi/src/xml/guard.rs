//! A cheap look over a text before it is parsed: no DTD, and nothing whose parsing could exhaust
//! time or memory.
//!
//! The parser compares the attributes of an element pairwise and copies the namespaces in scope at
//! each declaration; a file that repeats either without end would keep it busy without end. So
//! both are counted here, in one pass over the bytes.

use std::ops::Range;

/// Elements, texts and comments in one document.
pub(super) const NODES_MAX: u32 = 16_000_000;
/// Elements within elements.
const DEPTH_MAX: usize = 100;
/// Attributes of one element.
const ATTRIBUTES_MAX: usize = 500;
/// Namespace declarations in one document.
const NAMESPACES_MAX: usize = 4000;

/// Why a text is not parsed.
pub(super) struct Refusal {
    pub(super) is_entity: bool,
    pub(super) at: Range<usize>,
    pub(super) message: String,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
}

/// Looks for what the parser should not be given.
pub(super) fn check(text: &str) -> Result<(), Refusal> {
    let mut depth = 0usize;
    let mut namespaces = 0usize;
    let mut at = 0;
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
            depth = depth.saturating_sub(1);
            continue;
        }
        depth += usize::from(!tag.ends_with("/>"));
        let attributes = count_attributes(tag, &mut namespaces);
        limit(start, depth, DEPTH_MAX, "elements within elements")?;
        limit(start, attributes, ATTRIBUTES_MAX, "attributes of one element")?;
        limit(start, namespaces, NAMESPACES_MAX, "namespace declarations")?;
    }
    Ok(())
}

fn doctype(start: usize) -> Refusal {
    Refusal {
        is_entity: true,
        at: start..start + "<!DOCTYPE".len(),
        message: "a document type definition is not accepted".to_owned(),
        label: "may define entities that unfold without end",
        help: "remove the `<!DOCTYPE ...>`; FMI files need none",
    }
}

fn limit(start: usize, found: usize, most: usize, what: &str) -> Result<(), Refusal> {
    if found <= most {
        return Ok(());
    }
    Err(Refusal {
        is_entity: false,
        at: start..start + 1,
        message: format!("there are more than {most} {what}"),
        label: "too many from here on",
        help: "no tool writes such a file by intention; export the FMU again",
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

/// Counts `=` outside of quotes, and the namespace declarations among them.
fn count_attributes(tag: &str, namespaces: &mut usize) -> usize {
    let bytes = tag.as_bytes();
    let (mut count, mut quote, mut name_start, mut in_name) = (0, None, 0, false);
    for (index, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) => quote = quote.filter(|_| open != byte),
            (None, b'=') => {
                count += 1;
                *namespaces += usize::from(bytes[name_start..index].starts_with(b"xmlns"));
                in_name = false;
            }
            (None, b'"' | b'\'') => (quote, in_name) = (Some(byte), false),
            (None, byte) if byte.is_ascii_whitespace() => in_name = false,
            _ if !in_name => (name_start, in_name) = (index, true),
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

    fn check_refused(text: &str, expected: &str) {
        let message = check(text).err().map(|refusal| refusal.message).unwrap_or_default();
        assert!(message.contains(expected), "{expected}: {message}");
    }

    #[test]
    fn what_would_keep_the_parser_busy_is_refused() {
        check_refused("<!DOCTYPE a><a/>", "document type");
        check_refused(&"<a>".repeat(DEPTH_MAX + 1), "within elements");
        check_refused(&format!("<a {}/>", "b='' ".repeat(ATTRIBUTES_MAX + 1)), "attributes");
        check_refused(&"<a xmlns:b = 'c'/>".repeat(NAMESPACES_MAX + 1), "namespace");
        check_refused(&"<a xmlns='c'/>".repeat(NAMESPACES_MAX + 1), "namespace");
    }

    #[test]
    fn comments_sections_and_quotes_are_not_mistaken_for_markup() {
        for text in [
            "<!-- <!DOCTYPE x> --><a/>",
            "<a><![CDATA[<!DOCTYPE x>]]></a>",
            "<a b='<!DOCTYPE x>'/>",
            "<?pi <!DOCTYPE ?><a/>",
            "<a b='=========='/>",
        ] {
            assert!(check(text).is_ok(), "{text}");
        }
        let siblings = "<a b='1' c='2'/><d></d>".repeat(DEPTH_MAX * 10);
        assert!(check(&siblings).is_ok());
    }
}
