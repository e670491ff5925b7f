//! XML with an element's content as a function.

use consort_xml::{Text, borrowed};

pub(crate) use consort_xml::{escaped, float};

/// Attributes of an element, in order.
pub(crate) type Attributes<'a> = Vec<(&'a str, String)>;

/// A document in the making.
pub(crate) struct XmlWriter(Text);

impl XmlWriter {
    /// The document with this element at its root.
    pub(crate) fn document(
        root: &str,
        attributes: &[(&str, String)],
        inside: impl FnOnce(&mut Self),
    ) -> String {
        let mut writer = XmlWriter(Text::default());
        writer.element(root, attributes, inside);
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        declaration.to_owned() + &writer.0.finish()
    }

    /// An element and what is inside.
    pub(crate) fn element(
        &mut self,
        name: &str,
        attributes: &[(&str, String)],
        inside: impl FnOnce(&mut Self),
    ) {
        self.0.open(name, &borrowed(attributes));
        inside(self);
        self.0.close(name);
    }

    /// An element without content.
    pub(crate) fn leaf(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.0.leaf(name, &borrowed(attributes));
    }
}
