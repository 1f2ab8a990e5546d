//! Programs that print the loader's and driver's answers.

use ash::vk::{self, Handle};

use super::{Context, entry};
use crate::run::CONTENT;

/// The first word of each kind of dispatchable object.
#[test]
#[ignore = "run by the other tests"]
fn first_words() {
    // SAFETY: the loaders and the driver keep the specification's promises, and so does this program; dispatchable objects
    // begin with a word.
    Context::new().run(|context, _| unsafe {
        let word = |handle: u64| std::ptr::with_exposed_provenance::<usize>(handle as usize).read();
        let queue = context.device.get_device_queue(0, 0);
        let pool = context.device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = context.device.allocate_command_buffers(&info).unwrap()[0];
        println!("VkInstance {:#x}", word(context.instance.handle().as_raw()));
        println!("VkPhysicalDevice {:#x}", word(context.physical.as_raw()));
        println!("VkDevice {:#x}", word(context.device.handle().as_raw()));
        println!("VkQueue {:#x}", word(queue.as_raw()));
        println!("VkCommandBuffer {:#x}", word(commands.as_raw()));
        context.device.destroy_command_pool(pool, None);
    });
}

/// The sizes of device groups.
#[test]
#[ignore = "run by the other tests"]
fn groups() {
    unsafe {
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        let entry = entry();
        let instance = entry.create_instance(&info, None).unwrap();
        let count = instance.enumerate_physical_device_groups_len().unwrap();
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count];
        instance.enumerate_physical_device_groups(&mut groups).unwrap();
        let mut sizes: Vec<u32> = groups.iter().map(|group| group.physical_device_count).collect();
        sizes.sort_unstable();
        println!("groups {sizes:?}");
        instance.destroy_instance(None);
    }
    println!("{CONTENT}");
}

/// The DRM nodes and PCI addresses of all devices.
#[test]
#[ignore = "run by the other tests"]
fn nodes() {
    unsafe {
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let entry = entry();
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        let instance = entry.create_instance(&info, None).unwrap();
        for physical in instance.enumerate_physical_devices().unwrap() {
            let mut drm = vk::PhysicalDeviceDrmPropertiesEXT::default();
            let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
            let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut drm).push_next(&mut pci);
            instance.get_physical_device_properties2(physical, &mut all);
            let known = all.properties;
            let name = known.device_name_as_c_str().unwrap().to_str().unwrap();
            let (render, bus) = ((drm.render_major, drm.render_minor), pci.pci_bus);
            println!(
                "{name}: {:#x}, has primary {}, render {render:?}, bus {bus}",
                known.vendor_id, drm.has_primary
            );
        }
        instance.destroy_instance(None);
    }
    println!("{CONTENT}");
}
