//! Devices as loaders use them. `docs/rules/drivers.md` has the rules.

use std::ffi::CStr;
use std::ptr::null;
use std::vec::Vec;

use ash::vk::{self, Handle};
use vkload_core::registry::{ExtensionSet, extension};

use super::Device;
use crate::features::{Features, name};
use crate::instance::tests::Made;
use crate::object::{Object, ParentObject};
use crate::physical_device::Description;
use crate::physical_device::tests::{with_device, with_device_and_extensions};
use crate::proc_addr::{get_device_proc_addr, get_instance_proc_addr, get_physical_device_proc_addr};
use crate::result::CreateDeviceError;
use crate::testing::{Ledger, TestDriver, commands, objects, plan};

/// A device that is destroyed with the test, before its instance.
pub(crate) struct MadeDevice(pub(crate) vk::Device, #[expect(dead_code, reason = "is kept")] Made);

impl MadeDevice {
    pub(crate) fn get(&self) -> &Device<TestDriver> {
        // SAFETY: the handle is live.
        unsafe { Device::from_handle(self.0) }.unwrap()
    }
}

impl Drop for MadeDevice {
    fn drop(&mut self) {
        // SAFETY: the handle is live and no longer in use.
        unsafe { commands::destroy_device::<TestDriver>()(self.0, null()) };
    }
}

fn describe() -> Description {
    let mut known = Description::new(b"x", vk::API_VERSION_1_2, vk::PhysicalDeviceType::CPU);
    known.extensions = ExtensionSet::new(&[extension::EXT_MESH_SHADER]);
    known.features = Features::NONE.with(name::WIDE_LINES);
    known.queue_family_count = 2;
    known.queue_families[0].queue_count = 3;
    known.queue_families[1].queue_count = 1;
    known
}

pub(crate) fn make(info: &vk::DeviceCreateInfo<'_>) -> Result<MadeDevice, vk::Result> {
    make_in(with_device(describe), info)
}

fn make_in(
    (made, physical): (Made, vk::PhysicalDevice),
    info: &vk::DeviceCreateInfo<'_>,
) -> Result<MadeDevice, vk::Result> {
    let mut device = vk::Device::null();
    // SAFETY: the tests make valid structures.
    unsafe { commands::create_device::<TestDriver>()(physical, info, null(), &mut device) }.result()?;
    Ok(MadeDevice(device, made))
}

const PRIORITIES: [f32; 8] = [1.0; 8];

pub(crate) fn queues(family: u32, count: usize) -> vk::DeviceQueueCreateInfo<'static> {
    vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&PRIORITIES[..count])
}

fn with_extensions(names: &[&CStr]) -> Result<MadeDevice, vk::Result> {
    make_below(&[], names)
}

fn make_below(of_instance: &[&CStr], of_device: &[&CStr]) -> Result<MadeDevice, vk::Result> {
    let names: Vec<_> = of_device.iter().map(|name| name.as_ptr()).collect();
    let below = with_device_and_extensions(describe, of_instance);
    make_in(below, &vk::DeviceCreateInfo::default().enabled_extension_names(&names))
}

#[test]
fn device_extensions_are_checked() {
    for name in [c"VK_XYZ_unheard_of", c"VK_KHR_swapchain", c"VK_KHR_surface"] {
        assert_eq!(with_extensions(&[name]).err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT), "{name:?}");
    }
    let made = with_extensions(&[c"VK_EXT_mesh_shader"]).unwrap();
    assert!(made.get().extensions().contains(extension::EXT_MESH_SHADER));
}

#[test]
fn extensions_that_the_registry_does_not_list() {
    let made = with_extensions(&[c"VK_ANDROID_native_buffer", c"VK_EXT_mesh_shader"]).unwrap();
    let enabled = made.get().extensions();
    assert!(
        enabled.contains(extension::EXT_MESH_SHADER) && enabled.has_unlisted(c"VK_ANDROID_native_buffer")
    );
    assert!(!enabled.has_unlisted(c"VK_TEST_of_devices") && !enabled.has_unlisted(c"VK_EXT_mesh_shader"));
    let refused = with_extensions(&[c"VK_TEST_of_instances"]);
    assert_eq!(refused.err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    let physical = vk::PhysicalDevice::from_raw(made.get().physical().base().address());
    // SAFETY: a live handle and an array as long as the count says.
    unsafe {
        let (mut count, mut list) = (9, [vk::ExtensionProperties::default(); 9]);
        let enumerate = commands::enumerate_device_extension_properties::<TestDriver>();
        assert_eq!(enumerate(physical, null(), &mut count, list.as_mut_ptr()), vk::Result::SUCCESS);
        let last = &list[1..count as usize];
        let names: Vec<_> = last.iter().map(|one| one.extension_name_as_c_str().unwrap()).collect();
        assert_eq!(names, [c"VK_ANDROID_native_buffer", c"VK_TEST_of_devices"]);
        assert_eq!((last[0].spec_version, last[1].spec_version), (8, 4));
    }
}

/// Returns which look-ups find a private command: through the device, through the instance, and the look-up for
/// physical-device commands.
fn finders(made: &MadeDevice, name: &CStr) -> [bool; 3] {
    let instance = vk::Instance::from_raw(made.get().root().base().instance_root().base().address());
    let own = crate::testing::private as *const ();
    let is_own = |found: vk::PFN_vkVoidFunction| {
        // Under Miri, each mention of a function has an address of its own.
        assert!(cfg!(miri) || found.is_none_or(|function| function as *const () == own), "{name:?}");
        found.is_some()
    };
    // SAFETY: live handles and a valid name.
    unsafe {
        [
            is_own(get_device_proc_addr::<TestDriver>(made.0, name.as_ptr())),
            is_own(get_instance_proc_addr::<TestDriver>(instance, name.as_ptr())),
            is_own(get_physical_device_proc_addr::<TestDriver>(instance, name.as_ptr())),
        ]
    }
}

#[test]
fn private_commands_are_found_as_far_as_their_extension_is_enabled() {
    let none: &[&CStr] = &[];
    let (by_instance, by_device): (&[&CStr], &[&CStr]) =
        (&[c"VK_TEST_of_instances"], &[c"VK_TEST_of_devices", c"VK_ANDROID_native_buffer"]);
    let [nobody, instance, device] = [(none, none), (by_instance, none), (none, by_device)]
        .map(|(of_instance, of_device)| make_below(of_instance, of_device).unwrap());
    let rows = [
        (c"vkInstanceByInstanceTEST", [false; 3], [false, true, false], [false; 3]),
        (c"vkPhysicalDeviceByInstanceTEST", [false; 3], [false, true, true], [false; 3]),
        (c"vkDeviceByInstanceTEST", [false; 3], [true, true, false], [false; 3]),
        // Device extensions: through an instance, a command is found if physical devices have its extension.
        (c"vkPhysicalDeviceByDeviceTEST", [false, true, true], [false, true, true], [false, true, true]),
        (c"vkDeviceByDeviceTEST", [false, true, false], [false, true, false], [true, true, false]),
        (c"vkAcquireImageANDROID", [false, true, false], [false, true, false], [true, true, false]),
        (c"vkUnheardOfTEST", [false; 3], [false; 3], [false; 3]),
    ];
    for (name, with_nothing, with_instance, with_device) in rows {
        assert_eq!(finders(&nobody, name), with_nothing, "{name:?} without extensions");
        assert_eq!(finders(&instance, name), with_instance, "{name:?} with the instance's");
        assert_eq!(finders(&device, name), with_device, "{name:?} with the device's");
    }
    // SAFETY: a valid name.
    let without = unsafe {
        get_instance_proc_addr::<TestDriver>(vk::Instance::null(), c"vkInstanceByInstanceTEST".as_ptr())
    };
    assert!(without.is_none(), "no private command without an instance");
}

#[test]
fn features_are_checked_and_kept() {
    let wide = vk::PhysicalDeviceFeatures::default().wide_lines(true);
    let made = make(&vk::DeviceCreateInfo::default().enabled_features(&wide)).unwrap();
    assert!(made.get().features().contains(name::WIDE_LINES));
    let logic = vk::PhysicalDeviceFeatures::default().logic_op(true);
    let refused = make(&vk::DeviceCreateInfo::default().enabled_features(&logic));
    assert_eq!(refused.err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
}

#[test]
fn commands_of_devices_by_what_is_enabled() {
    let (with, without) = (with_extensions(&[c"VK_EXT_mesh_shader"]).unwrap(), with_extensions(&[]).unwrap());
    let look_up = |device: &MadeDevice, name: &CStr| {
        // SAFETY: a live handle and a valid name.
        unsafe { get_device_proc_addr::<TestDriver>(device.0, name.as_ptr()) }.is_some()
    };
    assert!(look_up(&with, c"vkCmdDrawMeshTasksEXT") && !look_up(&without, c"vkCmdDrawMeshTasksEXT"));
    for name in [c"vkCreateBuffer", c"vkGetDeviceQueue", c"vkGetDeviceProcAddr"] {
        assert!(look_up(&without, name), "{name:?}");
    }
    for name in [c"vkCreateDevice", c"vkDestroyInstance", c"vkCreateInstance", c"vkCreateImage", c""] {
        assert!(!look_up(&without, name), "{name:?}");
    }
    // SAFETY: NULL is allowed.
    assert!(unsafe { get_device_proc_addr::<TestDriver>(with.0, null()) }.is_none());
}

#[test]
fn memory_of_devices() {
    let (made, physical) = with_device(describe);
    let wanted = [queues(0, 2)];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&wanted);
    let mut failures = 0;
    loop {
        let ledger = Ledger::failing_at(failures);
        let callbacks = ledger.callbacks();
        let mut device = vk::Device::null();
        // SAFETY: valid structures; the callbacks live longer than the device.
        let result =
            unsafe { commands::create_device::<TestDriver>()(physical, &info, &callbacks, &mut device) };
        if result == vk::Result::SUCCESS {
            // SAFETY: the handle is live and no longer in use.
            unsafe { commands::destroy_device::<TestDriver>()(device, &callbacks) };
            assert!(ledger.scopes().iter().all(|scope| *scope == vk::SystemAllocationScope::DEVICE.as_raw()));
            assert_eq!(ledger.live_blocks(), 0);
            break;
        }
        assert_eq!((result, device), (vk::Result::ERROR_OUT_OF_HOST_MEMORY, vk::Device::null()));
        assert_eq!(ledger.live_blocks(), 0);
        failures += 1;
    }
    assert_eq!(failures, 4);
    plan(|plan| plan.create_device = Err(CreateDeviceError::DeviceLost));
    let mut device = vk::Device::null();
    // SAFETY: valid structures.
    let result = unsafe { commands::create_device::<TestDriver>()(physical, &info, null(), &mut device) };
    assert_eq!(result, vk::Result::ERROR_DEVICE_LOST);
    drop(made);
}

#[test]
fn queues_by_family_number_and_flags() {
    let mut special = queues(1, 1);
    special.flags = vk::DeviceQueueCreateFlags::PROTECTED;
    let made = make(&vk::DeviceCreateInfo::default().queue_create_infos(&[queues(0, 2), special])).unwrap();
    let get = |family, index| {
        let mut queue = vk::Queue::null();
        // SAFETY: a live handle and a valid pointer.
        unsafe { commands::get_device_queue::<TestDriver>()(made.0, family, index, &mut queue) };
        queue
    };
    let (first, second) = (get(0, 0), get(0, 1));
    assert!(!first.is_null() && !second.is_null() && first != second);
    assert_eq!(get(0, 0), first);
    assert!(get(0, 2).is_null() && get(1, 0).is_null() && get(7, 0).is_null());
    let info =
        vk::DeviceQueueInfo2::default().queue_family_index(1).flags(vk::DeviceQueueCreateFlags::PROTECTED);
    let mut queue = vk::Queue::null();
    // SAFETY: a live handle and valid pointers.
    unsafe { commands::get_device_queue_2::<TestDriver>()(made.0, &info, &mut queue) };
    assert!(!queue.is_null());
    let refused = make(&vk::DeviceCreateInfo::default().queue_create_infos(&[queues(1, 2)]));
    assert_eq!(refused.err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
}

#[test]
fn a_lost_device_stays_lost_for_its_first_reason() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let device = made.get();
    assert!(device.lost().is_ok());
    for reason in ["first", "second"] {
        assert_eq!(vk::Result::from(device.set_lost(reason)), vk::Result::ERROR_DEVICE_LOST);
    }
    assert!(device.lost().is_err());
    assert_eq!(device.lost_reason(), Some("first"));
}

#[test]
fn the_status_is_asked_for_until_the_device_is_lost() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let device = made.get();
    assert!(device.check_status().is_ok());
    plan(|plan| plan.gone = true);
    assert!(device.check_status().is_err() && device.check_status().is_err());
    plan(|plan| assert_eq!(plan.status_checks, 2));
    assert_eq!(device.lost_reason(), Some("the test said so"));
}

objects!(Buffer: Buffer of Device<TestDriver>,);

#[test]
fn private_data_and_names_through_the_commands() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    // SAFETY: live handles and valid structures throughout.
    unsafe {
        let buffer = Object::create(made.get(), null(), Buffer).unwrap().into_handle();
        let mut slot = vk::PrivateDataSlot::null();
        let info = vk::PrivateDataSlotCreateInfo::default();
        let result = commands::create_private_data_slot::<TestDriver>()(made.0, &info, null(), &mut slot);
        assert_eq!(result, vk::Result::SUCCESS);
        let surface = vk::SurfaceKHR::from_raw(0x1234_5678);
        for (kind, handle) in
            [(vk::ObjectType::BUFFER, buffer.as_raw()), (vk::ObjectType::SURFACE_KHR, surface.as_raw())]
        {
            let mut value = 1;
            commands::get_private_data::<TestDriver>()(made.0, kind, handle, slot, &mut value);
            assert_eq!(value, 0);
            let result = commands::set_private_data::<TestDriver>()(made.0, kind, handle, slot, handle + 1);
            assert_eq!(result, vk::Result::SUCCESS);
            commands::get_private_data::<TestDriver>()(made.0, kind, handle, slot, &mut value);
            assert_eq!(value, handle + 1);
        }
        let named = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(buffer).object_name(c"vertices");
        assert_eq!(commands::set_object_name::<TestDriver>()(made.0, &named), vk::Result::SUCCESS);
        let object = Object::<Buffer>::from_handle(buffer).unwrap();
        assert_eq!(object.base().name().unwrap().as_slice(), b"vertices");
        let tag = vk::DebugUtilsObjectTagInfoEXT::default().object_handle(buffer);
        assert_eq!(commands::set_object_tag::<TestDriver>()(made.0, &tag), vk::Result::SUCCESS);
        commands::destroy_private_data_slot::<TestDriver>()(made.0, slot, null());
        commands::destroy_private_data_slot::<TestDriver>()(made.0, vk::PrivateDataSlot::null(), null());
        Object::<Buffer>::destroy(buffer, null());
    }
    assert!(made.get().root().base().is_visible());
}
