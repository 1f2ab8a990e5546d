//! The calls one by one, in the trace-event format that ui.perfetto.dev and chrome://tracing read: complete events, one track for
//! each thread.

use std::io::{self, Write};

use serde_json::json;

use crate::threads::Everything;

/// Writes one object. Times are microseconds since the first call.
pub(super) fn write(out: &mut impl Write, everything: &Everything) -> io::Result<()> {
    let process = std::process::id();
    let others = everything.others.as_ref().map_or(0, |others| others.dropped_events);
    let dropped =
        everything.threads.iter().fold(others, |all, thread| all.saturating_add(thread.log.dropped()));
    write!(
        out,
        "{{\n\"displayTimeUnit\": \"ns\",\n\"otherData\": {{ \"dropped_events\": \"{dropped}\" }},\n\"traceEvents\": [\n\
         {{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{process},\"args\":{{\"name\":\"Vulkan\"}}}}"
    )?;
    for thread in &everything.threads {
        let (id, name) = (thread.who.id, json!(thread.who.name()));
        write!(
            out,
            ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{process},\"tid\":{id},\"args\":{{\"name\":{name}}}}}"
        )?;
        for event in thread.log.events() {
            let (start, time) = (event.start.saturating_sub(everything.first), event.time);
            write!(
                out,
                ",\n{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":{process},\"tid\":{id},\"ts\":{},\"dur\":{}}}",
                event.command.name().to_string_lossy(),
                microseconds(start),
                microseconds(time)
            )?;
        }
    }
    writeln!(out, "\n]\n}}")
}

/// Nanoseconds as microseconds with three places, exactly.
fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}
