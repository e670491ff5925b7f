//! Where things of a list are found again: a table of their numbers, by hashes that are the same on every machine.

/// The numbers of what is in a list, each at the place its hash says or behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Vec<u32>);

const FREE: u32 = u32::MAX;

impl Places {
    /// The number of what has this hash and is what is looked for.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let last = self.0.len().checked_sub(1)?;
        let mut place = hash as usize & last;
        while self.0[place] != FREE {
            let number = self.0[place] as usize;
            if is_it(number) {
                return Some(number);
            }
            place = (place + 1) & last;
        }
        None
    }

    /// Adds the last of `count`, which has not been found; `hash_of` says the hash of each.
    pub(crate) fn add_last(&mut self, count: usize, hash_of: impl Fn(usize) -> u64) {
        // Twice as many places as numbers, so that few stand behind their own.
        let is_crowded = self.0.len() < 2 * count;
        if is_crowded {
            self.0 = vec![FREE; (4 * count).next_power_of_two().max(64)];
        }
        let last = self.0.len() - 1;
        for number in if is_crowded { 0..count } else { count - 1..count } {
            let mut place = hash_of(number) as usize & last;
            while self.0[place] != FREE {
                place = (place + 1) & last;
            }
            self.0[place] = u32::try_from(number).expect("the text's length limits lists");
        }
    }
}

/// The hash of a name.
pub(crate) fn of_name(name: &str) -> u64 {
    let mixed = name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    mixed ^ mixed >> 32
}
