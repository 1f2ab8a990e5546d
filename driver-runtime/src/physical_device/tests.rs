//! Physical devices as loaders query them. `docs/rules/drivers.md` has the rules.

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::vec::Vec;

use ash::vk;
use vkload_core::registry::{ExtensionSet, command, extension};

use super::Physical;
use crate::dispatch::{CommandTable, EntryPoints, trampoline};
use crate::driver::Tables;
use crate::entry_points;
use crate::features::{Features, name};
use crate::instance::tests::{Made, make_for};
use crate::log::tests::{Ear, add, remove};
use crate::object::Object;
use crate::prelude::*;
use crate::testing::{TestDriver, commands, live_devices, no_parts, plain_driver, plan};

pub(crate) fn enumerate(made: &Made, room: usize) -> (vk::Result, u32, Vec<vk::PhysicalDevice>) {
    let mut handles = std::vec![vk::PhysicalDevice::null(); room];
    let mut count = room as u32;
    let out = if room == 0 { null_mut() } else { handles.as_mut_ptr() };
    // SAFETY: a live instance and an array as long as the count says.
    let result = unsafe { commands::enumerate_physical_devices::<TestDriver>()(made.0, &mut count, out) };
    (result, count, handles)
}

/// Returns an instance with one device, described by `device`.
pub(crate) fn with_device(device: fn() -> Description) -> (Made, vk::PhysicalDevice) {
    with_device_and_extensions(device, &[])
}

/// Returns the same, of an instance with extensions.
pub(crate) fn with_device_and_extensions(
    device: fn() -> Description,
    extensions: &[&CStr],
) -> (Made, vk::PhysicalDevice) {
    plan(|plan| {
        plan.searches = std::vec![(1, Ok(Search::Done))];
        plan.device = device;
    });
    let made = make_for(3, extensions).unwrap();
    let (_, _, handles) = enumerate(&made, 1);
    (made, handles[0])
}

#[test]
fn undescribed_members_are_zero() {
    let blank = Description::new(b"x", vk::API_VERSION_1_0, vk::PhysicalDeviceType::CPU);
    assert_eq!((blank.extensions, blank.features), (ExtensionSet::default(), Features::NONE));
    let (_made, handle) = with_device(|| {
        let mut known = Description::new(b"x", vk::API_VERSION_1_0, vk::PhysicalDeviceType::CPU);
        known.extensions = ExtensionSet::new(&[extension::KHR_SWAPCHAIN]);
        known
    });
    // SAFETY: a live handle.
    let device = unsafe { Object::<Physical<TestDriver>>::from_handle(handle) }.unwrap();
    assert!(device.description().extensions.contains(extension::KHR_SWAPCHAIN));
}

#[test]
fn queries_of_1_0_give_what_those_with_a_2_give() {
    let (_made, device) = with_device(|| {
        let mut known = Description::new(b"a device", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU);
        known.features = Features::NONE.with(name::WIDE_LINES).with(name::TIMELINE_SEMAPHORE);
        known.memory.memory_heap_count = 1;
        known.memory.memory_heaps[0].size = 77;
        known.queue_family_count = 2;
        known.queue_families[0].queue_count = 4;
        known.queue_families[1].queue_count = 5;
        known
    });
    let mut features = vk::PhysicalDeviceFeatures::default();
    let mut properties = vk::PhysicalDeviceProperties::default();
    let mut memory = vk::PhysicalDeviceMemoryProperties::default();
    let mut families = [vk::QueueFamilyProperties::default(); 3];
    let mut count = 3;
    let mut format =
        vk::FormatProperties { buffer_features: vk::FormatFeatureFlags::BLIT_SRC, ..Default::default() };
    // SAFETY: a live handle and valid structures.
    unsafe {
        commands::get_features::<TestDriver>()(device, &mut features);
        commands::get_properties::<TestDriver>()(device, &mut properties);
        commands::get_memory_properties::<TestDriver>()(device, &mut memory);
        commands::get_queue_family_properties::<TestDriver>()(device, &mut count, families.as_mut_ptr());
        commands::get_format_properties::<TestDriver>()(device, vk::Format::R8_UNORM, &mut format);
    }
    assert_eq!((features.wide_lines, features.logic_op), (vk::TRUE, vk::FALSE));
    assert_eq!(properties.device_name_as_c_str(), Ok(c"a device"));
    assert_eq!(memory.memory_heaps[0].size, 77);
    assert_eq!((count, families[0].queue_count, families[1].queue_count), (2, 4, 5));
    assert!(format.buffer_features.is_empty());
    count = 1;
    // SAFETY: as above.
    unsafe {
        commands::get_queue_family_properties::<TestDriver>()(device, &mut count, families.as_mut_ptr())
    };
    assert_eq!(count, 1);
}

#[test]
fn properties_of_one_structure_are_those_of_the_structure_that_gathers_them() {
    let (_made, device) = with_device(|| {
        let mut known = Description::new(b"x", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU);
        known.set_driver(vk::DriverId::MESA_LLVMPIPE, b"driver", b"note");
        known.vulkan_1_1.max_multiview_view_count = 6;
        known
    });
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut views = vk::PhysicalDeviceMultiviewProperties::default();
    let mut gathered = vk::PhysicalDeviceVulkan12Properties::default();
    let mut all = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut driver)
        .push_next(&mut views)
        .push_next(&mut gathered);
    // SAFETY: a live handle and a valid chain.
    unsafe { commands::get_properties_2::<TestDriver>()(device, &mut all) };
    assert_eq!(driver.driver_name_as_c_str(), Ok(c"driver"));
    assert_eq!(gathered.driver_info_as_c_str(), Ok(c"note"));
    assert_eq!(views.max_multiview_view_count, 6);
    assert_eq!(
        (gathered.conformance_version.major, driver.conformance_version.minor),
        (0, 0),
        "LDP_DRIVER_5"
    );
}

#[test]
fn layers_and_extensions_of_devices() {
    let (_made, device) = with_device(|| {
        let mut known = Description::new(b"x", vk::API_VERSION_1_0, vk::PhysicalDeviceType::CPU);
        known.extensions = ExtensionSet::new(&[extension::KHR_SWAPCHAIN, extension::EXT_MESH_SHADER]);
        known
    });
    let mut layers = [vk::LayerProperties::default(); 2];
    for out in [null_mut(), layers.as_mut_ptr()] {
        let mut count = 2;
        // SAFETY: a live handle and valid arrays.
        let result =
            unsafe { commands::enumerate_device_layer_properties::<TestDriver>()(device, &mut count, out) };
        assert_eq!((result, count), (vk::Result::SUCCESS, 0));
    }
    let mut count = 4;
    let mut out = [vk::ExtensionProperties::default(); 4];
    // SAFETY: as above.
    unsafe {
        let list = commands::enumerate_device_extension_properties::<TestDriver>();
        assert_eq!(
            list(device, c"layer".as_ptr(), &mut count, null_mut()),
            vk::Result::ERROR_LAYER_NOT_PRESENT
        );
        assert_eq!(list(device, null(), &mut count, out.as_mut_ptr()), vk::Result::SUCCESS);
    }
    // The test driver adds two that the registry does not list.
    assert_eq!((count, out[1].extension_name_as_c_str()), (4, Ok(c"VK_EXT_mesh_shader")));
}

#[test]
fn one_search_on_success_another_after_failure() {
    plan(|plan| {
        plan.searches = std::vec![(2, Err(EnumerateError::InitializationFailed)), (3, Ok(Search::Done))];
    });
    let made = make_for(0, &[]).unwrap();
    assert_eq!(enumerate(&made, 9).0, vk::Result::ERROR_INITIALIZATION_FAILED);
    assert_eq!(live_devices(), 0);
    assert_eq!(enumerate(&made, 0).1, 3);
    assert_eq!(enumerate(&made, 0).1, 3);
}

/// A driver that counts its searches, from any thread.
struct Slow;
static SEARCHES: AtomicU32 = AtomicU32::new(0);

plain_driver!(Slow, EntryPoints::NONE, || {
    SEARCHES.fetch_add(1, Ordering::Relaxed);
    thread::yield_now();
});

#[test]
fn threads_share_one_search() {
    let mut instance = vk::Instance::null();
    // SAFETY: valid structures.
    unsafe {
        let info = vk::InstanceCreateInfo::default();
        assert_eq!(commands::create_instance::<Slow>()(&info, null(), &mut instance), vk::Result::SUCCESS);
    }
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut count = 0;
                // SAFETY: a live instance.
                let result = unsafe {
                    commands::enumerate_physical_devices::<Slow>()(instance, &mut count, null_mut())
                };
                assert_eq!((result, count), (vk::Result::SUCCESS, 1));
            });
        }
    });
    assert_eq!(SEARCHES.load(Ordering::Relaxed), 1);
    // SAFETY: the instance is no longer in use.
    unsafe { commands::destroy_instance::<Slow>()(instance, null()) };
}

#[test]
fn nodes_are_tried_where_the_driver_has_no_search_of_its_own() {
    plan(|plan| plan.nodes = std::vec![Ok(true), Ok(false), Ok(true)]);
    let made = make_for(0, &[]).unwrap();
    assert_eq!(enumerate(&made, 0).1, 2);
    // One list, whose devices are offered once each, by their addresses.
    plan(|plan| assert_eq!((plan.lists, &plan.offered[..]), (1, &[0, 1, 2][..])));
    plan(|plan| plan.searches = std::vec![(1, Ok(Search::Done))]);
    let made = make_for(0, &[]).unwrap();
    assert_eq!(enumerate(&made, 0).1, 1);
}

#[test]
fn a_node_without_permission_is_reported_with_its_path() {
    plan(|plan| plan.nodes = std::vec![Ok(true)]);
    let made = make_for(0, &[c"VK_EXT_debug_utils"]).unwrap();
    let ear = Ear::default();
    let messenger = add(made.0, &ear.info());
    assert_eq!(enumerate(&made, 0).1, 1);
    let heard = ear.take();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].text.contains("/dev/dri/renderD200: no permission"), "{heard:?}");
    assert_eq!(heard[0].severity, vk::DebugUtilsMessageSeverityFlagsEXT::WARNING.as_raw());
    remove(made.0, messenger);
}

#[test]
fn a_node_that_fails_undoes_the_search() {
    plan(|plan| plan.nodes = std::vec![Ok(true), Ok(false), Err(EnumerateError::OutOfHostMemory)]);
    let made = make_for(0, &[]).unwrap();
    assert_eq!(enumerate(&made, 0).0, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    assert_eq!(live_devices(), 0);
    plan(|plan| plan.nodes[2] = Ok(true));
    assert_eq!(enumerate(&made, 0).1, 2);
}

#[test]
fn ldp_driver_2_no_devices_is_success() {
    let made = make_for(0, &[]).unwrap();
    let (result, count, _) = enumerate(&made, 0);
    assert_eq!((result, count), (vk::Result::SUCCESS, 0));
}

fn groups(made: &Made) -> Vec<(Vec<vk::PhysicalDevice>, bool)> {
    let mut list = [vk::PhysicalDeviceGroupProperties::default(); 8];
    let mut count = 8;
    // SAFETY: a live instance and an array as long as the count says.
    let result = unsafe {
        commands::enumerate_physical_device_groups::<TestDriver>()(made.0, &mut count, list.as_mut_ptr())
    };
    assert_eq!(result, vk::Result::SUCCESS);
    let group = |group: &vk::PhysicalDeviceGroupProperties<'_>| {
        (group.physical_devices_as_slice().to_vec(), group.subset_allocation == vk::TRUE)
    };
    list[..count as usize].iter().map(group).collect()
}

#[test]
fn groups_of_several_devices_are_the_drivers() {
    plan(|plan| {
        plan.searches = std::vec![(4, Ok(Search::Done))];
        plan.groups = std::vec![(std::vec![3, 1], true)];
    });
    let made = make_for(3, &[]).unwrap();
    let (_, _, devices) = enumerate(&made, 4);
    let [a, b, c, d] = devices[..] else { panic!("four devices") };
    let expected = [(std::vec![a], false), (std::vec![c], false), (std::vec![d, b], true)];
    assert_eq!(groups(&made), expected);
    let create = |members: &[vk::PhysicalDevice]| {
        let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(members);
        let info = vk::DeviceCreateInfo::default().push_next(&mut group);
        let mut device = vk::Device::null();
        // SAFETY: a live handle and valid structures; the device is destroyed before its instance.
        unsafe {
            let result = commands::create_device::<TestDriver>()(d, &info, null(), &mut device);
            commands::destroy_device::<TestDriver>()(device, null());
            result
        }
    };
    for members in [&[d, b][..], &[b, d], &[d], &[]] {
        assert_eq!(create(members), vk::Result::SUCCESS);
    }
    for members in [&[d, c][..], &[b], &[d, vk::PhysicalDevice::null()]] {
        assert_eq!(create(members), vk::Result::ERROR_INITIALIZATION_FAILED);
    }
    drop(made);
    for wrong in [&[4][..], &[], &[0, 0], &[0; 33]] {
        plan(|plan| {
            plan.searches = std::vec![(4, Ok(Search::Done))];
            plan.groups = std::vec![(wrong.to_vec(), false)];
        });
        let made = make_for(3, &[]).unwrap();
        assert_eq!(enumerate(&made, 4).0, vk::Result::ERROR_INITIALIZATION_FAILED, "{wrong:?}");
    }
    plan(|plan| plan.groups.clear());
}

#[test]
fn handles_stay_the_same_and_groups_have_one_device() {
    plan(|plan| plan.searches = std::vec![(3, Ok(Search::Done))]);
    let made = make_for(1, &[]).unwrap();
    let (result, count, two) = enumerate(&made, 2);
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 2));
    let (result, count, four) = enumerate(&made, 4);
    assert_eq!((result, count, &four[..2]), (vk::Result::SUCCESS, 3, &two[..]));
    let mut groups = [vk::PhysicalDeviceGroupProperties::default(); 2];
    let mut count = 2;
    // SAFETY: a live instance and an array as long as the count says.
    let result = unsafe {
        commands::enumerate_physical_device_groups::<TestDriver>()(made.0, &mut count, groups.as_mut_ptr())
    };
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 2));
    for (group, device) in groups.iter().zip(&four) {
        assert_eq!((group.physical_device_count, group.physical_devices[0]), (1, *device));
        assert_eq!(group.subset_allocation, vk::FALSE);
    }
}

#[test]
fn devices_go_with_their_instance() {
    plan(|plan| plan.searches = std::vec![(3, Ok(Search::Done))]);
    let made = make_for(0, &[]).unwrap();
    assert_eq!(enumerate(&made, 0).1, 3);
    assert_eq!(live_devices(), 3);
    drop(made);
    assert_eq!(live_devices(), 0);
}

#[test]
fn a_device_may_have_functions_of_its_own() {
    // SAFETY: the function implements the command as specified.
    static OTHER: EntryPoints<TestDriver> = unsafe {
        entry_points! {
            GetPhysicalDeviceFeatures2 = |call| call.features.as_mut().features.logic_op = vk::TRUE,
        }
    };
    let (_made, plain) =
        with_device(|| Description::new(b"x", vk::API_VERSION_1_1, vk::PhysicalDeviceType::CPU));
    static OWN: CommandTable<TestDriver> = CommandTable::new(&OTHER).filled(&<TestDriver as Tables>::COMMON);
    plan(|plan| plan.commands = Some(&OWN));
    let (_made, special) =
        with_device(|| Description::new(b"x", vk::API_VERSION_1_1, vk::PhysicalDeviceType::CPU));
    // SAFETY: the trampoline is called with its own type and live handles.
    unsafe {
        let query = core::mem::transmute::<crate::dispatch::Command, vk::PFN_vkGetPhysicalDeviceFeatures>(
            trampoline(command::GET_PHYSICAL_DEVICE_FEATURES.canonical().index()).unwrap(),
        );
        for (device, logic_op) in [(plain, vk::FALSE), (special, vk::TRUE)] {
            let mut features = vk::PhysicalDeviceFeatures::default();
            query(device, &mut features);
            assert_eq!(features.logic_op, logic_op);
        }
    }
}
