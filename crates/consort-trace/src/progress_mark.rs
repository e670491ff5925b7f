//! Where a run stood at each of its rows: columns beside the recorded ones, which hold the hashes of
//! variables so far and what was counted so far. With them a run can be cut at any row as if it had ended
//! there.

use crate::hash::VariableHash;
use crate::schema::Column;
use crate::trace::Trace;
use consort_core::{Tag, ValueType, Values};

/// The component of columns that hold hashes; no component of a system has such a name.
const HASH: &str = "#hash";
/// The component of columns that hold counts.
const COUNT: &str = "#count";

/// The column that holds the hash so far of the variable with this path.
pub fn hash_column(path: &str, value_type: ValueType) -> Column {
    let mut column = Column::new(HASH, path, ValueType::UInt64);
    value_type.name().clone_into(&mut column.description);
    column
}

/// The column that holds what is counted under this name.
pub fn count_column(name: &str) -> Column {
    Column::new(COUNT, name, ValueType::UInt64)
}

/// Whether a column states where the run stood, and is no variable.
pub fn is_mark(column: &Column) -> bool {
    [HASH, COUNT].contains(&column.component())
}

/// Where a run stood at a row.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgressMark {
    /// The tag of the row.
    pub tag: Tag,
    /// Path, type and hash so far of each hashed variable.
    pub hashes: Vec<(String, ValueType, VariableHash)>,
    /// What was counted so far, in the order of the columns.
    pub counts: Vec<u64>,
}

impl ProgressMark {
    /// What the columns of a row say.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn of(trace: &Trace, row: usize) -> Self {
        let pairs = trace.schema().columns().iter().zip(trace.columns());
        let words = pairs.filter_map(|(column, values)| match values {
            Values::UInt64(words) if is_mark(column) => Some((column, words[row])),
            _ => None,
        });
        Self::at(trace.tags()[row], words)
    }

    /// What these columns say at a tag.
    pub(crate) fn at<'a>(tag: Tag, words: impl Iterator<Item = (&'a Column, u64)>) -> Self {
        let mut mark = ProgressMark { tag, hashes: vec![], counts: vec![] };
        for (column, word) in words {
            let name = column.description.as_str();
            let value_type = ValueType::ALL.into_iter().find(|known| known.name() == name);
            match value_type.filter(|_| column.component() == HASH) {
                Some(value_type) => {
                    let hash = VariableHash::from_bits(word);
                    mark.hashes.push((column.variable().to_owned(), value_type, hash));
                }
                None => mark.counts.push(word),
            }
        }
        mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chunk, Schema, TraceWriter as _};
    use consort_core::{Resolution, ValuesRef};
    use std::sync::Arc;

    #[test]
    fn a_row_holds_hashes_and_counts() {
        let columns = vec![
            Column::new("a", "x", ValueType::UInt64),
            hash_column("a.x", ValueType::Boolean),
            count_column("tags"),
        ];
        let is_own: Vec<bool> = columns.iter().map(is_mark).collect();
        assert_eq!(is_own, [false, true, true]);
        let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
        let mut chunk = Chunk::new(&schema);
        chunk.push_row(Tag::default(), &[ValuesRef::UInt64(&[1, 2, 3])]);
        let mut trace = Trace::new(&schema);
        trace.write(&chunk).unwrap();
        let hash = VariableHash::from_bits(2);
        let mark = ProgressMark {
            tag: Tag::default(),
            hashes: vec![("a.x".to_owned(), ValueType::Boolean, hash)],
            counts: vec![3],
        };
        assert_eq!(ProgressMark::of(&trace, 0), mark);
    }
}
