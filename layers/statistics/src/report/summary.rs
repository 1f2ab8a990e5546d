//! All threads together: a row for each command, by time.

use vkload_layer_runtime::registry::{COMMAND_COUNT, CommandId};

use crate::threads::{Everything, Sums};

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) command: CommandId,
    pub(super) sums: Sums,
    /// How many threads called it.
    pub(super) threads: u64,
}

pub(super) struct Summary {
    /// The command with the most time comes first.
    pub(super) rows: Vec<Row>,
    pub(super) total: Sums,
    /// Threads that called anything.
    pub(super) threads: u64,
    /// Nanoseconds since the first call.
    pub(super) duration: u64,
    /// Calls of threads that had no memory for counters.
    pub(super) uncounted: u64,
}

impl Summary {
    /// Adds everything up, or gives `None` if memory is short.
    pub(super) fn of(everything: &Everything) -> Option<Self> {
        let mut rows = Vec::new();
        rows.try_reserve_exact(COMMAND_COUNT).ok()?;
        rows.extend(CommandId::all().map(|command| Row { command, sums: Sums::default(), threads: 0 }));
        let mut add = |command: CommandId, sums: &Sums, threads: u64| {
            if let Some(row) = rows.get_mut(command.index()) {
                row.sums.add(sums);
                row.threads = row.threads.saturating_add(threads);
            }
        };
        for (command, sums) in everything.threads.iter().flat_map(|thread| &thread.commands) {
            add(*command, sums, 1);
        }
        let others = everything.others.iter().flat_map(|others| &others.commands);
        for (command, (sums, threads)) in CommandId::all().zip(others) {
            add(command, sums, *threads);
        }
        rows.retain(|row| row.sums.calls != 0);
        rows.sort_by_key(|row| (core::cmp::Reverse(row.sums.time), row.command));
        let mut total = Sums::default();
        rows.iter().for_each(|row| total.add(&row.sums));
        let others = everything.others.as_ref().map_or(0, |others| others.threads);
        Some(Self {
            rows,
            total,
            threads: (everything.threads.len() as u64).saturating_add(others),
            duration: everything.duration,
            uncounted: everything.uncounted,
        })
    }
}

/// Nanoseconds of one call.
pub(super) fn mean(sums: &Sums) -> f64 {
    if sums.calls == 0 { 0.0 } else { sums.time as f64 / sums.calls as f64 }
}
