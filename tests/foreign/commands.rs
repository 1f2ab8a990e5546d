//! Every class of commands reaches a driver whose handles are read-only, with all its arguments, regardless of how the application looked
//! it up, with and without layers.

use crate::above::{System, Way, ask, object, scenario};
use ash::vk::{self, Handle as _};
use vkload_tests::{Instance, Layer, Vk};

/// Calls a command that [`Way::find`] has found.
macro_rules! call {
    ($find:expr, $name:literal, $type:ident, $($argument:expr),+) => {{
        let function: vk::$type = std::mem::transmute($find($name));
        function($($argument),+)
    }};
}

const OFFSET: vk::DeviceSize = 0x1234_5678_9ABC;

/// Calls commands on the device and its objects; returns the expected and the actual calls of the driver.
fn use_device(find: &dyn Fn(&str) -> usize, system: &System, device: vk::Device) -> Vec<[String; 2]> {
    let mut calls = Vec::new();
    let mut check = |name: &str, object: String, arguments: &str| {
        let expected = format!("{name} {object} {arguments}");
        calls.push([expected.trim_end().to_owned(), system.last_call()]);
    };
    let named = |kind: &str, handle: u64| format!("{kind}{}", object(vk::Device::from_raw(handle)).number);
    let of_device = || named("device", device.as_raw());
    // SAFETY: the commands have these types; the driver reads only valid arguments.
    unsafe {
        let (mut queue, mut again, mut mapped) = (vk::Queue::null(), vk::Queue::null(), std::ptr::null_mut());
        call!(find, "vkGetDeviceQueue", PFN_vkGetDeviceQueue, device, 0, 0, &mut queue);
        check("vkGetDeviceQueue", of_device(), "0 0");
        let info = vk::DeviceQueueInfo2::default();
        call!(find, "vkGetDeviceQueue2", PFN_vkGetDeviceQueue2, device, &info, &mut again);
        check("vkGetDeviceQueue2", of_device(), "0 0");
        assert_eq!(queue, again);
        assert_eq!(object(queue).key, object(device).key);
        let memory = vk::DeviceMemory::from_raw(0xFEED_0000_BEEF);
        let flags = vk::MemoryMapFlags::from_raw(5);
        let _ = call!(
            find,
            "vkMapMemory",
            PFN_vkMapMemory,
            device,
            memory,
            OFFSET,
            OFFSET + 1,
            flags,
            &mut mapped
        );
        check("vkMapMemory", of_device(), "feed0000beef 123456789abc 123456789abd 5");
        let _ = call!(find, "vkDeviceWaitIdle", PFN_vkDeviceWaitIdle, device);
        check("vkDeviceWaitIdle", of_device(), "");

        let fence = vk::Fence::from_raw(0xF0_0000_0001);
        let _ = call!(find, "vkQueueSubmit", PFN_vkQueueSubmit, queue, 0, std::ptr::null(), fence);
        check("vkQueueSubmit", named("queue", queue.as_raw()), "0 f000000001");
        let _ = call!(find, "vkQueueWaitIdle", PFN_vkQueueWaitIdle, queue);
        check("vkQueueWaitIdle", named("queue", queue.as_raw()), "");

        let mut buffers = [vk::CommandBuffer::null(); 3];
        let info = vk::CommandBufferAllocateInfo::default().command_buffer_count(3);
        let result = call!(
            find,
            "vkAllocateCommandBuffers",
            PFN_vkAllocateCommandBuffers,
            device,
            &info,
            buffers.as_mut_ptr()
        );
        assert_eq!(result, vk::Result::SUCCESS);
        check("vkAllocateCommandBuffers", of_device(), "3");
        for buffer in buffers {
            record(
                find,
                &mut |name, arguments| {
                    check(name, named("command_buffer", buffer.as_raw()), arguments);
                },
                buffer,
            );
        }
    }
    calls
}

/// Calls commands with integers, floating-point numbers, and more arguments than registers.
unsafe fn record(find: &dyn Fn(&str) -> usize, check: &mut dyn FnMut(&str, &str), buffer: vk::CommandBuffer) {
    unsafe {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        let _ = call!(find, "vkBeginCommandBuffer", PFN_vkBeginCommandBuffer, buffer, &info);
        check("vkBeginCommandBuffer", "4");
        call!(find, "vkCmdDraw", PFN_vkCmdDraw, buffer, 3, 1, 0, u32::MAX);
        check("vkCmdDraw", "3 1 0 4294967295");
        call!(find, "vkCmdDrawIndexed", PFN_vkCmdDrawIndexed, buffer, 6, 5, 4, -3, 2);
        check("vkCmdDrawIndexed", "6 5 4 -3 2");
        call!(find, "vkCmdSetLineWidth", PFN_vkCmdSetLineWidth, buffer, 2.5);
        check("vkCmdSetLineWidth", "2.5");
        call!(find, "vkCmdSetDepthBias", PFN_vkCmdSetDepthBias, buffer, 1.25, -0.5, 8.0);
        check("vkCmdSetDepthBias", "1.25 -0.5 8");
        call!(find, "vkCmdSetDepthBounds", PFN_vkCmdSetDepthBounds, buffer, 0.125, 0.75);
        check("vkCmdSetDepthBounds", "0.125 0.75");
        call!(find, "vkCmdSetBlendConstants", PFN_vkCmdSetBlendConstants, buffer, &[0.5, 1.5, 2.5, 3.5]);
        check("vkCmdSetBlendConstants", "0.5 1.5 2.5 3.5");
        let (layout, value) = (vk::PipelineLayout::from_raw(0xABC), 0xC0FFEE_u32);
        let values = (&raw const value).cast();
        call!(
            find,
            "vkCmdPushConstants",
            PFN_vkCmdPushConstants,
            buffer,
            layout,
            vk::ShaderStageFlags::ALL,
            8,
            4,
            values
        );
        check("vkCmdPushConstants", "abc 7fffffff 8 4 c0ffee");
        let (from, to) = (vk::Image::from_raw(0x1_0000_0001), vk::Image::from_raw(0x2_0000_0002));
        let (general, target) = (vk::ImageLayout::GENERAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        let region =
            vk::ImageBlit { src_offsets: [vk::Offset3D { x: -7, y: 0, z: 0 }; 2], ..Default::default() };
        call!(
            find,
            "vkCmdBlitImage",
            PFN_vkCmdBlitImage,
            buffer,
            from,
            general,
            to,
            target,
            1,
            &region,
            vk::Filter::LINEAR
        );
        check("vkCmdBlitImage", "100000001 1 200000002 7 1 -7 1");
        let (before, after) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        let memory = vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::HOST_WRITE);
        let image = vk::ImageMemoryBarrier::default().new_layout(vk::ImageLayout::PRESENT_SRC_KHR);
        call!(
            find,
            "vkCmdPipelineBarrier",
            PFN_vkCmdPipelineBarrier,
            buffer,
            before,
            after,
            vk::DependencyFlags::BY_REGION,
            1,
            &memory,
            0,
            std::ptr::null(),
            1,
            &image
        );
        check("vkCmdPipelineBarrier", "1000 4000 1 1 4000 0 1 1000001002");
        let _ = call!(find, "vkEndCommandBuffer", PFN_vkEndCommandBuffer, buffer);
        check("vkEndCommandBuffer", "");
    }
}

/// Calls commands on instances and physical devices; `find` returns exported functions or the instance's.
fn use_physical_device(find: &dyn Fn(&str) -> usize, system: &System, device: vk::PhysicalDevice) {
    let check = |name: &str, arguments: &str| {
        let call = system.last_call();
        assert!(call.starts_with(&format!("{name} physical_device")), "{call}");
        assert!(call.ends_with(arguments), "{call}");
    };
    unsafe {
        let mut properties = vk::PhysicalDeviceProperties::default();
        call!(
            find,
            "vkGetPhysicalDeviceProperties",
            PFN_vkGetPhysicalDeviceProperties,
            device,
            &mut properties
        );
        check("vkGetPhysicalDeviceProperties", "");
        assert_eq!(properties.device_name_as_c_str(), Ok(c"system"));
        let (mut image, mut count) = (vk::ImageFormatProperties::default(), 0);
        let (format, kind, tiling) =
            (vk::Format::R8G8B8A8_UNORM, vk::ImageType::TYPE_2D, vk::ImageTiling::LINEAR);
        let (usage, flags) = (vk::ImageUsageFlags::SAMPLED, vk::ImageCreateFlags::from_raw(9));
        let _ = call!(
            find,
            "vkGetPhysicalDeviceImageFormatProperties",
            PFN_vkGetPhysicalDeviceImageFormatProperties,
            device,
            format,
            kind,
            tiling,
            usage,
            flags,
            &mut image
        );
        check("vkGetPhysicalDeviceImageFormatProperties", " 37 1 1 4 9");
        call!(
            find,
            "vkGetPhysicalDeviceSparseImageFormatProperties",
            PFN_vkGetPhysicalDeviceSparseImageFormatProperties,
            device,
            format,
            kind,
            vk::SampleCountFlags::TYPE_2,
            usage,
            tiling,
            &mut count,
            std::ptr::null_mut()
        );
        check("vkGetPhysicalDeviceSparseImageFormatProperties", " 37 1 2 4 1");
    }
}

fn use_all(vk: &Vk) {
    let system = System::open();
    let instance = vk.create(&ask(vk)).unwrap();
    assert_eq!(instance.names(), ["system"]);
    let physical_device = instance.devices()[0];
    use_physical_device(&|name| vk.symbol(name), &system, physical_device);
    use_physical_device(&|name| instance.proc(name), &system, physical_device);
    let devices = [0; 3].map(|_| instance.device(physical_device, &[]));
    for way in Way::ALL {
        // Backwards and forwards, since the first device is found in another way than the others.
        for device in devices.iter().rev().chain(&devices) {
            let find = |name: &str| way.find(vk, &instance, device.handle(), name);
            for [expected, call] in use_device(&find, &system, device.handle()) {
                assert_eq!(call, expected, "{way:?}");
            }
        }
    }
    devices.iter().for_each(|device| unsafe { device.destroy_device(None) });
    destroy_in_every_way(vk, &system, &instance);
}

fn destroy_in_every_way(vk: &Vk, system: &System, instance: &Instance<'_>) {
    for way in Way::ALL {
        let device = instance.device(instance.devices()[0], &[]).handle();
        let find = |name: &str| way.find(vk, instance, device, name);
        unsafe { call!(find, "vkDestroyDevice", PFN_vkDestroyDevice, device, std::ptr::null()) };
        assert_eq!(system.last_call(), format!("vkDestroyDevice device{}", object(device).number));
    }
}

#[test]
fn every_class_of_commands_reaches_the_driver_in_every_way() {
    scenario().run(use_all).ok();
}

#[test]
fn every_class_of_commands_reaches_the_driver_through_layers() {
    let layers = ["VK_LAYER_TEST_a", "VK_LAYER_TEST_b"];
    for count in [1, 2] {
        let run = layers[..count]
            .iter()
            .fold(scenario(), |scenario, name| scenario.layer(Layer::new(name)))
            .argument("layers", &layers[..count].join(","))
            .run(use_all);
        run.ok();
        // Three ways, three devices, there and back.
        assert_eq!(run.calls(&["vkQueueSubmit"]).len(), 18 * count);
        assert_eq!(run.calls(&["vkDestroyDevice"]).len(), 6 * count);
    }
}

#[test]
fn layers_that_put_wrappers_in_the_place_of_handles() {
    // The second layer hands out queues whose first word it did not prepare: to the first layer, or to the loader.
    for names in ["VK_LAYER_TEST_a,VK_LAYER_TEST_b", "VK_LAYER_TEST_b"] {
        use_wrappers(names);
    }
}

fn use_wrappers(names: &str) {
    let layers = [
        Layer::new("VK_LAYER_TEST_a").does("wrap").does("wrap_devices"),
        Layer::new("VK_LAYER_TEST_b")
            .does("wrap")
            .does("wrap_devices")
            .does("wordless")
            .does("second_device"),
    ];
    let scenario = layers.into_iter().fold(scenario(), vkload_tests::Scenario::layer);
    let run = scenario.argument("layers", names).run(|vk| {
        let system = System::open();
        let instance = vk.create(&ask(vk)).unwrap();
        for way in Way::ALL {
            let device = instance.device(instance.devices()[0], &[]).handle();
            let find = |name: &str| way.find(vk, &instance, device, name);
            let mut queue = vk::Queue::null();
            unsafe {
                call!(find, "vkGetDeviceQueue", PFN_vkGetDeviceQueue, device, 0, 0, &mut queue);
                let _ = call!(
                    find,
                    "vkQueueSubmit",
                    PFN_vkQueueSubmit,
                    queue,
                    0,
                    std::ptr::null(),
                    vk::Fence::null()
                );
                assert!(system.last_call().starts_with("vkQueueSubmit queue"), "{}", system.last_call());
                let exported = |name: &str| vk.symbol(name);
                let (none, fence) = (std::ptr::null(), vk::Fence::from_raw(3));
                let _ = call!(exported, "vkQueueSubmit", PFN_vkQueueSubmit, queue, 0, none, fence);
                assert!(system.last_call().ends_with(" 0 3"), "{}", system.last_call());
                let _ = call!(find, "vkDeviceWaitIdle", PFN_vkDeviceWaitIdle, device);
                assert!(system.last_call().starts_with("vkDeviceWaitIdle device"), "{}", system.last_call());
                call!(find, "vkDestroyDevice", PFN_vkDestroyDevice, device, std::ptr::null());
            }
        }
    });
    run.ok();
}

#[test]
fn vkgetdeviceprocaddr_gives_the_drivers_own_functions_where_the_loader_has_nothing_to_add() {
    let run = scenario().run(|vk| {
        let system = System::open();
        let instance = vk.create(&ask(vk)).unwrap();
        let device = instance.device(instance.devices()[0], &["VK_KHR_swapchain"]).handle();
        let find = |name: &str| Way::OfDevice.find(vk, &instance, device, name);
        for name in [
            "vkCmdDraw",
            "vkGetDeviceQueue",
            "vkGetDeviceQueue2",
            "vkAllocateCommandBuffers",
            "vkQueueSubmit",
        ] {
            assert_eq!(find(name), system.device_command(device, name), "{name}");
        }
        // The loader forgets the device, gives the driver its own surface, and must be asked for more functions.
        for name in ["vkDestroyDevice", "vkCreateSwapchainKHR", "vkGetDeviceProcAddr"] {
            assert_ne!(find(name), system.device_command(device, name), "{name}");
        }
        for name in ["vkDestroyDevice", "vkGetDeviceProcAddr"] {
            assert_eq!(find(name), vk.symbol(name), "{name}");
        }
        assert_eq!(instance.proc("vkCmdDraw"), vk.symbol("vkCmdDraw"));
    });
    run.ok();
}
