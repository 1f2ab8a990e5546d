//! The text of a report. Everything here may run in a signal handler, except for the progress of queues, which only the report of a lost
//! device has: nothing is allocated, and no lock is taken.

use core::ffi::c_int;
use core::fmt::{self, Write as _};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::os::fd::AsRawFd as _;

use ash::vk;
use vkload_layer_runtime::registry::CommandId;
use vkload_layer_runtime::report_file;

use crate::marker_buffer;
use crate::markers::{self, Marker};
use crate::queues::{self, Progress};
use crate::rings::{self, Entry, Ring, State};
use crate::settings;

/// The event that a report is about.
pub(crate) enum Reason {
    Signal {
        number: c_int,
        address: Option<usize>,
    },
    Request,
    /// The handle is the command's: a device or a queue.
    DeviceLost {
        command: CommandId,
        handle: u64,
    },
}

/// The file. Text is collected, since each write is a system call.
struct Out {
    file: c_int,
    text: [u8; 1024],
    length: usize,
}

impl Out {
    fn flush(&mut self) {
        let mut rest = self.text.get(..self.length).unwrap_or_default();
        while !rest.is_empty() {
            // SAFETY: the pointer and the length are a slice's.
            let written = unsafe { libc::write(self.file, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written).ok().filter(|written| *written != 0) {
                Some(written) => rest = rest.get(written..).unwrap_or_default(),
                None => break,
            }
        }
        self.length = 0;
    }
}

impl fmt::Write for Out {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if self.length == self.text.len() {
                self.flush();
            }
            if let Some(slot) = self.text.get_mut(self.length) {
                *slot = byte;
                self.length = self.length.saturating_add(1);
            }
        }
        Ok(())
    }
}

/// The thread that writes a report or has written one in a signal handler that has not returned; 0 if there is none.
static WRITER: AtomicU32 = AtomicU32::new(0);
static IS_WRITING: AtomicBool = AtomicBool::new(false);

/// Milliseconds for which a failed thread waits for another one's report.
const PATIENCE: u32 = 2000;

/// Writes a report. Returns whether it did: only one is written at a time.
pub(crate) fn write(reason: &Reason) -> bool {
    if WRITER.compare_exchange(0, rings::own_id(), Ordering::Acquire, Ordering::Relaxed).is_err() {
        return false;
    }
    let is_written = write_file(reason);
    WRITER.store(0, Ordering::Release);
    is_written
}

/// Writes the report of a signal that may end the process. Another thread that fails waits until [`resume`]: if it went on, it could end the
/// process before the report is complete.
pub(crate) fn write_last(reason: &Reason) {
    let own = rings::own_id();
    for _ in 0..PATIENCE {
        match WRITER.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed) {
            // The report itself fails.
            Err(writer) if writer == own && IS_WRITING.load(Ordering::Relaxed) => return,
            Err(writer) if writer != own => {
                // SAFETY: there are no descriptors. It may be called in a handler.
                unsafe { libc::poll(core::ptr::null_mut(), 0, 1) };
            }
            _ => break,
        }
    }
    // After so long, the other thread has left its handler with `longjmp`, or waits for a driver.
    WRITER.store(own, Ordering::Relaxed);
    write_file(reason);
}

/// Lets other threads write reports: this one's handler returns, and the program goes on.
pub(crate) fn resume() {
    let _ = WRITER.compare_exchange(rings::own_id(), 0, Ordering::Release, Ordering::Relaxed);
}

fn write_file(reason: &Reason) -> bool {
    let Some(path) = &settings::get().file else { return false };
    IS_WRITING.store(true, Ordering::Relaxed);
    let file = report_file(path, false);
    if let Ok(file) = &file {
        let mut out = Out { file: file.as_raw_fd(), text: [0; 1024], length: 0 };
        let _ = text(&mut out, reason);
        out.flush();
    }
    IS_WRITING.store(false, Ordering::Relaxed);
    file.is_ok()
}

fn text(out: &mut Out, reason: &Reason) -> fmt::Result {
    let now = rings::now();
    write!(out, "vkload recorder 1\nprocess {}\nthread {}\nreason ", std::process::id(), rings::own_id())?;
    match reason {
        Reason::Signal { number, address } => {
            write!(out, "signal {number}")?;
            if let Some(name) = signal_name(*number) {
                write!(out, " {name}")?;
            }
            if let Some(address) = address {
                write!(out, " at {address:#x}")?;
            }
        }
        Reason::Request => out.write_str("request")?,
        Reason::DeviceLost { command, .. } => write!(out, "device lost in {}", name(*command))?,
    }
    out.write_str("\n")?;
    if rings::without() != 0 {
        writeln!(out, "threads without a record {}", rings::without())?;
    }
    for ring in rings::all().iter().filter(|ring| ring.thread() != 0) {
        thread(out, ring, now)?;
    }
    marker_buffer::unfinished(|progress| command_buffer(out, progress))?;
    if let Reason::DeviceLost { handle, .. } = reason {
        // The driver may not return.
        out.flush();
        queues::progress(*handle, |progress| queue(out, progress))?;
    }
    Ok(())
}

/// `TOP_OF_PIPE vkCmdDispatch, action 3`
fn command_buffer(out: &mut Out, progress: &marker_buffer::Progress) -> fmt::Result {
    let handle = progress.top.command_buffer.unwrap_or(0);
    writeln!(out, "\ncommand buffer {handle:#x}, the last markers:")?;
    let stages = [("TOP_OF_PIPE", Some(progress.top)), ("BOTTOM_OF_PIPE", progress.bottom)];
    for (stage, marker) in stages.iter().filter_map(|(stage, marker)| Some((stage, (*marker)?))) {
        writeln!(out, "{stage} {}, action {}", name(marker.command), marker.number)?;
    }
    Ok(())
}

/// `BOTTOM_OF_PIPE vkCmdDispatch, action 3 of command buffer 0x55d0`
fn queue(out: &mut Out, progress: &Progress<'_>) -> fmt::Result {
    let Progress { queue, family, index, .. } = progress;
    writeln!(out, "\nqueue {queue:#x} of family {family}, index {index}, the last checkpoints:")?;
    for checkpoint in progress.checkpoints {
        match checkpoint.stage {
            vk::PipelineStageFlags::TOP_OF_PIPE => out.write_str("TOP_OF_PIPE ")?,
            vk::PipelineStageFlags::BOTTOM_OF_PIPE => out.write_str("BOTTOM_OF_PIPE ")?,
            other => write!(out, "stage {:#x} ", other.as_raw())?,
        }
        let value = checkpoint.p_checkpoint_marker.addr() as u64;
        match markers::read(value).filter(|_| progress.is_own) {
            Some(Marker { command, command_buffer, number }) => {
                write!(out, "{}, action {number} of command buffer ", name(command))?;
                match command_buffer {
                    Some(command_buffer) => writeln!(out, "{command_buffer:#x}")?,
                    None => out.write_str("?\n")?,
                }
            }
            None => writeln!(out, "marker {value:#x}")?,
        }
    }
    Ok(())
}

fn thread(out: &mut Out, ring: &Ring, now: u64) -> fmt::Result {
    let bytes = ring.name();
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let calls = ring.count();
    let name = core::str::from_utf8(bytes).unwrap_or("?");
    writeln!(out, "\nthread {} {name}, {calls} calls, the last ones:", ring.thread())?;
    ring.calls().try_for_each(|entry| call(out, entry, now))
}

/// `-0.001250 vkQueueSubmit(queue 0x55d0, submit_count 1, submits 0x7ffc, fence 0) = VK_SUCCESS`
fn call(out: &mut Out, entry: &Entry, now: u64) -> fmt::Result {
    let ago = now.saturating_sub(entry.start()) / 1000;
    let command = entry.command();
    write!(out, "-{}.{:06} {}(", ago / 1_000_000, ago % 1_000_000, name(command))?;
    let state = entry.state();
    let names = if state == State::Begun { &[] } else { vkload_layer_runtime::parameter_names(command) };
    for (index, (name, value)) in names.iter().zip(entry.parameters()).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        match value {
            0..=0xFFFF => write!(out, "{comma}{name} {value}")?,
            _ => write!(out, "{comma}{name} {value:#x}")?,
        }
    }
    match state {
        State::Begun | State::Running => out.write_str(") has not returned\n"),
        State::Returned => out.write_str(")\n"),
        State::ReturnedWith(result) => writeln!(out, ") = VK_{result:?}"),
    }
}

fn name(command: CommandId) -> &'static str {
    command.name().to_str().unwrap_or("?")
}

fn signal_name(number: c_int) -> Option<&'static str> {
    Some(match number {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGABRT => "SIGABRT",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGSYS => "SIGSYS",
        _ => return None,
    })
}
