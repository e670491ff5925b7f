//! Hashes of variables: kept in the manifest, and compared by name.

use consort_engine::Summary;
use serde_json::{Map, Value, json};

/// How many variables are named before the rest is only counted.
const NAMED_MAX: usize = 10;

/// Type and hash of every variable, sorted by path.
pub fn to_json(summary: &Summary) -> Map<String, Value> {
    let mut entries: Vec<_> = summary.hashes.iter().collect();
    entries.sort_by(|(a, ..), (b, ..)| a.as_bytes().cmp(b.as_bytes()));
    let entries = entries.into_iter().map(|(path, value_type, hash)| {
        let hash = format!("{:016x}", hash.to_bits());
        (path.clone(), json!({ "type": value_type.name(), "hash": hash }))
    });
    entries.collect()
}

/// What differs, by path: ``first `tank.level` ``, then the others.
pub fn differences(before: &Map<String, Value>, now: &Map<String, Value>) -> Vec<String> {
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort_unstable_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    names.dedup();
    let differing: Vec<String> =
        names.into_iter().filter_map(|name| difference(name, before, now)).collect();
    let more = differing.len().saturating_sub(NAMED_MAX);
    let mut lines: Vec<String> = differing.into_iter().take(NAMED_MAX).collect();
    if 0 < more {
        lines.push(format!("and {more} more variables"));
    }
    lines
}

fn difference(name: &str, before: &Map<String, Value>, now: &Map<String, Value>) -> Option<String> {
    match (before.get(name), now.get(name)) {
        (Some(before), Some(now)) if before == now => None,
        (Some(before), Some(now)) if before["type"] != now["type"] => {
            let text = |value: &Value| value["type"].as_str().unwrap_or_default().to_owned();
            Some(format!("`{name}` was {} and is {} now", text(before), text(now)))
        }
        (Some(_), Some(_)) => Some(format!("`{name}` differs")),
        (Some(_), None) => Some(format!("`{name}` is gone")),
        (None, _) => Some(format!("`{name}` is new")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_differ_are_named_in_the_order_of_their_paths() {
        let map = |pairs: &[(&str, &str)]| -> Map<String, Value> {
            let entry = |(name, hash): &(&str, &str)| {
                ((*name).to_owned(), json!({"type": "Float64", "hash": hash}))
            };
            pairs.iter().map(entry).collect()
        };
        let before = map(&[("b.y", "1"), ("a.x", "2"), ("c.z", "3")]);
        let now = map(&[("c.z", "3"), ("b.y", "9"), ("a.w", "4")]);
        let expected = ["`a.w` is new", "`a.x` is gone", "`b.y` differs"];
        assert_eq!(differences(&before, &now), expected);
        assert!(differences(&before, &before).is_empty());
    }
}
