//! What differs between kinds of files.

/// A kind of file in TOML, as far as mistakes in it are concerned.
pub struct TomlFormat {
    /// What such a file is, for a person.
    pub what: &'static str,
    /// Codes of mistakes that every format knows.
    pub codes: TomlCodes,
    /// What to do about a syntax error whose message starts so.
    pub hints: &'static [(&'static str, &'static str)],
    /// Codes of mistakes that stay mistakes whatever is wrong with the syntax elsewhere.
    pub certain: &'static [&'static str],
}

/// Codes of diagnostics.
pub struct TomlCodes {
    /// The code for an unknown key.
    pub unknown_key: &'static str,
    /// A value of another kind than its key has.
    pub wrong_kind: &'static str,
    /// A value that is not one of the choices.
    pub unknown_choice: &'static str,
}
