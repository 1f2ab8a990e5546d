//! The cost of a driver opened without a loader: one made with the driver runtime, compared with lavapipe in the same run.
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::benches::child::{GROWTH, MANY, Task};
use crate::benches::instructions;
use crate::benches::measure;
use crate::benches::operation::{LOOK_UP, Operation, driver as of_driver};
use crate::benches::stage::{Contents, Libraries, Stage};
use crate::target_folder;

/// The distribution's manifest for lavapipe.
const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

const BUILD: &str = "cargo build --profile driver --package vkload-driver-runtime --example bench_driver";

/// The operations of a driver. A look-up by name must be as cheap as the loader's.
const OPERATIONS: [Operation; 25] = [
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
    of_driver("semaphore", "vkCreateSemaphore + vkDestroySemaphore", 100, None),
    of_driver("event", "vkCreateEvent + vkDestroyEvent", 100, None),
    of_driver("buffer", "vkCreateBuffer + vkDestroyBuffer", 100, None),
    of_driver("descriptor_set", "descriptor set, allocated and freed", 100, None),
    of_driver("wait_idle", "vkQueueWaitIdle", 100, None),
    of_driver("submit_empty", "vkQueueSubmit, nothing to do", 100, None),
    of_driver("submit_timeline", "vkQueueSubmit, timeline's next value", 100, None),
    of_driver("wait_fence", "vkWaitForFences, signalled", 1000, None),
    of_driver("counter", "vkGetSemaphoreCounterValue", 1000, None),
    of_driver("begin_end", "vkBegin- + vkEndCommandBuffer", 100, None),
    of_driver("fill_buffer", "vkCmdFillBuffer, recorded", 1000, None),
    of_driver("draw", "vkCmdDraw, recorded", 1000, None),
    of_driver("command_buffers", "4,000 command buffers, allocated and freed", 4, None),
    of_driver("set_private_data", "vkSetPrivateData", 1000, None),
    of_driver("get_private_data", "vkGetPrivateData", 1000, None),
    of_driver("instance", "vkCreateInstance + vkDestroyInstance", 10, None),
    of_driver("device", "vkCreateDevice + vkDestroyDevice", 10, None),
];

const _: () = assert!(MANY == 4000, "a title above says so");

/// The drivers that are compared, ours first.
struct Drivers([PathBuf; 2]);

impl Drivers {
    /// # Errors
    /// If one is missing, with the remedy.
    fn find() -> Result<Self, String> {
        let ours = target_folder().join("driver/examples/libbench_driver.so");
        if !ours.exists() {
            return Err(format!("{} is missing: run `{BUILD}` first", ours.display()));
        }
        let missing =
            |what: &str| format!("there is nothing to compare with: {what}; install mesa-vulkan-drivers");
        let manifest =
            fs::read_to_string(LAVAPIPE).map_err(|error| missing(&format!("{LAVAPIPE}: {error}")))?;
        let manifest: serde_json::Value =
            serde_json::from_str(&manifest).map_err(|error| missing(&format!("{LAVAPIPE}: {error}")))?;
        let name = manifest["ICD"]["library_path"].as_str();
        let name = name.ok_or_else(|| missing(&format!("{LAVAPIPE} names no library")))?;
        // A path, one relative to the manifest, or a name for the dynamic linker.
        let theirs = match Path::new(LAVAPIPE).parent() {
            Some(folder) if name.contains('/') => folder.join(name),
            _ => PathBuf::from(name),
        };
        Ok(Self([ours, theirs]))
    }

    fn tasks(&self, operation: &str, calls: u32, instances: u32) -> [Task; 2] {
        [0, 1].map(|which: usize| Task {
            library: self.0[which].display().to_string(),
            operation: operation.to_owned(),
            calls,
            samples: 0,
            instances,
            threads: 1,
        })
    }
}

/// Measures our driver and lavapipe, as tables. Operations are those whose names hold `only`.
///
/// # Errors
/// With what to do about it, in words for a person: a figure that cannot be measured is one.
pub fn report(only: &str) -> Result<String, String> {
    let drivers = Drivers::find()?;
    if !instructions::available() {
        return Err("instructions cannot be counted: install valgrind".to_owned());
    }
    let libraries = Libraries::compile()?;
    let stage = Stage::new(&libraries, Contents::ONE_DRIVER).map_err(|error| error.to_string())?;
    let mut text = String::new();
    for (name, file) in ["ours", "lavapipe"].iter().zip(&drivers.0) {
        let _ = writeln!(text, "{name:8} {}", file.display());
    }
    let _ = writeln!(
        text,
        "\n{:44} {:>10} {:>10} {:>6} {:>9}",
        "instructions of a call", "lavapipe", "ours", "ratio", "to reach"
    );
    for operation in OPERATIONS.into_iter().filter(|operation| operation.name.contains(only)) {
        eprintln!("measuring {}", operation.title);
        let tasks = drivers.tasks(operation.name, operation.calls, operation.instances);
        let [ours, theirs] =
            [instructions::per_call(&stage, &tasks[0])?, instructions::per_call(&stage, &tasks[1])?];
        text += &row(operation, ours, theirs)?;
    }
    if GROWTH.contains(only) {
        eprintln!("measuring a million submissions");
        text += &growth(&stage, &drivers)?;
    }
    Ok(text)
}

fn row(operation: Operation, ours: f64, theirs: f64) -> Result<String, String> {
    if !(ours > 0.0 && theirs > 0.0) {
        return Err(format!("{}: no instructions were counted ({ours}, {theirs})", operation.title));
    }
    let mark = if ours >= theirs { "NO: not below lavapipe's" } else { "" };
    let most = operation.instructions;
    let target = most.map_or_else(String::new, |most| most.to_string());
    let missed =
        if most.is_some_and(|most| ours > most as f64) { "NO: above what is to be reached" } else { "" };
    let ratio = ours / theirs;
    let line = format!(
        "{:44} {theirs:>10.0} {ours:>10.0} {ratio:>6.2} {target:>9} {mark} {missed}",
        operation.title
    );
    Ok(format!("{}\n", line.trim_end()))
}

/// How many submissions each process makes.
const SUBMISSIONS: u32 = 1_000_000;
/// The last submissions may take so many times as long as the first ones: other work of the machine is in it.
const SLOWER: f64 = 2.0;
/// So many bytes more than after the first submissions may be in use.
const LARGER: f64 = 65_536.0;

fn growth(stage: &Stage, drivers: &Drivers) -> Result<String, String> {
    let mut text = format!(
        "\n{:44} {:>14} {:>14} {:>14}\n",
        "submissions of which only the queue knows", "10,000", "100,000", "1,000,000"
    );
    for (name, task) in ["ours", "lavapipe"].iter().zip(drivers.tasks(GROWTH, SUBMISSIONS, 1)) {
        let lines = measure::lines(stage, &task)?;
        let rows: Vec<Vec<f64>> = lines
            .iter()
            .map(|line| line.split(' ').filter_map(|word| word.parse().ok()).collect())
            .filter(|row: &Vec<f64>| row.len() == 3)
            .collect();
        let [first, middle, last] = rows.as_slice() else {
            return Err(format!("{name}: {} lines instead of 3 for {SUBMISSIONS} submissions", rows.len()));
        };
        let is_flat = [last[1] <= first[1] * SLOWER, last[2] <= first[2] + LARGER];
        for (which, unit) in [(1, "nanoseconds each"), (2, "bytes in use")] {
            let flat = if is_flat[which - 1] { "flat" } else { "NO: grows" };
            let title = format!("{name}, {unit}");
            let _ = writeln!(
                text,
                "{title:44} {:>14.0} {:>14.0} {:>14.0} {flat}",
                first[which], middle[which], last[which]
            );
        }
    }
    Ok(text)
}
