//! Long waits, and when they are reported.

use std::time::Duration;

/// When a wait is reported: after [some seconds](LongWait::FIRST), then whenever it has become twice as long. So no wait
/// stays unexplained, and none fills a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LongWait {
    due: Duration,
}

impl LongWait {
    /// Shorter waits are not reported.
    pub const FIRST: Duration = Duration::from_secs(5);

    /// Whether a wait of this length is to be reported now.
    pub fn is_due(&mut self, waited: Duration) -> bool {
        let is_due = self.due <= waited;
        if is_due {
            self.due = 2 * waited;
        }
        is_due
    }
}

impl Default for LongWait {
    fn default() -> Self {
        LongWait { due: Self::FIRST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_reported_ever_less_often() {
        let mut wait = LongWait::default();
        let reported: Vec<u64> =
            (0..100).filter(|second| wait.is_due(Duration::from_secs(*second))).collect();
        assert_eq!(reported, [5, 10, 20, 40, 80]);
    }
}
