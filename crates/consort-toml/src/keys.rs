//! The keys of a kind of file, as data: readers know them from here, and so do its reference and its JSON schema.

/// A table of a file, with the keys it may have.
pub struct KeyTable {
    /// How its heading is written, such as `[experiment]`; empty for the top of the file.
    pub heading: &'static str,
    /// What it is for, in sentences (Markdown).
    pub meaning: &'static str,
    /// The keys, in the order of the reference.
    pub keys: &'static [Key],
    /// Of each of these groups exactly one key must be there.
    pub exactly_one: &'static [&'static [&'static str]],
    /// How it is written, as TOML.
    pub example: &'static str,
}

/// A key of a table.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: KeyKind,
    /// What holds if it is absent (Markdown); `None` if it must be there.
    pub default: Option<&'static str>,
    /// What it means, in sentences (Markdown).
    pub meaning: &'static str,
    /// A value, as TOML; empty for tables, which have examples of their own.
    pub example: &'static str,
}

/// What the value of a key may be.
pub enum KeyKind {
    /// A text in quotes.
    Text,
    /// A list of texts.
    List,
    /// `true` or `false`.
    Boolean,
    /// `true` alone.
    True,
    /// A number.
    Number(NumberRange),
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A list of whole numbers from 1 on.
    Extents,
    /// Seconds: a number, or a text such as `"1/30"`.
    Seconds,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// What a variable can have: a number, true or false, text, or a list of those.
    Value,
    /// A list of such values.
    Values,
    /// Values, each alone or with a unit, by the names of variables; dots in names may be left unquoted.
    Parameters,
    /// A table.
    Table(&'static KeyTable),
    /// A list of tables.
    Tables(&'static KeyTable),
    /// Something for each name; what names are called in the reference.
    Named(&'static str, &'static KeyKind),
    /// One of several kinds.
    Either(&'static [KeyKind]),
}

/// Which numbers a key takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberRange {
    /// All.
    Any,
    /// Above 0.
    Positive,
    /// Above 0, below 1.
    Probability,
    /// Above 0, at most 1.
    Factor,
}

impl KeyKind {
    /// A text, or a list of texts.
    pub const TEXTS: KeyKind = KeyKind::Either(&[KeyKind::Text, KeyKind::List]);

    /// A whole number from 0 on that fits into 32 bits.
    pub const COUNT: KeyKind = KeyKind::Whole(0, u32::MAX as u64);

    /// A whole number from 1 on that fits into 32 bits.
    pub const POSITIVE_COUNT: KeyKind = KeyKind::Whole(1, u32::MAX as u64);
}

/// The names of choices.
pub const fn choice_names<T: Copy, const N: usize>(
    choices: &[(T, &'static str); N],
) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = choices[index].1;
        index += 1;
    }
    names
}

impl KeyTable {
    /// The names of all keys.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// The key of that name.
    pub fn find(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The entries that the smallest table with a key has: the key, and what must be there.
    pub fn smallest_with(&self, key: &Key) -> Vec<&'static Key> {
        let mut entries: Vec<&Key> = self.keys.iter().filter(|it| it.default.is_none()).collect();
        for group in self.exactly_one.iter().filter(|group| !group.contains(&key.name)) {
            entries.extend(group.first().and_then(|name| self.find(name)));
        }
        if !entries.iter().any(|entry| entry.name == key.name) {
            entries.extend(self.find(key.name));
        }
        entries
    }

    /// This table and all tables in it, each once, in the order of the reference.
    pub fn all(&'static self) -> Vec<&'static KeyTable> {
        let mut tables = vec![self];
        for key in self.keys {
            for table in key.kind.tables() {
                if !tables.iter().any(|known| std::ptr::eq(*known, table)) {
                    tables.push(table);
                }
            }
        }
        tables
    }
}

impl KeyKind {
    fn tables(&self) -> Vec<&'static KeyTable> {
        match self {
            KeyKind::Table(table) | KeyKind::Tables(table) => table.all(),
            KeyKind::Named(_, kind) => kind.tables(),
            KeyKind::Either(kinds) => kinds.iter().flat_map(KeyKind::tables).collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn key(name: &'static str, default: Option<&'static str>) -> Key {
        Key { name, kind: KeyKind::Text, default, meaning: "", example: "" }
    }

    static INNER: KeyTable = KeyTable {
        heading: "[[a.inner]]",
        meaning: "",
        keys: &[key("x", None), key("at", Some("")), key("when", Some("")), key("y", Some(""))],
        exactly_one: &[&["at", "when"]],
        example: "",
    };
    static OUTER: KeyTable = KeyTable {
        heading: "",
        meaning: "",
        keys: &[
            Key { kind: KeyKind::Tables(&INNER), ..key("inner", Some("")) },
            Key { kind: KeyKind::Named("NAME", &KeyKind::Table(&INNER)), ..key("more", None) },
        ],
        exactly_one: &[],
        example: "",
    };

    #[test]
    fn tables_are_found_once() {
        let headings: Vec<_> = OUTER.all().iter().map(|table| table.heading).collect();
        assert_eq!(headings, ["", "[[a.inner]]"]);
    }

    #[test]
    fn the_smallest_table_with_a_key_has_what_must_be_there() {
        for (name, expected) in [
            ("x", &["x", "at"][..]),
            ("at", &["x", "at"]),
            ("when", &["x", "when"]),
            ("y", &["x", "at", "y"]),
        ] {
            let entries = INNER.smallest_with(INNER.find(name).unwrap());
            assert_eq!(entries.iter().map(|key| key.name).collect::<Vec<_>>(), expected, "{name}");
        }
    }

    #[test]
    fn choices_have_names() {
        assert_eq!(choice_names(&[(1, "a"), (2, "b")]), ["a", "b"]);
    }
}
