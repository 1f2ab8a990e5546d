//! A driver that knows nothing of these tests, loaded as a shared library: the null driver as a HAL module.

use android_simulation::{Simulation, null_driver};
use ash::vk::{self, Handle as _};
use ash::{Device, Instance};
use platform_android::objects::{device_of, instance_of};

#[test]
fn r118_a_program_gets_the_right_bytes_from_a_hal_module() {
    let simulation = Simulation::new();
    simulation.android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
    simulation.android.set("ro.board.platform", "null");
    let vulkan = simulation.vulkan();
    // SAFETY: valid structures and live handles.
    unsafe {
        let listed = vulkan.enumerate_instance_extension_properties(None).unwrap();
        let surface =
            listed.iter().find(|one| one.extension_name_as_c_str() == Ok(c"VK_KHR_android_surface"));
        assert!(surface.is_some());
        let instance = vulkan.create_instance(&vk::InstanceCreateInfo::default(), None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let ours = instance_of(instance.handle().as_raw());
        assert!(std::ptr::eq(instance_of(physical.as_raw()), ours));
        let device = create_device(&instance, physical);
        assert_eq!(filled(&device), [0xABu8; 64]);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
    let path = "/vendor/lib64/hw/vulkan.null.so".to_owned();
    assert_eq!(simulation.android.open_libraries(), [path]);
}

unsafe fn create_device(instance: &Instance, physical: vk::PhysicalDevice) -> Device {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    // SAFETY: a valid structure and a live handle.
    unsafe { instance.create_device(physical, &info, None) }.unwrap()
}

/// The bytes of a buffer that a queue has filled.
unsafe fn filled(device: &Device) -> [u8; 64] {
    // SAFETY: valid structures and live handles.
    unsafe {
        let info = vk::BufferCreateInfo::default().size(64).usage(vk::BufferUsageFlags::TRANSFER_DST);
        let buffer = device.create_buffer(&info, None).unwrap();
        let memory =
            device.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(64), None).unwrap();
        device.bind_buffer_memory(buffer, memory, 0).unwrap();
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info).unwrap();
        let queue = device.get_device_queue(0, 0);
        let ours = device_of(device.handle().as_raw());
        assert!(std::ptr::eq(device_of(queue.as_raw()), ours));
        assert!(std::ptr::eq(device_of(commands[0].as_raw()), ours));
        device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default()).unwrap();
        device.cmd_fill_buffer(commands[0], buffer, 0, vk::WHOLE_SIZE, 0xABAB_ABAB);
        device.end_command_buffer(commands[0]).unwrap();
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        device.queue_submit(queue, &[submit], vk::Fence::null()).unwrap();
        device.queue_wait_idle(queue).unwrap();
        let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
        let bytes = mapped.cast::<[u8; 64]>().read();
        device.unmap_memory(memory);
        device.destroy_command_pool(pool, None);
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
        bytes
    }
}
