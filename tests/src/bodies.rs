//! Bodies that many scenarios share.

use std::time::Duration;

use ash::vk;

use crate::{Ask, Vk};

/// Creates an instance of Vulkan 1.3 and enumerates devices. Says `result` (of vkCreateInstance), `enumeration` (of
/// vkEnumeratePhysicalDevices) and `devices` (their names in order).
pub fn list_devices(vk: &Vk) {
    list_devices_asking(vk, &Ask::new().api(1, 3));
}

/// Does the same for an instance of Vulkan 1.0 without extensions, for which devices are not sorted.
pub fn list_devices_1_0(vk: &Vk) {
    list_devices_asking(vk, &Ask::new().api(1, 0));
}

/// Does the same with these parameters.
pub fn list_devices_asking(vk: &Vk, ask: &Ask<'_>) {
    let instance = match vk.create(ask) {
        Ok(instance) => instance,
        Err(error) => return vk.say("result", format_args!("{error:?}")),
    };
    vk.say("result", "SUCCESS");
    match instance.try_devices() {
        Ok(_) => {
            vk.say("enumeration", "SUCCESS");
            vk.say("devices", instance.names().join(","));
        }
        Err(error) => vk.say("enumeration", format_args!("{error:?}")),
    }
}

/// Returns the code of a result: `SUCCESS` for a value.
#[must_use]
pub fn code<T>(result: &Result<T, vk::Result>) -> String {
    result.as_ref().map_or_else(|error| format!("{error:?}"), |_| "SUCCESS".to_owned())
}

/// Waits until a new file is certainly newer than the scenario's: until then the loader reads everything again, since it may change within
/// the tick in which it is read.
///
/// # Panics
/// If the file cannot be written.
pub fn wait_for_the_clock_of_files(vk: &Vk) {
    let probe = vk.path("out/probe");
    let write = || {
        std::fs::write(&probe, "").unwrap();
        std::fs::metadata(&probe).unwrap().modified().unwrap()
    };
    let started = write();
    while write() < started + Duration::from_millis(100) {
        std::thread::yield_now();
    }
}
