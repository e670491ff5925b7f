//! Counts repeated messages, for error reports.

/// How many different messages are kept: unknown senders may cause any number.
const DIFFERENT_MAX: usize = 8;

/// Messages, and how often each came.
#[derive(Default, Debug)]
pub(crate) struct MessageCounts {
    entries: Vec<(String, u64)>,
    /// How many came that are not kept.
    others: u64,
}

impl MessageCounts {
    /// Counts one more occurrence.
    pub(crate) fn add(&mut self, what: String) {
        let known = self.entries.iter().position(|(known, _)| *known == what);
        match known {
            Some(known) => self.entries[known].1 += 1,
            None if self.entries.len() < DIFFERENT_MAX => self.entries.push((what, 1)),
            None => self.others += 1,
        }
    }

    /// Each message with its count, in the order in which they first came.
    pub(crate) fn lines(&self) -> Vec<String> {
        let times = |(what, count): &(String, u64)| match count {
            1 => what.clone(),
            _ => format!("{what} ({count} times)"),
        };
        let others = (self.others != 0).then(|| format!("other reasons ({} times)", self.others));
        self.entries.iter().map(times).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_messages_are_counted_and_memory_is_bounded() {
        let mut counted = MessageCounts::default();
        assert!(counted.lines().is_empty());
        for number in [1, 2, 1, 1, 3, 4, 5, 6, 7, 8, 9, 10, 9] {
            counted.add(format!("reason {number}"));
        }
        let lines = counted.lines();
        assert_eq!(lines.len(), 9);
        assert_eq!((&*lines[0], &*lines[1]), ("reason 1 (3 times)", "reason 2"));
        assert_eq!(lines[8], "other reasons (3 times)");
    }
}
