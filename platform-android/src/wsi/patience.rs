//! Waiting for what nobody tells of, by asking again and again.

use crate::system::System;

/// How often a thread waits a little before it asks again: asking costs more than waiting. Together that is about a millisecond.
const TURNS: u32 = 20;

/// How much longer a thread goes on asking.
pub struct Patience {
    system: &'static dyn System,
    deadline: i64,
    turn: u32,
}

impl Patience {
    /// As long as `timeout`, in nanoseconds; more than a clock can count is for ever.
    #[must_use]
    pub fn new(system: &'static dyn System, timeout: u64) -> Self {
        let timeout = i64::try_from(timeout).unwrap_or(i64::MAX);
        Self { system, deadline: system.now().saturating_add(timeout), turn: 0 }
    }

    /// Waits a little, unless the time is over; whether to ask again.
    #[must_use]
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
