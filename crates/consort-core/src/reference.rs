//! References to models, as `model = "..."` has them.

/// What a reference names. Kinds of models without a prefix are distinguished by their files, when they are loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelReference<'a> {
    /// A model at a path.
    File(&'a str),
    /// A native block, by its name.
    Native(&'a str),
    /// A program of the user's own, by the path of its interface.
    Foreign(&'a str),
}

impl<'a> ModelReference<'a> {
    /// Begins references to native blocks.
    pub const NATIVE: &'static str = "native:";
    /// Begins references to programs.
    pub const FOREIGN: &'static str = "foreign:";

    /// Of a text.
    pub fn of(text: &'a str) -> Self {
        if let Some(name) = text.strip_prefix(Self::NATIVE) {
            return ModelReference::Native(name);
        }
        match text.strip_prefix(Self::FOREIGN) {
            Some(path) => ModelReference::Foreign(path),
            None => ModelReference::File(text),
        }
    }

    /// Whether it names a native block, which is no file.
    pub fn is_native(text: &str) -> bool {
        matches!(ModelReference::of(text), ModelReference::Native(_))
    }

    /// Whether it names a program.
    pub fn is_foreign(text: &str) -> bool {
        matches!(ModelReference::of(text), ModelReference::Foreign(_))
    }
}

#[cfg(test)]
mod tests {
    use super::ModelReference::{self, File, Foreign, Native};

    #[test]
    fn a_prefix_says_what_a_reference_names() {
        for (text, reference) in [
            ("native:pid", Native("pid")),
            ("foreign:controller.toml", Foreign("controller.toml")),
            ("tank.fmu", File("tank.fmu")),
            ("natve:pid", File("natve:pid")),
            ("a/native:table", File("a/native:table")),
        ] {
            assert_eq!(ModelReference::of(text), reference, "{text}");
        }
    }
}
