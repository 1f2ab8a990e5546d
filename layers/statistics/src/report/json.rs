//! The same for programs: `docs/schemas/statistics.schema.json`.

use std::io::{self, Write};

use loader_core::registry::CommandId;

use super::summary::Summary;
use crate::threads::{Everything, Others, Record, Sums};

/// Goes up when a field changes its meaning or goes away.
const FORMAT: u32 = 1;

/// Writes one object.
pub(super) fn write(out: &mut impl Write, everything: &Everything, summary: &Summary) -> io::Result<()> {
    write!(
        out,
        "{{\n  \"format\": {FORMAT},\n  \"process\": {},\n  \"duration_ns\": {},\n  \"uncounted_calls\": {},\n  \"total\": ",
        std::process::id(),
        summary.duration,
        summary.uncounted
    )?;
    sums(out, None, &summary.total, Some(summary.threads))?;
    write!(out, ",\n  \"commands\": [")?;
    list(out, summary.rows.iter(), |out, row| sums(out, Some(row.command), &row.sums, Some(row.threads)))?;
    write!(out, "],\n  \"threads\": [")?;
    list(out, everything.threads.iter(), thread)?;
    write!(out, "],\n  \"other_threads\": ")?;
    match &everything.others {
        Some(all) => others(out, all)?,
        None => write!(out, "null")?,
    }
    writeln!(out, "\n}}")
}

fn thread(out: &mut impl Write, record: &Record) -> io::Result<()> {
    write!(out, "{{ \"id\": {}, \"name\": {}, \"commands\": [", record.who.id, quoted(&record.who.name()))?;
    list(out, record.commands.iter(), |out, (command, all)| sums(out, Some(*command), all, None))?;
    write!(out, "] }}")
}

fn others(out: &mut impl Write, others: &Others) -> io::Result<()> {
    write!(out, "{{ \"count\": {}, \"commands\": [", others.threads)?;
    let called = CommandId::all().zip(&others.commands).filter(|(_, (all, _))| all.calls != 0);
    list(out, called, |out, (command, (all, threads))| sums(out, Some(command), all, Some(*threads)))?;
    write!(out, "] }}")
}

fn sums(
    out: &mut impl Write,
    command: Option<CommandId>,
    sums: &Sums,
    threads: Option<u64>,
) -> io::Result<()> {
    write!(out, "{{ ")?;
    if let Some(command) = command {
        write!(out, "\"command\": \"{}\", ", command.name().to_string_lossy())?;
    }
    write!(
        out,
        "\"calls\": {}, \"time_ns\": {}, \"max_ns\": {}, \"bytes\": {}",
        sums.calls, sums.time, sums.longest, sums.bytes
    )?;
    if let Some(threads) = threads {
        write!(out, ", \"threads\": {threads}")?;
    }
    write!(out, " }}")
}

/// Elements of an array, each on a line.
fn list<T, W: Write>(
    out: &mut W,
    elements: impl Iterator<Item = T>,
    mut element: impl FnMut(&mut W, T) -> io::Result<()>,
) -> io::Result<()> {
    for (place, each) in elements.enumerate() {
        write!(out, "{}\n    ", if place == 0 { "" } else { "," })?;
        element(out, each)?;
    }
    Ok(())
}

/// Returns a string of JSON.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\0'..='\x1f' => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_of_threads_cannot_break_the_text() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000ad\"");
    }
}
