//! Programs for the simulated system: an application from its first call to its last.

use ash::{Device, Entry, Instance, vk};

/// Texels on each side of the image.
const SIDE: u32 = 8;
pub(crate) const SIZE: usize = (SIDE * SIDE * 4) as usize;

/// The number of devices, and the bytes of a picture that the first one drew.
pub(crate) struct Drawn {
    pub(crate) devices: usize,
    pub(crate) bytes: Vec<u8>,
}

/// Creates an instance and a device, clears an image, copies it to a buffer, overwrites the
/// buffer's end, and destroys everything.
///
/// # Errors
/// The error of the loader or the driver; nothing is left then either.
pub(crate) fn draw(entry: &Entry) -> Result<Drawn, vk::Result> {
    let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&app);
    // SAFETY: the structures are valid, and the instance is destroyed after its last use.
    unsafe {
        entry.enumerate_instance_extension_properties(None)?;
        let instance = entry.create_instance(&info, None)?;
        let drawn = with_instance(&instance);
        instance.destroy_instance(None);
        drawn
    }
}

/// # Safety
/// `instance` is a live instance.
unsafe fn with_instance(instance: &Instance) -> Result<Drawn, vk::Result> {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    // SAFETY: the structures are valid. The instance is live, by this function's `# Safety`, and
    // the device is destroyed after its last use.
    unsafe {
        let devices = instance.enumerate_physical_devices()?;
        let device = instance.create_device(devices[0], &info, None)?;
        let bytes = picture(&device);
        device.destroy_device(None);
        Ok(Drawn { devices: devices.len(), bytes: bytes? })
    }
}

/// # Safety
/// `device` is a live device with a queue. All its memory can be mapped, and nothing on it fails.
unsafe fn picture(device: &Device) -> Result<Vec<u8>, vk::Result> {
    // SAFETY: the structures are valid, and every handle is used before it is destroyed. The
    // mapping has `SIZE` bytes, which were written before the fence was signalled.
    unsafe {
        let (image, of_image) = image(device)?;
        let (buffer, of_buffer) = buffer(device)?;
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info)?;
        device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
        record(device, commands[0], image, buffer);
        device.end_command_buffer(commands[0])?;
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
        let work = vk::SubmitInfo::default().command_buffers(&commands);
        device.queue_submit(device.get_device_queue(0, 0), &[work], fence)?;
        device.wait_for_fences(&[fence], true, u64::MAX)?;
        let start = device.map_memory(of_buffer, 0, SIZE as u64, vk::MemoryMapFlags::empty())?;
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), SIZE).to_vec();
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        device.destroy_buffer(buffer, None);
        device.destroy_image(image, None);
        device.free_memory(of_buffer, None);
        device.free_memory(of_image, None);
        Ok(bytes)
    }
}

/// # Safety
/// All handles are live, and `commands` is being recorded.
unsafe fn record(device: &Device, commands: vk::CommandBuffer, image: vk::Image, buffer: vk::Buffer) {
    let whole = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    let layers = vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        layer_count: 1,
        ..Default::default()
    };
    let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
    let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
    let colour = vk::ClearColorValue { float32: [1.0, 0.5, 0.0, 1.0] };
    let general = vk::ImageLayout::GENERAL;
    let ready = vk::ImageMemoryBarrier::default()
        .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .new_layout(general)
        .image(image)
        .subresource_range(whole);
    let written = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE)];
    let (stage, flags) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
    // SAFETY: the structures are valid; the handles are live and `commands` is being recorded, by
    // this function's `# Safety`.
    unsafe {
        device.cmd_pipeline_barrier(commands, stage, stage, flags, &[], &[], &[ready]);
        device.cmd_clear_color_image(commands, image, general, &colour, &[whole]);
        device.cmd_pipeline_barrier(commands, stage, stage, flags, &written, &[], &[]);
        device.cmd_copy_image_to_buffer(commands, image, general, buffer, &[region]);
        device.cmd_pipeline_barrier(commands, stage, stage, flags, &written, &[], &[]);
        device.cmd_update_buffer(commands, buffer, SIZE as u64 - 4, b"end.");
    }
}

/// # Safety
/// `device` is a live device.
unsafe fn image(device: &Device) -> Result<(vk::Image, vk::DeviceMemory), vk::Result> {
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    // SAFETY: the structures are valid, the device is live, by this function's `# Safety`, and the
    // other handles were just created on it.
    unsafe {
        let image = device.create_image(&info, None)?;
        let memory = memory(device, device.get_image_memory_requirements(image))?;
        device.bind_image_memory(image, memory, 0)?;
        Ok((image, memory))
    }
}

/// # Safety
/// `device` is a live device.
unsafe fn buffer(device: &Device) -> Result<(vk::Buffer, vk::DeviceMemory), vk::Result> {
    let usage = vk::BufferUsageFlags::TRANSFER_DST;
    let info = vk::BufferCreateInfo::default().size(SIZE as u64).usage(usage);
    // SAFETY: the structures are valid, the device is live, by this function's `# Safety`, and the
    // other handles were just created on it.
    unsafe {
        let buffer = device.create_buffer(&info, None)?;
        let memory = memory(device, device.get_buffer_memory_requirements(buffer))?;
        device.bind_buffer_memory(buffer, memory, 0)?;
        Ok((buffer, memory))
    }
}

/// # Safety
/// `device` is a live device.
unsafe fn memory(device: &Device, required: vk::MemoryRequirements) -> Result<vk::DeviceMemory, vk::Result> {
    let kind = required.memory_type_bits.trailing_zeros();
    let info = vk::MemoryAllocateInfo::default().allocation_size(required.size).memory_type_index(kind);
    // SAFETY: `info` is valid, and the device is live, by this function's `# Safety`.
    unsafe { device.allocate_memory(&info, None) }
}
