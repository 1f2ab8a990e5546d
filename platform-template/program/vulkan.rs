//! The program's use of Vulkan: it fills a buffer on the first device.

use ash::vk;
use platform_template::entry;

/// The bytes of the buffer.
const SIZE: u64 = 4096;

/// Fills a buffer on a queue and checks every word of it. Calls `while_used` while the device exists.
pub(crate) fn run(while_used: &dyn Fn()) -> Result<(), vk::Result> {
    let functions = ash::StaticFn { get_instance_proc_addr: entry::get_instance_proc_addr };
    // SAFETY: this is the loader's function. Every call below is valid: handles are in use until they are destroyed, in the
    // order of their creation backwards, and structures live as long as the calls.
    unsafe {
        let vulkan = ash::Entry::from_static_fn(functions);
        let instance = vulkan.create_instance(&vk::InstanceCreateInfo::default(), None)?;
        let result = use_first_device(&instance, while_used);
        instance.destroy_instance(None);
        result
    }
}

unsafe fn use_first_device(instance: &ash::Instance, while_used: &dyn Fn()) -> Result<(), vk::Result> {
    // SAFETY: see `run`.
    unsafe {
        let mut physical_device = [vk::PhysicalDevice::null()];
        let mut count = 1;
        let enumerate = instance.fp_v1_0().enumerate_physical_devices;
        enumerate(instance.handle(), &raw mut count, physical_device.as_mut_ptr()).result()?;
        let queue = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queue);
        let device = instance.create_device(physical_device[0], &info, None)?;
        let result = fill(&device);
        while_used();
        device.destroy_device(None);
        result
    }
}

unsafe fn fill(device: &ash::Device) -> Result<(), vk::Result> {
    // SAFETY: see `run`.
    unsafe {
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let buffer = device.create_buffer(&vk::BufferCreateInfo::default().size(SIZE).usage(usage), None)?;
        let needs = device.get_buffer_memory_requirements(buffer);
        let memory_type = needs.memory_type_bits.trailing_zeros();
        let allocation =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(memory_type);
        let memory = device.allocate_memory(&allocation, None)?;
        device.bind_buffer_memory(buffer, memory, 0)?;

        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let mut commands = [vk::CommandBuffer::null()];
        (device.fp_v1_0().allocate_command_buffers)(device.handle(), &raw const info, commands.as_mut_ptr())
            .result()?;
        device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
        device.cmd_fill_buffer(commands[0], buffer, 0, SIZE, 0x0BAD_CAFE);
        device.end_command_buffer(commands[0])?;

        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        device.queue_submit(device.get_device_queue(0, 0), &submit, fence)?;
        device.wait_for_fences(&[fence], true, u64::MAX)?;

        let mapped = device.map_memory(memory, 0, SIZE, vk::MemoryMapFlags::empty())?;
        let words = core::slice::from_raw_parts(mapped.cast::<u32>(), SIZE as usize / 4);
        let filled = words.iter().all(|word| *word == 0x0BAD_CAFE);
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
        if filled { Ok(()) } else { Err(vk::Result::ERROR_UNKNOWN) }
    }
}
