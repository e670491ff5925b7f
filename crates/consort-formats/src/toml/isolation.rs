//! Processes: `isolate` and `state` of a component.

use consort_core::Provider;
use consort_system::{Isolation, Spanned};
use consort_toml::{Entry, TomlReader};

/// Reads a key of a component that is about its process; the others are left alone.
pub(super) fn read_entry(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    isolation: &mut Isolation,
) -> bool {
    match entry.key {
        "isolate" => {
            let span = reader.span(entry.value.span());
            isolation.isolate = reader.boolean(entry).map(|value| Spanned::new(value, span));
        }
        "state" => isolation.state = reader.spanned_choice(entry, &Provider::ALL),
        _ => return false,
    }
    true
}
