//! Waiting by polling, for events that are not reported.

use crate::system::System;

/// How many short waits precede each poll: polling costs more than waiting. Together they take
/// about a millisecond.
const TURNS: u32 = 20;

/// How much longer a thread continues polling.
pub struct Patience {
    system: &'static dyn System,
    deadline: i64,
    turn: u32,
}

impl Patience {
    /// Waits for `timeout` nanoseconds; more than a clock can count is for ever.
    #[must_use]
    pub fn new(system: &'static dyn System, timeout: u64) -> Self {
        let timeout = i64::try_from(timeout).unwrap_or(i64::MAX);
        Self { system, deadline: system.now().saturating_add(timeout), turn: 0 }
    }

    /// Waits a little, unless the time is over. Returns whether to poll again.
    pub fn wait(&mut self) -> bool {
        if self.system.now() >= self.deadline {
            return false;
        }
        for _ in 0..TURNS {
            self.system.wait(self.turn);
            self.turn = self.turn.saturating_add(1);
        }
        true
    }
}
