//! The counts that `docs/performance.md` claims, as limits: the test `counts` measures them again.
//!
//! Counts depend a little on the C library and on the processor, whose string functions it chooses. A count may therefore exceed the page's
//! by a twentieth. If the page claims less than Debian's loader needs, both are measured in the same run.
use std::fs;
use std::thread;

use crate::benches::child::{NO_LIBRARY, Task};
use crate::benches::loader::Loader;
use crate::benches::measure;
use crate::benches::operation::Operation;
use crate::benches::stage::{Contents, Libraries, Stage};
use crate::benches::{instructions, system_calls};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/performance.md");

/// Instructions of a later call, as the page's first table has them.
pub const CALLS: [(&str, u64); 14] = [
    ("device_command", 2),
    ("physical_device_command", 9),
    ("proc_addr_early", 124),
    ("proc_addr_late", 146),
    ("proc_addr_extension", 127),
    ("proc_addr_global", 72),
    ("proc_addr_unknown", 236),
    ("version", 5_560),
    ("extensions", 14_972),
    ("version_layers", 5_795),
    ("extensions_layers", 14_804),
    ("instance", 30_726),
    ("instance_layer", 83_325),
    ("device", 34_773),
];

/// The instructions of a process that opens the library and makes one call, minus the instructions of one that does nothing, as in
/// the page's table of first calls.
pub const FIRST_CALLS: [(&str, u64); 4] =
    [("version", 144_974), ("extensions", 228_771), ("layers", 180_871), ("instance", 247_180)];

/// Returns whether the tools that count instructions and system calls are installed.
pub fn missing_tool() -> Option<&'static str> {
    if !instructions::available() {
        return Some("valgrind");
    }
    if !Stage::can_be_made() {
        return Some("a mount namespace of its own (root)");
    }
    if !Stage::has_mesas_layer() {
        return Some("Mesa's implicit layer (mesa-vulkan-drivers)");
    }
    (!system_calls::available()).then_some("strace")
}

/// Measures later calls again. Returns a line for each that takes more than the page says, or is not in the page.
///
/// # Errors
/// With what to do about it, in words for a person.
pub fn calls() -> Result<Vec<String>, String> {
    let page = fs::read_to_string(PAGE).map_err(|error| error.to_string())?;
    let ours = Loader::ours()?;
    on_stages(&CALLS, |stage, operation, documented| {
        let measured = instructions::per_call(stage, &measure::task(&ours, operation))?.round() as u64;
        println!("{}: {} instructions", operation.title, grouped(measured));
        Ok(judged(&page, operation, documented, measured).into_iter().collect())
    })
}

/// Measures processes that make one call, with our library and with the others that are installed. Returns a line for each that takes more
/// instructions than the page claims or than with another loader, or more system calls.
///
/// # Errors
/// As for [`calls`].
pub fn first_calls() -> Result<Vec<String>, String> {
    let page = fs::read_to_string(PAGE).map_err(|error| error.to_string())?;
    let ours = Loader::ours()?;
    let others = [("Debian's", Loader::distribution()), ("Chromium's", Loader::chromium())];
    on_stages(&FIRST_CALLS, |stage, operation, documented| {
        let process = |task: &Task| -> Result<(u64, u64), String> {
            let system_calls = system_calls::total(stage, task)?.values().sum();
            Ok((instructions::total(stage, task)?.all as u64, system_calls))
        };
        let task = Task { calls: 1, ..measure::task(&ours, operation) };
        let idle = process(&Task { library: NO_LIBRARY.to_owned(), ..task })?;
        let count = |loader: &Loader| -> Result<(u64, u64), String> {
            let (instructions, system_calls) =
                process(&Task { calls: 1, ..measure::task(loader, operation) })?;
            Ok((instructions.saturating_sub(idle.0), system_calls.saturating_sub(idle.1)))
        };
        let own = count(&ours)?;
        let mut faults: Vec<_> = judged(&page, operation, documented, own.0).into_iter().collect();
        println!("{}, first call: {} / {}", operation.title, grouped(own.0), own.1);
        for (whose, other) in &others {
            let Some(other) = other.as_ref().map(&count).transpose()? else { continue };
            println!("{}, first call, {whose}: {} / {}", operation.title, grouped(other.0), other.1);
            if own.0 > other.0 || own.1 > other.1 {
                faults
                    .push(format!("{}: the first call costs more than with {whose} loader", operation.title));
            }
        }
        Ok(faults)
    })
}

/// Returns the complaint about a count, if any.
fn judged(page: &str, operation: Operation, documented: u64, measured: u64) -> Option<String> {
    let title = operation.title;
    let row = format!("| {title} |");
    let figure = format!(" {} |", grouped(documented));
    if !page.lines().any(|line| line.starts_with(&row) && line.contains(&figure)) {
        return Some(format!("{title}: docs/performance.md does not say {}", grouped(documented)));
    }
    let most = documented + documented / 20;
    (measured > most).then(|| {
        format!("{title}: {} instructions, the page says {}", grouped(measured), grouped(documented))
    })
}

/// Counts in two threads, each operation on a stage of its own, and collects the complaints. `count` also gets the page's value.
fn on_stages(
    items: &[(&str, u64)],
    count: impl Fn(&Stage, Operation, u64) -> Result<Vec<String>, String> + Sync,
) -> Result<Vec<String>, String> {
    let libraries = Libraries::compile()?;
    let part = |first: usize| -> Result<Vec<String>, String> {
        let mut faults = Vec::new();
        for (name, documented) in items.iter().skip(first).step_by(2) {
            let operation =
                Operation::named(name).ok_or_else(|| format!("{name}: no operation of this name"))?;
            let stage = Stage::new(&libraries, Contents::of(operation)).map_err(|error| error.to_string())?;
            faults.extend(count(&stage, operation, *documented)?);
        }
        Ok(faults)
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| part(1));
        let mut faults = part(0)?;
        faults.extend(other.join().map_err(|_| "counting panicked".to_owned())??);
        Ok(faults)
    })
}

/// Returns a number with its digits in groups of three, as pages have them.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
