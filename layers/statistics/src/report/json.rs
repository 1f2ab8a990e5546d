//! The same for programs: `docs/schemas/statistics.schema.json`.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use vkload_layer_runtime::registry::CommandId;

use super::summary::Summary;
use crate::threads::{Everything, Others, Record, Sums};

/// Goes up when a field changes its meaning or goes away.
const FORMAT: u32 = 1;

pub(super) fn write(out: &mut impl Write, everything: &Everything, summary: &Summary) -> io::Result<()> {
    let commands = summary.rows.iter().map(|row| command(row.command, &row.sums, Some(row.threads)));
    let report = json!({
        "format": FORMAT,
        "process": std::process::id(),
        "duration_ns": summary.duration,
        "uncounted_calls": summary.uncounted,
        "total": members(&summary.total, Some(summary.threads)),
        "commands": commands.collect::<Vec<_>>(),
        "threads": everything.threads.iter().map(thread).collect::<Vec<_>>(),
        "other_threads": everything.others.as_ref().map(others),
    });
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn thread(record: &Record) -> Value {
    let commands = record.commands.iter().map(|(id, all)| command(*id, all, None));
    json!({ "id": record.who.id, "name": record.who.name(), "commands": commands.collect::<Vec<_>>() })
}

fn others(others: &Others) -> Value {
    let called = CommandId::all().zip(&others.commands).filter(|(_, (all, _))| all.calls != 0);
    let commands = called.map(|(id, (all, threads))| command(id, all, Some(*threads)));
    json!({ "count": others.threads, "commands": commands.collect::<Vec<_>>() })
}

fn command(command: CommandId, all: &Sums, threads: Option<u64>) -> Value {
    let mut values = members(all, threads);
    values.insert("command".into(), command.name().to_string_lossy().into());
    values.into()
}

fn members(sums: &Sums, threads: Option<u64>) -> Map<String, Value> {
    let mut values = Map::new();
    let counts =
        [("calls", sums.calls), ("time_ns", sums.time), ("max_ns", sums.longest), ("bytes", sums.bytes)];
    for (name, count) in counts.into_iter().chain(threads.map(|threads| ("threads", threads))) {
        values.insert(name.into(), count.into());
    }
    values
}
