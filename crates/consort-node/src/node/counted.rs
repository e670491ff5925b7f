//! Things that are said again and again, counted.

/// The most different ones that are kept: strangers may say anything.
const DIFFERENT_MAX: usize = 8;

/// What was said, and how often.
#[derive(Default, Debug)]
pub(crate) struct Counted {
    said: Vec<(String, u64)>,
    /// How often something was said that is not kept.
    others: u64,
}

impl Counted {
    /// It was said once more.
    pub(crate) fn add(&mut self, what: String) {
        let known = self.said.iter().position(|(known, _)| *known == what);
        match known {
            Some(known) => self.said[known].1 += 1,
            None if self.said.len() < DIFFERENT_MAX => self.said.push((what, 1)),
            None => self.others += 1,
        }
    }

    /// Each thing with how often it was said, the first first.
    pub(crate) fn words(&self) -> Vec<String> {
        let times = |(what, count): &(String, u64)| match count {
            1 => what.clone(),
            _ => format!("{what} ({count} times)"),
        };
        let others = (self.others != 0).then(|| format!("something else ({} times)", self.others));
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
        assert_eq!(words[8], "something else (3 times)");
    }
}
