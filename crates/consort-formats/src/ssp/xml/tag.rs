//! An element with the file it is in: names without prefixes, attributes with their places.

use consort_core::Span;
use consort_system::Spanned;
use consort_xml::{File, XmlNode as Node, elements};

/// An element of a parsed file.
#[derive(Clone, Copy)]
pub(in crate::ssp) struct Tag<'d> {
    pub(super) node: Node<'d>,
    pub(super) file: &'d File<'d>,
}

impl<'d> Tag<'d> {
    /// Its name without a prefix.
    pub(in crate::ssp) fn name(self) -> &'d str {
        self.node.tag_name().name()
    }

    /// Whether the element is of one of the standard's namespaces, or of none.
    pub(super) fn is_standard(self) -> bool {
        self.node.tag_name().namespace().is_none_or(|uri| uri.contains("ssp-standard.org"))
    }

    /// The child elements.
    pub(in crate::ssp) fn children(self) -> impl Iterator<Item = Tag<'d>> {
        let file = self.file;
        elements(self.node).map(move |node| Tag { node, file })
    }

    /// The first child element of that name, whatever its prefix.
    pub(in crate::ssp) fn child(self, name: &str) -> Option<Tag<'d>> {
        self.children().find(|child| child.name() == name)
    }

    /// The child elements of that name, whatever their prefix.
    pub(in crate::ssp) fn all(self, name: &'static str) -> impl Iterator<Item = Tag<'d>> {
        self.children().filter(move |child| child.name() == name)
    }

    /// The first element of that name anywhere within.
    pub(in crate::ssp) fn within(self, name: &str) -> Option<Tag<'d>> {
        let mut found = self.node.descendants().filter(Node::is_element);
        let node = found.find(|node| node.tag_name().name() == name)?;
        Some(Tag { node, file: self.file })
    }

    /// The element with that `id` anywhere in the file.
    pub(in crate::ssp) fn by_id(self, id: &str) -> Option<Tag<'d>> {
        let root = self.node.document().root_element();
        let node = root.descendants().find(|node| node.attribute("id") == Some(id))?;
        Some(Tag { node, file: self.file })
    }

    /// The opening of the element: `<ssd:Component`.
    pub(in crate::ssp) fn span(self) -> Span {
        self.file.tag(self.node)
    }

    /// An attribute's value as written, without its place.
    pub(in crate::ssp) fn text(self, name: &str) -> Option<&'d str> {
        self.node.attribute(name)
    }

    /// An attribute with the place of its value.
    pub(in crate::ssp) fn attribute(self, name: &str) -> Option<Spanned<&'d str>> {
        let found = self.node.attribute_node(name)?;
        Some(Spanned::new(self.node.attribute(name)?, self.file.value(found)))
    }

    /// An attribute as text of one's own.
    pub(in crate::ssp) fn owned(self, name: &str) -> Option<Spanned<String>> {
        let found = self.attribute(name)?;
        Some(Spanned { value: found.value.to_owned(), span: found.span })
    }
}
