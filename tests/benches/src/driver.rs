//! What a driver costs, opened without a loader: the small one of the driver runtime's README, which has little besides the
//! runtime's look-ups and objects.
use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::child::Task;
use crate::instructions;
use crate::measure::{self, Tools};
use crate::operation::{LOOK_UP, Operation, driver as of_driver};
use crate::stage::{Contents, Libraries, Stage};

/// What a driver is asked to do. A look-up by name has to be as cheap as the loader's.
const OPERATIONS: [Operation; 11] = [
    of_driver("proc_addr vkDestroyInstance", "vkGetInstanceProcAddr, instance's name", 1000, Some(LOOK_UP)),
    of_driver(
        "proc_addr vkEnumeratePhysicalDevices",
        "vkGetInstanceProcAddr, longer name",
        1000,
        Some(LOOK_UP),
    ),
    of_driver("proc_addr vkCreateBuffer", "vkGetInstanceProcAddr, device's name", 1000, Some(LOOK_UP)),
    of_driver("proc_addr_unknown", "vkGetInstanceProcAddr, unknown name", 1000, Some(LOOK_UP)),
    of_driver("device_proc_addr", "vkGetDeviceProcAddr, known name", 1000, Some(LOOK_UP)),
    of_driver("physical_device_command", "vkGetPhysicalDeviceFeatures", 1000, None),
    of_driver("enumerate_devices", "vkEnumeratePhysicalDevices, list", 1000, None),
    of_driver("fence", "vkCreateFence + vkDestroyFence", 100, None),
    of_driver("buffer", "vkCreateBuffer + vkDestroyBuffer", 100, None),
    of_driver("instance", "vkCreateInstance + vkDestroyInstance", 20, None),
    of_driver("device", "vkCreateDevice + vkDestroyDevice", 20, None),
];

/// The small driver, in its release build.
#[must_use]
pub fn small_driver() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    target.join("release/examples/libsmall_driver.so")
}

/// Measures the driver in `file`, as a table. Operations are those whose names hold `only`.
///
/// # Errors
/// With what to do about it, in words for a person.
pub fn report(file: &Path, only: &str) -> Result<String, String> {
    if !file.exists() {
        let path = file.display();
        let build = "cargo build --release --package driver-runtime --example small_driver";
        return Err(format!("{path} is missing: run `{build}` first"));
    }
    let (tools, libraries) = (Tools::find(), Libraries::compile()?);
    let stage = Stage::new(&libraries, Contents::ONE_DRIVER).map_err(|error| error.to_string())?;
    let mut text = format!("driver   {}\n\n", file.display());
    let _ = writeln!(text, "{:40} {:>14} {:>9} {:>13}", "", "instructions", "to reach", "shortest");
    for operation in OPERATIONS.into_iter().filter(|operation| operation.name.contains(only)) {
        eprintln!("measuring {}", operation.title);
        let task = Task {
            library: file.display().to_string(),
            operation: operation.name.to_owned(),
            calls: operation.calls,
            samples: 0,
            instances: operation.instances,
            threads: 1,
        };
        let shortest = measure::times(&stage, std::slice::from_ref(&task))?[0].shortest;
        let count = if tools.instructions { Some(instructions::per_call(&stage, &task)?) } else { None };
        let _ = writeln!(
            text,
            "{:40} {:>14} {:>9} {shortest:>10.1} ns",
            operation.title,
            count.map_or("-".to_owned(), |count| format!("{count:.0}")),
            operation.instructions.map_or(String::new(), |most| verdict(most, count)),
        );
    }
    Ok(text)
}

fn verdict(most: u64, count: Option<f64>) -> String {
    let is_reached = count.is_none_or(|count| count <= most as f64);
    format!("{most}{}", if is_reached { "" } else { " !" })
}
