//! A program's requests of Vulkan: it is started on vkload's library, whose messages name them, or on the loader that it gets.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::facts::pairs;
use crate::lossless;
use crate::own_library;
use crate::probe::parent::Settings;
use crate::probe::{Ending, Stage, Subject, Trial, signal_name};
use crate::subprocess::{Subprocess, last_lines};
use crate::switches::{self, Changes};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Asked {
    /// The version of Vulkan that it asked for, if it came to that.
    pub(crate) version: Option<[u32; 2]>,
    /// Its requests that failed, in order.
    pub(crate) missing: Vec<Missing>,
    /// The last command that returned an error, and the error.
    pub(crate) refused: Option<(String, String)>,
    /// How it failed. `None` if it did not.
    pub(crate) failure: Option<Ending>,
    /// Whether a loader printed anything.
    pub(crate) uses_vulkan: bool,
    /// The loader's errors.
    #[serde(skip)]
    pub(crate) errors: Vec<String>,
    /// The last lines that it printed itself.
    pub(crate) printed: Vec<String>,
}

impl Asked {
    /// Returns the run as a trial without devices.
    pub(crate) fn trial(&self) -> Trial {
        let of = Subject::Loader { library: "the program".to_owned() };
        let (ending, printed) = (self.failure.clone().unwrap_or_default(), self.telling().cloned());
        let printed = printed.into_iter().collect();
        Trial { of, stage: Stage::Done, ending, printed, ..Trial::default() }
    }

    /// Returns its last line about Vulkan or an error.
    pub(crate) fn telling(&self) -> Option<&String> {
        let words = ["vk", "vulkan", "error", "fail"];
        self.printed.iter().rfind(|line| words.iter().any(|word| line.to_ascii_lowercase().contains(word)))
    }

    /// Returns how it failed, to follow its name.
    pub(crate) fn words(&self) -> Option<String> {
        self.failure.as_ref().map(words)
    }
}

/// Returns how a program ended, to follow its name.
pub(crate) fn words(ending: &Ending) -> String {
    match ending {
        Ending::Signal { number, .. } => format!("crashes ({})", signal_name(*number)),
        Ending::Exited { code } => format!("exits with code {code}"),
        other => other.tell(Stage::Done),
    }
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Missing {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// The devices that have the extension.
    pub(crate) had_by: Vec<String>,
}

/// The kinds of things that a program enables.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    #[default]
    Layer,
    InstanceExtension,
    DeviceExtension,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Layer => "layer",
            Kind::InstanceExtension => "instance extension",
            Kind::DeviceExtension => "device extension",
        };
        write!(f, "the {kind} {}", self.name)
    }
}

/// Beginnings of messages about something that is missing, whose name follows: vkload's and Khronos'.
const MESSAGES: &[(&str, Kind)] = &[
    ("the application asks for the layer ", Kind::Layer),
    ("the application asks for the instance extension ", Kind::InstanceExtension),
    ("the application asks for the device extension ", Kind::DeviceExtension),
    ("Instance extension ", Kind::InstanceExtension),
    ("Device extension ", Kind::DeviceExtension),
];
/// The beginning of vkload's message with the version.
const VERSION: &str = " asks for Vulkan ";
/// The beginning of every loader's message.
const OF_LOADER: &[&str] = &["[Vulkan Loader]", "ERROR:", "WARNING:", "INFO:", "ERROR | ", "WARNING | "];

/// Starts the program, ends it when time is up, and returns its requests. Fails if it cannot be started.
pub(crate) fn watch(program: &[OsString], settings: &Settings, changes: &Changes) -> Result<Asked, String> {
    let Some((name, arguments)) = program.split_first() else { return Ok(Asked::default()) };
    let mut command = Command::new(name);
    let variables = switches::changed(&settings.variables, changes);
    command.args(arguments).env_clear().envs(pairs(&variables)).env("VK_LOADER_DEBUG", "error,warn,info");
    if let Ok(folder) = own_library::folder_of_library(None) {
        command.env(
            "LD_LIBRARY_PATH",
            own_library::prepend(&folder, variables.get("LD_LIBRARY_PATH").map(|it| lossless::system(it))),
        );
    }
    let started = Subprocess::start(command);
    let mut child = started.map_err(|error| format!("cannot run {}: {error}", Path::new(name).display()))?;
    let status = child.wait_or_report(&name.to_string_lossy(), settings.limit, settings.late);
    let mut asked = read(&child.end());
    asked.failure = status.filter(|status| !status.success()).map(|status| match status.signal() {
        Some(number) => Ending::Signal { number, library: None },
        None => Ending::Exited { code: status.code().unwrap_or(1) },
    });
    Ok(asked)
}

/// Reads the output of a program and its loader.
fn read(text: &str) -> Asked {
    let mut asked = Asked::default();
    let mut own = String::new();
    for line in text.lines() {
        if !OF_LOADER.iter().any(|start| line.starts_with(start)) {
            own.push_str(line);
            own.push('\n');
            continue;
        }
        asked.uses_vulkan = true;
        if line.contains("ERROR") {
            asked.errors.push(line.to_owned());
        }
        if let Some((_, version)) = line.split_once(VERSION) {
            let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
            asked.version = Some([numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)]);
        }
        asked.refused = refused(line).or(asked.refused);
        for (start, kind) in MESSAGES {
            let Some((_, rest)) = line.split_once(start) else { continue };
            let name: String =
                rest.chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect();
            let missing = Missing { kind: *kind, name, had_by: Vec::new() };
            if !asked.missing.contains(&missing) {
                asked.missing.push(missing);
            }
        }
    }
    asked.printed = last_lines(&own);
    asked
}

/// Returns the command in a loader's message about an error that it returned, and the error's name.
fn refused(line: &str) -> Option<(String, String)> {
    let words = || line.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    let word = |start: &str| words().find(|word| word.starts_with(start)).map(str::to_owned);
    word("vkCreate").zip(word("VK_ERROR_"))
}
