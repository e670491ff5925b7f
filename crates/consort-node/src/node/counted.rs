//! Repeated messages, counted.

/// How many different messages are kept: strangers may cause any number.
const DIFFERENT_MAX: usize = 8;

/// Messages, and how often each came.
#[derive(Default, Debug)]
pub(crate) struct Counted {
    said: Vec<(String, u64)>,
    /// How often others came that are not kept.
    others: u64,
}

impl Counted {
    /// It came once more.
    pub(crate) fn add(&mut self, what: String) {
        let known = self.said.iter().position(|(known, _)| *known == what);
        match known {
            Some(known) => self.said[known].1 += 1,
            None if self.said.len() < DIFFERENT_MAX => self.said.push((what, 1)),
            None => self.others += 1,
        }
    }

    /// Each message with its count, in the order in which they first came.
    pub(crate) fn words(&self) -> Vec<String> {
        let times = |(what, count): &(String, u64)| match count {
            1 => what.clone(),
            _ => format!("{what} ({count} times)"),
        };
        let others = (self.others != 0).then(|| format!("other reasons ({} times)", self.others));
        self.said.iter().map(times).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_again_is_counted_and_room_is_bounded() {
        let mut counted = Counted::default();
        assert!(counted.words().is_empty());
        for number in [1, 2, 1, 1, 3, 4, 5, 6, 7, 8, 9, 10, 9] {
            counted.add(format!("reason {number}"));
        }
        let words = counted.words();
        assert_eq!(words.len(), 9);
        assert_eq!((&*words[0], &*words[1]), ("reason 1 (3 times)", "reason 2"));
        assert_eq!(words[8], "other reasons (3 times)");
    }
}
