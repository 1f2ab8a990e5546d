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
    unsafe {
        let context = Context::new();
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
        context.end();
    }
}

/// The sizes of device groups.
#[test]
#[ignore = "run by the other tests"]
fn groups() {
    // SAFETY: the loaders and the driver keep the specification's promises, and so does this program.
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
