//! Uses a device as a program does, to check that it works.

use ash::{Device, vk};

/// Returns the bytes of a buffer that a queue has filled with `0xAB`. `look_at` is called with the
/// queue and the command buffer.
///
/// # Safety
/// The device is valid and has a queue of family 0, and mappable memory of type 0.
pub unsafe fn filled(device: &Device, look_at: impl FnOnce(vk::Queue, vk::CommandBuffer)) -> [u8; 64] {
    // SAFETY: the structures are valid, and the handles belong to the device, valid by this
    // function's `# Safety`.
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
        look_at(queue, commands[0]);
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
