//! The report, written when the last instance is destroyed, and again at process exit if the counts have changed since then.

mod json;
mod summary;
mod table;
mod trace;

use std::ffi::CString;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use vkload_layer_runtime::report_file;

use crate::say;
use crate::settings::{self, Settings};
use crate::threads::{self, Everything};
use summary::Summary;

/// The process that created an instance, which is the only one that writes: a child that it forked has counted nothing of its own.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// How many calls were in the last report. Held while one is written.
static REPORTED: Mutex<u64> = Mutex::new(0);

/// Remembers whose process this is.
pub(crate) fn prepare() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// Writes the current counts. A later report includes them again.
pub(crate) fn write() {
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    write_since(&mut reported, true);
}

/// Called when the process exits normally, or the library is closed, by the C library: everything that a report needs still works
/// then. Other threads may run; their counters are only read. A thread that holds a lock may be gone, so nothing is waited for.
extern "C" fn at_exit() {
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    let reported: Option<MutexGuard<'_, u64>> = REPORTED.try_lock().ok();
    if let Some(mut reported) = reported {
        write_since(&mut reported, false);
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

fn write_since(reported: &mut u64, patient: bool) {
    let Some(everything) = threads::everything(patient) else {
        return say("no report: memory is short or other threads are ending");
    };
    let Some(summary) = Summary::of(&everything) else {
        return say("no report: memory is short");
    };
    if summary.total.calls > *reported {
        *reported = summary.total.calls;
        write_all(settings::get(), &everything, &summary);
    }
}

fn write_all(settings: &Settings, everything: &Everything, summary: &Summary) {
    if settings.table {
        match &settings.file {
            Some(_) => to_file(settings, "txt", |out| table::write(out, summary)),
            None => _ = table::write(&mut BufWriter::new(io::stderr()), summary),
        }
    }
    if settings.json {
        to_file(settings, "json", |out| json::write(out, everything, summary));
    }
    if settings.trace {
        to_file(settings, "trace.json", |out| trace::write(out, everything));
    }
}

/// Writes a file, or reports the error.
fn to_file(settings: &Settings, ending: &str, content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) {
    let path = path(settings, ending, std::process::id());
    let file = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::from);
    let file = file.and_then(|path| report_file(&path, false));
    let written = file.map(BufWriter::new).and_then(|mut out| {
        content(&mut out)?;
        out.flush()
    });
    if let Err(error) = written {
        say(&format!("cannot write {}: {error}; VKLOAD_STATISTICS_FILE says where files go", path.display()));
    }
}

/// Returns the name of a file. In the user's text, `%p` is the process ID, so that several processes can write.
fn path(settings: &Settings, ending: &str, process: u32) -> PathBuf {
    let mut name = match &settings.file {
        Some(file) => match file.to_str() {
            Some(text) => text.replace("%p", &process.to_string()).into(),
            None => file.clone().into_os_string(),
        },
        None => format!("vkload-statistics-{process}").into(),
    };
    name.push(".");
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_users_choice_or_the_process() {
        let settings = |file: Option<&str>| Settings {
            table: true,
            json: true,
            trace: true,
            file: file.map(PathBuf::from),
            events: 0,
            all_events: 0,
        };
        let name = |file, ending| path(&settings(file), ending, 42).display().to_string();
        assert_eq!(name(None, "json"), "vkload-statistics-42.json");
        assert_eq!(name(Some("/tmp/cube"), "trace.json"), "/tmp/cube.trace.json");
        assert_eq!(name(Some("/tmp/cube-%p"), "txt"), "/tmp/cube-42.txt");
    }
}
