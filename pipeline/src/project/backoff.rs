//! Waiting between attempts: longer each time, up to a limit, and never two at the same moment.

use std::time::Duration;

/// How long the first wait is.
const FIRST: Duration = Duration::from_millis(250);

/// How long a wait becomes at most while the server is not well.
const MAX_TRANSIENT: Duration = Duration::from_secs(15);

/// How long a wait becomes at most while an operator has to act.
const MAX_CONFIGURATION: Duration = Duration::from_secs(30);

/// The waits of one batch.
#[derive(Debug)]
pub(super) struct Backoff {
    next: Duration,
    random: u64,
}

impl Backoff {
    /// `seed` makes two of them differ.
    pub(super) fn new(seed: u64) -> Backoff {
        Backoff {
            next: FIRST,
            // The generator below stays at zero.
            random: seed | 1,
        }
    }

    /// The next wait when the server is not well.
    pub(super) fn transient(&mut self) -> Duration {
        self.step(MAX_TRANSIENT)
    }

    /// The next wait when an operator has to act.
    pub(super) fn configuration(&mut self) -> Duration {
        self.step(MAX_CONFIGURATION)
    }

    fn step(&mut self, max: Duration) -> Duration {
        let wait = self.next.min(max);
        self.next = (self.next * 2).min(MAX_CONFIGURATION);
        // Xorshift: what matters is that two projectors don't wait alike.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let half = wait / 2;
        half + half * (self.random % 1_024) as u32 / 1_023
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit() {
        let mut backoff = Backoff::new(7);
        let waits: Vec<Duration> = (0..12).map(|_| backoff.transient()).collect();
        assert!(waits[0] <= FIRST && waits[0] >= FIRST / 2);
        assert!(waits[11] >= MAX_TRANSIENT / 2 && waits[11] <= MAX_TRANSIENT);
        assert!(waits.iter().all(|wait| *wait <= MAX_TRANSIENT));
    }
}
