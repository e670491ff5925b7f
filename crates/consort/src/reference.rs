//! The reference of the files that users write, and their JSON schemas: pages of `docs`, carried by the library.
//!
//! ```
//! use consort::reference::TextForm;
//!
//! assert!(TextForm::System.page().contains("| `stop` |"));
//! assert!(TextForm::System.schema().contains("\"stop\""));
//! ```

use consort_core::named;

named! {
    /// A kind of file that users write.
    pub enum TextForm {
        /// `system.toml`.
        System => "system",
        /// A campaign.
        Campaign => "campaign",
        /// The interface of a program of the user's own.
        Interface => "interface",
    }
}

impl TextForm {
    /// The page with its reference, as Markdown.
    pub fn page(self) -> &'static str {
        match self {
            TextForm::System => include_str!("../../../docs/system.md"),
            TextForm::Campaign => include_str!("../../../docs/campaigns.md"),
            TextForm::Interface => include_str!("../../../docs/foreign-nodes.md"),
        }
    }

    /// Its JSON schema.
    pub fn schema(self) -> &'static str {
        match self {
            TextForm::System => include_str!("../../../docs/schema/system.json"),
            TextForm::Campaign => include_str!("../../../docs/schema/campaign.json"),
            TextForm::Interface => include_str!("../../../docs/schema/interface.json"),
        }
    }
}
