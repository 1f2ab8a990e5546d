//! Vulkan 1.4, and the parts of it that each earlier version has.

use std::ffi::{CStr, c_void};

use ash::vk;
use vkload_driver_runtime::registry::{Class, CommandId};

use super::{Context, LAYERS, entry, image, texels};
use crate::run::CONTENT;

const VERSION: u32 = vk::make_api_version(0, 1, 4, 0);

/// A function of the device, which must be there.
macro_rules! function {
    ($context:expr, $name:literal: $pointer_type:ident) => {{
        let found = $context.instance.get_device_proc_addr($context.device.handle(), $name.as_ptr());
        std::mem::transmute::<unsafe extern "system" fn(), vk::$pointer_type>(found.expect("the function"))
    }};
}

#[test]
#[ignore = "run by the other tests"]
fn newest() {
    Context::with(VERSION, &[], &[]).run(|context, _| unsafe {
        let properties = context.instance.get_physical_device_properties(context.physical);
        assert_eq!(vk::api_version_minor(properties.api_version), 4);
        host_copies_arrive(context);
        memory_is_mapped(context);
    });
}

unsafe fn host_copies_arrive(context: &Context) {
    let device = &context.device;
    // SAFETY: valid structures and live handles; the memory is as large as the regions say.
    unsafe {
        let extent = vk::Extent3D { width: 4, height: 4, depth: 1 };
        let info = texels(vk::Extent3D { width: 8, ..extent }).format(vk::Format::BC1_RGB_UNORM_BLOCK);
        let (image, memory) = image(device, info.usage(vk::ImageUsageFlags::HOST_TRANSFER_EXT));
        // The second block of two.
        let (offset, block) = (vk::Offset3D { x: 4, y: 0, z: 0 }, *b"a block!");
        let to = [vk::MemoryToImageCopyEXT::default()
            .host_pointer(block.as_ptr().cast::<c_void>())
            .image_subresource(LAYERS)
            .image_offset(offset)
            .image_extent(extent)];
        let copy = function!(context, c"vkCopyMemoryToImage": PFN_vkCopyMemoryToImageEXT);
        let layout = vk::ImageLayout::GENERAL;
        let info =
            vk::CopyMemoryToImageInfoEXT::default().dst_image(image).dst_image_layout(layout).regions(&to);
        assert_eq!(copy(device.handle(), &info), vk::Result::SUCCESS);
        let mut read = [0u8; 16];
        let from = [vk::ImageToMemoryCopyEXT::default()
            .host_pointer(read.as_mut_ptr().cast::<c_void>())
            .image_subresource(LAYERS)
            .image_extent(vk::Extent3D { width: 8, ..extent })];
        let copy = function!(context, c"vkCopyImageToMemory": PFN_vkCopyImageToMemoryEXT);
        let info =
            vk::CopyImageToMemoryInfoEXT::default().src_image(image).src_image_layout(layout).regions(&from);
        assert_eq!(copy(device.handle(), &info), vk::Result::SUCCESS);
        assert_eq!(read, *b"\0\0\0\0\0\0\0\0a block!");
        device.destroy_image(image, None);
        device.free_memory(memory, None);
    }
}

unsafe fn memory_is_mapped(context: &Context) {
    let device = &context.device;
    unsafe {
        let info = vk::MemoryAllocateInfo::default().allocation_size(64);
        let memory = device.allocate_memory(&info, None).unwrap();
        let map = function!(context, c"vkMapMemory2": PFN_vkMapMemory2KHR);
        let mut start = std::ptr::null_mut();
        let info = vk::MemoryMapInfoKHR::default().memory(memory).offset(8).size(8);
        assert_eq!(map(device.handle(), &info, &mut start), vk::Result::SUCCESS);
        start.cast::<u64>().write(42);
        let unmap = function!(context, c"vkUnmapMemory2": PFN_vkUnmapMemory2KHR);
        let info = vk::MemoryUnmapInfoKHR::default().memory(memory);
        assert_eq!(unmap(device.handle(), &info), vk::Result::SUCCESS);
        device.free_memory(memory, None);
    }
}

/// Every core command is found with its version and not before, for applications of every version.
#[test]
#[ignore = "run by the other tests"]
fn look_ups() {
    for minor in 0..=4u8 {
        let app = vk::ApplicationInfo::default().api_version(vk::make_api_version(0, 1, minor.into(), 0));
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: the driver keeps the specification's promises, and so does this program.
        unsafe {
            let entry = entry();
            let instance = entry.create_instance(&info, None).unwrap();
            let find = |name: &CStr| entry.get_instance_proc_addr(instance.handle(), name.as_ptr()).is_some();
            for command in CommandId::all() {
                let Some(core) = command.core() else { continue };
                let expected = core <= minor || command.class() == Class::Global;
                assert_eq!(find(command.name()), expected, "{:?} in 1.{minor}", command.name());
            }
            instance.destroy_instance(None);
        }
    }
    println!("{CONTENT}");
}
