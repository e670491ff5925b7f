//! Waits that take long, and when they are told.

use std::time::Duration;

/// Says when a wait is told: after [some seconds](LongWait::FIRST), then whenever it has become twice as long. So no
/// wait stays unexplained, and none fills a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LongWait {
    told_after: Duration,
}

impl LongWait {
    /// What takes less is not told.
    pub const FIRST: Duration = Duration::from_secs(5);

    /// Whether a wait that has taken so long is to be told now.
    pub fn is_due(&mut self, waited: Duration) -> bool {
        let is_due = self.told_after <= waited;
        if is_due {
            self.told_after = 2 * waited;
        }
        is_due
    }
}

impl Default for LongWait {
    fn default() -> Self {
        LongWait { told_after: Self::FIRST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_ever_less_often() {
        let mut wait = LongWait::default();
        let told: Vec<u64> =
            (0..100).filter(|second| wait.is_due(Duration::from_secs(*second))).collect();
        assert_eq!(told, [5, 10, 20, 40, 80]);
    }
}
