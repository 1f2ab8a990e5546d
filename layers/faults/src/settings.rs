//! The user's settings.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::sync::OnceLock;

use vkload_fault_rules::Faults;

use crate::{FaultsLayer, say};

/// The words, or `@` with the path of a file that has them. The name of both an environment variable and a layer setting.
pub(crate) const FAULTS: &str = "VKLOAD_FAULTS";

struct Settings {
    faults: Faults,
    /// Whether the words could not be understood.
    is_wrong: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Returns the faults of this process: none if the words cannot be understood.
pub(crate) fn get() -> &'static Faults {
    &settings().faults
}

/// Returns whether the words could not be understood.
pub(crate) fn is_wrong() -> bool {
    settings().is_wrong
}

fn settings() -> &'static Settings {
    SETTINGS.get_or_init(|| {
        let given = vkload_layer_runtime::settings::<FaultsLayer>();
        let text = given.text(FAULTS).map(OsStr::to_string_lossy).unwrap_or_default();
        let is_elevated = vkload_layer_runtime::is_elevated();
        if is_elevated && !text.is_empty() {
            say("nothing fails, since this process has more rights than its user");
        }
        let read = if is_elevated { Ok(Faults::default()) } else { read(&text) };
        read.map(|faults| Settings { faults, is_wrong: false }).unwrap_or_else(|problem| {
            say(&format!("{problem}; no instance is created"));
            Settings { faults: Faults::default(), is_wrong: true }
        })
    })
}

fn read(text: &str) -> Result<Faults, String> {
    let Some(path) = text.trim().strip_prefix('@') else {
        return Faults::parse(text).map_err(|problem| format!("{FAULTS}: {problem}"));
    };
    let text = fs::read_to_string(path).map_err(|error| format!("{FAULTS}: {path}: {error}"))?;
    Faults::parse(&text).map_err(|problem| format!("{path}: {problem}"))
}

/// Waits until a process opens a named pipe for writing, and writes to it or closes it.
pub(crate) fn hold(path: &str) {
    let held = fs::File::open(path).and_then(|mut pipe| pipe.read(&mut [0]));
    if let Err(error) = held {
        say(&format!("a call does not wait: {path}: {error}"));
    }
}
