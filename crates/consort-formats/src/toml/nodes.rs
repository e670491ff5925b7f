//! `[nodes]`: where components are in a distributed run.

use consort_system::{DeclaredNode, Spanned};
use consort_toml::{DeValue, Entry, TomlReader};

pub(super) fn read_all(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<DeclaredNode> {
    let DeValue::Table(table) = entry.value.get_ref() else {
        let help = "write `[nodes]`, then a line `NAME = [\"component\", ...]` for each node";
        reader.wrong_kind("nodes", entry.value, "a table of nodes", help);
        return Vec::new();
    };
    let entries = reader.entries(table);
    entries.iter().filter_map(|entry| read(reader, entry)).collect()
}

fn read(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<DeclaredNode> {
    let name = Spanned::new(entry.key.to_owned(), entry.key_span);
    match entry.value.get_ref() {
        DeValue::Array(_) | DeValue::String(_) => {
            Some(DeclaredNode { name, components: reader.texts(entry) })
        }
        _ => {
            let help = format!("such as `{} = [\"tank\", \"valve\"]`", entry.key);
            reader.wrong_kind(entry.key, entry.value, "a list of components", &help);
            None
        }
    }
}
