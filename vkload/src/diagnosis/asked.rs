//! A program's requests of Vulkan: it is started on vkload's library, whose messages name them, or on the loader that it gets.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::lossless;
use crate::own_library;
use crate::probe::parent::Settings;
use crate::probe::signal_name;
use crate::subprocess::{Subprocess, last_lines};
use crate::switches::{self, Changes};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Asked {
    /// The version of Vulkan that it asked for, if it came to that.
    pub(crate) version: Option<[u32; 2]>,
    /// Its requests that failed, in order.
    pub(crate) missing: Vec<Missing>,
    /// How it failed, to follow its name. `None` if it did not.
    pub(crate) failure: Option<String>,
    /// The last lines that it printed itself.
    pub(crate) printed: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Missing {
    pub(crate) kind: Kind,
    pub(crate) name: String,
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
pub(crate) fn watch(program: &[OsString], settings: &Settings) -> Result<Asked, String> {
    let Some((name, arguments)) = program.split_first() else { return Ok(Asked::default()) };
    let mut command = Command::new(name);
    switches::apply(command.args(arguments).env_clear(), &settings.variables, &Changes::new());
    command.env("VK_LOADER_DEBUG", "error,warn,info");
    if let Ok(folder) = own_library::folder_of_library(None) {
        command.env(
            "LD_LIBRARY_PATH",
            own_library::prepend(&folder, settings.variables.get("LD_LIBRARY_PATH").map(|it| lossless::system(it))),
        );
    }
    let started = Subprocess::start(command);
    let mut child = started.map_err(|error| format!("cannot run {}: {error}", Path::new(name).display()))?;
    let status = child.wait_or_report(&name.to_string_lossy(), settings.limit, settings.late);
    let mut asked = read(&child.end());
    asked.failure = status.and_then(|status| match (status.signal(), status.code()) {
        (Some(number), _) => Some(format!("crashes ({})", signal_name(number))),
        (None, Some(0)) => None,
        (None, code) => Some(format!("exits with code {}", code.unwrap_or(1))),
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
        if let Some((_, version)) = line.split_once(VERSION) {
            let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
            asked.version = Some([numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)]);
        }
        for (start, kind) in MESSAGES {
            let Some((_, rest)) = line.split_once(start) else { continue };
            let name: String =
                rest.chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect();
            let missing = Missing { kind: *kind, name };
            if !asked.missing.contains(&missing) {
                asked.missing.push(missing);
            }
        }
    }
    asked.printed = last_lines(&own);
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_loaders_say_what_is_missing() {
        let text = "\
[Vulkan Loader] INFO:           application \"game\" version 1, engine \"\" version 0, asks for Vulkan 1.3.0
[Vulkan Loader] ERROR:          the application asks for the layer VK_LAYER_x: is not installed; correct the name
[Vulkan Loader] ERROR:          the application asks for the device extension VK_KHR_y, which is not available; `vulkaninfo` lists
game: no device
ERROR:             loader_validate_instance_extensions: Instance extension VK_KHR_z not supported by available ICDs or enabled layers.
";
        let asked = read(text);
        assert_eq!(asked.version, Some([1, 3]));
        let found: Vec<_> =
            asked.missing.iter().map(|missing| (missing.kind, missing.name.as_str())).collect();
        let expected = [
            (Kind::Layer, "VK_LAYER_x"),
            (Kind::DeviceExtension, "VK_KHR_y"),
            (Kind::InstanceExtension, "VK_KHR_z"),
        ];
        assert_eq!(found, expected);
        assert_eq!(asked.printed, ["game: no device"]);
    }
}
