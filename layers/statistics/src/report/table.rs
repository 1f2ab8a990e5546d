//! The table for people.

use std::io::{self, Write};

use super::summary::{Summary, mean};
use crate::threads::Sums;

const NANOSECONDS_IN_MICROSECOND: f64 = 1e3;
const NANOSECONDS_IN_MILLISECOND: f64 = 1e6;

/// Writes the table: a line above, the commands by time, a line with the totals.
pub(super) fn write(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    writeln!(
        out,
        "vkload statistics of process {}: {} calls by {} thread{} in {:.3} s",
        std::process::id(),
        summary.total.calls,
        summary.threads,
        if summary.threads == 1 { "" } else { "s" },
        summary.duration as f64 / 1e9
    )?;
    let width = summary.rows.iter().map(|row| row.command.name().count_bytes()).max().unwrap_or(0);
    let width = width.max("command".len());
    writeln!(
        out,
        "{:width$} {:>12} {:>14} {:>12} {:>12} {:>14} {:>8}",
        "command", "calls", "total ms", "mean us", "max us", "bytes", "threads"
    )?;
    for row in &summary.rows {
        line(out, width, &row.command.name().to_string_lossy(), &row.sums, row.threads)?;
    }
    line(out, width, "total", &summary.total, summary.threads)?;
    if summary.uncounted != 0 {
        writeln!(out, "{} more calls were not counted, since memory was short", summary.uncounted)?;
    }
    out.flush()
}

fn line(out: &mut impl Write, width: usize, name: &str, sums: &Sums, threads: u64) -> io::Result<()> {
    writeln!(
        out,
        "{name:width$} {:>12} {:>14.3} {:>12.3} {:>12.3} {:>14} {threads:>8}",
        sums.calls,
        sums.time as f64 / NANOSECONDS_IN_MILLISECOND,
        mean(sums) / NANOSECONDS_IN_MICROSECOND,
        sums.longest as f64 / NANOSECONDS_IN_MICROSECOND,
        sums.bytes,
    )
}
