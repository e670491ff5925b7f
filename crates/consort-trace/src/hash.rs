//! The trace hash: one rolling hash per variable, and one hash over all of them.
//!
//! A [`VariableHash`] is a plain number that absorbs (tag, value bits) at every tag. Each absorption
//! is a bijection of the state for a given input and of the input for a given state, so a single
//! differing value always changes the state. [`trace_hash`] then hashes the list (path, type, state)
//! sorted by path. So the trace hash can be made from parts that several nodes computed, in any
//! order, and a variable's hash continues from a snapshot as if nothing had happened.
//!
//! What is hashed is the value, not its representation: all NaNs are one, but `0.0` and `-0.0`
//! are two. The rolling hash guards against accidents, not against an adversary.

use consort_core::{HashMode, Tag, ValueType, ValuesRef, rolling};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The bits that stand for every NaN.
const CANONICAL_NAN: u64 = 0x7FF8_0000_0000_0000;
/// Opens the bytes under [`trace_hash`], so that hashes of another form, or of other variables, cannot be mistaken for
/// these.
const fn domain(mode: HashMode) -> &'static [u8] {
    match mode {
        HashMode::All => b"consort trace hash 1\n",
        HashMode::Connected => b"consort trace hash of connected variables 1\n",
    }
}

/// What one variable did so far, in 64 bits.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[repr(transparent)]
pub struct VariableHash(u64);

impl Default for VariableHash {
    fn default() -> Self {
        VariableHash(rolling::START)
    }
}

impl VariableHash {
    /// Continues from a state that [`VariableHash::to_bits`] gave, for snapshots.
    pub const fn from_bits(bits: u64) -> Self {
        VariableHash(bits)
    }

    /// The state, to be kept in a snapshot.
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// Takes in one word.
    #[inline]
    pub fn absorb(&mut self, word: u64) {
        self.0 = rolling::absorb(self.0, word);
    }

    /// Takes in the value of a scalar `Float64` at the tag of `tag_word`.
    #[inline]
    pub fn absorb_f64(&mut self, tag_word: u64, value: f64) {
        self.absorb(tag_word);
        self.absorb(float_word(value));
    }

    /// Takes in all elements of an array variable, in order, at the tag of `tag_word`.
    pub fn absorb_array(&mut self, tag_word: u64, values: ValuesRef<'_>) {
        self.absorb(tag_word);
        for_each_element(values, |_, words| words.feed(self));
    }

    pub(crate) fn absorb_bytes(&mut self, bytes: &[u8]) {
        self.absorb(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.absorb(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            self.absorb(last_word(bytes, rest));
        }
    }
}

/// The bytes after the last whole word, filled up with zeros. They are shifted out of the last eight bytes, if there
/// are so many: that is one load.
#[inline]
fn last_word(bytes: &[u8], rest: &[u8]) -> u64 {
    if let Some(last) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*last) >> (64 - 8 * rest.len());
    }
    rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// The word that stands for a tag; computed once per tag for all variables.
#[inline]
pub fn tag_word(tag: Tag) -> u64 {
    let mut hash = VariableHash::default();
    hash.absorb(tag.time.ticks() as u64);
    hash.absorb(u64::from(tag.microstep));
    hash.0
}

/// Takes in one value for each of several scalar variables: `values[i]` into `hashes[i]`.
///
/// # Panics
/// If there are not as many hashes as values.
pub fn absorb_values(hashes: &mut [VariableHash], tag_word: u64, values: ValuesRef<'_>) {
    assert_eq!(hashes.len(), values.len(), "each value belongs to one hash");
    for_each_element(values, |index, words| {
        let hash = &mut hashes[index];
        hash.absorb(tag_word);
        words.feed(hash);
    });
}

/// What one element puts into a hash: a word, or bytes.
enum Words<'a> {
    One(u64),
    Bytes(&'a [u8]),
}

impl Words<'_> {
    #[inline]
    fn feed(self, hash: &mut VariableHash) {
        match self {
            Words::One(word) => hash.absorb(word),
            Words::Bytes(bytes) => hash.absorb_bytes(bytes),
        }
    }
}

#[inline]
fn float_word(value: f64) -> u64 {
    if value.is_nan() { CANONICAL_NAN } else { value.to_bits() }
}

/// Calls `feed` per element. The match on the type is outside of the loops: this runs for every
/// output at every tag.
#[inline]
fn for_each_element<'a>(values: ValuesRef<'a>, mut feed: impl FnMut(usize, Words<'a>)) {
    macro_rules! words {
        ($values:expr, $value:ident, $word:expr) => {
            for (index, $value) in $values.iter().enumerate() {
                feed(index, $word);
            }
        };
    }
    match values {
        ValuesRef::Float64(list) => words!(list, value, Words::One(float_word(*value))),
        ValuesRef::Float32(list) => words!(list, value, Words::One(float_word((*value).into()))),
        ValuesRef::Int8(list) => words!(list, value, Words::One(i64::from(*value) as u64)),
        ValuesRef::UInt8(list) => words!(list, value, Words::One(u64::from(*value))),
        ValuesRef::Int16(list) => words!(list, value, Words::One(i64::from(*value) as u64)),
        ValuesRef::UInt16(list) => words!(list, value, Words::One(u64::from(*value))),
        ValuesRef::Int32(list) => words!(list, value, Words::One(i64::from(*value) as u64)),
        ValuesRef::UInt32(list) => words!(list, value, Words::One(u64::from(*value))),
        ValuesRef::Int64(list) | ValuesRef::Enumeration(list) => {
            words!(list, value, Words::One(*value as u64));
        }
        ValuesRef::UInt64(list) => words!(list, value, Words::One(*value)),
        ValuesRef::Boolean(list) | ValuesRef::Clock(list) => {
            words!(list, value, Words::One(u64::from(*value)));
        }
        ValuesRef::String(list) => words!(list, value, Words::Bytes(value.as_bytes())),
        ValuesRef::Binary(list) => words!(list, value, Words::Bytes(value)),
    }
}

/// What a whole run did, in 256 bits: equal for equal traces, wherever and however they were made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TraceHash([u8; 32]);

/// The hash over the variables of a run that a mode chooses: path, type and rolling hash of each, in any order.
/// Hashes of different modes are never equal.
///
/// # Determinism
/// The result depends on the set of entries only, so several nodes may each contribute theirs.
pub fn trace_hash<S: AsRef<str>>(
    mode: HashMode,
    entries: impl IntoIterator<Item = (S, ValueType, VariableHash)>,
) -> TraceHash {
    let mut entries: Vec<_> = entries.into_iter().collect();
    entries.sort_by(|(path, value_type, hash), (other, other_type, other_hash)| {
        let paths = path.as_ref().as_bytes().cmp(other.as_ref().as_bytes());
        paths.then(value_type.cmp(other_type)).then(hash.cmp(other_hash))
    });
    let mut digest = Sha256::new();
    digest.update(domain(mode));
    for (path, value_type, hash) in &entries {
        for text in [path.as_ref(), value_type.name()] {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text.as_bytes());
        }
        digest.update(hash.to_bits().to_le_bytes());
    }
    TraceHash(digest.finalize().into())
}

impl TraceHash {
    /// The 32 bytes of the hash.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for TraceHash {
    /// `sha256:` and 64 hexadecimal digits, as in the manifest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A text is not a trace hash: `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceHashError {
    /// The text as given.
    pub given: String,
}

impl fmt::Display for TraceHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a trace hash such as `sha256:9f86…`", self.given)
    }
}

impl std::error::Error for TraceHashError {}

impl FromStr for TraceHash {
    type Err = TraceHashError;

    fn from_str(text: &str) -> Result<Self, TraceHashError> {
        let bytes = text.strip_prefix("sha256:").and_then(crate::hex::decode);
        let hash = bytes.and_then(|bytes| bytes.try_into().ok()).map(TraceHash);
        hash.filter(|hash| hash.to_string() == text)
            .ok_or_else(|| TraceHashError { given: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{Time, Values};

    fn hash_of(values: &Values) -> u64 {
        let mut hash = VariableHash::default();
        hash.absorb_array(tag_word(Tag::at(Time::ZERO)), values.view());
        hash.to_bits()
    }

    fn check(values: &Values, expected: u64) {
        let hash = hash_of(values);
        assert_eq!(hash, expected, "{values:?} gives {hash:#018x}");
    }

    #[test]
    fn hashes_stay_what_they_were() {
        check(&Values::Float64(vec![1.5]), 0x6F09_6B25_FA14_9C66);
        check(&Values::Float64(vec![0.0, -0.0]), 0x266E_E826_E928_D478);
        check(&Values::Int32(vec![-1]), 0xDFB7_1B20_3420_9788);
        check(&Values::Boolean(vec![true]), 0xE3D9_F16C_F60A_8A42);
        check(&Values::String(vec!["a longer text".to_owned()]), 0x45C9_78D9_26F2_E1DD);
        let texts = |texts: [&str; 2]| Values::String(texts.map(str::to_owned).into());
        check(&texts(["short", "8 bytes!"]), 0x9B78_75C9_B681_DD8F);
        check(&texts(["", "sixteen bytes: 6"]), 0x3709_4B99_709D_3721);
        check(&Values::Binary(vec![vec![]]), 0x8211_6B25_170C_9C66);
    }

    #[test]
    fn trace_hashes_stay_what_they_were() {
        let hash = VariableHash::default();
        let entries = [("b.y", ValueType::Float64, hash), ("a.x", ValueType::Int32, hash)];
        assert_eq!(
            trace_hash(HashMode::All, entries).to_string(),
            "sha256:ba53fd2219c5dc20b44505836a043356fe75747a6cbe5d144ba3f71b640e3730"
        );
        assert_eq!(
            trace_hash::<&str>(HashMode::All, []).to_string(),
            "sha256:189805bed1c7a925a8c58c4a602386f1027a0577a68eaa06c9fbe75ed4b23466"
        );
    }

    #[test]
    fn hashes_of_two_modes_are_never_equal() {
        let entries = [("a.x", ValueType::Int32, VariableHash::default())];
        let hashes = HashMode::ALL.map(|(mode, _)| trace_hash(mode, entries));
        assert_ne!(hashes[0], hashes[1]);
    }

    #[test]
    fn all_nans_are_one_and_the_two_zeros_are_two() {
        let payload = f64::from_bits(0xFFF8_0000_0000_1234);
        assert_eq!(
            hash_of(&Values::Float64(vec![f64::NAN])),
            hash_of(&Values::Float64(vec![payload]))
        );
        assert_eq!(
            hash_of(&Values::Float32(vec![f32::NAN])),
            hash_of(&Values::Float64(vec![payload]))
        );
        assert_ne!(hash_of(&Values::Float64(vec![0.0])), hash_of(&Values::Float64(vec![-0.0])));
    }

    #[test]
    fn where_one_text_ends_and_the_next_begins_matters() {
        let split = |first: &str, second: &str| {
            hash_of(&Values::String(vec![first.to_owned(), second.to_owned()]))
        };
        assert_ne!(split("ab", "c"), split("a", "bc"));
        assert_ne!(split("", "abc"), split("abc", ""));
        assert_ne!(split("a", "\0"), split("a\0", ""));
    }

    #[test]
    fn a_microstep_is_not_a_tick() {
        let tags = [(0, 0), (0, 1), (1, 0), (-1, 0), (1, 1)];
        let words: std::collections::BTreeSet<u64> = tags
            .map(|(ticks, microstep)| tag_word(Tag { time: Time::from_ticks(ticks), microstep }))
            .into();
        assert_eq!(words.len(), tags.len());
    }

    #[test]
    fn a_trace_hash_is_read_as_it_is_printed() {
        let hash = trace_hash(HashMode::All, [("a", ValueType::Clock, VariableHash::default())]);
        let mut text = hash.to_string();
        assert_eq!(text.parse(), Ok(hash));
        text.pop();
        assert!(text.parse::<TraceHash>().is_err());
        assert!(text.to_uppercase().parse::<TraceHash>().is_err());
        text.push('é');
        assert!(text.parse::<TraceHash>().is_err());
    }
}
