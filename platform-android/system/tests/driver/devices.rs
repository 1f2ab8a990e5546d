//! Devices: the create info that the driver gets, the driver's requirements, the lists and the
//! handles.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use android_simulation::hal::Hal;
use android_simulation::hook;
use ash::vk::{self, Handle as _};
use platform_android::objects::{device_of, instance_of};
use platform_android::{ApiLevel, driver};

use super::{World, list};

/// Returns the device extensions below the layers, with their versions.
fn listed(world: &World) -> Vec<(String, u32)> {
    let instance = world.instance(&[]);
    let device = world.physical_devices(instance)[0];
    // SAFETY: a valid physical device and counted out-arrays.
    let all = list(|count, out| unsafe {
        driver::enumerate_device_extension_properties(device, null(), count, out)
    });
    world.finish();
    all
}

pub(crate) fn names(world: &World) -> Vec<String> {
    listed(world).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn loader_structures_are_stripped_only_at_the_front_for_devices() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[]);
    let loaders = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
    let third = vk::BaseInStructure { s_type: loaders, p_next: null(), ..Default::default() };
    let group = vk::DeviceGroupDeviceCreateInfo { p_next: (&raw const third).cast(), ..Default::default() };
    let second =
        vk::BaseInStructure { s_type: loaders, p_next: (&raw const group).cast(), ..Default::default() };
    let first = vk::BaseInStructure { s_type: loaders, p_next: &raw const second, ..Default::default() };
    let layers = [c"VK_LAYER_something".as_ptr()];
    #[expect(deprecated, reason = "the driver must not see them")]
    let info = vk::DeviceCreateInfo {
        p_next: (&raw const first).cast(),
        enabled_layer_count: 1,
        pp_enabled_layer_names: layers.as_ptr(),
        ..Default::default()
    };
    world.try_device(world.physical_devices(instance)[0], &info).unwrap();
    let told = world.hal.received().devices.remove(0);
    assert_eq!(told.chain, [group.s_type.as_raw(), loaders.as_raw()]);
    assert_eq!(told.layers, 0);
}

#[test]
fn the_driver_gets_device_extensions_that_it_has_and_once() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[]);
    let wishes = [
        c"VK_KHR_bind_memory2",
        c"VK_KHR_incremental_present",
        c"VK_KHR_bind_memory2",
        c"VK_EXT_of_a_layer",
        c"VK_EXT_hdr_metadata",
    ];
    world.device(instance, &wishes);
    assert_eq!(world.hal.received().devices[0].extensions, ["VK_KHR_bind_memory2"]);
}

#[test]
fn swapchain_is_native_buffer_to_the_driver() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[]);
    world.device(instance, &[c"VK_KHR_swapchain"]);
    assert_eq!(world.hal.received().devices[0].extensions, ["VK_ANDROID_native_buffer"]);
    drop(world);
    for (native, version) in [(7, 68), (8, 70), (11, 70)] {
        let extensions = vec![(c"VK_ANDROID_native_buffer", native)];
        let world = World::new(Hal { device_extensions: extensions, ..Hal::default() });
        let all = listed(&world);
        assert!(all.contains(&("VK_KHR_swapchain".to_owned(), version)));
        assert!(!all.iter().any(|(name, _)| name == "VK_ANDROID_native_buffer"));
    }
}

#[test]
fn no_swapchain_without_native_buffer() {
    let world = World::new(Hal { device_extensions: Vec::new(), ..Hal::default() });
    assert!(!names(&world).contains(&"VK_KHR_swapchain".to_owned()));
    let instance = world.instance(&[c"VK_KHR_surface"]);
    let device = world.device(instance, &[c"VK_KHR_swapchain"]);
    assert_eq!(world.hal.received().devices[0].extensions, [""; 0]);
    // SAFETY: a valid device and a C string.
    let found = unsafe { driver::get_device_proc_addr(device, c"vkCreateSwapchainKHR".as_ptr()) };
    assert!(found.is_none());
}

#[test]
fn swapchain_maintenance_needs_fences_that_can_be_imported() {
    let maintenance = ["VK_EXT_swapchain_maintenance1", "VK_KHR_swapchain_maintenance1"];
    let has = |world: &World| maintenance.map(|name| names(world).contains(&name.to_owned()));
    let world = World::new(Hal::default());
    assert_eq!(has(&world), [true, true]);
    let instance = world.instance(&[]);

    world.device(instance, &[c"VK_EXT_swapchain_maintenance1", c"VK_KHR_swapchain_maintenance1"]);
    assert_eq!(world.hal.received().devices[0].extensions, ["VK_KHR_external_fence_fd"]);
    drop(world);
    let world = World::new(Hal { imports_sync_fd: false, ..Hal::default() });
    assert_eq!(has(&world), [false, false]);
    drop(world);
    let world = World::at(ApiLevel::ANDROID_14, Hal::default());
    assert_eq!(has(&world), [true, false]);
    drop(world);
    // Vulkan 1.0 reports through an extension which fences can be imported.
    assert_eq!(has(&World::new(Hal::old())), [true, true]);
}

#[test]
fn extensions_that_depend_on_system_or_driver_are_listed_if_supported() {
    let first = |count: usize, world: &World| names(world).into_iter().take(count).collect::<Vec<_>>();
    let everything = Hal { shared_image: true, image_compression_control: true, ..Hal::default() };
    let world = World::at(ApiLevel::ANDROID_14, everything);
    world.simulation.android.set("ro.surface_flinger.has_HDR_display", "true");
    world.simulation.android.set("service.sf.present_timestamp", "1");
    assert_eq!(
        first(7, &world),
        [
            "VK_KHR_incremental_present",
            "VK_EXT_hdr_metadata",
            "VK_KHR_shared_presentable_image",
            "VK_GOOGLE_display_timing",
            "VK_EXT_image_compression_control",
            "VK_EXT_image_compression_control_swapchain",
            "VK_EXT_swapchain_maintenance1",
        ]
    );
    drop(world);
    let world = World::at(ApiLevel::ANDROID_14, Hal { imports_sync_fd: false, ..Hal::default() });
    assert_eq!(first(2, &world), ["VK_KHR_incremental_present", "VK_KHR_swapchain"]);
    drop(world);
    // Since Android 17 whatever the display.
    assert!(names(&World::new(Hal::default())).contains(&"VK_EXT_hdr_metadata".to_owned()));
}

#[test]
fn compression_needs_a_native_buffer_that_hands_usage_over() {
    for (version, offered) in [(8, false), (9, true)] {
        let extensions = vec![(c"VK_ANDROID_native_buffer", version)];
        let hal = Hal { image_compression_control: true, device_extensions: extensions, ..Hal::default() };
        let world = World::new(hal);
        let name = "VK_EXT_image_compression_control_swapchain".to_owned();
        assert_eq!(names(&world).contains(&name), offered, "{version}");
    }
}

#[test]
fn an_array_that_is_too_small_gets_the_loaders_extensions_first() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[]);
    let mut one = vk::ExtensionProperties::default();
    let mut count = 1;
    // SAFETY: a valid physical device and a counted out-array.
    let result = unsafe {
        let device = world.physical_devices(instance)[0];
        driver::enumerate_device_extension_properties(device, null(), &mut count, &mut one)
    };
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 1));
    assert_eq!(one.extension_name_as_c_str(), Ok(c"VK_KHR_incremental_present"));
}

#[test]
fn a_device_without_magic_is_destroyed_and_refused() {
    let world = World::new(Hal { without_magic: vec![vk::ObjectType::DEVICE], ..Hal::default() });
    let instance = world.instance(&[]);
    let device = world.physical_devices(instance)[0];
    let result = world.try_device(device, &vk::DeviceCreateInfo::default());
    assert_eq!(result, Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER));
    assert_eq!(world.hal.alive(vk::ObjectType::DEVICE), 0);
}

/// Returns whether a device can be created with these extensions by a driver that lacks these
/// functions.
fn device_of_driver_that_lacks(lacks: &[&'static CStr], extensions: &[&CStr]) -> Result<(), vk::Result> {
    let world = World::new(Hal { lacks: lacks.to_vec(), ..Hal::default() });
    let instance = world.instance(&[]);
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
    let device = world.try_device(world.physical_devices(instance)[0], &info);
    world.finish();
    device.map(|_| ())
}

#[test]
fn a_driver_whose_device_lacks_a_function_is_refused() {
    let refused = Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
    for lacking in [
        c"vkGetDeviceQueue",
        c"vkQueueSubmit",
        c"vkCreateImage",
        c"vkDestroyImage",
        c"vkAllocateCommandBuffers",
    ] {
        assert_eq!(device_of_driver_that_lacks(&[lacking], &[]), refused, "{lacking:?}");
    }
    for (extension, lacking) in [
        (c"VK_KHR_swapchain", c"vkAcquireImageANDROID"),
        (c"VK_KHR_swapchain", c"vkQueueSignalReleaseImageANDROID"),
        (c"VK_EXT_swapchain_maintenance1", c"vkImportFenceFdKHR"),
        (c"VK_KHR_bind_memory2", c"vkBindImageMemory2KHR"),
    ] {
        assert_eq!(device_of_driver_that_lacks(&[lacking], &[extension]), refused, "{lacking:?}");
        assert_eq!(device_of_driver_that_lacks(&[lacking], &[]), Ok(()), "{lacking:?}");
    }
}

#[test]
fn native_buffer_needs_to_know_what_images_are_for() {
    let usage = [
        c"vkGetSwapchainGrallocUsageANDROID",
        c"vkGetSwapchainGrallocUsage2ANDROID",
        c"vkGetSwapchainGrallocUsage3ANDROID",
        c"vkGetSwapchainGrallocUsage4ANDROID",
    ];
    let refused = Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
    assert_eq!(device_of_driver_that_lacks(&usage, &[c"VK_KHR_swapchain"]), refused);
    assert_eq!(device_of_driver_that_lacks(&usage, &[]), Ok(()));
    for one in 0..usage.len() {
        let others: Vec<_> =
            usage.iter().enumerate().filter(|(index, _)| *index != one).map(|(_, name)| *name).collect();
        assert_eq!(device_of_driver_that_lacks(&others, &[c"VK_KHR_swapchain"]), Ok(()), "{:?}", usage[one]);
    }
}

#[test]
fn a_device_is_of_no_version_that_the_loader_does_not_know() {
    let newest = vk::make_api_version(0, 1, 4, 300);
    for (level, reported, usable) in [
        (ApiLevel::ANDROID_14, vk::make_api_version(0, 1, 1, 5), vk::make_api_version(0, 1, 1, 5)),
        (ApiLevel::ANDROID_14, newest, vk::API_VERSION_1_3 | 0xFFF),
        (ApiLevel::ANDROID_17, newest, newest),
        (ApiLevel::ANDROID_17, 0, vk::API_VERSION_1_0),
    ] {
        let world = World::at(level, Hal { device_version: reported, ..Hal::default() });
        let instance = world.instance(&[]);
        let device = world.device(instance, &[]);
        assert_eq!(unsafe { device_of(device.as_raw()) }.api_version, usable);
    }
}

#[test]
fn the_first_word_of_queues_and_command_buffers_leads_to_their_device() {
    let (_world, instance, device) = World::with_device(Hal::default());
    let (mut queue, mut again) = (vk::Queue::null(), vk::Queue::null());
    let mut buffers = [vk::CommandBuffer::null(); 3];
    // SAFETY: valid handles, structures and memory for results.
    unsafe {
        hook!(PFN_vkGetDeviceQueue)(device, 0, 0, &mut queue);
        hook!(PFN_vkGetDeviceQueue2)(device, &vk::DeviceQueueInfo2::default(), &mut again);
        assert_eq!(queue, again);
        let info = vk::CommandBufferAllocateInfo::default().command_buffer_count(3);
        let result = hook!(PFN_vkAllocateCommandBuffers)(device, &info, buffers.as_mut_ptr());
        assert_eq!(result, vk::Result::SUCCESS);
        let ours = device_of(device.as_raw());
        assert!(std::ptr::eq(device_of(queue.as_raw()), ours));
        for buffer in buffers {
            assert!(std::ptr::eq(device_of(buffer.as_raw()), ours));
        }
        assert!(std::ptr::eq(ours.instance, instance_of(instance.as_raw())));
    }
}

#[test]
fn a_queue_without_the_mark_is_named_in_the_log() {
    let (world, _, device) =
        World::with_device(Hal { without_magic: vec![vk::ObjectType::QUEUE], ..Hal::default() });
    let mut queue = vk::Queue::null();
    // SAFETY: a valid device and memory for the result.
    unsafe { hook!(PFN_vkGetDeviceQueue)(device, 0, 0, &mut queue) };
    assert_ne!(queue, vk::Queue::null());
    let errors = world.errors();
    assert!(errors.len() == 1 && errors[0].contains("HWVULKAN_DISPATCH_MAGIC"), "{errors:?}");
}

#[test]
fn command_buffers_that_were_not_allocated_are_left_alone() {
    let mut hal = Hal::default();
    hal.fails.insert(c"vkAllocateCommandBuffers", vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    let (world, _, device) = World::with_device(hal);
    // Handles that would lead nowhere.
    let mut buffers = [vk::CommandBuffer::from_raw(8); 2];
    // SAFETY: valid handles, structures and memory for results.
    unsafe {
        let info = vk::CommandBufferAllocateInfo::default().command_buffer_count(2);
        let result = hook!(PFN_vkAllocateCommandBuffers)(device, &info, buffers.as_mut_ptr());
        assert_eq!(result, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    }
    assert_eq!(world.errors(), [""; 0]);
}

#[test]
fn a_queue_that_does_not_exist_is_null() {
    let (world, _, device) = World::with_device(Hal { no_queue: true, ..Hal::default() });
    let mut queue = vk::Queue::from_raw(1);
    // SAFETY: a valid device, a structure and memory for the result.
    unsafe { hook!(PFN_vkGetDeviceQueue2)(device, &vk::DeviceQueueInfo2::default(), &mut queue) };
    assert_eq!(queue, vk::Queue::null());
    assert_eq!(world.errors(), [""; 0]);
}

/// Returns the sizes of the groups, and how many of their devices lead to the instance.
fn groups(world: &World, room: u32) -> (vk::Result, Vec<(u32, vk::Bool32)>) {
    let instance = world.instance(&[]);
    let mut count = 0;
    let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); room as usize];
    // SAFETY: a valid instance and counted out-arrays.
    let result = unsafe {
        let result = hook!(PFN_vkEnumeratePhysicalDeviceGroups)(instance, &mut count, null_mut());
        assert_eq!(result, vk::Result::SUCCESS);
        count = count.min(room);
        hook!(PFN_vkEnumeratePhysicalDeviceGroups)(instance, &mut count, groups.as_mut_ptr())
    };
    groups.truncate(count as usize);
    let sizes = groups.iter().map(|group| {
        for device in &group.physical_devices[..group.physical_device_count as usize] {
            assert!(std::ptr::eq(unsafe { instance_of(device.as_raw()) }, unsafe {
                instance_of(instance.as_raw())
            }));
        }
        (group.physical_device_count, group.subset_allocation)
    });
    let sizes = sizes.collect();
    world.finish();
    (result, sizes)
}

#[test]
fn groups_are_the_drivers_or_one_for_each_device() {
    let (yes, no) = (vk::TRUE, vk::FALSE);
    let mut hal = Hal { devices: 3, groups: vec![2, 1], ..Hal::default() };
    let world = World::new(hal);
    assert_eq!(groups(&world, 4), (vk::Result::SUCCESS, vec![(2, yes), (1, yes)]));
    assert!(world.hal.received().calls.contains(&c"vkEnumeratePhysicalDeviceGroups"));
    drop(world);
    hal = Hal { devices: 3, groups: vec![2, 1], ..Hal::old() };
    let world = World::new(hal);
    assert_eq!(groups(&world, 4), (vk::Result::SUCCESS, vec![(2, yes), (1, yes)]));
    assert!(world.hal.received().calls.contains(&c"vkEnumeratePhysicalDeviceGroupsKHR"));
    drop(world);
    hal = Hal { devices: 3, ..Hal::old() };
    hal.instance_extensions.clear();
    let world = World::new(hal);
    assert_eq!(groups(&world, 4), (vk::Result::SUCCESS, vec![(1, no); 3]));
    assert_eq!(groups(&world, 2), (vk::Result::INCOMPLETE, vec![(1, no); 2]));
}

#[test]
fn drivers_see_the_loaders_features_except_those_of_newer_extensions() {
    for level in [ApiLevel::ANDROID_14, ApiLevel::ANDROID_17] {
        let world = World::at(level, Hal::default());
        let instance = world.instance(&[]);
        let mut maintenance = vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT::default();
        let mut others = vk::PhysicalDeviceMaintenance4Features::default();
        let mut compression = vk::PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT::default();
        let mut newer = vk::PhysicalDevicePresentIdFeaturesKHR::default();
        let mut types = vec![compression.s_type, others.s_type, maintenance.s_type];
        if level < ApiLevel::ANDROID_17 {
            types.insert(0, newer.s_type);
        }
        let types: Vec<_> = types.into_iter().map(vk::StructureType::as_raw).collect();
        let info = vk::DeviceCreateInfo::default()
            .push_next(&mut maintenance)
            .push_next(&mut others)
            .push_next(&mut compression)
            .push_next(&mut newer);
        world.try_device(world.physical_devices(instance)[0], &info).unwrap();
        assert_eq!(world.hal.received().devices[0].chain, types, "{level:?}");
    }
}

#[test]
fn features_that_are_chained_reach_a_driver_that_knows_only_the_older_way() {
    let mut oldest = Hal::old();
    oldest.instance_extensions.clear();
    for (hal, expected) in [(oldest, [Some(true), Some(false)]), (Hal::default(), [None, Some(false)])] {
        let world = World::new(hal);
        let mut chained = vk::PhysicalDeviceFeatures2::default();
        chained.features.robust_buffer_access = vk::TRUE;
        // The application's own features are used.
        let own = vk::PhysicalDeviceFeatures::default();
        let plain = vk::DeviceCreateInfo::default().enabled_features(&own);
        for (info, expected) in
            [vk::DeviceCreateInfo::default().push_next(&mut chained), plain].iter().zip(expected)
        {
            let instance = world.instance(&[]);
            world.try_device(world.physical_devices(instance)[0], info).unwrap();
            assert_eq!(world.hal.received().devices[0].robust, expected);
            world.finish();
        }
    }
}

#[test]
fn private_data_of_swapchains_is_the_loaders_and_of_all_else_the_drivers() {
    let (world, _, device) = World::with_device(Hal::default());
    let slots = [1, 2].map(vk::PrivateDataSlot::from_raw);
    // SAFETY: functions have the types of their names; the swapchain's handle is only a number
    // here.
    unsafe {
        let find = |name: &CStr| driver::get_device_proc_addr(device, name.as_ptr());
        let set = find(c"vkSetPrivateData");
        let set =
            std::mem::transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkSetPrivateData>>(set).unwrap();
        let get = find(c"vkGetPrivateData");
        let get =
            std::mem::transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkGetPrivateData>>(get).unwrap();
        let forget = find(c"vkDestroyPrivateDataSlot");
        let forget =
            std::mem::transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkDestroyPrivateDataSlot>>(forget);
        let swapchain = vk::ObjectType::SWAPCHAIN_KHR;
        let of = |object, slot| {
            let mut data = 99;
            get(device, swapchain, object, slot, &mut data);
            data
        };
        let _ = world.hal.received();
        for (object, slot, data) in
            [(7, slots[0], 70), (7, slots[1], 71), (8, slots[0], 80), (7, slots[0], 72)]
        {
            assert_eq!(set(device, swapchain, object, slot, data), vk::Result::SUCCESS);
        }
        assert_eq!([of(7, slots[0]), of(7, slots[1]), of(8, slots[0]), of(8, slots[1])], [72, 71, 80, 0]);
        assert!(world.hal.received().calls.is_empty());
        forget.unwrap()(device, slots[0], null());
        assert_eq!([of(7, slots[0]), of(7, slots[1]), of(8, slots[0])], [0, 71, 0]);
        device_of(device.as_raw()).private_data.forget(world.simulation.android, 7);
        assert_eq!(of(7, slots[1]), 0);
        let _ = set(device, vk::ObjectType::IMAGE, 7, slots[1], 1);
        let mut data = 0;
        get(device, vk::ObjectType::IMAGE, 7, slots[1], &mut data);
        assert_eq!(
            world.hal.received().calls,
            [c"vkDestroyPrivateDataSlot", c"vkSetPrivateData", c"vkGetPrivateData"]
        );
    }
}

#[test]
fn commands_that_a_level_lacks_are_the_drivers() {
    for (level, passed) in [(ApiLevel(33), true), (ApiLevel::ANDROID_16, true), (ApiLevel::ANDROID_17, false)]
    {
        let mut hal = Hal::default();
        hal.device_extensions.push((c"VK_KHR_present_id", 1));
        let world = World::at(level, hal);
        let instance = world.instance(&[]);
        world.device(instance, &[c"VK_KHR_present_id"]);
        let told = &world.hal.received().devices[0].extensions.clone();
        assert_eq!(told.iter().any(|name| name == "VK_KHR_present_id"), passed, "{level:?}");
    }
}

#[test]
fn older_windows_take_their_extensions_away() {
    let newest = [
        "VK_EXT_present_mode_fifo_latest_ready",
        "VK_KHR_present_id",
        "VK_KHR_present_id2",
        "VK_KHR_present_wait2",
    ];
    for (system, expected) in [("37", &newest[..]), ("36", &newest[1..2])] {
        let world = World::at(ApiLevel::ANDROID_17, Hal::default());
        // On an older system windows can neither receive the mode nor report frames.
        world.simulation.android.set("ro.build.version.sdk", system);
        let all = names(&world);
        let listed: Vec<_> =
            newest.iter().copied().filter(|name| all.contains(&(*name).to_owned())).collect();
        assert_eq!(listed, expected);
    }
}
