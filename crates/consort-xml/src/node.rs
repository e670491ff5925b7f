//! Small readers of elements and values.

/// An element of a parsed document.
pub type XmlNode<'a> = roxmltree::Node<'a, 'a>;

/// The child elements of an element, whatever their namespace.
pub fn elements<'a>(node: XmlNode<'a>) -> impl Iterator<Item = XmlNode<'a>> {
    node.children().filter(XmlNode::is_element)
}

/// A truth value as XML Schema writes it.
pub fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// A text from a file for a message: its beginning, if it is long.
pub fn shorten(text: &str) -> &str {
    const SHOWN_MAX: usize = 60;
    text.char_indices().nth(SHOWN_MAX).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_written_as_xml_schema_has_it() {
        let read = ["true", " 1 ", "false", "0", "True", ""].map(boolean);
        assert_eq!(read, [Some(true), Some(true), Some(false), Some(false), None, None]);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shorten("short"), "short");
        assert_eq!(shorten(&"é".repeat(61)), "é".repeat(60));
    }
}
