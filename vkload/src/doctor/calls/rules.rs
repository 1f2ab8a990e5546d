//! Explains a file of the recorder layer: a headline and findings.

use super::report::{Progress, Reason, Report, Thread};
use crate::command::Command;
use crate::diagnosis::{Finding, Id, Severity};

/// Results that working programs get: a format that the device lacks, or a window of another size.
const USUAL: &[&str] = &["VK_ERROR_FORMAT_NOT_SUPPORTED", "VK_ERROR_OUT_OF_DATE_KHR"];
/// A call that takes longer, in seconds, probably waits for something that does not happen.
const LONG: f64 = 1.0;

const BISECT: &str = "vkload bisect -- PROGRAM";
const QUEUES: &str = "Set VKLOAD_RECORDER_QUEUES=1 and let it happen again: if the driver has VK_NV_device_diagnostic_checkpoints or \
    VK_AMD_buffer_marker, the file then says how far each queue got";
const VALIDATE: &str = "vkload layers --enable VK_LAYER_KHRONOS_validation -- PROGRAM";

/// Returns the main result as a sentence.
pub(super) fn headline(report: &Report<'_>) -> String {
    let main = report.threads.iter().find(|thread| thread.id == report.process);
    let program = main.map_or("the program", |thread| thread.name);
    let thread = thread_name(report, report.thread, report.own().map(|thread| thread.name));
    match &report.reason {
        Reason::Request => {
            let waiting = report.threads.iter().filter(|thread| thread.running().is_some()).count();
            format!("{program} runs; threads in a Vulkan call: {waiting} of {}.", report.threads.len())
        }
        Reason::DeviceLost { command } => format!("{program} lost its device in {command}, in {thread}."),
        Reason::Signal { name, address } => {
            let verb = if *name == "SIGABRT" { "aborted" } else { "crashed" };
            let address = address.map(|address| format!(" at address {address}")).unwrap_or_default();
            let place = match (report.own().and_then(Thread::running), is_known(report)) {
                (Some(call), _) => format!(" in {}", call.command),
                (None, true) => " outside any Vulkan call".to_owned(),
                (None, false) => String::new(),
            };
            format!("{program} {verb} ({name}{address}){place}, in {thread}.")
        }
    }
}

/// Returns the findings: the end first, and then what may have to do with it.
pub(super) fn findings(report: &Report<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(end(report));
    findings.extend(report.progress.iter().map(progress));
    findings.extend(failed(report));
    findings.extend(report.threads.iter().filter_map(|thread| waits(report, thread)));
    if report.is_cut {
        let what = "the file is cut short, because the process ended while it wrote: calls are missing";
        findings.push(Finding::of(Id::CallsCut, Severity::Warning, "", what));
    }
    if report.threads_not_kept > 0 {
        let what =
            format!("the calls of {} threads were not kept: there were too many", report.threads_not_kept);
        let step = Command::export("VKLOAD_RECORDER_THREADS", &"1024");
        findings.push(Finding::of(Id::ThreadsNotKept, Severity::Note, "", what).step(step));
    }
    findings
}

fn end(report: &Report<'_>) -> Option<Finding> {
    let error = |id, about: &str, what: &str| Finding::of(id, Severity::Error, about, what);
    let own = report.own();
    let (name, is_sent) = match &report.reason {
        Reason::Request => return None,
        Reason::DeviceLost { command } => {
            let what = "the fault is in work that was submitted before; this call is the first to return VK_ERROR_DEVICE_LOST";
            let driver = "Read the kernel's messages (`sudo dmesg`): they may name the fault";
            let found = error(Id::DeviceLost, command, what).step(Command::new(VALIDATE, &[])).step(driver);
            return Some(if report.progress.is_empty() { found.step(QUEUES) } else { found });
        }
        Reason::Signal { name, address } => (*name, *name != "SIGABRT" && address.is_none()),
    };
    if let Some(call) = own.and_then(Thread::running) {
        let what = match (is_sent, name) {
            (true, _) => "the thread was in this call when it was sent the signal, by `kill` or raise",
            (_, "SIGABRT") => "another layer, the driver or a call-back of the program aborted",
            _ => "the fault is in another layer, in the driver, or in a call-back of the program",
        };
        let found = error(Id::CallCrashes, call.command, what);
        return Some(if is_sent {
            found
        } else {
            found.step(Command::new(BISECT, &[])).step(Command::new(VALIDATE, &[]))
        });
    }
    let what = match own.map(|thread| thread.calls.last()) {
        _ if is_sent => {
            "the thread was sent the signal, by `kill` or raise, so no code is at fault".to_owned()
        }
        Some(Some(call)) => {
            let fault = if name == "SIGABRT" {
                "the abort is in the program's own code"
            } else {
                "the fault is in the program's own code"
            };
            format!(
                "{fault}, or in a library that it uses: the last call, {}, {:.6} seconds before, had returned",
                call.command, call.ago
            )
        }
        _ if is_known(report) => {
            "the thread made no Vulkan call: the program started it, or else a driver or a layer".to_owned()
        }
        _ => "the thread's calls are not in the file".to_owned(),
    };
    let found = error(Id::ProgramCrashes, "", &what);
    let backtrace = "Look at the backtrace, in a debugger or with `coredumpctl gdb`: it names the function";
    Some(if is_sent { found } else { found.step(backtrace) })
}

/// Returns the progress of a queue or a command buffer. A checkpoint comes before its command.
fn progress(progress: &Progress<'_>) -> Finding {
    let stage = |(stage, at): &(&str, &str)| match *stage {
        "TOP_OF_PIPE" => format!("begun the work up to {at}"),
        "BOTTOM_OF_PIPE" => format!("completed the work before {at}"),
        other => format!("reached {at} (stage {other})"),
    };
    let stages: Vec<_> = progress.checkpoints.iter().map(stage).collect();
    if stages.is_empty() {
        return Finding::of(Id::QueueProgress, Severity::Note, progress.about, "has reached no checkpoint");
    }
    Finding::of(Id::QueueProgress, Severity::Note, progress.about, format!("has {}", stages.join(", and ")))
        .step("Look for the fault in the work that has begun and is not complete")
}

/// Returns the first call that failed, unless its result is the reason of the file.
fn failed(report: &Report<'_>) -> Option<Finding> {
    let calls = report.threads.iter().flat_map(|thread| thread.calls.iter().map(move |call| (thread, call)));
    let errors: Vec<_> = calls
        .filter_map(|(thread, call)| Some((thread, call, call.error?)))
        .filter(|(_, _, error)| !USUAL.contains(error) && *error != "VK_ERROR_DEVICE_LOST")
        .collect();
    let (thread, call, error) = errors.iter().max_by(|one, other| one.1.ago.total_cmp(&other.1.ago))?;
    let others = match errors.len() {
        1 => String::new(),
        count => format!("; it is the first of {count} calls that failed"),
    };
    let what = format!(
        "has failed with {error} {:.6} seconds before the end, in {}{others}",
        call.ago,
        thread_name(report, thread.id, Some(thread.name))
    );
    let step = "Check how the program handles this failure: a later crash may be its consequence";
    Some(Finding::of(Id::CallFailed, Severity::Warning, call.command, what).step(step))
}

/// Returns the call that a thread executes, unless the headline names it.
fn waits(report: &Report<'_>, thread: &Thread<'_>) -> Option<Finding> {
    let is_request = report.reason == Reason::Request;
    let call = thread.running().filter(|_| is_request || thread.id != report.thread)?;
    let is_long = is_request && call.ago >= LONG;
    let severity = if is_long { Severity::Warning } else { Severity::Note };
    let what = format!(
        "{} had been in the call for {:.3} seconds",
        thread_name(report, thread.id, Some(thread.name)),
        call.ago
    );
    let found = Finding::of(Id::CallWaits, severity, call.command, what);
    Some(if is_long { found.step(Command::new(VALIDATE, &[])) } else { found })
}

/// Returns whether the calls of the thread that wrote the file, if it made any, are in it.
fn is_known(report: &Report<'_>) -> bool {
    report.own().is_some() || !(report.is_cut || report.threads_not_kept > 0)
}

fn thread_name(report: &Report<'_>, id: &str, name: Option<&str>) -> String {
    match name {
        _ if id == report.process => "the main thread".to_owned(),
        Some(name) => format!("thread {id} ({name})"),
        None => format!("thread {id}"),
    }
}
