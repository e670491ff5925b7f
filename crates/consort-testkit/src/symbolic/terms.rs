//! Terms with equal parts have equal ids.

/// A symbolic value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Term(pub(super) u32);

/// The absence of a value.
pub(super) const NONE: Term = Term(u32::MAX);

/// What made a value; the words after it say which and from what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum Kind {
    /// The start value of a slot.
    Start,
    /// The value of a slot at a time that comes from a table or an intervention.
    Outside,
    /// A component's state after initialization: component, inputs.
    FirstState,
    /// A component's state after a step: component, state before, inputs.
    NextState,
    /// The state after a step that will be taken back: component, state before, a number.
    RejectedState,
    /// A variable in initialization: component, variable, inputs.
    Initial,
    /// A variable: component, variable, state, inputs it follows at once.
    Variable,
    /// An element of a variable: variable, index.
    Element,
    /// The solution of a loop: slot, tag.
    Solution,
    /// A guess at the solution of a loop: slot, a number.
    Guess,
}

/// All terms ever made, each once.
#[derive(Default)]
pub(super) struct Terms {
    words: Vec<u32>,
    ends: Vec<u32>,
    /// Open addressing: 0 for empty, else a term's id plus one.
    table: Vec<u32>,
    key: Vec<u32>,
}

impl Terms {
    /// The term of `kind` with these words.
    pub(super) fn make(&mut self, kind: Kind, words: &[u32], from: &[Term]) -> Term {
        self.key.clear();
        self.key.push(kind as u32);
        self.key.extend_from_slice(words);
        self.key.extend(from.iter().map(|term| term.0));
        if self.table.len() <= 2 * self.ends.len() {
            self.grow();
        }
        let slot = self.slot_of_key();
        if self.table[slot] == 0 {
            self.words.extend_from_slice(&self.key);
            self.ends.push(u32::try_from(self.words.len()).expect("terms fit in 32 bits"));
            self.table[slot] = u32::try_from(self.ends.len()).expect("terms fit in 32 bits");
        }
        Term(self.table[slot] - 1)
    }

    fn words_of(&self, id: usize) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.words[start..self.ends[id] as usize]
    }

    /// Where the key is, or where it would go.
    fn slot_of_key(&self) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = hash(&self.key) & mask;
        while self.table[slot] != 0 && self.words_of(self.table[slot] as usize - 1) != self.key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = (4 * self.ends.len()).next_power_of_two().max(1024);
        self.table = vec![0; size];
        for id in 0..self.ends.len() {
            let mut slot = hash(self.words_of(id)) & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = u32::try_from(id + 1).expect("terms fit in 32 bits");
        }
    }

    /// The term for a person, cut off at some depth.
    pub(super) fn show(&self, term: Term, depth: usize) -> String {
        if term == NONE {
            return "nothing".to_owned();
        }
        let words = self.words_of(term.0 as usize);
        let (name, plain) = NAMES[words[0] as usize];
        let (labels, from) = words[1..].split_at(plain);
        let labels: Vec<String> = labels.iter().map(u32::to_string).collect();
        let mut parts = vec![labels.join(".")];
        match depth {
            0 if !from.is_empty() => parts.push("...".to_owned()),
            0 => {}
            _ => parts.extend(from.iter().map(|&part| self.show(Term(part), depth - 1))),
        }
        format!("{name}({})", parts.join(" "))
    }
}

/// The name of each kind, and how many of its words are not terms.
const NAMES: [(&str, usize); 10] = [
    ("start", 1),
    ("outside", 2),
    ("first-state", 1),
    ("state", 1),
    ("rejected", 2),
    ("initial", 2),
    ("value", 2),
    ("element", 1),
    ("solution", 2),
    ("guess", 2),
];

fn hash(words: &[u32]) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &word in words {
        hash = (hash ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    usize::try_from(hash >> 8 & 0x7fff_ffff).expect("31 bits fit")
}
