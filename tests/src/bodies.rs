//! Bodies that many scenarios share.

use std::time::Duration;

use ash::vk;

use crate::{Ask, Instance, Vk};

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

/// Says the `result` of one of the commands that enumerate groups, and the names in each group as `groups`: plus signs between members and
/// slashes between groups.
pub fn say_groups(vk: &Vk, instance: &Instance<'_>, command: &str) {
    // SAFETY: both commands that tests ask for have this type.
    let enumerate: vk::PFN_vkEnumeratePhysicalDeviceGroups = unsafe { instance.command(command) };
    let mut count = 0;
    // SAFETY: valid use of Vulkan on one thread.
    let result = unsafe { enumerate(instance.handle(), &mut count, std::ptr::null_mut()) };
    assert_eq!(result, vk::Result::SUCCESS);
    let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count as usize];
    // SAFETY: the array has as many elements as the count.
    let result = unsafe { enumerate(instance.handle(), &mut count, groups.as_mut_ptr()) };
    vk.say("result", format_args!("{result:?}"));
    let members = |group: &vk::PhysicalDeviceGroupProperties<'_>| {
        let members = &group.physical_devices[..group.physical_device_count as usize];
        members.iter().map(|device| instance.name(*device)).collect::<Vec<_>>().join("+")
    };
    vk.say("groups", groups.iter().map(members).collect::<Vec<_>>().join("/"));
    let devices = instance.devices();
    let known = groups.iter().all(|group| devices.contains(&group.physical_devices[0]));
    vk.say("handles of the devices", known);
}

/// Does so for an instance of Vulkan 1.1.
pub fn say_groups_1_1(vk: &Vk) {
    say_groups(vk, &vk.create(&Ask::new().api(1, 1)).unwrap(), "vkEnumeratePhysicalDeviceGroups");
}

/// Returns the code of a result: `SUCCESS` for a value.
pub fn code<T>(result: &Result<T, vk::Result>) -> String {
    result.as_ref().map_or_else(|error| format!("{error:?}"), |_| "SUCCESS".to_owned())
}

/// Waits until a new file is certainly newer than the scenario's: until then the loader reads everything again, since it may change within
/// the tick in which it is read.
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
